#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A ConnectX-2, which mstflint refuses: listed, queried, backed up, burned.
. ./lib.sh

plan 17
load || bail "the modules do not load"
card "model=connectx2 psid=DEL09A0000009 version=2.9.1000 guid=0x0002c90300ab1230"

if command -v mstflint >/dev/null; then
    check "mstflint refuses it" sh -c "! mstflint -d $address query"
else
    skip "mstflint refuses it" "no mstflint here"
fi
run cxctl list
expect "it is listed" 0 "$address *ConnectX-2 .*2\.9\.1000"
run cxctl info "$address"
expect "it is queried: PSID and vendor" 0 "DEL09A0000009 .Dell"
check "GUIDs are told" grep -q "0002c90300ab1231" "$out"
run cxctl backup "$address" --raw -o /tmp/before.bin
expect "it is backed up" 0
check "the backup is the flash" cmp /tmp/before.bin "$cxsim/$card/flash"

cxsim-image connectx2 /tmp/new.bin psid=DEL09A0000009 version=2.10.720 >/dev/null
run cxctl burn "$address" -i /tmp/new.bin --dry-run
expect "the plan is shown" 0 "2\.10\.720"
check "a dry run changes nothing" cmp /tmp/before.bin "$cxsim/$card/flash"
run cxctl burn "$address" -i /tmp/new.bin -y --backup /tmp/saved.tar
expect "it is burned" 0
check "a backup was saved first" sh -c "tar xOf /tmp/saved.tar flash.bin | cmp /tmp/before.bin -"
cxctl info "$address" -j >"$work/info"
check "old firmware runs, new is stored" test "$(json firmware_running "$work/info") $(json firmware_stored "$work/info")" = "2.9.1000 2.10.720"
run cxctl verify "$address"
expect "the flash verifies" 0
power_cycle
check "after a power cycle the card runs it" test "$(booted version) $(booted whole)" = "2.10.720 1"
check "PSID and GUID are kept" test "$(booted psid) $(booted guid0)" = "DEL09A0000009 0x0002c90300ab1230"
run cxctl burn "$address" -i /tmp/new.bin -y
expect "burned again, there is nothing to do" 0
cxsim-image connectx2 /tmp/other.bin psid=MT_0D90110009 version=2.10.720 >/dev/null
run cxctl burn "$address" -i /tmp/other.bin -y
expect "an image of another PSID is refused, both named" 4 "MT_0D90110009"
check "the simulated card was never hurt" test "$(counter foul)" = 0
finish
