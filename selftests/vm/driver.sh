#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a client of the driver may rely on: driver.c says it all, in KTAP of its own.
. ./lib.sh

[ -x /usr/bin/driver-test ] || skip_all "driver-test is not built (make -f selftests/vm/vm.mk)"
load || bail "the modules do not load"
/usr/bin/driver-test
status=$?
remove_cards
if ! unload; then
    echo "# the modules do not unload"
    status=1
fi
echo $status >/tmp/status
exit $status
