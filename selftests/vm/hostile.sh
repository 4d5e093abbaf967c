#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Three clients that say whatever comes to their mind: the card boots a whole image afterwards,
# the kernel has nothing to complain about, and the modules unload.
. ./lib.sh

[ -x /usr/bin/hostile-test ] || skip_all "hostile-test is not built (make -f selftests/vm/vm.mk)"
plan 10
load || bail "the modules do not load"
dmesg -c >/dev/null

for model in connectx3pro connectx5; do
    [ $model = connectx5 ] && size=4M || size=2M
    card "model=$model flash_size=$size"
    version=$(booted version)
    /usr/bin/hostile-test "$address" 12
    check "$model: the clients came to their end" test $? = 0
    # A job of theirs may still be at it.
    sleep 3
    check "$model: nothing that would hurt a card" test "$(counter foul)" = 0
    power_cycle
    check "$model: it boots what it booted before, whole" \
        test "$(booted version) $(booted whole) $(booted recovery)" = "$version 1 0"
    check "$model: it answers" sh -c "head -c 4096 /dev/cxfw/$address | wc -c | grep -q 4096"
    remove_cards
done
check "the kernel has nothing to complain about" \
    sh -c '! dmesg | grep -E "BUG|WARNING|Oops|KASAN|UBSAN|INFO: |lockdep|scheduling while|Call Trace"'
check "the modules unload" unload
finish
