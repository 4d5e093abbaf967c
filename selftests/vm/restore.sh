#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# cxctl backup and restore: one file that standard tools read, what proves that it is this card's, what
# comes back and in which slot, and a card in recovery mode.
. ./lib.sh

plan 89
load || bail "cxsim and cxfw do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"
export XDG_STATE_HOME="$work/state"
journal=$work/state/cxctl/journal.jsonl
saves=$work/state/cxctl/backups

empty()
{
    tr '\0' '\377' </dev/zero | head -c "$(flash | wc -c)" >"$work/empty"
    cat "$work/empty" >"$cxsim/$card/flash"
    power_cycle
}

sums()
{
    rm -rf "$work/unpacked"
    mkdir "$work/unpacked"
    tar xf "$1" -C "$work/unpacked" && (cd "$work/unpacked" && sha256sum -c SHA256SUMS)
}

# --- FS2: a ConnectX-3 Pro ---

card "model=connectx3pro psid=MT_1090111019 version=2.36.5000 guid=0x0002c90300ab1230 flash_size=2M" || bail "no card"
flash >"$work/before"
run cxctl backup "$address" -o "$work/card.tar" --verify -j
expect "a backup" 0 '"verified":true'
check "tar and sha256sum read it" sums "$work/card.tar"
check "flash.bin in it is the flash" cmp "$work/before" "$work/unpacked/flash.bin"
check "backup.json says whose it is" grep -q '"guid": *"0002c90300ab1230"' "$work/unpacked/backup.json"
check "only root may read it" [ "$(stat -c %a "$work/card.tar")" = 600 ]
run cxctl backup "$address" --raw -o "$work/card.bin"
expect "--raw saves the flash alone" 0
check "which it is" cmp "$work/before" "$work/card.bin"

run cxctl restore "$address" "$work/card.tar" -y
expect "a card that is as it was needs nothing" 0 "nothing to do"
check "and nothing is written down" test ! -e "$journal"
size=$(wc -c <"$work/card.tar")
head -c $((size - 2000)) "$work/card.tar" >"$work/torn.tar"
run cxctl restore "$address" "$work/torn.tar" -y
expect "a torn backup is refused" 6 "not whole"
{ head -c 40000 "$work/card.tar"; printf X; tail -c +40002 "$work/card.tar"; } >"$work/bent.tar"
run cxctl restore "$address" "$work/bent.tar" -y -j
expect "a backup with a wrong byte is refused" 6 '"id": *"backup-damaged"'
run cxctl restore "$address" /dev/null -y
expect "a device is no backup" 6

cxsim-image connectx3pro "$work/new.bin" psid=MT_1090111019 version=2.42.5000 seed=3 >/dev/null
run cxctl burn "$address" -i "$work/new.bin" -y
expect "new firmware" 0
check "it boots" boots 2.42.5000
flash >"$work/before"
run cxctl restore "$address" "$work/card.tar" -n
expect "a dry run shows who the backup is of" 0 "same GUID or MAC"
unchanged "a dry run"
run cxctl restore "$address" "$work/card.tar"
expect "without a terminal and without -y nothing is done" 4 "nothing was changed"
run cxctl restore "$address"
expect "without a file those that fit are shown" 4 "of this card"
run cxctl restore "$address" "$work/card.tar" -y -j --reason "the new one loses its link"
expect "the restore" 0 '"changed":true'
expect "says what comes next" 0 '"pending_action":"power-cycle"'
check "the old firmware boots" boots 2.36.5000
check "with its identity" grep -q "guid0=0x0*2c90300ab1230" "$cxsim/$card/booted"
check "the journal knows why" grep -q '"event":"restore-end".*loses its link' "$journal"
check "what was there before was saved" test "$(find "$saves" -name '*.tar' | wc -l)" -ge 1
run cxctl restore "$address" "$work/card.bin" -y
expect "a plain dump is as good, and nothing is left to do" 0 "nothing to do"

# Its flash was erased: nothing on the card says who it is.
empty
check "an erased card is in recovery mode" test "$(booted recovery)" = 1
run cxctl restore "$address" "$work/card.tar" -y
expect "nothing proves the backup now" 4 "label"
run cxctl restore "$address" "$work/card.tar" -y --guid 0002c90300ff1230
expect "a label that does not match" 4 "not of the card with that label"
run cxctl restore "$address"
expect "in recovery mode the backups that may fit are shown" 4 "recovery mode"
run cxctl restore "$address" "$work/card.tar" -y --guid 0002:c903:00ab:1230
expect "the label proves it" 0 "cold power cycle"
check "the card is back" boots 2.36.5000
check "as it was" grep -q "guid0=0x0*2c90300ab1230" "$cxsim/$card/booted"
empty
run cxctl restore "$address" "$work/new.bin" -y
expect "an image does not say who the card is" 4 "--guid and --mac"
run cxctl restore "$address" "$work/new.bin" -y --guid 0x0002c90300cd1230 --mac 00:02:c9:cd:12:30
expect "an image with the identity of the label" 0 "cold power cycle"
check "the card is back with it" boots 2.42.5000
check "and has that identity" grep -q "guid0=0x0*2c90300cd1230" "$cxsim/$card/booted"
flash >"$work/before"
run cxctl restore "$address" "$work/card.tar" -y
expect "another card's backup is refused" 4 "of another card"
unchanged "refused restores"
run cxctl restore "$address" "$work/card.tar" -y --accept-other-card
expect "but for who insists" 0 "NOT PROVEN"
check "and boots" boots 2.36.5000
run cxctl restore -y "$work/card.tar"
expect "a restore never chooses a card" 3
remove_cards

# --- FS4 and FS3: device data beside the image ---

