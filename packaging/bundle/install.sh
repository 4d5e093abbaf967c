#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# install.sh: what an offline bundle does on the host. It checks first, says each step, and with -n does nothing else.
# The bundle's facts are in ./bundle: version, machine, glibc; what it brings is below ./tool, ./source, ./modules.
set -u
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
cd "$(dirname "$0")" || exit 1
. ./bundle

usage()
{
    cat <<-END
	cxctl $version for $machine, an offline bundle. As root:
	  -n            say what would be done, and do nothing
	  -k KERNEL     modules for this kernel instead of the running one ($(uname -r))
	  -t            the tool only, no modules
	  -u            uninstall what a bundle installed; backups and journal stay
	Below /usr/local: the tool, its manual, completion, messages. The modules: prebuilt ones, if the bundle has them
	for the kernel; else built from the source in it, with the host's headers, compiler and, if there, DKMS.
	Prebuilt here: $(ls modules 2>/dev/null | tr '\n' ' ')
	END
}

die()
{
    echo "cxctl bundle: $*" >&2
    exit 1
}

# What was installed, for -u: files, and directories that were not there, with // at their end.
list=/usr/local/lib/cxctl-installed

# do_it TEXT COMMAND…: says the step, and takes it unless -n.
do_it()
{
    echo "  $1"
    shift
    [ -n "$dry" ] || "$@" || die "that failed: $*"
}

make_directory()
{
    [ -d "$1" ] || { make_directory "${1%/*}" && mkdir "$1" && echo "$1//" >>"$list"; }
}

put()
{
    make_directory "${2%/*}" && cp "$1" "$2" && chmod "$3" "$2" && echo "$2" >>"$list"
}

mode_of() { if [ -x "$1" ]; then echo 755; else echo 644; fi; }

check_bundle()
{
    sha256sum -c --quiet sums || die "the bundle is damaged: the files above are not what was packed; copy it again"
    [ "$(uname -m)" = "$machine" ] || die "this bundle is for $machine, and this host is $(uname -m)"
    [ -n "$glibc" ] || return 0
    has=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/glibc //')
    [ -n "$has" ] || die "this host's C library is not glibc; the tool in this bundle needs glibc $glibc"
    newest=$(printf '%s\n%s\n' "$has" "$glibc" | sort -V | tail -n 1)
    [ "$newest" = "$has" ] ||
        die "the tool needs glibc $glibc, and this host has $has; make the bundle on a system no newer than this one"
    missing=$(ldd tool/bin/cxctl 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found/\1/p' | xargs)
    [ -z "$missing" ] || die "this host lacks libraries that the tool needs: $missing; make the bundle on a system no newer than this one"
}

install_tool()
{
    echo "The tool:"
    (cd tool && find . -type f | sed 's,^\./,,' | sort) >"$scratch"
    while read -r file; do
        do_it "/usr/local/$file" put "tool/$file" "/usr/local/$file" "$(mode_of "tool/$file")"
    done <"$scratch"
    for rule in udev/*.rules; do
        do_it "/etc/udev/rules.d/${rule#udev/}" put "$rule" "/etc/udev/rules.d/${rule#udev/}" 644
    done
}

install_prebuilt()
{
    echo "The modules, prebuilt for $kernel:"
    for module in modules/"$kernel"/*.ko; do
        place=/lib/modules/$kernel/extra/cxctl/${module##*/}
        do_it "$place" put "$module" "$place" 644
    done
    do_it "depmod $kernel" depmod "$kernel"
}

headers_there()
{
    for directory in "/lib/modules/$kernel/build" "/usr/src/kernels/$kernel" "/usr/src/linux-headers-$kernel"; do
        [ ! -e "$directory/include/generated/autoconf.h" ] || return 0
    done
    return 1
}

# What building needs and this host has not.
lacking()
{
    headers_there || printf "the kernel's headers (linux-headers-%s, or kernel-devel-%s); " "$kernel" "$kernel"
    for program in gcc make; do
        command -v $program >/dev/null || printf '%s; ' $program
    done
}

