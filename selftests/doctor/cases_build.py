# SPDX-License-Identifier: GPL-2.0-only
"""Header trees, compilers and tools: what keeps a module from being built, and the command that mends it."""
from tree import case, headers

KY10 = "4.19.90-52.22.v2207.ky10.aarch64"
OE2 = "5.10.0-216.0.0.115.oe2203sp4.x86_64"
OE3 = "6.6.0-159.4.0.oe2403sp2.x86_64"
EL8 = "4.18.0-553.el8_10.x86_64"
AN8 = "4.19.91-26.an8.x86_64"
DEB12 = "6.1.0-57-amd64"
DEB13 = "6.12.117+deb13-amd64"
UOS = "4.19.0-amd64-desktop"
KYLIN11 = "6.6.0-76-generic"
TOOLS = ["gcc", "make", "dkms"]


def devel(release):
    return f"usr/src/kernels/{release}"


def gcc(major, triplet="x86_64-redhat-linux"):
    """A gcc of rpm systems: a program, and its directory of that version."""
    return [f"usr/lib/gcc/{triplet}/{major}"]


def rpm(name, os, release, compiler=12, keep_link=True, tree=None, **keys):
    """A host of rpm packages with whole headers, unless tree says otherwise."""
    keys.setdefault("files", {})
    files = dict(headers(devel(release), release, gcc=compiler * 10000) if tree is None else tree)
    files.update(keys.pop("files"))
    links = {f"lib/modules/{release}/build": f"/usr/src/kernels/{release}"} if keep_link else {}
    links.update(keys.pop("links", {}))
    keys.setdefault("programs", TOOLS)
    return case(name, os=os, packages="rpm", kernel=release, files=files, links=links,
                directories=[f"lib/modules/{release}/kernel"] + keys.pop("directories", gcc(compiler)), **keys)


def debian_headers(release, common, kbuild, config="", compiler=12):
    """Debian's three packages: the Makefile includes the common one, scripts and tools are links."""
    path = f"usr/src/linux-headers-{release}"
    files = {name: text for name, text in headers(path, release, config=config, gcc=compiler * 10000).items()
             if "/scripts/" not in name}
    files.update({
        f"{path}/Makefile": f"include /usr/src/{common}/Makefile\n",
        f"{path}/.kernelvariables": "override ARCH = x86\nCCACHE = ccache\n"
            f"CC = $(if $(DEBIAN_KERNEL_USE_CCACHE),$(CCACHE)) $(CROSS_COMPILE)gcc-{compiler}\n",
        # Up to 6.1 this is the upstream version.
        f"{path}/include/config/kernel.release": "6.1.192\n",
        f"{path}/arch/x86/module.lds": "SECTIONS {\n}\n",
        f"usr/src/{common}/Makefile": "VERSION = 6\n",
        f"usr/lib/{kbuild}/scripts/basic/fixdep": "",
        f"usr/lib/{kbuild}/scripts/mod/modpost": "",
        f"usr/lib/{kbuild}/scripts/Makefile.modfinal":
            "ARCH_MODULE_LDS := $(word 1,$(wildcard scripts/module.lds arch/$(SRCARCH)/module.lds))\n",
        f"usr/lib/{kbuild}/tools/objtool/objtool": "",
    })
    links = {f"{path}/scripts": f"../../lib/{kbuild}/scripts", f"{path}/tools": f"../../lib/{kbuild}/tools",
             f"lib/modules/{release}/build": f"/{path}"}
    return files, links


def debian(name, release, common, kbuild, os="debian-12", config="", compiler=12, **keys):
    files, links = debian_headers(release, common, kbuild, config, compiler)
    files.update(keys.pop("files", {}))
    keys.setdefault("programs", [f"gcc-{compiler}", "make", "dkms"])
    return case(name, os=os, packages="deb", kernel=release, files=files, links=links,
                directories=[f"lib/modules/{release}/kernel"], **keys)


def debian12(name, **keys):
    return debian(name, DEB12, "linux-headers-6.1.0-57-common", "linux-kbuild-6.1", **keys)


def debian13(name, **keys):
    return debian(name, DEB13, "linux-headers-6.12.117+deb13-common", "linux-kbuild-6.12.117+deb13", os="debian-13",
                  compiler=14, config="CONFIG_DEBUG_INFO_BTF_MODULES=y\n",
                  files={f"usr/src/linux-headers-{DEB13}/vmlinux": "x"}, **keys)


