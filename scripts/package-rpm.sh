#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-rpm.sh VERSION: source and binary rpm packages, built with Debian's rpmbuild in a clean root, into
# build/packages/rpm. That root has no rpm database, so what the packages need to build is not checked.
set -eu
. "$(dirname "$0")/common.sh"

version=$1
grep -q "^Version: *$version$" "$top/packaging/rpm/cxctl.spec" || die "packaging/rpm/cxctl.spec is not of version $version"
"$top/scripts/package-root.sh" build
locked package-rpm
into=$build/packages/rpm
rm -rf "$into"
mkdir -p "$into/SOURCES"
"$top/scripts/package-tree.sh" "$into/cxctl-$version"
tar -C "$into" --owner=0 --group=0 --sort=name -czf "$into/SOURCES/cxctl-$version.tar.gz" "cxctl-$version"
rm -rf "$into/cxctl-$version"
cp "$top/packaging/rpm/cxctl.spec" "$into/"
say "rpm packages: building"
if ! "$top/scripts/package-in.sh" build rpmbuild -ba --nodeps --define "_topdir /packages/rpm" \
    --define "debug_package %{nil}" /packages/rpm/cxctl.spec >"$into/log" 2>&1; then
    grep -E -A3 'error|Error|\*\*\*' "$into/log" | head -n 20 >&2 || tail -n 20 "$into/log" >&2
    die "rpmbuild failed (whole log: $into/log)"
fi
rm -rf "$into/BUILD" "$into/BUILDROOT" "$into/SOURCES"
mv "$into"/RPMS/*/*.rpm "$into"/SRPMS/*.rpm "$into/"
rm -rf "$into/RPMS" "$into/SRPMS"
ls "$into"/*.rpm
