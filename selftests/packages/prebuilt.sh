#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# prebuilt.sh: modules prebuilt and signed for one kernel, as deb, rpm and tar; the offline bundle, in a clean root with
# the prebuilt kernel, with a kernel that it must build for without DKMS, and with one that it can do nothing for.
set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/packages/lib.sh
work=$(mktemp -d "$build/packages.XXXXXX")
trap 'rm -rf "$work"' EXIT

scripts/kernels.sh 6.1 >&2
headers=$(echo "$build"/kernels/6.1/headers/usr/src/linux-headers-*-amd64)
release=$(cat "$build/kernels/6.1/release")
openssl req -new -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=cxctl test/" \
    -keyout "$work/key.pem" -outform DER -out "$work/cert.der" 2>/dev/null
export MODSIGN_KEY=$work/key.pem MODSIGN_CERT=$work/cert.der CC=gcc-12
refused() { ! "$@"; }
package() { make -s kmod-package FORMAT="$1" KDIR="$headers"; }

check "another kernel's headers are refused" refused make -s kmod-package KDIR="$headers" KERNEL=4.19.90-1.ky10
check "no headers: refused" refused make -s kmod-package KERNEL=4.19.90-1.ky10
check "a deb is built" package deb
check "an rpm is built" package rpm
check "a tar is built" package tar
deb=$(echo "$build/packages/kmod/cxfw-modules-${release//_/-}_${version}"_*.deb)
mkdir "$work/deb" "$work/rpm"
dpkg-deb -x "$deb" "$work/deb"
(cd "$work/rpm" && rpm2cpio "$build/packages/kmod/cxfw-modules-$release-$version.x86_64.rpm" | cpio -i -d --quiet)
for module in "$work/deb/lib/modules/$release/updates/cxctl/cxfw.ko" "$work/rpm/lib/modules/$release/extra/cxctl/cxfw.ko"; do
    check "${module#"$work/"} is signed by our key" test "$(/sbin/modinfo -F signer "$module")" = "cxctl test"
    check "and is of that kernel" test "$(/sbin/modinfo -F vermagic "$module" | cut -d ' ' -f 1)" = "$release"
done
check "the offline bundle is made" make -s offline-bundle KDIRS="$headers"
bundle=cxctl-$version-x86_64.run
cp "$build/packages/bundle/$bundle" "$deb" "$build/packages/"
inside bookworm bundle.sh "$version" "$release" "$bundle" "$(basename "$deb")"
finish
