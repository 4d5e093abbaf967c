// SPDX-License-Identifier: GPL-2.0-only
/* FS5, every check that bytes allow. firmware-images.md 4.8. */
#include <errno.h>

#include "fs4.h"
#include "toc_verify.h"

int fs5_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	return image_fail(error, -EOPNOTSUPP, place->address, _("FS5 is not supported yet"));
}
