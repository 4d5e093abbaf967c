#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""compare.py DIRECTORY: what mstflint and cxctl said of the same cards, field by field, in KTAP.

Every field that both print must be equal; a field of mstflint that this file does not know
is a failure, so that none is left out silently.
"""
import json
import os
import re
import sys


def read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def fields(text):
    """mstflint's "Name:   value" lines; headings without a value apart."""
    found = {}
    for line in text.splitlines():
        if match := re.match(r"^([A-Za-z][\w .()-]*?):\s+(.*?)\s*$", line):
            name, value = match.groups()
            found.setdefault(name, value)
            if name == "Description" and value.split()[0] in ("Node", "UID"):
                # The heading of a table, which shares its name with a real field.
                if found[name] == value:
                    del found[name]
    return found


def date(text):
    day, month, year = text.split(".")
    return f"{int(year):04}-{int(month):02}-{int(day):02}"


def roms(text):
    """"type=PXE version=3.6.953 cpu=AMD64" of one or more lines, in order."""
    return [dict(pair.split("=", 1) for pair in line.split()) for line in text]


def our_roms(card):
    names = (("type", "type"), ("version", "version"), ("cpu", "cpu"), ("proto", "protocol"))
    return [{theirs: rom[ours] for theirs, ours in names if rom.get(ours)} for rom in card["roms"]]


def rom_lines(text):
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith("Rom Info:"):
            inside = True
            lines.append(line.split(":", 1)[1].strip())
        elif inside and line.startswith(" ") and "type=" in line:
            lines.append(line.strip())
        else:
            inside = False
    return [line for line in lines if "type=" in line]


def base(card, key):
    return f"{card[key]} {card[key + '_count']}"


# mstflint's field: what cxctl's JSON says in mstflint's words. None: cxctl does not say it.
QUERY = {
    "Image type": lambda card: card["image_type"],
    "FW Version": lambda card: card["firmware_stored"],
    "FW Version(Running)": lambda card: card["firmware_running"],
    "FW Release Date": lambda card: card["firmware_date"],
    "MIC Version": lambda card: card["mic_version"],
    "Config Sectors": lambda card: str(card["config_sectors"]),
    "PRS Name": lambda card: card["prs_name"],
    "Device ID": lambda card: str(card["image_pci_device"]),
    "GUIDs": lambda card: " ".join(card["guids"]),
    "MACs": lambda card: " ".join(card["macs"]),
    "VSD": lambda card: card["vsd"] or "",
    "PSID": lambda card: card["psid"],
    "Product Version": lambda card: card["product_version"],
    "Part Number": lambda card: card["part_number"],
    "Description": lambda card: card["description"],
    "Base GUID": lambda card: base(card, "base_guid"),
    "Base MAC": lambda card: base(card, "base_mac"),
    "Image VSD": lambda card: card["image_vsd"] or "N/A",
    "Device VSD": lambda card: card["device_vsd"] or "N/A",
    "Security Attributes": lambda card: card["security_attributes"],
    "Default Update Method": lambda card: card["update_method"],
    "Life cycle": lambda card: card["life_cycle"],
    "Rom Info": lambda card: our_roms(card) or "N/A",
}

NORMAL = {
    "FW Release Date": date,
    "GUIDs": lambda text: " ".join(text.split()),
    "MACs": lambda text: " ".join(text.split()),
    "Base GUID": lambda text: " ".join(text.split()),
    "Base MAC": lambda text: " ".join(text.split()),
}


def jedec(card):
    maker, kind, size = (card["flash"]["jedec"][at:at + 2] for at in (0, 2, 4))
    return f"0x{int(size + kind + maker, 16):x}"


HARDWARE = {
    "HwDevId": lambda card: str(card["hw_id"]),
    "HwRevId": lambda card: f"0x{card['hw_revision']:x}",
    "Type": lambda card: card["flash"]["name"],
    "TotalSize": lambda card: f"0x{card['flash']['size']:x}",
    "Banks": lambda card: f"0x{card['flash']['banks']:x}",
    "SectorSize": lambda card: f"0x{card['flash']['sector']:x}",
    "JEDEC_ID": jedec,
    # How that tool drives the gateway, not what the card is.
    "WriteBlockSize": None, "CmdSet": None,
    # cxctl shows the status registers that these are taken from.
    "QuadEn": None, "Flash0.WriteProtected": None, "DriverStrength": None, "DummyCycles": None, "SRWD": None,
}

