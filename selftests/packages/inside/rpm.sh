# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# rpm.sh VERSION: rpm packages judged, installed into an empty root, removed.
. /packages/tests/lib.sh
version=$1
cd /packages/rpm || exit 1
machine=$(uname -m)
packages="cxctl-$version-1.$machine.rpm cxfw-dkms-$version-1.noarch.rpm cxsim-dkms-$version-1.noarch.rpm"
# shellcheck disable=SC2086
check "rpmlint finds no error" rpmlint -c /packages/tests/rpmlint.toml $packages
lists() { rpm -qlp "$1" 2>/dev/null | grep -q -x -e "$2"; }
check "the tool is in its package" lists "cxctl-$version-1.$machine.rpm" /usr/bin/cxctl
check "its unit, too" lists "cxctl-$version-1.$machine.rpm" /usr/lib/systemd/system/cxctl-activate.service
check "the completion, too" lists "cxctl-$version-1.$machine.rpm" /usr/share/bash-completion/completions/cxctl
check "the udev rule, too" lists "cxctl-$version-1.$machine.rpm" /usr/lib/udev/rules.d/60-cxctl.rules
check "the messages, too" lists "cxctl-$version-1.$machine.rpm" /usr/share/locale/zh_CN/LC_MESSAGES/cxctl.mo
check "the driver's source is in its own" lists "cxfw-dkms-$version-1.noarch.rpm" "/usr/src/cxfw-$version/dkms.conf"
check "new headers set off rebuild-modules" sh -c "rpm -qp --filetriggers cxfw-dkms-$version-1.noarch.rpm | grep /usr/src/kernels"

root=/tmp/root
mkdir -p $root
list() { (cd $root && find . -path ./var/lib/rpm -prune -o -print | LC_ALL=C sort) >"$1"; }
# What any rpm system has already.
rpm --root $root --initdb
mkdir -p $root/usr/bin $root/usr/src $root/usr/lib/kernel/install.d $root/usr/lib/systemd/system \
    $root/usr/lib/udev/rules.d $root/usr/share/bash-completion/completions $root/usr/share/doc $root/usr/share/licenses \
    $root/usr/share/locale/zh_CN/LC_MESSAGES $root/usr/share/man/man8
list /tmp/before
# shellcheck disable=SC2086
check "the packages install into an empty root" rpm --root $root -i --nodeps --noscripts --notriggers --ignoreos $packages
check "what is installed is whole" rpm --root $root -V --nodeps --noscripts cxctl cxfw-dkms cxsim-dkms
check "the tool is there" test -x $root/usr/bin/cxctl
check "the packages go away" rpm --root $root -e --nodeps --noscripts --notriggers cxsim-dkms cxfw-dkms cxctl
list /tmp/after
check "without a trace" diff /tmp/before /tmp/after
echo "THE END"
