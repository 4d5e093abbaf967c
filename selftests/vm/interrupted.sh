#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A card is pulled, or reset by somebody else, in the middle of a backup and of a burn: a
# defined end, one clear message, no half file, no oops, and the module unloads.
. ./lib.sh

plan 13
load || skip_all "the modules do not load"
/usr/bin/cxsim-image connectx3pro "$work/new.bin" psid=MT_1200111023 version=2.42.5000 code=65536 ||
    skip_all "cxsim-image is not here"
pro="model=connectx3pro flash_size=2M psid=MT_1200111023 version=2.36.5000"

# --- pulled ---

card "$pro"
setting unplug_after 20000
run cxctl backup "$address" -o "$work/backup"
check "pulled during a backup: an exit code of its own" test "$status" = 7 -o "$status" = 3
check "one message that names it" grep -q -i -E 'unplug|gone|absent|does not answer' "$err"
check "no half file" sh -c "! ls $work/backup* 2>/dev/null"

card "$pro"
cxctl backup "$address" -q -o "$work/whole" >/dev/null
setting unplug_after $(($(counter config_reads) / 2))
run cxctl burn "$address" -i "$work/new.bin" -y --backup "$work/before.bin"
check "pulled during a burn or its backup: it ends, and not well" test "$status" = 7 -o "$status" = 1 -o "$status" = 3
check "one message that names it" grep -q -i -E 'unplug|gone|absent|does not answer' "$err"

card "$pro"
counters_clear
cxctl burn "$address" -i "$work/new.bin" -n >/dev/null 2>&1
cxctl backup "$address" -q -o "$work/count" >/dev/null
accesses=$(counter config_reads)
setting unplug_after $((accesses * 2 + accesses / 2))
run cxctl burn "$address" -i "$work/new.bin" -y --backup "$work/before2.bin"
check "pulled later in the burn: it ends, and not well" test "$status" = 7 -o "$status" = 1 -o "$status" = 3
check "the job says what was the state" grep -q -i -E 'boots what|whole|unplug' "$err"
echo 1 >"$cxsim/$card/plug"
check "plugged in again, a whole image boots" test "$(booted whole)$(booted recovery)" = 10

# --- reset by somebody else ---

card "$pro"
setting reset_after 30000
run cxctl backup "$address" -o "$work/backup3"
if [ "$status" = 0 ]; then
    check "reset during a backup: every byte is right all the same" cmp "$work/backup3" "$cxsim/$card/flash"
else
    check "reset during a backup: it says so and leaves no half file" sh -c "! ls $work/backup3* 2>/dev/null && test -s $err"
fi
card "$pro"
setting reset_after 60000
run cxctl burn "$address" -i "$work/new.bin" -y --backup "$work/before4.bin"
power_cycle
check "reset during a burn: a whole image boots" test "$(booted whole)$(booted recovery)" = 10
setting reset_after 0
run cxctl burn "$address" -i "$work/new.bin" -y --backup "$work/before5.bin" --reburn
expect "and the burn done again succeeds" 0
power_cycle
check "it runs" test "$(booted version)" = 2.42.5000

remove_cards
check "the modules unload" unload

finish
