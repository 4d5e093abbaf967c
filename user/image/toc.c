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

int toc_distance(const struct image_view *view, uint32_t address, const char name[4], unsigned int *bits,
		 struct image_error *error)
{
	uint8_t found[4 + sizeof(toc_signature)];
	unsigned int i;
	int code;

	*bits = 8 * sizeof(found);
	if (address & 3 || !view_holds(view, address, TOC_HEADER))
		return 0;
	code = view_read(view, address, found, sizeof(found), error);
	if (code)
		return code;
	for (*bits = 0, i = 0; i < sizeof(found); i++)
		*bits += __builtin_popcount(found[i] ^ (i < 4 ? (uint8_t)name[i] : toc_signature[i - 4]));
	return 0;
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

static int add_crc(void *context, const uint8_t *bytes, size_t length)
{
	uint16_t *crc = context;

	*crc = image_crc16_update(*crc, bytes, length);
	return 0;
}

/* The section's CRC, of which the first length bytes are at hand. */
static int check_crc(const struct image_view *view, const struct toc_section *section, const uint8_t *bytes,
		     uint32_t length, struct image_error *error)
{
	uint32_t covered = section->size, expected = section->crc;
	uint16_t crc = IMAGE_CRC16_START;
	uint8_t stored[4];
	int code = 0;

	if (section->crc_mode == TOC_CRC_IN_SECTION) {
		covered -= sizeof(stored);
		code = view_read(view, (uint64_t)section->address + covered, stored, sizeof(stored), error);
		expected = get32(stored);
	}
	if (code)
		return code;
	add_crc(&crc, bytes, length < covered ? length : covered);
	if (length < covered)
		code = view_pieces(view, (uint64_t)section->address + length, covered - length, add_crc, &crc,
				   error);
	crc = image_crc16_finish(crc);
	if (code || crc == expected)
		return code;
	return image_fail(error, -EBADMSG, section->address,
			  _("section %s at 0x%x: CRC should be 0x%04x, is 0x%04x"),
			  section_type_name(section->type), section->address, expected, crc);
}

int toc_read_section(const struct image_view *view, const struct toc_section *section, uint8_t *bytes,
		     uint32_t length, struct image_error *error)
{
	int code;

	if (section->size < length)
		return image_fail(error, -EBADMSG, section->where,
				  _("section %s has 0x%x bytes, 0x%x are needed"),
				  section_type_name(section->type), section->size, length);
	code = view_read(view, section->address, bytes, length, error);
	if (code)
		return code;
	if ((section->crc_mode == TOC_CRC_IN_ENTRY && !section->encrypted) ||
	    (section->crc_mode == TOC_CRC_IN_SECTION && section->size >= 8))
		return check_crc(view, section, bytes, length, error);
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
		return image_fail(error, -EBADMSG, toc->address, _("%s at 0x%x has no end"), name,
				  toc->address);
	return 0;
}

void toc_section_describe(const struct toc_section *entry, bool device_data, struct image_section *section)
{
	*section = (struct image_section){
		.name = section_type_name(entry->type),
		.type = entry->type,
		.device_data = device_data,
		.start = entry->address,
		.length = entry->size,
		.described_at = entry->where,
		.crc_kind = entry->crc_mode == TOC_CRC_IN_ENTRY ? IMAGE_CRC_STORED :
			    entry->crc_mode == TOC_CRC_IN_SECTION ? IMAGE_CRC_IN_SECTION : IMAGE_CRC_ABSENT,
		.crc = entry->crc,
		.load = entry->load,
		.entry = entry->entry,
		.compressed = entry->zipped,
		.encrypted = entry->encrypted,
		.cache_line_crc = entry->cache_line_crc,
	};
}

int toc_visit(const struct image_view *view, const struct toc *toc, bool device_data, section_visit visit,
		     void *context, struct image_error *error)
{
	struct image_section section;
	unsigned int i;
	int result = 0;

	for (i = 0; i < toc->count && !result; i++) {
		toc_section_describe(&toc->sections[i], device_data, &section);
		if (!view_holds(view, section.start, section.length))
			return image_fail(error, -EBADMSG, section.described_at,
					  _("section %s, 0x%llx bytes at 0x%llx, lies outside its place of 0x%llx bytes"),
					  section.name, (unsigned long long)section.length,
					  (unsigned long long)section.start,
					  (unsigned long long)view_size(view));
		result = visit(context, &section);
	}
	return result;
}
