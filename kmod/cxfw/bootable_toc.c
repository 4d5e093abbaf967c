// SPDX-License-Identifier: GPL-2.0-only
/* Tables of contents of FS3, FS4 and FS5, and IMAGE_INFO: firmware-images.md 3.2 - 3.5. */
#include <linux/errno.h>
#include <linux/string.h>

#include "bootable_walk.h"

#define TOC_END			0xff
#define SIGNATURE_BYTES		12
#define CRC_COVERS		0x1c	/* bytes of header or entry; the dword behind holds it */
#define ENTRIES_AT_ONCE		4	/* a block of flash through firmware */
#define SECTION_IMAGE_INFO	0x10
#define INFO_BYTES		0x400
#define INFO_DTOC_DIVISOR	0x110
#define INFO_HW_IDS		0x118
#define HW_IDS			4

static const u8 signature[SIGNATURE_BYTES] = {
	0x04, 0x08, 0x15, 0x16, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static u16 stored_crc(const u8 *bytes)
{
	return bytes[CRC_COVERS + 2] << 8 | bytes[CRC_COVERS + 3];
}

static u16 computed_crc(const u8 *bytes)
{
	return cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, bytes, CRC_COVERS));
}

int cxfw_toc_header(struct cxfw_walk *walk, u32 at, const char name[4], bool *there)
{
	u8 bytes[CXFW_TOC_ENTRY];
	int error;

	*there = false;
	if (at & 3 || at > walk->source->length || sizeof(bytes) > walk->source->length - at)
		return 0;
	error = cxfw_walk_read(walk, at, bytes, sizeof(bytes));
	if (error)
		return error;
	if (memcmp(bytes, name, 4) || memcmp(bytes + 4, signature, SIGNATURE_BYTES))
		return 0;
	if (stored_crc(bytes) != computed_crc(bytes))
		return cxfw_not_bootable(walk, "the header of the %.4s at %#x has CRC %#x, expected %#x", name, at,
					 stored_crc(bytes), computed_crc(bytes));
	*there = true;
	return 0;
}

static void parse_entry(const u8 *bytes, bool fs3, struct cxfw_toc_entry *entry)
{
	u32 crc = cxfw_dword(bytes + 0x18);

	memcpy(entry->bytes, bytes, CXFW_TOC_ENTRY);
	entry->type = bytes[0];
	entry->size = cxfw_dword(bytes) & 0xfffffc;
	entry->address = cxfw_dword(bytes + 0x14) & 0x7ffffffc;
	entry->relative = !fs3 || bytes[0x14] & 0x80;
	entry->device = fs3 && crc >> 17 & 1;
	entry->crc_mode = fs3 ? crc >> 16 & 1 : crc >> 16 & 7;
	entry->crc = crc & 0xffff;
}

int cxfw_toc_entries(struct cxfw_walk *walk, u32 at, bool fs3, cxfw_toc_visit visit, void *context, u32 *end)
{
	u8 bytes[ENTRIES_AT_ONCE * CXFW_TOC_ENTRY];
	struct cxfw_toc_entry entry;
	unsigned int i;
	int error;

	for (i = 0; i < CXFW_TOC_ENTRIES; i++) {
		const u8 *next = bytes + i % ENTRIES_AT_ONCE * CXFW_TOC_ENTRY;

		at += CXFW_TOC_ENTRY;
		error = i % ENTRIES_AT_ONCE ? 0 : cxfw_walk_read(walk, at, bytes, sizeof(bytes));
		if (error)
			return error;
		*end = at + CXFW_TOC_ENTRY;
		if (next[0] == TOC_END)
			return 0;
		if (stored_crc(next) != computed_crc(next))
			return cxfw_not_bootable(walk, "the table entry at %#x has CRC %#x, expected %#x", at,
						 stored_crc(next), computed_crc(next));
		parse_entry(next, fs3, &entry);
		if (entry.crc_mode > CXFW_CRC_IN_SECTION)
			return cxfw_not_bootable(walk, "the table entry at %#x has CRC mode %u", at, entry.crc_mode);
		error = visit(walk, context, &entry);
		if (error)
			return error;
	}
	return cxfw_not_bootable(walk, "the table of contents that ends at %#x has no end mark", at);
}

int cxfw_toc_check_section(struct cxfw_walk *walk, const struct cxfw_toc_entry *entry)
{
	u32 size = entry->size, stored = entry->crc;
	u16 crc;
	int error = 0;

	if (entry->crc_mode == CXFW_CRC_NONE)
		return 0;
	if (entry->crc_mode == CXFW_CRC_IN_SECTION) {
		if (size < 8)
			return cxfw_not_bootable(walk, "section %#x at %#x is too short", entry->type, entry->address);
		size -= 4;
		error = cxfw_walk_dword(walk, entry->address + size, &stored);
	}
	if (!error)
		error = cxfw_walk_crc(walk, entry->address, size, &crc);
	if (error)
		return error;
	if ((stored & 0xffff) != crc)
		return cxfw_not_bootable(walk, "section %#x at %#x has CRC %#x, expected %#x", entry->type,
					 entry->address, stored & 0xffff, crc);
	return 0;
}

int cxfw_toc_section(struct cxfw_walk *walk, void *context, const struct cxfw_toc_entry *entry)
{
	struct cxfw_toc_sections *sections = context;

	if (entry->device)
		return 0;
	if (!entry->relative)
		return cxfw_not_bootable(walk, "section %#x lies at an address of its own", entry->type);
	if (entry->address > walk->source->length || entry->size > walk->source->length - entry->address)
		return cxfw_not_bootable(walk, "section %#x at %#x + %#x leaves the image", entry->type,
					 entry->address, entry->size);
	if (entry->address + entry->size > sections->end)
		sections->end = entry->address + entry->size;
	if (entry->type == SECTION_IMAGE_INFO && !sections->info && entry->size >= INFO_BYTES)
		sections->info = entry->address;
	return sections->whole ? cxfw_toc_check_section(walk, entry) : 0;
}

/* ---- IMAGE_INFO ---- */

int cxfw_image_supports(const struct cxfw_image_source *source, u32 info, u32 hw_id, bool *supported)
{
	u8 bytes[4 * HW_IDS];
	int error = source->read(source->context, info + INFO_HW_IDS, bytes, sizeof(bytes));
	unsigned int i;

	*supported = false;
	for (i = 0; i < HW_IDS && !error; i++)
		*supported |= (cxfw_dword(bytes + 4 * i) & 0xffff) == hw_id;
	return error;
}

int cxfw_image_dtoc_divisor(const struct cxfw_image_source *source, u32 info, u32 *divisor)
{
	u8 bytes[4];
	int error = source->read(source->context, info + INFO_DTOC_DIVISOR, bytes, sizeof(bytes));

	if (!error)
		*divisor = bytes[2];
	return error;
}
