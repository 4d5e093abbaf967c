#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# devlink flash, spoken by cxctl: against netdevsim of the kernel, and against a driver that offers what
# mlx5_core offers, with the kernel's own mlxfw behind it.
. ./lib.sh

[ -e /mnt/netdevsim.ko ] || skip_all "netdevsim and mlxfw are built for Linux 6.1 only"
debug=/sys/kernel/debug/devlink_referee

plan 4
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
finish
