#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# dkms.sh: the DKMS packages with Debian 12's DKMS and two kernels, with Debian 13's and two, with the newest.
set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/packages/lib.sh

[ -e "$build/packages/deb/cxfw-dkms_${version}_all.deb" ] || scripts/package-deb.sh "$version" >&2
for root in ${ROOTS:-bookworm trixie sid}; do
    inside "$root" dkms.sh "$version"
done
finish
