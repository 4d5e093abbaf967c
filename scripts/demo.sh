#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# demo.sh KERNEL: real cxctl, real cxfw.ko, a real kernel, simulated cards. The steps are in
# selftests/vm/demo.sh.
set -eu
. "$(dirname "$0")/common.sh"

series=$1
began=$(date +%s)
"$top/scripts/build-modules.sh" "$series"
mkdir -p "$build/images"
"$build/cxsim-image" connectx2 "$build/images/connectx2-2.10.720.bin" psid=MT_0D80110009 version=2.10.720 seed=7
"$build/cxsim-image" connectx6 "$build/images/connectx6-20.39.2048.bin" version=20.39.2048 seed=8
status=0
VM_TIMEOUT=280 "$top/scripts/vm.sh" "$series" "$top/selftests/vm/demo.sh" \
    "$build/images/connectx2-2.10.720.bin" "$build/images/connectx6-20.39.2048.bin" || status=$?
say "The demonstration took $(($(date +%s) - began)) s, on kernel $(cat "$build/kernels/$series/release")."
exit $status
