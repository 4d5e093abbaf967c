#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# source.sh NAME VERSION DIRECTORY: lays out the source of one module, cxfw or cxsim, as DKMS wants it in
# /usr/src/NAME-VERSION.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
name=$1 version=$2 into=$3

case $name in
cxfw | cxsim) ;;
*) echo "source.sh: there is no module '$name'; there are cxfw and cxsim" >&2; exit 1 ;;
esac
rm -rf "$into"
mkdir -p "$into"
(cd "$top/kmod" && find Kbuild compat uapi "$name" -path compat/generated -prune -o -name '*.mod.c' -o -type f \
    '(' -name '*.[ch]' -o -name '*.sh' -o -name '*.txt' -o -name Kbuild ')' -print) | LC_ALL=C sort |
while read -r file; do
    mkdir -p "$into/$(dirname "$file")"
    cp "$top/kmod/$file" "$into/$file"
done
cp "$top/packaging/dkms/Makefile" "$into/Makefile"
sed "s/@NAME@/$name/; s/@VERSION@/$version/" "$top/packaging/dkms/dkms.conf.in" >"$into/dkms.conf"
# The simulated host bridge is x86's.
[ "$name" != cxsim ] || echo 'BUILD_EXCLUSIVE_ARCH="x86_64"' >>"$into/dkms.conf"
find "$into" -type f ! -name "*.sh" -exec chmod 644 {} +
find "$into" -type f -name "*.sh" -exec chmod 755 {} +
find "$into" -type d -exec chmod 755 {} +
