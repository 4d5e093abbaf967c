// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic containers: what a directory says of an image, and compression. firmware-images.md 7. */
#include <lzma.h>
#include <stdio.h>

#include "synthetic_private.h"

void settle_member(const struct synthetic_member *member, struct member_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	if (!toc_member_facts(member->image, member->length, facts))
		fs2_member_facts(member->image, member->length, facts);
	if (member->psid)
		snprintf(facts->psid, sizeof(facts->psid), "%s", member->psid);
	if (member->version)
		numbers_of(member->version, facts->version, 3);
	if (!facts->date)
		facts->date = 0x20221120;
	snprintf(facts->version_text, sizeof(facts->version_text), "%u.%u.%u", facts->version[0],
		 facts->version[1], facts->version[2]);
	facts->part_number = member->part_number ? member->part_number : "SYN-PART";
	facts->description = member->description ? member->description : "synthetic adapter";
}

/* As the archives of vendors: LZMA2 of preset 9 but for the dictionary, check CRC32. */
void compress_xz(struct bytes *bytes, uint32_t dictionary)
{
	lzma_options_lzma options;
	lzma_filter filters[] = {
		{ .id = LZMA_FILTER_LZMA2, .options = &options }, { .id = LZMA_VLI_UNKNOWN }
	};
	size_t room = lzma_stream_buffer_bound(bytes->length), length = 0;
	uint8_t *packed = must_allocate(room);

	if (lzma_lzma_preset(&options, 1))
		abort();
	options.dict_size = dictionary ? dictionary : 64 << 10;
	if (lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, bytes->data, bytes->length, packed,
				      &length, room) != LZMA_OK)
		abort();
	free(bytes->data);
	*bytes = (struct bytes){ .data = packed, .length = length, .room = room };
}
