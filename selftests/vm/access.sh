#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a person meets who names the wrong card, has no rights or no module, or whose machine
# is locked down: each its own message and its own exit code.
. ./lib.sh

plan 24
modprobe cxsim || skip_all "cxsim does not load"

# --- no module, no card ---

card "model=connectx3pro flash_size=2M psid=MT_1200111023 version=2.36.5000"
pro=$address pro_card=$card
run cxctl info nosuch
expect "an unknown name" 3 "there is no card nosuch"
run cxctl info "$pro"
expect "without the module the facts of sysfs are shown, and the exit code says so" 5 "ConnectX-3 Pro"
expect "the message names the module and what to do" 5 "modprobe cxfw"
run cxctl backup "$pro" -o "$work/backup"
expect "a backup needs the module" 5 "cxfw"
run cxctl list
expect "list works without the module" 0 "$pro"
run su -s /bin/sh nobody -c "cxctl list"
expect "list works without root" 0 "${pro#0000:}"

other_kernel()
{
    mkdir -p /tmp/other
    # The same file with another kernel's name in its vermagic.
    sed "s/vermagic=[0-9]/vermagic=9/" /modules/cxfw.ko >/tmp/other/cxfw.ko
    ! cmp -s /tmp/other/cxfw.ko /modules/cxfw.ko
}
if other_kernel; then
    mv "/modules/cxfw.ko" /tmp/other/right.ko && cp /tmp/other/cxfw.ko /modules/cxfw.ko
    run cxctl info "$pro"
    expect "a module of another kernel is named as such" 5 "kernel"
    cp /tmp/other/right.ko /modules/cxfw.ko
else
    skip "a module of another kernel" "the vermagic could not be changed"
fi

modprobe cxfw || skip_all "cxfw does not load"

# --- with the module ---

run su -s /bin/sh nobody -c "cxctl info $pro"
expect "without root the answer says what is missing" 5 "root"
run cxctl info "$pro"
expect "info works" 0 "2.36.5000"
card "model=connectx5 flash_size=4M version=16.35.4030 virtual_functions=2"
five=$address five_card=$card
run cxctl info "${five#*:}"
expect "a short address that more than one card has is ambiguous" 2 "$five"
run cxctl list -j
expect "both functions of one card are one card" 0 "$five"

# --- a virtual function ---

vf=$(cxctl list -v | sed -n 's/^\([0-9a-f:.]*\) .*[Vv]irtual.*/\1/p' | head -n 1)
[ -n "$vf" ] || vf=$(cd /sys/bus/pci/devices && grep -l -i '^0x1018\|^0x101a' ./*/device | head -n 1 | cut -d/ -f2)
run cxctl info "$vf"
expect "a virtual function names its physical one" 5 "virtual function; firmware operations belong to its physical function"
run cxctl access "$vf"
expect "access says so as well" 5 "virtual function"

# --- what is not ours ---

card "model=unknown-vsc"
run cxctl info "$address"
expect "an id nobody knows, with a VSC, is generic and queried" 0 "[Gg]eneric|not in the table"
setting recovery_space 0
run cxctl info "$address"
expect "a VSC without the recovery space is no failure" 0
card "model=unknown"
counters_clear
run cxctl info "$address"
expect "one without a VSC is left alone" 5 "VSC"
check "its configuration space was never written" test "$(counter config_writes)" = 0

# --- recovery ---

card "model=connectx2 empty=1"
run cxctl info "$address"
expect "an empty flash: recovery is named" 0 "[Rr]ecovery"
expect "and what to do next" 0 "burn|restore"
card "model=connectx5 flash_size=4M empty=1"
run cxctl info "$address"
expect "the same for a ConnectX-5" 0 "[Rr]ecovery"

# --- locked down (last: it cannot be undone) ---

if [ -e /sys/kernel/security/lockdown ]; then
    cat "$cxsim/$pro_card/flash" >"$work/flash"
    echo integrity >/sys/kernel/security/lockdown
    run mstflint -d "$pro" query
    expect "under integrity lockdown the kernel refuses mstflint" "$status" "denied|not permitted|EPERM|Permission|Failed"
    check "mstflint failed" test "$status" != 0
    run cxctl info "$pro"
    expect "cxctl info works" 0 "MT_1200111023"
    cxctl backup "$pro" -o "$work/backup" >/dev/null 2>&1
    check "cxctl backup works, byte for byte" cmp "$work/backup" "$work/flash"
    run cxctl access "$pro"
    expect "cxctl access says that lockdown closes the other ways" 0 "lockdown"
else
    skip "lockdown" "this kernel has none"
fi

finish
