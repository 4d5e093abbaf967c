#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# debian.sh: the Debian packages build in a clean root; lintian; what they need of the C library.
set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/packages/lib.sh

packages=$build/packages/deb
lintian_clean()
{
    scripts/package-in.sh build sh -c 'cd /packages/deb && lintian --allow-root --fail-on error *.changes'
}

# The floor that README tells, against what the program asks for.
floor_holds()
{
    local told needs
    told=$(sed -n 's/.*glibc \([0-9.]*\) or newer, for the packages.*/\1/p' README.md | head -n 1)
    dpkg-deb -x "$packages/cxctl_${version}_amd64.deb" "$packages/x"
    needs=$(objdump -T "$packages/x/usr/bin/cxctl" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1)
    rm -rf "$packages/x"
    echo "told '$told', needs '$needs'"
    [ "$told" = "$needs" ]
}

check "dpkg-buildpackage builds all packages without network" scripts/package-deb.sh "$version"
check "lintian finds no error" lintian_clean
check "the C library that the package needs is the one that README tells" floor_holds
finish
