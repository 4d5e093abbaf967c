#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An MFA2 made by "cxctl image pack", judged by the kernel's own mlxfw: what it would send to a card is,
# byte for byte, the stripped image with its magic masked, as another maker writes it.
. ./lib.sh

referee=/mnt/mlxfw_referee.ko
[ -e $referee ] || skip_all "the judge knows mlxfw of Linux 6.1"
debug=/sys/kernel/debug/mlxfw_referee
whole="fs3,MT_2180110032,14.32.1010 fs4,MT_0000000008,16.35.2000 fs4,DEL000000004,20.30.1004"

# make_image OUT FORMAT,PSID,VERSION WORD…
make_image()
{
    made_into=$1
    made_of=$(echo "$2" | tr , ' ')
    shift 2
    # shellcheck disable=SC2086
    set -- $made_of "$@"
    made_format=$1 made_psid=$2 made_version=$3
    shift 3
    cxctl-test-image "$made_format" psid="$made_psid" version="$made_version" code_size=300k date=2022-11-20 \
        rom_size=16k digest "$@" -o "$made_into"
}

# flashed FILE PSID: mlxfw took the image for that PSID out of /lib/firmware/FILE and sent it.
flashed()
{
    rmmod mlxfw_referee 2>/dev/null
    insmod $referee file="$1" psid="$2"
}

# refused FILE PSID MESSAGE: mlxfw did not take it, and said why.
refused()
{
    rmmod mlxfw_referee 2>/dev/null
    dmesg -c >/dev/null
    ! insmod $referee file="$1" psid="$2" && dmesg | grep "$3"
}

plan 16
modprobe mlxfw || bail "the kernel has no mlxfw"
mkdir -p /lib/firmware
files=
for image in $whole; do
    make_image "$work/$image.bin" "$image" || bail "no image to pack"
    make_image "$work/$image.stripped" "$image" stripped masked_magic || bail "no image to compare with"
    files="$files $work/$image.bin"
done
# shellcheck disable=SC2086
run cxctl image pack $files -o /lib/firmware/all.mfa2
expect "three images are packed" 0
for image in $whole; do
    psid=$(echo "$image" | cut -d, -f2)
    check "mlxfw finds $psid and sends it" flashed all.mfa2 "$psid"
    check "what it sends is the stripped image" cmp $debug/component "$work/$image.stripped"
    check "it was verified and activated once" test "$(cat $debug/verified $debug/activated | xargs)" = "1 1"
done
check "a PSID that is not in the file is refused" refused all.mfa2 MT_0000000009 "Could not find device PSID"
head -c 16000 /lib/firmware/all.mfa2 >/lib/firmware/short.mfa2
check "a truncated file is refused" refused short.mfa2 MT_0000000008 "Component block size is too big"
{ head -c 16000 /lib/firmware/all.mfa2 && printf damaged && tail -c +16008 /lib/firmware/all.mfa2; } \
    >/lib/firmware/damaged.mfa2
check "a damaged file is refused" refused damaged.mfa2 MT_0000000008 "xz file corrupted"
image=$(echo "$whole" | cut -d' ' -f1)
make_image "$work/stripped.bin" "$image" stripped || bail "no stripped image"
run cxctl image pack "$work/stripped.bin" -o /lib/firmware/one.mfa2
expect "a stripped image is packed" 0
check "mlxfw sends it" flashed one.mfa2 MT_2180110032
check "as it is" cmp $debug/component "$work/$image.stripped"
rmmod mlxfw_referee 2>/dev/null
finish
