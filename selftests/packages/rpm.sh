#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# rpm.sh: the rpm packages build in a clean root; rpmlint; installed into an empty root and removed without a trace.
set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/packages/lib.sh

check "rpmbuild builds all packages without network" scripts/package-rpm.sh "$version"
inside build rpm.sh "$version"
finish
