/* SPDX-License-Identifier: GPL-2.0-only */
/* The INI that an image carries, checked against the image. */
#ifndef IMAGE_INI_VERIFY_H
#define IMAGE_INI_VERIFY_H

#include "private.h"

/*
 * Whether the INI unpacks (else damaged) and says the same PSID as the image (else unusual). An image
 * without INI is as good.
 */
int ini_verify(struct image_check *check, const struct image_view *view, const char *psid,
	       struct image_error *error);

#endif /* IMAGE_INI_VERIFY_H */
