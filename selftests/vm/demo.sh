#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The demonstration, inside the virtual machine: every command is shown before its output.
# It checks what it shows, and fails if something is not as told.

sim=/sys/kernel/debug/cxsim
failures=0

explain()
{
    printf '\n\033[1m# %s\033[0m\n' "$*"
}

shown()
{
    printf '\033[36m$ %s\033[0m\n' "$*"
    "$@"
    code=$?
    [ $code = 0 ] || {
        printf '(exit status %s)\n' "$code"
        failures=$((failures + 1))
    }
    return $code
}

# must WHAT COMMAND…
must()
{
    what=$1
    shift
    if "$@" >/tmp/must 2>&1; then
        echo "=> $what: yes"
    else
        echo "=> $what: NO"
        cat /tmp/must
        failures=$((failures + 1))
    fi
}

field()
{
    sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" "$1" | head -n 1
}

explain "Simulated cards are plugged in: a ConnectX-2 by Dell with old firmware, and a ConnectX-5. No card is real here."
shown modprobe cxsim
echo "model=connectx2 psid=DEL09A0000009 version=2.9.1000 guid=0x0002c90300ab1230" >$sim/create || cat $sim/error
old=$(cat $sim/create)
echo "model=connectx5 version=16.35.4030 rom_size=64K flash_size=4M" >$sim/create || cat $sim/error
new=$(cat $sim/create)
cx2=$(cat "$sim/$old/address") cx5=$(cat "$sim/$new/address")

explain "The driver and the kernel's own drivers for such cards. cxfw binds to nothing and needs neither of the others."
shown modprobe cxfw
modprobe mlx4_core 2>/dev/null
modprobe mlx5_core 2>/dev/null
lsmod | grep -E '^(cxfw|cxsim|mlx[45]_core) '

explain "What is in this machine? One line a card (the two ports of the ConnectX-5 are one card)."
shown cxctl list

explain "Everything about the ConnectX-2, which mstflint has not supported for years."
shown cxctl info "$cx2"

explain "Everything about the ConnectX-5."
shown cxctl info "$cx5"

explain "And mstflint, which knows nothing of us, takes the simulated ConnectX-5 for a card, too."
shown mstflint -d "$cx5" query

explain "Each way to reach the ConnectX-2, and whether it works here."
shown cxctl access "$cx2"

explain "Save both: one file each, which tar and sha256sum read."
shown cxctl backup "$cx2" -o /tmp/cx2.tar
shown cxctl backup "$cx5" --raw -o /tmp/cx5.bin
mkdir /tmp/cx2
must "the backup has the ConnectX-2's flash chip, byte for byte" sh -c "tar xf /tmp/cx2.tar -C /tmp/cx2 && cmp /tmp/cx2/flash.bin $sim/$old/flash"
must "the backup equals the ConnectX-5's flash chip, byte for byte" cmp /tmp/cx5.bin "$sim/$new/flash"

explain "An image of the stock board for the ConnectX-2, made one of Dell's PSID."
shown cxctl image edit /mnt/connectx2-2.10.720.bin --psid DEL09A0000009 -o /tmp/dell.bin
shown cxctl image info /tmp/dell.bin

explain "Such an image is not taken by its PSID alone: its board is compared with the card's, and it says whose it was."
cxctl burn "$cx2" -i /tmp/dell.bin -n
must "which is a guard (exit status 4)" sh -c "cxctl burn $cx2 -i /tmp/dell.bin -n >/dev/null 2>&1; [ \$? = 4 ]"

explain "Who knows better says so by name. First what would happen, then really."
shown cxctl burn "$cx2" -i /tmp/dell.bin --accept-board-change --dry-run
shown cxctl burn "$cx2" -i /tmp/dell.bin --accept-board-change -y --reason "end of support"
shown cxctl verify "$cx2"

explain "The card still runs the old firmware."
cxctl info "$cx2" -j >/tmp/before.json
must "still runs 2.9.1000" test "$(field /tmp/before.json firmware_running)" = 2.9.1000
must "has 2.10.720 stored" test "$(field /tmp/before.json firmware_stored)" = 2.10.720
explain "What starts the new one, and who would notice?"
shown cxctl activate "$cx2" -n
shown cxctl activate "$cx2" -y
shown cxctl list
cxctl info "$cx2" -j >/tmp/after.json
must "runs 2.10.720" test "$(field /tmp/after.json firmware_running)" = 2.10.720
must "the simulated chip's boot ROM says so too" grep -q -x "version=2.10.720" "$sim/$old/booted"
must "PSID and GUID are what they were" sh -c "grep -q -x psid=DEL09A0000009 $sim/$old/booted && grep -q -x guid0=0x0002c90300ab1230 $sim/$old/booted"
shown cxctl journal

explain "A ConnectX-6 lets nobody write its flash: its firmware takes the update, verifies and commits it."
echo "model=connectx6 version=20.39.1002" >$sim/create || cat $sim/error
secure=$(cat $sim/create)
cx6=$(cat "$sim/$secure/address")
shown cxctl burn "$cx6" -i /mnt/connectx6-20.39.2048.bin -y
shown cxctl activate "$cx6" -y
cxctl info "$cx6" -j >/tmp/cx6.json
must "runs 20.39.2048" test "$(field /tmp/cx6.json firmware_running)" = 20.39.2048
must "the simulated chip's boot ROM says so too" grep -q -x "version=20.39.2048" "$sim/$secure/booted"

dmesg | grep -E 'BUG:|WARNING:|Oops|Call Trace' && failures=$((failures + 1))
if [ $failures = 0 ]; then
    explain "Done. All of it ran in a virtual machine on simulated cards; none of it was tried on real hardware."
else
    explain "$failures steps went wrong."
fi
[ $failures = 0 ]
