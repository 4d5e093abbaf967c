#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# dkms.sh install|remove VERSION [KERNEL]: both modules into DKMS, or out of it and off this machine.
# A host without DKMS has make install-hook, whose modules "remove" takes away, too.
set -eu
action=$1 version=$2 kernel=${3:-$(uname -r)}

known()
{
    command -v dkms >/dev/null && [ -n "$(dkms status -m "$1" -v "$version" 2>/dev/null)" ]
}

show_reason()
{
    log=/var/lib/dkms/$1/$version/build/make.log
    [ -e "$log" ] || return 0
    echo "dkms.sh: $1 did not build for $kernel; the log is $log:" >&2
    grep -E -m 5 'error:|\*\*\* |not found|cannot build' "$log" >&2 || tail -n 5 "$log" >&2
}

install_one()
{
    if known "$1"; then
        dkms remove -m "$1" -v "$version" --all
    fi
    dkms add -m "$1" -v "$version"
    dkms build -m "$1" -v "$version" -k "$kernel" || { show_reason "$1"; exit 1; }
    dkms install -m "$1" -v "$version" -k "$kernel"
}

case $action in
install)
    command -v dkms >/dev/null || {
        echo "dkms.sh: dkms is not installed; without it 'make install-hook' builds the modules" >&2
        exit 1
    }
    install_one cxfw
    [ "$(uname -m)" != x86_64 ] || install_one cxsim
    ;;
remove)
    for module in cxsim cxfw; do
        if known $module; then
            dkms remove -m $module -v "$version" --all
        fi
        "$(dirname "$0")/rebuild-modules" -r $module
    done
    ;;
*)
    echo "usage: dkms.sh install|remove VERSION [KERNEL]" >&2
    exit 2
    ;;
esac
