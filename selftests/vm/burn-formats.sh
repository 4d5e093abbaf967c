#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cxctl burn and verify on cards of every format, by flash plan and by the firmware's own update.
. ./lib.sh

plan 52
load || bail "cxsim and cxfw do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"
export XDG_STATE_HOME="$work/state"
journal=$work/state/cxctl/journal.jsonl

# burned MODEL PSID OLD NEW METHOD "CARD'S PARAMETERS" "IMAGE'S PARAMETERS" VERDICT: nine checks. VERDICT: of
# verify; 8 where an image says that it is signed, as no synthetic one can be.
burned()
{
    model=$1 psid=$2 old=$3 new=$4 method=$5 parameters=$6 more=$7 verdict=$8
    # shellcheck disable=SC2086
    cxsim-image "$model" "$work/new.bin" psid="$psid" version="$new" seed=21 $more >/dev/null
    card "model=$model psid=$psid version=$old $parameters" || bail "no card"
    mac=$(booted mac0)
    run cxctl burn "$address" -i "$work/new.bin" -n -j
    expect "$model: the plan chooses $method" 0 "\"method\":\"$method\""
    check "$model: a dry run writes no journal" test ! -e "$journal"
    run cxctl burn "$address" -i "$work/new.bin" -y -j
    expect "$model: a burn" 0 '"changed":true'
    check "$model: the journal says how" grep -q "\"event\":\"burn-end\".*\"method\":\"$method\".*\"result\":\"done\"" "$journal"
    run cxctl burn "$address" -i "$work/new.bin" -y -j
    expect "$model: the same again is no work" 0 '"already":true'
    check "$model: a power cycle starts the new firmware" boots "$new"
    check "$model: the card's MAC is what it was" [ "$(booted mac0)" = "$mac" ]
    run cxctl verify "$address" -i "$work/new.bin"
    expect "$model: verify finds the image" "$verdict" "holds .*new.bin"
    run cxctl burn "$address" -i "$work/new.bin" -y -j
    expect "$model: and nothing is left to do" 0 '"changed":false.*"pending_action":null'
    rm -f "$journal"
    remove_cards
}

burned connectx4lx MT_2420110034 14.32.1010 14.32.1908 flash "flash_size=4M" "flash=0x400000 signature=1" 0
burned connectx5 MT_0000000012 16.35.2000 16.35.4030 flash "flash_size=4M" "flash=0x400000 signature=1" 0
burned connectx5 MT_0000000012 16.35.2000 16.35.4030 component "flash_size=4M" "flash=0x400000 signature=2" 0
burned connectx6 MT_0000000223 20.39.1002 20.39.2048 component "" "" 8

# --- what a closed card refuses, and its firmware ---

cxsim-image connectx6 "$work/new.bin" psid=MT_0000000223 version=20.39.2048 seed=22 >/dev/null
cxsim-image connectx6 "$work/plain.bin" psid=MT_0000000223 version=20.39.2048 seed=22 signature=1 >/dev/null
card "model=connectx6 psid=MT_0000000223 version=20.39.1002" || bail "no card"
run cxctl burn "$address" -i "$work/new.bin" -y --method flash
expect "a closed card takes no flash plan" 4 "--method component"
run cxctl burn "$address" -i "$work/plain.bin" -y
expect "and no unsigned image" 4
check "neither was begun" test ! -e "$journal"
cxsim-image connectx6 "$work/other.bin" psid=MT_0000000224 version=20.39.2048 seed=23 >/dev/null
run cxctl burn "$address" -i "$work/other.bin" -y --psid-change MT_0000000224
expect "its PSID stays, whatever is lifted" 4 "[Ss]ecure"
{ head -c 100000 "$work/new.bin"; printf X; tail -c +100002 "$work/new.bin"; } >"$work/bent.bin"
run cxctl burn "$address" -i "$work/bent.bin" -y
expect "a damaged image is found before it is sent" 6
check "it still runs what it ran" boots 20.39.1002
remove_cards

# --- a flash chip whose block protect bits are set ---

cxsim-image connectx3 "$work/new.bin" version=2.42.5000 seed=25 >/dev/null
card "model=connectx3 version=2.40.5000" || bail "no card"
setting write_protect $((0x1c))
run cxctl burn "$address" -i "$work/new.bin" -y
expect "a protected flash is told bit by bit, before anything is written" 4 "BP2..0 = 1 1 1"
check "with the option that lifts it" grep -q -e "--clear-protection" "$err"
check "nothing was begun" test ! -e "$journal"
run cxctl burn "$address" -i "$work/new.bin" -n --clear-protection
expect "the plan says that the bits are cleared and stay so" 0 "Write protection:.*BP2..0 = 1 1 1.*stays cleared"
run cxctl burn "$address" -i "$work/new.bin" -y --clear-protection
expect "it is cleared by name, and the burn goes through" 0 "Burned 2.42.5000"
check "the new one boots" boots 2.42.5000
run cxctl burn "$address" -i "$work/new.bin" -y --reburn -n -j
expect "the next burn clears nothing" 0 '"clears_protection":false'
remove_cards
rm -f "$journal"

# --- an image with another byte, that is not noticed before: the flash is open ---

cxsim-image connectx5 "$work/new.bin" psid=MT_0000000012 version=16.35.4030 flash=0x400000 signature=1 seed=24 >/dev/null
card "model=connectx5 psid=MT_0000000012 version=16.35.2000 flash_size=4M" || bail "no card"
run cxctl burn "$address" -i "$work/new.bin" -y --method component
expect "an image that does not allow the firmware's update" 4 "--method flash"
check "the modules unload" sh -c 'modprobe -r cxfw'
run cxctl burn "$address" -i "$work/new.bin" -y
expect "without the driver nothing is burned" 5
finish
