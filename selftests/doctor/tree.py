# SPDX-License-Identifier: GPL-2.0-only
"""Root directories of hosts, made from cases: small trees of text files, links and empty programs.

A case is made with case(); build() makes its tree. Keys:
  name, kernel            the release that doctor is asked about (None: found out)
  os                      a file of os-release/, which becomes etc/os-release
  packages                "deb" or "rpm": the package database
  files, links            path: text, bytes or what makes them; path: what the link says
  directories, programs   lists; programs become empty files in usr/bin
  elf                     path: architecture; a header only, nothing that runs
  without                 files and directories that are taken away again
  expect                  [(id, severity, command)]; a command of None is not compared
  absent                  ids that must not be found
"""
import os
import shutil
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = {"x86_64": 62, "aarch64": 183, "loongarch64": 258}
MODFINAL = "ARCH_MODULE_LDS := $(word 1,$(wildcard scripts/module.lds arch/$(SRCARCH)/module.lds))\n"


def case(name, **keys):
    """A case; dictionaries and lists that are not given are empty."""
    whole = {"name": name, "os": None, "packages": None, "kernel": None, "files": {}, "links": {},
             "directories": [], "programs": [], "elf": {}, "without": [], "expect": [], "absent": []}
    unknown = set(keys) - set(whole)
    assert not unknown, f"{name}: {unknown}"
    whole.update(keys)
    return whole


def headers(path, release, gcc=120300, config="", module_lds=True):
    """Files of a whole header tree, as kernel-devel has them."""
    files = {
        f"{path}/Makefile": "VERSION = 1\n",
        f"{path}/.config": f"#\nCONFIG_CC_IS_GCC=y\nCONFIG_GCC_VERSION={gcc}\n{config}",
        f"{path}/Module.symvers": "0x00000000\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n",
        f"{path}/include/generated/autoconf.h": "#define CONFIG_MODULES 1\n",
        f"{path}/include/generated/utsrelease.h": f'#define UTS_RELEASE "{release}"\n',
        f"{path}/include/config/kernel.release": f"{release}\n",
        f"{path}/scripts/basic/fixdep": "",
        f"{path}/scripts/mod/modpost": "",
        f"{path}/scripts/Makefile.modfinal": MODFINAL if module_lds else "",
    }
    if module_lds:
        files[f"{path}/scripts/module.lds"] = "SECTIONS {\n}\n"
    return files


def _write(root, path, content):
    whole = os.path.join(root, path)
    os.makedirs(os.path.dirname(whole), exist_ok=True)
    content = content() if callable(content) else content
    with open(whole, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    os.chmod(whole, 0o755)


def _elf_head(machine):
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 2, MACHINES[machine]) + bytes(44)


def _contents(wanted):
    """Path and content of every file of a case."""
    if wanted["os"]:
        with open(os.path.join(HERE, "os-release", wanted["os"]), encoding="utf-8") as file:
            yield "etc/os-release", file.read()
    if wanted["packages"] == "deb":
        yield "var/lib/dpkg/status", ""
    if wanted["packages"] == "rpm":
        yield "var/lib/rpm/Packages", ""
    for program in wanted["programs"]:
        yield f"usr/bin/{program}", ""
    yield from wanted["files"].items()
    for path, machine in wanted["elf"].items():
        yield path, _elf_head(machine)


def build(wanted, root):
    """Makes the tree of a case in the directory root."""
    for path, content in _contents(wanted):
        _write(root, path, content)
    for path in wanted["directories"]:
        os.makedirs(os.path.join(root, path), exist_ok=True)
    for path in wanted["without"]:
        whole = os.path.join(root, path)
        if os.path.isdir(whole):
            shutil.rmtree(whole)
        else:
            os.remove(whole)
    for path, target in wanted["links"].items():
        whole = os.path.join(root, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        os.symlink(target, whole)
