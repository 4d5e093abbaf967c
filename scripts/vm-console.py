#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a virtual machine, streams its console and carries its result out.

vm-console.py --timeout SECONDS --out DIRECTORY -- COMMAND…

The guest's init brackets what its script prints with the lines "=== start" and "=== exit
STATUS"; that status becomes ours, and what the kernel says before is shown only if the
machine never got so far. Between
"=== file NAME" and "=== end" stands a file in base64, stored below DIRECTORY.
Exit status 124: timed out. 125: the machine ended without saying so.
"""
import argparse
import base64
import os
import re
import subprocess
import sys
import threading


class Console:
    """Lines of the guest: printed, or collected into a file, or its exit status."""

    def __init__(self, out):
        self.out = out
        self.boot = []
        self.status = None
        self.name = None
        self.lines = []

    def line(self, text):
        if self.name is not None:
            if text == "=== end":
                self.store()
            else:
                self.lines.append(text)
        elif match := re.fullmatch(r"=== file ([\w.+-]+)", text):
            self.name, self.lines = match.group(1), []
        elif text == "=== start":
            self.boot = None
        elif self.boot is not None:
            self.boot.append(text)
        elif match := re.fullmatch(r"=== exit (\d+)", text):
            self.status = int(match.group(1))
        elif self.status is None:
            print(text, flush=True)

    def store(self):
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, self.name), "wb") as file:
            file.write(base64.b64decode("".join(self.lines)))
        self.name = None


def visible(text):
    """What a terminal would show of a line: a progress bar draws over itself."""
    return text.rstrip("\r\n").rsplit("\r", 1)[-1].replace("\x1b[K", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()

    machine = subprocess.Popen(arguments.command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expired = threading.Event()

    def expire():
        expired.set()
        machine.kill()

    timer = threading.Timer(arguments.timeout, expire)
    timer.start()
    console = Console(arguments.out)
    try:
        for raw in machine.stdout:
            console.line(visible(raw.decode("utf-8", "replace")))
        machine.wait()
    finally:
        timer.cancel()
        machine.kill()
    for text in console.boot or ():
        print(f"# {text}")
    if expired.is_set():
        print(f"# the virtual machine was stopped after {arguments.timeout:.0f} s", flush=True)
        return 124
    if console.status is None:
        print("# the virtual machine ended without an exit status: did its kernel panic?", flush=True)
        return 125
    return console.status


sys.exit(main())
