// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: hashes table, digest, signatures. firmware-images.md 4.6, 4.7. */
#include <openssl/sha.h>

#include "synthetic_private.h"

#define HASHES 28U
#define HASH_LENGTH 64U

static bool hashed(const struct section *section)
{
	static const unsigned char not_these[] = { 0xa0, 0xa1, 0xa3, 0xa4, 0xa7 };

	return !section->device && !memchr(not_these, section->type, sizeof(not_these));
}

static void write_hash(uint8_t *htoc, unsigned int index, unsigned int type, const uint8_t *data, size_t length)
{
	size_t at = 16 + HASHES * 8 + index * HASH_LENGTH;

	store_be32(htoc + 16 + 8 * index, type << 16 | at);
	SHA512(data, length, htoc + at);
}

void write_hashes(struct layout *layout)
{
	uint8_t *table = layout->image + layout->hashes, *htoc = table + 12;
	size_t entries = 0x20;
	unsigned int count = 0, i;

	memset(table, 0, HASHES_LENGTH);
	store_be32(table + 4, HASHES_LENGTH / 4 - 4);
	store_be32(table + 8, synthetic_crc16(table, 8));
	for (i = 0; i < layout->count; i++) {
		const struct section *section = &layout->sections[i];

		entries += section->device ? 0 : 0x20;
		if (hashed(section))
			write_hash(htoc, count++, section->type, layout->image + section->at, section->size);
	}
	write_hash(htoc, count++, 0xfd, layout->image + layout->itoc, entries);
	store_be32(htoc + 4, HASH_LENGTH << 16 | count);
	store_be32(table + HASHES_LENGTH - 4, synthetic_crc16(table, HASHES_LENGTH - 4));
}

void write_signatures(struct layout *layout)
{
	(void)layout;
}
