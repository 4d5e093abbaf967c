#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Loading and unloading, beside the in-tree drivers and without them; what is left alone; how
# burning is switched off; what a lock left behind looks like.
. ./lib.sh

plan 16

modprobe cxsim || bail "cxsim does not load"

# --- what is left alone ---

untouched()
{
    card "model=$1" || return 1
    counters_clear
    modprobe cxfw || return 1
    [ "$(counter config_writes)" = 0 ] || { echo "config writes: $(counter config_writes)"; return 1; }
    [ ! -e "/dev/cxfw/$address" ]
}
check "a device id that nobody knows, without VSC, is never written to" untouched unknown
modprobe -r cxfw
remove_cards

# --- burning switched off ---

burn_parameter()
{
    modprobe cxfw burn="$1" && [ "$(cat /sys/module/cxfw/parameters/burn)" = "$1" ] && modprobe -r cxfw
}
for value in all signed none; do
    check "burn=$value is taken" burn_parameter $value
done
refused_parameter()
{
    ! modprobe cxfw burn=maybe && ! grep -q '^cxfw ' /proc/modules && dmesg | grep -q 'burn=maybe: expected all, signed or none'
}
check "burn=maybe is refused, and says what is expected" refused_parameter

burning_off()
{
    card "model=connectx3pro flash_size=2M" || return 1
    modprobe cxfw burn="$1" || return 1
    /usr/bin/driver-test capabilities "$address" >"$work/capabilities"
    modprobe -r cxfw
    remove_cards
    grep -q "^burn=$2\$" "$work/capabilities" || { cat "$work/capabilities"; return 1; }
}
if [ -x /usr/bin/driver-test ]; then
    check "with burn=none no burn is offered" burning_off none 0
    check "with burn=signed no FS2 burn is offered" burning_off signed 0
    check "with burn=all it is" burning_off all 1
else
    for value in none signed all; do skip "burn=$value" "driver-test is not built"; done
fi

# --- a lock that somebody left ---

stale_lock()
{
    card "model=connectx5 flash_size=4M" || return 1
    setting stuck_semaphore 3
    dmesg -c >/dev/null
    modprobe cxfw || return 1
    [ "$(dmesg | grep -c 'found at load: .*semaphore')" = 1 ] || { dmesg | tail; return 1; }
}
check "a semaphore found taken at load is reported once" stale_lock
modprobe -r cxfw
remove_cards

stuck()
{
    card "model=connectx5 flash_size=4M" || return 1
    setting stuck_semaphore "$1"
    modprobe cxfw || return 1
    [ -e "/dev/cxfw/$address" ] || { echo "no node"; ls /dev/cxfw; return 1; }
    [ ! -x /usr/bin/driver-test ] || /usr/bin/driver-test clear "$address"
}
for semaphore in 1 2; do
    check "a card whose semaphore $semaphore is taken at load is there all the same, and can be freed" stuck "$semaphore"
    modprobe -r cxfw
    remove_cards
done

# --- given to somebody else ---

driver_of()
{
    readlink "/sys/bus/pci/devices/$address/driver"
}
given_away()
{
    card "model=connectx3pro flash_size=2M" || return 1
    modprobe cxfw || return 1
    echo pci-stub >"/sys/bus/pci/devices/$address/driver_override"
    echo "$address" >/sys/bus/pci/drivers_probe
    driver_of | grep -q pci-stub || { echo "not bound"; return 1; }
    /usr/bin/driver-test capabilities "$address" | grep -q '^burn=0$' || { echo "a burn is offered"; return 1; }
    counters_clear
    ! head -c 16 "/dev/cxfw/$address" >"$work/bytes" 2>/dev/null || { echo "it can be read"; return 1; }
    [ "$(counter config_reads)$(counter config_writes)" = 00 ] || { echo "it was accessed"; return 1; }
    modprobe -r cxfw && modprobe cxfw
    [ "$(counter config_writes)" = 0 ] || { echo "it was written to at load"; return 1; }
    echo "$address" >/sys/bus/pci/drivers/pci-stub/unbind
    sleep 1
    head -c 16 "/dev/cxfw/$address" >/dev/null && /usr/bin/driver-test capabilities "$address" | grep -q '^burn=1$'
}
given="a function bound to pci-stub is left alone, and taken up again when it is let go"
if [ ! -x /usr/bin/driver-test ]; then
    skip "$given" "driver-test is not built"
elif modprobe pci-stub 2>/dev/null; then
    check "$given" given_away
else
    skip "$given" "this machine has no pci-stub"
fi
modprobe -r cxfw
remove_cards

# --- again and again ---

kinds="connectx2 connectx3 connectx3pro-vsc connectx5 unknown-vsc unknown"
cycles()
{
    for kind in $kinds; do
        card "model=$kind flash_size=2M" 2>/dev/null || card "model=$kind" || return 1
    done
    turn=0
    while [ $turn -lt 20 ]; do
        modprobe cxfw || { echo "load $turn"; return 1; }
        case $((turn % 4)) in
        0) modprobe mlx5_core; modprobe mlx4_core ;;
        1) modprobe -r mlx5_core mlx4_core ;;
        esac
        dd if="/dev/cxfw/$(ls /dev/cxfw | head -n 1)" of=/dev/null bs=4096 count=4 2>/dev/null || { echo "read $turn"; return 1; }
        modprobe -r cxfw || { echo "unload $turn"; lsmod; return 1; }
        [ ! -e /dev/cxfw ] || [ -z "$(ls /dev/cxfw)" ] || { echo "nodes are left"; return 1; }
        turn=$((turn + 1))
    done
}
check "20 load and unload cycles with cards, in-tree drivers coming and going" cycles
modprobe -r mlx5_core mlx4_core 2>/dev/null

replug()
{
    modprobe cxfw || return 1
    for turn in 1 2 3 4 5 6 7 8 9 10; do
        remove_cards
        card "model=connectx5 flash_size=2M" || return 1
        head -c 8192 "/dev/cxfw/$address" >/dev/null || { echo "turn $turn"; return 1; }
    done
    remove_cards
    [ -z "$(ls /dev/cxfw 2>/dev/null)" ] || { ls /dev/cxfw; return 1; }
}
check "cards come and go ten times under a loaded driver" replug

# --- confidentiality ---

lockdown=/sys/kernel/security/lockdown
confidential()
{
    card "model=connectx3pro flash_size=2M" || return 1
    echo integrity >$lockdown || return 1
    head -c 4096 "/dev/cxfw/$address" >/dev/null || { echo "integrity lockdown keeps flash content in"; return 1; }
    echo confidentiality >$lockdown || return 1
    ! head -c 4096 "/dev/cxfw/$address" >/dev/null
}
# Lockdown cannot be undone: it comes last, and the modules stay usable for what follows.
if [ "${LOCKDOWN_TEST:-}" = 1 ] && [ -w $lockdown ]; then
    check "integrity lockdown lets flash content out, confidentiality does not" confidential
else
    skip "lockdown" "it cannot be undone: LOCKDOWN_TEST=1 runs it"
fi
remove_cards
check "the modules unload" unload
finish
