// SPDX-License-Identifier: GPL-2.0-only
/* Tables of contents of FS3, FS4 and FS5: firmware-images.md 3.2, 3.3. */
#include <errno.h>

#include "toc.h"

#define ENTRIES_AT_ONCE 4

static const uint8_t toc_signature[12] = {
	0x04, 0x08, 0x15, 0x16, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static void parse_entry(const uint8_t *bytes, enum image_format format, struct toc_section *section)
{
	uint32_t word = get32(bytes + 0x18);

	section->type = bytes[0];
	section->size = get32(bytes) & 0xfffffc;
	section->zipped = bytes[4] & 0x80;
	section->cache_line_crc = bytes[4] & 0x40;
	section->address = get32(bytes + 0x14) & 0x7ffffffc;
	section->load = get32(bytes + 4) & 0x3fffffff;
	section->entry = get32(bytes + 8);
	section->version = get32(bytes + 0x10);
	if (format == IMAGE_FS3) {
		section->relative = bytes[0x14] & 0x80;
		section->device_data = word >> 17 & 1;
		section->crc_mode = word >> 16 & 1 ? TOC_CRC_NONE : TOC_CRC_IN_ENTRY;
	} else {
		section->relative = true;
		section->encrypted = word >> 31;
		section->crc_mode = word >> 16 & 7;
	}
	section->crc = word & 0xffff;
	section->stored_crc = get32(bytes + 0x1c);
	section->computed_crc = image_crc16(bytes, 0x1c);
}

static int toc_entries(const struct image_view *view, struct toc *toc, struct image_error *error)
{
	uint8_t bytes[TOC_ENTRY * ENTRIES_AT_ONCE];
	uint32_t where;
	unsigned int i;
	int code;

	while (toc->count < TOC_ENTRIES) {
		where = toc->address + TOC_HEADER + toc->count * TOC_ENTRY;
		code = view_read(view, where, bytes, sizeof(bytes), error);
		if (code)
			return code;
		for (i = 0; i < ENTRIES_AT_ONCE; i++) {
			if (bytes[i * TOC_ENTRY] == TOC_END) {
				toc->ended = true;
				return 0;
			}
			toc->sections[toc->count].where = where + i * TOC_ENTRY;
			parse_entry(bytes + i * TOC_ENTRY, view->place.format,
				    &toc->sections[toc->count++]);
		}
	}
	return 0;
}

int toc_read(const struct image_view *view, uint32_t address, const char name[4], struct toc *toc,
	     struct image_error *error)
{
	uint8_t header[TOC_HEADER];
	int code;

	memset(toc, 0, sizeof(*toc));
	toc->address = address;
	if (address & 3 || (uint64_t)address + TOC_HEADER > view_size(view))
		return 0;
	code = view_read(view, address, header, sizeof(header), error);
	if (code)
		return code;
	if (memcmp(header, name, 4) || memcmp(header + 4, toc_signature, sizeof(toc_signature)))
		return 0;
	toc->present = true;
	toc->stored_crc = get32(header + 0x1c);
	toc->computed_crc = image_crc16(header, 0x1c);
	return toc_entries(view, toc, error);
}

uint32_t toc_end(const struct toc *toc)
{
	uint32_t end = 0;
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (!toc->sections[i].device_data && toc->sections[i].address + toc->sections[i].size > end)
			end = toc->sections[i].address + toc->sections[i].size;
	return end;
}

const struct toc_section *toc_find(const struct toc *toc, uint32_t type, unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].type == type && !nth--)
			return &toc->sections[i];
	return NULL;
}

int toc_read_section(const struct image_view *view, const struct toc_section *section, uint8_t *bytes,
		     uint32_t length, struct image_error *error)
{
	uint32_t computed;
	int code;

	if (section->size < length)
		return image_fail(error, -EBADMSG, section->where,
				  _("section %s has 0x%x bytes, 0x%x are needed"), section_type_name(section->type),
				  section->size, length);
	code = view_read(view, section->address, bytes, length, error);
	if (code || section->crc_mode != TOC_CRC_IN_ENTRY || section->size != length)
		return code;
	computed = image_crc16(bytes, length);
	if (computed != section->crc)
		return image_fail(error, -EBADMSG, section->address,
				  _("section %s at 0x%x: CRC should be 0x%04x, is 0x%04x"),
				  section_type_name(section->type), section->address, section->crc, computed);
	return 0;
}

int toc_check(const struct toc *toc, const char *name, struct image_error *error)
{
	unsigned int i;

	if (toc->stored_crc != toc->computed_crc)
		return image_fail(error, -EBADMSG, toc->address,
				  _("%s header at 0x%x: CRC should be 0x%04x, is 0x%08x"), name, toc->address,
				  toc->computed_crc, toc->stored_crc);
	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].stored_crc != toc->sections[i].computed_crc)
			return image_fail(error, -EBADMSG, toc->sections[i].where,
					  _("%s entry %u at 0x%x: CRC should be 0x%04x, is 0x%08x"), name, i,
					  toc->sections[i].where, toc->sections[i].computed_crc,
					  toc->sections[i].stored_crc);
	if (!toc->ended)
		return image_fail(error, -EBADMSG, toc->address, _("%s at 0x%x has no end"), name, toc->address);
	return 0;
}
