#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs cxctl doctor on the root of every case and compares its findings as data. KTAP.

usage: run.py CXCTL [PART-OF-A-NAME]
"""
import importlib
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402


def all_cases():
    for name in sorted(os.listdir(HERE)):
        if name.startswith("cases_") and name.endswith(".py"):
            yield from importlib.import_module(name[:-3]).CASES


def findings(cxctl, wanted, root):
    """Findings by id, and what is wrong with the answer as a whole."""
    words = [cxctl, "doctor", "--root", root, "-j"]
    if wanted["kernel"]:
        words += ["--kernel", wanted["kernel"]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    try:
        found = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError):
        return {}, [f"exit {done.returncode}, no findings: {done.stdout[:200]} {done.stderr[:200]}"]
    # 8: something needs doing.
    needed = any(finding["severity"] in ("warning", "error") for finding in found)
    wrong = [] if done.returncode == (8 if needed else 0) else [f"exit {done.returncode}"]
    return {finding["id"]: finding for finding in found}, wrong


def compare(wanted, found):
    for name, severity, command in wanted["expect"]:
        if name not in found:
            yield f"no {name}, only {' '.join(found)}"
        elif found[name]["severity"] != severity:
            yield f"{name} is {found[name]['severity']}, expected {severity}"
        elif command is not None and (found[name].get("command") or "") != command:
            yield f"{name}: command '{found[name].get('command')}', expected '{command}'"
    for name in wanted["absent"]:
        if name in found:
            yield f"{name} is there: {found[name]}"


def main():
    cxctl = os.path.abspath(sys.argv[1])
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    cases = [wanted for wanted in all_cases() if part in wanted["name"]]
    failed = 0
    print(f"KTAP version 1\n1..{len(cases)}")
    for number, wanted in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as root:
            tree.build(wanted, root)
            found, wrong = findings(cxctl, wanted, root)
        wrong += list(compare(wanted, found))
        for line in wrong:
            print(f"# {line}")
        failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {number} {wanted['name']}", flush=True)
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
