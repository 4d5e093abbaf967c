// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is an expansion ROM that an image can carry: firmware-images.md 6.2. */
#include <errno.h>

#include "edit.h"
#include "private.h"

int image_rom_check(const uint8_t *rom, size_t length, struct image_error *error)
{
	(void)rom, (void)length;
	return image_fail(error, -EOPNOTSUPP, 0, "%s", _("edits are not supported by this version"));
}
