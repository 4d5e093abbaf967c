#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# setup.sh [build|test|lint|packages]: installs the packages that the tool, the tests, or the checkers of
# the source and the fuzzers need, if they are missing. Without an argument: all.
set -eu
. "$(dirname "$0")/common.sh"

build_packages="gcc make pkg-config libmnl-dev libkmod-dev libjson-c-dev libssl-dev zlib1g-dev liblzma-dev
    libarchive-dev gettext"
# The tests: a virtual machine, kernels and their headers, sanitizers, the peer.
test_packages="qemu-system-x86 busybox-static cpio kmod xz-utils zstd python3 python3-yaml ca-certificates
    debian-archive-keyring util-linux gcc-12 libc6-dev libelf-dev bc flex bison pciutils mstflint binutils strace locales"
lint_packages="clang libclang-rt-dev sparse mandoc perl"
# Clean Debian roots, in which packages are built and installed.
root_packages="mmdebstrap rpm rpm2cpio openssl"

wanted()
{
    case $1 in
    build) echo "$build_packages" ;;
    test) echo "$build_packages $test_packages" ;;
    lint) echo "$build_packages $test_packages $lint_packages" ;;
    packages) echo "$build_packages $test_packages $root_packages" ;;
    *) die "which packages: build, test, lint or packages?" ;;
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

# A package build has what it declares, and must install nothing.
[ "${SETUP:-}" != no ] || exit 0
# An rpm system: what the tool is built from is there, or is named. The tests want Debian.
if ! command -v dpkg-query >/dev/null; then
    [ "${1:-lint}" = build ] || die "the tests need a Debian machine, and this one has no dpkg"
    pkg-config --exists libmnl libkmod json-c libcrypto zlib liblzma libarchive && command -v msgfmt >/dev/null && exit 0
    die "install first: gcc make pkgconf gettext libmnl-devel kmod-devel json-c-devel openssl-devel zlib-devel xz-devel libarchive-devel" \
        "(dnf install, or yum install, with the package names of this system)"
fi
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
