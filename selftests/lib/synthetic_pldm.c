// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic containers: PLDM. firmware-images.md 7.3. */
#include "synthetic_private.h"

uint8_t *synthetic_pldm(const struct synthetic_archive *what, size_t *length)
{
	(void)what;
	*length = 0;
	return NULL;
}
