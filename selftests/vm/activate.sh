#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cxctl activate: the reset that starts a burned image, what it refuses, what is remembered across reboots,
# and the journal. No power cycle but where it is said.
. ./lib.sh

plan 78
load || bail "cxsim and cxfw do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"
export XDG_STATE_HOME="$work/state"
journal=$work/state/cxctl/journal.jsonl
pending=$work/state/cxctl/pending

image()
{
    name=$1 model=$2
    shift 2
    cxsim-image "$model" "$work/$name" "$@" >/dev/null
}

# another_boot: the machine was started again, as far as anybody can tell.
boot=0
another_boot()
{
    boot=$((boot + 1))
    echo "00000000-0000-4000-8000-00000000000$boot" >"$work/boot$boot"
    mount --bind "$work/boot$boot" /proc/sys/kernel/random/boot_id
}

# bind DRIVER, unbind: of function 0.
bind()
{
    modprobe "$1" 2>/dev/null
    echo "$1" >"/sys/bus/pci/devices/$address/driver_override"
    echo "$address" >/sys/bus/pci/drivers_probe
    [ "$(basename "$(readlink "/sys/bus/pci/devices/$address/driver")")" = "$1" ]
}

unbind()
{
    echo "$address" >"/sys/bus/pci/devices/$address/driver/unbind"
    echo >"/sys/bus/pci/devices/$address/driver_override"
}

# --- a ConnectX-2: burned, and started without a power cycle ---

card "model=connectx2 psid=DEL09A0000009 version=2.9.1000 guid=0x0002c90300ab1230" || bail "no card"
run cxctl activate "$address" -y
expect "nothing waits: success that says so" 0 "nothing to do"
run cxctl activate --status
expect "nor is anything remembered" 0 "No burn"
run cxctl activate -y
expect "a restart never chooses a card" 2 "never chooses"
run cxctl activate "$address" --level deep
expect "a level that there is not" 2 "link-toggle"

