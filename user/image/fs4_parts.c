// SPDX-License-Identifier: GPL-2.0-only
/* FS4 and FS5: what the hardware pointers lead to, before the sections. firmware-images.md 4.1, 4.2, 4.8. */
#include <errno.h>
#include <stdlib.h>

#include "fs4.h"

/* Names of what a pointer leads to; NULL: a value, a bound, or inside a section. */
static const char *part_name(enum image_format format, unsigned int pointer)
{
	static const char *const fs4[FS4_POINTER_COUNT] = {
		[FS4_BOOT_RECORD] = "BOOT_RECORD", [FS4_BOOT2] = "BOOT2", [FS4_TOOLS] = "TOOLS_AREA",
		[FS4_HASHES] = "HASHES_TABLE",
	};
	static const char *const fs5[FS4_POINTER_COUNT] = {
		[FS4_BOOT_RECORD] = "PSC_BCT", [FS4_BOOT2] = "BOOT2", [FS4_TOOLS] = "TOOLS_AREA",
		[FS5_PSC_BL1_BCH] = "PSC_BL1_BCH", [FS5_PSC_BL1] = "PSC_BL1", [FS4_NCORE_BCH] = "NCORE_BCH",
		[FS5_PSC_FW_BCH] = "PSC_FW_BCH", [FS5_PSC_FW] = "PSC_FW", [FS4_HASHES] = "HASHES_TABLE",
	};

	return format == IMAGE_FS5 ? fs5[pointer] : fs4[pointer];
}

int fs4_boot2_length(const struct image_view *view, uint32_t at, uint64_t *length, struct image_error *error)
{
	uint8_t words[4];
	int code;

	*length = 0;
	if (!view_holds(view, at, 16))
		return 0;
	code = view_read(view, at + 4ULL, words, sizeof(words), error);
	if (code)
		return code;
	if (get32(words) >= FS4_BOOT2_WORDS_LEAST && get32(words) <= FS4_BOOT2_WORDS_MOST &&
	    view_holds(view, at, 4 * (get32(words) + 4ULL)))
		*length = 4 * (get32(words) + 4ULL);
	return 0;
}

static int hashes_length(const struct image_view *view, uint32_t at, uint64_t *length,
			 struct image_error *error)
{
	uint8_t words[4];
	int code;

	*length = 0;
	if (!view_holds(view, at, 12))
		return 0;
	code = view_read(view, at + 4ULL, words, sizeof(words), error);
	if (!code)
		*length = fs4_hashes_length(get32(words));
	return code;
}

/* 0: not known. */
static int part_length(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
		       unsigned int pointer, uint64_t *length, struct image_error *error)
{
	bool fs5 = view->place.format == IMAGE_FS5;

	*length = 0;
	switch (pointer) {
	case FS4_BOOT2:
		return fs5 ? fs5_boot2_length(view, pointers, length, error) :
			     fs4_boot2_length(view, pointers[pointer], length, error);
	case FS4_TOOLS:
		*length = FS4_TOOLS_LENGTH;
		return 0;
	case FS4_HASHES:
		return hashes_length(view, pointers[pointer], length, error);
	case FS5_PSC_BL1_BCH:
	case FS4_NCORE_BCH:
	case FS5_PSC_FW_BCH:
		*length = fs5 ? FS5_BCH_LENGTH : 0;
		return 0;
	default:
		return 0;
	}
}

static int by_start(const void *one, const void *other)
{
	const struct fs4_part *a = one, *b = other;

	if (a->start != b->start)
		return (a->start > b->start) - (a->start < b->start);
	return (a->end > b->end) - (a->end < b->end);
}

static void add_part(struct fs4_parts *parts, const char *name, unsigned int pointer, uint64_t start,
		     uint64_t length)
{
	parts->part[parts->count++] = (struct fs4_part){ name, pointer, start, start + length, !length };
}

/* A part of unknown length goes on to whatever comes next. */
static void close_parts(struct fs4_parts *parts, uint64_t end)
{
	unsigned int i, next;

	for (i = 0; i < parts->count; i++) {
		if (!parts->part[i].open)
			continue;
		for (next = i + 1; next < parts->count && parts->part[next].start <= parts->part[i].start;
		     next++)
			;
		parts->part[i].end = next < parts->count ? parts->part[next].start : end;
		if (parts->part[i].end < parts->part[i].start)
			parts->part[i].end = parts->part[i].start;
	}
}