copy_source()
{
    cp -r "source/$1-$version" /usr/src/ && echo "/usr/src/$1-$version/" >>"$list"
}

with_dkms()
{
    dkms add -m "$1" -v "$version" && dkms install -m "$1" -v "$version" -k "$kernel"
}

install_source()
{
    echo "The modules, from source, for $kernel:"
    for module in cxfw cxsim; do
        do_it "/usr/src/$module-$version" copy_source $module
    done
    if command -v dkms >/dev/null; then
        do_it "dkms install cxfw/$version" with_dkms cxfw
        [ "$machine" != x86_64 ] || do_it "dkms install cxsim/$version" with_dkms cxsim
    else
        do_it "build (no DKMS here: after a kernel update, run /usr/local/lib/cxctl/rebuild-modules)" \
            /usr/local/lib/cxctl/rebuild-modules "$kernel"
    fi
}

# The kernel has the last word; what it said is shown.
try_module()
{
    [ -z "$dry" ] && [ "$kernel" = "$(uname -r)" ] || return 0
    if modprobe cxfw; then
        echo "cxfw is loaded: cxctl list"
        return 0
    fi
    echo "The kernel did not take cxfw. It said:" >&2
    dmesg 2>/dev/null | grep -i -E 'cxfw|module' | tail -n 3 | sed 's/^/  /' >&2
    enforced=$(cat /sys/module/module/parameters/sig_enforce 2>/dev/null)
    [ "$enforced" != Y ] || echo "It takes modules with a signature that it trusts, only: see /usr/local/share/doc/cxctl/Documentation/signing.md." >&2
    return 8
}

install_modules()
{
    if [ -d "modules/$kernel" ]; then
        install_prebuilt
    elif [ -z "$(lacking)" ]; then
        install_source
    else
        echo "No modules: this bundle has none prebuilt for $kernel, and to build them this host lacks:" >&2
        echo "  $(lacking)" >&2
        echo "The tool works without, for what sysfs and devlink tell." >&2
        return 8
    fi
    try_module
}

uninstall()
{
    [ -s "$list" ] || die "no bundle is installed here: there is no $list"
    release=
    for module in cxsim cxfw; do
        if command -v dkms >/dev/null && [ -n "$(dkms status -m $module -v "$version" 2>/dev/null)" ]; then
            do_it "dkms remove $module/$version" dkms remove -m $module -v "$version" --all
        fi
        do_it "remove what was built of $module without DKMS" /usr/local/lib/cxctl/rebuild-modules -r $module
    done
    sort -ru "$list" >"$scratch"
    while read -r file; do
        case $file in
        *//) [ -n "$dry" ] || rmdir "$file" 2>/dev/null ;;
        *) do_it "remove $file" rm -rf "${file%/}" ;;
        esac
        case $file in /lib/modules/*) release=${file#/lib/modules/} release=${release%%/*} ;; esac
    done <"$scratch"
    [ -n "$dry" ] || rm -f "$list"
    [ -z "$release" ] || do_it "depmod $release" depmod "$release"
}

dry='' kernel=$(uname -r) what=install tool_only=''
while getopts nk:tuh option; do
    case $option in
    n) dry=1 ;;
    k) kernel=$OPTARG ;;
    t) tool_only=1 ;;
    u) what=uninstall ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
done
scratch=$(mktemp) || exit 1
trap 'rm -f "$scratch"' EXIT
[ -n "$dry" ] || [ "$(id -u)" = 0 ] || die "installing needs root; -n only tells"
[ -z "$dry" ] || echo "Nothing is done; this is what would be:"
if [ $what = uninstall ]; then
    uninstall
    exit
fi
check_bundle
[ -n "$dry" ] || mkdir -p /usr/local/lib
install_tool
[ -n "$tool_only" ] || install_modules
