#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What greets you in the shell of "make try": modules loaded, cards plugged in.

modprobe cxsim && modprobe cxfw || exit
cd /sys/kernel/debug/cxsim || exit
for card in "model=connectx2 psid=DEL09A0000009 version=2.9.1000" \
    "model=connectx3pro psid=MT_1200111023 version=2.36.5000 rom_size=64K" \
    "model=connectx5 flash_size=4M rom_size=64K" "model=connectx3 flash_size=4M empty=1"; do
    echo "$card" >create || cat error
done
first=$(cat "$(cut -d' ' -f1 cards | head -n 1)/address")
cxsim-image connectx2 "$HOME/connectx2-2.10.720.bin" psid=DEL09A0000009 version=2.10.720 >/dev/null
cat <<END

Four simulated cards are plugged in, one of them with an empty flash. Try:

  cxctl list
  cxctl info $first
  cxctl backup $first -o saved.tar
  cxctl burn $first -i connectx2-2.10.720.bin
  echo 1 >/sys/kernel/debug/cxsim/0/power     (a power cycle: then it runs the new version)
  mstflint -d ADDRESS query                   (of the others; ConnectX-2 it refuses)
  echo model=connectx5 >/sys/kernel/debug/cxsim/create
  ls /sys/kernel/debug/cxsim/0/settings       (faults: power cuts, stuck semaphores, ...)

"exit" switches the machine off.
END
