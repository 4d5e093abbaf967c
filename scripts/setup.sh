#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# setup.sh [build|test|lint]: installs the packages that the tool, the tests, or the checkers of
# the source and the fuzzers need, if they are missing. Without an argument: all.
set -eu
. "$(dirname "$0")/common.sh"

build_packages="gcc make pkg-config libmnl-dev libkmod-dev libjson-c-dev libssl-dev zlib1g-dev liblzma-dev
    libarchive-dev gettext"
# The tests: a virtual machine, kernels and their headers, sanitizers, the peer.
test_packages="qemu-system-x86 busybox-static cpio kmod xz-utils zstd python3 python3-yaml ca-certificates
    debian-archive-keyring util-linux gcc-12 libc6-dev libelf-dev bc flex bison pciutils mstflint binutils strace"
lint_packages="clang libclang-rt-dev sparse mandoc perl"

wanted()
{
    case $1 in
    build) echo "$build_packages" ;;
    test) echo "$build_packages $test_packages" ;;
    lint) echo "$build_packages $test_packages $lint_packages" ;;
    *) die "which packages: build, test or lint?" ;;
    esac
}

# missing PACKAGE…: those that dpkg does not know as installed.
missing()
{
    printf '%s\n' "$@" | sort -u >"$build/.wanted.$$"
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        sed -n 's/ installed$//p' | sort -u | comm -13 - "$build/.wanted.$$"
    rm -f "$build/.wanted.$$"
}

command -v dpkg-query >/dev/null || die "this machine has no dpkg; install by hand: $(wanted "${1:-lint}" | xargs)"
# shellcheck disable=SC2046
list=$(missing $(wanted "${1:-lint}") | xargs)
[ -n "$list" ] || exit 0

locked setup
say "installing: $list"
export DEBIAN_FRONTEND=noninteractive
log=$build/setup.log
# shellcheck disable=SC2086
install()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 install $list
}
if ! (retry 3 as_root apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update &&
      retry 2 install) >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "apt could not install: $list (whole log: ${log#"$top"/})"
fi
