# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# dkms.sh VERSION: the Debian packages in a clean root: installed, built for every kernel, rebuilt when headers change
# under one name, a build that fails, removed without a trace.
. /packages/tests/lib.sh
version=$1
rebuild=/usr/lib/cxctl/rebuild-modules
echo "dkms: $(dkms --version)"
kernels=$(kernels)
newest=$(echo "$kernels" | tail -n 1)
echo "kernels: $(echo $kernels)"

trace /tmp/before
check "the packages install" dpkg -i /packages/deb/cxctl_${version}_*.deb /packages/deb/cxfw-dkms_${version}_*.deb
check "cxctl runs" cxctl --version
check "its messages are there in Chinese" sh -c 'LC_ALL=C.UTF-8 LANGUAGE=zh_CN cxctl --help || true; test -s /usr/share/locale/zh_CN/LC_MESSAGES/cxctl.mo'
for kernel in $kernels; do
    # Packages build for the kernels that they choose; that the others can be built is what counts.
    [ -n "$(module_of cxfw "$kernel")" ] || dkms install -m cxfw -v "$version" -k "$kernel" >/tmp/log 2>&1 || cat /tmp/log
    check "cxfw is installed and of kernel $kernel" vermagic_is cxfw "$kernel"
done
check "cxsim installs and is built for the newest kernel" sh -c "dpkg -i /packages/deb/cxsim-dkms_${version}_*.deb"
[ -n "$(module_of cxsim "$newest")" ] || dkms install -m cxsim -v "$version" -k "$newest" >/dev/null 2>&1
check "cxsim is of kernel $newest" vermagic_is cxsim "$newest"

# A new build shows in the file's number and time.
age() { stat -c '%i %Z' "$(module_of cxfw "$1")"; }
for kernel in $kernels; do $rebuild "$kernel" >/dev/null 2>&1; done
check "nothing is built while the headers stay" sh -c "$rebuild -n | { ! grep 'would be built'; }"
old=$(age "$newest")
dkms remove -m cxsim -v "$version" --all >/dev/null 2>&1
mv "/usr/src/cxsim-$version" /tmp/cxsim
echo '#define CONFIG_CXCTL_TEST 1' >>"/lib/modules/$newest/build/include/generated/autoconf.h"
check "changed headers of the same name: one kernel would be built" sh -c "$rebuild -n | grep 'would be built'"
check "and it is the one" said "cxfw for $newest: would be built"
check "installing packages with headers sets it off" sh -c 'dpkg-trigger --by-package=dpkg /usr/src && dpkg --triggers-only -a'
check "the module is a new one" [ "$(age "$newest")" != "$old" ]
check "then nothing is left to build" sh -c "$rebuild -n | { ! grep 'would be built'; }"
mv /tmp/cxsim "/usr/src/cxsim-$version"
dkms add -m cxsim -v "$version" >/dev/null 2>&1

check "dkms remove" dkms remove -m cxfw -v "$version" --all
check "no module is left behind" [ -z "$(module_of cxfw "$newest")" ]
check "dkms add" dkms add -m cxfw -v "$version"

# A compiler that fails on our source only: what remains must name the cause.
for compiler in $(ls /usr/bin | grep -E '^(x86_64-linux-gnu-)?gcc(-[0-9]+)?(-for-host)?$'); do
    printf '#!/bin/sh\ncase "$*" in *cxfw/card.c*) echo "card.c:1:1: error: this compiler is broken" >&2; exit 1 ;; esac\nexec /usr/bin/%s "$@"\n' \
        "$compiler" >"/usr/local/bin/$compiler"
    chmod 755 "/usr/local/bin/$compiler"
done
check "dkms build fails with a broken compiler" no dkms build -m cxfw -v "$version" -k "$newest"
check "its log names the cause" said "this compiler is broken" "/var/lib/dkms/cxfw/$version/build/make.log"
check "rebuild-modules fails, too" no $rebuild -f "$newest"
check "and says why, and where the log is" sh -c "grep -q 'this compiler is broken' /tmp/said && grep -q 'whole log: /var/lib/cxfw/build-cxfw-$newest.log' /tmp/said"
rm -f /usr/local/bin/*gcc*
check "with the compiler mended, it builds" $rebuild "$newest"
check "dkms has it installed" sh -c "dkms status -m cxfw | grep '$newest.*installed'"

sed -i '/CONFIG_CXCTL_TEST/d' "/lib/modules/$newest/build/include/generated/autoconf.h"
check "the packages go away" dpkg --purge cxsim-dkms cxfw-dkms cxctl
trace /tmp/after
check "without a trace" diff /tmp/before /tmp/after
echo "THE END"
