/* SPDX-License-Identifier: GPL-2.0-only */
/* Releases of the vendor's driver stack (MLNX_OFED, DOCA-OFED) and the firmware and chips that belong to each. */
#ifndef CXCTL_DRIVER_RELEASE_H
#define CXCTL_DRIVER_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

struct driver_release {
	uint32_t branch;		/* of the firmware: the minor number, the same for all chips */
	unsigned int year, month;	/* before 23: the two numbers of the release */
	const char *name;
};

/* The release that came with a branch of mlx5 firmware; NULL: no public table says. */
const struct driver_release *driver_release_of(uint32_t branch);
/* The newest release of the table that is not newer than the driver; NULL: the driver is older than all. */
const struct driver_release *driver_release_before(unsigned int year, unsigned int month);

/* "24.10-0.7.0", "5.8-1.0.1", "4.9-2.2.4" of the vendor; false for a kernel's own driver ("5.0-0", "4.0-0", or nothing). */
bool driver_release_read(const char *version, unsigned int *year, unsigned int *month);

/* The last release of the vendor's stack that knows a chip; NULL: no document was found that says so. */
const char *driver_release_last(uint16_t device, unsigned int *year, unsigned int *month);

#endif /* CXCTL_DRIVER_RELEASE_H */
