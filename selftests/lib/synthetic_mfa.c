// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic containers: MFA1 and MFA2. firmware-images.md 7.1, 7.2. */
#include "synthetic_private.h"

uint8_t *synthetic_mfa1(const struct synthetic_archive *what, size_t *length)
{
	(void)what;
	*length = 0;
	return NULL;
}

uint8_t *synthetic_mfa2(const struct synthetic_archive *what, size_t *length)
{
	(void)what;
	*length = 0;
	return NULL;
}