# poke FROM-THE-END TEXT: bytes of the flash go wrong.
poke()
{
    flash >"$work/flash"
    printf '%s' "$2" | dd of="$work/flash" bs=1 seek=$(($(wc -c <"$work/flash") - $1)) conv=notrunc 2>/dev/null
    cat "$work/flash" >"$cxsim/$card/flash"
}

# device_data MODEL VERSION NEW-VERSION PSID NV INFO: where both lie, from the end of the flash.
device_data()
{
    model=$1 old=$2 new=$3 psid=$4
    card "model=$model psid=$psid version=$old guid=0x0002c90300ef1230 mac=0x0002c9ef1230 flash_size=2M" || return 1
    run cxctl backup "$address" -o "$work/$model.tar"
    expect "$model: a backup" 0
    poke "$5" "settings that somebody made"
    run cxctl restore "$address" "$work/$model.tar" -n
    expect "$model: settings differ, and the window is named" 0 "not failsafe: .*NV_DATA0"
    run cxctl restore "$address" "$work/$model.tar" -y --no-device-data
    expect "$model: --no-device-data leaves them" 0 "no-device-data"
    run cxctl restore "$address" "$work/$model.tar" -y
    expect "$model: settings come back" 0 "Device data: .*programmed"
    tar xf "$work/$model.tar" -C "$work" flash.bin
    flash >"$work/after"
    check "$model: every byte of them" cmp "$work/flash.bin" "$work/after"
    cxsim-image "$model" "$work/$model.bin" "psid=$psid" "version=$new" flash=0x200000 signature=0 seed=5 >/dev/null
    run cxctl burn "$address" -i "$work/$model.bin" -y --method flash
    expect "$model: new firmware" 0
    poke "$6" "not an identity"
    power_cycle
    run cxctl restore "$address" "$work/$model.tar" -y --guid 0002c90300ef1230
    expect "$model: firmware and identity come back" 0 "cold power cycle"
    check "$model: the old firmware boots" boots "$old"
    run cxctl restore "$address" "$work/$model.tar" -y
    expect "$model: nothing is left to do" 0 "nothing to do"
    empty
    run cxctl restore "$address" "$work/$model.tar" -y --mac 0002c9ef1230
    expect "$model: from an erased flash" 0 "cold power cycle"
    check "$model: it boots" boots "$old"
    check "$model: with its identity" grep -q "guid0=0x0*2c90300ef1230" "$cxsim/$card/booted"
    empty
    run cxctl restore "$address" "$work/$model.bin" -y --guid 0002c90300aa1230 --mac 0002c9aa1230
    expect "$model: an image and a label on an erased flash" 0 "cold power cycle"
    check "$model: that boots, too" boots "$new"
    check "$model: with the label's identity" grep -q "guid0=0x0*2c90300aa1230" "$cxsim/$card/booted"
    remove_cards
}

device_data connectx5 16.27.2008 16.35.4030 MT_0000000008 0x50000 0x30000
device_data connectx4lx 14.27.1016 14.32.1908 MT_2420110034 0x60000 0x12000

# --- another identity, and nothing else ---

card "model=connectx5 psid=MT_0000000008 version=16.35.4030 guid=0x0002c90300ef1230 mac=0x0002c9ef1230 flash_size=2M" ||
    bail "no card"
flash >"$work/before"
cxsim-image connectx5 "$work/beside.bin" psid=MT_0000000008 version=16.36.1010 flash=0x200000 signature=0 seed=7 >/dev/null
run cxctl burn "$address" -i "$work/beside.bin" -y --method flash --guid 0002c90300bb1230
expect "a burn sets no identity there, and says what does" 4 "cxctl restore $address --guid 0002c90300bb1230"
run cxctl restore "$address" --guid 0002c90300bb1230 --mac 0002c9bb1230 -n
expect "the plan of another identity is failsafe" 0 "failsafe: a second valid copy"
expect "and shows the old one" 0 "Identity now: .*0002c90300ef1230"
unchanged "both"
run cxctl restore "$address" --guid 0002c90300bb1230 --mac 0002c9bb1230 --vsd "rack 7" -y -j
expect "the identity is set" 0 '"changed":true'
check "the journal knows which" grep -q '"event":"restore-device-data-end".*GUID 0002c90300bb1230, MAC 0002c9bb1230' "$journal"
check "the card boots" boots 16.35.4030
check "with the new GUID" grep -q "guid0=0x0*2c90300bb1230" "$cxsim/$card/booted"
run cxctl restore "$address" --guid 0002c90300bb1230 --vsd "rack 7" -y
expect "a second time there is nothing to do" 0 "nothing to do"
run cxctl restore "$address" --mac 0102c9bb1230 -y
expect "no card has a group's address" 2 "no card may carry"
remove_cards
card "model=connectx4lx psid=MT_2420110034 version=14.32.1908 flash_size=2M" || bail "no card"
run cxctl restore "$address" --guid 0002c90300bb1230 -y
expect "FS3 has one copy: refused, with the reason" 4 "one copy of DEV_INFO"
remove_cards

# --- a card that keeps its flash closed ---

card "model=connectx6 version=20.31.1014" || bail "no card"
run cxctl backup "$address" -o "$work/closed.tar" -j
expect "a closed card is saved as far as it allows" 0 '"flash_bytes":0'
check "it says what is not in it" grep -q '"missing":"the flash' "$out"
check "tar and sha256sum read that, too" sums "$work/closed.tar"
run cxctl backup "$address" --raw -o "$work/closed.bin"
expect "its flash alone cannot be had" 4
run cxctl restore "$address" "$work/closed.tar" -n
expect "a restore says what it can do" "${closed:-0}"
run cxctl restore "$address" "$work/card.tar" -y
expect "the backup of another chip is refused" 4 "another chip"
remove_cards

check "the modules unload" unload
finish
