/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of check_drivers() and what the other checks of drivers share. */
#ifndef CXCTL_DOCTOR_DRIVERS_H
#define CXCTL_DOCTOR_DRIVERS_H

#include "../host/pci.h"
#include "doctor.h"

enum driver_origin {
	DRIVER_ABSENT,
	DRIVER_BUILT_IN,
	DRIVER_OF_KERNEL,	/* came with the kernel */
	DRIVER_OF_VENDOR,	/* put over the kernel's: MLNX_OFED, DOCA-OFED */
};

struct driver {
	enum driver_origin origin;
	char path[320];		/* below the root */
	char kernel[128];	/* that it was built for, when it tells */
	char version[64];
	char depends[512];	/* names, parted by commas */
};

/* What module is there for host->release. */
void driver_read(const struct host *host, const char *name, struct driver *driver);

/* Cards of this machine, or those in sys/ of a root; none when that has none. pci_list_free() afterwards. */
void host_cards(const struct host *host, struct pci_list *list);

/* Name and version of the vendor's stack that is installed: "MLNX_OFED_LINUX-5.8-1.0.1.1". False: none. */
bool vendor_stack(const struct host *host, char *name, size_t size);
/* Adds the command that builds the vendor's stack for this kernel; bundle: its directory, or NULL. */
void finding_vendor_build(struct finding *finding, const struct host *host, const char *bundle);

void check_cxfw(struct doctor *doctor, const struct pci_list *cards);
void check_chips(struct doctor *doctor, const struct pci_list *cards, const struct driver *driver);
void check_vendor_stack(struct doctor *doctor, bool in_use);

#endif /* CXCTL_DOCTOR_DRIVERS_H */
