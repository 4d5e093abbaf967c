// SPDX-License-Identifier: GPL-2.0-only
/* ROM files, PSIDs and versions: the small readers. */
#include "../../user/image/edit.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image_rom roms[IMAGE_ROMS];
	struct image_error error = { 0 };
	char one[18] = "", other[18] = "";

	PROMISE(image_rom_parse(data, size, roms) <= IMAGE_ROMS);
	if (image_rom_check(data, size, &error))
		PROMISE(error.text[0]);
	memcpy(one, data, size < 17 ? size : 17);
	memcpy(other, data + size / 2, size - size / 2 < 17 ? size - size / 2 : 17);
	image_psid_vendor(one);
	PROMISE(!image_psid_distance(one, one));
	PROMISE(image_psid_distance(one, other) == image_psid_distance(other, one));
	return 0;
}
