# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests of selftests/cli share: results in KTAP. Sourced.

number=0 failures=0

# check NAME COMMAND…: passes if the command succeeds; else shows the files out and err, if there are any.
check()
{
    local name=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number $name"
    else
        sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 40
        echo "not ok $number $name"
        failures=$((failures + 1))
    fi
}

skip()
{
    number=$((number + 1))
    echo "ok $number $1 # SKIP $2"
}

# The plan, and the exit status of the whole.
finish()
{
    echo "1..$number"
    [ $failures -eq 0 ] || { echo "# $failures of $number failed"; exit 1; }
}
