#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# debug-kernel.sh: builds a small kernel from Debian's linux-source with KASAN, UBSAN, lockdep,
# DEBUG_ATOMIC_SLEEP and kmemleak into build/kernels/debug, in the layout of kernels.sh, so that
# it is one more series for vm.sh. Takes 10 to 30 minutes on two cores; a second run has nothing
# to do until Debian's source or the configuration changes.
set -eu
. "$(dirname "$0")/common.sh"

into=$build/kernels/debug
fragment=$top/scripts/debug-kernel.config
archive=$("$top/scripts/linux-source.sh")

locked kernel-debug
stamp="$(cat "${archive%/*}/version") $(cksum <"$fragment")"
[ "$(cat "$into/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

rm -rf "$into"
mkdir -p "$into/headers/usr/src" "$into/modules"
tar -xJf "$archive" -C "$into"
mv "$into"/linux-source-* "$into/source"

objects=$into/headers/usr/src/linux-headers-debug-amd64
build_kernel()
{
    make -s -C "$into/source" O="$objects" CC=gcc-12 "$@"
}
mkdir -p "$objects"
build_kernel KCONFIG_ALLCONFIG="$fragment" allnoconfig
# A symbol that lost its dependencies is dropped in silence by kconfig.
missing=$(grep '^CONFIG_' "$fragment" | grep -v -x -F -f "$objects/.config" || true)
[ -z "$missing" ] || die "the debug kernel's configuration does not take: $missing"
say "debug kernel: building (10 to 30 minutes on two cores; log: $into/log)"
if ! build_kernel -j"$(nproc)" bzImage modules >"$into/log" 2>&1; then
    grep -E -A5 'error|\*\*\*' "$into/log" | head -n 30 >&2
    die "the debug kernel did not build"
fi
build_kernel INSTALL_MOD_PATH="$into/modules" INSTALL_MOD_STRIP=1 modules_install >>"$into/log" 2>&1
rm -f "$into"/modules/lib/modules/*/{build,source}
# QEMU cannot enter this one as ELF: the PVH entry runs before KASAN has its shadow memory.
cp "$objects/arch/x86/boot/bzImage" "$into/bzImage"
cp "$objects/.config" "$into/config"
cat "$objects/include/config/kernel.release" >"$into/release"
echo "$stamp" >"$into/stamp"
say "debug kernel: $(cat "$into/release")"
