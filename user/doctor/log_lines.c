// SPDX-License-Identifier: GPL-2.0-only
#include "log_lines.h"

#include "../base/message.h"

const struct log_line log_lines[] = {
	{ "log-firmware-waits", SEVERITY_ERROR, "in pre-initializing state", NULL,
	  N_("The card's firmware did not start in two minutes: it is damaged, or burned and not restarted. cxctl verify tells about "
	     "the flash; a power cycle starts it once more."), "cxctl list" },
	{ "log-firmware-waits", SEVERITY_ERROR, "Waiting for FW initialization", "timeout",
	  N_("The card's firmware did not start: it is damaged, or burned and not restarted. cxctl verify tells about the flash; a power "
	     "cycle starts it once more."), "cxctl list" },
	{ "log-capabilities", SEVERITY_ERROR, "handle_hca_cap failed", NULL,
	  N_("The driver and the firmware do not understand each other: the firmware is far older or newer than the driver. Burn "
	     "firmware of the driver's time, or update the driver."), "cxctl info" },
	{ "log-no-room", SEVERITY_ERROR, "BAR 7: no space", NULL,
	  N_("The machine's firmware (BIOS) gave the bridge too little memory for the card's virtual functions: allow SR-IOV and memory "
	     "above 4 GiB there, or boot with pci=realloc."), NULL },
	{ "log-no-room", SEVERITY_ERROR, "mlx5_core", "can't allocate BAR",
	  N_("The card's memory found no place: allow memory above 4 GiB in the machine's firmware (BIOS), or boot with "
	     "pci=realloc."), NULL },
	{ "log-module-taints", SEVERITY_NOTE, "module verification failed: signature and/or required key missing", NULL,
	  N_("A module without a trusted signature was loaded; the kernel marks itself as tainted, nothing more."), NULL },
	{ "log-module-unsigned", SEVERITY_ERROR, "Loading of unsigned module is rejected", NULL,
	  N_("This kernel loads signed modules only: sign cxfw (make modules MODSIGN_KEY=, or DKMS's key) and enroll the key."),
	  "mokutil --import /var/lib/dkms/mok.pub" },
	{ "log-module-key", SEVERITY_ERROR, "Loading of module with unavailable key is rejected", NULL,
	  N_("The module is signed with a key that this kernel does not have: enroll it, at the next boot's console."),
	  "mokutil --import /var/lib/dkms/mok.pub" },
	{ "log-module-key", SEVERITY_ERROR, "Required key not available", NULL,
	  N_("The module is signed with a key that this kernel does not have: enroll it, at the next boot's console."),
	  "mokutil --import /var/lib/dkms/mok.pub" },
	{ "log-symbol-version", SEVERITY_ERROR, "disagrees about version of symbol", NULL,
	  N_("A module was built against other modules than those that are loaded: a mixture of the kernel's and the vendor's "
	     "drivers, or a build for another kernel."), NULL },
	{ "log-symbol-unknown", SEVERITY_WARNING, "mlx5_ib: Unknown symbol", NULL,
	  N_("mlx5_ib needs what the loaded mlx5_core does not have: a mixture of the kernel's and the vendor's drivers."), NULL },
	{ "log-version-magic", SEVERITY_ERROR, "version magic '", "cxfw",
	  N_("cxfw was built for another kernel: build it again."), NULL },
	{ "log-link-slower", SEVERITY_WARNING, "available PCIe bandwidth, limited by", NULL,
	  N_("The slot, or the link to it, carries less than the card could: look for a slot with more lanes or a newer PCIe, and for a "
	     "card that is not quite in its slot."), NULL },
	{ "log-pcie-errors", SEVERITY_WARNING, "AER:", "mlx5_core",
	  N_("PCIe reported errors of the card's link: seat the card again, try another slot, and update the machine's firmware."), NULL },
	{ "log-pcie-errors", SEVERITY_WARNING, "PCIe Bus Error: severity=", "mlx",
	  N_("PCIe reported errors of the card's link: seat the card again, try another slot, and update the machine's firmware."), NULL },
};

const size_t log_line_count = sizeof(log_lines) / sizeof(log_lines[0]);
