# SPDX-License-Identifier: GPL-2.0-only
"""Drivers, the firmware they want, the vendor's stack and its logs, and lines of the kernel's log."""
import signed
from tree import case

KY10 = "4.19.90-52.22.v2207.ky10.x86_64"
OTHER = "4.19.90-25.0.v2101.ky10.x86_64"
MODULES = f"lib/modules/{KY10}"
VENDOR = f"{MODULES}/extra/mlnx-ofa_kernel/drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.ko"
VENDOR_IB = f"{MODULES}/extra/mlnx-ofa_kernel/drivers/infiniband/hw/mlx5/mlx5_ib.ko"
KERNELS = f"{MODULES}/kernel/drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.ko"
KERNELS_IB = f"{MODULES}/kernel/drivers/infiniband/hw/mlx5/mlx5_ib.ko"
CXFW = f"{MODULES}/extra/cxfw.ko"
BUILD = f"./mlnxofedinstall --add-kernel-support --skip-distro-check --kernel {KY10} --kernel-sources /lib/modules/{KY10}/build"
INSTALL = f"make modules install KDIR=/lib/modules/{KY10}/build"


def module(**info):
    """A module of no code with these fields."""
    return lambda: signed.module(**info)


def of(version=None, kernel=KY10, **info):
    return module(vermagic=f"{kernel} SMP mod_unload", **({"version": version} if version else {}), **info)


def kylin(name, modules=(), files=(), **keys):
    """A Kylin server of these modules, all of them in modules.dep."""
    modules, whole = dict(modules), dict(files)
    whole.setdefault(f"{MODULES}/modules.dep", "".join(f"{path[len(MODULES) + 1:]}:\n" for path in modules))
    return case(name, os="kylin-server-v10-sp3", packages="rpm", kernel=KY10, files={**modules, **whole}, **keys)


def card(device, firmware):
    """A card's first function in sysfs, bound to its driver."""
    at = "sys/bus/pci/devices/0000:03:00.0"
    return {f"{at}/vendor": "0x15b3\n", f"{at}/device": f"0x{device:04x}\n", f"{at}/class": "0x020000\n",
            f"{at}/subsystem_vendor": "0x15b3\n", f"{at}/subsystem_device": "0x0001\n", f"{at}/revision": "0x00\n",
            f"{at}/infiniband/mlx5_0/fw_ver": f"{firmware}\n"}


def logs(**files):
    return {f"tmp/MLNX_OFED_LINUX.4711.logs/{name}.log": text for name, text in files.items()}


def line(name, text, severity, command=None):
    """One line of the kernel's log, and the finding that it makes."""
    return kylin(name, files={"var/log/messages": f"Jan  1 00:00:01 host kernel: {text}\n"}, expect=[(name, severity, command)],
                 absent=["log-quiet"])


