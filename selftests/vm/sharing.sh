#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mstflint and cxctl in a loop against one card at the same time, over both gateways: neither
# ever reads a wrong byte, and no lock that the in-tree drivers wait for is held for long.
# ROUNDS is how many (200 make the whole proof; fewer are for a quick look).
. ./lib.sh

rounds=${ROUNDS:-200}
command -v mstflint >/dev/null || skip_all "mstflint is not here"
plan 8
load || skip_all "the modules do not load"

# Longest hold of a lock that a driver waits for: mlx4_core 10 s, mlx5_core 2 to 4 s. Ours are
# below 100 ms of the card's time; mstflint's own are counted too, so 1 s is the bound here.
LONGEST=1000000000

# loop COMMAND FILE: until FILE is gone; counts what went wrong in FILE.bad.
other_side()
{
    while [ -e "$work/go" ]; do
        if mstflint -d "$address" "$@" >"$work/theirs.out" 2>&1; then
            echo >>"$work/theirs.count"
            grep -v -e '^-I-' "$work/theirs.out" >"$work/theirs.now"
            if ! cmp -s "$work/theirs.now" "$work/theirs.first"; then
                cp "$work/theirs.now" "$work/theirs.bad"
            fi
        else
            cp "$work/theirs.out" "$work/theirs.bad"
        fi
    done
}

# share ROUNDS COMMAND-OF-MSTFLINT…: cxctl reads the flash ROUNDS times meanwhile.
share()
{
    turns=$1
    shift
    rm -f "$work"/theirs.*
    cat "$cxsim/$card/flash" >"$work/flash"
    mstflint -d "$address" "$@" >"$work/theirs.out" 2>&1 || {
        cat "$work/theirs.out"
        return 1
    }
    grep -v -e '^-I-' "$work/theirs.out" >"$work/theirs.first"
    : >"$work/theirs.count"
    counters_clear
    : >"$work/go"
    other_side "$@" &
    other=$!
    turn=0 bad=0
    while [ $turn -lt "$turns" ]; do
        turn=$((turn + 1))
        if [ $((turn % 10)) = 0 ]; then
            cxctl backup "$address" -q -o "$work/ours" --force >"$work/ours.out" 2>&1 &&
                cmp "$work/ours" "$work/flash" || bad=$((bad + 1))
        else
            dd if="/dev/cxfw/$address" of="$work/piece" bs=4096 count=2 skip=$((turn * 7 % 64)) 2>"$work/ours.out"
            dd if="$work/flash" of="$work/wanted" bs=4096 count=2 skip=$((turn * 7 % 64)) 2>/dev/null
            cmp "$work/piece" "$work/wanted" || bad=$((bad + 1))
        fi
    done
    rm "$work/go"
    wait $other
    echo "$turns rounds of ours, $(wc -l <"$work/theirs.count") of theirs, longest hold $(counter longest_hold) ns"
    [ $bad = 0 ] || { echo "ours: $bad bad rounds"; cat "$work/ours.out"; return 1; }
    [ ! -e "$work/theirs.bad" ] || { echo "theirs went wrong:"; cat "$work/theirs.bad"; return 1; }
    [ -s "$work/theirs.count" ] || { echo "they never came to it"; return 1; }
}

short_holds()
{
    [ "$(counter longest_hold)" -lt $LONGEST ]
}

card "model=connectx3pro flash_size=2M code_size=16K"
check "legacy gateway, against query" share "$rounds" query
check "no lock was held for long" short_holds
check "nothing foul was done to the card" test "$(counter foul)" = 0
card "model=connectx5 flash_size=2M"
check "VSC, against query through the firmware" share "$rounds" query
check "VSC, against query of the flash" share $((rounds / 4)) --no_fw_ctrl query
check "no lock was held for long" short_holds
check "nothing foul was done to the card" test "$(counter foul)" = 0
modprobe mlx4_core 2>/dev/null
modprobe mlx5_core 2>/dev/null
check "and beside the in-tree drivers" share $((rounds / 10)) query

finish
