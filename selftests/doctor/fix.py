#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cxctl doctor --fix below a root: the link to the headers is made, once, nowhere else. KTAP.

usage: fix.py CXCTL
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402

RELEASE = "5.10.0-216.0.0.115.oe2203sp4.x86_64"
TREE = f"usr/src/kernels/{RELEASE}"
LINK = f"lib/modules/{RELEASE}/build"
HOST = tree.case("dangling", os="openeuler-22.03-lts-sp4", packages="rpm", kernel=RELEASE, files=tree.headers(TREE, RELEASE),
                 links={LINK: "/usr/src/kernels/gone"}, programs=["gcc", "make"])


def doctor(root, *words):
    done = subprocess.run([os.path.abspath(sys.argv[1]), "doctor", "--root", root, "--fix", *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout


def link_of(root):
    return os.readlink(os.path.join(root, LINK))


def dry_run_changes_nothing(root):
    doctor(root, "-n")
    return link_of(root) == "/usr/src/kernels/gone"


def without_an_answer_nothing_changes(root):
    return doctor(root)[0] == 4 and link_of(root) == "/usr/src/kernels/gone"


def the_link_is_made(root):
    answer = json.loads(doctor(root, "-y", "-j")[1])
    return link_of(root) == f"/{TREE}" and answer["changed"] and [fix["done"] for fix in answer["fixes"]] == [True]


def once_is_enough(root):
    doctor(root, "-y")
    return not json.loads(doctor(root, "-y", "-j")[1])["changed"]


def links_stay_below_the_root(root):
    """lib is a link to an absolute path, which exists outside, too."""
    outside = f"{root}.outside"
    os.makedirs(f"{outside}/modules/{RELEASE}")
    os.makedirs(f"{root}{outside}")
    os.rename(f"{root}/lib/modules", f"{root}{outside}/modules")
    os.rmdir(f"{root}/lib")
    os.symlink(outside, f"{root}/lib")
    doctor(root, "-y")
    return not os.listdir(f"{outside}/modules/{RELEASE}") and \
        os.readlink(f"{root}{outside}/modules/{RELEASE}/build") == f"/{TREE}"


def main():
    tests = (dry_run_changes_nothing, without_an_answer_nothing_changes, the_link_is_made, once_is_enough,
             links_stay_below_the_root)
    failed = 0
    print(f"KTAP version 1\n1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as directory:
            root = os.path.join(directory, "root")
            tree.build(HOST, root)
            good = test(root)
        failed += not good
        print(f"{'' if good else 'not '}ok {number} {test.__name__.replace('_', ' ')}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