def uos(name, running, built, **keys):
    """UOS desktop 20, whose kernel keeps its name from build to build."""
    path = f"usr/src/linux-headers-{UOS}"
    files = headers(path, UOS, gcc=80300, module_lds=False)
    files.update({f"{path}/include/generated/compile.h": f'#define UTS_VERSION "{built} SMP Mon Dec 4"\n',
                  "proc/sys/kernel/osrelease": f"{UOS}\n",
                  "proc/version": f"Linux version {UOS} (root@x) (gcc version 8.3.0 (Uos 8.3.0.5-1+dde)) {running} SMP x\n"})
    return case(name, os="uos-desktop-20-1070", packages="deb", kernel=UOS, programs=TOOLS, files=files,
                links={f"lib/modules/{UOS}/build": f"/{path}"}, directories=gcc(8, "x86_64-linux-gnu"), **keys)


def install(release, manager="dnf"):
    return f"{manager} install kernel-devel-{release}"


def lacks(name, path, expected, **keys):
    """An openEuler host whose headers have everything but one file."""
    severity, command = keys.pop("severity", "error"), keys.pop("command", f"dnf reinstall kernel-devel-{OE2}")
    return rpm(name, "openeuler-22.03-lts-sp4", OE2, compiler=10, without=[f"{devel(OE2)}/{path}"],
               expect=[(expected, severity, command)],
               absent=["build-ready"] if severity == "error" else [], **keys)


OE2_OBJTOOL = headers(devel(OE2), OE2, gcc=100301, config="CONFIG_STACK_VALIDATION=y\n")
OE2_VERSIONS = headers(devel(OE2), OE2, gcc=100301, config="CONFIG_MODVERSIONS=y\n")
OE2_PLUGINS = headers(devel(OE2), OE2, gcc=100301, config="CONFIG_GCC_PLUGINS=y\n")
OE3_CLANG = headers(devel(OE3), OE3, config="CONFIG_CC_IS_CLANG=y\nCONFIG_CLANG_VERSION=170006\n", gcc=0)
MODULE = {f"lib/modules/{OE2}/extra/cxfw.ko": "", f"lib/modules/{OE2}/modules.dep": "extra/cxfw.ko:\n"}
SOURCE = {f"usr/src/linux/{name}": "" for name in ("Makefile", "init/main.c", ".config")}

