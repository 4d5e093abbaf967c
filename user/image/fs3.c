// SPDX-License-Identifier: GPL-2.0-only
/* FS3: header, table of contents and the facts. firmware-images.md 3. */
#include <errno.h>
#include <stdio.h>

#include "fs3.h"

#define BOOT2_WORDS_LEAST 4
#define BOOT2_WORDS_MOST 1048576
#define TOC_PLACES_MOST 64	/* sectors behind BOOT2 that are searched: real images have it in the first */

bool fs3_binary_known(uint8_t major, uint8_t minor)
{
	return (major == 1 && minor >= 1) || (!major && !minor);
}

int fs3_boot2_length(const struct image_view *view, uint32_t *length, struct image_error *error)
{
	uint8_t bytes[4];
	uint32_t words;
	int code;

	code = view_read(view, FS3_BOOT2 + 4, bytes, sizeof(bytes), error);
	if (code)
		return code;
	words = get32(bytes);
	if (words < BOOT2_WORDS_LEAST || words > BOOT2_WORDS_MOST)
		return image_fail(error, -EBADMSG, FS3_BOOT2 + 4,
				  _("BOOT2 at 0x%x claims 0x%x words, %d to %d are possible"),
				  FS3_BOOT2, words, BOOT2_WORDS_LEAST, BOOT2_WORDS_MOST);
	*length = 4 * (words + 4);
	return 0;
}

struct image_view fs3_flash_view(const struct image_view *view)
{
	struct image_view flash = *view;

	flash.place.address = 0;
	return flash;
}

/* An address that does not count from where its section is looked for. */
static void settle_addresses(const struct image_view *view, struct toc *toc)
{
	uint32_t start = view->place.address;
	struct toc_section *section;
	unsigned int i;

	for (i = 0; i < toc->count; i++) {
		section = &toc->sections[i];
		if (section->device_data && section->relative)
			section->address += start;
		else if (!section->device_data && !section->relative && section->address >= start)
			section->address -= start;
	}
}

int fs3_itoc(const struct image_view *view, struct toc *toc, uint32_t *place_at, struct image_error *error)
{
	uint32_t length, at;
	unsigned int i;
	int code;

	code = fs3_boot2_length(view, &length, error);
	if (code)
		return code;
	at = (FS3_BOOT2 + length + FS3_SECTOR - 1) & ~(FS3_SECTOR - 1U);
	*place_at = at;
	for (i = 0; i < TOC_PLACES_MOST; i++) {
		code = toc_read(view, at + i * FS3_SECTOR, "ITOC", toc, error);
		if (code || toc->present)
			break;
	}
	if (code || !toc->present)
		return code;
	if (i > 1)
		*place_at = toc->address;
	settle_addresses(view, toc);
	return 0;
}

bool fs3_has_device_data(const struct toc *toc)
{
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].device_data)
			return true;
	return false;
}

/* A card that lost its device data still has an image to tell of. */
static int device_data(const struct image_view *view, const struct toc *itoc, struct image_facts *facts,
		       struct image_error *error)
{
	struct image_error why = { 0 };
	int code = fs3_device_data(view, itoc, facts, &why);

	if (code == -EBADMSG) {
		snprintf(facts->device_data_trouble, sizeof(facts->device_data_trouble), "%.150s", why.text);
		return 0;
	}
	if (code && error)
		*error = why;
	return code;
}

static int read_header(const struct image_view *view, struct image_error *error)
{
	uint8_t bytes[4];
	int code;

	code = view_read(view, FS3_VERSION, bytes, sizeof(bytes), error);
	if (code)
		return code;
	if (!fs3_binary_known(bytes[2], bytes[3]))
		return image_fail(error, -EOPNOTSUPP, FS3_BINARY,
				  _("the image's binary version is %u.%u, 1.1 and later ones of 1 are known"),
				  bytes[2], bytes[3]);
	return 0;
}

