#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# devlink flash, spoken by cxctl: against netdevsim of the kernel, and against a driver that offers what
# mlx5_core offers, with the kernel's own mlxfw behind it.
. ./lib.sh

[ -e /mnt/netdevsim.ko ] || skip_all "netdevsim and mlxfw are built for Linux 6.1 only"
debug=/sys/kernel/debug/devlink_referee

plan 16
modprobe psample 2>/dev/null
insmod /mnt/netdevsim.ko || bail "netdevsim does not load"
echo "10 1" >/sys/bus/netdevsim/new_device || bail "no netdevsim device"
mkdir -p /lib/firmware
echo something >/lib/firmware/dummy.bin

run devlink-flash-test netdevsim netdevsim10 dummy.bin
expect "netdevsim takes a file" 0
check "its steps are told, with bytes done of bytes" sh -c \
    "grep -q 'Preparing to flash' $out && grep -q 'Flashing [1-9][0-9]*/[1-9][0-9]*' $out && grep -q 'Flashing done' $out"
run devlink-flash-test netdevsim netdevsim10 missing.bin
expect "a file that is not there is refused in the kernel's words" 7 "locate the requested firmware file"
run devlink-flash-test netdevsim netdevsim11 dummy.bin
expect "a device that is not there is named as such" 5 "no-devlink"
rmmod netdevsim

# A card whose driver is bound, and no cxfw. Its devlink ends in the kernel's mlxfw.
psid=MT_0000000011
remove_driver()
{
    rmmod devlink_referee 2>/dev/null
}
modprobe cxsim || bail "no cxsim"
card "model=connectx5 psid=$psid version=16.32.1010 seed=7" || bail "no card"
modprobe -r mlx5_ib mlx5_core 2>/dev/null
modprobe mlxfw
insmod /mnt/devlink_referee.ko psid=$psid version=16.32.1010 || bail "the driver does not load"
cxctl-test-image fs4 psid=$psid version=16.35.2000 code_size=200k digest -o "$work/new.bin" || bail "no image"
cxctl-test-image fs4 psid=$psid version=16.35.2000 code_size=200k digest stripped masked_magic \
    -o "$work/new.component" || bail "no component"
cxctl-test-image fs4 psid=DEL0000000004 version=16.35.2000 code_size=200k digest -o "$work/other.bin" || bail "no image"

run cxctl info "$address"
expect "without the driver info tells what devlink knows" 5 $psid
run cxctl burn "$address" -i "$work/new.bin" -n
expect "the plan says that devlink does it" 0 devlink
check "a dry run leaves the card alone" test ! -s $debug/component
check "and no file behind" sh -c '! ls /lib/firmware/cxctl-* 2>/dev/null'
run cxctl burn "$address" -i "$work/other.bin" -y
expect "another board's image is refused" 4 psid
check "before the card is touched" test ! -s $debug/component
run cxctl burn "$address" -i "$work/new.bin" -y -j --reason "test of devlink"
expect "the image is burned" 0 '"changed": *true'
check "what the card got is the stripped image" cmp $debug/component "$work/new.component"
check "verified and activated once" test "$(cat $debug/verified $debug/activated | xargs)" = "1 1"
check "the packed file is gone" sh -c '! ls /lib/firmware/cxctl-* 2>/dev/null'
run cxctl journal -j
expect "the journal has it, and how" 0 '"method": *"devlink"'
mount -t tmpfs -o size=64k tmpfs /lib/firmware
run cxctl burn "$address" -i "$work/new.bin" -y --reburn
expect "no room for the packed file: nothing is done" 1 "firmware"
umount /lib/firmware
remove_driver
remove_cards
modprobe -r cxsim
finish
