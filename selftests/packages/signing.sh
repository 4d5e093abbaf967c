#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# signing.sh: a kernel that takes signed modules only, in a virtual machine, and cxfw unsigned, signed by a stranger,
# and damaged after signing.
set -u
cd "$(dirname "$0")/../.." || exit 1
. selftests/packages/lib.sh
work=$(mktemp -d "$build/packages.XXXXXX")
trap 'rm -rf "$work"' EXIT

make -s all >&2
scripts/build-modules.sh 6.1 || { result 1 "the modules build"; finish; }
openssl req -new -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=cxctl test/" \
    -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
cp "$build/modules/6.1/cxfw.ko" "$work/signed.ko"
packaging/modules/sign-module "$work/key.pem" "$work/cert.pem" "$work/signed.ko"
cat >"$work/inside.sh" <<'END'
#!/bin/sh
try() { dmesg -c >/dev/null 2>&1; insmod "$1" && echo "TAKEN $1"; dmesg | grep -i -E 'rejected|module' | sed "s,^,$2: ,"; }
echo "ENFORCED $(cat /sys/module/module/parameters/sig_enforce)"
try /modules/cxfw.ko UNSIGNED
try /mnt/signed.ko STRANGER
cxctl monitor 2>&1 | sed 's/^/CXCTL: /'
echo "END OF TEST"
END
VM_APPEND="module.sig_enforce=1" scripts/vm.sh 6.1 "$work/inside.sh" "$work/signed.ko" >"$work/out" 2>&1
has() { grep -q -E -e "$1" "$work/out" || { tail -n 40 "$work/out"; return 1; }; }
hasnot() { ! grep -q -E -e "$1" "$work/out"; }
check "the machine ran to its end" has "END OF TEST"
check "the kernel takes signed modules only" has "ENFORCED Y"
check "no module was taken" hasnot "TAKEN"
check "the unsigned one is refused as unsigned" has "UNSIGNED: .*unsigned module is rejected"
check "the signature of a stranger is understood, and its key is not trusted" has \
    "STRANGER: .*module with unavailable key is rejected"
check "cxctl says that the module must be signed" has "CXCTL: .*loads signed modules only"
finish
