#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-root.sh NAME…: makes clean Debian roots in build/roots/package-NAME, with mmdebstrap:
#   build      Debian 12 with what builds and judges packages: debhelper, rpmbuild, lintian, rpmlint
#   bookworm   Debian 12, its dkms and the headers of two kernels
#   trixie     Debian 13, its dkms and the headers of two kernels, one from backports
#   sid        unstable, the newest dkms and its kernel's headers
# Made once; a second run has nothing to do. Nothing is installed into them later: see package-in.sh.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/private-apt.sh"

libraries="libmnl0 libkmod2 libjson-c5 zlib1g liblzma5 kmod udev"
tools="build-essential debhelper dh-dkms pkg-config libmnl-dev libkmod-dev libjson-c-dev libssl-dev zlib1g-dev
    liblzma-dev libarchive-dev gettext lintian rpm rpmlint systemd"

# headers SUITES SERIES COUNT: the newest COUNT header packages of a series.
headers()
{
    private_update "$1" || die "the mirror has no index of ${1//,/ or }"
    private_apt "$1" apt-cache pkgnames "linux-headers-$2" |
        grep -E "^linux-headers-${2//./\\.}[0-9.+a-z-]*-amd64$" | grep -v -E 'rt-amd64|cloud-amd64' | sort -rV | head -n "$3"
}

# describe NAME: sets suite, sources and packages.
describe()
{
    case $1 in
    build)
        suite=bookworm sources="bookworm bookworm-security"
        packages="$libraries libssl3 $tools"
        ;;
    bookworm)
        suite=bookworm sources="bookworm bookworm-security"
        packages="$libraries libssl3 dkms $(headers bookworm-security,bookworm 6.1.0- 2)"
        ;;
    trixie)
        suite=trixie sources="trixie trixie-security trixie-backports"
        packages="$libraries libssl3t64 dkms $(headers trixie-security,trixie 6.12 1) $(headers trixie-backports 7 1)"
        ;;
    sid)
        suite=sid sources=sid
        packages="$libraries libssl3t64 dkms linux-headers-amd64"
        ;;
    *) die "there is no root '$1'; there are: build bookworm trixie sid" ;;
    esac
}

source_lines()
{
    local name mirror
    for name in $sources; do
        mirror=main
        [[ $name != *-security ]] || mirror=security
        echo "deb $("$top/scripts/mirror.sh" $mirror) $name main"
    done
}

make_root()
{
    local root=$build/roots/package-$1 suite sources packages lines
    [ ! -e "$root/.made" ] || return 0
    locked "package-root-$1"
    if [ -e "$root/.made" ]; then
        unlock
        return 0
    fi
    command -v mmdebstrap >/dev/null || "$top/scripts/setup.sh" packages
    describe "$1"
    # Since deduced from a list, a package of no kernel would go unnoticed.
    [[ $1 = build || $packages = *linux-headers-* ]] || die "the mirror lists no kernel headers for $1"
    say "root $1: installing Debian ($suite)"
    rm -rf "$root"
    mkdir -p "$build/roots"
    mapfile -t lines < <(source_lines)
    if ! mmdebstrap --quiet --variant=minbase --format=directory --dpkgopt=force-unsafe-io \
        --aptopt='Acquire::Retries "3"' --aptopt='Acquire::Check-Valid-Until "false"' \
        --include="$(echo $packages | tr ' ' ',')" "$suite" "$root" "${lines[@]}" >"$build/roots/package-$1.log" 2>&1; then
        tail -n 20 "$build/roots/package-$1.log" >&2
        rm -rf "$root"
        die "root $1 could not be made (whole log: $build/roots/package-$1.log)"
    fi
    touch "$root/.made"
    unlock
}

for name; do
    make_root "$name"
done
