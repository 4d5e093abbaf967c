#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# linux-source.sh: fetches Debian's source of Linux 6.1 into build/linux-source and prints where the
# archive stands. A second run has nothing to do until Debian has a newer one.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/private-apt.sh"

package=linux-source-6.1 suites=bookworm-security,bookworm
into=$build/linux-source

locked linux-source
private_update "$suites" || die "the mirror has no index of ${suites//,/ or }"
version=$(private_apt "$suites" apt-cache show --no-all-versions "$package" | sed -n 's/^Version: //p')
[ -n "$version" ] || die "the mirror has no $package"
if [ "$(cat "$into/version" 2>/dev/null)" != "$version" ]; then
    rm -rf "$into"
    mkdir -p "$into"
    say "fetching $package $version"
    (cd "$into" && retry 2 private_apt "$suites" apt-get download "$package")
    dpkg --fsys-tarfile "$into"/*.deb | tar -x -O --wildcards './usr/src/*.tar.xz' >"$into/linux.tar.xz"
    rm "$into"/*.deb
    echo "$version" >"$into/version"
fi
echo "$into/linux.tar.xz"
