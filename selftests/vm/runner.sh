#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Inside the virtual machine: runs the kselftests named as arguments, one KTAP list around
# theirs. A test must leave no card, no module of ours and no warning in the kernel's log.
cd /selftests/vm || exit 1

# What a healthy kernel never says.
complaints='BUG:|WARNING:|Oops|general protection|Call Trace|UBSAN|refcount_t|INFO: task|lockdep|use-after-free|scheduling while atomic'

# On a kernel that looks for lost memory: what two scans in a row, with time between, still find.
kmemleak=/sys/kernel/debug/kmemleak
leaks()
{
    [ -w $kmemleak ] || return 1
    echo scan >$kmemleak
    sleep 6
    echo scan >$kmemleak
    grep . $kmemleak >/tmp/leaks
}

number=0 bad=0
[ ! -w $kmemleak ] || { echo scan=off >$kmemleak; echo clear >$kmemleak; }
echo "KTAP version 1"
echo "1..$#"
for test; do
    number=$((number + 1))
    dmesg -c >/dev/null
    rm -rf /tmp/*
    started=$(cut -d. -f1 /proc/uptime)
    timeout "${TEST_TIMEOUT:-900}" sh "./$test" 2>&1 </dev/null | while IFS= read -r line; do
        printf '    %s\n' "$line"
    done
    # The status of the test, not of the loop: the test left it.
    status=$(cat /tmp/status 2>/dev/null || echo 1)
    rm -f /tmp/status
    if dmesg | grep -E "$complaints" >/tmp/complaints; then
        dmesg | sed 's/^/    # dmesg: /' | tail -n 60
        status=1
    fi
    if leaks; then
        sed 's/^/    # kmemleak: /' /tmp/leaks | head -n 60
        echo clear >$kmemleak
        status=1
    fi
    took=$(($(cut -d. -f1 /proc/uptime) - started))
    case $status in
    0) echo "ok $number $test # $took s" ;;
    4) echo "ok $number $test # SKIP" ;;
    *)
        echo "not ok $number $test # exit status $status, $took s"
        bad=1
        ;;
    esac
done
exit $bad
