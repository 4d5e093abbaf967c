#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-deb.sh VERSION: source and binary packages for Debian, built without network in a clean Debian 12 root,
# into build/packages/deb.
set -eu
. "$(dirname "$0")/common.sh"

version=$1
[[ $(head -n 1 "$top/packaging/debian/changelog") = "cxctl ($version) "* ]] ||
    die "packaging/debian/changelog is not of version $version"
"$top/scripts/package-root.sh" build
locked package-deb
into=$build/packages/deb
rm -rf "$into"
mkdir -p "$into"
"$top/scripts/package-tree.sh" "$into/cxctl-$version"
mv "$into/cxctl-$version/packaging/debian" "$into/cxctl-$version/debian"
say "Debian packages: building"
if ! "$top/scripts/package-in.sh" build sh -c "cd /packages/deb/cxctl-$version && dpkg-buildpackage -us -uc -j2" \
    >"$into/log" 2>&1; then
    grep -E -A3 'error|Error|\*\*\*' "$into/log" | head -n 20 >&2 || tail -n 20 "$into/log" >&2
    die "dpkg-buildpackage failed (whole log: $into/log)"
fi
rm -rf "$into/cxctl-$version"
ls "$into"/*.deb
