#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# checkpatch.sh: brings the kernel's checkpatch.pl into build/checkpatch/. Debian ships it only
# inside the kernel's source package; it is taken out of there once.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/private-apt.sh"

into=$build/checkpatch
[ ! -e "$into/checkpatch.pl" ] || exit 0
locked checkpatch
[ ! -e "$into/checkpatch.pl" ] || exit 0
suites=bookworm-security,bookworm
private_update "$suites"
work=$into/work
rm -rf "$into"
mkdir -p "$work"
say "checkpatch: fetching the kernel's source package (once)"
(cd "$work" && retry 2 private_apt "$suites" apt-get download linux-source-6.1)
dpkg --fsys-tarfile "$work"/*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
    tar -xJ -C "$work" --strip-components=2 --wildcards '*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
        '*/scripts/const_structs.checkpatch'
mv "$work"/checkpatch.pl "$work"/spelling.txt "$work"/const_structs.checkpatch "$into/"
rm -rf "$work"
