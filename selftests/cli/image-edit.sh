#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# image-edit.sh: cxctl image edit and ini from end to end on synthetic images, in KTAP: an image made for
# another board, identity, ROMs, refusals, and that nothing is ever written by half.
# $CXCTL and $CXCTL_TEST_IMAGE name the programs; make check-unit runs it.
# shellcheck disable=SC2086,SC2015
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cxctl=${CXCTL:-$top/build/cxctl}
maker=${CXCTL_TEST_IMAGE:-$top/build/cxctl-test-image}
work=$(mktemp -d "${TMPDIR:-/tmp}/image-edit.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
self=$(readlink -f "$0")
cd "$work" || exit 1
export LC_ALL=C
. "$top/selftests/lib/cli.sh"

# image CODE ARGUMENT…: cxctl image, its answer in out, its conversation in err; true if it ends with CODE.
image()
{
    local wanted=$1 code
    shift
    "$cxctl" image "$@" >out 2>err
    code=$?
    [ $code -eq "$wanted" ] || { echo "# cxctl image $*: exit code $code, not $wanted"; return 1; }
}

says() { grep -qF -- "$1" out || { echo "# the answer does not say: $1"; return 1; }; }
complains() { grep -qF -- "$1" err || { echo "# the error does not say: $1"; return 1; }; }
same() { cmp -s "$1" "$2"; }
differ() { ! cmp -s "$1" "$2"; }
absent() { [ ! -e "$1" ]; }

# json PYTHON: true if the expression is, with the answer in j.
json()
{
    python3 -IS -c 'import json, sys
j = json.load(open("out"))
sys.exit(not eval("(" + sys.argv[1] + ")"))' "$1" || { echo "# false: $1"; return 1; }
}

# fact FILE PYTHON: of cxctl image info -j, whose first image is i.
fact()
{
    "$cxctl" image info -j "$1" >facts 2>err &&
        python3 -IS -c 'import json, sys
i = json.load(open("facts"))["images"][0]
sys.exit(not eval("(" + sys.argv[1] + ")"))' "$2" || { echo "# false of $1: $2"; head -c 1500 facts | sed 's/^/# /'; echo; return 1; }
}

# refused CODE ID ARGUMENT…: with the error's id in JSON, and nothing written to no.bin.
refused()
{
    local code=$1 id=$2
    shift 2
    rm -f no.bin
    image "$code" "$@" -j && says "{\"error\":{\"id\":\"$id\",\"text\":\"" && absent no.bin
}

make_images()
{
    "$maker" fs2 psid=MT_0D90110009 version=2.10.720 hw_id=0x190 pci=0x6750 name=MHQH29C-XTR_A1 \
        rom_size=0x800 rom_version=3.4.142 -o stock.bin &&
        "$maker" fs2 psid=DEL09A0000009 version=2.9.1000 hw_id=0x190 pci=0x6750 ports=1 board_seed=7 -o dell.bin &&
        "$maker" fs3 digest psid=MT_2420110034 -o fs3.bin &&
        "$maker" fs4 digest keys psid=MT_0000000011 -o fs4.bin &&
        "$maker" fs4 digest keys signature_2048 psid=MT_0000000011 security_flags=0x4100 -o signed.bin &&
        "$maker" fs4 encrypted psid=MT_0000000011 -o encrypted.bin &&
        "$maker" fs5 -o fs5.bin &&
        "$maker" fs4 stripped digest psid=MT_0000000011 -o stripped.bin &&
        "$maker" fs2 product=02.10.0720 rom_size=0x800 psid=MT_0D90110009 -o product.bin &&
        "$maker" fs2 blank_guids psid=MT_0D90110009 -o blank.bin &&
        "$maker" fs2 psid=MT_0D90110009 code_size=900k -o large.bin &&
        "$maker" fs2 psid=MT_0D90110009 code_size=900k flash=4m slot=1 -o flash.bin &&
        "$maker" rom rom_version=3.4.752 pci=0x6750 -o rom.bin &&
        "$maker" rom rom_version=3.4.752 pci=0x1019 -o otherrom.bin
}

echo "KTAP version 1"
check "synthetic images" make_images

# ---- the story: a stock image for a Mellanox board becomes one for a Dell PSID ----

story="--psid DEL09A0000009 --name 0XM87Y_A2"
plan_first() { image 0 edit stock.bin $story -n && says "MT_0D90110009 -> DEL09A0000009" && says "0XM87Y_A2" &&
    says "no longer vouches" && says "hardware id and revision" && says "Full image CRC" && says "board revision A2, the image was made for A1" &&
    ! says "rebrand"; }
check "-n shows from what to what, the CRCs and what it means" plan_first
cp stock.bin before.bin
nothing_written() { rm -f no.bin; image 0 edit stock.bin $story -o no.bin -n && absent no.bin && same stock.bin before.bin; }
check "-n writes nothing" nothing_written
retag() { image 0 edit stock.bin $story -o mine.bin && says "verified: good" && differ stock.bin mine.bin && same stock.bin before.bin; }
check "the copy is written, the original stays" retag
check "the copy verifies" image 0 verify mine.bin
check "its PSID and name are the new ones" fact mine.bin "i['psid'] == 'DEL09A0000009'"
marked() { image 0 ini mine.bin && says "PSID = DEL09A0000009" && says "Name = 0XM87Y_A2" && says "was MT_0D90110009"; }
check "its INI says both, and keeps the first PSID" marked
retagged_json() { image 0 ini mine.bin -j && says '"retagged_from":"MT_0D90110009"'; }
check "ini -j tells that it was retagged" retagged_json
info_tells() { image 0 info mine.bin && says "MT_0D90110009"; }
check "info shows the mark" info_tells
info_json() { fact mine.bin "i['retagged_from'] == 'MT_0D90110009'" && fact stock.bin "not i.get('retagged_from')"; }
check "info -j has it, and none for the original" info_json
diff_tells() { image 8 diff stock.bin mine.bin -j && says '"id":"retagged","grave":true'; }
check "diff says retagged" diff_tells
diff_board() { image 8 diff mine.bin dell.bin -j && says '"id":"other-board","grave":true' &&
    says '"id":"single-port-image","grave":true'; }
check "diff with a true board's image shows grave differences" diff_board
plan_json() { image 0 edit stock.bin $story -n -j && json "j['written'] is False and j['verdict'] == 'good' and
{c['what']: (c['from'], c['to']) for c in j['plan']['changes']}['psid'] == ('MT_0D90110009', 'DEL09A0000009') and
{'retagged', 'marked'} <= {w['id'] for w in j['plan']['warnings']} and
len(j['plan']['full_crc_to']) == 4 and j['plan']['full_crc_from'] != j['plan']['full_crc_to']"; }
check "the plan in JSON" plan_json
there_and_back() { image 0 edit mine.bin --psid MT_0D90110009 --name MHQH29C-XTR_A1 -o back.bin && says "mark in the INI text goes" &&
    same back.bin stock.bin; }
check "back to the first PSID and name: the original, byte for byte" there_and_back
stays() { image 0 edit mine.bin --guid 0002c90300112230 -o mine-ids.bin && says "stays retagged" && image 0 ini mine-ids.bin &&
    says "was MT_0D90110009"; }
check "another edit of a retagged image: it stays retagged, and the plan says so" stays
twice() { image 0 edit mine.bin --psid HP_0D90000009 -o twice.bin && image 0 ini twice.bin -j &&
    says '"retagged_from":"MT_0D90110009"'; }
check "retagged twice: the first PSID counts" twice

of_flash() { image 0 edit flash.bin $story -o of-flash.bin && says "what a flash held" && image 0 edit large.bin $story -o large2.bin &&
    same of-flash.bin large2.bin; }
check "out of a flash, where it lies in stripes: the copy is that of the image" of_flash

# ---- a board's INI ----

image 0 ini dell.bin -o dell.ini >/dev/null
check "ini -o saves the text" test -s dell.ini
check "a good INI: no findings" image 0 ini --check dell.ini
sed -e 's/^PSID.*/&\nPSID = DEL09A0000010/' -e 's/^\[FW\]/[IB]/' -e 's/^silicon_rev/silicon_revv/' dell.ini >bad.ini
bad_ini() { image 8 ini --check bad.ini -j && json "j['finding_count'] == len(j['findings']) >= 3 and
all(f['line'] > 0 and f['text'] for f in j['findings'])"; }
check "PSID twice, section twice, unknown key: found, with their lines" bad_ini
no_psid() { grep -v '^PSID' dell.ini >nopsid.ini; image 8 ini --check nopsid.ini; }
check "no PSID: found" no_psid
check "not an INI" refused 6 bad-ini edit stock.bin --ini "$self" -o no.bin
with_ini() { image 0 edit stock.bin --ini dell.ini -o board.bin && says "changes no behaviour" && says "1 port" &&
    fact board.bin "i['psid'] == 'DEL09A0000009' and i['retagged_from'] == 'MT_0D90110009'"; }
check "--ini: its PSID and name; says that the text changes no behaviour" with_ini
other_ini() { image 0 edit fs4.bin --ini dell.ini -n -j && says '"id":"ini-for-other-format","grave":true'; }
check "--ini of another kind of card: a grave warning" other_ini
check "--ini with another --psid is refused" refused 4 contradiction edit stock.bin --ini dell.ini --psid HP_1 -o no.bin
check "--ini with another --name is refused" refused 4 contradiction edit stock.bin --ini dell.ini --name X -o no.bin
check "a damaged INI is refused" refused 6 bad-ini edit stock.bin --ini nopsid.ini -o no.bin

# ---- identity ----

fs2_ids() { image 0 edit stock.bin --guid 0x0002c90300112230 --mac 00:02:c9:11:22:30 -o ids.bin && image 0 verify ids.bin &&
    fact ids.bin "i['guids'] == ['0002c903001122%02x' % n for n in (0x30, 0x31, 0x32, 0x33)] and i['macs'] == ['0002c9112230', '0002c9112231']"; }
check "FS2: GUIDs and MACs count up" fs2_ids
four() { image 0 edit stock.bin --guid 0002c90300000001,0002c90300000011,0002c90300000021,0002c90300000031 -o four.bin &&
    fact four.bin "[g[-2:] for g in i['guids']] == ['01', '11', '21', '31']"; }
check "FS2: four GUIDs of their own" four
check "FS2: two GUIDs are wrong use" refused 2 bad-option edit stock.bin --guid 0002c90300000001,0002c90300000002 -o no.bin
check "FS2: --uid is for later formats" refused 2 bad-option edit stock.bin --uid 0002c90300000001 -o no.bin
check "a multicast MAC" refused 2 bad-option edit stock.bin --mac 0102c9112230 -o no.bin
check "a multicast MAC out of --uid" refused 2 bad-option edit fs4.bin --uid 0102c90300112230 -o no.bin
check "a GUID that wraps" refused 2 bad-option edit stock.bin --guid ffffffffffffffff -o no.bin
check "a forgotten digit" refused 2 bad-option edit stock.bin --guid 0002c9030011223 -o no.bin
for format in fs3 fs4; do
    uid() { image 0 edit $format.bin --uid 0002c90300112230 --uid-count 4 -o $format-uid.bin && image 0 verify $format-uid.bin &&
        fact $format-uid.bin "i['base_guid'] == '0002c90300112230' and i['base_mac'] == '0002c9112230' and i['base_guid_count'] == 4"; }
    check "$format: --uid sets GUID and MAC" uid
    vsd() { image 0 edit $format.bin --vsd HELDOUT -o $format-vsd.bin && image 0 verify $format-vsd.bin &&
        fact $format-vsd.bin "i['device_vsd'] == 'HELDOUT'"; }
    check "$format: the card's VSD" vsd
    tag() { image 0 edit $format.bin --psid DEL0000000004 -o $format-tag.bin && says "made anew" && image 0 verify $format-tag.bin &&
        fact $format-tag.bin "i['psid'] == 'DEL0000000004'"; }
    check "$format: another PSID, digest renewed" tag
done
check "FS5: firmware cannot be edited" refused 4 not-supported edit fs5.bin --psid X_1 -o no.bin
fs5_uid() { image 0 edit fs5.bin --uid 0002c90300112230 -o fs5-uid.bin && image 0 verify fs5-uid.bin; }
check "FS5: GUIDs can be changed" fs5_uid
check "stripped: no place for GUIDs" refused 4 stripped edit stripped.bin --uid 0002c90300112230 -o no.bin
stripped_psid() { image 0 edit stripped.bin --psid DEL0000000004 -o stripped-tag.bin && image 0 verify stripped-tag.bin; }
check "stripped: another PSID is possible" stripped_psid
blank() { image 0 edit blank.bin --guid 0002c90300112230 -o written.bin && image 0 verify written.bin &&
    fact written.bin "i['guids'][3] == '0002c90300112233'"; }
check "blank GUIDs are written" blank

# ---- signatures ----

signed() { refused 4 signed edit signed.bin --psid DEL0000000004 -o no.bin && says '"next":"--guid'; }
check "signed: another PSID is refused, and what stays possible" signed
check "signed: a ROM is refused" refused 4 signed edit signed.bin --rom rom.bin -o no.bin
signed_uid() { image 0 edit signed.bin --uid 0002c90300112230 -o signed-uid.bin && image 0 verify signed-uid.bin; }
check "signed: GUIDs can be changed" signed_uid
check "encrypted: another PSID is refused" refused 4 signed edit encrypted.bin --psid DEL0000000004 -o no.bin

encrypted_uid() { image 0 edit encrypted.bin --uid 0002c90300112230 -o encrypted-uid.bin &&
    says "-> 0002c90300112230"; }
check "encrypted: GUIDs can be changed" encrypted_uid

# ---- ROMs ----

rom_out() { image 0 edit stock.bin --rom none -o norom.bin && image 0 verify norom.bin && fact norom.bin "not i.get('roms')"; }
check "the ROM removed" rom_out
rom_in() { image 0 edit norom.bin --rom rom.bin -o newrom.bin && image 0 verify newrom.bin &&
    fact newrom.bin "i['roms'][0]['version'] == '3.4.752'"; }
check "a ROM put in" rom_in
rom_other() { image 0 edit norom.bin --rom otherrom.bin -o otherrom-image.bin && says "PCI device 1019"; }
check "a ROM for another device: a warning" rom_other
check "no ROM to remove" refused 4 no-rom edit norom.bin --rom none -o no.bin
check "a ROM that is none" refused 6 bad-rom edit stock.bin --rom "$self" -o no.bin
check "a product keeps its ROM" refused 4 product-version edit product.bin --rom none -o no.bin
product() { image 0 edit product.bin --rom none --allow-rom-change -o product-norom.bin && image 0 verify product-norom.bin; }
check "--allow-rom-change" product
for format in fs3 fs4; do
    rom34() { image 0 edit $format.bin --rom otherrom.bin -o $format-rom.bin && image 0 verify $format-rom.bin &&
        fact $format-rom.bin "i['roms'][0]['version'] == '3.4.752'"; }
    check "$format: a ROM put in" rom34
done

# ---- files ----

exists() { image 4 edit stock.bin $story -o mine.bin && [ ! -s out ] && complains "exists already"; }
check "a file that exists is refused before any work" exists
check "a directory is no file to write" refused 2 is-directory edit stock.bin $story -o .
check "with --force it is replaced" image 0 edit stock.bin $story -o mine.bin --force
special() { mkfifo pipe.bin; ln -s pipe.bin pipelink.bin; image 2 edit stock.bin $story -o pipe.bin --force && [ -p pipe.bin ] &&
    image 2 edit stock.bin $story -o pipelink.bin --force && [ -L pipelink.bin ]; }
check "a pipe or a device is never replaced" special
in_place() { cp stock.bin place.bin; ln -s place.bin link.bin; image 4 edit place.bin $story -o ./place.bin && same stock.bin place.bin &&
    image 4 edit link.bin $story -o place.bin && same stock.bin place.bin; }
check "in place is refused, by any name" in_place
in_place_forced() { image 0 edit place.bin $story -o place.bin --force && same place.bin mine.bin; }
check "in place with --force" in_place_forced
to_stdout() { "$cxctl" image edit stock.bin $story -o - 2>err >piped.bin && same piped.bin mine.bin && grep -q 'DEL09A' err; }
check "-o - writes the image to the standard output, the plan beside it" to_stdout
damaged() { cp stock.bin bad.bin; printf x | dd of=bad.bin bs=1 seek=20000 conv=notrunc 2>/dev/null; refused 6 bad-image edit bad.bin $story -o no.bin; }
check "a damaged image is not edited" damaged
short_disk() { (ulimit -f 8; trap '' XFSZ; image 1 edit stock.bin $story -o no.bin) && absent no.bin && ! ls no.bin* >/dev/null 2>&1; }
check "no room: nothing is left, not even a part" short_disk
keeps_old() { cp dell.bin old.bin; (ulimit -f 8; trap '' XFSZ; image 1 edit stock.bin $story -o old.bin --force) && same old.bin dell.bin; }
check "no room with --force: the old file stays whole" keeps_old
full_disk() { [ "$(id -u)" = 0 ] && mkdir -p disk && mount -t tmpfs -o size=32k none disk 2>/dev/null; }
if full_disk; then
    on_full_disk() { image 1 edit stock.bin $story -o disk/no.bin && [ -z "$(ls -A disk)" ] && complains "No space left"; }
    check "a full disk: nothing is left" on_full_disk
    umount disk
else
    skip "a full disk: nothing is left" "no tmpfs can be mounted here"
fi

# ---- wrong use ----

check "nothing to change" refused 2 no-edit edit stock.bin -o no.bin
check "no output" refused 2 no-output edit stock.bin --psid X_1
check "no file" refused 2 no-file edit --psid X_1 -o no.bin
check "two files" refused 2 too-many-files edit stock.bin dell.bin --psid X_1 -o no.bin
check "an impossible PSID" image 2 edit stock.bin --psid 'A PSID, no' -o no.bin
check "an empty PSID" refused 2 bad-option edit stock.bin --psid '' -o no.bin
check "a PSID too long" image 2 edit stock.bin --psid MT_00000000000000 -o no.bin
check "a VSD too long" image 2 edit stock.bin --vsd "$(printf '%0300d' 0)" -o no.bin
check "not an image" image 6 edit "$self" --psid X_1 -o no.bin
mlx() { printf ';; prepMLX version 1.2\n[group]\n' >fw.mlx; image 6 edit fw.mlx --psid X_1 -o no.bin && image 6 ini fw.mlx && complains ".mlx"; }
check ".mlx is explained" mlx
container() { "$maker" mfa2 -o two.mfa2 fs4.bin fs3.bin && image 2 edit two.mfa2 --psid X_1 -o no.bin || image 4 edit two.mfa2 --psid X_1 -o no.bin; complains "extract"; }
check "a container of several: extract first" container

finish
