#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# newer-mstflint.sh: puts Debian 13's mstflint with its libraries into build/mstflint/, as it
# goes into a virtual machine at /opt/mstflint. mstflint-new inside starts it.
set -eu
. "$(dirname "$0")/common.sh"

into=$build/mstflint
"$top/scripts/root.sh"
root=$build/roots/trixie
[ "$(cat "$into/stamp" 2>/dev/null)" != "$(cat "$root/stamp")" ] || exit 0
locked mstflint
rm -rf "$into"
mkdir -p "$into/lib" "$into/bin"
cp "$root/usr/bin/mstflint" "$into/bin/"
"$top/scripts/in-root.sh" /lib64/ld-linux-x86-64.so.2 --list /usr/bin/mstflint | sed -n -E 's,^[[:space:]]*([^ ]+ => )?(/[^ ]+) \(0x.*,\2,p' |
    while read -r library; do cp -L "$root/$library" "$into/lib/"; done
cp -L "$root/lib64/ld-linux-x86-64.so.2" "$into/lib/"
cat >"$into/mstflint-new" <<'END'
#!/bin/sh
exec /opt/mstflint/lib/ld-linux-x86-64.so.2 --library-path /opt/mstflint/lib /opt/mstflint/bin/mstflint "$@"
END
chmod 755 "$into/mstflint-new"
cp "$root/stamp" "$into/stamp"
