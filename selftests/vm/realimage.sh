#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A real ConnectX-3 Pro image on a simulated ConnectX-3 Pro of its PSID, judged by mstflint.
# The image is not ours to spread: where it is not at hand, this is skipped.
. ./lib.sh

image=/mnt/connectx3pro.bin
[ -e $image ] || skip_all "no real image at hand; make check-vm REAL_IMAGE=FILE, an image of PSID MT_1200111023"
plan 8
load || bail "the modules do not load"
card "model=connectx3pro psid=MT_1200111023 version=2.36.5000 guid=0xe41d2d0300fffe10 mac=0xe41d2dfffe10"
run cxctl burn "$address" -i $image -y --backup /tmp/before.bin
expect "the image is burned" 0
power_cycle
check "and boots" test "$(booted recovery) $(booted whole) $(booted psid)" = "0 1 MT_1200111023"
check "GUID and MAC are kept" test "$(booted guid0) $(booted mac0)" = "0xe41d2d0300fffe10 0xe41d2dfffe10"
run cxctl verify "$address"
expect "cxctl verifies it" 0
run mstflint -d "$address" query
expect "mstflint reads it back" 0 "PSID: *MT_1200111023"
run mstflint -d "$address" verify
expect "mstflint verifies it" 0
remove_cards
card "model=connectx3pro psid=HP_1380110017 version=2.36.5000"
run cxctl burn "$address" -i $image -y
expect "on a card of another PSID it is refused" 4 "HP_1380110017"
check "both vendors are named" sh -c "grep -q -i mellanox $err && grep -q -i hp $err"
finish