static int read_info(const struct image_view *view, const struct toc *itoc, struct image_facts *facts,
		     struct image_error *error)
{
	const struct toc_section *section = toc_find(itoc, SECTION_IMAGE_INFO, 0);
	uint8_t info[IMAGE_INFO_LENGTH];
	int code;

	if (!section)
		return image_fail(error, -EBADMSG, itoc->address, _("there is no IMAGE_INFO in the ITOC"));
	code = toc_read_section(view, section, info, sizeof(info), error);
	if (code)
		return code;
	facts->info_offset = section->address;
	facts->info_length = section->size;
	code = image_info_take(info, section->address, facts, error);
	return code ? code : toc_security(view, itoc, facts, error);
}

static int read_itoc(const struct image_view *view, struct toc *itoc, struct image_error *error)
{
	uint32_t place_at;
	int code;

	code = fs3_itoc(view, itoc, &place_at, error);
	if (code)
		return code;
	if (!itoc->present)
		return image_fail(error, -EBADMSG, place_at, _("there is no table of contents from 0x%x on"),
				  place_at);
	return toc_check(itoc, "ITOC", error);
}

int fs3_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	struct image_view view = { reader, *place };
	struct toc itoc;
	int code;

	facts->failsafe = true;
	code = read_header(&view, error);
	if (!code)
		code = read_itoc(&view, &itoc, error);
	if (code)
		return code;
	facts->length = toc_end(&itoc);
	if (facts->length > view_size(&view))
		return image_fail(error, -EBADMSG, 0, _("the image claims 0x%x bytes, its place has 0x%llx"),
				  facts->length, (unsigned long long)view_size(&view));
	code = read_info(&view, &itoc, facts, error);
	if (!code)
		code = toc_rom(&view, &itoc, flags, facts, error);
	if (code)
		return code;
	facts->stripped = place->layout == IMAGE_LAYOUT_FILE && !fs3_has_device_data(&itoc);
	return facts->stripped ? 0 : device_data(&view, &itoc, facts, error);
}

static void describe(const struct toc_section *section, struct image_section *described)
{
	memset(described, 0, sizeof(*described));
	described->name = section_type_name(section->type);
	described->type = section->type;
	described->device_data = section->device_data;
	described->start = section->address;
	described->length = section->size;
	described->described_at = section->where;
	described->crc_kind = section->crc_mode == TOC_CRC_NONE ? IMAGE_CRC_ABSENT : IMAGE_CRC_STORED;
	described->crc = section->crc;
	described->load = section->load;
	described->entry = section->entry;
	described->compressed = section->zipped || section->type == SECTION_DBG_FW_INI;
	described->cache_line_crc = section->cache_line_crc;
}

static int visit_boot2(const struct image_view *view, section_visit visit, void *context,
		       struct image_error *error)
{
	struct image_section described = {
		.name = "BOOT2", .start = FS3_BOOT2, .described_at = FS3_BOOT2,
		.crc_kind = IMAGE_CRC_IN_SECTION,
	};
	uint8_t words[8];
	uint32_t length;
	int code;

	code = fs3_boot2_length(view, &length, error);
	if (!code)
		code = view_read(view, FS3_BOOT2, words, 4, error);
	if (!code)
		code = view_read(view, FS3_BOOT2 + length - 8, words + 4, 4, error);
	if (code)
		return code;
	described.length = length;
	described.load = get32(words);
	described.entry = get32(words + 4);
	return visit(context, &described);
}

int fs3_sections(const struct image_view *view, section_visit visit, void *context, struct image_error *error)
{
	struct image_section described;
	struct toc itoc;
	unsigned int i, round;
	int code;

	code = read_itoc(view, &itoc, error);
	if (!code)
		code = visit_boot2(view, visit, context, error);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < itoc.count && !code; i++) {
			if (itoc.sections[i].device_data != (round == 1))
				continue;
			describe(&itoc.sections[i], &described);
			if (described.device_data)
				described.described_at += view->place.address;
			code = visit(context, &described);
		}
	}
	return code;
}
