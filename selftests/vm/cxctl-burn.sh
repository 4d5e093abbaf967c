#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cxctl burn and verify seen from the command line: what each refusal says, what a dry run
# leaves alone, backups and the journal, ROM and identity, Ctrl-C.
. ./lib.sh

plan 69
load || bail "cxsim and cxfw do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"
export XDG_STATE_HOME="$work/state"
journal=$work/state/cxctl/journal.jsonl

image()
{
    name=$1 model=$2
    shift 2
    cxsim-image "$model" "$work/$name" "$@" >/dev/null
}

# --- a ConnectX-2 by Dell, from 2.9.1000 to 2.10.720 ---

card "model=connectx2 psid=DEL09A0000009 version=2.9.1000 guid=0x0002c90300ab1230 vsd=ours" || bail "no card"
image new.bin connectx2 psid=DEL09A0000009 version=2.10.720 vsd=theirs seed=7
image old.bin connectx2 psid=DEL09A0000009 version=2.8.0 seed=8
image other.bin connectx2 psid=MT_0D80110009 version=2.10.720 seed=9
image chip.bin connectx3 psid=DEL09A0000009 version=2.42.5000 seed=10
image format.bin connectx5 psid=DEL09A0000009 version=16.27.2008 flash=0x200000 seed=11
flash >"$work/before"

run cxctl burn "$address" -i "$work/new.bin" --dry-run
expect "a dry run shows the plan" 0 "Will be: *2.10.720"
unchanged "a dry run"
run cxctl burn "$address" -i "$work/new.bin"
expect "without a terminal and without -y nothing is done" 4 "nothing was changed"
unchanged "no answer"
check "no journal yet" test ! -e "$journal"

run cxctl burn "$address" -i "$work/other.bin" -y
expect "another PSID is refused" 4 "MT_0D80110009 \(Mellanox\)"
expect "and both are named, with their vendors" 4 "DEL09A0000009 \(Dell\)"
run cxctl burn "$address" -i "$work/chip.bin" -y
expect "an image for another chip is refused" 4 "0x1f5"
run cxctl burn "$address" -i "$work/format.bin" -y
expect "an image of another format is refused" 4 "FS4"
run cxctl burn "$address" -i "$work/old.bin" -y
expect "an older version is refused" 4 "--downgrade"
run cxctl burn "$address" -i "$work/nosuch.bin" -y
expect "no such file" 6 "nosuch.bin"
run cxctl burn "$address" -i "$0" -y
expect "a file that is no image" 6
mkfifo "$work/fifo"
for path in "$work/fifo" /dev/zero; do
    run timeout 20 cxctl burn "$address" -i "$path" -y
    expect "$path is no image" 6 "not-a-file|a pipe|a device|not a"
done
mkdir "$work/several"
cp "$work/new.bin" "$work/other.bin" "$work/several"
run cxctl burn "$address" -i "$work/several" -n
expect "of a directory the image of the card's PSID is taken" 0 "from .*several/new.bin"
run cxctl burn "$address" -i "$work/several" -n --psid MT_0D80110009
expect "or another one when it is named, and refused" 4 "MT_0D80110009 \\(Mellanox\\)"
head -c 4000 "$work/new.bin" >"$work/cut.bin"
run cxctl burn "$address" -i "$work/cut.bin" -y
expect "an image that was cut" 6 "damaged|claims"
{ head -c 3000 "$work/new.bin"; printf X; tail -c +3002 "$work/new.bin"; } >"$work/bent.bin"
run cxctl burn "$address" -i "$work/bent.bin" -y
expect "an image with a wrong byte" 6 "CRC"
run cxctl burn "$address"
expect "no image named" 2
run cxctl burn -i "$work/new.bin" -y
expect "no card named" 2 "never chooses"
sh -c 'cxctl burn "$1" -i "$2" -y >/dev/full 2>"$3"' - "$address" "$work/new.bin" "$err"
check "a plan that cannot be shown is not carried out" [ $? = 1 ]
run cxctl burn "$address" -i "$work/new.bin" -y --backup ""
expect "a backup without a name" 2 "no file named"
run cxctl verify "$address" -i ""
expect "an image without a name" 2 "no image named"
unchanged "refused burns"
check "refused burns leave no backup" test ! -e "$work/state/cxctl/backups"
run cxctl burn "$address" "$address" -i "$work/new.bin" -y
expect "one card named twice" 2 "one card"
run cxctl burn "$address" -i "$work/new.bin" -y --method component
expect "a card without component update" 4 "does not offer"

run cxctl burn "$address" -i "$work/new.bin" -y -j --reason "ticket 42"
expect "a burn" 0 '"changed":true'
expect "which says what comes next" 0 '"pending_action":"activate"'
check "its steps are told as events" grep -q '^{"event":"progress","card":"'"$address"'","step":"write"' "$err"
backup=$(find "$work/state/cxctl/backups" -name '*.tar')
tar xf "$backup" -C "$work" flash.bin
check "the backup has the flash as it was" cmp "$work/before" "$work/flash.bin"
check "the journal tells of its begin" grep -q '"event":"burn-begin".*"psid":"DEL09A0000009"' "$journal"
check "and of its end" grep -q '"event":"burn-end".*"result":"done"' "$journal"
check "with the reason, and by whom" grep -q '"by":"root".*"reason":"ticket 42"' "$journal"
check "the old firmware runs until then" test "$(booted version)" = 2.9.1000
run cxctl burn "$address" -i "$work/new.bin" -y -j
expect "the same again is no work" 0 '"changed":false'
run cxctl verify "$address" -i "$work/new.bin"
expect "verify finds the image there" 0 "holds .*new.bin"
check "a power cycle starts the new firmware" boots 2.10.720
run cxctl info "$address" -j
expect "the VSD is the card's" 0 '"ours"'
run cxctl burn "$address" -i "$work/old.bin" -y --downgrade
expect "a downgrade that was asked for" 0
check "it boots" boots 2.8.0

