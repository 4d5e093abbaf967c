#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Inside the virtual machine: both versions of mstflint burn simulated cards and cxctl judges
# what they wrote; cxctl burns them and mstflint judges. The card's own boot ROM has the last
# word, and counts what would have hurt a real card. In KTAP.
. /selftests/vm/lib.sh

tools="mstflint"
command -v mstflint-new >/dev/null && tools="mstflint mstflint-new"
export XDG_STATE_HOME="$work/state"

# What is burned how: card, name, its old and new version, parameters of card and image, how
# mstflint and cxctl are told the way, and what of a card it needs (a setting, or -).
ways="
connectx3 flash 2.40.5000 2.42.5000 - - --method=flash -
connectx3pro flash 2.40.5000 2.42.5000 - - --method=flash -
connectx4lx flash 14.31.1014 14.32.1010 signature=1 --no_fw_ctrl --method=flash -
connectx4lx spi 14.31.1014 14.32.1010 signature=1 --no_fw_ctrl --method=flash guard_off
connectx4lx component 14.31.1014 14.32.1010 signature=2 - --method=component -
connectx5 flash 16.31.1014 16.32.1010 signature=1 --no_fw_ctrl --method=flash -
connectx5 spi 16.31.1014 16.32.1010 signature=1 --no_fw_ctrl --method=flash guard_off
connectx5 component 16.31.1014 16.32.1010 signature=2 - --method=component -
connectx6-open flash 20.38.1002 20.39.1002 signature=1 --no_fw_ctrl --method=flash -
connectx6 component 20.38.1002 20.39.1002 signature=2 - --method=component -
connectx7 flash 28.38.1002 28.39.1002 signature=1 --no_fw_ctrl --method=flash -
connectx7 spi 28.38.1002 28.39.1002 signature=1 --no_fw_ctrl --method=flash guard_off
connectx7 component 28.38.1002 28.39.1002 signature=2 - --method=component -
"
ways=$(echo "$ways" | grep -E -e "${BURN_ONLY:-.}")

# Current mstflint does not know a ConnectX-2 any more, so nobody judges that one.
plan $(($(echo "$ways" | grep -c .) * $(echo "$tools" | wc -w) * 7))
load || bail "the modules do not load"

flag()
{
    [ "$1" = - ] || echo "$1"
}

# old PARAMETERS: a card with the old firmware, and the new image for it in $work/new.bin.
prepare()
{
    case $model in
    connectx[23]*) flash=0x200000 ;;
    *) flash=0x400000 ;;
    esac
    card "model=$model version=$old $(flag "$extra") seed=77 code_size=24K flash_size=$flash" || return 1
    rm -rf "$XDG_STATE_HOME"	# another card in the same place: what was burned before is not its past
    setting flash_time 2
    [ "$needs" = - ] || setting "$needs" 1
    # shellcheck disable=SC2046
    cxsim-image "$model" "$work/new.bin" version="$new" seed=78 code=0x6000 flash=$flash $(flag "$extra")
    before=$(grep -E '^(psid|guid|mac)' "$cxsim/$card/booted")
}

# The power goes off and on: does what was burned start, whole and with the card's identity?
boots()
{
    [ "$(counter foul)" = 0 ] || { echo "foul: $(counter foul)"; return 1; }
    power_cycle
    cat "$cxsim/$card/booted"
    [ "$(booted version) $(booted recovery) $(booted whole)" = "$new 0 1" ] || return 1
    [ "$(grep -E '^(psid|guid|mac)' "$cxsim/$card/booted")" = "$before" ]
}

# cxctl names both firmwares, and finds nothing wrong with what the other tool wrote.
cxctl_accepts()
{
    cxctl info "$address" -j >"$work/info" || return 1
    [ "$(json psid "$work/info")" = "$(booted psid)" ] || return 1
    [ "$model" = connectx6 ] || cxctl verify "$address" -i "$work/new.bin"
}

mstflint_says()
{
    "$tool" -d "$address" query >"$work/query" 2>&1 || { cat "$work/query"; return 1; }
    cat "$work/query"
    grep -q -E "^FW Version: *$new" "$work/query" && grep -q -E "^PSID: *$(booted psid)" "$work/query"
}

# A secure card does not let anybody look at its flash.
mstflint_verifies()
{
    [ "$model" = connectx6 ] && return 0
    # shellcheck disable=SC2046
    "$tool" -d "$address" $(flag "$how") verify
}

one_way()
{
    name="$model by $way"
    prepare || bail "no card $model"
    # shellcheck disable=SC2046
    check "$tool burns $name" "$tool" -y -d "$address" $(flag "$how") -i "$work/new.bin" burn
    check "what $tool burned into $name starts, whole, and nothing hurt it" boots
    check "cxctl accepts what $tool burned into $name" cxctl_accepts
    remove_cards

    prepare || bail "no card $model"
    check "cxctl burns $name for $tool" cxctl burn "$address" -i "$work/new.bin" -y "$ours"
    check "what cxctl burned into $name starts, whole, and nothing hurt it" boots
    check "$tool query reads what cxctl burned into $name" mstflint_says
    check "$tool verify accepts what cxctl burned into $name" mstflint_verifies
    remove_cards
}

while read -r model way old new extra how ours needs; do
    [ -n "$model" ] || continue
    for tool in $tools; do one_way </dev/null; done
done <<END
$ways
END
finish
