#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cxctl burn on several cards at once; legs of a bond; a disk that is full; a killed cxctl.
. ./lib.sh

plan 40
load || bail "cxsim and cxfw do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"
export XDG_STATE_HOME="$work/state"
journal=$work/state/cxctl/journal.jsonl
psid=DEL09A0000009

# card_boots CARD VERSION
card_boots()
{
    card=$1
    boots "$2"
}

for n in 1 2 3 4; do
    [ $n = 3 ] && board=MT_0D80110009 || board=$psid
    card "model=connectx2 psid=$board version=2.9.1000 guid=0x0002c90300ab12${n}0" || bail "no card"
    eval "card$n=$card address$n=$address"
done
cxsim-image connectx2 "$work/new.bin" psid=$psid version=2.10.720 seed=7 >/dev/null
cxsim-image connectx2 "$work/newer.bin" psid=$psid version=2.10.800 seed=8 code=0x60000 >/dev/null

# --- several at once, one of which is another board ---

# shellcheck disable=SC2154 # set by eval
set -- "$address1" "$address2" "$address3"
run cxctl burn "$@" -i "$work/new.bin" -n
expect "a dry run of three cards, one of another board" 9 "the PSIDs differ"
check "shows a plan for the others" [ "$(grep -c 'Plan for' "$out")" = 2 ]
check "and says whose error it is" grep -q "^$address3:" "$err"
check "nothing was begun" test ! -e "$journal"
run cxctl burn "$@" -i "$work/new.bin" -y --backup "$work/one"
expect "one backup file for several cards" 2 "names one file"
run cxctl burn "$@" -i "$work/new.bin" -y --guid 0x0002c90300cd1230
expect "one identity for several cards" 2 "one card"
run cxctl burn "$@" -i "$work/new.bin" -y -j
expect "a burn of three, of which one is refused" 9
check "each has an entry" [ "$(grep -o '"card":' "$out" | wc -l)" = 3 ]
check "two changed" [ "$(grep -o '"changed":true' "$out" | wc -l)" = 2 ]
check "one has an error" [ "$(grep -o '"error":' "$out" | wc -l)" = 1 ]
check "two ended well" [ "$(grep -c '"event":"burn-end".*"result":"done"' "$journal")" = 2 ]
check "each with an id of its own" [ "$(grep -o '"id":"[^"]*"' "$journal" | sort -u | wc -l)" = 2 ]
check "each with a backup of its own" [ "$(find "$work/state/cxctl/backups" -name '*.tar' | wc -l)" = 2 ]
check "the first boots it" card_boots "$card1" 2.10.720
check "the second boots it" card_boots "$card2" 2.10.720
check "the third boots what it booted" card_boots "$card3" 2.9.1000
run cxctl burn "$address1" 0000:ff:1f.7 -i "$work/new.bin" -y
expect "a card that is not there, beside one that is" 9

# --- two legs of a bond: a made-up sysfs says so ---

fake=$work/sys
mkdir -p "$fake/bus/pci/devices" "$fake/class/net/bond7/bonding"
for one in /sys/*; do
    [ -e "$fake/${one##*/}" ] || ln -s "$one" "$fake/${one##*/}"
done
for one in /sys/bus/pci/devices/*; do
    mkdir "$fake/bus/pci/devices/${one##*/}"
    for part in "$one"/*; do
        ln -s "$part" "$fake/bus/pci/devices/${one##*/}"
    done
done
leg()
{
    mkdir -p "$fake/bus/pci/devices/$1/net/$2" "$fake/class/net/$2"
    ln -s ../bond7 "$fake/class/net/$2/master"
}
leg "$address1" leg1
leg "$address2" leg2
rm "$journal"
run env CXCTL_SYSFS="$fake" cxctl burn "$address1" "$address2" -i "$work/newer.bin" -y
expect "two legs of a bond" 0 "a leg of bond7"
sed -n 's/.*"event":"burn-\(begin\|end\)".*"card":"\([^"]*\)".*/\1 \2/p' "$journal" >"$work/order"
printf 'begin %s\nend %s\nbegin %s\nend %s\n' "$address1" "$address1" "$address2" "$address2" >"$work/wanted"
check "are burned one after the other" cmp "$work/order" "$work/wanted"
check "the first boots it" card_boots "$card1" 2.10.800
check "the second boots it" card_boots "$card2" 2.10.800
# The first vanishes while it is burned.
rm "$journal"
CXCTL_SYSFS="$fake" cxctl burn "$address1" "$address2" -i "$work/new.bin" -y --downgrade >"$out" 2>"$err" &
burn=$!
i=0
while ! grep -q burn-started "$journal" 2>/dev/null && [ $i -lt 300 ]; do
    sleep 0.1
    i=$((i + 1))
