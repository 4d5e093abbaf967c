# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the tests of packages share: results in KTAP, clean roots, lists of files. Sourced, from the top directory.

. scripts/common.sh
number=0 failures=0
version=$(sed -n 's/.*CXCTL_VERSION "\(.*\)".*/\1/p' user/cxctl/command.h)
echo "KTAP version 1"

result()
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number $2"
    else
        echo "not ok $number $2"
        failures=$((failures + 1))
    fi
}

# check NAME COMMAND…: passes if the command succeeds; else shows what it said.
check()
{
    local name=$1 said status
    shift
    said=$("$@" 2>&1)
    status=$?
    [ $status = 0 ] || echo "$said" | tail -n 30 | sed 's/^/# /'
    result $status "$name"
}

# inside ROOT SCRIPT ARGUMENT…: a script of selftests/packages/inside, in a clean root; its PASS and FAIL lines become
# results, and that it came to its end is one.
inside()
{
    local root=$1 script=$2 line ended=1
    shift 2
    mkdir -p "$build/packages/tests"
    # A script that runs may be one of these: never written into.
    cp --remove-destination selftests/packages/inside/* "$build/packages/tests/"
    while IFS= read -r line; do
        case $line in
        "PASS "*) result 0 "$root: ${line#PASS }" ;;
        "FAIL "*) result 1 "$root: ${line#FAIL }" ;;
        "THE END") ended=0 ;;
        *) echo "# $line" ;;
        esac
    done < <(scripts/package-in.sh "$root" sh "/packages/tests/$script" "$@" 2>&1)
    result $ended "$root: $script comes to its end"
}

finish()
{
    echo "1..$number"
    [ $failures = 0 ]
    exit
}
