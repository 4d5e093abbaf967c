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

# A burn of the same image into the same card by both, all read-backs included. The backup that
# cxctl makes first has no counterpart: what a backup alone costs is subtracted. BENCH_IMAGE
# and BENCH_FLASH: an image of 8 MB in a flash of 16 takes very long in a virtual machine.
image_size=${BENCH_IMAGE:-0xc0000} flash_size=${BENCH_FLASH:-0x400000}
tenths()
{
    echo $((($1 * 10240) / $2))
}

# fresh MODEL VERSION PARAMETERS SETTING
fresh()
{
    # shellcheck disable=SC2086
    card "model=$1 version=$2 seed=77 flash_size=$flash code_size=$code $3" >&2 || return 1
    setting flash_time 2
    [ -z "$4" ] || setting "$4" 1
    [ "$1" = connectx3 ] || { modprobe -r cxfw && modprobe cxfw; }
    cxctl info "$address" -j >/dev/null 2>&1
}

# burning NAME GOAL MODEL OLD NEW PARAMETERS SETTING OPTIONS-OF-MSTFLINT METHOD
burning()
{
    flash=$flash_size code=$image_size
    [ "$3" != connectx3 ] || { flash=0x200000 && code=0x80000; }
    # shellcheck disable=SC2086
    cxsim-image "$3" /tmp/new.bin version="$5" seed=78 flash=$flash code=$code $6 >/dev/null || return 1
    fresh "$3" "$4" "$6" "$7" || return 1
    backup=$(counted /tmp/ours cxctl backup "$address" -q -o /tmp/bench.backup)
    rm -f /tmp/bench.backup
    ours=$(($(counted /tmp/ours cxctl burn "$address" -q -y -i /tmp/new.bin "--method=$9") - backup))
    power_cycle
    [ "$(booted version)" = "$5" ] || echo "# $1: cxctl's image does not start: $(booted version)" >&2
    remove_cards
    fresh "$3" "$4" "$6" "$7" || return 1
    # shellcheck disable=SC2086
    theirs=$(counted /tmp/theirs mstflint -y -d "$address" $8 -i /tmp/new.bin burn)
    power_cycle
    [ "$(booted version)" = "$5" ] || echo "# $1: mstflint's image does not start: $(booted version)" >&2
    remove_cards
    ours=$(tenths "$ours" "$((code))") theirs=$(tenths "$theirs" "$((code))")
    echo "# $1: $((code / 1024)) KiB of code; a backup alone, subtracted: $backup accesses"
    result "$1" "config accesses/KiB" "${ours%?}.${ours#"${ours%?}"}" "${theirs%?}.${theirs#"${theirs%?}"}" "$2"
}
burning "burn, MFBA" 0.9 connectx5 16.31.1014 16.32.1010 signature=1 "" "--no_fw_ctrl" flash
burning "burn, component update" 0.5 connectx5 16.31.1014 16.32.1010 signature=2 "" "" component
# Every byte is read back twice, 16 at a time: 0.3 is out of reach that way (device-access.md 5.4); this bound keeps what is.
burning "burn, SPI over VSC" 0.6 connectx5 16.31.1014 16.32.1010 signature=1 guard_off "--no_fw_ctrl" flash
burning "burn, legacy gateway" 1.3 connectx3 2.40.5000 2.42.5000 "" "" "" flash

# The image that the slot holds already: only the sector with the spent magic goes.
again()
{
    flash=0x400000 code=0x20000
    cxsim-image connectx5 /tmp/new.bin version=16.32.1010 seed=78 flash=$flash code=$code >/dev/null
    fresh connectx5 16.31.1014 "" "" || return 1
    for _ in 1 2; do
        cxctl burn "$address" -q -y --reburn --method=flash -i /tmp/new.bin >&2
        power_cycle
    done
    counters_clear
    cxctl burn "$address" -q -y --reburn --method=flash -i /tmp/new.bin >&2
    result "burn of what is there already" "bytes erased" "$(counter spi_erased_bytes)" - 4096
    remove_cards
}
again

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
