#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# bench.sh [--ktap] SERIES: runs selftests/bench/bench.sh in a virtual machine and
# selftests/bench/images.py here, prints their table and writes build/bench.json. Exit status 1 if a
# goal is not met.
set -eu
. "$(dirname "$0")/common.sh"
form=
if [ "$1" = --ktap ]; then
    form=$1
    shift
fi
series=$1
"$top/scripts/build-modules.sh" "$series"
make -s -C "$top" all simulation >&2
log=$build/bench.log
VM_TIMEOUT=1400 VM_MEMORY=1024 "$top/scripts/vm.sh" "$series" "$top/selftests/bench/bench.sh" "$(command -v strace):/usr/bin/strace" \
    "$build/cxsim-image:/usr/bin/cxsim-image" |
    tee "$log" | grep -E '^(# |bench)' | grep -v '^bench|' || die "the machine stopped early: see $log"
grep -q '^bench-done' "$log" || die "the run did not come to its end: see $log"
python3 "$top/selftests/bench/images.py" "$build" | tee -a "$log" | grep '^# '
grep -q '^images-done' "$log" || die "images were not measured to the end: see $log"
# shellcheck disable=SC2086
exec python3 "$top/scripts/bench-table.py" "$log" "$build/bench.json" $form
