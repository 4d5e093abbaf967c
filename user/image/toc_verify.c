// SPDX-License-Identifier: GPL-2.0-only
/* Checks that FS3, FS4 and FS5 share: tables, sections, gaps, IMAGE_INFO. firmware-images.md 3, 9.4. */
#include <errno.h>

#include "toc_verify.h"

#define TOC_SLOT 0x1000		/* flash that is kept for one table */

static void crc_part(struct image_check *check, struct image_part *part, uint64_t crc_at, uint32_t expected,
		     uint32_t found)
{
	if (expected != found)
		part->verdict = IMAGE_DAMAGED;
	check_part(check, part);
	if (expected != found)
		check_compared(check, IMAGE_DAMAGED, part->name, crc_at, expected, found, _("wrong CRC"));
}

int verify_crc(struct image_check *check, const struct image_view *view, const char *name, uint32_t type,
	       uint64_t start, uint64_t length, uint64_t crc_end, uint64_t crc_at, struct image_error *error)
{
	struct image_part part = { .name = name, .type = type, .start = start, .length = length };
	uint8_t stored[4];
	uint16_t crc;
	int code;

	if (crc_end < start || !view_holds(view, start, crc_end - start) || !view_holds(view, crc_at, 4)) {
		check_finding(check, IMAGE_DAMAGED, name, start, _("it lies outside the image's place"));
		return 0;
	}
	code = view_crc16(view, start, crc_end - start, &crc, error);
	if (!code)
		code = view_read(view, crc_at, stored, sizeof(stored), error);
	if (!code)
		crc_part(check, &part, crc_at, crc, get32(stored));
	return code;
}

/* Words that are 0 in every vendor's table; those that hold a stale count are not asked for it. */
static void check_header_words(struct image_check *check, const struct toc *toc, const char *name,
			       const uint8_t *header)
{
	if ((get32(header + 0x10) & 0xffffff) != 1)
		check_compared(check, IMAGE_UNUSUAL, name, toc->address + 0x10, 1,
			       get32(header + 0x10) & 0xffffff,
			       _("a version of the table that is not known"));
	if (get32(header + 0x14) >> 8 || get32(header + 0x18))
		check_finding(check, IMAGE_UNUSUAL, name, toc->address + 0x14,
			      _("reserved bits of the table's header are not 0"));
}

static void check_entry_words(struct image_check *check, const struct image_view *view, const char *name,
			      const struct toc_section *section, const uint8_t *entry)
{
	bool fs3 = view->place.format == IMAGE_FS3;
	uint32_t reserved;

	reserved = (get32(entry) & 3) | get32(entry + 0x0c) | (get32(entry + 0x14) & 3);
	if (fs3)
		reserved |= get32(entry + 0x10) | (get32(entry + 0x18) & 0xfffc0000);
	else
		reserved |= (get32(entry + 0x10) & 0xffff0000) | (get32(entry + 0x14) & 0x80000000) |
			    (get32(entry + 0x18) & 0x7ff80000);
	if (reserved)
		check_finding(check, IMAGE_UNUSUAL, name, section->where,
			      _("reserved bits of the entry of %s are not 0"),
			      section_type_name(section->type));
}

static int check_entry(struct image_check *check, const struct image_view *view, const char *name,
		       const struct toc_section *section, bool *good, struct image_error *error)
{
	uint8_t entry[TOC_ENTRY];
	int code;

	if (section->stored_crc != section->computed_crc) {
		check_compared(check, IMAGE_DAMAGED, name, section->where + 0x1c, section->computed_crc,
			       section->stored_crc, _("the entry of %s has a wrong CRC"),
			       section_type_name(section->type));
		*good = false;
		return 0;
	}
	code = view_read(view, section->where, entry, sizeof(entry), error);
	if (!code)
		check_entry_words(check, view, name, section, entry);
	return code;
}

/* Readers take the first one: what another says would be believed by some. */
static void check_single(struct image_check *check, const struct toc *toc, const char *name)
{
	static const uint32_t types[] = {
		SECTION_IMAGE_INFO, SECTION_DBG_FW_INI, SECTION_SIGNATURE_256, SECTION_PUBLIC_KEYS_2048,
		SECTION_SIGNATURE_512, SECTION_PUBLIC_KEYS_4096, SECTION_MFG_INFO,
	};
	const struct toc_section *second;
	unsigned int i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		second = toc_find(toc, types[i], 1);
		if (second)
			check_finding(check, IMAGE_UNUSUAL, name, second->where,
				      _("there are several sections %s"), section_type_name(types[i]));
	}
}