image two.bin connectx2 psid=DEL09A0000009 version=2.10.720 seed=21
run cxctl burn "$address" -i "$work/two.bin" -y --reason "ticket 4711"
expect "burned" 0
check "the burn is remembered" grep -q '"to": *"2.10.720"' "$pending"/*.json
run cxctl info "$address" -j
expect "info knows that it waits" 0 '"pending_action":"activate"'
expect "and what was done last" 0 '"last_change":\{[^}]*"what":"burn"'
run cxctl list
expect "list knows" 0 "2\.10\.720 was burned and does not run yet"
run cxctl list -j
expect "also in JSON" 0 '"pending_action":"activate"'
run cxctl activate --status
expect "so does the list of what waits" 8 "2\.10\.720 waits"
run cxctl activate "$address" -n
expect "a dry run shows the level" 0 "chip-reset"
expect "who is hit" 0 "by nobody"
expect "and the levels that would be left" 0 "power-cycle"
check "a dry run resets nothing" started 2.9.1000
run cxctl activate "$address"
expect "without a terminal and without -y nothing is done" 4 "nothing was changed"
sh -c 'cxctl activate "$1" -y >/dev/full 2>"$2"' - "$address" "$err"
check "a plan that cannot be shown is not carried out" [ $? = 1 ]
check "nothing was reset" started 2.9.1000

if bind pci-stub; then
    run cxctl activate "$address" -y
    expect "a card that another driver has is refused, and the driver named" 4 "pci-stub"
    check "it was not reset" started 2.9.1000
    unbind
else
    skip "a card that another driver has is refused, and the driver named" "no pci-stub here"
    skip "it was not reset" "no pci-stub here"
fi
run cxctl activate "$address" --level link-toggle -y
expect "a level that such a card does not know" 4 "does not know it"

run cxctl activate "$address" -y -j --reason "window 7"
expect "it is started" 0 '"changed":true'
expect "nothing is left to do" 0 '"pending_action":null'
check "the card runs it, and nobody switched it off" started 2.10.720
check "identity is kept" test "$(booted psid) $(booted guid0)" = "DEL09A0000009 0x0002c90300ab1230"
check "the record is gone" sh -c "! ls $pending/*.json"
run cxctl info "$address"
expect "info says what runs" 0 "Firmware running: *2\.10\.720"
run cxctl activate "$address" -y
expect "again there is nothing to do" 0 "nothing to do"
run cxctl activate "$address" -y --anyway
expect "but it can be reset all the same" 0 "runs 2\.10\.720"
run cxctl journal
expect "the journal has the burn and its reason" 0 "burn .*2\.9\.1000 .*2\.10\.720 .*done.*ticket 4711"
expect "and the restart with its own" 0 "activate chip-reset .*done.*window 7"
run cxctl journal "$address" -j --last 1
expect "the last entry only" 0 '"entries":\[\{[^}]*"what":"activate"[^}]*\}\]'
run cxctl journal 0000:ff:1f.0
expect "nothing of another card" 0 "nothing of that"
check "the simulated card was never hurt" test "$(counter foul)" = 0
remove_cards

# --- a card that is taken out before it was started, and another in its slot ---

card "model=connectx5 version=16.27.2008 flash_size=4M psid=MT_0000000011" || bail "no card"
image swap.bin connectx5 version=16.35.4030 psid=MT_0000000011 flash=0x400000 seed=31
run cxctl burn "$address" -i "$work/swap.bin" -y
expect "burned" 0
slot=$address record=$(echo "$pending"/*.json)
check "the record tells whose it is" grep -q '"hw_id": *[1-9]' "$record"
cp "$record" "$work/record"
remove_cards
card "model=connectx4lx version=14.32.1010 flash_size=4M" || bail "no card"
sed "s/$slot/$address/g" "$work/record" >"$pending/${address%.*}.0.json"
run cxctl list -j
expect "another card does not inherit what waits: list" 0 '"pending_action":null'
run cxctl list -v
expect "-v says so, once" 0 "16.35.4030 was burned at .* into another card"
check "once a card" test "$(cat "$out" "$err" | grep -c "into another card")" = 1
run cxctl info "$address" -j
expect "info" 0 '"pending_action":null'
run cxctl activate "$address" -y
expect "activate" 0 "nothing to do"
image own.bin connectx4lx version=14.32.2000 flash=0x400000 seed=32
run cxctl burn "$address" -i "$work/own.bin" -y
expect "its own burn is not held up" 0
check "and takes the place of the record" grep -q '"to": *"14.32.2000"' "$pending/${address%.*}.0.json"
run cxctl list -j
expect "now it waits" 0 '"pending_action":"activate"'
rm -rf "$pending"
remove_cards

# --- a program that was killed: the driver tells how it ended ---

image long.bin connectx3pro psid=MT_1200111023 version=2.42.5000 code=0x60000 seed=22
card "model=connectx3pro version=2.36.5000 psid=MT_1200111023" || bail "no card"
before=$(grep -c burn-started "$journal")
cxctl burn "$address" -i "$work/long.bin" -y >"$work/burn" 2>&1 &
burn=$!
i=0
while [ "$(grep -c burn-started "$journal")" = "$before" ] && [ $i -lt 600 ]; do
    sleep 0.1
    i=$((i + 1))
done
run cxctl activate "$address" -y --anyway
expect "a card whose flash is written is not reset" 4 "job"
kill -9 $burn
wait $burn 2>/dev/null
check "the burn has no end in the journal" sh -c "! tail -n 1 $journal | grep -q burn-end"
i=0
while ! cxctl journal "$address" -j --last 1 | grep -q '"result":"done"' && [ $i -lt 120 ]; do
    sleep 1
    i=$((i + 1))
done
run cxctl journal "$address" -j --last 1
expect "the driver tells its end" 0 '"told_by":"driver".*"result":"done"'
check "it is written down once" test "$(grep -c '"told_by":"driver"' "$journal")" = 1
run cxctl activate "$address" -y
expect "and the image can be started" 0 "runs 2\.42\.5000"
remove_cards

# --- a ConnectX-5: MFRL and the link ---

image five.bin connectx5 version=16.35.4030 flash=0x400000 seed=23
card "model=connectx5 version=16.27.2008 flash_size=4M" || bail "no card"
run cxctl burn "$address" -i "$work/five.bin" -y
expect "a ConnectX-5 is burned" 0
run cxctl activate "$address" -n
expect "its link would be toggled" 0 "Restart by: *link-toggle"
run cxctl activate "$address" -y
expect "its link is toggled" 0 "runs 16\.35\.4030"
check "it runs the new image" started 16.35.4030
run cxctl info "$address" -j
expect "nothing waits any more" 0 '"pending_action":null'
check "the simulated card was never hurt" test "$(counter foul)" = 0
remove_cards

# --- a ConnectX-6, which updates itself; then a second host has it, too ---

image seven.bin connectx6 psid=MT_0000000223 version=20.39.2048 seed=25
image eight.bin connectx6 psid=MT_0000000223 version=20.39.3004 seed=26
card "model=connectx6 psid=MT_0000000223 version=20.39.1002" || bail "no card"
run cxctl burn "$address" -i "$work/seven.bin" -y
expect "a ConnectX-6 is updated by its own firmware" 0
run cxctl activate "$address" -y
expect "and started" 0 "runs 20\.39\.2048"
run cxctl burn "$address" -i "$work/eight.bin" -y
expect "once more" 0
if echo "twin=$card" >"$cxsim/create"; then
    run cxctl activate "$address" -y
    expect "a card of two hosts is not reset by one of them" 4 "two places|more than one host"
    check "it runs what it ran" started 20.39.2048
    echo 1 >"$cxsim/$(cat "$cxsim/create")/remove"
else
    skip "a card of two hosts is not reset by one of them" "no second host in this cxsim"
    skip "it runs what it ran" "no second host in this cxsim"
fi
remove_cards

# --- no driver: nothing is guessed ---

modprobe -r cxfw
card "model=connectx2 psid=DEL09A0000009 version=2.9.1000" || bail "no card"
run cxctl activate "$address" -y
expect "without the driver nobody knows what runs" 5 "cxfw is not loaded"
modprobe cxfw
remove_cards

# --- no port above it: a reboot, one that changes nothing, a power cycle ---

another_boot
image six.bin connectx5 version=16.35.4030 flash=0x400000 seed=24
card "model=connectx5 version=16.27.2008 flash_size=4M root_port=0" || bail "no card"
run cxctl burn "$address" -i "$work/six.bin" -y
expect "a ConnectX-5 without a port above it is burned" 0
run cxctl activate "$address" -y -j
expect "only a reboot is left, and that is not ours" 4 '"id":"reboot-needed"'
expect "the reason is told" 4 "no PCIe port"
check "it is written down" grep -q '"waits_for": *"reboot"' "$pending"/*.json
run cxctl list -j
expect "list knows what is next" 0 '"pending_action":"reboot"'
run cxctl activate --resume
expect "before the reboot nothing is different" 8 "reboot of this machine"
another_boot
run cxctl activate --status
expect "after a reboot that changed nothing: so it says" 8 "reboot changed nothing"
check "a look writes nothing" grep -q '"waits_for": *"reboot"' "$pending"/*.json
run cxctl activate --resume -j
expect "the next level is a power cycle" 8 '"pending_action":"power-cycle"'
check "the useless reboot is in the journal" grep -q '"event":"activate-end".*"level":"reboot".*"result":"unchanged"' "$journal"
run cxctl activate "$address" -y
expect "a second reboot is not asked for" 4 "cold power cycle"
run cxctl info "$address"
expect "info says so, too" 0 "cold power cycle is next"
another_boot
power_cycle
run cxctl activate --resume
expect "after the power cycle it runs" 0 "16\.35\.4030 runs, as it should"
check "that is in the journal" grep -q '"level":"power-cycle".*"result":"done"' "$journal"
run cxctl activate --status
expect "nothing waits any more" 0 "No burn"
for i in $(seq $boot); do
    umount /proc/sys/kernel/random/boot_id
done
remove_cards

# --- a card without firmware ---

rm -rf "$pending"
card "model=connectx3 version=2.42.5000" || bail "no card"
tr '\0' '\377' </dev/zero | head -c "$(wc -c <"$cxsim/$card/flash")" >"$work/empty"
cat "$work/empty" >"$cxsim/$card/flash"
power_cycle
run cxctl activate "$address" -y
expect "an empty flash starts nothing" 4 "no firmware that a restart would start"
remove_cards

check "the modules unload" unload
finish