int fs4_parts_find(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
		   const struct toc *toc, struct fs4_parts *parts, struct image_error *error)
{
	uint64_t length, end = toc->present ? toc->address + (uint64_t)FS4_TOC_SECOND : view_size(view);
	unsigned int i;
	int code;

	parts->count = 0;
	for (i = 0; i < toc->count; i++)
		if (!i || toc->sections[i].address < end)
			end = toc->sections[i].address;
	add_part(parts, NULL, 0, 0, FS4_POINTERS_END);
	if (toc->present)
		add_part(parts, NULL, FS4_ITOC, toc->address, FS4_TOC_SECOND);
	for (i = 0; i < FS4_POINTER_COUNT; i++) {
		if (!pointers[i] || i == FS4_ITOC || i == FS4_SECURITY_VERSION || i == FS4_GCM_IV ||
		    pointers[i] & 3 || pointers[i] >= end)
			continue;
		code = part_length(view, pointers, i, &length, error);
		if (code)
			return code;
		add_part(parts, part_name(view->place.format, i), i, pointers[i], length);
	}
	qsort(parts->part, parts->count, sizeof(parts->part[0]), by_start);
	close_parts(parts, end);
	return 0;
}

/* ---- all that an image is made of ---- */

static int visit_parts(const struct image_view *view, const struct fs4_parts *parts, section_visit visit,
		       void *context)
{
	bool fs5 = view->place.format == IMAGE_FS5;
	unsigned int i;
	int result = 0;

	for (i = 0; i < parts->count && !result; i++) {
		const struct fs4_part *part = &parts->part[i];
		struct image_section section = {
			.name = part->name,
			.start = part->start,
			.length = part->end - part->start,
			.described_at = FS4_POINTERS + 8 * part->pointer,
			.crc_kind = part->open || (fs5 && part->pointer != FS4_TOOLS &&
						   part->pointer != FS4_HASHES) ?
				    IMAGE_CRC_ABSENT : IMAGE_CRC_IN_SECTION,
		};

		if (part->name)
			result = visit(context, &section);
	}
	return result;
}

/* Of an encrypted image only IMAGE_INFO is to be seen. */
static int visit_encrypted(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
			   section_visit visit, void *context, struct image_error *error)
{
	struct image_section section = {
		.name = section_type_name(SECTION_IMAGE_INFO),
		.type = SECTION_IMAGE_INFO,
		.start = pointers[FS4_IMAGE_INFO_POINTER],
		.length = IMAGE_INFO_LENGTH,
		.described_at = FS4_POINTERS + 8 * FS4_IMAGE_INFO_POINTER,
		.crc_kind = IMAGE_CRC_ABSENT,
	};

	if (!section.start || !view_holds(view, section.start, section.length))
		return image_fail(error, -EBADMSG, pointers[FS4_ITOC],
				  _("there is no table of contents at 0x%x, and no pointer to IMAGE_INFO"),
				  pointers[FS4_ITOC]);
	return visit(context, &section);
}

int fs4_sections(const struct image_view *view, section_visit visit, void *context, struct image_error *error)
{
	struct image_view flash = fs4_flash_view(view);
	uint32_t pointers[FS4_POINTER_COUNT];
	struct image_facts facts;
	struct fs4_parts parts;
	struct toc toc;
	int code;

	code = image_facts(view->reader, &view->place, IMAGE_NO_ROM, &facts, error);
	if (!code)
		code = fs4_pointers(view, pointers, error);
	if (!code)
		code = fs4_itoc(view, pointers, &toc, error);
	if (code)
		return code;
	if (toc.present) {
		code = fs4_parts_find(view, pointers, &toc, &parts, error);
		if (!code)
			code = visit_parts(view, &parts, visit, context);
		if (!code)
			code = toc_visit(view, &toc, false, visit, context, error);
	} else {
		code = visit_encrypted(view, pointers, visit, context, error);
	}
	if (code || facts.stripped)
		return code;
	code = toc_read(&flash, facts.dtoc_address, "DTOC", &toc, error);
	if (code || !toc.present || toc_check(&toc, "DTOC", NULL))
		return code;
	return toc_visit(&flash, &toc, true, visit, context, error);
}
