#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-bundle.sh VERSION [KDIR…]: one file for hosts without network: the tool, the modules' sources, modules prebuilt
# for the kernel of each KDIR (signed, if MODSIGN_KEY and MODSIGN_CERT are set), and the installer that tells what it does.
set -eu
. "$(dirname "$0")/common.sh"

version=$1
shift
locked package-bundle
into=$build/packages/bundle
modules=$build/packages/modules
mkdir -p "$into" "$modules"
tree=$(mktemp -d "$into/.tree.XXXXXX")
trap 'rm -rf "$tree"' EXIT
machine=$(uname -m)

mkdir -p "$tree"/{tool,udev,source,modules}
make -s -C "$top" install PREFIX=/usr/local DESTDIR="$tree/staging" >&2
make -s -C "$top" install-module-files PREFIX=/usr/local DESTDIR="$tree/staging" >&2
mv "$tree"/staging/usr/local/* "$tree/tool/"
mv "$tree"/staging/etc/udev/rules.d/*.rules "$tree/udev/"
mv "$tree"/staging/usr/src/* "$tree/source/"
rm -r "$tree/staging"
# As in the repository, so that links between them hold.
mkdir -p "$tree/tool/share/doc/cxctl/Documentation"
cp "$top/README.md" "$tree/tool/share/doc/cxctl/"
cp -r "$top"/Documentation/*.md "$top/Documentation/zh_CN" "$tree/tool/share/doc/cxctl/Documentation/"
strip "$tree/tool/bin/cxctl"
for headers; do
    "$top/scripts/module-build.sh" "$version" "$modules" "$headers" >"$tree/release"
    cp -r "$modules/$(cat "$tree/release")" "$tree/modules/"
    rm "$tree/release"
done
# What the program asks of the C library; nothing, if it is a static one.
glibc=$(objdump -T "$tree/tool/bin/cxctl" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1)
printf 'version=%s\nmachine=%s\nglibc=%s\n' "$version" "$machine" "$glibc" >"$tree/bundle"
cp "$top/packaging/bundle/install.sh" "$tree/"
(cd "$tree" && find . -type f ! -name sums -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >sums)
file=$into/cxctl-$version-$machine.run
cp "$top/packaging/bundle/header.sh" "$file"
tar -C "$tree" --owner=0 --group=0 --sort=name -czf - . >>"$file"
chmod 755 "$file"
echo "$file"
