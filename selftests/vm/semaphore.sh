#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A semaphore that a dead tool left locked: bounded wait, named with its value, and cleared
# only when told to.
. ./lib.sh

plan 10
load || bail "the modules do not load"

# stuck MODEL SEMAPHORE-NUMBER NAME: numbers are enum cxfw_semaphore.
stuck()
{
    card "model=$1 flash_size=2M" || return
    setting stuck_semaphore "$2"
    began=$(now)
    run cxctl backup "$address" -o /tmp/stuck.bin
    expect "$1: semaphore $3 is named, with its value" 7 "semaphore $3 holds 0x[0-9a-f]+"
    took=$(($(now) - began))
    check "$1: the wait is bounded ($took s)" test $took -le 90
    value=$(sed -n "s/.*$3=\(0x[0-9a-f]*\).*/\1/p" "$err" | head -n 1)
    run cxctl access "$address" --clear-semaphore "$3=0x12345"
    expect "$1: another value than it holds is not cleared" 4
    run cxctl access "$address" --clear-semaphore "$3=$value"
    expect "$1: $3=$value is cleared when told to" 0 "cleared"
    run cxctl backup "$address" -o /tmp/after.bin
    expect "$1: then the card works" 0
    rm -f /tmp/after.bin
    remove_cards
}
stuck connectx3pro 4 flash-gateway
stuck connectx5 3 flash-icmd
finish
