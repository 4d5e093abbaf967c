#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""extract-vmlinux.py VMLINUZ OUTPUT: the ELF kernel inside a compressed x86 image.

QEMU starts it through the PVH entry, which spares the guest the decompression.
"""
import lzma
import subprocess
import sys
import zlib


def xz(data):
    return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(data)


def gzip(data):
    return zlib.decompressobj(31).decompress(data)


def zstd(data):
    # Bytes after the frame make zstd complain, but only after it has written the frame.
    return subprocess.run(["zstd", "-qdc"], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout


METHODS = ((b"\xfd7zXZ\x00", xz), (b"\x28\xb5\x2f\xfd", zstd), (b"\x1f\x8b\x08", gzip))


def extract(image):
    for magic, method in METHODS:
        at = image.find(magic)
        while at >= 0:
            try:
                kernel = method(image[at:])
            except (lzma.LZMAError, zlib.error):
                kernel = b""
            if kernel.startswith(b"\x7fELF"):
                return kernel
            at = image.find(magic, at + 1)
    return None


def main():
    with open(sys.argv[1], "rb") as file:
        kernel = extract(file.read())
    if kernel is None:
        sys.exit(f"{sys.argv[1]}: no ELF kernel found inside")
    with open(sys.argv[2], "wb") as file:
        file.write(kernel)


main()
