#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The netlink spec and the header say the same: names, order, values, policy. KTAP."""
import os
import re
import sys

import yaml

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SPEC = os.path.join(TOP, "Documentation/netlink/specs/cxfw.yaml")
HEADER = os.path.join(TOP, "kmod/uapi/cxfw.h")
NETLINK = os.path.join(TOP, "kmod/cxfw/netlink.c")
POLICY = {"u32": "NLA_U32", "u64": "NLA_U64", "string": "NLA_NUL_STRING", "binary": "NLA_BINARY"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def header_enum(header, name):
    """The names of an enum, in order; __MAX ends it, and none has a value of its own."""
    body = re.search(r"enum %s \{(.*?)\};" % name, header, re.S).group(1)
    names = [item.strip() for item in body.split(",") if item.strip()]
    assert not any("=" in item for item in names), f"enum {name} sets values itself"
    return [item for item in names if not item.startswith("__")]


def c_name(prefix, name):
    return (prefix + name).upper().replace("-", "_")


def entry_name(entry):
    return entry if isinstance(entry, str) else entry["name"]


def equal(what, spec, header):
    if spec == header:
        return []
    return [f"{what}: the spec has {spec}", f"{what}: the header has {header}"]


def check_attributes(spec, header):
    attributes = spec["attribute-sets"][0]
    names = [c_name(attributes["name-prefix"], a["name"]) for a in attributes["attributes"]]
    return equal("attributes", ["CXFW_A_UNSPEC"] + names, header_enum(header, "cxfw_attr"))


def check_commands(spec, header):
    operations = spec["operations"]
    names = [c_name(operations["name-prefix"], o["name"]) for o in operations["list"]]
    return equal("commands", ["CXFW_CMD_UNSPEC"] + names, header_enum(header, "cxfw_cmd"))


def check_enums(spec, header):
    problems, seen = [], []
    for definition in spec["definitions"]:
        if definition["type"] != "enum":
            continue
        name = definition["enum-name"].replace("-", "_")
        seen.append(name)
        names = [c_name(definition["name-prefix"], entry_name(e)) for e in definition["entries"]]
        problems += equal(name, names, header_enum(header, name))
    there = set(re.findall(r"enum (cxfw_\w+) \{", header)) - {"cxfw_cmd", "cxfw_attr"}
    return problems + equal("enums", sorted(seen), sorted(there))


def check_capabilities(spec, header):
    definition = next(d for d in spec["definitions"] if d["type"] == "flags")
    names = [(c_name(definition["name-prefix"], entry_name(e)), str(bit))
             for bit, e in enumerate(definition["entries"])]
    return equal("capabilities", names, re.findall(r"#define (CXFW_CAP_\w+)\s+\(1ULL << (\d+)\)", header))


def check_names(spec, header):
    def text(name):
        return re.search(r'#define %s\s+"?([^"\n]*)"?' % name, header).group(1)
    return (equal("family", spec["name"], text("CXFW_GENL_NAME")) +
            equal("version", str(spec["version"]), text("CXFW_GENL_VERSION")) +
            equal("group", spec["mcast-groups"]["list"][0]["name"], text("CXFW_GENL_MCGRP_EVENTS")))


def check_references(spec, _header):
    """Whatever an operation or an attribute names exists."""
    problems = []
    known = {a["name"] for a in spec["attribute-sets"][0]["attributes"]}
    sets = {s["name"] for s in spec["attribute-sets"]}
    enums = {d["name"] for d in spec["definitions"]}
    for attribute in spec["attribute-sets"][0]["attributes"]:
        if attribute.get("enum", next(iter(enums))) not in enums:
            problems.append(f"{attribute['name']}: no enum {attribute['enum']}")
        if attribute.get("nested-attributes", "main") not in sets:
            problems.append(f"{attribute['name']}: no set {attribute['nested-attributes']}")
    for subset in spec["attribute-sets"][1:]:
        problems += [f"{subset['name']}: no {a['name']}" for a in subset["attributes"] if a["name"] not in known]
    for operation in spec["operations"]["list"]:
        for way in ("do", "dump", "event"):
            part = operation.get(way, {})
            lists = [part.get("attributes", [])] + [part.get(m, {}).get("attributes", []) for m in ("request", "reply")]
            problems += [f"{operation['name']}: no {n}" for names in lists for n in names if n not in known]
    return problems


def check_policy(spec, _header):
    """The driver takes exactly the attributes that requests of the spec have, with their types."""
    types = {a["name"]: a["type"] for a in spec["attribute-sets"][0]["attributes"]}
    wanted = {c_name("cxfw-a-", name): POLICY[types[name]]
              for operation in spec["operations"]["list"] for way in ("do", "dump")
              for name in operation.get(way, {}).get("request", {}).get("attributes", [])}
    body = re.search(r"nla_policy policy\[[^]]*\] = \{(.*?)\};\n", read(NETLINK), re.S).group(1)
    found = dict(re.findall(r"\[(CXFW_A_\w+)\] = \{ \.type = (NLA_\w+)", body))
    return equal("policy", dict(sorted(wanted.items())), dict(sorted(found.items())))


def main():
    spec = yaml.safe_load(read(SPEC))
    header = without_comments(read(HEADER))
    checks = [check_names, check_commands, check_attributes, check_enums, check_capabilities,
              check_references, check_policy]
    failed = False
    print(f"KTAP version 1\n1..{len(checks)}")
    for number, check in enumerate(checks, 1):
        problems = check(spec, header)
        for problem in problems:
            print(f"# {problem}")
        print(f"{'not ok' if problems else 'ok'} {number} {check.__name__}")
        failed |= bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
