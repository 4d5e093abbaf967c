#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""bench-table.py LOG JSON [--ktap]: from the lines of selftests/bench/bench.sh to a table and a file."""
import json
import sys


def row(line):
    _, name, unit, ours, peer, goal = line.strip().split("|")
    ours, goal = float(ours), float(goal)
    peer = None if peer == "-" else float(peer)
    ratio = ours / peer if peer else None
    value = ours if peer is None else ratio
    met = value is not None and value <= goal
    return {"name": name, "unit": unit, "ours": ours, "peer": peer, "ratio": ratio, "goal": goal, "met": met}


def number(value, digits=0):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if value != int(value) or digits > 1 else f"{value:.0f}"


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        rows = [row(line) for line in log if line.startswith("bench|")]
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump(rows, out, indent=2)
        out.write("\n")
    width = max(len(r["name"]) for r in rows)
    print(f'{"":{width}}  {"ours":>10} {"mstflint":>10} {"ratio":>7} {"goal":>7}')
    for r in rows:
        goal = f"<= " + f'{r["goal"]:g}'
        print(f'{r["name"]:{width}}  {number(r["ours"], 1):>10} {number(r["peer"], 1):>10} '
              f'{number(r["ratio"], 3):>7} {goal:>7}  {"met" if r["met"] else "MISSED"}  ({r["unit"]})')
    if "--ktap" in sys.argv:
        print("KTAP version 1")
        print(f"1..{len(rows)}")
        for index, r in enumerate(rows, 1):
            print(f'{"ok" if r["met"] else "not ok"} {index} goal of speed: {r["name"]}')
    sys.exit(0 if all(r["met"] for r in rows) else 1)


main()
