// SPDX-License-Identifier: GPL-2.0-only
#include "driver_release.h"

#include <stdio.h>
#include <string.h>

/*
 * Branches of mlx5 firmware and the vendor's driver release that came with it. Source: docs.nvidia.com,
 * MLNX_OFED documentation of each release, "Legal Notices and 3rd Party Licenses", which names both:
 * 5.8-7.0.6.1 xx.35.45xx, 5.9-0.5.6.0 xx.36.1010, 23.04-0.5.3.3 xx.37.1014, 23.07-0.5.1.2 xx.38.1002,
 * 23.10-0.5.5.0 xx.39.1002, 24.01-0.3.3.1 xx.40.1000, 24.04-0.6.6.0 xx.41.10xx, 24.10-0.7.0.0 xx.43.1000
 * (that of MLNX_EN). No such page was found for 42, and none for 44 and later.
 */
static const struct driver_release releases[] = {
	{ 35, 5, 8, "5.8" }, { 36, 5, 9, "5.9" }, { 37, 23, 4, "23.04" }, { 38, 23, 7, "23.07" },
	{ 39, 23, 10, "23.10" }, { 40, 24, 1, "24.01" }, { 41, 24, 4, "24.04" }, { 43, 24, 10, "24.10" },
};

#define RELEASES (sizeof(releases) / sizeof(releases[0]))

/*
 * Source: docs.nvidia.com. MLNX_OFED 5.4 LTS, release notes: "As of MLNX_OFED version v5.1-0.6.6.0 [...] no longer
 * supported: ConnectX-3, ConnectX-3 Pro, Connect-IB [...] refer to version 4.9". DOCA 2.9 LTS, which has the driver 24.10:
 * "the final software version to support ConnectX-4".
 */
static const struct {
	uint16_t device;
	unsigned int year, month;
	const char *name;
} lasts[] = {
	{ 0x1003, 4, 9, "MLNX_OFED 4.9 LTS" },	/* ConnectX-3 */
	{ 0x1007, 4, 9, "MLNX_OFED 4.9 LTS" },	/* ConnectX-3 Pro */
	{ 0x1011, 4, 9, "MLNX_OFED 4.9 LTS" },	/* Connect-IB */
	{ 0x1013, 24, 10, "MLNX_OFED 24.10 LTS" },	/* ConnectX-4 */
};

const struct driver_release *driver_release_of(uint32_t branch)
{
	size_t i;

	for (i = 0; i < RELEASES; i++)
		if (releases[i].branch == branch)
			return &releases[i];
	return NULL;
}

const struct driver_release *driver_release_before(unsigned int year, unsigned int month)
{
	const struct driver_release *found = NULL;
	size_t i;

	for (i = 0; i < RELEASES; i++)
		if (releases[i].year < year || (releases[i].year == year && releases[i].month <= month))
			found = &releases[i];
	return found;
}

bool driver_release_read(const char *version, unsigned int *year, unsigned int *month)
{
	return strcmp(version, "5.0-0") && strcmp(version, "4.0-0") && sscanf(version, "%u.%u-", year, month) == 2 && *year >= 4 &&
	       strchr(version, '-');
}

const char *driver_release_last(uint16_t device, unsigned int *year, unsigned int *month)
{
	size_t i;

	for (i = 0; i < sizeof(lasts) / sizeof(lasts[0]); i++)
		if (lasts[i].device == device) {
			*year = lasts[i].year;
			*month = lasts[i].month;
			return lasts[i].name;
		}
	return NULL;
}
