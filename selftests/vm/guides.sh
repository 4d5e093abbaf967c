#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every command of Documentation/oem-card.md and recovery.md, as it stands there and in that order. test_guides.py
# compares: what is given to "line" is the guides' commands, no more and no less.
. ./lib.sh

plan 97
load || bail "cxsim and cxfw do not load"
command -v cxsim-image >/dev/null || skip_all "cxsim-image is not here"
export XDG_STATE_HOME="$work/state"
# Little code: the guides are about commands.
small="code_size=16K"
mkdir "$work/desk" && cd "$work/desk" || bail "no place to work in"

# line STATUS COMMAND [PATTERN]: a command of a guide. What it leaves to the reader (CARD, FILE …) is filled in, and
# nobody sits here to type "y".
line()
{
    typed=$2
    case $2 in
    *" -n"* | *--help* | *--resume*) ;;
    "cxctl burn "* | "cxctl activate "* | "cxctl restore "*) typed="$2 -y" ;;
    esac
    filled=$(echo "$typed" | sed -e "s|\<CARD\>|$address|" -e "s|\<DOWNLOAD\>|$DOWNLOAD|" -e "s|\<IMAGE\>|$IMAGE|" \
        -e "s|\<FILE\>|$FILE|" -e "s|\<PSID\>|$PSID|" -e "s|\<GUID\>|$GUID|" -e "s|\<MAC\>|$MAC|")
    run sh -c "$filled"
    expect "$2" "$1" "${3:-}"
}

image()
{
    name=$1 model=$2
    shift 2
    cxsim-image "$model" "$name" code=0x4000 "$@" >/dev/null
}

# runs VERSION PSID: what the boot ROM chose.
runs()
{
    [ "$(booted version) $(booted psid) $(booted recovery) $(booted whole)" = "$1 $2 0 1" ] && return 0
    cat "$cxsim/$card/booted"
    return 1
}

cold_start()
{
    power_cycle
    runs "$@"
}

# erase: nothing is left on the flash, and the boot ROM has seen it.
erase()
{
    tr '\0' '\377' </dev/zero | head -c "$(wc -c <"$cxsim/$card/flash")" >empty
    cat empty >"$cxsim/$card/flash"
    power_cycle
}

# --- oem-card.md: a ConnectX-3 by IBM ---

line 0 "modprobe cxfw"
card "model=connectx3 psid=IBM1080111023 version=2.30.8000 guid=0x0002c90300ab1230 flash_size=2M $small" || bail "no card"
PSID=IBM1080111023 DOWNLOAD=download IMAGE=download/ibm.bin FILE=none GUID=none MAC=none
mkdir download
image download/ibm.bin connectx3 psid=IBM1080111023 version=2.36.5000 seed=31
image download/dell.bin connectx3 psid=DEL1100001019 version=2.36.5000 seed=32
image stock.bin connectx3 psid=MT_1080110023 version=2.42.5000 seed=33

line 0 "cxctl list" "$address *ConnectX-3 "
line 0 "cxctl info CARD" "IBM1080111023 \(IBM\)"
expect "which tells of the security of the card" 0 "Security"
line 0 "cxctl backup CARD -o before.tar --verify"
line 0 "tar tvf before.tar" "flash.bin"

line 0 "cxctl image list DOWNLOAD" "IBM1080111023"
line 0 "cxctl burn CARD -i DOWNLOAD -n" "Will be: *2.36.5000"
line 0 "cxctl image index DOWNLOAD -o index.json"
run cxctl burn "$address" -i index.json -n
expect "a catalogue is as good" 0 "Will be: *2.36.5000"

line 4 "cxctl burn CARD -i stock.bin --retag -n" "--accept-board-change"
line 0 "cxctl image edit stock.bin --psid PSID -o mine.bin"
line 0 "cxctl backup CARD --raw -o card.bin"
line 8 "cxctl image diff mine.bin card.bin"
line 0 "cxctl burn CARD -i stock.bin --retag --accept-board-change -n" "IBM1080111023"

line 0 "cxctl burn CARD -i stock.bin --psid-change MT_1080110023 -n" "MT_1080110023"
run cxctl burn "$address" -i stock.bin -n
expect "without the option the refusal explains" 4 "reference twin is MT_1080110023"

line 0 "cxctl burn CARD -i IMAGE -n" "Will be: *2.36.5000"
line 0 "cxctl burn CARD -i IMAGE --reason 'why I do this'"
line 0 "cxctl burn --help" "accept-board-change"
line 0 "cxctl activate CARD -n" "chip-reset"
line 0 "cxctl activate CARD"
check "the card runs it" runs 2.36.5000 IBM1080111023
line 0 "cxctl activate CARD --resume"
line 0 "cxctl info CARD" "Firmware running: *2.36.5000"
line 0 "cxctl verify CARD -i IMAGE" "holds"
line 0 "cxctl journal CARD" "why I do this"

line 0 "cxctl restore CARD before.tar -n" "the same GUID or MAC"
line 0 "cxctl restore CARD before.tar"
check "after a power cycle all is as before" cold_start 2.30.8000 IBM1080111023

