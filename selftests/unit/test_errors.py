#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Each id of an error or finding, and each exit code, stands in the index of each language, and nothing else. KTAP."""
import importlib.util
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("index", os.path.join(TOP, "scripts", "error-index.py"))
index = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(index)


def complete(path, wanted):
    """The differences between what stands in an index and what should."""
    there = index.rows(path)
    for word in sorted(set(wanted) - set(there)):
        yield f"{path}: {word} has no line: scripts/error-index.py skeleton writes its beginning"
    for word in sorted(set(there) - set(wanted)):
        yield f"{path}: {word} is no id of the sources"
    for word in sorted(set(word for word in there if there.count(word) > 1)):
        yield f"{path}: {word} has two lines"


def told_options(path):
    """Options of cxctl that an index names, and that there are not."""
    known = set(re.findall(r'= \{ "([\w-]+)", ', "".join(text for _, text in index.sources())))
    known |= set(re.findall(r'\{ "([\w-]+)", (?:no|required)_argument', "".join(text for _, text in index.sources())))
    for word in sorted(set(re.findall(r"--([a-z][a-z-]+)", index.read(path))) - known):
        yield f"{path}: no command has the option --{word}"


def main():
    wanted = set(index.ids()) | set(index.exits().values())
    tests = [(f"{path} has every id and exit code, once", complete(path, wanted)) for path in index.INDICES]
    tests += [(f"{path} names options that there are", told_options(path)) for path in index.INDICES]
    tests += [("both are in one order", () if index.rows(index.INDICES[0]) == index.rows(index.INDICES[1]) else ("no",)),
              ("there are many ids", () if len(wanted) > 200 else (f"{len(wanted)}",))]
    failed = False
    print(f"KTAP version 1\n1..{len(tests)}")
    for number, (name, trouble) in enumerate(tests, 1):
        trouble = list(trouble)
        for line in trouble:
            print(f"# {line}")
        print(f"{'not ok' if trouble else 'ok'} {number} {name}")
        failed |= bool(trouble)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
