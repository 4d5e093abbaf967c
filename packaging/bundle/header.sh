#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A self-extracting archive: sh THIS-FILE -h tells what it does. Nothing of it is run from the temporary directory but
# by sh, so a noexec one will do.
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
if [ "$1" = --extract ]; then
    trap - EXIT
    echo "$directory"
fi
sed '1,/^--- archive ---$/d' "$0" | tar -xzf - -C "$directory" || {
    echo "the archive in $0 is damaged: copy it again" >&2
    exit 1
}
[ "$1" != --extract ] || exit 0
sh "$directory/install.sh" "$@"
exit
--- archive ---