# A byte of the code goes wrong in the chip.
flash >"$work/flash"
{ head -c 3000 "$work/flash"; printf X; tail -c +3002 "$work/flash"; } >"$work/bent"
cat "$work/bent" >"$cxsim/$card/flash"
run cxctl verify "$address"
expect "verify finds a wrong byte" 8 "CRC"
cat "$work/flash" >"$cxsim/$card/flash"
run cxctl verify "$address"
expect "and nothing when it is right again" 0 "No findings"
remove_cards

# --- a ConnectX-3 Pro: ROM, lost identity, a backup as image ---

card "model=connectx3pro version=2.36.5000 psid=MT_1200111023 rom_size=32K" || bail "no card"
image new3.bin connectx3pro psid=MT_1200111023 version=2.42.5000 rom=0x4000 seed=12
run cxctl burn "$address" -i "$work/new3.bin" -y --backup "$work/whole.bin"
expect "the card's ROM is kept" 0 "Expansion ROM: *kept"
check "it boots" boots 2.42.5000
run cxctl burn "$address" -i "$work/new3.bin" -y --reburn --rom image --backup "$work/whole.bin"
expect "a backup is never written over" 4 "whole.bin"
run cxctl burn "$address" -i "$work/new3.bin" -y --reburn --rom image --backup "$work/b0"
expect "the image's ROM when it is asked for" 0 "Expansion ROM: *the image's"
check "it boots" boots 2.42.5000
run cxctl burn "$address" -i "$work/new3.bin" -y --mac 0002c9cd1230 --backup "$work/no"
expect "a card with an identity keeps it" 4 "cards that lost them"
run cxctl burn "$address" -i "$work/new3.bin" -y --mac 02c9cd1230 --backup "$work/no"
expect "a MAC with a digit too few" 2 "12 hexadecimal digits"
for path in /dev/null "$work/fifo"; do
    run cxctl backup "$address" -o "$path" --force
    expect "a backup takes not the place of $path" 2 "not a file of bytes"
done
check "/dev/null is what it was" test -c /dev/null
escape=$(printf '\033]0;x\007')
image "$escape.bin" connectx3pro psid=MT_1200111023 version=2.42.5000 "vsd=a${escape}b" seed=12
run cxctl burn "$address" -i "$work/$escape.bin" -n --reburn
expect "a dry run of an image whose name drives a terminal" 0
check "shows no control character" sh -c "! grep -q '$(printf '\033')' $out $err"
tr '\0' '\377' </dev/zero | head -c "$(flash | wc -c)" >"$work/empty"
cat "$work/empty" >"$cxsim/$card/flash"
power_cycle
run cxctl burn "$address" -i "$work/new3.bin" -y
expect "a card that lost its identity wants one" 4 "--guid and --mac"
run cxctl burn "$address" -i "$work/whole.bin" -y --use-image-identity --backup "$work/b1"
expect "a backup of the card is an image with its identity" 0
check "the card is back" boots 2.36.5000
cat "$work/empty" >"$cxsim/$card/flash"
power_cycle
run cxctl burn "$address" -i "$work/new3.bin" -y --guid 0x0002c90300cd1230 --mac 00:02:c9:cd:12:30 --backup "$work/b2"
expect "an identity from the label" 0
check "the card is back again" boots 2.42.5000
check "with that identity" grep -q "guid0=0x0*2c90300cd1230" "$cxsim/$card/booted"
remove_cards

# --- Ctrl-C, and a second one at the same time ---

image long.bin connectx3pro psid=MT_1200111023 version=2.42.5000 code=0x90000 seed=13
card "model=connectx3pro version=2.36.5000 psid=MT_1200111023" || bail "no card"
rm -f "$journal"
# Shells let background commands ignore Ctrl-C; cxctl listens all the same.
cxctl burn "$address" -i "$work/long.bin" -y --backup "$work/b3" >"$out" 2>"$err" &
burn=$!
i=0
while ! grep -q burn-begin "$journal" 2>/dev/null && [ $i -lt 300 ]; do
    sleep 0.1
    i=$((i + 1))
done
check "the burn began" grep -q burn-begin "$journal"
cxctl burn "$address" -i "$work/long.bin" -y --backup "$work/b4" >"$work/second" 2>&1
check "a second burn is refused while one runs" [ $? != 0 ]
check "and leaves no backup" test ! -e "$work/b4"
kill -INT $burn
wait $burn
check "Ctrl-C stops a burn at a safe point" [ $? = 1 ]
check "it says so" grep -q "stopped before its commit" "$err"
check "the journal says so, too" grep -q '"event":"burn-end".*"result":"cancelled"' "$journal"
check "the old firmware still boots" boots 2.36.5000
remove_cards

check "the modules unload" unload
finish
