// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's driver and the new firmware. Vendors test a branch of firmware with the driver release of
 * the same time; newer firmware keeps old drivers working, so an older one is only worth a note.
 */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "../host/driver_release.h"
#include "burn_guard.h"

static enum burn_driver_advice unknown(const char *driver, const char *version, const char *kernel,
				       const struct image_facts *image, char *text, size_t room)
{
	snprintf(text, room,
		 _("%s %s with firmware %u.%u.%u: no public table says more; whether they were tested together is unknown"),
		 driver, version ? version : kernel, image->version[0], image->version[1], image->version[2]);
	return BURN_DRIVER_UNKNOWN;
}

enum burn_driver_advice burn_driver_advice(const char *driver, const char *version, const char *kernel,
					   const struct image_facts *image, char *text, size_t room)
{
	const struct driver_release *tested = driver_release_of(image->version[1]);
	unsigned int year, month;

	if (room)
		*text = '\0';
	if (strcmp(driver, "mlx5_core") || !version || !driver_release_read(version, &year, &month) || !tested)
		return unknown(driver, version, kernel, image, text, room);
	if (year > tested->year || (year == tested->year && month >= tested->month))
		return BURN_DRIVER_FINE;
	snprintf(text, room,
		 _("the vendor's driver %s is older than %s, the release that came with firmware %u.%u: it works, but features that need both stay off; update the driver, too (source: NVIDIA's MLNX_OFED documentation)"),
		 version, tested->name, image->version[0], image->version[1]);
	return BURN_DRIVER_OLD;
}
