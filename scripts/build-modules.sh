#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# build-modules.sh [SERIES…]: builds cxfw.ko and cxsim.ko for Debian's kernels, with W=1 and no
# warning allowed, into build/modules/SERIES/, from a copy of the sources. 5.10, 6.1 and debug with
# gcc 12, 6.12 and 7.3 with the gcc 14 of build/roots/trixie. Nothing changed: nothing to do.
set -eu
. "$(dirname "$0")/common.sh"

# sources: one line a file, so that a change of any is seen; nothing that "make modules" made.
sources()
{
    (cd "$top/kmod" && find . -path ./compat/generated -prune -o -name '*.mod.c' -o -type f \
        '(' -name '*.[ch]' -o -name '*.sh' -o -name '*.txt' -o -name Kbuild ')' -print | LC_ALL=C sort)
}

build_one()
{
    local series=$1 headers run stamp files from=$build/modules/$1
    QUIET=1 "$top/scripts/kernels.sh" "$series"
    locked "modules-$series"
    files=$(sources)
    stamp="$(cat "$build/kernels/$series/release") $(cd "$top/kmod" && echo "$files" | xargs cat | cksum)"
    if [ "$(cat "$from/stamp" 2>/dev/null)" = "$stamp" ]; then
        unlock
        return 0
    fi
    mkdir -p "$from"
    # A changed list of files starts afresh; changed content lets make decide.
    if [ "$files" != "$(cat "$from/files" 2>/dev/null)" ]; then
        rm -rf "$from/src"
        mkdir -p "$from/src"
        echo "$files" >"$from/files"
    fi
    # What changed gets the time of the copy: an edit may be older than the object of the last run.
    echo "$files" | while read -r file; do
        cmp -s "$top/kmod/$file" "$from/src/$file" && continue
        mkdir -p "$(dirname "$from/src/$file")"
        cp "$top/kmod/$file" "$from/src/$file"
    done
    headers=$(echo "$build/kernels/$series"/headers/usr/src/linux-headers-*-amd64)
    case $series in
    5.10 | 6.1 | debug) run=(make CC=gcc-12) ;;
    *)
        "$top/scripts/root.sh"
        run=("$top/scripts/in-root.sh" make)
        ;;
    esac
    say "modules for $series: building"
    rm -f "$from/stamp"
    if ! "${run[@]}" -C "$headers" M="$from/src" W=1 -j2 CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$from/log" 2>&1; then
        grep -E -A5 'error|\*\*\*|ERROR' "$from/log" >&2 || tail -n 30 "$from/log" >&2
        say "modules for $series: did not build (whole log: $from/log)"
        unlock
        return 1
    fi
    # Debian's 5.10 was built with an older gcc, and says so; that is not about our source.
    if grep -E -A4 'warning:|WARNING' "$from/log" | grep -v 'the compiler differs' | grep -E 'warning:|WARNING' >&2; then
        say "modules for $series: warnings (whole log: $from/log)"
        [ -n "${ALLOW_WARNINGS:-}" ] || { unlock; return 1; }
    fi
    for module in cxfw cxsim; do
        strip --strip-debug -o "$from/$module.ko" "$from/src/$module/$module.ko"
    done
    echo "$stamp" >"$from/stamp"
    unlock
}

# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all_series
bad=0
for series; do
    build_one "$series" || bad=1
done
exit $bad
