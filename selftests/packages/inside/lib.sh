# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For scripts that run in a clean root: PASS and FAIL lines, lists of files.

check()
{
    name=$1
    shift
    if "$@" >/tmp/saying 2>&1; then
        echo "PASS $name"
    else
        tail -n 20 /tmp/saying
        echo "FAIL $name"
    fi
    # said looks at what the command before it said.
    [ "$1" = said ] || mv /tmp/saying /tmp/said
}

# said TEXT: what the last check's command said, or the file of that name has.
said() { grep -q -e "$1" "${2:-/tmp/said}"; }

no() { ! "$@"; }

# trace FILE: all files with type, mode and content, but what package managers, depmod and DKMS keep of their own accord.
trace()
{
    find / -xdev '(' -path /tmp -o -path /proc -o -path /sys -o -path /dev -o -path /packages -o -path /var/lib/dpkg \
        -o -path /var/log -o -path /var/cache -o -path '/lib/modules/*/modules.*' -o -path '/usr/lib/modules/*/modules.*' \
        -o -path '/var/lib/dkms/mok.*' -o -path /etc/ld.so.cache -o -path '/etc/.pwd.lock' ')' -prune -o \
        -type f -print0 -fprintf "$1.modes" '%p %m\n' -o -fprintf "$1.modes" '%p %m %l\n' | xargs -0 md5sum >"$1.sums"
    LC_ALL=C sort "$1.modes" "$1.sums" >"$1"
}

# The kernels whose headers are here, the oldest first.
kernels()
{
    for build in /lib/modules/*/build; do
        [ ! -e "$build/Makefile" ] || basename "${build%/build}"
    done | sort -V
}

module_of() { find "/lib/modules/$2/" -name "$1.ko*" | head -n 1; }
vermagic_is() { [ "$(modinfo -F vermagic "$(module_of "$1" "$2")" | cut -d ' ' -f 1)" = "$2" ]; }
