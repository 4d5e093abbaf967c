#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# initramfs.sh SERIES: makes build/vm/SERIES/base.cpio, what every test in a virtual machine
# needs and no edit of this project changes: busybox, PCI tools, Debian's mstflint, and the
# kernel's own modules for ConnectX cards. Made once; a second run has nothing to do.
set -eu
. "$(dirname "$0")/common.sh"
. "$top/scripts/binary.sh"

series=$1
into=$build/vm/$series
kernel=$build/kernels/$series
[ -e "$kernel/release" ] || die "kernel $series is not there; run scripts/kernels.sh $series"
# A newer kernel or a newer recipe makes it again.
stamp="$(cat "$kernel/release") $(cat "$0" "$top/scripts/binary.sh" | cksum)"
[ "$(cat "$into/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
locked "initramfs-$series"
[ "$(cat "$into/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

release=$(cat "$kernel/release")
root=$into/tree
rm -rf "$into"
mkdir -p "$root"/{bin,sbin,dev,proc,sys,run,tmp,etc,mnt,root,usr/bin,usr/sbin,usr/share/misc,lib/modules}
mkdir -p "$root/lib/firmware"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in $("$root/bin/busybox" --list); do
    [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"
done

# What the tests call. A tool that this machine lacks is left out, and its tests skip.
for tool in lspci setpci mstflint mstmcra mstconfig mstregdump mstreg mstvpd mstfwreset strace; do
    path=$(command -v "$tool") || continue
    add_binary "$root" "$path"
done
rm -f "$root/bin/lspci" "$root/bin/setpci"
[ ! -d /usr/share/mstflint ] || cp -r /usr/share/mstflint "$root/usr/share/"
[ ! -e /etc/mstflint ] || cp -r /etc/mstflint "$root/etc/"

modules=$root/lib/modules/$release
mkdir -p "$modules"
cp "$kernel/modules/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$modules/" 2>/dev/null || true
for module in mlx4_core mlx4_en mlx4_ib mlx5_core mlx5_ib ib_uverbs configfs vfio-pci pci-stub virtio_mmio 9pnet_virtio 9p; do
    /sbin/modprobe -d "$kernel/modules" -S "$release" --show-depends "$module" 2>/dev/null |
        awk '$1 == "insmod" { print $2 }'
done | sort -u | while read -r file; do
    short=${file#*"/lib/modules/$release/"}
    mkdir -p "$modules/${short%/*}"
    cp "$file" "$modules/$short"
done
/sbin/depmod -b "$root" "$release"
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >"$into/base.cpio"
echo "$stamp" >"$into/stamp"
