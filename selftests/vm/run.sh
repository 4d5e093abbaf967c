#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh SERIES: boots the kernel and runs every test of Makefile's TEST_PROGS in it, in KTAP.
# TEST=parts of names chooses.
set -eu
cd "$(dirname "$0")/../.."
. scripts/common.sh

series=$1
tests=
for name in $(sed -n -E '/^TEST_PROGS/,/[^\\]$/ { s/^TEST_PROGS *:=//; s/\\//; p }' selftests/vm/Makefile); do
    for part in ${TEST:-.sh}; do
        case $name in *"$part"*) tests="$tests $name" && break ;; esac
    done
done
# The driver's own client.
make -s -f selftests/vm/vm.mk BUILD="$build/vm" "$build/vm/driver-test" \
    "$build/vm/component-test" "$build/vm/hostile-test" >&2
# devlink flash, and a kernel module that offers it.
make -s -f selftests/vm/vm.mk BUILD="$build/vm" "$build/vm/devlink-flash-test" >&2
netdevsim=$(selftests/netdevsim/build.sh "$series")
# What judges the MFA2 files that cxctl packs, on the kernel whose mlxfw it knows.
make -s BUILD="$build" "$build/cxctl-test-image" >&2
referee=$(selftests/mlxfw/build.sh "$series")
# TOGETHER_ROUNDS="6.1=200" makes one test longer on one kernel.
rounds=$(echo " ${TOGETHER_ROUNDS:-}" | sed -n -E "s/.* ${series//./\\.}=([0-9]+).*/\1/p")
VM_TIMEOUT=${VM_TIMEOUT:-2300} VM_ARGS=$tests VM_ENV="TOGETHER_ROUNDS=$rounds TEST_TIMEOUT=${TEST_TIMEOUT:-} LOCKDOWN_TEST=" \
    exec scripts/vm.sh "$series" selftests/vm/runner.sh "$build/cxsim-image:/usr/bin/cxsim-image" \
    "$build/vm/driver-test:/usr/bin/driver-test" "$build/vm/component-test:/usr/bin/component-test" \
    "$build/vm/hostile-test:/usr/bin/hostile-test" "$build/cxctl-test-image:/usr/bin/cxctl-test-image" \
    $referee $netdevsim "$build/vm/devlink-flash-test:/usr/bin/devlink-flash-test" \
    ${REAL_IMAGE:+"$REAL_IMAGE:/mnt/connectx3pro.bin"}
