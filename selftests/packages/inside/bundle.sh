# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# bundle.sh VERSION RELEASE BUNDLE DEB: an offline bundle and a package of prebuilt modules on a clean host.
. /packages/tests/lib.sh
version=$1 release=$2 bundle=/packages/$3 deb=/packages/$4
# A host without DKMS.
mv /usr/sbin/dkms /usr/sbin/dkms.away
other=$(kernels | grep -v -x "$release" | head -n 1)

trace /tmp/before
check "-h tells what it is" sh "$bundle" -h
check "and for which kernel it has modules" said "Prebuilt here: $release"
check "-n tells each step" sh "$bundle" -n -k "$release"
check "the tool" said "/usr/local/bin/cxctl"
check "the modules" said "/lib/modules/$release/extra/cxctl/cxfw.ko"
trace /tmp/after
check "and -n changes nothing" diff /tmp/before /tmp/after

check "it installs" sh "$bundle" -k "$release"
check "the tool runs" /usr/local/bin/cxctl --version
check "the module is of this kernel" vermagic_is cxfw "$release"
check "depmod knows it" sh -c "modinfo -k $release -F filename cxfw"
check "it uninstalls" sh "$bundle" -u
trace /tmp/after
check "without a trace" diff /tmp/before /tmp/after

check "for a kernel it has no modules for, it builds them, without DKMS" sh "$bundle" -k "$other"
check "the built module is of that kernel" vermagic_is cxfw "$other"
check "nothing is left to build" sh -c "/usr/local/lib/cxctl/rebuild-modules -n $other | { ! grep 'would be built'; }"
echo '#define CONFIG_CXCTL_TEST 1' >>"/lib/modules/$other/build/include/generated/autoconf.h"
check "until its headers change" sh -c "/usr/local/lib/cxctl/rebuild-modules -n $other | grep 'would be built'"
sed -i '/CONFIG_CXCTL_TEST/d' "/lib/modules/$other/build/include/generated/autoconf.h"
check "it uninstalls, too" sh "$bundle" -u
trace /tmp/after
check "without a trace, too" diff /tmp/before /tmp/after

sh "$bundle" -k 4.19.90-1.ky10.x86_64 >/tmp/answer 2>&1
check "a kernel without modules and headers: exit status 8" [ $? = 8 ]
check "it names what is missing" said "kernel-devel-4.19.90-1.ky10.x86_64" /tmp/answer
check "the tool is there all the same" /usr/local/bin/cxctl --version
sh "$bundle" -u >/dev/null 2>&1

# Damage in the middle of the archive, then facts that do not fit this host.
python=$(command -v perl)
cp "$bundle" /tmp/damaged
"$python" -e 'open F, "+<", "/tmp/damaged"; seek F, (-s F) / 2, 0; print F "x" x 64'
check "a damaged bundle is refused" no sh /tmp/damaged
check "in words" said "copy it again"
directory=$(sh "$bundle" --extract)
sed -i 's/^glibc=.*/glibc=9.99/' "$directory/bundle"
(cd "$directory" && sed -i '/ \.\/bundle$/d' sums && sha256sum ./bundle >>sums)
check "an older C library is refused" no sh "$directory/install.sh"
check "with both numbers" said "needs glibc 9.99, and this host has"
sed -i 's/^machine=.*/machine=sparc64/' "$directory/bundle"
(cd "$directory" && sed -i '/ \.\/bundle$/d' sums && sha256sum ./bundle >>sums)
check "another machine is refused" no sh "$directory/install.sh"
check "with both names" said "for sparc64, and this host is"

check "the package of prebuilt modules installs" dpkg -i "$deb"
check "its module is of this kernel" vermagic_is cxfw "$release"
check "and goes away" dpkg --purge "$(dpkg-deb -f "$deb" Package)"
trace /tmp/after
check "without any trace" diff /tmp/before /tmp/after
echo "THE END"
