#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Can modules be built against this kernel tree? One clear line when not.
# usage: check-tree.sh KDIR

LC_ALL=C
export LC_ALL
tree=${1:-}

refuse() {
	echo "cxctl: cannot build modules against '$tree': $1" >&2
	echo "cxctl: $2" >&2
	exit 1
}

headers="install the headers of that very kernel (linux-headers-VERSION, or kernel-devel-VERSION)"

[ -n "$tree" ] || refuse "no kernel tree named" "say KDIR=/lib/modules/VERSION/build"
if [ ! -e "$tree" ] && [ -L "$tree" ]; then
	refuse "it is a link to nothing ($(readlink "$tree"))" "$headers"
fi
[ -d "$tree" ] || refuse "no such directory" "$headers, or say KDIR=DIRECTORY"
for file in Makefile .config include/generated/autoconf.h; do
	[ -s "$tree/$file" ] || refuse "it has no $file" "a plain source tree must be prepared first; else $headers"
done
for program in scripts/basic/fixdep scripts/mod/modpost; do
	[ -e "$tree/$program" ] || refuse "it has no $program" "run 'make modules_prepare' in it; else $headers"
	said=$("$tree/$program" 2>&1 < /dev/null)
	case $?/$said in
	126/* | 127/* | *version*GLIBC_*)
		refuse "$program does not run on this machine" \
			"the headers are for another machine or C library; build where they belong" ;;
	esac
done
if [ ! -s "$tree/Module.symvers" ] && grep -q '^CONFIG_MODVERSIONS=y' "$tree/.config"; then
	refuse "it has no Module.symvers, and its kernel loads no module without symbol versions" "$headers"
fi
exit 0
