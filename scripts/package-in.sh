#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-in.sh ROOT COMMAND…: runs a command, as root, in a clean Debian root of package-root.sh, without
# network. What it changes is in memory and vanishes with it; build/packages is at /packages inside, and stays.
set -eu
. "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] || die "overlays and chroot need root"
root=$build/roots/package-$1
[ -e "$root/.made" ] || "$top/scripts/package-root.sh" "$1"
shift
mkdir -p "$build/packages"
# shellcheck disable=SC2016
inside='
    set -e
    root=$1 packages=$2
    shift 2
    memory=$(mktemp -d)
    mount -t tmpfs -o size=4g tmpfs "$memory"
    mkdir "$memory/upper" "$memory/work" "$memory/all"
    mount -t overlay -o "lowerdir=$root,upperdir=$memory/upper,workdir=$memory/work" overlay "$memory/all"
    all=$memory/all
    mount -t proc proc "$all/proc"
    mount --rbind /sys "$all/sys"
    mount --rbind /dev "$all/dev"
    mkdir -p "$all/packages"
    mount --bind "$packages" "$all/packages"
    mount -t tmpfs tmpfs "$all/tmp"
    printf "#!/bin/sh\nexit 101\n" >"$all/usr/sbin/policy-rc.d"
    chmod 755 "$all/usr/sbin/policy-rc.d"
    exec chroot "$all" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        HOME=/root DEBIAN_FRONTEND=noninteractive "$@"'
exec unshare --mount --pid --fork --kill-child --net --propagation private /bin/sh -c "$inside" package-in "$root" "$build/packages" "$@"
