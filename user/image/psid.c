// SPDX-License-Identifier: GPL-2.0-only
/* A PSID begins with the vendor's symbol, three characters: firmware-images.md 5.5. */
#include "private.h"

#define SYMBOL 3
#define PSID_MOST 16
#define OTHER_VENDOR 100	/* more than any number of edits */

/* Who answers for the board today: HP's are HPE's. */
static const struct {
	char symbol[SYMBOL + 1];
	const char *vendor;
} vendors[] = {
	{ "MT_", "Mellanox" },
	{ "NVD", "NVIDIA" },
	{ "AP_", "Apple" },
	{ "APL", "Apple" },
	{ "BAI", "Baidu" },
	{ "CIS", "Cisco" },
	{ "CP_", "Check Point" },
	{ "DEL", "Dell" },
	{ "FJT", "Fujitsu" },
	{ "GGL", "Google" },
	{ "GV_", "Grass Valley" },
	{ "HPE", "HPE" },
	{ "HP_", "HPE" },
	{ "IBM", "IBM" },
	{ "INC", "Intel" },
	{ "LNV", "Lenovo" },
	{ "MSF", "Microsoft" },
	{ "ORC", "Oracle" },
	{ "SM_", "Supermicro" },
	{ "SUN", "Sun" },
	{ "SYN", "synthetic test image" },
	{ "VLT", "Voltaire" },
};

const char *image_psid_vendor(const char *psid)
{
	size_t i;

	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (!strncmp(psid, vendors[i].symbol, SYMBOL))
			return vendors[i].vendor;
	return NULL;
}

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

/* Characters to insert, remove or replace; of texts of at most PSID_MOST characters. */
static unsigned int edits(const char *one, size_t one_length, const char *other, size_t other_length)
{
	unsigned int row[PSID_MOST + 1], diagonal, above;
	size_t i, j;

	for (j = 0; j <= other_length; j++)
		row[j] = j;
	for (i = 1; i <= one_length; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= other_length; j++) {
			above = row[j];
			row[j] = least(above + 1, row[j - 1] + 1, diagonal + (one[i - 1] != other[j - 1]));
			diagonal = above;
		}
	}
	return row[other_length];
}

/* A vendor may have several symbols: HP_ and HPE. */
static bool same_vendor(const char *one, const char *other)
{
	const char *vendor = image_psid_vendor(one), *other_vendor = image_psid_vendor(other);

	if (!strncmp(one, other, SYMBOL))
		return true;
	return vendor && other_vendor && !strcmp(vendor, other_vendor);
}

unsigned int image_psid_distance(const char *one, const char *other)
{
	size_t one_length = strlen(one), other_length = strlen(other);
	size_t one_most = one_length < PSID_MOST ? one_length : PSID_MOST;
	size_t other_most = other_length < PSID_MOST ? other_length : PSID_MOST;
	unsigned int distance = edits(one, one_most, other, other_most);

	if (one_length != one_most || other_length != other_most)
		distance += strcmp(one, other) != 0;
	return distance + (same_vendor(one, other) ? 0 : OTHER_VENDOR);
}
