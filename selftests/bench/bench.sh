#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Counts, in one run and on the same simulated cards, what cxctl and mstflint do. The card
# counts, so the figures repeat exactly. Lines for scripts/bench.sh:
#   bench|NAME|UNIT|OURS|THEIRS|GOAL     goal: ours is at most GOAL times theirs; or, where
#                                        theirs is "-", at most GOAL itself
. /selftests/vm/lib.sh

load || exit 1
echo "# mstflint: $(mstflint -v 2>&1 | head -n 1)"

result()
{
    echo "bench|$1|$2|$3|$4|$5"
}

accesses()
{
    echo $(($(counter config_reads) + $(counter config_writes)))
}

# counted FILE COMMAND…: accesses that the command makes; says if it fails.
counted()
{
    counted_log=$1
    shift
    counters_clear
    "$@" >"$counted_log" 2>&1 || {
        echo "# failed: $*" >&2
        head -n 5 "$counted_log" >&2
    }
    accesses
}

# info NAME GOAL PARAMETERS
info()
{
    card "$3" >&2 || return 1
    echo "# $1: $3, image $(booted psid) $(booted version)"
    ours=$(counted /tmp/ours cxctl info "$address" -j)
    theirs=$(counted /tmp/theirs mstflint -d "$address" query full)
    result "$1" "config accesses" "$ours" "$theirs" "$2"
    remove_cards
}
info "info, ConnectX-5" 0.15 "model=connectx5 rom_size=104K"
info "info, ConnectX-3 Pro, expansion ROM of 104 KiB" 0.1 "model=connectx3pro flash_size=2M rom_size=104K"
info "info, ConnectX-3 Pro, no expansion ROM" 0.5 "model=connectx3pro flash_size=2M"

# Config accesses for each KiB of flash that was read, times 10.
tenths_per_kib()
{
    bytes=$(counter spi_read_bytes)
    [ "$bytes" -gt 0 ] || {
        echo 0
        return
    }
    echo $((($1 * 10240) / bytes))
}

# reading NAME GOAL PARAMETERS SETTING OPTIONS-OF-MSTFLINT
reading()
{
    card "$3" >&2 || return 1
    [ -z "$4" ] || setting "$4" 1
    modprobe -r cxfw && modprobe cxfw || return 1
    cxctl info "$address" -j >/dev/null 2>&1
    counters_clear
    cxctl backup "$address" --raw -q -o /tmp/bench.bin >/tmp/ours 2>&1 || cat /tmp/ours >&2
    ours=$(tenths_per_kib "$(accesses)")
    ours_bytes=$(counter spi_read_bytes)
    cmp /tmp/bench.bin "$cxsim/$card/flash" >&2 || echo "# the backup is wrong" >&2
    rm -f /tmp/bench.bin /tmp/image.bin
    counters_clear
    # shellcheck disable=SC2086
    mstflint -d "$address" $5 ri /tmp/image.bin >/tmp/theirs 2>&1 || head -n 5 /tmp/theirs >&2
    theirs=$(tenths_per_kib "$(accesses)")
    echo "# $1: cxctl backup read $ours_bytes bytes of flash, mstflint ri $(counter spi_read_bytes)"
    result "$1" "config accesses/KiB" "${ours%?}.${ours#"${ours%?}"}" "${theirs%?}.${theirs#"${theirs%?}"}" "$2"
    remove_cards
}
reading "flash read, MFBA" 0.6 "model=connectx5 flash_size=2M" "" "--no_fw_ctrl"
reading "flash read, SPI over VSC" 0.25 "model=connectx5 flash_size=2M" guard_off "--no_fw_ctrl"
reading "flash read, legacy gateway" 0.8 "model=connectx3pro flash_size=2M" "" ""

# Sixteen cards: one netlink dump, no flash read.
for model in connectx2 connectx3 connectx3pro connectx5; do
    for _ in 1 2 3 4; do card "model=$model" >&2; done
done
for number_of_card in $(cut -d' ' -f1 "$cxsim/cards"); do
    echo 1 >"$cxsim/$number_of_card/counters/clear"
done
strace -f -e trace=sendto,sendmsg -o /tmp/trace cxctl list >/tmp/list
total()
{
    sum=0
    for number_of_card in $(cut -d' ' -f1 "$cxsim/cards"); do
        sum=$((sum + $(cat "$cxsim/$number_of_card/counters/$1")))
    done
    echo $sum
}
echo "# list: $(wc -l <"$cxsim/cards") cards"
result "list of 16 cards, flash reads" "SPI reads" "$(total spi_reads)" - 0
# All dumps are counted, whoever they go to; strace writes the flag by name or as 0x300.
result "list of 16 cards, requests to the kernel" "netlink dumps" "$(grep -c -E 'NLM_F_DUMP|0x300' /tmp/trace)" - 1

# The driver's memory does not depend on the flash's size: what the kernel allocates while a
# backup runs is looked at for a small and a large flash.
growth()
{
    card "model=connectx3pro flash_size=$1" >&2 || return 1
    before=$(awk '/^(Slab|KernelStack|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo)
    dd if="/dev/cxfw/$address" bs=1M of=/dev/null 2>/dev/null &
    sleep 2
    after=$(awk '/^(Slab|KernelStack|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo)
    wait
    echo $((after - before))
    remove_cards
}
remove_cards
small=$(growth 2M)
large=$(growth 16M)
echo "# kernel memory while the flash is read: 2 MiB flash $small KiB, 16 MiB flash $large KiB"
result "driver memory, 16 MiB flash over 2 MiB flash" "KiB more" "$((large > small ? large - small : 0))" - 512
echo "bench-done"