/* From the end entry to the end of the table's slot, or to the first section if that comes earlier. */
static int check_behind_end(struct image_check *check, const struct image_view *view, const struct toc *toc,
			    const char *name, struct image_error *error)
{
	uint64_t start = toc->address + TOC_HEADER + (uint64_t)toc->count * TOC_ENTRY;
	uint64_t end = (uint64_t)toc->address + TOC_SLOT, size = view_size(view), blank;
	unsigned int i;
	int code;

	if (end > size)
		end = size;
	for (i = 0; i < toc->count; i++)
		if (!toc->sections[i].device_data && toc->sections[i].address > start &&
		    toc->sections[i].address < end)
			end = toc->sections[i].address;
	if (end <= start)
		return 0;
	code = view_blank(view, start, end - start, &blank, error);
	if (!code && blank < end)
		check_finding(check, IMAGE_UNUSUAL, name, blank,
			      _("bytes behind the table's end are not blank"));
	return code;
}

int toc_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
	       const char *name, bool *good, struct image_error *error)
{
	struct image_part part = { .name = name, .start = toc->address, .length = TOC_HEADER };
	uint8_t header[TOC_HEADER];
	unsigned int i;
	int code;

	*good = true;
	crc_part(check, &part, (uint64_t)toc->address + 0x1c, toc->computed_crc, toc->stored_crc);
	code = view_read(view, toc->address, header, sizeof(header), error);
	if (!code && toc->computed_crc == toc->stored_crc)
		check_header_words(check, toc, name, header);
	for (i = 0; i < toc->count && !code; i++)
		code = check_entry(check, view, name, &toc->sections[i], good, error);
	if (code)
		return code;
	if (!toc->ended) {
		check_finding(check, IMAGE_DAMAGED, name, toc->address, _("the table has no end"));
		*good = false;
		return 0;
	}
	check_single(check, toc, name);
	return check_behind_end(check, view, toc, name, error);
}

int section_verify(struct image_check *check, const struct image_view *view,
		   const struct toc_section *section, struct image_error *error)
{
	const char *name = section_type_name(section->type);
	uint64_t end = (uint64_t)section->address + section->size;
	struct image_part part = {
		.name = name,
		.type = section->type,
		.start = section->address,
		.length = section->size,
		.crc_ignored = true,
	};
	uint16_t crc;
	int code;

	if (!view_holds(view, section->address, section->size)) {
		check_finding(check, IMAGE_DAMAGED, name, section->where,
			      _("the section, 0x%x to 0x%llx, lies outside its place of 0x%llx bytes"),
			      section->address, (unsigned long long)end, (unsigned long long)view_size(view));
		return 0;
	}
	if (section->crc_mode == TOC_CRC_IN_SECTION && section->size >= 8)
		return verify_crc(check, view, name, section->type, section->address, section->size, end - 4,
				  end - 4, error);
	if (section->crc_mode == TOC_CRC_IN_SECTION)
		check_compared(check, IMAGE_DAMAGED, name, section->where, 8, section->size,
			       _("too short for the CRC that it should hold"));
	else if (section->crc_mode > TOC_CRC_IN_SECTION)
		check_compared(check, IMAGE_UNUSUAL, name, section->where + 0x18, TOC_CRC_NONE,
			       section->crc_mode, _("an unknown kind of CRC"));
	if (section->crc_mode != TOC_CRC_IN_ENTRY || section->encrypted) {
		check_part(check, &part);
		return 0;
	}
	code = view_crc16(view, section->address, section->size, &crc, error);
	part.crc_ignored = false;
	if (!code)
		crc_part(check, &part, section->where + 0x18, section->crc, crc);
	return code;
}

/* A gap, which is blank unless the table's second place is in it and holds a copy of the table. */
static int check_gap(struct image_check *check, const struct image_view *view, const char *name,
		     uint64_t start, uint64_t end, struct image_error *error)
{
	uint64_t blank;
	int code;

	if (end <= start || !view_holds(view, start, end - start))
		return 0;
	code = view_blank(view, start, end - start, &blank, error);
	if (!code && blank < end)
		check_finding(check, IMAGE_UNUSUAL, name, blank, _("the gap behind it is not blank"));
	return code;
}

