#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# build.sh SERIES: builds mlxfw_referee.ko and devlink_referee.ko for a kernel whose mlxfw they know (6.1)
# and prints where they stand, one a line; for any other kernel prints nothing.
set -eu
. "$(dirname "$0")/../../scripts/common.sh"

series=$1
[ "$series" = 6.1 ] || exit 0
QUIET=1 "$top/scripts/kernels.sh" "$series"
locked mlxfw-referee
into=$build/vm/mlxfw-$series
headers=$(echo "$build/kernels/$series"/headers/usr/src/linux-headers-*-amd64)
mkdir -p "$into"
for source in Kbuild mlxfw.h remembering.c referee.c devlink.c; do
    cmp -s "$top/selftests/mlxfw/$source" "$into/$source" || cp "$top/selftests/mlxfw/$source" "$into/$source"
done
make CC=gcc-12 -C "$headers" M="$into" W=1 CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$into/log" 2>&1 || {
    grep -E -A5 'error|\*\*\*|ERROR' "$into/log" >&2 || tail -n 30 "$into/log" >&2
    die "the referees did not build (whole log: $into/log)"
}
printf '%s\n' "$into/mlxfw_referee.ko" "$into/devlink_referee.ko"
