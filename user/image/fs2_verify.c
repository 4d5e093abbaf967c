// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS2, every check that bytes allow. The vendor's tool is content with less: it prints a wrong
 * CRC of the whole image and succeeds (firmware-images.md 2.7, 9.4).
 */
#include <errno.h>
#include <stdlib.h>

#include "fs2_verify.h"
#include "ini_verify.h"

/* A range of rising offsets whose CRC stands in the dword at its end. */
static void check_crc(struct fs2_verification *v, const struct fs2_section *section, const char *name)
{
	uint32_t at = section->end - 4;
	struct image_part part = {
		.name = name,
		.type = section->type,
		.start = section->offset,
		.length = section->end - section->offset,
	};
	uint32_t found = fs2_word(v, at);
	uint16_t expected;

	if (section->type == FS2_GUID && found == 0xffff && section->size >= 32 &&
	    fs2_word(v, section->body) == UINT32_MAX && fs2_word(v, section->body + 4) == UINT32_MAX) {
		v->blank = true;
		part.verdict = IMAGE_UNUSUAL;
		check_part(v->check, &part);
		check_finding(v->check, IMAGE_UNUSUAL, name, section->body,
			      _("the identity is blank: no GUIDs or MACs were ever written"));
		return;
	}
	if (view_crc16(&v->image, section->offset, at - section->offset, &expected, NULL))
		expected = ~found;
	if (expected != found)
		part.verdict = IMAGE_DAMAGED;
	check_part(v->check, &part);
	if (expected != found)
		check_compared(v->check, IMAGE_DAMAGED, name, at, expected, found, _("wrong CRC"));
}

static void check_boot2(struct fs2_verification *v, const struct fs2_section *section)
{
	uint32_t entry = fs2_word(v, section->end - 8);

	check_crc(v, section, "BOOT2");
	if (entry != section->parameter + 4)
		check_compared(v->check, IMAGE_UNUSUAL, "BOOT2", section->end - 8, section->parameter + 4,
			       entry, _("the entry address is not the load address + 4"));
}

static void note_section(struct fs2_verification *v, const struct fs2_section *section)
{
	switch (section->type) {
	case FS2_GUID:
		v->guid_sections++;
		v->guid_body = section->body;
		v->guid_size = section->size;
		break;
	case FS2_IMAGE_INFO:
		v->info_sections++;
		v->info_body = section->body;
		v->info_size = section->size;
		break;
	case FS2_ROM:
		v->rom_sections++;
		break;
	case FS2_INI:
		v->ini_sections++;
		break;
	}
}

static void check_section(struct fs2_verification *v, const struct fs2_section *section)
{
	const char *name = fs2_type_name(section->type);

	check_crc(v, section, name);
	if (!section->type || section->type >= FS2_TYPES)
		check_finding(v->check, IMAGE_UNUSUAL, name, section->offset, _("section of unknown type %u"),
			      section->type);
	if (!section->last && section->next != section->end)
		check_compared(v->check, IMAGE_UNUSUAL, name, section->offset + 12, section->end,
			       section->next, _("there is a gap behind the section"));
	note_section(v, section);
	fs2_check_body(v, section);
}

static void check_sections(struct fs2_verification *v)
{
	struct fs2_section section;
	struct fs2_chain chain;

	fs2_chain_start(&chain, &v->image);
	while (fs2_chain_next(&chain, &section, NULL) > 0) {
		if (chain.generic)
			check_section(v, &section);
		else
			check_boot2(v, &section);
	}
	fs2_check_jumps(v);
}

static void check_count(struct fs2_verification *v, const char *name, unsigned int found, unsigned int least)
{
	if (found < least)
		check_compared(v->check, IMAGE_DAMAGED, name, 0, least, found, _("the section is missing"));
	else if (found > 1)
		check_compared(v->check, IMAGE_UNUSUAL, name, 0, 1, found,
			       _("there are several such sections"));
}

static void check_pointer(struct fs2_verification *v, const char *name, uint32_t where, uint32_t body,
			  unsigned int sections)
{
	uint32_t pointer = fs2_word(v, where);

	if (where == FS2_INFO)
		pointer &= 0xffffff;
	if (sections && pointer != body)
		check_compared(v->check, IMAGE_DAMAGED, name, where, body, pointer,
			       _("the header's pointer does not lead to the section"));
}

