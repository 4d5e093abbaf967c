#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# locale.sh: the same answers in zh_CN.UTF-8, zh_CN.GB18030 and C, in KTAP: texts in the locale's encoding, columns that
# stand below each other, JSON in UTF-8 and with English keys everywhere, errors in ASCII in C. Locales are made here.
# $CXCTL and $CXCTL_TEST_IMAGE name the programs; make check-unit runs it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cxctl=${CXCTL:-$top/build/cxctl}
maker=${CXCTL_TEST_IMAGE:-$top/build/cxctl-test-image}
work=$(mktemp -d "${TMPDIR:-/tmp}/locale.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LANGUAGE
export CXCTL_LOCALEDIR=${cxctl%/*}/locale LOCPATH=$work/locales
encodings="UTF-8 GB18030"
. "$top/selftests/lib/cli.sh"

# python EXPRESSION: true if it is; text(NAME, ENCODING) is what was said, columns(TEXT) where the cells of its lines begin.
python()
{
    python3 -IS -c 'import json, re, sys, unicodedata
def data(name, encoding):
    return open(name + "." + encoding, "rb").read()
def text(name, encoding):
    return data(name, encoding).decode(encoding)
def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
def columns(text):
    return {tuple(width(line[:gap.end()]) for gap in re.finditer("  +", line)) for line in text.splitlines() if "  " in line}
def chinese(text):
    return bool(re.search("[\u4e00-\u9fff]", text))
sys.exit(not eval(sys.argv[1]))' "$1" || { echo "# false: $1"; return 1; }
}

# said NAME ARGUMENT…: answer and conversation in each encoding, in NAME.ENCODING and NAME-error.ENCODING.
said()
{
    local name=$1 encoding
    shift
    for encoding in $encodings; do
        LC_ALL=zh_CN.$encoding "$cxctl" "$@" >"$name.$encoding" 2>"$name-error.$encoding"
    done
    LC_ALL=C "$cxctl" "$@" >"$name.ascii" 2>"$name-error.ascii"
}

same_in_both() { python "chinese(text('$1', 'GB18030')) and text('$1', 'UTF-8') == text('$1', 'GB18030')"; }
ascii() { python "not chinese(text('$1', 'ascii')) and len(text('$1', 'ascii')) > 20"; }

mkdir locales images
for encoding in $encodings; do
    localedef -i zh_CN -f "$encoding" "locales/zh_CN.$encoding" || echo "# no locale zh_CN.$encoding"
done
"$maker" fs4 psid=MT_0000000011 version=16.35.4030 -o images/one.bin
"$maker" fs2 psid=MT_0D90110009 version=2.10.720 -o images/another-with-a-longer-name.bin

echo "KTAP version 1"
said help --help
check "help: the same in UTF-8 and GB18030" same_in_both help
check "help: ASCII in C" ascii help
said command burn --help
check "help of a command: the same in both" same_in_both command
check "help of a command: what options do begins in one column" python "len({width(m[0]) for e in ('UTF-8', 'GB18030') \
    for m in re.finditer(r'^  (?:-., |    )--\S+(?: \S+)?  +', text('command', e), re.M)}) == 1"
said list list
check "list: the same in both" python "text('list', 'UTF-8') + text('list-error', 'UTF-8') == text('list', 'GB18030') + text('list-error', 'GB18030')"
said table image list images
check "a table: the same in both" same_in_both table
check "a table: its columns stand below each other in UTF-8" python "len(columns(text('table', 'UTF-8'))) == 1"
check "a table: and in GB18030" python "len(columns(text('table', 'GB18030'))) == 1"
said info image info images/one.bin
check "facts of an image: the same in both" same_in_both info
said error image info /nowhere/image.bin
check "an error: the same in both, the system's words too" same_in_both error-error
check "an error: ASCII in C" ascii error-error
said unknown flush
check "a refusal with more lines: the same in both" same_in_both unknown-error
check "a refusal with more lines: ASCII in C" ascii unknown-error
said wide image info /nowhere/卡.bin
check "a name that C cannot show is escaped there" python "r'\xe5\x8d\xa1.bin' in text('wide-error', 'ascii')"
said json image info -j /nowhere/image.bin images/one.bin
check "JSON: UTF-8 in GB18030, too" python "data('json', 'UTF-8') == data('json', 'GB18030') and chinese(text('json', 'UTF-8'))"
check "JSON: English keys and ids in every locale" \
    python "all(json.loads(data('json', e))['images'][0]['error']['id'] == 'image-unreadable' for e in ('UTF-8', 'GB18030', 'ascii'))"
check "JSON: in C the texts are ASCII" python "not chinese(data('json', 'ascii').decode())"
finish
