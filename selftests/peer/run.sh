#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The peer suite: Debian's mstflint and a newer one against cxctl, on simulated cards, in a
# virtual machine (PEER_KERNEL, default 6.1). In KTAP. With "burn" as argument: each burns,
# and the other judges (BURN_ONLY: a pattern of the ways).
set -eu
cd "$(dirname "$0")/../.."
. scripts/common.sh

series=${PEER_KERNEL:-6.1}
out=$build/peer
newer=()
scripts/build-modules.sh "$series" >&2
if scripts/newer-mstflint.sh >&2; then
    newer=("$build/mstflint:/opt/mstflint" "$build/mstflint/mstflint-new:/usr/bin/mstflint-new")
fi
if [ "${1:-}" = burn ]; then
    VM_TIMEOUT=${VM_TIMEOUT:-2400} scripts/vm.sh "$series" <(
        printf 'BURN_ONLY="%s"\n' "${BURN_ONLY:-}"
        cat selftests/peer/burn.sh
    ) "$build/cxsim-image:/usr/bin/cxsim-image" "${newer[@]}"
    exit
fi
rm -rf "$out"
mkdir -p "$out"
# mstflint from 4.30 on takes a ConnectX-3 with its useless VSC for a newer card, so the
# variant without it stands for both versions.
cards=${PEER_CARDS:-connectx3 connectx3-rom-vsd connectx3pro-rom connectx5 connectx5-rom-vsd}
VM_TIMEOUT=${VM_TIMEOUT:-1800} VM_OUT=$out scripts/vm.sh "$series" <(
    printf 'CARDS="%s"\n' "$cards"
    cat selftests/peer/guest.sh
) "${newer[@]}" | sed 's/^ok/# ok/' || echo "# the virtual machine failed"
python3 selftests/peer/compare.py "$out"