static void check_header(struct fs2_verification *v)
{
	uint32_t version = fs2_word(v, FS2_VERSION), failsafe = fs2_word(v, FS2_FAILSAFE);
	uint32_t info = fs2_word(v, FS2_INFO), length = fs2_word(v, FS2_LENGTH);
	uint8_t zero = fs2_word(v, 0x20) >> 16;

	if (zero)
		check_compared(v->check, IMAGE_UNUSUAL, "header", 0x21, 0, zero,
			       _("a byte that is always zero is not"));
	if (version != 4)
		check_compared(v->check, IMAGE_UNUSUAL, "header", FS2_VERSION, 4, version,
			       _("the boot version is one that no known image has"));
	if (byte_sum(failsafe))
		check_compared(v->check, IMAGE_DAMAGED, "header", FS2_FAILSAFE, 0, byte_sum(failsafe),
			       _("the word of the chunk size does not add up to 0"));
	else if (failsafe & 0xfffff0)
		check_compared(v->check, IMAGE_UNUSUAL, "header", FS2_FAILSAFE, 0, failsafe & 0xfffff0,
			       _("bits of the chunk size word that are always zero are not"));
	if (byte_sum(info))
		check_compared(v->check, IMAGE_DAMAGED, "header", FS2_INFO, 0, byte_sum(info),
			       _("the pointer to the image information does not add up to 0"));
	if (length != v->end)
		check_compared(v->check, IMAGE_DAMAGED, "header", FS2_LENGTH, v->end, length,
			       _("the length is not where the last section ends"));
}

static void check_guids(struct fs2_verification *v)
{
	uint32_t entries = v->guid_size / 8, i;
	uint64_t mac;

	if (v->guid_size & 7 || entries < 4 || entries > 32) {
		check_compared(v->check, IMAGE_DAMAGED, "GUID", v->guid_body - 12, 0x30, v->guid_size,
			       _("the section has an impossible size"));
		return;
	}
	for (i = 4; i < 6 && i < entries && !v->blank; i++) {
		mac = (uint64_t)fs2_word(v, v->guid_body + 8 * i) << 32 |
		      fs2_word(v, v->guid_body + 8 * i + 4);
		if (mac != UINT64_MAX && (mac >> 48 || mac >> 40 & 1))
			check_finding(v->check, IMAGE_UNUSUAL, "GUID", v->guid_body + 8 * i,
				      _("MAC %u is 0x%llx: not the address of one station"), i - 3,
				      (unsigned long long)mac);
	}
}

uint16_t fs2_full_crc(const uint8_t *image, uint32_t end)
{
	static const uint8_t ones[2] = { 0xff, 0xff };
	uint16_t crc;

	crc = image_crc16_update(IMAGE_CRC16_START, image, FS2_FULL_CRC);
	crc = image_crc16_update(crc, ones, sizeof(ones));
	crc = image_crc16_update(crc, image + FS2_VERSION, end - FS2_VERSION);
	return image_crc16_finish(crc);
}

static int add_piece(void *context, const uint8_t *bytes, size_t length)
{
	uint16_t *crc = context;

	*crc = image_crc16_update(*crc, bytes, length);
	return 0;
}

static uint16_t view_full_crc(struct fs2_verification *v)
{
	uint16_t crc = IMAGE_CRC16_START;

	view_pieces(&v->image, 0, FS2_FULL_CRC, add_piece, &crc, NULL);
	crc = image_crc16_update(crc, "\xff\xff", 2);
	view_pieces(&v->image, FS2_VERSION, v->end - FS2_VERSION, add_piece, &crc, NULL);
	return image_crc16_finish(crc);
}

static void check_full_crc(struct fs2_verification *v)
{
	struct image_part part = { .name = "Full Image", .length = v->end };
	uint16_t found = fs2_word(v, 0x20), expected = 0xffff;

	part.crc_ignored = !v->has_mic;
	if (v->has_mic && !v->blank)
		expected = view_full_crc(v);
	if (v->has_mic && found != expected)
		part.verdict = IMAGE_DAMAGED;
	check_part(v->check, &part);
	if (v->has_mic && found != expected)
		check_compared(v->check, IMAGE_DAMAGED, part.name, FS2_FULL_CRC, expected, found,
			       _("wrong CRC"));
}

