#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# in-root.sh COMMAND…: runs a command in build/roots/trixie, with build/ visible at its own
# place, in a mount namespace of its own that vanishes with the command.
set -eu
. "$(dirname "$0")/common.sh"

root=$build/roots/trixie
inside='
    set -e
    root=$1 build=$2
    shift 2
    mkdir -p "$root$build"
    mount --rbind "$build" "$root$build"
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin:/bin:/sbin LC_ALL=C HOME=/ TMPDIR=/tmp "$@"'
namespace=(unshare --mount --propagation private)
[ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --mount --propagation private)
exec "${namespace[@]}" /bin/sh -c "$inside" in-root "$root" "$build" "$@"
