#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernel lockdown, set while the machine runs: mstflint is shut out, cxctl is not. The last
# test, since lockdown cannot be undone, and it closes cxsim's controls as well.
. ./lib.sh

[ -w /sys/kernel/security/lockdown ] || skip_all "this kernel has no lockdown"
plan 13
load || bail "the modules do not load"
card "model=connectx3pro flash_size=2M"
old=$address
cat "$cxsim/$card/flash" >/tmp/old.flash
card "model=connectx5 flash_size=4M"
new=$address
cat "$cxsim/$card/flash" >/tmp/new.flash
check "lockdown is set" sh -c "echo integrity >/sys/kernel/security/lockdown"

if command -v mstflint >/dev/null; then
    check "mstflint is shut out" sh -c "! mstflint -d $new query"
else
    skip "mstflint is shut out" "no mstflint here"
fi
for address in $old $new; do
    run cxctl info "$address"
    expect "cxctl info works: $address" 0 "PSID"
    run cxctl backup "$address" --raw -o "/tmp/$address.bin"
    expect "cxctl backup works: $address" 0
done
check "the backups are right" sh -c "cmp /tmp/$old.bin /tmp/old.flash && cmp /tmp/$new.bin /tmp/new.flash"
run cxctl access "$new"
expect "cxctl access names the lockdown" 0 "[Ll]ockdown.*integrity"
check "and says that mstflint's way is closed, ours open" sh -c "grep -q -E '^config: *no .*lockdown' $out && grep -q -E '^cxfw: *yes' $out"

# One level up: flash content stays in, all else works (Documentation/security.rst).
check "confidentiality is set" sh -c "echo confidentiality >/sys/kernel/security/lockdown"
run cxctl info "$new"
expect "under confidentiality cxctl info works" 0 "PSID"
run cxctl backup "$new" -o /tmp/secret.bin
check "and the flash is not given away" test "$status" != 0
check "with the reason named" grep -q -i "lockdown" "$err"
# debugfs is closed now: the cards go with the module.
remove_cards() { :; }
finish
