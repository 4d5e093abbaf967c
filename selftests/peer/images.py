#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""images.py: what mstflint and cxctl say of the same image files, field by field, in KTAP.

Synthetic images of every format, made here by cxctl-test-image; no virtual machine. Debian's
mstflint, and a newer one where scripts/newer-mstflint.sh can get it. CXCTL_REAL_IMAGES=DIR takes
the images below a directory, too. SEED=n repeats the damage that is done to them.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import compare

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
CXCTL = os.path.join(BUILD, "cxctl")
MAKER = os.path.join(BUILD, "cxctl-test-image")
FLIPS = 16

# Which versions of mstflint take such an image. Newer ones print memory that nobody wrote for FS2.
OLD, NEW = "old", "new"
BOTH = (OLD, NEW)
CASES = (
    ("FS2", "fs2", (OLD,)),
    ("FS2 with ROM and product version", "fs2 rom_size=0x4014 product=02.42.50.00 vsd=abc", (OLD,)),
    ("FS2, not failsafe", "fs2 not_failsafe", (OLD,)),
    ("FS2, ConnectX-3, revision", "fs2 hw_id=0x1f5 pci=0x1003 hw_revision=1 version=2.36.5150", (OLD,)),
    ("FS3", "fs3", BOTH),
    ("FS3 with ROM and digest", "fs3 rom_size=0x4014 digest product=12.28.2006", BOTH),
    ("FS3 of Connect-IB", "fs3 connect_ib version=10.16.1200", BOTH),
    ("FS3, ConnectX-4 Lx, no ids", "fs3 hw_id=0x20b pci=0x1015 no_uids", BOTH),
    ("FS3, signed", "fs3 signature_2048 keys security_flags=0x4100", BOTH),
    ("FS3 of 16 MB", "fs3 size=0xff9000 log2=22", BOTH),
    ("FS4", "fs4", BOTH),
    ("FS4 with ROM and digest", "fs4 rom_size=0x8014 digest keys product=16.35.2000 uid_count=8", BOTH),
    ("FS4, table at its second place", "fs4 second_itoc", BOTH),
    ("FS4, signed twice, hashes", "fs4 signature_2048 signature_4096 hashes security_flags=0xc140", BOTH),
    ("FS4 for development", "fs4 signature_2048 keys security_flags=0xe100 security_version=3", BOTH),
    ("FS4, mcc without signature", "fs4 security_flags=0x0100 digest keys", BOTH),
    ("FS4, no ids", "fs4 no_uids", BOTH),
    ("FS4 of 32 MB", "fs4 size=32m code_size=1m", BOTH),
    ("FS4, device data in the middle", "fs4 size=4m dtoc_divisor=2", (NEW,)),
    ("FS4, stripped", "fs4 stripped", (NEW,)),
    ("FS4, encrypted", "fs4 encrypted security_flags=0xc108", (NEW,)),
    ("FS5", "fs5", (NEW,)),
    ("FS5 with outer header", "fs5 encapsulated", (NEW,)),
)


def ids(image, key):
    value = image[key] or "N/A"
    return f"{value} {image[key + '_count']}"


def port_ids(image, key):
    return f"{image[key]} {image[key + '_count']} {image[key + '_step']}"


QUERY = dict(compare.QUERY)
QUERY.update({
    "Image type": lambda image: image["format"],
    "FW Version": lambda image: image["firmware_version"],
    "FW ISSU Version": lambda image: image["issu_version"],
    "Base GUID": lambda image: ids(image, "base_guid"),
    "Base MAC": lambda image: ids(image, "base_mac"),
    "Base GUID1": lambda image: port_ids(image, "base_guid"),
    "Base GUID2": lambda image: port_ids(image, "port2_guid"),
    "Base MAC1": lambda image: port_ids(image, "base_mac"),
    "Base MAC2": lambda image: port_ids(image, "port2_mac"),
    "Security Ver": lambda image: str(image["security"]["security_version"]),
    "Default Update Method": lambda image: {"flash": "Legacy"}.get(image["update_method"], image["update_method"]),
    # Says what MFG_INFO holds beside PSID and ids; cxctl does not show it.
    "Orig PRS Name": None,
    "Orig PSID": lambda image: image["original_psid"],
})
compare.NORMAL.update(dict.fromkeys(("Base GUID1", "Base GUID2", "Base MAC1", "Base MAC2"),
                                    lambda text: " ".join(text.split())))


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, timeout=120)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def tools():
    """The versions at hand: which, command, version."""
    found = []
    if path := shutil.which("mstflint"):
        found.append((OLD, [path]))
    newer = os.path.join(BUILD, "mstflint")
    if run(os.path.join(TOP, "scripts/newer-mstflint.sh"))[0] == 0:
        found.append((NEW, [os.path.join(newer, "lib/ld-linux-x86-64.so.2"), "--library-path",
                            os.path.join(newer, "lib"), os.path.join(newer, "bin/mstflint")]))
    result = []
    for which, command in found:
        match = re.search(r"mstflint (\d[\w.]*)", run(*command, "-v")[1])
        result.append((which, command, match.group(1) if match else "?"))
    return result


def parsed(path, verb):
    status, text = run(CXCTL, "image", verb, "-j", path)
    try:
        return status, json.loads(text)["images"][0], text
    except (ValueError, KeyError, IndexError):
        return status, None, text


