# SPDX-License-Identifier: GPL-2.0-only
"""Systems: every os-release that was found in the field, and what lies over the plain system."""
import os

from tree import HERE, case

DEBS = ("debian", "ubuntu", "deepin", "kylin-desktop", "uos-desktop", "uos-server-20-d")
KY10 = "4.19.90-52.22.v2207.ky10.aarch64"


def every_system():
    """Known, with the package manager that its family has."""
    for name in sorted(os.listdir(os.path.join(HERE, "os-release"))):
        deb = name.startswith(DEBS)
        yield case(f"system-{name}", os=name, packages="deb" if deb else "rpm", kernel="5.10.0-1",
                   expect=[("system-known", "ok", ""),
                           ("headers-missing", "error", "apt-get install linux-headers-5.10.0-1" if deb else
                            "dnf install kernel-devel-5.10.0-1")],
                   absent=["system-unknown", "kernel-unknown", "immutable-root", "container", "kysec"])


CASES = list(every_system()) + [
    case("unknown-system", files={"etc/os-release": "ID=gentoo\nNAME=Gentoo\n"}, kernel="6.6.1",
         expect=[("system-unknown", "note", ""), ("headers-missing", "error", "")]),
    case("kylin-without-database", os="kylin-server-v10-sp3", kernel=KY10, expect=[("system-unknown", "note", "")]),
    case("no-kernel", os="debian-12", packages="deb", expect=[("kernel-unknown", "warning", None)]),
    case("deepin-immutable", os="deepin-25", packages="deb", kernel="6.12.28-amd64-desktop-hwe",
         programs=["deepin-immutable-ctl", "deepin-immutable-writable", "dpkg.real"],
         expect=[("immutable-root", "warning", "deepin-immutable-writable enable -d /usr -y && reboot")]),
    case("deepin-made-writable", os="deepin-25", packages="deb", kernel="6.12.28-amd64-desktop-hwe",
         programs=["deepin-immutable-ctl", "deepin-immutable-writable", "dpkg.real"],
         files={"run/deepin-immutable-writable/booted": ""}, absent=["immutable-root"]),
    case("ostree", os="rhel-9.6", packages="rpm", kernel="5.14.0-570.el9.x86_64", programs=["rpm-ostree"],
         files={"run/ostree-booted": ""},
         expect=[("immutable-root", "warning", ""),
                 ("headers-missing", "error",
                  "rpm-ostree install kernel-devel-5.14.0-570.el9.x86_64 && systemctl reboot")]),
    case("container", os="ubuntu-22.04", packages="deb", kernel="5.15.0-91-generic", files={".dockerenv": ""},
         expect=[("container", "warning", "")]),
    case("kysec", os="kylin-server-v10-sp3", packages="rpm", kernel=KY10, programs=["kysec_set"],
         expect=[("kysec", "note", "kysec_set -n exectl -v verified FILE")]),
    case("loongarch-old-world", os="kylin-server-v10-sp3", packages="rpm",
         kernel="4.19.90-52.22.v2207.ky10.loongarch64", files={"lib64/ld.so.1": ""},
         expect=[("loongarch-old-world", "note", "")]),
    case("loongarch-new-world", os="kylin-server-v11", packages="rpm", kernel="6.6.0-32.7.v2505.ky11.loongarch64",
         files={"lib64/ld.so.1": "", "lib64/ld-linux-loongarch-lp64d.so.1": ""}, absent=["loongarch-old-world"]),
    case("pages-64k", os="kylin-server-v10-sp3", packages="rpm", kernel=KY10,
         files={f"boot/config-{KY10}": "#\nCONFIG_ARM64_64K_PAGES=y\n"}, expect=[("pages-64k", "note", "")]),
    case("pages-4k", os="kylin-server-v10-sp3", packages="rpm", kernel=KY10,
         files={f"boot/config-{KY10}": "#\n# CONFIG_ARM64_64K_PAGES is not set\n"}, absent=["pages-64k"]),
]
