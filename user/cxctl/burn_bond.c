// SPDX-License-Identifier: GPL-2.0-only
/* Which bond a card carries: two legs of one are never burned at the same time. */
#include <stdio.h>
#include <string.h>

#include "../host/sysfs.h"
#include "burn.h"

/*
 * A bond, a team, whatever makes one interface out of several; a bridge does not: what hangs on it
 * is not the same network twice.
 */
static bool master_of(const char *netdev, char name[32])
{
	char text[64];

	if (sysfs_link(name, 32, "class/net/%s/master", netdev) < 0)
		return false;
	return sysfs_read(text, sizeof(text), "class/net/%s/bridge/bridge_id", name) < 0;
}

static void add(struct burn_bonds *bonds, const char *name)
{
	unsigned int i;

	for (i = 0; i < bonds->count; i++)
		if (!strcmp(bonds->name[i], name))
			return;
	if (bonds->count < BURN_BONDS)
		snprintf(bonds->name[bonds->count++], sizeof(bonds->name[0]), "%s", name);
}

void burn_bonds_of(const struct cxctl_card *card, struct burn_bonds *bonds)
{
	struct burn_function functions[BURN_FUNCTIONS];
	struct pci_function function;
	size_t count, i;
	unsigned int j;
	char name[32];

	memset(bonds, 0, sizeof(*bonds));
	burn_functions_of(card, functions, &count);
	for (i = 0; i < count; i++) {
		if (pci_read(functions[i].address, &function))
			continue;
		for (j = 0; j < function.netdev_count; j++)
			if (master_of(function.netdev[j], name))
				add(bonds, name);
	}
}

const char *burn_bond_shared(const struct burn_bonds *one, const struct burn_bonds *other)
{
	unsigned int i, j;

	for (i = 0; i < one->count; i++)
		for (j = 0; j < other->count; j++)
			if (!strcmp(one->name[i], other->name[j]))
				return one->name[i];
	return NULL;
}
