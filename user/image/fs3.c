// SPDX-License-Identifier: GPL-2.0-only
/* FS3: header, table of contents and the facts. firmware-images.md 3. */
#include <errno.h>

#include "fs3.h"

int fs3_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	(void)reader;
	(void)flags;
	(void)facts;
	return image_fail(error, -EOPNOTSUPP, place->address, _("FS3 cannot be read by this version"));
}

int fs3_sections(const struct image_view *view, section_visit visit, void *context, struct image_error *error)
{
	(void)visit;
	(void)context;
	return image_fail(error, -EOPNOTSUPP, view->place.address, _("FS3 cannot be read by this version"));
}
