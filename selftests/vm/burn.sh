#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The burn from end to end on every FS2 card, what it keeps, and what it refuses.
. ./lib.sh

plan 34
load || skip_all "the modules do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"

# whole MODEL OLD NEW PSID: plan, burn, verify, power cycle, identity.
whole()
{
    card "model=$1 psid=$4 version=$2 flash_size=2M vsd=kept rom_size=8K guid=0x0002c90300ab1230 mac=0x0002c9ab1230"
    cxsim-image "${1%-vsc}" "$work/new.bin" "psid=$4" "version=$3" guid=0x0002c90300000001 >/dev/null
    counters_clear
    run cxctl burn "$address" -i "$work/new.bin" -n
    expect "$1: a dry run shows the plan" 0 "$3"
    check "$1: and touches nothing" test "$(counter flash_operations)" = 0
    cat "$cxsim/$card/flash" >"$work/before"
    run cxctl burn "$address" -i "$work/new.bin" -y --backup "$work/$1.bin"
    expect "$1: it burns" 0
    check "$1: the backup is the flash as it was" cmp "$work/$1.bin" "$work/before"
    run cxctl verify "$address"
    expect "$1: verify finds nothing" 0
    check "$1: nothing foul was done" test "$(counter foul)" = 0
    power_cycle
    check "$1: it runs the new version" test "$(booted version) $(booted whole)" = "$3 1"
    check "$1: identity is kept" test "$(booted psid) $(booted guid0) $(booted mac0)" = \
        "$4 0x0002c90300ab1230 0x0002c9ab1230"
}

whole connectx2 2.9.1000 2.10.720 DEL09A0000009
whole connectx3 2.32.5100 2.42.5000 MT_1090120019
whole connectx3pro-vsc 2.36.5000 2.42.5000 MT_1200111023

# --- refused ---

flash_is_same()
{
    [ "$(counter flash_operations)" = 0 ]
}
# refused NAME STATUS PATTERN IMAGE OPTION…
refused()
{
    counters_clear
    refused_name=$1 refused_status=$2 refused_pattern=$3 refused_image=$4
    shift 4
    run cxctl burn "$address" -i "$refused_image" -y --backup "$work/refused.bin" "$@"
    rm -f "$work/refused.bin"
    if flash_is_same; then
        expect "refused: $refused_name" "$refused_status" "$refused_pattern"
    else
        fail "refused: $refused_name (the flash was written)"
    fi
}

card "model=connectx3pro psid=HP_1370110017 version=2.36.5000 flash_size=2M"
cxsim-image connectx3pro "$work/mt.bin" psid=MT_1200111023 version=2.42.5000 >/dev/null
cxsim-image connectx3pro "$work/hp.bin" psid=HP_1370110017 version=2.42.5000 >/dev/null
cxsim-image connectx3pro "$work/hp-old.bin" psid=HP_1370110017 version=2.30.1000 >/dev/null
cxsim-image connectx3pro "$work/hp-same.bin" psid=HP_1370110017 version=2.36.5000 >/dev/null
cxsim-image connectx3 "$work/cx3.bin" psid=HP_1370110017 version=2.42.5000 >/dev/null
cxsim-image connectx5 "$work/cx5.bin" >/dev/null
head -c 100000 "$work/hp.bin" >"$work/short.bin"
cp "$work/hp.bin" "$work/flip.bin"
printf '\125' | dd of="$work/flip.bin" bs=1 seek=40000 conv=notrunc 2>/dev/null
: >"$work/nothing.bin"
refused "another PSID, both named" 4 "HP_1370110017.*|MT_1200111023" "$work/mt.bin"
refused "another chip" 4 "0x1f5|ConnectX-3" "$work/cx3.bin"
refused "another format" 4 "FS4" "$work/cx5.bin"
refused "the same version" "4" "2.36.5000" "$work/hp-same.bin"
refused "an older version" 4 "2.30.1000" "$work/hp-old.bin"
refused "a cut image" 6 "" "$work/short.bin"
refused "a damaged image" 6 "CRC" "$work/flip.bin"
refused "an empty file" 6 "" "$work/nothing.bin"

# --- a real image, where one is at hand ---

if [ -e /mnt/connectx3pro.bin ]; then
    card "model=connectx3pro psid=MT_1200111023 version=2.36.5000 flash_size=2M"
    run cxctl burn "$address" -i /mnt/connectx3pro.bin -y --backup "$work/real.bin"
    expect "a real ConnectX-3 Pro image burns" 0
    run mstflint -d "$address" verify
    expect "mstflint verifies it" 0 "succeeded"
else
    skip "a real ConnectX-3 Pro image burns" "REAL_IMAGE names none"
    skip "mstflint verifies it" "REAL_IMAGE names none"
fi

finish