static void check_image(struct fs2_verification *v)
{
	check_header(v);
	check_sections(v);
	check_count(v, "GUID", v->guid_sections, 1);
	check_count(v, fs2_type_name(FS2_IMAGE_INFO), v->info_sections, 1);
	check_count(v, "ROM", v->rom_sections, 0);
	check_count(v, fs2_type_name(FS2_INI), v->ini_sections, 0);
	check_pointer(v, "GUID", FS2_GUIDS, v->guid_body, v->guid_sections);
	check_pointer(v, fs2_type_name(FS2_IMAGE_INFO), FS2_INFO, v->info_body, v->info_sections);
	if (v->guid_sections)
		check_guids(v);
	if (v->info_sections)
		fs2_check_tlvs(v);
	check_full_crc(v);
}

/* What follows an image in its file. */
static int check_tail(struct fs2_verification *v, struct image_error *error)
{
	uint64_t size = v->view.reader->size, whole = view_size(&v->view), found;
	int code;

	if (v->view.place.layout != IMAGE_LAYOUT_FILE)
		return 0;
	if (size & 3)
		check_finding(v->check, IMAGE_UNUSUAL, "file", size, _("its length is not a multiple of 4"));
	if (v->end >= whole)
		return 0;
	code = view_blank(&v->view, v->end, whole - v->end, &found, error);
	if (!code && found < whole)
		check_finding(v->check, IMAGE_UNUSUAL, "file", found,
			      _("there is something behind the end of the image"));
	return code;
}

/* A file has one image, a flash two at most: the vendor's tool refuses more. */
static int check_places(struct fs2_verification *v, struct image_error *error)
{
	const struct image_place *place = &v->view.place;
	struct image_place places[IMAGE_PLACES];
	size_t count, most = place->layout == IMAGE_LAYOUT_FLASH ? 2 : 1;
	int code;

	if (place->misplaced)
		check_compared(v->check, IMAGE_DAMAGED, "header", 0,
			       place->log2_chunk ? 1U << place->log2_chunk : 0, place->address,
			       _("an image with this chunk size cannot start here"));
	code = image_locate(v->view.reader, place->layout, places, IMAGE_PLACES, &count, error);
	if (!code && count > most)
		check_compared(v->check, IMAGE_UNUSUAL, "magic", 0, most, count,
			       _("there are more magics than images can be here"));
	return code;
}

/* Whether damage stopped the walk, or the source could not be read. */
static int chain_failed(struct fs2_verification *v, int code, const struct image_error *why)
{
	if (code != -EBADMSG)
		return code;
	check_finding(v->check, IMAGE_DAMAGED, "chain of sections", why->where, "%s", why->text);
	return 0;
}

/* A card's flash is read once only: every byte of it costs. */
static int load(struct fs2_verification *v, uint8_t **bytes, struct image_error *error)
{
	int code;

	*bytes = NULL;
	v->image = v->view;
	if (v->view.reader->bytes)
		return 0;
	*bytes = malloc(v->end);
	if (!*bytes)
		return image_fail(error, -ENOMEM, 0, _("no memory for an image of %u bytes"), v->end);
	code = view_read(&v->view, 0, *bytes, v->end, error);
	v->memory.bytes = *bytes;
	v->memory.length = v->end;
	v->memory_reader = image_memory_reader(&v->memory);
	v->image.reader = &v->memory_reader;
	memset(&v->image.place, 0, sizeof(v->image.place));
	v->image.place.format = IMAGE_FS2;
	v->image.place.layout = IMAGE_LAYOUT_FILE;
	return code;
}

int fs2_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	struct fs2_verification v = { .view = { reader, *place }, .check = check };
	struct image_error why = { 0 };
	uint8_t *bytes;
	int code;

	code = fs2_chain_end(&v.view, &v.end, &why);
	if (code) {
		if (error)
			*error = why;
		return chain_failed(&v, code, &why);
	}
	code = check_places(&v, error);
	if (code)
		return code;
	code = load(&v, &bytes, error);
	if (!code) {
		check_image(&v);
		code = check_tail(&v, error);
	}
	if (!code && check->worst != IMAGE_DAMAGED)
		code = ini_verify(check, &v.image, v.psid, error);
	free(bytes);
	return code;
}
