#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The guides' commands are those that selftests/vm/guides.sh runs: all of them, in their order, no others. KTAP."""
import difflib
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GUIDES = ("Documentation/oem-card.md", "Documentation/recovery.md")
TEST = "selftests/vm/guides.sh"
# A line of a listing, or what stands between backquotes in a text; the name of a command alone is no command.
COMMAND = re.compile(r"^ {4}((?:cxctl|tar|modprobe) .+)$|`(cxctl \w+ [^`]+|(?:tar|modprobe) [^`]+)`", re.M)
SUBCOMMAND = re.compile(r"cxctl image \w+$")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def commands(text):
    found = [listed or told for listed, told in COMMAND.findall(text)]
    return [command for command in found if not SUBCOMMAND.match(command)]


def tested():
    """The commands of each guide in the test; a heading says whose they are."""
    guide, found = None, {name: [] for name in GUIDES}
    for line in read(TEST).splitlines():
        heading = re.match(r"# --- ([\w-]+\.md)", line)
        command = re.match(r'\s*line \S+ "([^"]+)"', line)
        if heading:
            guide = "Documentation/" + heading.group(1)
        elif command:
            found[guide].append(command.group(1))
    return found


def main():
    run = tested()
    failed = False
    print(f"KTAP version 1\n1..{len(GUIDES)}")
    for number, guide in enumerate(GUIDES, 1):
        wanted = commands(read(guide))
        good = len(wanted) > 10 and wanted == run[guide]
        if not good:
            for line in difflib.unified_diff(wanted, run[guide], guide, TEST, lineterm="", n=1):
                print(f"# {line}")
        print(f"{'ok' if good else 'not ok'} {number} every command of {guide} is run")
        failed |= not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
