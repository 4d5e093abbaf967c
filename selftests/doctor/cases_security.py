# SPDX-License-Identifier: GPL-2.0-only
"""Secure Boot, lockdown and signatures: what a kernel makes of cxfw, and how it gets a key that it trusts."""
import signed
from tree import case

RELEASE = "6.1.0-57-amd64"
MODULE = f"lib/modules/{RELEASE}/updates/dkms/cxfw.ko"
INDEX = {f"lib/modules/{RELEASE}/modules.dep": "updates/dkms/cxfw.ko:\n"}
UNSIGNED = {MODULE: signed.module, **INDEX}
SIGNED = {MODULE: signed.signed_module, **INDEX}
EFIVARS = "sys/firmware/efi/efivars"
SHIM = "605dab50-e046-4300-abb6-3dd810dd8b23"
SECURE_BOOT = {f"{EFIVARS}/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c": b"\6\0\0\0\1"}
NO_SECURE_BOOT = {f"{EFIVARS}/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c": b"\6\0\0\0\0"}
LOCKDOWN = {"sys/kernel/security/lockdown": "none [integrity] confidentiality\n"}
NO_LOCKDOWN = {"sys/kernel/security/lockdown": "[none] integrity confidentiality\n"}
ENFORCE = {"sys/module/module/parameters/sig_enforce": "Y\n", "proc/cmdline": "quiet module.sig_enforce=1 ro\n"}
LOCKED = {**SECURE_BOOT, **LOCKDOWN}

VENDOR_KEY = "0a1b2c3d I------     1 perm 1f030000     0     0 asymmetri Vendor CA: 00112233445566778899: X509.rsa 66778899 []\n"
OUR_KEY = f"1a1b2c3d I------     1 perm 1f030000     0     0 asymmetri {signed.SIGNER}: {signed.KEY_ID}: X509.rsa bb419ea1 []\n"
NAMESAKE = f"1a1b2c3d I------     1 perm 1f030000     0     0 asymmetri {signed.SIGNER}: {signed.KEY_ID[::-1]}: X509.rsa c []\n"
DKMS_PAIR = {"var/lib/dkms/mok.key": "", "var/lib/dkms/mok.pub": signed.certificate}
SIGN_WITH_DKMS = "make modules install MODSIGN_KEY=/var/lib/dkms/mok.key MODSIGN_CERT=/var/lib/dkms/mok.pub"


def debian(name, *parts, keys=None, **more):
    files = {path: text for part in parts for path, text in part.items()}
    if keys is not None:
        files["proc/keys"] = keys
    return case(name, os="debian-12", packages="deb", kernel=RELEASE, files=files, **more)


CASES = [
    debian("secure-boot-off", NO_SECURE_BOOT, NO_LOCKDOWN, expect=[("secure-boot-off", "ok", "")],
           absent=["secure-boot", "lockdown", "signatures-enforced", "module-to-sign"]),
    debian("no-uefi", UNSIGNED, expect=[("module-unsigned-allowed", "note", "")],
           absent=["secure-boot", "secure-boot-off", "signatures-enforced"]),
    debian("locked-down", LOCKED, DKMS_PAIR,
           expect=[("secure-boot", "note", ""), ("lockdown", "note", ""), ("signatures-enforced", "note", ""),
                   ("module-to-sign", "note", SIGN_WITH_DKMS)]),
    debian("unsigned-refused", LOCKED, DKMS_PAIR, UNSIGNED, expect=[("module-unsigned", "error", SIGN_WITH_DKMS)],
           absent=["module-unsigned-allowed"]),
    debian("unsigned-without-key", LOCKED, UNSIGNED, expect=[("module-unsigned", "error", None)]),
    debian("unsigned-enforced-without-uefi", ENFORCE, UNSIGNED,
           expect=[("signatures-enforced", "note", ""), ("module-unsigned", "error", "")]),
    debian("enforced-by-command-line", {"proc/cmdline": "ro module.sig_enforce\n"}, UNSIGNED,
           expect=[("module-unsigned", "error", "")]),
    debian("command-line-of-another", {"proc/cmdline": "ro xmodule.sig_enforce=1 module.sig_enforce=0\n"}, UNSIGNED,
           expect=[("module-unsigned-allowed", "note", "")], absent=["signatures-enforced"]),
    debian("enforced-by-configuration", {f"boot/config-{RELEASE}": "#\nCONFIG_MODULE_SIG_FORCE=y\n"}, UNSIGNED,
           expect=[("module-unsigned", "error", "")]),

    debian("trusted", LOCKED, SIGNED, DKMS_PAIR, keys=VENDOR_KEY + OUR_KEY, expect=[("module-trusted", "ok", "")],
           absent=["module-key-unknown", "module-unsigned"]),
    debian("not-enrolled", LOCKED, SIGNED, DKMS_PAIR, keys=VENDOR_KEY,
           expect=[("module-key-unknown", "error", "mokutil --import /var/lib/dkms/mok.pub && reboot")],
           absent=["module-trusted"]),
    debian("not-enforced", SIGNED, DKMS_PAIR, keys=VENDOR_KEY, expect=[("module-key-unknown", "note", "")]),
    debian("namesake", LOCKED, SIGNED, DKMS_PAIR, keys=NAMESAKE, expect=[("module-key-unknown", "error", None)],
           absent=["module-trusted"]),
    debian("namesake-without-certificate", LOCKED, SIGNED, keys=NAMESAKE,
           expect=[("module-key-unverified", "warning", None)]),
    debian("keys-not-shown", LOCKED, SIGNED, DKMS_PAIR, keys="",
           expect=[("module-key-unverified", "warning", None)], absent=["module-trusted", "module-key-unknown"]),
    debian("enrolment-waits", LOCKED, SIGNED, DKMS_PAIR, {f"{EFIVARS}/MokNew-{SHIM}": b"\7\0\0\0"}, keys=VENDOR_KEY,
           expect=[("module-key-unknown", "error", "reboot")]),
    debian("enrolled-but-not-trusted", LOCKED, SIGNED, {f"{EFIVARS}/MokListRT-{SHIM}": signed.efi_list},
           keys=VENDOR_KEY, expect=[("module-key-unknown", "error", "")]),
    debian("enrolled-and-trusted", LOCKED, SIGNED, {f"{EFIVARS}/MokListRT-{SHIM}": signed.efi_list},
           keys=VENDOR_KEY + OUR_KEY, expect=[("module-trusted", "ok", "")]),
    debian("module-of-nothing", LOCKED, {MODULE: "nothing"}, expect=[("module-unreadable", "warning", "")]),

    case("kysec-module", os="kylin-server-v10-sp3", packages="rpm", kernel=RELEASE, files=UNSIGNED,
         programs=["kysec_set"],
         expect=[("kysec-module", "note", f"kysec_set -n exectl -v verified /{MODULE}")]),
    case("uos-programs", os="uos-desktop-20-1070", packages="deb", kernel=RELEASE,
         files={"usr/share/deepin-elf-verify/whitelist": ""}, expect=[("program-signatures", "note", "")]),
]
