#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# image.sh: cxctl image info, verify, list, extract, diff, pack and index from end to end on synthetic
# files, in KTAP: texts, JSON keys, exit codes, and what is no firmware at all.
# $CXCTL and $CXCTL_TEST_IMAGE name the programs; make check-unit runs it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cxctl=${CXCTL:-$top/build/cxctl}
maker=${CXCTL_TEST_IMAGE:-$top/build/cxctl-test-image}
work=$(mktemp -d "${TMPDIR:-/tmp}/image.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
. "$top/selftests/lib/cli.sh"

# image CODE ARGUMENT…: cxctl image, its answer in out, its conversation in err; true if it ends with CODE in time.
image()
{
    local wanted=$1 code
    shift
    timeout 30 "$cxctl" image "$@" >out 2>err
    code=$?
    [ $code -eq "$wanted" ] || { echo "# cxctl image $*: exit code $code, not $wanted"; return 1; }
}

says() { grep -qF -- "$1" out || { echo "# the answer does not say: $1"; return 1; }; }
silent() { ! grep -qF -- "$1" out || { echo "# the answer says: $1"; return 1; }; }
complains() { grep -qF -- "$1" err || { echo "# the error does not say: $1"; return 1; }; }

# json PYTHON: true if the expression is, with the answer in j and its first image in i.
json()
{
    python3 -IS -c 'import json, sys
j = json.load(open("out"))
i = (j.get("images") or [{}])[0]
sys.exit(not eval(sys.argv[1]))' "$1" || { echo "# false: $1"; return 1; }
}

# flip FILE OFFSET: the lowest bit of one byte.
flip()
{
    python3 -c 'import sys
name, at = sys.argv[1], int(sys.argv[2], 0)
data = bytearray(open(name, "rb").read())
data[at] ^= 1
open(name, "wb").write(data)' "$1" "$2"
}

make_images()
{
    "$maker" fs2 psid=MT_0D90110009 version=2.10.720 date=2012-05-17 time=10:11:12 hw_id=0x190 pci=0x6750 \
        name=MHQH29C-XTR_A1 vsd=stock rom_size=0x800 rom_version=3.4.142 guid=0x0002c90300112230 \
        mac=0x0002c9112230 code_size=160k log2=16 -o fs2.bin &&
        "$maker" fs2 psid=MT_0D90110009 version=2.10.720 date=2012-05-17 time=10:11:12 hw_id=0x190 pci=0x6750 \
            name=MHQH29C-XTR_A1 vsd=stock rom_size=0x800 rom_version=3.4.142 guid=0x0002c90300112230 \
            mac=0x0002c9112230 code_size=160k log2=16 flash=2m slot=1 -o backup.bin &&
        "$maker" fs3 digest psid=MT_2420110034 -o fs3.bin &&
        "$maker" fs4 digest keys hashes psid=MT_0000000008 version=16.35.2000 rom_size=0x1000 uid_count=8 -o fs4.bin &&
        "$maker" fs5 -o fs5.bin &&
        "$maker" fs4 digest keys signature_4096 psid=MT_0000000008 security_flags=0xe100 security_version=3 -o secure.bin &&
        "$maker" fs4 encrypted -o encrypted.bin &&
        "$maker" fs4 stripped digest psid=MT_0000000008 version=16.35.2000 -o one.bin &&
        "$maker" fs4 stripped digest psid=DEL0000000004 version=16.35.1012 name=0XYZ_A2 board_seed=9 -o two.bin &&
        "$maker" mfa2 -o two.mfa2 one.bin two.bin &&
        "$maker" mfa2 -o single.mfa2 one.bin &&
        "$maker" mfa1 compressed -o two.mfa fs4.bin fs3.bin &&
        "$maker" pldm -o one.pldm one.bin
}

echo "KTAP version 1"
check "synthetic files" make_images

# ---- the command itself ----

help_lists() { image 0 --help && for s in info verify list extract diff ini edit pack index; do says "  $s " || return 1; done; }
check "--help lists the subcommands" help_lists
help_of_each() { local s; for s in info verify list extract diff ini edit pack index; do image 0 "$s" --help && says "cxctl image $s" &&
    cp out one-help && image 0 help "$s" && cmp -s out one-help || return 1; done; }
check "each tells about itself, two ways" help_of_each
unknown() { image 2 vrfy && complains "no command image vrfy" && complains "info, verify, list" && image 2 -j vrfy && json "j['error']['id'] == 'unknown-command'"; }
check "an unknown subcommand: the list of those that are there" unknown
none() { image 2 && complains "needs a subcommand" && image 2 info && complains "no file named" && image 2 verify -j && json "j['error']['id'] == 'no-path'"; }
check "no subcommand, no file" none
before() { image 0 -j info fs4.bin && json "i['format'] == 'FS4'"; }
check "options before the subcommand" before
no_card() { image 2 info -d mlx5_0 fs2.bin && complains "asks no card" && image 0 info --help && says "--json" && ! says "--device"; }
check "no card is asked" no_card

# ---- info ----

info_fs2() { image 0 info fs2.bin && says "FS2, for ConnectX-2" && says "2.10.720" && says "2012-05-17 10:11:12" &&
    says "MT_0D90110009 (Mellanox)" && says "MHQH29C-XTR_A1, revision A1" && says "2 ports" && says "0002c90300112230  node" &&
    says "0002c9112230  port 1" && says "PXE 3.4.142" && says "failsafe" && says "stock" && silent "Sections"; }
check "info of FS2" info_fs2
info_fs2_json() { image 0 info -j fs2.bin && json "i['format'] == 'FS2' and i['psid'] == 'MT_0D90110009' and i['psid_vendor'] == 'Mellanox'" &&
    json "i['firmware_version'] == '2.10.720' and i['firmware_date'] == '2012-05-17' and i['firmware_time'] == '10:11:12'" &&
    json "i['hw_ids'] == [0x190] and i['model'] == 'ConnectX-2' and i['image_pci_device'] == 0x6750" &&
    json "i['guids'][0] == '0002c90300112230' and i['macs'][0] == '0002c9112230' and not i['dummy_ids']" &&
    json "i['roms'][0] == {**i['roms'][0], 'type': 'PXE', 'version': '3.4.142'}" &&
    json "i['board']['ports'] == 2 and i['board']['revision'] == 'A1' and i['retagged'] is False" &&
    json "i['slot']['failsafe'] and i['slot']['size'] >= 65536 and i['editable']" &&
    json "{s['name'] for s in i['sections']} >= {'BOOT2', 'Configuration', 'GUID', 'Image Info', 'ROM', 'DDR'}" &&
    json "all(s['crc_kind'] in ('stored', 'in_section', 'absent') for s in i['sections'])" &&
    json "i['sources']['psid'] and i['kind'] == 'image' and i['path'] == 'fs2.bin' and i['inside'] == ''"; }
check "info of FS2 in JSON" info_fs2_json
info_later() { local f; for f in fs3 fs4 fs5; do image 0 info -j $f.bin && json "i['format'] == '${f^^}' and i['firmware_version'] and i['part_number']" &&
    json "i['base_guid'] and i['base_mac'] and i['device_vsd'] and i['image_vsd']" &&
    json "{'IMAGE_INFO', 'MAIN_CODE', 'DBG_FW_INI', 'MFG_INFO'} <= {s['name'] for s in i['sections']}" || return 1; done
    image 0 info -j fs4.bin && json "i['base_guid_count'] == 8 and i['roms'][0]['version'] == '3.4.752' and i['rom_length'] == 0x1000"; }
check "info of FS3, FS4 and FS5 in JSON" info_later
verbose() { image 0 info -v fs4.bin && says "[IMAGE_INFO]" && says "MAIN_CODE" && says "device data" && says "Sections"; }
check "-v tells sources and sections" verbose
secure() { image 0 info secure.bin && says "secure-fw, debug" && says "Security version" && says "Edits" && says "development" && says "refuses" &&
    image 0 info -j secure.bin && json "not i['editable'] and i['not_editable_because'] and i['security']['secure'] and i['security']['security_version'] == 3" &&
    json "i['update_method'] == 'fw_ctrl' and i['security']['keys']"; }
check "what signatures mean" secure
by_section() { "$maker" fs4 signature_4096 -o by-section.bin && "$maker" fs5 -o fs5-plain.bin && image 0 info by-section.bin && says "IMAGE_SIGNATURE_512" &&
    image 0 info -j by-section.bin && json "not i['editable'] and i['security']['signed_by'] == 'IMAGE_SIGNATURE_512' and not i['security']['signed']" &&
    image 0 info -j fs4.bin && json "i['editable'] and i['security']['signed_by'] is None" && image 0 info -j fs5-plain.bin && json "not i['editable']"; }
check "signed without a flag, FS5: what edit refuses, info does not promise" by_section
hidden() { image 0 info encrypted.bin && says "encrypted" && says "cannot be changed" && image 0 info -j encrypted.bin && json "i['encrypted'] and not i['editable'] and i['psid']"; }
check "an encrypted image" hidden
missing() { image 0 info one.bin && says "device data" && image 0 info -j one.bin && json "i['stripped'] and not i.get('base_guid')"; }
check "what a component does not have" missing
backup() { image 0 info backup.bin && says "Image slot" && says "1, at 0x010000" && image 0 info -j backup.bin && json "len(j['images']) == 1 and i['slot']['stored'] == 1 and i['psid'] == 'MT_0D90110009'"; }
check "a backup of a flash: its slot" backup
container() { image 0 info two.mfa2 && says "MFA2" && says "MT_0000000008, DEL0000000004" && says "image list two.mfa2" &&
    image 0 info -j two.mfa2 && json "i['kind'] == 'container' and i['container'] == 'MFA2' and i['psids'] == ['MT_0000000008', 'DEL0000000004'] and i['member_count'] == 2"; }
check "a container is summed up" container
member() { image 0 info two.mfa2 --psid DEL0000000004 && says "0XYZ_A2" && says "16.35.1012" && image 0 info -j two.mfa2 --psid DEL0000000004 &&
    json "i['psid'] == 'DEL0000000004' and i['magic_restored'] and i['stripped']"; }
check "--psid: one of its images" member
several() { image 0 info fs2.bin fs4.bin -j && json "[x['format'] for x in j['images']] == ['FS2', 'FS4']"; }
check "several files" several
partly() { image 9 info fs2.bin nothing.bin -j && json "len(j['images']) == 2 and j['images'][1]['error']['id'] == 'image-unreadable'" && complains "nothing.bin"; }
check "one that is there, one that is not: exit code 9" partly
directory() { mkdir -p many && cp fs2.bin fs4.bin two.mfa2 many && echo "a word" >many/readme.txt && image 0 info -j many && json "len(j['images']) == 3" &&
    image 0 info -j many --psid DEL0000000004 && json "i['psid'] == 'DEL0000000004'" && json "i['path'].endswith('two.mfa2')"; }
check "a directory is searched" directory

# ---- a PSID that is not there ----

nearest() { image 1 info two.mfa2 --psid HP_2420110034 && complains "two.mfa2 has 2 PSIDs, none is HP_2420110034; nearest are " &&
    complains "this PSID is HPE's" && complains "MT_0000000008" && image 1 info -j two.mfa2 --psid HP_2420110034 && json "i['error']['id'] == 'no-such-psid'"; }
check "how many there are, which are nearest, whose it is" nearest
one_other() { image 1 info fs2.bin --psid DEL0A10000019 && complains "fs2.bin has the PSID MT_0D90110009, not DEL0A10000019; this PSID is Dell's"; }
check "an image of another PSID" one_other
nobody() { image 1 info fs2.bin --psid ZZZ0000000001 && complains "does not know whose PSID"; }
check "a PSID of nobody" nobody
choose() { image 2 diff two.mfa2 two.mfa && complains "images for 2 PSIDs: MT_0000000008, DEL0000000004" && complains "--psid"; }
check "several images and no PSID: the list, and what to do" choose

# ---- verify ----

good() { local f; for f in fs2 fs3 fs4 fs5 secure backup one; do image 0 verify $f.bin && says ": good" || return 1; done; }
check "whole images are good" good
parts() { image 0 verify -v fs2.bin && says "BOOT2" && says "Full Image" && says "OK" && image 0 verify fs2.bin && silent "BOOT2" &&
    image 0 verify -j fs2.bin && json "i['verdict'] == 'good' and i['parts'] and i['findings'] == [] and j['finding_count'] == 0"; }
check "-v and -j list the parts" parts
damaged() { cp fs4.bin bad.bin && flip bad.bin 0x9000 && image 8 verify bad.bin && says "DAMAGED" && says "expected 0x" && says "found 0x" && says " at 0x" &&
    image 8 verify -j bad.bin && json "i['verdict'] == 'damaged' and any(f['verdict'] == 'damaged' and f['part'] for f in i['findings'])" &&
    json "any('expected' in f and 'found' in f and 'where' in f for f in i['findings'])"; }
check "a flipped bit: what, where, expected, found; exit code 8" damaged
unusual() { cp fs2.bin odd.bin && printf x >>odd.bin && image 8 verify odd.bin && says "good, but unusual" && image 8 verify -j odd.bin && json "i['verdict'] == 'unusual'"; }
check "good but unusual: exit code 8" unusual
short() { head -c 70000 fs4.bin >short.bin && image 8 verify short.bin && says "DAMAGED" && image 6 info short.bin; }
check "cut off" short
verify_container() { image 0 verify two.mfa2 && says "MFA2, 2 entries): good" && says "2 images: all good" && image 0 verify two.mfa && says "2 images: all good" &&
    image 0 verify -j two.mfa2 && json "i['kind'] == 'container' and i['verdict'] == 'good' and i['good'] == 2 and [m['verdict'] for m in i['images']] == ['good', 'good']" &&
    json "{m['member_psid'] for m in i['images']} == {'MT_0000000008', 'DEL0000000004'}"; }
check "a container: its own guards and every image" verify_container
bad_member() { cp one.bin hurt.bin && flip hurt.bin 0x9000 && "$maker" mfa2 -o hurt.mfa2 hurt.bin two.bin && image 8 verify hurt.mfa2 &&
    says "MFA2, 2 entries): good" && says "MT_0000000008 (FS4 16.35.2000): DAMAGED" && says "1 good, 0 unusual, 1 damaged"; }
check "a damaged image in a whole container" bad_member
bad_container() { cp two.mfa2 cut.mfa2 && flip cut.mfa2 0x60 && image 8 verify cut.mfa2 && says "DAMAGED" && image 8 verify -j cut.mfa2 && json "j['finding_count'] > 0"; }
check "a damaged container" bad_container
only_one() { image 0 verify two.mfa2 --psid DEL0000000004 -j && json "len(j['images']) == 1 and i['psid'] == 'DEL0000000004'"; }
check "verify of one PSID" only_one

# ---- list, extract ----

list() { image 0 list two.mfa2 two.mfa && says "MT_0000000008" && says "DEL0000000004" && says "MT_2420110034" && says "16.35.1012" &&
    image 0 list -j two.mfa2 && json "[x['psid'] for x in j['images']] == ['MT_0000000008', 'DEL0000000004'] and i['firmware_version'] == '16.35.2000'" &&
    image 0 list -j --fast two.mfa2 && json "len(j['images']) == 2"; }
check "list" list
extract() { image 0 extract two.mfa2 --psid DEL0000000004 -o got.bin && cmp -s got.bin two.bin && image 0 extract two.mfa --psid MT_0000000008 -o whole.bin && cmp -s whole.bin fs4.bin &&
    image 4 extract two.mfa2 --psid DEL0000000004 -o got.bin && complains "got.bin exists" && image 0 extract one.pldm -o p.bin && cmp -s p.bin one.bin; }
check "extract gives the image back" extract
extract_all() { mkdir -p all && image 0 extract two.mfa2 --all -o all && [ "$(ls all | wc -l)" = 2 ]; }
check "extract --all" extract_all
extract_none() { image 1 extract two.mfa2 --psid HP_2420110034 -o none.bin && complains "nearest are" && [ ! -e none.bin ]; }
check "extract of a PSID that is not there" extract_none
extract_bad() { image 6 extract hurt.mfa2 --psid MT_0000000008 -o none.bin && [ ! -e none.bin ]; }
check "a damaged image is not extracted" extract_bad

# ---- diff ----

same() { image 0 diff fs4.bin fs4.bin && says "identical" && image 0 diff -j fs2.bin backup.bin && json "j['identical'] and j['statements'][0]['id'] == 'identical' and j['second']['slot'] == 1"; }
check "the same, also in a backup: exit code 0" same
other() { image 8 diff one.bin two.bin && says "other PSID" && says "other board" && says "HW_MAIN_CFG" && says "! " &&
    image 8 diff -j one.bin two.bin && json "not j['identical'] and {'other-psid', 'other-board'} <= {s['id'] for s in j['statements'] if s['grave']}" &&
    json "{'psid', 'firmware_version', 'board_name'} <= {f['key'] for f in j['facts']}" &&
    json "any(s['difference'] == 'other' and s['differing_bytes'] > 0 for s in j['sections'])"; }
check "different: exit code 8, facts, sections, words" other
families() { image 8 diff fs2.bin fs4.bin && says "other family" && image 8 diff -j fs2.bin fs4.bin && json "j['statements'][0]['id'] == 'other-family'"; }
check "two families" families
by_psid() { image 0 diff two.mfa2 two.bin && says "identical" && image 0 diff two.bin two.mfa2 --psid DEL0000000004; }
check "of a container the image for the other file's PSID" by_psid
two_needed() { image 2 diff fs2.bin && complains "two files" && image 2 diff a b c; }
check "diff wants two files" two_needed

# ---- pack, index ----

pack() { image 0 pack one.bin two.bin -o packed.mfa2 && image 0 verify packed.mfa2 && image 0 diff packed.mfa2 two.bin &&
    image 4 pack one.bin -o packed.mfa2 && image 0 pack fs4.bin -o whole.mfa2 && image 0 diff whole.mfa2 fs4.bin; }
check "pack: good, and nothing lost" pack
no_pack() { image 4 pack fs2.bin -o no.mfa2; [ $? = 0 ] || image 6 pack fs2.bin -o no.mfa2; [ ! -e no.mfa2 ]; }
check "what cannot be packed is not" no_pack
index() { image 0 index many -o many.json && python3 -m json.tool many.json >/dev/null && image 0 list many.json && says "DEL0000000004" &&
    image 0 info -j many.json --psid DEL0000000004 && json "i['psid'] == 'DEL0000000004'" && image 0 extract many.json --psid DEL0000000004 -o indexed.bin && cmp -s indexed.bin two.bin; }
check "a catalogue is a source" index

index_name() { mkdir -p odd && cp two.bin odd/ && cp two.bin "odd/$(printf '\377').bin" && image 9 index odd -o odd.json && grep -q 'not UTF-8' err &&
    python3 -c 'import json; assert len(json.load(open("odd.json", encoding="utf-8"))["images"]) == 1'; }
check "a name that is not UTF-8 is told, not written" index_name

# ---- what is no firmware ----

make_garbage()
{
    mkdir -p garbage empty && : >garbage/zero && printf abc >garbage/three && mkfifo garbage/pipe && truncate -s 4G sparse &&
        { printf 'NVLCINI+' && head -c 5000 /dev/zero; } >garbage/nvlcini.bin && seq 1 20000 >garbage/text &&
        python3 -c 'import random; random.seed(7); open("garbage/random", "wb").write(random.randbytes(300000))' &&
        head -c 65536 /dev/zero | tr '\0' '\377' >garbage/erased && printf MTFW >garbage/four && ln -s nowhere garbage/dangling &&
        printf '<!DOCTYPE html><html></html>' >garbage/page.html && printf 'MFAR\0\0\0\1' >garbage/stub.mfa &&
        printf 'MLNX.MFA2.XZ.00!' >garbage/stub.mfa2 && head -c 60 fs4.bin >garbage/head
}
check "garbage" make_garbage
# Damage (8) where it calls itself firmware, else no image (6): one clear line, never a signal, never a hang.
refuses()
{
    local subcommand=$1 file code
    shift
    for file in garbage/* garbage/missing empty /dev/null; do
        timeout 20 "$cxctl" image "$subcommand" "$file" "$@" >out 2>err
        code=$?
        case $code in 6 | 8) ;; *) echo "# $subcommand $file: exit code $code"; return 1 ;; esac
        [ -s err ] || [ -s out ] || { echo "# $subcommand $file: nothing said"; return 1; }
        ! grep -qiE 'sanitizer|assert|core dumped' err || return 1
    done
}
check "info of what is no image" refuses info
sparse() { image 6 info sparse && complains "zeros"; }
check "4 GiB of nothing" sparse
check "verify of what is no image" refuses verify
check "diff with what is no image" refuses diff fs4.bin
one_document() { local f; for f in garbage/*; do timeout 20 "$cxctl" image info -j "$f" >out 2>err; json "i['error']['id'] and i['error']['text']" || { echo "# $f"; return 1; }; done; }
check "an error is JSON, too" one_document
names() { image 6 info garbage/zero && complains empty && image 6 info garbage/pipe && complains "is a pipe" && image 6 info garbage/nvlcini.bin && complains "NVLCINI+" &&
    image 6 info garbage/text && complains text && image 6 info garbage/missing && complains "No such file"; }
check "it is named for what it is" names
memory() { (ulimit -v 800000; image 6 info garbage/random && image 0 verify two.mfa2 && image 0 info fs4.bin); }
check "with little memory" memory

finish
