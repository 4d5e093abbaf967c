// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: FS2. firmware-images.md 2. */
#include "synthetic_private.h"

uint8_t *make_fs2(const struct synthetic *what, size_t *length)
{
	(void)what;
	*length = 0;
	return NULL;
}
