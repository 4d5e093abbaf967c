// SPDX-License-Identifier: GPL-2.0-only
/* FS3, every check that bytes allow. firmware-images.md 3, 9.4. */
#include <errno.h>

#include "fs3.h"

int fs3_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	(void)reader;
	(void)check;
	return image_fail(error, -EOPNOTSUPP, place->address, _("FS3 cannot be verified by this version"));
}
