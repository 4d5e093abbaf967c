#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kernels.sh [SERIES…]: fetches Debian's kernels and their headers, unpacked, into
# build/kernels/SERIES/: the newest of each series that the index lists and that the mirror
# really has. A second run has nothing to do. SERIES debug is built by debug-kernel.sh. What stands
# there afterwards:
#   release         the kernel release, as uname -r prints it
#   vmlinux         the kernel as ELF, for QEMU's PVH entry
#   config          its configuration
#   modules/        lib/modules/RELEASE with modules.dep, modules uncompressed
#   headers/        usr/src/… and usr/lib/… of the header packages
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/private-apt.sh"

suites_of()
{
    case $1 in
    5.10) echo bullseye-security,bullseye ;;
    6.1) echo bookworm-security,bookworm ;;
    6.12) echo trixie-security,trixie ;;
    7.3) echo trixie-backports ;;
    *) die "kernel series '$1' is not one of: $all_series" ;;
    esac
}

# releases SERIES: what the index lists, newest first.
releases()
{
    private_apt "$suites" apt-cache pkgnames linux-image- |
        sed -n -E 's/^linux-image-([0-9.]+(-[0-9]+|\+deb[0-9]+(\+[0-9]+)?)-amd64)$/\1/p' |
        grep -E "^${1//./\\.}\." | grep -v -E '\+deb12-' | sort -rV || true
}

depends()
{
    private_apt "$suites" apt-cache show --no-all-versions "$1" | sed -n 's/^Depends: //p' |
        tr ',' '\n' | sed 's/^ *//; s/[ (].*//'
}

# packages RELEASE: from 7.3 on the image package is an empty shell around two others.
packages()
{
    local release=$1 headers=linux-headers-$1
    depends "linux-image-$release" | grep -E "^linux-(modules|binary|base)-[0-9]" || true
    echo "linux-image-$release"
    echo "$headers"
    depends "$headers" | grep -E '^linux-(headers|kbuild)-' || true
}

# What no test loads is not unpacked: it is two thirds of the bytes.
unneeded=(gpu media staging usb iio scsi input hwmon mfd mtd platform power regulator target thermal
          bluetooth comedi isdn leds mmc w1 tty spi gpio ata md nvme nvdimm message rtc)
exclude=(--exclude='*/kernel/sound' --exclude='*/kernel/drivers/net/wireless' --exclude='./usr/share')
for directory in "${unneeded[@]}"; do
    exclude+=(--exclude="*/kernel/drivers/$directory")
done

download()
{
    local release=$1 work=$2
    mkdir -p "$work/debs" "$work/modules" "$work/headers"
    # shellcheck disable=SC2046
    (cd "$work/debs" && retry 2 private_apt "$suites" apt-get download $(packages "$release"))
}

install_kernel()
{
    local release=$1 work=$2 deb from config
    for deb in "$work"/debs/*.deb; do
        case ${deb##*/} in
        linux-headers-* | linux-kbuild-*) dpkg -x "$deb" "$work/headers" ;;
        *) dpkg --fsys-tarfile "$deb" | tar -x -C "$work/modules" "${exclude[@]}" ;;
        esac
    done
    rm -r "$work/debs"
    # One layout for both: /lib/modules, whether the packages use the merged /usr or not.
    if [ -d "$work/modules/usr/lib/modules" ]; then
        mkdir -p "$work/modules/lib"
        mv "$work/modules/usr/lib/modules" "$work/modules/lib/"
    fi
    from=$work/modules/boot/vmlinuz-$release
    [ -e "$from" ] || from=$work/modules/lib/modules/$release/vmlinuz
    python3 "$top/scripts/extract-vmlinux.py" "$from" "$work/vmlinux"
    config=$(find "$work/modules/boot" "$work/modules/lib/modules/$release" -maxdepth 1 -name 'config*' \
        -type f 2>/dev/null | head -n 1)
    case $config in
    *.xz) xz -dc "$config" >"$work/config" ;;
    *) mv "$config" "$work/config" ;;
    esac
    rm -rf "$work/modules/boot" "$work/modules/usr" "$from"
    find "$work/modules" -name '*.ko.xz' -exec xz -d {} +
    find "$work/modules" -name '*.ko.zst' -exec zstd -q -d --rm {} +
    /sbin/depmod -b "$work/modules" "$release"
    # The headers name each other by absolute path.
    find "$work/headers/usr/src" -maxdepth 2 -name Makefile -exec \
        sed -i "s,\\([ =]\\)/usr/src/linux,\\1$build/kernels/$series/headers/usr/src/linux,g" {} +
    echo "$release" >"$work/release"
}

fetch()
{
    local series=$1 suites list release into=$build/kernels/$1 work
    [ ! -e "$into/release" ] || return 0
    locked "kernel-$series"
    if [ -e "$into/release" ]; then
        unlock
        return 0
    fi
    suites=$(suites_of "$series")
    private_update "$suites" || die "$series: the mirror has no index of ${suites//,/ or }"
    list=$(releases "$series")
    if [ -z "$list" ]; then
        say "kernel $series is listed no more; taking the newest of ${suites//,/ or } instead"
        list=$(releases '[0-9]*')
    fi
    for release in $(echo "$list" | head -n 6); do
        say "kernel $series: fetching $release"
        work=$build/kernels/.$series.$$
        rm -rf "$work"
        if download "$release" "$work"; then
            install_kernel "$release" "$work"
            rm -rf "$into"
            mv "$work" "$into"
            unlock
            return 0
        fi
        rm -rf "$work"
        say "kernel $series: $release could not be had, trying the next older"
    done
    die "kernel $series: the mirror has none of: $(echo "$list" | head -n 6 | tr '\n' ' ')"
}

# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all_series
for series; do
    if [ "$series" = debug ]; then
        "$top/scripts/debug-kernel.sh"
    else
        fetch "$series"
    fi
    [ -n "${QUIET:-}" ] || say "kernel $series: $(cat "$build/kernels/$series/release")"
done
