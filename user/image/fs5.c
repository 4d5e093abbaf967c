// SPDX-License-Identifier: GPL-2.0-only
/* FS5: the facts and the sections. firmware-images.md 4.8. */
#include <errno.h>

#include "fs4.h"

int fs5_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	return image_fail(error, -EOPNOTSUPP, place->address, _("FS5 is not supported yet"));
}

int fs5_sections(const struct image_view *view, section_visit visit, void *context, struct image_error *error)
{
	return image_fail(error, -EOPNOTSUPP, view->place.address, _("FS5 is not supported yet"));
}
