#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# package-tree.sh DIRECTORY: lays out the sources as a release has them: what git knows, or would, and no more.
set -eu
. "$(dirname "$0")/common.sh"

rm -rf "$1"
mkdir -p "$1"
cd "$top"
if git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1; then
    git -c safe.directory='*' ls-files -co --exclude-standard
else
    find . -path ./build -prune -o -type f -print
fi | while read -r file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
done | cpio -0 -p -d -m --quiet "$1"
