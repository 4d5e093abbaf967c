#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The card is pulled, or reset by someone else, during a backup and during a burn: a defined
# end, one clear message, no partial file, no oops, and the module unloads.
. ./lib.sh

plan 26
load || bail "the modules do not load"
cxsim-image connectx3pro /tmp/new.bin psid=MT_1090111019 version=2.43.1000 >/dev/null

# message: stderr names the card and says it once.
message()
{
    [ "$(grep -c '^cxctl: ' "$err")" -le 1 ] || { cat "$err"; return 1; }
    [ -s "$err" ]
}
no_file()
{
    ! ls /tmp/surprise.bin* /tmp/.surprise.bin* >"$work/files" 2>/dev/null || { cat "$work/files"; return 1; }
}

for model in connectx3pro connectx5; do
    for fault in unplug_after reset_after; do
        card "model=$model flash_size=2M" 2>/dev/null || card "model=$model flash_size=4M"
        setting $fault 4000
        run timeout 300 cxctl backup "$address" --raw -o /tmp/surprise.bin
        if [ $fault = reset_after ] && [ $status = 0 ]; then
            # A reset that the driver rode out: then the file must be right.
            pass "$model: $fault during a backup: read on after it"
            check "$model: and the file is the flash" cmp /tmp/surprise.bin "$cxsim/$card/flash"
        else
            expect "$model: $fault during a backup ends it" 7
            check "$model: $fault: no partial file" no_file
        fi
        check "$model: $fault: one message" message
        rm -f /tmp/surprise.bin
        sleep 1
        remove_cards
    done
done

for fault in unplug_after reset_after; do
    card "model=connectx3pro psid=MT_1090111019 version=2.36.5000 flash_size=2M guid=0xe41d2d0300fffe10"
    cxctl burn "$address" -i /tmp/new.bin -y --backup /tmp/surprise.bin >"$out" 2>"$err" &
    tool=$!
    for _ in $(seq 600); do
        [ "$(counter spi_programs)" -lt 20 ] || break
        usleep 50000
    done
    setting $fault 500
    wait $tool
    status=$?
    if [ $fault = reset_after ] && [ $status = 0 ]; then
        pass "$fault during a burn: it went on after it"
    else
        check "$fault during a burn: it does not claim success ($status)" test $status != 0
    fi
    check "$fault during a burn: one message" message
    sleep 2
    [ $fault != unplug_after ] || echo 1 >"$cxsim/$card/plug"
    power_cycle
    check "$fault during a burn: the card boots a whole image with its identity" \
        test "$(booted recovery) $(booted whole) $(booted guid0)" = "0 1 0xe41d2d0300fffe10"
    rm -f /tmp/surprise.bin
    run cxctl burn "$address" -i /tmp/new.bin -y
    expect "$fault: the second burn succeeds" 0
    power_cycle
    check "$fault: and runs" test "$(booted version)" = 2.43.1000
    remove_cards
done

# Pulled while a file is open.
card "model=connectx5 flash_size=4M"
exec 7<"/dev/cxfw/$address"
head -c 4096 <&7 >/dev/null
echo 0 >"$cxsim/$card/unplug"
sleep 1
check "reading an open file of a pulled card fails" sh -c '! head -c 4096 <&7 | grep -q .'
check "and its node is gone" test ! -e "/dev/cxfw/$address"
exec 7<&-
remove_cards
check "nothing is left" sh -c '[ -z "$(ls /dev/cxfw 2>/dev/null)" ]'
check "the modules unload" unload
finish
