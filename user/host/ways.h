/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signs of the ways to a function that others use, read from sysfs and /dev. Nothing here
 * touches the card's gateway: of configuration space only the header and the capability
 * list are read.
 */
#ifndef CXCTL_WAYS_H
#define CXCTL_WAYS_H

#include <stdbool.h>

#include "pci.h"

struct ways {
	int config_error;		/* errno of opening "config" for writing, 0: it opens */
	bool config_full;		/* bytes behind the first 64 could be read, so the list below is known */
	unsigned int vsc;		/* offset of the vendor specific capability, 0: none */
	bool bar0;			/* "resource0" is there */
	unsigned long long bar0_bytes;
	char mst_node[64];		/* device node of a vendor module for this function, or empty */
	char fwctl_node[64];		/* "/dev/fwctl/fwctl0" of this function, or empty */
};

void ways_query(const struct pci_function *pci, struct ways *ways);

#endif /* CXCTL_WAYS_H */
