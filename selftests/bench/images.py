#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""images.py: CPU time of cxctl and of mstflint on the same image files, in one run, for bench.sh.

Synthetic images with sections as large as real ones have: 10 MB of code in a FS4 file of 32 MB,
3 MB in a FS3 file of 16 MB. User and system time of each process, the least of several runs, in
turns; what both tools take to start (on an empty file) is subtracted. Lines as bench.sh prints:
  bench|NAME|UNIT|OURS|THEIRS|GOAL
"""
import os
import subprocess
import sys
import tempfile

ROUNDS = 15
MADE = {
    "FS4 of 32 MB": "fs4 size=32m log2=24 code_size=8m rom_size=0x40014 digest keys",
    "FS3 of 16 MB": "fs3 size=0xff9000 log2=22 code_size=2300k rom_size=0x20014 digest keys",
}
# Name, file, what each does, the most that ours may take of theirs.
GOALS = (
    ("image verify", "FS4 of 32 MB", ["image", "verify"], ["verify"], 0.1),
    ("image verify", "FS3 of 16 MB", ["image", "verify"], ["verify"], 0.2),
    ("image info", "FS4 of 32 MB", ["image", "info", "-j"], ["query", "full"], 1.0),
    ("image info", "FS3 of 16 MB", ["image", "info", "-j"], ["query", "full"], 1.0),
)


def cpu(command):
    """Milliseconds of user and system time, and the exit status."""
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdin=null, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1000, child.returncode


def ours(cxctl, words, path):
    return [cxctl, *words, path]


def theirs(words, path):
    return ["mstflint", "-i", path, *words]


def least(commands):
    """The least CPU time of each command; taken in turns, so that other work disturbs all alike."""
    best = [None] * len(commands)
    for _ in range(ROUNDS):
        for index, (command, may_fail) in enumerate(commands):
            time, status = cpu(command)
            if status and not may_fail:
                print(f"# failed, exit status {status}: {' '.join(command)}", file=sys.stderr)
            best[index] = time if best[index] is None else min(best[index], time)
    return best


def main():
    build = sys.argv[1]
    cxctl = os.path.join(build, "cxctl")
    with tempfile.TemporaryDirectory() as work:
        empty = os.path.join(work, "empty")
        with open(empty, "wb"):
            pass
        files = {}
        for name, words in MADE.items():
            files[name] = os.path.join(work, name.split()[0])
            subprocess.run([os.path.join(build, "cxctl-test-image"), *words.split(), "-o", files[name]], check=True)
            print(f"# {name}: {words}")
        for what, name, our_words, their_words, goal in GOALS:
            start_ours, start_theirs, all_ours, all_theirs = least((
                (ours(cxctl, our_words, empty), True), (theirs(their_words, empty), True),
                (ours(cxctl, our_words, files[name]), False), (theirs(their_words, files[name]), False)))
            print(f"# {what}, {name}: to start, cxctl {start_ours:.2f} ms, mstflint {start_theirs:.2f} ms")
            print(f"bench|{what}, {name}|ms of CPU|{max(all_ours - start_ours, 0.01):.2f}|"
                  f"{max(all_theirs - start_theirs, 0.01):.2f}|{goal}", flush=True)
    print("images-done")


main()
