#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# mirror.sh main|security: prints the address of the Debian mirror that this machine's own
# apt uses. apt itself reads its configuration (deb822 and one-line lists, mirror lists,
# proxies), so whatever works for apt works here.
set -eu
. "$(dirname "$0")/common.sh"

targets()
{
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(RELEASE)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        grep -v '|cdrom:' | sed 's,/*$,,' | sort -u || true
}

# A machine that never ran "apt-get update" knows no origin: then the suite's name decides.
pick()
{
    case $1 in
    main)
        targets | awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $4 }
            $1 == "" && $3 ~ /^(bookworm|trixie|stable|oldstable|sid|testing)$/ { print $4 }'
        ;;
    security)
        targets | awk -F'|' '$1 == "Debian" && $2 == "Debian-Security" { print $4 }
            $1 == "" && $3 ~ /-security$/ { print $4 }'
        ;;
    *)
        die "which mirror: main or security?"
        ;;
    esac
}

address=$(pick "${1:-main}" | head -n 1)
[ -n "$address" ] ||
    die "apt on this machine has no Debian mirror (${1:-main}); 'apt-get indextargets' shows what it has"
printf '%s\n' "$address"
