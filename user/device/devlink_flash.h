/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * devlink flash: the bound driver burns, through the firmware's own component update. It wants the
 * image where the kernel looks for firmware (host/firmware_file.h).
 */
#ifndef CXCTL_DEVLINK_FLASH_H
#define CXCTL_DEVLINK_FLASH_H

#include <stdint.h>

#include "../base/error.h"

/* What the driver said last. Strings live during the call only. */
struct devlink_flash_status {
	const char *component;		/* "" when not told */
	const char *message;		/* the driver's own words, English: "Flashing", "Verifying component" */
	uint64_t done, total;		/* bytes; 0 and 0: a step without measure */
	uint64_t timeout;		/* seconds that this step may take; 0: not told */
};

/*
 * Burns file, a name below the kernel's firmware directory, on a device of devlink ("pci",
 * "0000:03:00.0"). Returns when the driver has ended; it cannot be stopped. status is called from the
 * caller's thread for every word of the driver. 0, or -1 with *error: "devlink-flash" (exit 7) with what
 * the kernel said, "no-devlink" (exit 5) when there is no such device.
 */
int devlink_flash(const char *bus, const char *device, const char *file,
		  void (*status)(void *context, const struct devlink_flash_status *status), void *context,
		  struct cxctl_error *error);

#endif /* CXCTL_DEVLINK_FLASH_H */
