#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# lint.sh: what can be said of the source without running it, in KTAP.
set -u
. "$(dirname "$0")/common.sh"
cd "$top" || exit 1

work=$build/lint
mkdir -p "$work"
number=0 failures=0

# lint NAME COMMAND…: passes if the command succeeds; else shows the end of what it said.
lint()
{
    local name=$1 log=$work/$((number + 1)).log
    shift
    number=$((number + 1))
    if "$@" >"$log" 2>&1; then
        echo "ok $number $name"
    else
        grep -E 'warning|error|ERROR|WARNING|CHECK' "$log" | head -n 30 | sed 's/^/# /'
        echo "# the last lines:"
        tail -n 8 "$log" | sed 's/^/# /'
        echo "not ok $number $name"
        failures=$((failures + 1))
    fi
}

# skip NAME WHY
skip()
{
    number=$((number + 1))
    echo "ok $number $1 # SKIP $2"
}

sources()
{
    # Whoever owns the directory.
    git -c safe.directory='*' ls-files -co --exclude-standard "$@"
}

# with COMPILER: the tool and the image makers, where a warning is an error.
compiles_with()
{
    make -k -j2 CC="$1" BUILD="$work/$1" CFLAGS="-O2 -g -Werror" TOOLS_CFLAGS_MORE=-Werror "$work/$1/cxctl" \
        "$work/$1/cxsim-image" "$work/$1/cxctl-test-image"
}

model_with()
{
    local source bad=0
    for source in kmod/cxsim/model/*.c; do
        "$1" -std=c11 -Wall -Wextra -Werror -fsyntax-only "$source" || bad=1
    done
    return $bad
}

# The kernel's own way to run sparse, on a copy of its own, so that it checks every file.
sparse_clean()
{
    scripts/kernels.sh 6.1 >&2 || return 1
    rm -rf "$work/sparse"
    mkdir -p "$work/sparse"
    sources kmod | cpio -p -d --quiet "$work/sparse"
    make -C "$(echo "$build"/kernels/6.1/headers/usr/src/linux-headers-*-amd64)" M="$work/sparse/kmod" CC=gcc-12 \
        C=1 CF="-Wsparse-error" modules || return 1
}

checkpatch_clean()
{
    # shellcheck disable=SC2046
    perl "$build/checkpatch/checkpatch.pl" --no-tree --terse --no-summary --show-types --max-line-length=110 \
        -f $(sources kmod | grep -E '\.[ch]$')
}

tagged()
{
    local file bad=0
    for file in $(sources | grep -E '\.(c|h|sh|py|mk)$|(Makefile|Kbuild|init|run)$'); do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || {
            echo "error: $file has no SPDX tag"
            bad=1
        }
    done
    return $bad
}

# No mirror, no machine's path, in what is committed.
nobodys_machine()
{
    ! grep -n -I -E '(^|[[:space:]"=(:])/(work|home)/|deb\.debian\.org|security\.debian\.org|ftp\..*\.debian\.org' \
        $(sources | grep -v -E '^(Documentation/reference/|scripts/lint\.sh)')
}

shell_parses()
{
    local file bad=0
    for file in $(sources | grep -E '\.sh$|vm/init$|\.ci/run$'); do
        case $(head -n 1 "$file") in
        *bash* | '# SPDX'*) bash -n "$file" || bad=1 ;;
        *) sh -n "$file" || bad=1 ;;
        esac
    done
    return $bad
}

python_parses()
{
    # shellcheck disable=SC2046
    PYTHONPYCACHEPREFIX=$work python3 -m py_compile $(sources | grep -E '\.py$')
}

manual_clean()
{
    mandoc -T lint -W warning Documentation/man/*.8
}

# Every message of the sources is translated, whether "make pot" was run or not.
messages_complete()
{
    local catalogue bad=0
    make -s messages POT="$work/cxctl.pot" || return 1
    for catalogue in po/*.po; do
        LC_ALL=C msgfmt --check --statistics --output-file="$work/messages.mo" "$catalogue" 2>"$work/messages"
        grep -q '^[0-9]* translated messages\.$' "$work/messages" || bad=1
        cat "$work/messages"
        LC_ALL=C msgcmp "$catalogue" "$work/cxctl.pot" || bad=1
        ! grep -n '^#~' "$catalogue" || bad=1
    done
    return $bad
}

echo "KTAP version 1"
lint "gcc compiles without a warning" compiles_with gcc
lint "clang compiles without a warning" compiles_with clang
lint "the model is C11 for gcc" model_with gcc
lint "the model is C11 for clang" model_with clang
for series in $all_series; do
    lint "the modules build with W=1 and no warning: $series" scripts/build-modules.sh "$series"
done
lint "sparse has nothing to say" sparse_clean
if scripts/checkpatch.sh; then
    lint "checkpatch has nothing to say" checkpatch_clean
else
    skip "checkpatch has nothing to say" "checkpatch.pl could not be had"
fi
lint "every file names its licence" tagged
lint "no machine's path or mirror is named" nobodys_machine
lint "shell scripts parse" shell_parses
lint "Python scripts parse" python_parses
lint "the manual is clean" manual_clean
lint "every message is translated" messages_complete
echo "1..$number"
[ $failures = 0 ]
