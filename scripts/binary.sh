# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash

# add_binary ROOT FILE [PLACE]: copies a program, and the libraries and the loader that it
# asks for, into ROOT at PLACE (without: where it stands).
add_binary()
{
    local root=$1 file=$2 place=${3:-$2} real library
    mkdir -p "$root/${place%/*}"
    real=$(readlink -f "$file")
    cp "$real" "$root/$place"
    chmod 755 "$root/$place"
    ldd "$real" 2>/dev/null | sed -n -E 's,^[[:space:]]*([^ ]+ => )?(/[^ ]+) \(0x.*,\2,p' |
        while read -r library; do
            [ ! -e "$root/$library" ] || continue
            mkdir -p "$root/${library%/*}"
            cp -L "$library" "$root/$library"
        done
}