done
echo 10 >"$cxsim/$card1/unplug"
wait $burn
status=$?
expect "a leg that vanishes while it is burned" 4 "burn failed|no answer|vanished|gone"
check "the other leg is left alone" grep -q "other leg of bond7 failed" "$err"
check "and was not begun" [ "$(grep -c burn-begin "$journal")" = 1 ]
echo 1 >"$cxsim/$card1/plug"
check "the pulled card boots what it booted" card_boots "$card1" 2.10.800

# --- a full disk ---

# shellcheck disable=SC2154
card=$card4 address=$address4
cat "$cxsim/$card/flash" >"$work/before"
mkdir "$work/small"
mount -t tmpfs -o size=256k tmpfs "$work/small"
run env XDG_STATE_HOME="$work/small" cxctl burn "$address" -i "$work/new.bin" -y
expect "no room for the backup" 1 "no burn without a backup"
check "nothing half written stays" [ -z "$(find "$work/small" -type f -size +0 -name '*.tar*')" ]
mkdir -p "$work/small/cxctl"
printf '{"event":"earlier"}\n' >"$work/small/cxctl/journal.jsonl"
dd if=/dev/zero of="$work/small/full" bs=1k 2>/dev/null
printf '{"event":"%03900d"}\n' 1 >>"$work/small/cxctl/journal.jsonl"
cp "$work/small/cxctl/journal.jsonl" "$work/journal"
run env XDG_STATE_HOME="$work/small" cxctl burn "$address" -i "$work/new.bin" -y --backup "$work/b1.tar"
expect "no room for the journal" 1 "written down first"
check "no torn line in it" cmp "$work/journal" "$work/small/cxctl/journal.jsonl"
cat "$cxsim/$card/flash" >"$work/after"
check "the flash is untouched" cmp "$work/before" "$work/after"
umount "$work/small"

# --- kill -9 ---

rm -f "$journal"
cxctl burn "$address" -i "$work/newer.bin" -y --backup "$work/b2.tar" >"$out" 2>"$err" &
burn=$!
i=0
while ! grep -q burn-started "$journal" 2>/dev/null && [ $i -lt 300 ]; do
    sleep 0.1
    i=$((i + 1))
done
kill -9 $burn
wait $burn
check "it was killed in the middle" sh -c "grep -q burn-begin $journal && ! grep -q burn-end $journal"
i=0
until cxctl burn "$address" -i "$work/newer.bin" -y --backup "$work/b3.tar" >"$out" 2>"$err" || [ $i -gt 60 ]; do
    sleep 1
    i=$((i + 1))
done
status=0
expect "the driver finished it: the next burn finds nothing to do" 0 "nothing to do"
check "it boots" card_boots "$card" 2.10.800

remove_cards

# --- eight cards, three of which fail ---

rm -f "$journal"
set --
for n in 1 2 3 4 5 6 7 8; do
    case $n in 2 | 5 | 7) board=MT_0D80110009 ;; *) board=$psid ;; esac
    card "model=connectx2 psid=$board version=2.9.1000 guid=0x0002c90300cd12${n}0" || bail "no card"
    eval "card$n=$card"
    set -- "$@" "$address"
done
run cxctl burn "$@" -i "$work/new.bin" -y -j
expect "a burn of eight, of which three are refused" 9
check "each has an entry" [ "$(grep -o '"card":' "$out" | wc -l)" = 8 ]
check "three have an error" [ "$(grep -o '"error":' "$out" | wc -l)" = 3 ]
check "five changed" [ "$(grep -o '"changed":true' "$out" | wc -l)" = 5 ]
together=$(sed -n 's/.*"event":"burn-\(started\|end\)".*/\1/p' "$journal" | sed '/end/q' | grep -c started)
check "they are burned at the same time ($together had begun when the first ended)" [ "$together" -ge 3 ]
for n in 1 2 3 4 5 6 7 8; do
    case $n in 2 | 5 | 7) version=2.9.1000 ;; *) version=2.10.720 ;; esac
    eval "card_boots \"\$card$n\" $version" || echo "# card $n does not boot $version"
done >"$work/boots" 2>&1
check "the five boot the new one, the three what they booted" [ ! -s "$work/boots" ]
cat "$work/boots"

remove_cards
check "the modules unload" unload
finish