# The two other ways of step 3, really.
run cxctl burn "$address" -i stock.bin --retag --accept-board-change -y
expect "retagged, the stock image is burned" 0
check "and the card stays IBM's" cold_start 2.42.5000 IBM1080111023
image newer.bin connectx3 psid=MT_1080110023 version=2.42.5700 seed=36
run cxctl burn "$address" -i newer.bin --psid-change MT_1080110023 -y
expect "the PSID is changed" 0
check "a stock card now" cold_start 2.42.5700 MT_1080110023
run cxctl restore "$address" before.tar -y
expect "the way back is another change of the PSID" 4 "psid-change IBM1080111023"
line 0 "cxctl restore CARD before.tar --psid-change IBM1080111023"
check "and it is IBM's again" cold_start 2.30.8000 IBM1080111023
check "with its GUID" [ "$(booted guid0)" = 0x0002c90300ab1230 ]
remove_cards
rm -f before.tar mine.bin

# --- oem-card.md: a ConnectX-2 by Dell ---

card "model=connectx2 psid=DEL09A0000009 version=2.9.1000 flash_size=2M $small" || bail "no card"
image stock.bin connectx2 psid=MT_0D80110009 version=2.10.720 seed=34
line 0 "cxctl backup CARD -o before.tar"
line 0 "cxctl image edit stock.bin --psid DEL09A0000009 -o mine.bin"
run cxctl burn "$address" -i mine.bin -n
expect "the board guard sees the mark" 4 "MT_0D80110009"
line 0 "cxctl burn CARD -i mine.bin --accept-board-change -n" "Will be: *2.10.720"
line 0 "cxctl burn CARD -i mine.bin --accept-board-change"
line 0 "cxctl activate CARD"
check "the card runs it" runs 2.10.720 DEL09A0000009
remove_cards

# --- recovery.md, for a ConnectX-3 and a ConnectX-5 ---

# recovery MODEL PSID OLD NEW IMAGE-PARAMETERS STATUS: STATUS is that of a burn with an identity.
recovery()
{
    model=$1 psid=$2 old=$3 new=$4
    export XDG_STATE_HOME="$work/state-$model"
    FILE=own.tar IMAGE=new.bin GUID=0002c90300cd1230 MAC=0002c9cd1230
    rm -f ./*.tar
    card "model=$model psid=$psid version=$old guid=0x$GUID mac=0x$MAC flash_size=2M $small" || bail "no card"
    # shellcheck disable=SC2086
    image new.bin "$model" psid="$psid" version="$new" seed=35 $5
    cxctl backup "$address" -o own.tar >/dev/null
    cat "$cxsim/$card/flash" >whole
    erase
    line 0 "modprobe cxfw"
    line 0 "cxctl list" "recovery"
    line 0 "cxctl info CARD" "RECOVERY"
    cat whole >"$cxsim/$card/flash"
    check "$model: a whole image starts with the next power cycle" cold_start "$old" "$psid"
    line 0 "cxctl verify CARD" "No findings"
    erase
    line 0 "cxctl backup CARD -o as-it-was.tar"
    line 4 "cxctl restore CARD" "recovery mode"
    run cxctl restore "$address" own.tar -y -j
    expect "$model: without the label" 4 '"id": *"not-proven"'
    run cxctl restore "$address" own.tar --mac 0002c9cd1231 -y -j
    expect "$model: with another card's" 4 '"id": *"other-card"'
    line 0 "cxctl restore CARD FILE -n --mac MAC" "nothing to fall back to"
    line 0 "cxctl restore CARD FILE --mac MAC" "cold power cycle"
    check "$model: the backup runs" cold_start "$old" "$psid"
    check "$model: with its identity" [ "$(booted guid0)" = 0x$GUID ]
    erase
    line 0 "cxctl restore CARD IMAGE --guid GUID --mac MAC" "cold power cycle"
    check "$model: the image runs" cold_start "$new" "$psid"
    check "$model: with the identity of the label" [ "$(booted guid0)" = 0x$GUID ]
    line 0 "cxctl image info IMAGE" "$psid"
    [ "$6" != 0 ] || erase
    line "$6" "cxctl burn CARD -i IMAGE --guid GUID --mac MAC"
    [ "$6" != 0 ] || expect "$model: which says what is next" 0 "next: a cold power cycle"
    check "$model: after the power cycle" cold_start "$new" "$psid"
    line 0 "cxctl info CARD" "Firmware running: *$new"
    line 0 "cxctl verify CARD" "No findings"
    line 0 "cxctl journal CARD" "restore"
    line 0 "cxctl access CARD"
    line 0 "tar xf FILE backup.json"
    line 0 "tar xf FILE && sha256sum -c SHA256SUMS" "flash.bin: OK"
    remove_cards
}

recovery connectx3 MT_1090120019 2.36.5000 2.42.5000 "" 0
recovery connectx5 MT_0000000008 16.27.2008 16.35.4030 "flash=0x200000 signature=0" 4

check "the modules unload" unload
finish
