#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Inside the virtual machine: both versions of mstflint, and cxctl, are asked the same things
# of the same simulated cards. What they print is brought out for compare.py; what can be
# judged here is judged here.
. /selftests/vm/lib.sh

load || bail "the modules do not load"

# ask CARD-NAME TOOL FILE-NAME ARGUMENTS…
ask()
{
    name=$1 tool=$2 what=$3
    shift 3
    "$tool" -d "$address" "$@" >"/tmp/text" 2>&1
    echo "exit status $?" >>/tmp/text
    emit "$name.$tool.$what" /tmp/text
}

for name in $CARDS; do
    parameters=$(echo "$name" | sed 's/^\([a-z0-9]*\).*/model=\1/')
    case $name in
    *-rom) parameters="$parameters rom_size=32K" ;;
    *-rom-vsd) parameters="$parameters rom_size=32K vsd=\"some words, 17 % & more\"" ;;
    esac
    card "$parameters flash_size=2M" || bail "no card $name"
    cxctl info "$address" -j >/tmp/info 2>&1
    emit "$name.cxctl.info" /tmp/info
    cxctl verify "$address" >/tmp/verify 2>&1
    echo "exit status $?" >>/tmp/verify
    emit "$name.cxctl.verify" /tmp/verify
    for tool in mstflint mstflint-new; do
        command -v $tool >/dev/null || continue
        $tool -v >/tmp/text
        emit "$tool.version" /tmp/text
        ask "$name" $tool query query
        ask "$name" $tool query-full query full
        ask "$name" $tool hw-query hw query
        ask "$name" $tool verify verify
        rm -f /tmp/ri.bin
        ask "$name" $tool ri ri /tmp/ri.bin
        [ -e /tmp/ri.bin ] || : >/tmp/ri.bin
        # The image that mstflint read: on FS2 cxctl compares it piece by piece. On FS4 it is
        # the flash itself, but for the erased gap between image and device data: there the
        # file has zeros, so 0xff counts as 0 on both sides.
        case $name in
        connectx5*)
            tr '\377' '\0' <"$cxsim/$card/flash" >/tmp/flash.flat
            tr '\377' '\0' </tmp/ri.bin | cmp - /tmp/flash.flat >/tmp/text 2>&1
            ;;
        *) cxctl verify "$address" -i /tmp/ri.bin >/tmp/text 2>&1 ;;
        esac
        echo "exit status $?, $(stat -c %s /tmp/ri.bin) bytes" >>/tmp/text
        emit "$name.$tool.image" /tmp/text
    done
    echo "foul $(counter foul)" >/tmp/text
    emit "$name.foul" /tmp/text
    remove_cards
    echo "# asked: $name"
done
