// SPDX-License-Identifier: GPL-2.0-only
/* Chips by hardware id and by PCI id: firmware-images.md 1.5. */
#include "private.h"

const char *image_chip_name(uint16_t hw_id)
{
	(void)hw_id;
	return NULL;
}
