#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each failure has its own message and exit code: cxctl(8).
. ./lib.sh

plan 25
load || bail "the modules do not load"
card "model=connectx3pro flash_size=2M"
first=$address
card "model=connectx5 flash_size=4M"
second=$address

run cxctl info nosuch
expect "no such card" 3 "there is no card nosuch"
check "what there is, is named" grep -q "$first" "$err"
run cxctl info 01:00.0
expect "a name of two cards" 2 "matches more than one card"
check "both are named" sh -c "grep -q $first $err && grep -q $second $err"
run cxctl info
expect "no card named where there are two" 2 "no card named"
run cxctl frobnicate
expect "no such command" 2 "there is no command frobnicate"
run cxctl info "$first" --colour
expect "no such option" 2
run cxctl backup "$first" -o /nosuch/file.bin
expect "a directory that is not there" 1 "nosuch"
echo kept >/tmp/there.bin
run cxctl backup "$first" -o /tmp/there.bin
expect "a file that is there already" 4 "there.bin"
check "and stays" grep -q kept /tmp/there.bin
run cxctl burn "$first" -i /nosuch.bin -y
expect "an image that is not there" 6 "nosuch.bin"
head -c 100000 /dev/urandom >/tmp/noise.bin
run cxctl burn "$first" -i /tmp/noise.bin -y
expect "an image that is none" 6
cxsim-image connectx3pro /tmp/good.bin psid=MT_1090111019 >/dev/null
run cxctl burn "$first" -i /tmp/good.bin
expect "no question can be asked, none was answered" 4
check "the flash was not touched" test "$(cat $cxsim/*/counters/flash_operations | sort -u)" = 0

# Not root.
chmod 755 "$work"
run as_user cxctl list
expect "list without root" 0 "$first"
run as_user cxctl info "$first"
expect "info without root tells what sysfs knows, and that this is not all" 5 "ConnectX-3 Pro"
run as_user cxctl backup "$first" -o /tmp/user.bin
expect "backup without root" 5 "root|permi"
run as_user cxctl info nosuch
expect "no such card, without root" 3
run cxctl info nosuch -j
expect "an error is JSON, too" 3 '"id": *"no-such-card"'

# Module missing.
modprobe -r cxfw
run cxctl list
expect "list without the module" 0 "$first"
run cxctl info "$first"
expect "info without the module tells what sysfs knows, and that this is not all" 5 "ConnectX-3 Pro"
run cxctl backup "$first" -o /tmp/nomodule.bin
expect "backup without the module" 5 "modprobe cxfw"
release=$(uname -r)
mkdir -p /tmp/aside /lib/modules/4.99.0-other/extra
mv /lib/modules/"$release"/extra/cxfw.ko /tmp/aside/
cp /lib/modules/"$release"/modules.dep /lib/modules/"$release"/modules.dep.bin /tmp/aside/
depmod 2>/dev/null || sed -i '/cxfw/d' /lib/modules/"$release"/modules.dep
rm -f /lib/modules/"$release"/modules.dep.bin
cp /tmp/aside/cxfw.ko /lib/modules/4.99.0-other/extra/
run cxctl backup "$first" -o /tmp/other.bin
expect "the module of another kernel" 5 "another kernel"
rm -r /lib/modules/4.99.0-other
run cxctl backup "$first" -o /tmp/none.bin
expect "the module is not installed" 5 "not installed"
cp /tmp/aside/modules.dep /tmp/aside/modules.dep.bin /lib/modules/"$release"/
mv /tmp/aside/cxfw.ko /lib/modules/"$release"/extra/
check "the module loads again" modprobe cxfw
finish
