#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# check.sh PART…: runs parts of the tests (lint, unit, doctor, powercut, fuzz, vm, debug, peer, bench,
# packages), shows their output as it comes, and ends with "N passed, N failed, N skipped". Exit status 0 only if none failed.
#   KERNELS   which kernels part vm runs on    TEST   only tests whose name has this in it
#   FUZZ_SECONDS   how long part fuzz tries each reader (20)
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
    local program name
    heading "unit: building"
    make -k -j2 unit-tests all simulation >"$build/check/unit.log" 2>&1
    for program in $(make -s list-unit-tests); do
        name=$(basename "$program")
        case $name in *"${TEST:-}"*) ;; *) continue ;; esac
        if make -q "$program" 2>/dev/null; then
            one 900 "unit/$name" "$program"
        else
            make "$program" 2>&1 | grep -E -A3 'error|undefined|\*\*\*' | head -n 20
            one 5 "unit/$name" sh -c 'echo "1..1"; echo "not ok 1 it builds"; exit 1'
        fi
    done
    for program in selftests/unit/test_*.py; do
        name=$(basename "$program" .py)
        case $name in *"${TEST:-}"*) one 60 "unit/$name" python3 "$program" ;; esac
    done
    for program in selftests/cli/*.sh; do
        name=$(basename "$program" .sh)
        case $name in
        *"${TEST:-}"*)
            CXCTL=$build/cxctl CXCTL_TEST_IMAGE=$build/cxctl-test-image one 600 "cli/$name" bash "$program"
            ;;
        esac
    done
}

# The advice of cxctl doctor on every known system and failure.
part_doctor()
{
    make -s all >&2
    one 600 doctor python3 selftests/doctor/run.py "$build/cxctl" "${TEST:-}"
    one 60 doctor/fix python3 selftests/doctor/fix.py "$build/cxctl"
}

# Power fails at every flash operation. Without sanitizers, which unit has: so every pair can be tried as well.
part_powercut()
{
    local name names="test_powercut_all test_powercut_pairs test_powercut_weak test_powercut"
    heading "powercut: building"
    for name in $names; do
        make -s -j2 UNIT="$build/powercut" UNIT_CFLAGS="-std=gnu11 -O2 -g" "$build/powercut/$name" \
            >>"$build/check/powercut.log" 2>&1 || rm -f "$build/powercut/$name"
        POWERCUT=all one 600 "powercut/$name" "$build/powercut/$name"
    done
}

# Every reader of images and containers on arbitrary bytes.
part_fuzz()
{
    local program name seconds=${FUZZ_SECONDS:-20}
    heading "fuzz: building"
    make -k -j2 fuzzers simulation >"$build/check/fuzz.log" 2>&1 || tail -n 20 "$build/check/fuzz.log"
    for name in $(make -s list-fuzzers); do
        case $name in *"${TEST:-}"*) one $((seconds * 2 + 300)) "fuzz/$name" selftests/fuzz/run.sh "$name" "$seconds" ;; esac
    done
}

vm_one()
{
    if scripts/build-modules.sh "$1"; then
        one "${VM_TIMEOUT:-2400}" "vm/$1" selftests/vm/run.sh "$1"
    else
        one 5 "vm/$1" sh -c 'echo "1..1"; echo "not ok 1 the modules build"; exit 1'
    fi
}

# Two machines at a time: a test mostly keeps one core busy. What each says is shown when it
# has ended.
part_vm()
{
    local series
    rm -f "$build"/check/vm-*
    for series in ${KERNELS:-$all_series}; do
        at_most 1
        { vm_one "$series" >"$build/check/vm-$series.log" 2>&1; mv "$build/check/vm-$series.log"{,.ended}; } &
    done
    at_most 0
}

# at_most N: waits until no more than N machines run; a line a minute tells how far they are.
at_most()
{
    local seconds=0 log
    while [ "$(jobs -rp | wc -l)" -gt "$1" ]; do
        sleep 1
        seconds=$((seconds + 1))
        if [ $((seconds % 60)) = 0 ]; then
            for log in "$build"/check/vm-*.log; do
                [ ! -e "$log" ] || echo "# ${log##*/}: $(grep -c -E '^ +(not )?ok ' "$log") tests so far"
            done
        fi
    done
    for log in "$build"/check/vm-*.log.ended; do
        [ ! -e "$log" ] || { cat "$log"; mv "$log" "${log%.log.ended}.ktap"; }
    done
}

# Every test of the virtual machine on a kernel full of checkers, which is some ten times slower.
part_debug()
{
    scripts/kernels.sh debug || {
        one 5 vm/debug sh -c 'echo "1..1"; echo "not ok 1 the debug kernel builds"; exit 1'
        return
    }
    VM_MEMORY=3072 VM_TIMEOUT=14000 TEST_TIMEOUT=5000 vm_one debug
}

part_peer()
{
    make -s all simulation >&2
    one 900 peer/images python3 selftests/peer/images.py
    one 2400 peer selftests/peer/run.sh
    one 2700 peer/burn selftests/peer/run.sh burn
}

# The goals of speed, each a test.
part_bench()
{
    one 1500 bench scripts/bench.sh --ktap "${BENCH_KERNEL:-6.1}"
}

# Packages in clean Debian roots, which need no network once they are made.
part_packages()
{
    local program name
    for name in build bookworm trixie sid; do
        scripts/package-root.sh "$name"
    done
    for program in selftests/packages/{source,debian,rpm,dkms,signing}.sh; do
        name=$(basename "$program" .sh)
        case $name in *"${TEST:-}"*) one 3000 "packages/$name" bash "$program" ;; esac
    done
}

for part; do
    "part_$part"
done
printf '\n'
python3 scripts/ktap.py total "$counts"
