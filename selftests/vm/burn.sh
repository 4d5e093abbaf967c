#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The first burn of FS2 on ConnectX-3 and 3 Pro, with mstflint as referee; guards; a power cut
# in a real kernel; a tool killed while its job runs.
. ./lib.sh

plan 29
load || bail "the modules do not load"
mstflint=$(command -v mstflint)

for model in connectx3 connectx3pro; do
    [ $model = connectx3 ] && psid=MT_1060110018 || psid=MT_1090111019
    card "model=$model psid=$psid version=2.36.5000 flash_size=2M guid=0xe41d2d0300fffe10 mac=0xe41d2dfffe10 rom_size=32K vsd=\"kept by the burn\""
    cxsim-image $model /tmp/new.bin psid=$psid version=2.42.5000 >/dev/null
    run cxctl burn "$address" -i /tmp/new.bin -y --backup /tmp/$model.bin
    expect "$model: burned" 0 "2\.42\.5000"
    run cxctl verify "$address"
    expect "$model: cxctl verifies it" 0
    power_cycle
    check "$model: it runs after a power cycle" test "$(booted version) $(booted whole)" = "2.42.5000 1"
    check "$model: GUID and MAC are kept" test "$(booted guid0) $(booted mac0)" = "0xe41d2d0300fffe10 0xe41d2dfffe10"
    if [ -n "$mstflint" ]; then
        run mstflint -d "$address" query
        expect "$model: mstflint reads the new version" 0 "FW Version: *2.42.5000"
        check "$model: mstflint finds PSID" grep -q "PSID: *$psid" "$out"
        check "$model: mstflint finds the expansion ROM, which was kept" grep -q "Rom Info" "$out"
        check "$model: mstflint finds the VSD, which was kept" grep -q "kept by the burn" "$out"
        run mstflint -d "$address" verify
        expect "$model: mstflint verifies it" 0
    else
        for what in version psid rom vsd verify; do skip "$model: mstflint, $what" "no mstflint here"; done
    fi
    check "$model: nothing that would hurt a card" test "$(counter foul)" = 0
    [ $model = connectx3pro ] || remove_cards
done

# Guards.
cxsim-image connectx3 /tmp/chip.bin psid=MT_1090111019 version=2.43.1000 >/dev/null
run cxctl burn "$address" -i /tmp/chip.bin -y
expect "an image for another chip is refused" 4
cxsim-image connectx3pro /tmp/old.bin psid=MT_1090111019 version=2.30.8000 >/dev/null
run cxctl burn "$address" -i /tmp/old.bin -y
expect "an older version is refused until allowed" 4 "2\.30\.8000"
cxsim-image connectx3pro /tmp/damaged.bin psid=MT_1090111019 version=2.43.1000 >/dev/null
printf '\377\377\000\000' | dd of=/tmp/damaged.bin bs=1 seek=40000 conv=notrunc 2>/dev/null
run cxctl burn "$address" -i /tmp/damaged.bin -y
expect "a damaged image is refused" 6
check "nothing was written by any of those" test "$(cxctl info "$address" -j >"$work/info"; json firmware_stored "$work/info")" = 2.42.5000

# Power is cut in the middle; the second burn succeeds.
cxsim-image connectx3pro /tmp/next.bin psid=MT_1090111019 version=2.43.1000 >/dev/null
setting cut_torn 1
setting cut_after 40
run cxctl burn "$address" -i /tmp/next.bin -y
check "a burn that loses power does not claim success" test "$status" != 0
setting cut_after 0
setting cut_torn 0
power_cycle
check "the card boots a whole image, with its identity" test "$(booted recovery) $(booted whole) $(booted guid0)" = "0 1 0xe41d2d0300fffe10"
run cxctl burn "$address" -i /tmp/next.bin -y
expect "the second burn succeeds" 0
power_cycle
check "and runs" test "$(booted version)" = 2.43.1000

# The job outlives the tool.
cxsim-image connectx3pro /tmp/last.bin psid=MT_1090111019 version=2.44.1000 >/dev/null
cxctl burn "$address" -i /tmp/last.bin -y --backup /tmp/last-backup.bin >/dev/null 2>&1 &
tool=$!
operations=$(counter spi_programs)
for _ in $(seq 300); do
    [ "$(counter spi_programs)" = "$operations" ] || break
    usleep 100000
done
kill -9 $tool
wait $tool 2>/dev/null
for _ in $(seq 60); do
    sleep 1
    cxctl info "$address" -j >"$work/info" 2>/dev/null
    [ "$(json firmware_stored "$work/info")" = 2.44.1000 ] && break
done
check "a burn goes on when its tool is killed" test "$(json firmware_stored "$work/info")" = 2.44.1000
finish
