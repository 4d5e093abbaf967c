// SPDX-License-Identifier: GPL-2.0-only
/* FS5: what differs from FS4. firmware-images.md 4.8. */
#include "fs4.h"

#define COMPONENT 0x1ee0
#define BOOT2_LEAST 4
#define BOOT2_MOST 1048576

static uint32_t little32(const uint8_t *bytes)
{
	return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Component 0 of the NCORE header is BOOT2 with the hashes table behind it. */
int fs5_boot2_length(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
		     uint64_t *length, struct image_error *error)
{
	uint64_t header = pointers[FS4_NCORE_BCH], table = pointers[FS4_HASHES], hashes;
	uint8_t word[4];
	int code;

	*length = 0;
	if (!header || !table || !view_holds(view, header, FS5_BCH_LENGTH) || !view_holds(view, table, 8))
		return 0;
	code = view_read(view, table + 4, word, sizeof(word), error);
	if (code)
		return code;
	hashes = fs4_hashes_length(get32(word));
	code = view_read(view, header + COMPONENT + 4, word, sizeof(word), error);
	if (code)
		return code;
	if (!hashes || little32(word) & 3 || little32(word) < hashes + BOOT2_LEAST ||
	    little32(word) - hashes > BOOT2_MOST ||
	    !view_holds(view, pointers[FS4_BOOT2], little32(word)))
		return 0;
	*length = little32(word) - hashes;
	return 0;
}

int fs5_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	return fs4_facts(reader, place, flags, facts, error);
}

int fs5_sections(const struct image_view *view, section_visit visit, void *context, struct image_error *error)
{
	return fs4_sections(view, visit, context, error);
}
