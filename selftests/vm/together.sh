#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# mstflint and cxctl against one card at the same time, TOGETHER_ROUNDS rounds over each gateway:
# neither ever reads a wrong byte, and no semaphore that the in-tree drivers wait for is held
# longer than they have patience.
. ./lib.sh

command -v mstflint >/dev/null || skip_all "no mstflint here"
plan 10
load || bail "the modules do not load"
rounds=${TOGETHER_ROUNDS:-20}
echo "# $rounds rounds over each gateway"

# patient OUTPUT COMMAND…: mstflint tries for about two seconds to get a semaphore and then says
# so, which is no wrong byte, but must not go on.
patient()
{
    patient_output=$1
    shift
    for try in 1 2 3; do
        "$@" >"$patient_output" 2>&1 && return 0
        grep -q SEM_LOCKED "$patient_output" || return 1
        echo "$*" >>"$work/refused"
    done
    return 1
}

read_image()
{
    rm -f /tmp/image.bin
    patient "$work/ri" mstflint -d "$address" ri /tmp/image.bin
}

# together MODEL
together()
{
    card "model=$1 flash_size=2M code_size=64K" 2>/dev/null || card "model=$1 flash_size=2M" 2>/dev/null || card "model=$1 flash_size=4M"
    cat "$cxsim/$card/flash" >/tmp/right.bin
    cxctl info "$address" -j >"$work/right" 2>&1
    mstflint -d "$address" query >"$work/right-mstflint" 2>&1
    # The image, as mstflint reads it when it is alone.
    mstflint -d "$address" ri /tmp/right-image.bin >/dev/null 2>&1
    counters_clear
    (
        for round in $(seq "$rounds"); do
            patient "$work/query" mstflint -d "$address" query && cmp "$work/query" "$work/right-mstflint" ||
                { echo "round $round: mstflint query"; cat "$work/query"; }
            if [ $((round % 50)) = 1 ]; then
                read_image && cmp /tmp/image.bin /tmp/right-image.bin ||
                    { echo "round $round: mstflint ri"; tail -n 5 "$work/ri"; }
            fi
        done >"$work/theirs" 2>&1
        touch "$work/done"
    ) &
    other=$!
    ours=0
    : >"$work/ours"
    while [ ! -e "$work/done" ] || [ $ours -lt "$rounds" ]; do
        cxctl info "$address" -j >"$work/info" 2>"$work/info-error" && same_info || { echo "cxctl info, turn $ours"; cat "$work/info-error"; } >>"$work/ours"
        if [ $((ours % 20)) = 1 ]; then
            rm -f /tmp/backup.bin
            cxctl backup "$address" --raw -o /tmp/backup.bin >/dev/null 2>"$work/backup-error" && cmp /tmp/backup.bin /tmp/right.bin ||
                { echo "cxctl backup, turn $ours"; cat "$work/backup-error"; } >>"$work/ours" 2>&1
        fi
        ours=$((ours + 1))
        # Past its rounds it only keeps the other company.
        [ $ours -lt $((rounds * 20)) ] || break
    done
    wait $other
    refused=$(grep -c . "$work/refused" 2>/dev/null)
    rm -f "$work/done" "$work/refused"
    echo "# $1: $ours rounds of cxctl, $rounds of mstflint, ${refused:-0} refused for a semaphore; longest hold $(counter longest_hold) ns"
    check "$1: mstflint never reads a wrong byte" sh -c "! grep . $work/theirs"
    check "$1: cxctl never reads a wrong byte" sh -c "! grep . $work/ours"
    check "$1: no lock is held beyond the drivers' patience" test "$(counter longest_hold)" -lt 2000000000
    check "$1: nothing that would hurt a card" test "$(counter foul)" = 0
    remove_cards
}

# Uptime is a fact that changes.
same_info()
{
    sed 's/"[a-z_]*uptime[a-z_]*": *[^,}]*//' "$work/right" >"$work/a"
    sed 's/"[a-z_]*uptime[a-z_]*": *[^,}]*//' "$work/info" >"$work/b"
    cmp "$work/a" "$work/b"
}
together connectx3pro
together connectx5

# The in-tree drivers probe while the flash is read; they give up for want of BARs, nothing else.
card "model=connectx5 flash_size=4M"
cxctl backup "$address" --raw -o /tmp/probe.bin >/dev/null 2>&1 &
reader=$!
modprobe mlx5_core 2>/dev/null
modprobe mlx4_core 2>/dev/null
wait $reader
check "a backup while mlx5_core probes is right" cmp /tmp/probe.bin "$cxsim/$card/flash"
modprobe -r mlx5_core mlx4_core 2>/dev/null
remove_cards
check "the modules unload" unload
finish
