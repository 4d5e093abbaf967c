// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's driver and the new firmware. Vendors test a branch of firmware with the driver release of
 * the same time; newer firmware keeps old drivers working, so an older one is only worth a note.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

/*
 * Branches of mlx5 firmware (the minor number, the same for all chips) and the vendor's driver release that
 * came with it. Source: docs.nvidia.com, MLNX_OFED documentation of each release, "Legal Notices and 3rd
 * Party Licenses", which names both: 5.8-7.0.6.1 xx.35.45xx, 5.9-0.5.6.0 xx.36.1010, 23.04-0.5.3.3 xx.37.1014,
 * 23.07-0.5.1.2 xx.38.1002, 23.10-0.5.5.0 xx.39.1002, 24.01-0.3.3.1 xx.40.1000, 24.04-0.6.6.0 xx.41.10xx,
 * 24.10-0.7.0.0 xx.43.1000 (that of MLNX_EN). No such page was found for 42, and none for 44 and later.
 */
static const struct {
	uint32_t branch;
	unsigned int year, month;	/* before 23: the two numbers of the release */
	const char *release;
} branches[] = {
	{ 35, 5, 8, "5.8" }, { 36, 5, 9, "5.9" }, { 37, 23, 4, "23.04" }, { 38, 23, 7, "23.07" },
	{ 39, 23, 10, "23.10" }, { 40, 24, 1, "24.01" }, { 41, 24, 4, "24.04" }, { 43, 24, 10, "24.10" },
};

#define BRANCHES (sizeof(branches) / sizeof(branches[0]))

/* "24.10-0.7.0", "5.8-1.0.1" of the vendor's release; a kernel's own driver calls itself 5.0-0, or nothing. */
static bool of_release(const char *version, unsigned int *year, unsigned int *month)
{
	return strcmp(version, "5.0-0") && sscanf(version, "%u.%u-", year, month) == 2 && *year >= 5;
}

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
	unsigned int year, month;
	size_t i;

	if (room)
		*text = '\0';
	if (strcmp(driver, "mlx5_core") || !version || !of_release(version, &year, &month))
		return unknown(driver, version, kernel, image, text, room);
	for (i = 0; i < BRANCHES; i++) {
		if (branches[i].branch != image->version[1])
			continue;
		if (year > branches[i].year || (year == branches[i].year && month >= branches[i].month))
			return BURN_DRIVER_FINE;
		snprintf(text, room,
			 _("the vendor's driver %s is older than %s, the release that came with firmware %u.%u: it works, but features that need both stay off; update the driver, too (source: NVIDIA's MLNX_OFED documentation)"),
			 version, branches[i].release, image->version[0], image->version[1]);
		return BURN_DRIVER_OLD;
	}
	return unknown(driver, version, kernel, image, text, room);
}
