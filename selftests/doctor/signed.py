# SPDX-License-Identifier: GPL-2.0-only
"""Kernel modules and their signatures, made when a test runs: nothing of them is kept in the repository."""
import functools
import os
import struct
import subprocess
import tempfile

SIGNER = "Test of cxctl"
SERIAL = "1b5790c2ffee00112233"
KEY_ID = "6ccece7e4c6c0d1f6149f3dd27dfcc5cbb419ea1"
MAGIC = b"~Module signature appended~\n"


def _openssl(*words, given=None):
    return subprocess.run(["openssl", *words], input=given, capture_output=True, check=True).stdout


@functools.cache
def _pair():
    """A key, and a certificate of a serial number and a key id that cases can name."""
    directory = tempfile.TemporaryDirectory()
    key, cert = (os.path.join(directory.name, name) for name in ("key", "cert"))
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={SIGNER}/",
             "-set_serial", f"0x{SERIAL}", "-addext", f"subjectKeyIdentifier={KEY_ID}", "-keyout", key, "-out", cert)
    return directory, key, cert


def certificate():
    """The certificate, DER."""
    return _openssl("x509", "-in", _pair()[2], "-outform", "DER")


def module(**fields):
    """A module of no code: an ELF file with a .modinfo section, of these fields if any are given."""
    names = b"\0.modinfo\0.shstrtab\0"
    fields = fields or {"vermagic": "6.1.0 SMP mod_unload", "name": "cxfw"}
    info = "".join(f"{key}={value}\0" for key, value in {"license": "GPL", **fields}.items()).encode()
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 1, 62, 1, 0, 0, 64 + len(info) + len(names),
                       0, 64, 0, 0, 64, 3, 2)

    def section(name, kind, offset, length):
        return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, length, 0, 0, 1, 0)
    return (head + info + names + section(0, 0, 0, 0) + section(1, 1, 64, len(info)) +
            section(10, 3, 64 + len(info), len(names)))


def signed_module():
    """The module with a signature behind it, as sign-file puts it there."""
    plain = module()
    with tempfile.NamedTemporaryFile() as file:
        file.write(plain)
        file.flush()
        cms = _openssl("cms", "-sign", "-binary", "-noattr", "-nocerts", "-nosmimecap", "-outform", "DER",
                       "-md", "sha256", "-signer", _pair()[2], "-inkey", _pair()[1], "-in", file.name)
    return plain + cms + struct.pack(">BBBBB3xI", 0, 0, 2, 0, 0, len(cms)) + MAGIC


def efi_list():
    """The certificate in a list of EFI signatures, behind the attributes that efivarfs shows."""
    x509 = bytes.fromhex("a159c0a5e494a74a87b5ab155c2bf072")
    der = certificate()
    each = 16 + len(der)
    return struct.pack("<I", 6) + x509 + struct.pack("<III", 28 + each, 0, each) + bytes(16) + der
