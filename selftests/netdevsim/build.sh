#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# build.sh SERIES: builds netdevsim.ko, which no Debian kernel has, out of Debian's source of Linux 6.1
# for that kernel, and prints where it stands; for any other kernel prints nothing.
set -eu
. "$(dirname "$0")/../../scripts/common.sh"

series=$1
[ "$series" = 6.1 ] || exit 0
QUIET=1 "$top/scripts/kernels.sh" "$series"
archive=$("$top/scripts/linux-source.sh")
locked netdevsim
into=$build/vm/netdevsim-$series
stamp="$(cat "${archive%/*}/version") $(cat "$build/kernels/$series/release")"
if [ "$(cat "$into/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$into"
    mkdir -p "$into"
    tar -xJf "$archive" -C "$into" --strip-components=4 --wildcards '*/drivers/net/netdevsim/*'
    headers=$(echo "$build/kernels/$series"/headers/usr/src/linux-headers-*-amd64)
    make CC=gcc-12 -C "$headers" M="$into" CONFIG_NETDEVSIM=m CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$into/log" 2>&1 || {
        grep -E -A5 'error|\*\*\*|ERROR' "$into/log" >&2 || tail -n 30 "$into/log" >&2
        die "netdevsim.ko did not build (whole log: $into/log)"
    }
    strip --strip-debug "$into/netdevsim.ko"
    echo "$stamp" >"$into/stamp"
fi
echo "$into/netdevsim.ko"
