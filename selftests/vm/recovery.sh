#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An empty flash: the card comes up without firmware, and it is said what to do.
. ./lib.sh

plan 12
load || bail "the modules do not load"

for model in connectx3pro connectx5; do
    card "model=$model flash_size=4M empty=1"
    check "$model with an empty flash is in recovery" test "$(booted recovery)" = 1
    run cxctl info "$address"
    expect "$model: recovery is named, with what to do next" 0 "RECOVERY|recovery"
    check "$model: the next step is named" grep -q -i 'next:' "$out"
    run cxctl list
    expect "$model: the list says so" 0 "$address .*recovery"
    run cxctl backup "$address" -o "/tmp/$model.bin"
    expect "$model: an empty flash can be saved" 0
    [ "$model" = connectx3pro ] || remove_cards
done

# The first image on a ConnectX-3 Pro. The identity comes from the owner: the flash has none.
remove_cards
card "model=connectx3pro flash_size=4M empty=1"
cxsim-image connectx3pro /tmp/image.bin psid=MT_1090111019 version=2.42.5000 >/dev/null
run cxctl burn "$address" -i /tmp/image.bin -y --guid 0002c90300112230 --mac 0002c9112230
expect "an image is burned on an empty flash" 0
power_cycle
check "and after a power cycle the card runs it" test "$(booted recovery) $(booted version)" = "0 2.42.5000"
finish