/* Whether the slot behind the table's own holds the same table again. */
static int is_copied(const struct image_view *view, const struct toc *toc, bool *copied,
		     struct image_error *error)
{
	uint64_t second = (uint64_t)toc->address + TOC_SLOT;
	uint8_t one[TOC_HEADER], other[TOC_HEADER];
	uint32_t at, length = TOC_HEADER + toc->count * TOC_ENTRY;
	int code = 0;

	*copied = view_holds(view, second, TOC_SLOT);
	for (at = 0; at < length && *copied && !code; at += TOC_HEADER) {
		code = view_read(view, toc->address + at, one, sizeof(one), error);
		if (!code)
			code = view_read(view, second + at, other, sizeof(other), error);
		if (!code && memcmp(one, other, sizeof(one)))
			*copied = false;
	}
	return code;
}

int order_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
		 uint64_t least, struct image_error *error)
{
	const struct toc_section *section;
	const char *before = "ITOC";
	uint64_t end = least, second = (uint64_t)toc->address + TOC_SLOT;
	unsigned int i;
	bool copied;
	int code;

	code = is_copied(view, toc, &copied, error);
	if (copied && end < second + TOC_HEADER + (toc->count + 1) * TOC_ENTRY)
		end = second + TOC_HEADER + (toc->count + 1) * TOC_ENTRY;
	for (i = 0; i < toc->count && !code; i++) {
		section = &toc->sections[i];
		if (section->device_data)
			continue;
		if (section->address < end)
			check_compared(check, IMAGE_DAMAGED, section_type_name(section->type),
				       section->where + 0x14, end, section->address,
				       _("it overlaps what is before it, or stands before it"));
		else
			code = check_gap(check, view, before, end, section->address, error);
		before = section_type_name(section->type);
		end = (uint64_t)section->address + section->size;
	}
	return code;
}

static void check_info_ids(struct image_check *check, const char *name, uint64_t where, const uint8_t *info)
{
	uint32_t id = get32(info + 0x118) & 0xffff;

	if (!id)
		check_finding(check, IMAGE_UNUSUAL, name, where + 0x118, _("no hardware id is named"));
	else if (!image_chip_name(id))
		check_finding(check, IMAGE_UNUSUAL, name, where + 0x118,
			      _("hardware id 0x%x is of no known chip"), id);
}

/* Sizes: burn_image_size is 0 in older images; in FS5 it may go beyond the last section. */
static void check_info_sizes(struct image_check *check, const struct image_view *view, const char *name,
			     uint64_t where, const uint8_t *info, uint32_t end)
{
	uint32_t burn = get32(info + 0x12c), most = get32(info + 0x10c);

	if (burn && (burn < end || (burn != end && view->place.format != IMAGE_FS5)))
		check_compared(check, IMAGE_UNUSUAL, name, where + 0x12c, end, burn,
			       _("the size to burn is not where the last section ends"));
	if (most && end > most)
		check_compared(check, IMAGE_UNUSUAL, name, where + 0x10c, most, end,
			       _("the image is larger than it says that it may be"));
}

int info_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
		uint32_t log2, struct image_error *error)
{
	const struct toc_section *section = toc_find(toc, SECTION_IMAGE_INFO, 0);
	const char *name = section_type_name(SECTION_IMAGE_INFO);
	uint8_t info[IMAGE_INFO_LENGTH];
	uint64_t where;
	int code;

	if (!section || section->size < IMAGE_INFO_LENGTH ||
	    !view_holds(view, section->address, sizeof(info))) {
		check_finding(check, IMAGE_DAMAGED, name, toc->address,
			      _("the section is missing or too short"));
		return 0;
	}
	where = section->address;
	code = view_read(view, where, info, sizeof(info), error);
	if (code)
		return code;
	if (info[0])
		check_compared(check, IMAGE_DAMAGED, name, where, 0, info[0], _("unknown major version"));
	if (!info[0x24])
		check_finding(check, IMAGE_DAMAGED, name, where + 0x24, _("the PSID is missing"));
	if (log2 && log2 < 32 && toc_end(toc) > 1U << log2)
		check_compared(check, IMAGE_DAMAGED, "image", 0, 1U << log2, toc_end(toc),
			       _("it is longer than its slot"));
	if (info[0x10b] != log2)
		check_compared(check, IMAGE_UNUSUAL, name, where + 0x108, log2, info[0x10b],
			       _("the slot size is not the one that the image's start says"));
	check_info_ids(check, name, where, info);
	check_info_sizes(check, view, name, where, info, toc_end(toc));
	return 0;
}
