#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# vm.sh KERNEL SCRIPT [FILE[:PLACE]…]: boots a kernel (5.10, 6.1, 6.12 or 7.3) in QEMU and runs
# SCRIPT inside, as root, with /bin/sh; "shell" instead of a script gives an interactive one.
# FILEs are put into /mnt inside, where the script starts, or at PLACE. Programs bring their
# libraries along. Inside there are also busybox, PCI tools, Debian's mstflint, the kernel's
# mlx4 and mlx5 modules, selftests/vm at /selftests/vm, and as far as they are built cxfw.ko
# and cxsim.ko (modprobe finds them) and cxctl.
#
# The console is streamed; the script's exit status is this program's. 124: timed out;
# 125: the machine died. In the script, "emit NAME FILE" brings a file out, to VM_OUT/NAME.
#   VM_TIMEOUT   seconds (default 300)      VM_ENV   "NAME=value NAME=value" for the script
#   VM_MEMORY    MiB (default 768)          VM_OUT   where emitted files go (default build/vm/out)
#   VM_APPEND    more kernel command line   VM_ARGS  arguments of the script
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/binary.sh"

[ $# -ge 2 ] || die "usage: vm.sh KERNEL SCRIPT|shell [FILE[:PLACE]…]"
series=$1 script=$2
shift 2
[ "$script" = shell ] || [ -r "$script" ] || die "there is no script '$script'"
[ -e "$build/kernels/$series/release" ] || QUIET=1 "$top/scripts/kernels.sh" "$series"
"$top/scripts/initramfs.sh" "$series"

kernel=$build/kernels/$series
release=$(cat "$kernel/release")
work=$(mktemp -d "$build/vm/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
overlay=$work/overlay
mkdir -p "$overlay"/{mnt,etc,run,selftests/vm,usr/bin}

# The modules, where modprobe and libkmod find them.
modules=lib/modules/$release
if ls "$build/modules/$series"/*.ko >/dev/null 2>&1; then
    mkdir -p "$overlay/lib"
    cp -al "$build/vm/$series/tree/lib/modules" "$overlay/lib/"
    mkdir -p "$overlay/$modules/extra"
    cp "$build/modules/$series"/*.ko "$overlay/$modules/extra/"
    rm -f "$overlay/$modules"/modules.{dep,alias,symbols,softdep,devname}*
    /sbin/depmod -b "$overlay" "$release"
    rm -rf "$overlay/$modules/kernel"
    ln -s "/$modules/extra" "$overlay/modules"
else
    say "vm.sh: no modules are built for $series; make modules-$series builds them"
fi

[ ! -x "$build/cxctl" ] || add_binary "$overlay" "$build/cxctl" /usr/bin/cxctl
cp "$top/selftests/vm/init" "$overlay/init"
cp "$top"/selftests/vm/* "$overlay/selftests/vm/"
chmod 755 "$overlay/init"
for file; do
    place=/mnt/${file##*/}
    case $file in
    *:/*) place=${file#*:} file=${file%%:*} ;;
    esac
    [ -e "$file" ] || die "there is no file '$file'"
    if [ "$(head -c 4 "$file" 2>/dev/null | tr -d '\0')" = $'\x7fELF' ]; then
        add_binary "$overlay" "$file" "$place"
    else
        mkdir -p "$overlay/${place%/*}"
        cp -rL "$file" "$overlay/$place"
    fi
done
: >"$overlay/etc/environment"
for pair in ${VM_ENV:-}; do
    echo "export ${pair%%=*}='${pair#*=}'" >>"$overlay/etc/environment"
done
if [ "$script" != shell ]; then
    cp "$script" "$overlay/run/script"
    echo "${VM_ARGS:-}" >"$overlay/run/arguments"
fi
(cd "$overlay" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >"$work/overlay.cpio"
rm -rf "$overlay"
cat "$build/vm/$series/base.cpio" "$work/overlay.cpio" >"$work/initramfs"
rm "$work/overlay.cpio"

machine=microvm,acpi=off image=$kernel/vmlinux
[ ! -e "$kernel/bzImage" ] || machine=q35 image=$kernel/bzImage
qemu=(qemu-system-x86_64 -M "$machine" -accel tcg,thread=multi -smp 2 -cpu max -m "${VM_MEMORY:-768}"
      -nodefaults -no-user-config -display none -no-reboot -kernel "$image" -initrd "$work/initramfs"
      -append "console=ttyS0 panic=-1 quiet mitigations=off reboot=t ${VM_APPEND:-}")
if [ "$script" = shell ]; then
    "${qemu[@]}" -chardev stdio,id=console,signal=off -serial chardev:console
else
    python3 "$top/scripts/vm-console.py" --timeout "${VM_TIMEOUT:-300}" --out "${VM_OUT:-$build/vm/out}" \
        -- "${qemu[@]}" -serial stdio
fi