def compare_query(report, title, text, image):
    found = compare.fields(text)
    if lines := compare.rom_lines(text):
        found["Rom Info"] = compare.roms(lines)
    report.test(f"{title} answers", "PSID" in found or "FW Version" in found, *text.splitlines()[-5:])
    for name, value in found.items():
        if image["stripped"] and value.split()[:1] == ["N/A"]:
            continue                    # what stands in device data only
        compare.compare_field(report, title, name, value, QUERY, image)


def parts_of(text):
    """What mstflint's verify lists: (start, length) and how it is."""
    pattern = r"^\s*/0x([0-9a-f]+)-0x[0-9a-f]+ \(0x([0-9a-f]+)\)/ \(([^)]*)\)(.*)$"
    for line in re.finditer(pattern, text, re.M):
        if line.group(3) != "HW_POINTERS":
            yield (int(line.group(1), 16), int(line.group(2), 16)), line.group(3), line.group(4)


def compare_parts(report, title, text, verified):
    ours = {(part["start"], part["length"]): part for part in verified["parts"]}
    wrong = []
    count = 0
    for place, name, words in parts_of(text):
        count += 1
        expected = "unguarded" if "CRC IGNORED" in words else "good"
        part = ours.get(place)
        # A stricter look may guard what they do not.
        if not part:
            wrong.append(f"cxctl does not speak of {name} at {place[0]:#x}, {place[1]:#x} bytes")
        elif part["verdict"] not in (expected, "good"):
            wrong.append(f"{name} at {place[0]:#x}: {part['verdict']}, mstflint says{words}")
    report.test(f"{title}: verify speaks of the same parts", not wrong and count, *wrong, *text.splitlines()[-3:])


def compare_image(report, title, path, peers):
    _, image, text = parsed(path, "info")
    if not image:
        report.test(f"{title}: cxctl image info answers", False, *text.splitlines()[-5:])
        return
    status, verified, text = parsed(path, "verify")
    # Of an encrypted image nobody can say that it is good.
    expected = (8, "unusual") if image["encrypted"] else (0, "good")
    content = verified and (status, verified["verdict"]) == expected
    report.test(f"{title}: cxctl image verify is content", content, f"exit status {status}", text[-300:])
    for _, command, version in peers:
        name = f"{title}: mstflint {version}"
        compare_query(report, f"{name} query", run(*command, "-i", path, "query", "full")[1], image)
        status, text = run(*command, "-i", path, "verify")
        report.test(f"{name} verify is content", status == 0, *text.splitlines()[-3:])
        if verified:
            compare_parts(report, name, text, verified)


def damage(report, title, path, peers, chance):
    """What mstflint refuses, cxctl calls damaged."""
    with open(path, "rb") as file:
        good = file.read()
    bad = path + ".bad"
    end = max((part["start"] + part["length"] for part in parsed(path, "verify")[1]["parts"]), default=len(good))
    missed = []
    refused = 0
    for _ in range(FLIPS):
        at = chance.randrange(chance.choice((0x200, min(end, len(good)))))
        bit = 1 << chance.randrange(8)
        with open(bad, "wb") as file:
            file.write(good[:at] + bytes([good[at] ^ bit]) + good[at + 1:])
        if not any(run(*command, "-i", bad, "verify")[0] for _, command, _ in peers):
            continue
        refused += 1
        status = run(CXCTL, "image", "verify", bad)[0]
        if status not in (6, 8):
            missed.append(f"byte {at:#x}, bit {bit:#x}: exit status {status}")
    os.unlink(bad)
    report.test(f"{title}: what mstflint refuses of {FLIPS} flipped bits ({refused}), cxctl does", not missed, *missed)


def synthetic(report, work, versions, chance):
    path = os.path.join(work, "image.bin")
    for title, words, fits in CASES:
        status, text = run(MAKER, *words.split(), "-o", path)
        if status:
            report.test(f"{title}: it can be made", False, text)
            continue
        peers = [tool for tool in versions if tool[0] in fits]
        if not peers:
            report.skip(title, "no mstflint at hand takes it")
            continue
        compare_image(report, title, path, peers)
        if os.path.getsize(path) <= 1 << 20:
            damage(report, title, path, peers, chance)


def real(report, directory, versions):
    for root, _, names in sorted(os.walk(directory)):
        for name in sorted(name for name in names if name.endswith(".bin")):
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                if file.read(4) != b"MTFW":
                    continue
            peers = [tool for tool in versions if run(*tool[1], "-i", path, "query")[0] == 0]
            image = parsed(path, "info")[1]
            if image and image["format"] == "FS2":
                peers = [tool for tool in peers if tool[0] == OLD]
            compare_image(report, name, path, peers)


def main():
    report = compare.Report()
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    print("KTAP version 1")
    print(f"# SEED={seed}", flush=True)
    versions = tools()
    if not versions:
        print("1..0 # SKIP no mstflint is installed")
        return 4
    with tempfile.TemporaryDirectory() as work:
        synthetic(report, work, versions, random.Random(seed))
    if directory := os.environ.get("CXCTL_REAL_IMAGES"):
        real(report, directory, versions)
    print(f"1..{report.number}")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
