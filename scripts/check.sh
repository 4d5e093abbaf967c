#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check.sh PART…: runs parts of the tests (lint, unit, vm, peer), shows their output as it
# comes, and ends with "N passed, N failed, N skipped". Exit status 0 only if none failed.
#   KERNELS   which kernels part vm runs on    TEST   only tests whose name has this in it
set -u
. "$(dirname "$0")/common.sh"

counts=$build/check/counts.$$
mkdir -p "$build/check"
: >"$counts"
trap 'rm -f "$counts"' EXIT
cd "$top" || exit 1

began=$(date +%s)
heading()
{
    printf '\n# --- %s (%d s) ---\n' "$*" $(($(date +%s) - began))
}

# one TIMEOUT NAME COMMAND…
one()
{
    local timeout=$1 name=$2
    shift 2
    heading "$name"
    python3 scripts/ktap.py run --timeout "$timeout" --counts "$counts" "$name" -- "$@"
}

part_lint()
{
    one 1800 lint scripts/lint.sh
}

part_unit()
{
    local source name
    heading "unit: building"
    make -k -j2 unit-tests >"$build/check/unit.log" 2>&1
    for source in selftests/unit/test_*.c; do
        name=$(basename "$source" .c)
        case $name in *"${TEST:-}"*) ;; *) continue ;; esac
        if make -q "$build/unit/$name" 2>/dev/null; then
            one 900 "unit/$name" "$build/unit/$name"
        else
            make "$build/unit/$name" 2>&1 | grep -E -A3 'error|undefined|\*\*\*' | head -n 20
            one 5 "unit/$name" sh -c 'echo "1..1"; echo "not ok 1 it builds"; exit 1'
        fi
    done
    for source in selftests/unit/test_*.py; do
        name=$(basename "$source" .py)
        case $name in *"${TEST:-}"*) one 60 "unit/$name" python3 "$source" ;; esac
    done
}

part_vm()
{
    local series
    for series in ${KERNELS:-$all_series}; do
        if ! scripts/build-modules.sh "$series"; then
            one 5 "vm/$series" sh -c 'echo "1..1"; echo "not ok 1 the modules build"; exit 1'
            continue
        fi
        one 1500 "vm/$series" selftests/vm/run.sh "$series"
    done
}

part_peer()
{
    one 2400 peer selftests/peer/run.sh
}

for part; do
    "part_$part"
done
printf '\n'
python3 scripts/ktap.py total "$counts"