# What newer versions print of FS2 is memory that nobody wrote: firmware-images.md 2.9.
GARBAGE_OF_FS2 = {"Geographical Address", "Socket Direct", "Aux Card is Connected", "INI revision"}


class Report:
    def __init__(self):
        self.number = self.failures = 0

    def test(self, name, good, *notes):
        self.number += 1
        if not good:
            self.failures += 1
            for note in notes:
                print(f"# {note}")
        print(f"{'ok' if good else 'not ok'} {self.number} {name}")

    def skip(self, name, why):
        self.number += 1
        print(f"ok {self.number} {name} # SKIP {why}")


def compare_field(report, title, name, theirs, table, card):
    if name not in table:
        report.test(f"{title}: {name} is known to the comparison", False, f"mstflint says {theirs!r}")
        return
    if table[name] is None:
        return
    try:
        ours = table[name](card)
    except KeyError as missing:
        report.test(f"{title}: {name}", False, f"mstflint says {theirs!r}, cxctl has no {missing}")
        return
    theirs = NORMAL.get(name, lambda text: text)(theirs)
    report.test(f"{title}: {name}", ours == theirs, f"mstflint says {theirs!r}", f"cxctl says    {ours!r}")


def compare_query(report, title, text, card):
    found = fields(text)
    if lines := rom_lines(text):
        found["Rom Info"] = roms(lines)
    report.test(f"{title} answers", "PSID" in found, *text.splitlines()[-5:])
    for name, value in found.items():
        if card["image_type"] == "FS2" and name in GARBAGE_OF_FS2:
            continue
        compare_field(report, title, name, value, QUERY, card)


def compare_hardware(report, title, text, card):
    found = dict(match.groups() for match in re.finditer(r"^  ([\w.]+) +(\S+)$", text, re.M))
    report.test(f"{title} answers", "HwDevId" in found, *text.splitlines()[-5:])
    for name, value in found.items():
        compare_field(report, title, name, value, HARDWARE, card)


def succeeded(text):
    return "exit status 0" in text.splitlines()[-1]


def compare_card(report, directory, name, tools):
    text = read(directory, f"{name}.cxctl.info")
    try:
        card = json.loads(text)["cards"][0]
    except (ValueError, KeyError, IndexError):
        report.test(f"{name}: cxctl info answers in JSON", False, *text.splitlines()[-5:])
        return
    ours = read(directory, f"{name}.cxctl.verify")
    report.test(f"{name}: cxctl verify is content", succeeded(ours), *ours.splitlines()[-3:])
    for tool, version in tools:
        title = f"{name}: mstflint {version}"
        compare_query(report, f"{title} query", read(directory, f"{name}.{tool}.query"), card)
        compare_query(report, f"{title} query full", read(directory, f"{name}.{tool}.query-full"), card)
        compare_hardware(report, f"{title} hw query", read(directory, f"{name}.{tool}.hw-query"), card)
        text = read(directory, f"{name}.{tool}.verify")
        report.test(f"{title} verify is content", succeeded(text) and "- OK" in text, *text.splitlines()[-4:])
        text = read(directory, f"{name}.{tool}.ri")
        report.test(f"{title} ri reads the image", succeeded(text), *text.splitlines()[-4:])
        text = read(directory, f"{name}.{tool}.image")
        report.test(f"{title} ri read what the flash holds", succeeded(text), *text.splitlines()[-4:])
    text = read(directory, f"{name}.foul")
    report.test(f"{name}: nobody did what would hurt a card", text.strip() == "foul 0", text)


def main():
    directory = sys.argv[1]
    names = os.listdir(directory)
    tools = []
    for tool in ("mstflint", "mstflint-new"):
        if f"{tool}.version" in names:
            match = re.search(r"mstflint (\d[\w.]*)", read(directory, f"{tool}.version"))
            tools.append((tool, match.group(1) if match else "of unknown version"))
    report = Report()
    print("KTAP version 1")
    for name in sorted(name.removesuffix(".cxctl.info") for name in names if name.endswith(".cxctl.info")):
        compare_card(report, directory, name, tools)
    if len(tools) < 2:
        report.skip("a second version of mstflint", "only one could be had")
    report.test("there were cards and a peer", report.number > 0 and bool(tools))
    print(f"1..{report.number}")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
