// SPDX-License-Identifier: GPL-2.0-only
/*
 * The digest that stands for a signature: SHA-256 of the image with its magic, the
 * signature section and that section's table entry taken as 0xff (firmware-images.md 4.7).
 */
#include "card.h"
#include "image.h"
#include "signature.h"

#define POINTERS	0x18
#define TOC_ENTRY	0x20
#define TOC_ENTRIES	64
#define TYPE_SIGNATURE	0xa0
#define TYPE_END	0xff
#define SECTION_BYTES	0x140
#define UUIDS_BYTES	0x20
#define DIGEST_BYTES	32

/* Bytes of the image that count as 0xff. */
struct hole {
	u32 start, length;
};

static bool find_section(struct cxsim_card *card, u32 image, u32 length, struct hole *entry, struct hole *section)
{
	u8 bytes[TOC_ENTRY];
	u32 itoc, i;

	cxsim_chip_peek(card, image + POINTERS + 8 * 2, bytes, 4);
	itoc = cxsim_get_be32(bytes);
	if (itoc > length || length - itoc < TOC_ENTRIES * TOC_ENTRY)
		return false;
	for (i = 1; i < TOC_ENTRIES; i++) {
		u32 at = itoc + i * TOC_ENTRY;

		cxsim_chip_peek(card, image + at, bytes, sizeof(bytes));
		if (bytes[0] == TYPE_END)
			return false;
		if (bytes[0] != TYPE_SIGNATURE)
			continue;
		*entry = (struct hole){ at, TOC_ENTRY };
		*section = (struct hole){ cxsim_get_be32(bytes + 0x14) & 0x7ffffffc, SECTION_BYTES };
		return section->start <= length && SECTION_BYTES <= length - section->start;
	}
	return false;
}

static bool inside(const struct hole *hole, u32 at)
{
	return at >= hole->start && at - hole->start < hole->length;
}

static void digest(struct cxsim_card *card, u32 image, u32 length, const struct hole *holes, unsigned int count,
		   u8 result[DIGEST_BYTES])
{
	struct cxsim_sha256 sha;
	u8 piece[256];
	u32 at, i, part;
	unsigned int n;

	cxsim_sha256_begin(&sha);
	for (at = 0; at < length; at += part) {
		part = length - at < sizeof(piece) ? length - at : sizeof(piece);
		cxsim_chip_peek(card, image + at, piece, part);
		for (n = 0; n < count; n++)
			for (i = 0; i < part; i++)
				if (inside(&holes[n], at + i))
					piece[i] = 0xff;
		cxsim_sha256_add(&sha, piece, part);
	}
	cxsim_sha256_end(&sha, result);
}

enum cxsim_signature cxsim_signature(struct cxsim_card *card, u32 address, u32 length)
{
	struct hole holes[3] = { { 0, CXSIM_MAGIC_BYTES } };
	u8 stored[UUIDS_BYTES + DIGEST_BYTES], right[DIGEST_BYTES];
	unsigned int i;

	if (!find_section(card, address, length, &holes[1], &holes[2]))
		return CXSIM_SIGNATURE_NONE;
	cxsim_chip_peek(card, address + holes[2].start, stored, sizeof(stored));
	for (i = 0; i < UUIDS_BYTES; i++)
		if (stored[i])
			return CXSIM_SIGNATURE_BY_KEY;
	digest(card, address, length, holes, ARRAY_SIZE(holes), right);
	return memcmp(right, stored + UUIDS_BYTES, DIGEST_BYTES) ? CXSIM_SIGNATURE_WRONG : CXSIM_SIGNATURE_RIGHT;
}
