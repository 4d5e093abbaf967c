#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# source.sh: make install and uninstall below a DESTDIR, one version everywhere, signatures as the kernel's own tool
# makes them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/packages/lib.sh
work=$(mktemp -d "$build/packages.XXXXXX")
trap 'rm -rf "$work"' EXIT

installed() { [ -s "$work/root$1" ] || { echo "not installed: $1"; return 1; }; }
nothing_left() { [ -z "$(find "$work/root" -type f -o -type l)" ] || find "$work/root" -type f; }

check "make install" make -s install PREFIX=/opt/x DESTDIR="$work/root"
for file in bin/cxctl share/man/man8/cxctl.8 share/bash-completion/completions/cxctl \
    lib/systemd/system/cxctl-activate.service share/locale/zh_CN/LC_MESSAGES/cxctl.mo; do
    check "PREFIX has $file" installed "/opt/x/$file"
done
check "the unit runs the program of this PREFIX" grep -q '^ExecStart=/opt/x/bin/cxctl ' \
    "$work/root/opt/x/lib/systemd/system/cxctl-activate.service"
check "the program looks for its messages in this PREFIX" grep -q /opt/x/share/locale "$work/root/opt/x/bin/cxctl"
check "make install-hook" make -s install-hook PREFIX=/opt/x DESTDIR="$work/root"
check "the hook runs what was installed" grep -q '^rebuild=/opt/x/lib/cxctl/' "$work/root/etc/kernel/postinst.d/zz-cxctl"
check "the source of cxfw is there" installed "/usr/src/cxfw-$version/dkms.conf"
check "make uninstall" make -s uninstall PREFIX=/opt/x DESTDIR="$work/root"
check "it left no file" test -z "$(nothing_left)"
check "the program of the usual PREFIX is built again" make -s all

check "Debian's changelog has the version of the tool" grep -q "^cxctl ($version) " packaging/debian/changelog
check "the rpm specification has it" grep -q "^Version: *$version$" packaging/rpm/cxctl.spec

# A key, a module, and the kernel's own sign-file.
scripts/kernels.sh 6.1 >&2
sign_file=$(echo "$build"/kernels/6.1/headers/usr/lib/linux-kbuild-*/scripts/sign-file)
openssl req -new -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=cxctl test/" \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
openssl x509 -in "$work/cert.pem" -outform DER -out "$work/cert.der"
module=$(find "$build/kernels/6.1/modules" -name 'mlxfw.ko' | head -n 1)
# Debian's is signed already; both tools start from what is below the signature.
objcopy "$module" "$work/plain.ko" 2>/dev/null || cp "$module" "$work/plain.ko"
cp "$work/plain.ko" "$work/ours.ko"
cp "$work/plain.ko" "$work/theirs.ko"
check "a module is signed" packaging/modules/sign-module "$work/key.pem" "$work/cert.der" "$work/ours.ko"
check "the kernel's own tool signs it" "$sign_file" sha256 "$work/key.pem" "$work/cert.pem" "$work/theirs.ko"
check "both signatures are the same, byte for byte" cmp "$work/ours.ko" "$work/theirs.ko"
check "modinfo names the signer" test "$(/sbin/modinfo -F signer "$work/ours.ko")" = "cxctl test"
check "signing again replaces the signature" sh -c \
    "packaging/modules/sign-module $work/key.pem $work/cert.pem $work/ours.ko && cmp $work/ours.ko $work/theirs.ko"
refused() { ! "$@"; }
check "a certificate that is none is refused" refused packaging/modules/sign-module "$work/key.pem" README.md "$work/ours.ko"
check "the refused module is as it was" cmp "$work/ours.ko" "$work/theirs.ko"
finish