CASES = [
    rpm("openeuler-ready", "openeuler-22.03-lts-sp4", OE2, compiler=10, expect=[("build-ready", "ok", None)],
        absent=["compiler-newer", "compiler-older", "dkms-missing", "pahole-missing"]),
    rpm("rocky-ready-4.18", "rocky-8.9", EL8, compiler=8, tree=headers(devel(EL8), EL8, gcc=80500, module_lds=False),
        expect=[("build-ready", "ok", None)]),
    debian12("debian-ready", expect=[("build-ready", "ok", None)], absent=["headers-other-kernel"]),
    uos("uos-desktop-ready", "#5317", "#5317", expect=[("build-ready", "ok", None)], absent=["headers-other-build"]),
    uos("uos-desktop-other-build", "#6300", "#5317", absent=["headers-other-kernel"],
        expect=[("headers-other-build", "warning",
                 f"apt-get install --only-upgrade linux-image-{UOS} linux-headers-{UOS} && reboot")]),

    # The link.
    rpm("kylin-kernel-headers-only", "kylin-server-v10-sp3", KY10, tree={}, files={"usr/include/linux/version.h": ""},
        expect=[("kernel-headers-only", "error", install(KY10))], absent=["build-ready", "headers-missing"]),
    rpm("kylin-dangling", "kylin-server-v10-sp3", KY10, tree={},
        expect=[("build-link-dangling", "error", install(KY10))], absent=["build-ready"]),
    rpm("anolis-no-headers", "anolis-8.8", AN8, tree={}, keep_link=False,
        expect=[("headers-missing", "error", install(AN8))]),
    rpm("openeuler-newer-devel", "openeuler-22.03-lts-sp4", OE2,
        tree=headers(devel(OE2.replace("216", "230")), OE2.replace("216", "230")),
        expect=[("headers-other-kernel", "error", install(OE2))], absent=["kernel-headers-only"]),
    rpm("kernels-link-to-other", "openeuler-22.03-lts-sp4", OE2,
        tree=headers(devel(OE2.replace("216", "230")), OE2.replace("216", "230")),
        links={devel(OE2): OE2.replace("216", "230")},
        expect=[("headers-other-kernel", "error", install(OE2))], absent=["build-ready", "build-link-wrong"]),
    rpm("link-to-nothing-headers-here", "openeuler-22.03-lts-sp4", OE2, compiler=10, keep_link=False,
        links={f"lib/modules/{OE2}/build": "/usr/src/linux-gone"},
        expect=[("build-link-wrong", "error", f"ln -sfn /{devel(OE2)} /lib/modules/{OE2}/build")],
        absent=["build-ready"]),
    rpm("link-to-other-headers-here", "openeuler-22.03-lts-sp4", OE2, compiler=10, keep_link=False,
        tree={**headers(devel(OE2), OE2), **headers(devel(OE3), OE3)},
        links={f"lib/modules/{OE2}/build": f"/{devel(OE3)}"},
        expect=[("build-link-wrong", "error", f"ln -sfn /{devel(OE2)} /lib/modules/{OE2}/build")],
        absent=["compiler-older", "compiler-newer"]),
    rpm("headers-in-a-hostile-place", "openeuler-22.03-lts-sp4", OE2, tree=headers("usr/src/$(reboot)", OE2),
        expect=[("build-link-dangling", "error", install(OE2))]),
    rpm("no-link-headers-here", "openeuler-22.03-lts-sp4", OE2, compiler=10, keep_link=False,
        expect=[("build-link-missing", "error", f"ln -sfn /{devel(OE2)} /lib/modules/{OE2}/build")]),
    case("debian-no-headers", os="debian-12", packages="deb", kernel=DEB12, programs=TOOLS,
         files={"usr/include/linux/version.h": ""}, directories=[f"lib/modules/{DEB12}/kernel"],
         expect=[("headers-missing", "error", f"apt-get install linux-headers-{DEB12}")],
         absent=["kernel-headers-only"]),
    case("kylin-desktop-no-headers", os="kylin-desktop-v11", packages="deb", kernel=KYLIN11, programs=TOOLS,
         directories=[f"lib/modules/{KYLIN11}/kernel"],
         expect=[("headers-missing", "error", f"apt-get install linux-headers-{KYLIN11}")]),
    rpm("yum-only", "kylin-server-v10-sp1", KY10, tree={}, programs=TOOLS + ["rpm", "yum"],
        expect=[("build-link-dangling", "error", install(KY10, "yum"))]),
    rpm("rhel-64k", "rhel-9.6", "5.14.0-570.12.1.el9_6.aarch64+64k", tree={},
        expect=[("build-link-dangling", "error", "dnf install kernel-64k-devel-5.14.0-570.12.1.el9_6.aarch64")]),
    rpm("prebuilt-needs-no-headers", "openeuler-22.03-lts-sp4", OE2, tree={}, files=MODULE,
        expect=[("build-link-dangling", "note", install(OE2))]),
    case("uos-25-immutable", os="uos-desktop-25", packages="deb", kernel="6.6.40-amd64-desktop",
         programs=TOOLS + ["dpkg.real", "deepin-immutable-writable"], directories=["lib/modules/6.6.40-amd64-desktop/kernel"],
         expect=[("headers-missing", "error", "deepin-immutable-writable enable -d /usr -y && reboot")]),

    # What is in the tree.
    lacks("no-makefile", "Makefile", "headers-unprepared"),
    lacks("no-autoconf", "include/generated/autoconf.h", "headers-unprepared"),
    lacks("no-fixdep", "scripts/basic/fixdep", "headers-no-fixdep"),
    lacks("no-modpost", "scripts/mod/modpost", "headers-no-modpost"),
    lacks("no-module-lds", "scripts/module.lds", "headers-no-module-lds"),
    lacks("no-symvers", "Module.symvers", "headers-no-symvers", severity="warning"),
    lacks("no-symvers-modversions", "Module.symvers", "headers-no-symvers", tree=OE2_VERSIONS),
    rpm("no-objtool", "openeuler-22.03-lts-sp4", OE2, compiler=10, tree=OE2_OBJTOOL,
        expect=[("headers-no-objtool", "error", f"dnf reinstall kernel-devel-{OE2}")]),
    debian12("debian-no-common", without=["usr/src/linux-headers-6.1.0-57-common/Makefile"],
             expect=[("headers-common-missing", "error", f"apt-get install --reinstall linux-headers-{DEB12}")]),
    debian12("debian-no-kbuild", without=["usr/lib/linux-kbuild-6.1"],
             expect=[("headers-kbuild-missing", "error", f"apt-get install --reinstall linux-headers-{DEB12}")]),
    debian13("debian-13-no-pahole", expect=[("pahole-missing", "error", "apt-get install pahole")],
             absent=["build-ready"]),
    debian13("debian-13-pahole", programs=["gcc-14", "make", "dkms", "pahole"], expect=[("build-ready", "ok", None)],
             absent=["pahole-missing"]),
    rpm("foreign-programs", "kylin-server-v10-sp3", KY10, compiler=7, directories=gcc(7, "aarch64-linux-gnu"),
        elf={f"{devel(KY10)}/scripts/basic/fixdep": "x86_64"},
        expect=[("headers-foreign-programs", "error", f"dnf reinstall kernel-devel-{KY10}")]),
    rpm("own-programs", "kylin-server-v10-sp3", KY10, compiler=7, directories=gcc(7, "aarch64-linux-gnu"),
        elf={f"{devel(KY10)}/scripts/basic/fixdep": "aarch64"}, expect=[("build-ready", "ok", None)],
        absent=["headers-foreign-programs"]),
    case("source-tree-unprepared", os="openeuler-24.03-lts-sp2", packages="rpm", kernel=OE3, files=SOURCE,
         programs=TOOLS + ["bc", "flex"], directories=gcc(12), links={f"lib/modules/{OE3}/build": "/usr/src/linux"},
         expect=[("headers-unprepared", "error",
                  f"make -C /lib/modules/{OE3}/build olddefconfig modules_prepare"),
                 ("host-tools-missing", "error", "dnf install bison elfutils-libelf-devel openssl-devel")]),

    # The compiler and the rest.
    rpm("no-compiler", "openeuler-22.03-lts-sp4", OE2, programs=["make", "dkms"], directories=[],
        expect=[("compiler-missing", "error", "dnf install gcc")], absent=["build-ready"]),
    debian12("debian-other-compiler", programs=["gcc-11", "make", "dkms"],
             expect=[("compiler-missing", "error", "apt-get install gcc-12")]),
    rpm("older-compiler", "rocky-9.3", "5.14.0-362.8.1.el9_3.x86_64", compiler=11, directories=gcc(8),
        expect=[("compiler-older", "error", "dnf install gcc-toolset-11")], absent=["build-ready"]),
    rpm("newer-compiler", "openeuler-22.03-lts-sp4", OE2, compiler=10, directories=gcc(12),
        expect=[("compiler-newer", "warning", "")]),
    rpm("own-compiler", "openeuler-22.03-lts-sp4", OE2, compiler=10, directories=gcc(12),
        files={"usr/local/bin/gcc": ""}, expect=[("compiler-newer", "warning", "make modules CC=/usr/bin/gcc")]),
    rpm("plugins", "openeuler-22.03-lts-sp4", OE2, tree=OE2_PLUGINS, directories=gcc(12),
        expect=[("compiler-newer", "error", "")], absent=["build-ready"]),
    rpm("clang-kernel", "openeuler-24.03-lts-sp2", OE3, tree=OE3_CLANG,
        expect=[("clang-missing", "error", "dnf install clang lld llvm")], absent=["compiler-missing", "build-ready"]),
    rpm("no-make", "openeuler-22.03-lts-sp4", OE2, compiler=10, programs=["gcc", "dkms"],
        expect=[("make-missing", "error", "dnf install make")]),
    rpm("no-dkms", "openeuler-22.03-lts-sp4", OE2, compiler=10, programs=["gcc", "make"],
        expect=[("dkms-missing", "note", "dnf install dkms"), ("build-ready", "ok", None)]),
]
