/* SPDX-License-Identifier: GPL-2.0-only */
/* The PCIe port above a card. */
#ifndef CXCTL_UPSTREAM_H
#define CXCTL_UPSTREAM_H

#include "pci.h"

/*
 * Why the link above the card cannot be switched off and on (the rules of the driver's CXFW_RESET_LINK), translated;
 * empty when it can. functions: all of the card.
 */
void upstream_trouble(const char *address, const struct pci_function *functions, size_t count, char *why,
		      size_t room);

#endif /* CXCTL_UPSTREAM_H */
