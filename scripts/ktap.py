#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs KTAP programs and sums what they say.

ktap.py run [--timeout SECONDS] [--counts FILE] NAME -- COMMAND…
    Streams the command's output and appends "NAME passed failed skipped" to FILE. A program
    that cannot be started, dies, hangs, fails without saying which test, or ends before its
    plan is fulfilled adds a failed test: silence is no success.
ktap.py total FILE…
    Prints the table of those counts and the last line "N passed, N failed, N skipped".
"""
import argparse
import re
import signal
import subprocess
import sys
import threading

RESULT = re.compile(r"^( *)(ok|not ok) \d+\s*(?:- )?(.*)$")
PLAN = re.compile(r"^( *)1\.\.(\d+)(\s*#\s*SKIP.*)?$")


class Counter:
    """Counts the leaves: a result line that sums up more indented ones is not a test."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.open = {}          # indent -> [planned, seen, failures] of the running list
        self.problems = []

    def line(self, text):
        if match := PLAN.match(text):
            self.plan(len(match.group(1)), int(match.group(2)))
            if match.group(3) and not match.group(1) and not int(match.group(2)):
                self.skipped += 1
        elif match := RESULT.match(text):
            self.result(len(match.group(1)), match.group(2) == "ok", match.group(3))

    def plan(self, indent, count):
        frame = self.open.get(indent)
        if frame and frame[0] is None and frame[1]:
            frame[0] = count            # a plan may stand at the end, too
        else:
            self.close(indent)
            self.open[indent] = [count, 0, 0]

    def result(self, indent, good, description):
        deeper = [level for level in self.open if level > indent]
        tests, failures = self.close_deeper(indent)
        frame = self.open.setdefault(indent, [None, 0, 0])
        frame[1] += 1
        frame[2] += not good
        if deeper and tests:
            # A parent speaks for its children, unless it failed and they did not.
            if not good and not failures:
                self.failed += 1
        elif "# SKIP" in description:
            self.skipped += 1
        elif good:
            self.passed += 1
        else:
            self.failed += 1

    def close_deeper(self, indent):
        tests = failures = 0
        for level in sorted((level for level in self.open if level > indent), reverse=True):
            seen, bad = self.close(level)
            tests += seen
            failures += bad
        return tests, failures

    def close(self, indent):
        if indent not in self.open:
            return 0, 0
        planned, seen, bad = self.open.pop(indent)
        if planned is not None and seen != planned:
            self.problems.append(f"{planned} tests planned, {seen} seen")
            self.failed += 1
            bad += 1
        return seen, bad

    def finish(self, status, expired):
        self.close_deeper(-1)
        if expired:
            self.problems.append("timed out")
            self.failed += 1
        elif status < 0:
            self.problems.append(f"ended by signal {signal.Signals(-status).name}")
            self.failed += 1
        elif status not in (0, 4) and not self.failed:
            self.problems.append(f"exit status {status} but no failed test")
            self.failed += 1
        elif not (self.passed or self.failed or self.skipped):
            self.problems.append("said nothing")
            self.failed += 1


def count(arguments, counter):
    if arguments.counts:
        with open(arguments.counts, "a", encoding="utf-8") as file:
            file.write(f"{arguments.name} {counter.passed} {counter.failed} {counter.skipped}\n")


def run(arguments):
    counter = Counter()
    try:
        program = subprocess.Popen(arguments.command, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        print(f"# {arguments.name}: {error}", flush=True)
        counter.failed += 1
        count(arguments, counter)
        return 1
    expired = threading.Event()

    def expire():
        expired.set()
        program.kill()

    timer = threading.Timer(arguments.timeout, expire)
    timer.start()
    for raw in program.stdout:
        text = raw.decode("utf-8", "replace").rstrip("\n")
        print(text, flush=True)
        counter.line(text)
    status = program.wait()
    timer.cancel()
    counter.finish(status, expired.is_set())
    for problem in counter.problems:
        print(f"# {arguments.name}: {problem}", flush=True)
    count(arguments, counter)
    return 1 if counter.failed else 0


def total(arguments):
    sums = [0, 0, 0]
    for name in arguments.files:
        with open(name, encoding="utf-8") as file:
            for line in file:
                what, *counts = line.split()
                counts = [int(count) for count in counts]
                sums = [a + b for a, b in zip(sums, counts)]
                print(f"{what:32} {counts[0]:6} passed {counts[1]:4} failed {counts[2]:4} skipped")
    print(f"{sums[0]} passed, {sums[1]} failed, {sums[2]} skipped")
    return 1 if sums[1] or not sums[0] else 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("--timeout", type=float, default=600)
    one.add_argument("--counts")
    one.add_argument("name")
    one.add_argument("command", nargs="+")
    one.set_defaults(call=run)
    many = commands.add_parser("total")
    many.add_argument("files", nargs="+")
    many.set_defaults(call=total)
    arguments = parser.parse_args()
    return arguments.call(arguments)


sys.exit(main())
