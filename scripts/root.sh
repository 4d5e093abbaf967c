#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# root.sh: unpacks a small Debian 13 into build/roots/trixie, with the compiler that the
# kernels 6.12 and 7.3 were built with and a newer mstflint than this machine may have.
# Made once; a second run has nothing to do.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/private-apt.sh"

suites=trixie-security,trixie
root=$build/roots/trixie
packages="base-files gcc-14 make bash dash coreutils sed grep gawk findutils diffutils binutils perl
    pahole libelf1t64 libssl3t64 zlib1g libdw1t64 xz-utils bzip2 gzip mstflint"

stamp=$(echo "$packages" | cksum)
[ "$(cat "$root/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
locked root
[ "$(cat "$root/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

say "Debian 13 root: fetching a compiler and mstflint"
private_update "$suites" || die "the mirror has no index of ${suites//,/ or }"
debs=$build/roots/debs
rm -rf "$root" "$debs"
mkdir -p "$root" "$debs/partial"
# An empty package database makes apt fetch everything that these need.
# shellcheck disable=SC2086
retry 3 private_apt "$suites" apt-get -o Dir::Cache::archives="$debs" -y --download-only install $packages >/dev/null ||
    die "the mirror does not have all of Debian 13's packages that are needed"
# base-files first: it makes /bin, /lib and /sbin links into /usr.
dpkg -x "$debs"/base-files_*.deb "$root"
for deb in "$debs"/*.deb; do
    dpkg --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink \
        --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale'
done
rm -rf "$debs"
# What the packages' scripts would have made.
ln -sf gawk "$root/usr/bin/awk"
[ -e "$root/bin/sh" ] || ln -sf dash "$root/usr/bin/sh"
ln -sf gcc-14 "$root/usr/bin/gcc"
mkdir -p "$root/dev" "$root/proc" "$root/tmp"
echo "$stamp" >"$root/stamp"
