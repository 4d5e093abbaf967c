#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every model is found, named and queried, and a query leaves nothing behind. A VF belongs to
# its physical function; an unknown chip is generic, and without a VSC nobody writes to it.
. ./lib.sh

plan 42
load || bail "the modules do not load"

# queried MODEL NAME VERSION
queried()
{
    card "model=$1 version=$3" || return 1
    counters_clear
    cxctl info "$address" -j >"$work/info" || return 1
    [ "$(json firmware_running "$work/info")" = "$3" ] || { echo "running: $(json firmware_running "$work/info")"; return 1; }
    [ "$(json psid "$work/info")" = "$(booted psid)" ] || { echo "psid: $(json psid "$work/info")"; return 1; }
    [ "$(json model "$work/info")" = "$2" ] || { echo "model: $(json model "$work/info")"; return 1; }
    cxctl list | grep -q "^$address *$2 .*$3" || { cxctl list; return 1; }
}
untouched()
{
    [ "$(counter spi_erases)$(counter spi_programs)" = 00 ] || return 1
    [ "$(counter foul)" = 0 ] || { echo "foul: $(counter foul)"; return 1; }
}
while read -r model version name; do
    check "$model is listed and queried as $name" queried "$model" "$name" "$version"
    check "$model: the query did nothing that would hurt a card" untouched
done <<END
connectx2 2.9.1000 ConnectX-2
connectx3 2.42.5000 ConnectX-3
connectx3-vsc 2.42.5000 ConnectX-3
connectx3pro 2.42.5000 ConnectX-3 Pro
connectx3pro-vsc 2.42.5000 ConnectX-3 Pro
connectx4lx 14.32.1908 ConnectX-4 Lx
connectx5 16.35.4030 ConnectX-5
connectx6 20.41.1000 ConnectX-6
connectx6-open 20.41.1000 ConnectX-6
connectx7 28.41.1000 ConnectX-7
END
[ "$(grep -c . "$cxsim/cards")" = 10 ] || note "not ten cards"
check "ten cards side by side are listed" sh -c '[ "$(cxctl list -j -p | grep -c "\"card\":")" = 10 ]'
check "info says that no real card confirmed it" sh -c "cxctl info $address | grep -i 'simulated'"
remove_cards
check "no card, no list entry" sh -c '[ "$(cxctl list -j -p | grep -c "\"card\":")" = 0 ]'

# Two functions, one flash, one card.
card "model=connectx5 flash_size=4M"
run cxctl list
expect "the second port is shown as the same card" 0 "^\+${address%.0}.1 .*same card"
run cxctl info "${address%.0}.1"
expect "the second port can be asked, too" 0 "PSID"
remove_cards

# Two hosts, one flash, one card; what one host's link does is no business of the other's.
card "model=connectx6-open flash_size=4M"
first=$card
card "twin=$first"
check "a second host shows the same card" sh -c "[ \$(cxctl list -j -p | grep -c '\"card\":') = 1 ]"
run cxctl info "$address"
expect "and it can be asked" 0 "ConnectX-6"
remove_cards
check "both are gone" test ! -e "$cxsim/$first"

# The root port above a card.
card "model=connectx5 flash_size=4M"
port=/sys/bus/pci/devices/${address%:01:00.0}:00:00.0
check "a root port is above the card" test -e "$port/${address}/vendor"
card "model=connectx5 flash_size=4M root_port=0"
check "or none, and the card is on bus 0" test "${address#*:}" = 00:00.0
remove_cards

# A virtual function.
card "model=connectx5 flash_size=4M virtual_functions=2"
vf=$(for f in /sys/bus/pci/devices/*; do [ -e "$f/physfn" ] && basename "$f"; done | head -n 1)
[ -n "$vf" ] || vf=$(cxctl list -v -j -p | grep -A3 '"virtual": *true' -B4 | sed -n 's/.*"address": *"\([^"]*\)".*/\1/p' | tail -n 1)
[ -n "$vf" ] || vf=${address%.0}.2
run cxctl info "$vf"
expect "a virtual function is refused, and its physical function named" 4 "virtual function; firmware operations belong to its physical function"
run cxctl backup "$vf" -o /tmp/vf.bin
expect "nor is it backed up" 4 "virtual function"
check "and no file is left" test ! -e /tmp/vf.bin
remove_cards

# Chips that nobody knows.
card "model=unknown-vsc flash_size=4M"
run cxctl info "$address"
expect "an unknown chip with a proper VSC is queried as generic" 0 "generic|does not know this chip"
run cxctl list
expect "and listed" 0 "^$address .*generic"
remove_cards
card "model=unknown flash_size=4M"
counters_clear
run cxctl list
expect "an unknown chip without VSC is listed" 0 "$address"
run cxctl info "$address"
cxctl access "$address" >/dev/null 2>&1
cxctl backup "$address" -o /tmp/unknown.bin >/dev/null 2>&1
check "and its configuration space is never written" test "$(counter config_writes)" = 0
check "nor is a backup made of what cannot be read" test ! -e /tmp/unknown.bin
remove_cards

# A VSC without the recovery space, as all but the newest chips have it, and with it.
for space in 0 1; do
    card "model=connectx5 flash_size=4M"
    setting recovery_space $space
    modprobe -r cxfw
    modprobe cxfw
    run cxctl info "$address"
    expect "a VSC with recovery space: $space" 0 "PSID"
    remove_cards
done

# Hostile timing: the flag turns late, the firmware answers late, another host takes locks.
card "model=connectx5 flash_size=4M"
setting flag_polls 7
setting firmware_delay 50
setting second_actor 1
run cxctl info "$address"
expect "a slow card beside another host is queried all the same" 0 "PSID"
remove_cards
check "the modules unload" unload
finish
