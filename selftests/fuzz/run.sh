#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# run.sh NAME SECONDS: runs build/fuzz/fuzz_NAME in KTAP: first on the seeds, made here, and on the
# small corpus of selftests/fuzz/corpus/NAME, then for SECONDS on mutations of them. SEED=n takes
# up a run again. What breaks a promise is left in build/fuzz/found/.
set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/common.sh

name=$1 seconds=$2
program=$build/fuzz/fuzz_$name
make=$build/cxctl-test-image
seeds=$build/fuzz/seeds/$name work=$build/fuzz/grown/$name found=$build/fuzz/found
seed=${SEED:-$((RANDOM * 32768 + RANDOM + 1))}

# image NAME WORD…: a seed, small: of a whole image 112 KiB, of the others what they need.
image()
{
    local to=$1
    shift
    "$make" "$@" -o "$seeds/$to" || die "no seed: $*"
}

images()
{
    image fs2 fs2 code_size=256
    image fs2-rom fs2 code_size=256 rom_size=1044 product=2.42.5000
    image fs2-plain fs2 code_size=256 not_failsafe no_mic
    image fs2-blank fs2 code_size=256 blank_guids
    image fs3 fs3 code_size=256 size=112k
    image fs3-rom fs3 code_size=256 stripped rom_size=1044 digest
    image fs3-signed fs3 code_size=256 stripped signature_2048 keys security_flags=0x4100
    image fs3-ib fs3 code_size=256 size=112k connect_ib
    image fs4 fs4 code_size=256 size=112k
    image fs4-digest fs4 code_size=256 stripped digest keys rom_size=1044
    image fs4-hashes fs4 code_size=256 stripped hashes signature_2048 signature_4096 security_flags=0xc140
    image fs4-second fs4 code_size=256 size=112k second_itoc
    image fs4-encrypted fs4 code_size=256 size=112k encrypted security_flags=0xc108
    image fs5 fs5 code_size=256 size=112k
    image fs5-outer fs5 code_size=256 size=112k encapsulated
    image fs5-stripped fs5 code_size=256 stripped
}

containers()
{
    local small="$seeds/small" smaller="$seeds/smaller"
    image small fs4 code_size=256 stripped psid=SYN0000000002
    image smaller fs3 code_size=256 stripped
    image mfa1 mfa1 "$small" "$smaller"
    image mfa1-xz mfa1 compressed "$small" "$smaller"
    image mfa2 mfa2 padding=64 "$small" "$smaller"
    image mfa2-old mfa2 old_packing "$smaller"
    image pldm pldm "$small" "$smaller"
    rm "$small" "$smaller"
}

ini_texts()
{
    printf ';; made\n[PS_INFO]\nName = X_A2\nDescription = a; b\nPRS_name = x.prs\n[ADAPTER]\nPSID = FUZ0000000001\n[IB]\nnum_of_ports = Two_Ports\n' >"$seeds/fs2"
    printf '[image_info]\npsid = FUZ0000000001\nname = X\nboard_name=Y\r\n[mfg_info]\norig_prs_name=a\n' >"$seeds/fs4"
    # A mark must stand before the NULs that end a text, whatever bytes are in it.
    printf ';; made\n[PS_INFO]\nName = X_A2\nDescri\337ftion = a; \n[ADAPTER]\nPSID = FUZ.0000port00001\n' >"$seeds/nuls"
    printf '[IB]\nnum_of_ports = Two_Ports\n\0\0\0\0\0\0\0\0' >>"$seeds/nuls"
}

make_seeds()
{
    rm -rf "$seeds"
    mkdir -p "$seeds" "$work" "$found"
    case $name in
    image) images ;;
    edit)
        images
        # Wishes stand before the image.
        for file in "$seeds"/*; do
            { printf '\x29\0\0\2FUZ000000001'; cat "$file"; } >"$file.wish"
            mv "$file.wish" "$file"
        done
        ;;
    container) containers ;;
    source)
        containers
        image fs2 fs2 code_size=256
        {
            head -c 4096 /dev/zero
            cat "$seeds/fs2"
            head -c 999 /dev/zero
            cat "$seeds/mfa2"
        } >"$seeds/installer"
        printf '%s' '{ "format": "cxctl-image-index", "version": 1, "root": ".", "images": [ { "psid": "FUZ0000000001",' \
            ' "firmware_version": "1.2.3", "format": "FS2", "container": "none", "file": "a.bin", "inside": "",' \
            ' "member": -1, "length": 4, "sha256": "00", "name": "x", "good": true } ] }' >"$seeds/catalogue"
        ;;
    ini) ini_texts ;;
    rom) image rom rom size=1044 ;;
    esac
}

# fuzz WORD…: the rest are options and directories of libFuzzer's.
fuzz()
{
    "$program" -seed="$seed" -timeout=25 -rss_limit_mb=1500 -artifact_prefix="$found/$name-" \
        -print_final_stats=1 "$@" >"$build/fuzz/$name.log" 2>&1
}

# verdict NUMBER WHAT STATUS
verdict()
{
    if [ "$3" = 0 ]; then
        echo "ok $1 $2"
        return
    fi
    grep -v -E '^(#[0-9]+|INFO:|[[:space:]]NEW_)' "$build/fuzz/$name.log" | cut -c 1-200 |
        head -n 24 | sed 's/^/# /'
    echo "not ok $1 $2"
    failed=1
}

failed=0
echo "KTAP version 1"
echo "1..2"
echo "# SEED=$seed"
[ -x "$program" ] || {
    echo "not ok 1 $program is there"
    echo "not ok 2 $program runs"
    exit 1
}
make_seeds
corpus=("$seeds")
[ ! -d "selftests/fuzz/corpus/$name" ] || corpus+=("selftests/fuzz/corpus/$name")
fuzz -runs=0 "${corpus[@]}"
verdict 1 "$name: known inputs" $?
fuzz -max_total_time="$seconds" -max_len=300000 "$work" "${corpus[@]}"
verdict 2 "$name: $seconds seconds of mutations" $?
sed -n -E 's/^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb): */# \1: /p' "$build/fuzz/$name.log"
exit $failed
