# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the tests in the virtual machine share: KTAP, and the controls of cxsim. A test is a
# file that sources this, says "plan N", runs "check NAME COMMAND…" N times, and "finish".

cxsim=/sys/kernel/debug/cxsim
work=$(mktemp -d)
number=0 planned=0 failures=0 skips=0

plan()
{
    planned=$1
    echo "KTAP version 1"
    echo "1..$1"
}

pass()
{
    number=$((number + 1))
    echo "ok $number $*"
}

fail()
{
    number=$((number + 1)) failures=$((failures + 1))
    echo "not ok $number $*"
}

# skip NAME WHY
skip()
{
    number=$((number + 1)) skips=$((skips + 1))
    echo "ok $number $1 # SKIP $2"
}

# skip_all WHY: no test of this file can run here.
skip_all()
{
    echo "1..0 # SKIP $*"
    echo 4 >/tmp/status
    exit 4
}

# bail WHY: nothing can be tested, and that is a failure.
bail()
{
    echo "Bail out! $*"
    echo 1 >/tmp/status
    exit 1
}

note()
{
    sed 's/^/# /'
}

# check NAME COMMAND…: the command's output is shown only if it fails.
check()
{
    check_name=$1
    shift
    if "$@" >"$work/check" 2>&1; then
        pass "$check_name"
    else
        echo "# failed ($?): $*"
        tail -n 25 "$work/check" | note
        fail "$check_name"
    fi
}

# run COMMAND…: keeps status in $status, output in $out and $err (files).
out=$work/out err=$work/err status=0
run()
{
    "$@" >"$out" 2>"$err"
    status=$?
    return 0
}

# expect NAME STATUS [PATTERN]: of the last run.
expect()
{
    if [ "$status" = "$2" ] && { [ -z "${3:-}" ] || cat "$out" "$err" | grep -q -E -e "$3"; }; then
        pass "$1"
    else
        echo "# exit status $status, expected $2${3:+, and a line like: $3}"
        cat "$out" "$err" | tail -n 25 | note
        fail "$1"
    fi
}

finish()
{
    remove_cards
    if [ "$number" != "$planned" ]; then
        echo "# $planned tests planned, $number run"
        failures=$((failures + 1))
    fi
    rm -rf "$work"
    result=0
    [ "$failures" = 0 ] || result=1
    [ "$failures" != 0 ] || [ "$number" != "$skips" ] || result=4
    echo $result >/tmp/status
    exit $result
}

# json KEY FILE: the first value of that key, a string or a number.
json()
{
    sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p" "$2" | head -n 1
}

# as_user COMMAND…: as somebody without any right.
as_user()
{
    su nobody -s /bin/sh -c "$*"
}

now()
{
    cut -d. -f1 /proc/uptime
}

# --- cards ---

load()
{
    modprobe cxsim || return 1
    modprobe cxfw || return 1
}

unload()
{
    modprobe -r cxfw 2>/dev/null
    modprobe -r cxsim 2>/dev/null
    ! lsmod | grep -q -E '^cx(fw|sim) '
}

# card "model=… …": makes a card; its number in $card, its address in $address.
card()
{
    if ! echo "$*" >"$cxsim/create"; then
        echo "# no card: $(cat "$cxsim/error")"
        return 1
    fi
    card=$(cat "$cxsim/create")
    address=$(cat "$cxsim/$card/address")
}

remove_cards()
{
    [ -e "$cxsim/cards" ] || return 0
    while read -r number_of_card _; do
        # A second host goes with the first.
        [ ! -e "$cxsim/$number_of_card" ] || echo 1 >"$cxsim/$number_of_card/remove"
    done <"$cxsim/cards"
}

# setting NAME VALUE, counter NAME: of the card made last, or of CARD=number.
setting()
{
    echo "$2" >"$cxsim/$card/settings/$1"
}

counter()
{
    cat "$cxsim/$card/counters/$1"
}

counters_clear()
{
    echo 1 >"$cxsim/$card/counters/clear"
}

power_cycle()
{
    echo 1 >"$cxsim/$card/power"
}

# booted NAME: what the boot ROM chose: version, psid, recovery, guid0 …
booted()
{
    sed -n "s/^$1=//p" "$cxsim/$card/booted"
}

# flash: the cells of the flash chip.
flash()
{
    cat "$cxsim/$card/flash"
}

# unchanged WHAT: the flash is what was saved in $work/before.
unchanged()
{
    flash >"$work/after"
    check "$1: the flash is untouched" cmp "$work/before" "$work/after"
}

# started VERSION: what the boot ROM chose last, whole.
started()
{
    [ "$(booted version) $(booted recovery) $(booted whole)" = "$1 0 1" ] && return 0
    cat "$cxsim/$card/booted"
    return 1
}

# boots VERSION: the same after a power cycle.
boots()
{
    power_cycle
    started "$1"
}
