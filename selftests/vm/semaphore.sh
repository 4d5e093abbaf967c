#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A semaphore that a dead tool left locked: a bounded wait, an error that names it and its
# value, and a named way to clear it.
. ./lib.sh

plan 9
load || skip_all "the modules do not load"

bounded()
{
    [ $((after - before)) -le 60 ] || { echo "$((after - before)) s"; return 1; }
}

# stuck MODEL NUMBER NAME: enum cxfw_semaphore NUMBER of a card is held for ever.
stuck()
{
    card "model=$1 flash_size=2M"
    setting stuck_semaphore "$2"
    before=$(cut -d. -f1 /proc/uptime)
    run cxctl backup "$address" --timeout 5 -o "$work/backup"
    after=$(cut -d. -f1 /proc/uptime)
    check "$1, $3: the wait is bounded" bounded
    check "$1, $3: the error names it and its value" sh -c "test $status != 0 && grep -q -e '--clear-semaphore $3=' $err"
    option=$(sed -n 's/.*\(--clear-semaphore [a-z0-9-]*=[0-9a-fx]*\).*/\1/p' "$err" | head -n 1)
}

stuck connectx3pro 5 flash-hcr
stuck connectx3pro 4 flash-gateway
# What the message says is what helps.
# shellcheck disable=SC2086
run cxctl access "$address" ${option:-none} -y
expect "clearing by the message's own words" 0
setting stuck_semaphore 0
run cxctl backup "$address" -q -o "$work/backup"
expect "and the card works again" 0
stuck connectx5 3 flash-icmd
run cxctl access "$address" --clear-semaphore flash-icmd=0x1234567 -y
expect "a value that it does not hold is refused" "$status" "[0-9a-f]"

finish
