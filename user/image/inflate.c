// SPDX-License-Identifier: GPL-2.0-only
/* The board's INI that an image carries: firmware-images.md 2.6, 8.2, 8.3. */
#include <errno.h>

#include "private.h"

int image_ini(const struct image_reader *reader, const struct image_place *place, char **text, size_t *length,
	      struct image_error *error)
{
	(void)reader;
	*text = NULL;
	*length = 0;
	return image_fail(error, -EOPNOTSUPP, place->address, _("INIs cannot be read by this version"));
}

bool image_ini_retagged(const char *ini, char from[17])
{
	(void)ini;
	from[0] = 0;
	return false;
}
