// SPDX-License-Identifier: GPL-2.0-only
/* Edits of all formats: firmware-images.md 6. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "edit.h"
#include "private.h"

int image_edit(const uint8_t *image, size_t length, const struct image_edit *edit,
	       struct image_edit_result *result, struct image_error *error)
{
	(void)image, (void)length, (void)edit;
	memset(result, 0, sizeof(*result));
	return image_fail(error, -EOPNOTSUPP, 0, "%s", _("edits are not supported by this version"));
}

bool image_edit_forbidden(const struct image_facts *facts, char *why, size_t room)
{
	(void)facts;
	snprintf(why, room, "%s", "");
	return false;
}

int image_rom_read(const struct image_reader *reader, const struct image_facts *facts, uint8_t **rom,
		   size_t *length, struct image_error *error)
{
	(void)reader, (void)facts;
	*rom = NULL;
	*length = 0;
	return image_fail(error, -EOPNOTSUPP, 0, "%s", _("edits are not supported by this version"));
}
