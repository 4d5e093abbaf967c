#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Component updates and resets as a client of the driver sees them: component.c, in KTAP of its own.
. ./lib.sh

[ -x /usr/bin/component-test ] || skip_all "component-test is not built (make -f selftests/vm/vm.mk)"
modprobe pci-stub 2>/dev/null
load || bail "the modules do not load"
/usr/bin/component-test
status=$?
remove_cards
if ! unload; then
    echo "# the modules do not unload"
    status=1
fi
echo $status >/tmp/status
exit $status