CASES = [
    # cxfw
    kylin("cxfw-missing", expect=[("cxfw-missing", "warning", INSTALL)]),
    kylin("cxfw-by-dkms", programs=["dkms"], directories=["usr/src/cxfw-0.1"],
          expect=[("cxfw-missing", "warning", f"dkms install cxfw/0.1 -k {KY10}")]),
    kylin("cxfw-for-the-kernel-before", files={f"lib/modules/{OTHER}/extra/cxfw.ko": of(kernel=OTHER)},
          expect=[("cxfw-other-kernel", "warning", INSTALL)], absent=["cxfw-missing"]),
    kylin("cxfw-missing-with-card", files=card(0x1017, "16.35.4030"), expect=[("cxfw-missing", "error", INSTALL)]),
    kylin("cxfw-wrong-kernel", {CXFW: of(kernel=OTHER)}, expect=[("cxfw-wrong-kernel", "error", INSTALL)]),
    kylin("cxfw-dependency", {CXFW: of(depends="devlink")}, expect=[("cxfw-dependency", "error", INSTALL)]),
    kylin("cxfw-dependency-built-in", {CXFW: of(depends="devlink")},
          files={f"{MODULES}/modules.builtin": "kernel/net/core/devlink.ko\n"}, expect=[("cxfw-installed", "ok", "")]),
    kylin("cxfw-not-indexed", {CXFW: of()}, files={f"{MODULES}/modules.dep": "\n"},
          expect=[("cxfw-not-indexed", "warning", f"depmod {KY10}")]),
    kylin("cxfw-installed", {CXFW: of()}, expect=[("cxfw-installed", "ok", "")],
          absent=["cxfw-missing", "cxfw-not-indexed", "driver-missing"]),

    # mlx5_core
    kylin("driver-of-kernel", {KERNELS: of("5.0-0"), KERNELS_IB: of()}, expect=[("driver-kernel", "ok", "")],
          absent=["driver-mixed", "driver-vendor", "chip-dropped"]),
    kylin("driver-built-in", files={f"{MODULES}/modules.builtin": "kernel/drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.ko\n"},
          expect=[("driver-built-in", "note", "")], absent=["driver-missing"]),
    kylin("driver-shadowed", {VENDOR: of("5.8-1.0.1")},
          files={f"{MODULES}/modules.builtin": "kernel/drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.ko\n"},
          expect=[("driver-shadowed", "warning", "")]),
    kylin("driver-of-vendor", {VENDOR: of("5.8-1.0.1"), VENDOR_IB: of("5.8-1.0.1")}, expect=[("driver-vendor", "ok", "")],
          absent=["driver-mixed", "vendor-build"]),
    kylin("driver-mixed", {VENDOR: of("5.8-1.0.1"), KERNELS_IB: of()}, expect=[("driver-mixed", "error", BUILD)],
          absent=["driver-vendor"]),
    kylin("driver-mixed-other-way", {KERNELS: of(), VENDOR_IB: of("5.8-1.0.1")}, expect=[("driver-mixed", "error", BUILD)]),
    kylin("driver-wrong-kernel", {VENDOR: of("5.8-1.0.1", kernel=OTHER)}, expect=[("driver-wrong-kernel", "error", BUILD)]),
    kylin("driver-weak", {f"{MODULES}/weak-updates/mlnx-ofa_kernel/mlx5_core.ko": of("5.8-1.0.1", kernel=OTHER)},
          expect=[("driver-vendor", "ok", "")], absent=["driver-wrong-kernel"]),
    kylin("driver-missing", files=card(0x1017, "16.35.4030"), expect=[("driver-missing", "warning", "")]),
    case("verbs-mixed", os="ubuntu-22.04", kernel=KY10, expect=[("verbs-mixed", "warning", BUILD)],
         files={KERNELS: of(), f"{MODULES}/modules.dep": f"{KERNELS[len(MODULES) + 1:]}:\n",
                "var/lib/dpkg/status": "Package: libibverbs1\nVersion: 2404mlnx51-1.2404066\n\n"}),

    # chips and firmware
    kylin("chip-dropped", {VENDOR: of("24.10-0.7.0")}, files=card(0x1003, "2.42.5000"), expect=[("chip-dropped", "error", "")]),
    kylin("chip-kept", {VENDOR: of("4.9-2.2.4")}, files=card(0x1003, "2.42.5000"), absent=["chip-dropped", "chip-support-unknown"]),
    kylin("chip-dropped-connectx4", {VENDOR: of("25.01-0.6.0")}, files=card(0x1013, "12.28.2006"),
          expect=[("chip-dropped", "error", "")]),
    kylin("chip-unknown", {VENDOR: of("25.01-0.6.0")}, files=card(0x101b, "20.43.1014"),
          expect=[("chip-support-unknown", "note", "")], absent=["chip-dropped"]),
    kylin("firmware-older", {VENDOR: of("24.10-0.7.0")}, files=card(0x1017, "16.35.4030"),
          expect=[("firmware-older", "warning", "cxctl burn 0000:03:00.0 -i DIRECTORY")]),
    kylin("firmware-fits", {VENDOR: of("5.8-1.0.1")}, files=card(0x1017, "16.35.4030"), expect=[("firmware-fits", "ok", "")],
          absent=["firmware-older"]),
    kylin("firmware-of-kernels-driver", {KERNELS: of()}, files=card(0x1017, "16.20.1010"),
          absent=["firmware-older", "firmware-fits"]),

    # the vendor's stack
    kylin("vendor-note", expect=[("vendor-build", "note", BUILD)]),
    case("vendor-no-note", os="debian-12", packages="deb", kernel="6.1.0-57-amd64", absent=["vendor-build"]),
    kylin("vendor-other-kernel", files={"usr/bin/ofed_info": "#!/bin/bash\necho MLNX_OFED_LINUX-5.8-1.0.1.1:\n"},
          expect=[("vendor-other-kernel", "warning", BUILD)]),
    kylin("vendor-log-headers", files=logs(general="Failed to build\n", mlnx_ofa_kernel="kernel-devel is required\n"),
          expect=[("vendor-no-headers", "warning", f"dnf install kernel-devel-{KY10}")]),
    kylin("vendor-log-rpmbuild", files=logs(general="sh: rpmbuild: command not found\n"),
          expect=[("vendor-no-rpmbuild", "warning", "dnf install rpm-build")]),
    kylin("vendor-log-python", files=logs(general="python3: command not found\n"),
          expect=[("vendor-no-python", "warning", "dnf install python3")]),
    kylin("vendor-log-gcc", files=logs(general="exit 1\n", build="gcc: error: unrecognized command line option '-x'\n"),
          expect=[("vendor-other-compiler", "warning", "")]),
    kylin("vendor-log-room", files=logs(general="tar: No space left on device\n"), expect=[("vendor-no-room", "warning", "")]),
    kylin("vendor-log-unsupported", files=logs(general="Current operation system is not supported!\n"),
          expect=[("vendor-unsupported", "warning", BUILD)]),
    kylin("vendor-log-source", files=logs(general="", build="error: implicit declaration of function 'x'\n"),
          expect=[("vendor-source-too-old", "warning", "")]),
    kylin("vendor-log-good", files=logs(general="Installation finished successfully.\n"),
          absent=["vendor-no-headers", "vendor-no-rpmbuild", "vendor-unsupported"]),

    # the kernel's log
    line("log-firmware-waits", "mlx5_core 0000:03:00.0: wait_fw_init:194:(pid 8): Firmware over 120000 MS in pre-initializing state, aborting",
         "error"),
    line("log-capabilities", "mlx5_core 0000:03:00.0: mlx5_function_setup:1122:(pid 8): handle_hca_cap failed", "error"),
    line("log-no-room", "pci 0000:00:02.0: BAR 7: no space for [mem size 0x02000000 64bit pref]", "error"),
    line("log-module-taints", "cxfw: module verification failed: signature and/or required key missing - tainting kernel", "note"),
    line("log-module-unsigned", "Loading of unsigned module is rejected", "error"),
    line("log-module-key", "Loading of module with unavailable key is rejected", "error"),
    line("log-symbol-version", "mlx5_ib: disagrees about version of symbol mlx5_core_destroy_qp", "error"),
    line("log-link-slower", "mlx5_core 0000:03:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:00:02.0",
         "warning"),
    line("log-pcie-errors", "mlx5_core 0000:03:00.0: AER: can't recover (no error_detected callback)", "warning"),
    kylin("log-quiet", files={"var/log/messages": "kernel: mlx5_core 0000:03:00.0: firmware version: 16.35.4030\n"},
          expect=[("log-quiet", "ok", "")]),
]
