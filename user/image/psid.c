// SPDX-License-Identifier: GPL-2.0-only
/* A PSID begins with the vendor's symbol: firmware-images.md 5.5. */
#include "private.h"

static const struct {
	const char *prefix;
	const char *vendor;
} vendors[] = {
	{ "MT_", "Mellanox" },
	{ "NVD", "NVIDIA" },
	{ "DEL", "Dell" },
	{ "HP_", "HP" },
	{ "HPE", "HPE" },
	{ "IBM", "IBM" },
	{ "LNV", "Lenovo" },
	{ "SUN", "Sun" },
	{ "ORC", "Oracle" },
	{ "FJT", "Fujitsu" },
	{ "CIS", "Cisco" },
	{ "SM_", "Supermicro" },
	{ "INC", "Intel" },
	{ "VLT", "Voltaire" },
	{ "SYN", "synthetic test image" },
};

const char *image_psid_vendor(const char *psid)
{
	size_t i;

	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (!strncmp(psid, vendors[i].prefix, strlen(vendors[i].prefix)))
			return vendors[i].vendor;
	return NULL;
}

unsigned int image_psid_distance(const char *one, const char *other)
{
	return strcmp(one, other) != 0;
}
