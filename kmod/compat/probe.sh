#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes DIRECTORY/probes.h: what this kernel has, found by compiling all of probes.txt as
# one translation unit and seeing which functions have errors. Called by ../Kbuild.
#
# usage: probe.sh DIRECTORY COMPILER [FLAG...]	(KERNELRELEASE and CC in the environment)

set -u
LC_ALL=C
export LC_ALL

directory=$1
shift
here=$(dirname "$0")
header=$directory/probes.h
source=$directory/probes.c
lines=$directory/probes.lines
log=$directory/probes.log
CC=${CC:-$1}
version=$($CC --version 2>/dev/null | head -n 1)

# A plain text of everything that the answers depend on. autoconf.h is reached as the flags
# reach it: relative to the working directory up to Linux 6.12.
fingerprint() {
	echo "${KERNELRELEASE:-} $version $*"
	cat "$here/probe.sh" "$here/probes.txt"
	for word in "$@"; do
		case $word in
		-I*/include | -I*/include/generated/uapi)
			cat "${word#-I}/generated/autoconf.h" 2>/dev/null ;;
		esac
	done
}

key=$(fingerprint "$@" | cksum | tr ' ' -)
if [ -f "$header" ] && grep -q "^/\* key $key \*/$" "$header"; then
	exit 0
fi
echo "  PROBE   $header"
mkdir -p "$directory" || exit 1

# Each probe becomes a function; probes.lines remembers which lines are whose. Two "sane"
# functions must compile, three "bad" ones must not; the syntax error comes last since it
# may swallow what follows.
awk -v lines="$lines" '
function put(text) { print text; line++ }
function open_probe(name) { put("int probe_" name "(void);"); put("int probe_" name "(void)"); put("{"); first = line }
function close_probe(name) { put("return 0;"); put("}"); print name, first, line > lines }
function whole(name, body) { open_probe(name); put(body); close_probe(name) }
/^#/ || NF == 0 { next }
$1 == "probe" {
	count++
	names[count] = $2
	for (i = 3; i <= NF; i++) {
		needs[count] = needs[count] " " $i
		if (!($i in seen)) {
			seen[$i] = 1
			headers[++header_count] = $i
		}
	}
	next
}
$1 == "end" { next }
{ bodies[count] = bodies[count] $0 "\n" }
END {
	put("#include <linux/module.h>")
	put("#include <linux/sched.h>")
	for (i = 1; i <= header_count; i++) {
		put("#if __has_include(<" headers[i] ">)")
		put("#include <" headers[i] ">")
		put("#endif")
	}
	whole("sane_before", "struct module *module = NULL; (void)module;")
	for (i = 1; i <= count; i++) {
		open_probe(names[i])
		parts = split(needs[i], need, " ")
		for (j = 1; j <= parts; j++) {
			put("#if !__has_include(<" need[j] ">)")
			put("#error no such header")
			put("#endif")
		}
		parts = split(bodies[i], text, "\n")
		for (j = 1; j < parts; j++)
			put(text[j])
		close_probe(names[i])
	}
	whole("sane_after", "struct module *module = NULL; (void)module;")
	whole("bad_type", "struct task_struct *task = NULL; struct module *module = task; (void)module;")
	whole("bad_declaration", "return cxfw_no_such_function(1);")
	whole("bad_syntax", "return ) 1;")
}' "$here/probes.txt" > "$source" || exit 1

case $version in
*clang*)
	judge="-ferror-limit=0 -fno-caret-diagnostics"
	judge="$judge -Werror=incompatible-pointer-types-discards-qualifiers" ;;
*)
	judge="-fmax-errors=0 -fno-diagnostics-show-caret -Werror=discarded-qualifiers" ;;
esac
judge="$judge -Wno-error -Werror=incompatible-pointer-types -Werror=int-conversion"
judge="$judge -Werror=implicit-function-declaration"

# -w would silence -Werror= too and turn every answer into "yes".
count=$#
while [ "$count" -gt 0 ]; do
	word=$1
	shift
	[ "$word" = -w ] || set -- "$@" "$word"
	count=$((count - 1))
done
# shellcheck disable=SC2086
"$@" $judge -fsyntax-only -DMODULE '-DKBUILD_MODNAME="probes"' '-DKBUILD_BASENAME="probes"' "$source" > "$log" 2>&1

# An error in a header belongs to the probe whose line expanded the macro.
awk -v key="$key" -v source="$source" '
FILENAME ~ /probes\.lines$/ { name[++count] = $1; first[count] = $2; last[count] = $3; next }
/: (fatal )?error:/ { is_error = 1 }
/: warning:/ { is_error = 0 }
is_error {
	at = index($0, source ":")
	if (!at)
		next
	line = substr($0, at + length(source) + 1) + 0
	for (i = 1; i <= count; i++)
		if (line >= first[i] && line <= last[i])
			failed[name[i]] = 1
}
END {
	if (!count || ("sane_before" in failed) || ("sane_after" in failed) || !("bad_type" in failed) ||
	    !("bad_declaration" in failed) || !("bad_syntax" in failed))
		exit 1
	print "/* SPDX-License-Identifier: GPL-2.0-only */"
	print "/* Written by compat/probe.sh. */"
	print "/* key " key " */"
	for (i = 1; i <= count; i++)
		if (name[i] !~ /^(sane|bad)_/)
			print ((name[i] in failed) ? "/* no " : "#define ") "CXFW_HAVE_" name[i] \
			      ((name[i] in failed) ? " */" : " 1")
}' "$lines" "$log" > "$header.new"
if [ $? -ne 0 ]; then
	rm -f "$header.new" "$header"
	{
		echo "cxctl: the feature probes give no sane answer for kernel ${KERNELRELEASE:-(unknown)}."
		echo "cxctl: compiler: $version"
		if grep -qE "unrecognized command-line option|unknown argument|unsupported option" "$log"; then
			echo "cxctl: the compiler does not know an option that this kernel is built with;"
			echo "cxctl: install the compiler named in CONFIG_CC_VERSION_TEXT of its .config, or give CC=."
		else
			echo "cxctl: the kernel tree is incomplete, or does not fit this compiler."
		fi
		echo "cxctl: the compiler's first words (all of them: $log):"
		grep -vE "^(In file included|  *from )" "$log" | head -n 5
	} >&2
	exit 1
fi
if cmp -s "$header.new" "$header"; then
	rm -f "$header.new"
else
	mv "$header.new" "$header"
fi
