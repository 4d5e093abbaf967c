#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-kmod.sh VERSION KDIR [KERNEL]: one package with both modules, built and perhaps signed, for one kernel, for
# hosts without a compiler; into build/packages/kmod. FORMAT: deb, rpm or tar; by default what this machine has.
set -eu
. "$(dirname "$0")/common.sh"

version=$1
into=$build/packages/kmod
modules=$build/packages/modules
mkdir -p "$into" "$modules"
format=${FORMAT:-}
if [ -z "$format" ]; then
    format=tar
    ! command -v rpmbuild >/dev/null || format=rpm
    ! command -v dpkg-deb >/dev/null || format=deb
fi
locked package-kmod
release=$("$top/scripts/module-build.sh" "$version" "$modules" "$2" "${3:-}")
machine=$(LC_ALL=C readelf -h "$modules/$release/cxfw.ko" | sed -n 's/^ *Machine: *//p')
case $machine in
*X86-64*) deb=amd64 rpm=x86_64 ;;
AArch64) deb=arm64 rpm=aarch64 ;;
LoongArch) deb=loong64 rpm=loongarch64 ;;
*) die "a module for '$machine' is packed as tar only: FORMAT=tar" ;;
esac
name=cxfw-modules-$release
tree=$(mktemp -d "$into/.tree.XXXXXX")
trap 'rm -rf "$tree"' EXIT

# lay_out DIRECTORY: below lib/modules, where the family's depmod looks first.
lay_out()
{
    install -d "$tree/staging/lib/modules/$release/$1"
    install -m 644 "$modules/$release"/*.ko "$tree/staging/lib/modules/$release/$1/"
}

make_deb()
{
    lay_out updates/cxctl
    name=$(echo "$name" | tr 'A-Z_' 'a-z-')
    install -d "$tree/staging/DEBIAN"
    cat >"$tree/staging/DEBIAN/control" <<-END
		Package: $name
		Version: $version
		Architecture: $deb
		Maintainer: cxctl maintainers <maintainers@users.noreply.a-seed-43ec1d6c.example>
		Section: kernel
		Priority: optional
		Depends: kmod
		Recommends: cxctl
		Provides: cxfw-modules
		Conflicts: cxfw-dkms
		Description: cxfw and cxsim for the kernel $release
		 Prebuilt modules for one kernel, for hosts without a compiler.
	END
    printf '#!/bin/sh\nset -e\ndepmod %s\n' "$release" | tee "$tree/staging/DEBIAN/postinst" >"$tree/staging/DEBIAN/postrm"
    chmod 755 "$tree/staging/DEBIAN"/post*
    dpkg-deb --root-owner-group --build "$tree/staging" "$into/${name}_${version}_$deb.deb" >/dev/null
    echo "$into/${name}_${version}_$deb.deb"
}

make_rpm()
{
    lay_out extra/cxctl
    rpmbuild -bb --quiet --target "$rpm" --define "_topdir $tree/rpm" --define "_rpmdir $into" \
        --define "_rpmfilename $name-$version.$rpm.rpm" --define "release_of $release" --define "version_of $version" \
        --define "tree $tree/staging" "$top/packaging/rpm/cxfw-modules.spec"
    echo "$into/$name-$version.$rpm.rpm"
}

make_tar()
{
    lay_out extra/cxctl
    tar -C "$tree/staging" --owner=0 --group=0 -czf "$into/$name-$version.tar.gz" lib
    echo "$into/$name-$version.tar.gz"
}

case $format in
deb | rpm | tar) "make_$format" ;;
*) die "FORMAT is deb, rpm or tar, not '$format'" ;;
esac
