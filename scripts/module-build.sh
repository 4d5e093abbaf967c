#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# module-build.sh VERSION DIRECTORY KDIR [KERNEL]: cxfw.ko and, on x86-64, cxsim.ko for one kernel, stripped and, with
# MODSIGN_KEY and MODSIGN_CERT, signed, in DIRECTORY/RELEASE; not again while nothing changed. Prints RELEASE. Without KDIR the headers of KERNEL are
# looked for where systems have them.
set -eu
. "$(dirname "$0")/common.sh"

version=$1 into=$2 headers=$3 kernel=${4:-}
if [ -z "$headers" ]; then
    [ -n "$kernel" ] || kernel=$(uname -r)
    for headers in "/lib/modules/$kernel/build" "/usr/src/kernels/$kernel" "/usr/src/linux-headers-$kernel"; do
        [ ! -e "$headers/Makefile" ] || break
    done
fi
sh "$top/kmod/compat/check-tree.sh" "$headers" || exit 1
headers=$(cd "$headers" && pwd)
# What the modules will say they are for; Debian's kernel.release has another number.
release=$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$headers/include/generated/utsrelease.h")
[ -n "$release" ] || die "include/generated/utsrelease.h in $headers names no kernel"
[ -z "$kernel" ] || [ "$kernel" = "$release" ] || die "the headers in $headers are of kernel $release, not of $kernel"
[ -z "${MODSIGN_KEY:-}" ] || [ -n "${MODSIGN_CERT:-}" ] || die "MODSIGN_KEY is set, and MODSIGN_CERT is not"

modules=cxfw
! grep -q '^CONFIG_X86_64=y' "$headers/.config" || modules="cxfw cxsim"
hash=$(sed -n 's/^CONFIG_MODULE_SIG_HASH="\(.*\)"/\1/p' "$headers/.config")
mkdir -p "$into/$release"
stamp=$({
    (cd "$top" && find kmod packaging/dkms packaging/modules -name generated -prune -o -type f -name '[!.]*' ! -name '*.o' \
        ! -name '*.ko' -print0 | LC_ALL=C sort -z | xargs -0 cat)
    cat "$headers/include/generated/autoconf.h" "$headers/Module.symvers" ${MODSIGN_CERT:+"$MODSIGN_CERT"} 2>/dev/null
} | sha256sum)
if [ "$(cat "$into/$release.stamp" 2>/dev/null)" = "$stamp" ]; then
    echo "$release"
    exit 0
fi
rm -f "$into/$release.stamp"
work=$(mktemp -d "$into/.build.XXXXXX")
trap 'rm -rf "$work"' EXIT
for module in $modules; do
    "$top/packaging/modules/source.sh" "$module" "$version" "$work/$module"
    say "$module for $release: building"
    if ! make -C "$work/$module" -j2 KVER="$release" KDIR="$headers" ${CC:+CC="$CC"} >"$into/$release.log" 2>&1; then
        grep -E -m 10 'error:|\*\*\* |not found|cannot build' "$into/$release.log" >&2 || tail -n 10 "$into/$release.log" >&2
        die "$module for $release did not build (whole log: $into/$release.log)"
    fi
    strip --strip-debug -o "$into/$release/$module.ko" "$work/$module/$module/$module.ko"
    if [ -n "${MODSIGN_KEY:-}" ]; then
        "$top/packaging/modules/sign-module" -H "${hash:-sha256}" "$MODSIGN_KEY" "$MODSIGN_CERT" \
            "$into/$release/$module.ko"
    fi
done
echo "$stamp" >"$into/$release.stamp"
echo "$release"
