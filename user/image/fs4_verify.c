// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS4, every check that bytes allow: pointers, tables, sections, the plain digest, gaps,
 * device data. firmware-images.md 3, 4, 9.4.
 */
#include <errno.h>
#include <stdlib.h>

#include "fs4.h"
#include "sha256.h"

#define BOOT2_WORDS_LEAST 4
#define BOOT2_WORDS_MOST 1048576
#define HASHES_MOST 0x4000

struct fs4_verification {
	struct image_view view, flash;
	struct image_check *check;
	uint32_t pointers[FS4_POINTER_COUNT];
	struct toc itoc, dtoc;
	uint8_t *image;			/* [0, end of the last section) */
	uint32_t end;
	uint32_t log2;			/* of the tools area */
	uint32_t divisor;		/* of IMAGE_INFO, where the DTOC is */
	bool stripped;
};

static void damaged(struct fs4_verification *v, const char *part, uint64_t where, const char *text)
{
	check_finding(v->check, IMAGE_DAMAGED, part, where, "%s", text);
}

static void unusual(struct fs4_verification *v, const char *part, uint64_t where, const char *text)
{
	check_finding(v->check, IMAGE_UNUSUAL, part, where, "%s", text);
}

static void part_crc(struct fs4_verification *v, const char *name, uint32_t type, uint64_t start,
		     uint64_t length, uint64_t crc_at, uint32_t expected, uint32_t found)
{
	struct image_part part = { .name = name, .type = type, .start = start, .length = length };

	if (expected != found)
		part.verdict = IMAGE_DAMAGED;
	check_part(v->check, &part);
	if (expected != found)
		check_compared(v->check, IMAGE_DAMAGED, name, crc_at, expected, found, _("wrong CRC"));
}

/* Whether [start, start + length) is inside the loaded image. */
static bool inside(const struct fs4_verification *v, uint64_t start, uint64_t length)
{
	return start <= v->end && length <= v->end - start;
}

static void check_start(struct fs4_verification *v)
{
	const uint8_t *image = v->image;
	uint32_t i;

	if (image[FS4_VERSION] != 1)
		check_compared(v->check, IMAGE_DAMAGED, "header", FS4_VERSION, 1, image[FS4_VERSION],
			       _("not the version byte of FS4"));
	if (get32(image + FS4_VERSION) != 0x01000100)
		check_compared(v->check, IMAGE_UNUSUAL, "header", FS4_VERSION, 0x01000100,
			       get32(image + FS4_VERSION), _("a version that no known image has"));
	if (get32(image + 0x14) != UINT32_MAX)
		check_compared(v->check, IMAGE_UNUSUAL, "header", 0x14, UINT32_MAX, get32(image + 0x14),
			       _("a word that is all ones elsewhere is not"));
	for (i = FS4_POINTERS_END; i < 0x100 && inside(v, i, 1) && image[i] == 0xff; i++)
		;
	if (i < 0x100)
		unusual(v, "header", i, _("bytes behind the hardware pointers are not blank"));
}

static void check_tools(struct fs4_verification *v)
{
	uint32_t at = v->pointers[FS4_TOOLS], bin;

	if (!inside(v, at, FS4_TOOLS_LENGTH)) {
		damaged(v, "TOOLS_AREA", at, _("it lies outside the image"));
		return;
	}
	part_crc(v, "TOOLS_AREA", 0, at, FS4_TOOLS_LENGTH, at + 0x3c, image_crc16(v->image + at, 0x3c),
		 get32(v->image + at + 0x3c));
	v->log2 = get32(v->image + at + 4) >> 16;
	bin = get32(v->image + at + 4) & 0xffff;
	if (bin >> 8 > 1 || v->log2 > 24)
		check_compared(v->check, IMAGE_DAMAGED, "TOOLS_AREA", at + 4, 0x00180100,
			       get32(v->image + at + 4), _("slot size or binary version is impossible"));
	else if (v->view.place.address && v->view.place.address != 1U << v->log2)
		check_compared(v->check, IMAGE_DAMAGED, "TOOLS_AREA", at + 4, 1U << v->log2,
			       v->view.place.address, _("an image with this slot size cannot start here"));
}

static void check_boot2(struct fs4_verification *v)
{
	uint32_t at = v->pointers[FS4_BOOT2], words;
	uint64_t crc_at;

	if (!inside(v, at, 16)) {
		damaged(v, "BOOT2", at, _("it lies outside the image"));
		return;
	}
	words = get32(v->image + at + 4);
	crc_at = at + 4 * (words + 3ULL);
	if (words < BOOT2_WORDS_LEAST || words > BOOT2_WORDS_MOST || !inside(v, crc_at, 4)) {
		check_compared(v->check, IMAGE_DAMAGED, "BOOT2", at + 4, BOOT2_WORDS_LEAST, words,
			       _("an impossible number of words"));
		return;
	}
	part_crc(v, "BOOT2", 0, at, crc_at + 4 - at, crc_at, image_crc16(v->image + at, crc_at - at),
		 get32(v->image + crc_at));
}

static void check_hashes(struct fs4_verification *v)
{
	uint32_t at = v->pointers[FS4_HASHES], length;

	if (!at)
		return;
	if (!inside(v, at, 12)) {
		damaged(v, "HASHES_TABLE", at, _("it lies outside the image"));
		return;
	}
	if (get32(v->image + at + 8) != image_crc16(v->image + at, 8)) {
		check_compared(v->check, IMAGE_DAMAGED, "HASHES_TABLE", at + 8, image_crc16(v->image + at, 8),
			       get32(v->image + at + 8), _("wrong CRC of its header"));
		return;
	}
	length = get32(v->image + at + 4);
	length = length < HASHES_MOST / 4 ? 4 * (length + 4) : 0;
	if (!length || !inside(v, at, length)) {
		damaged(v, "HASHES_TABLE", at + 4, _("an impossible size"));
		return;
	}
	part_crc(v, "HASHES_TABLE", 0, at, length, at + length - 4, image_crc16(v->image + at, length - 4),
		 get32(v->image + at + length - 4));
}

/* Header and entries of a table; false: it cannot be trusted. */
static bool check_toc(struct fs4_verification *v, const struct toc *toc, const char *name)
{
	bool good = true;
	unsigned int i;

	part_crc(v, name, 0, toc->address, TOC_HEADER, toc->address + 0x1c, toc->computed_crc,
		 toc->stored_crc);
	for (i = 0; i < toc->count; i++) {
		const struct toc_section *section = &toc->sections[i];

		if (section->stored_crc == section->computed_crc)
			continue;
		check_compared(v->check, IMAGE_DAMAGED, name, section->where + 0x1c, section->computed_crc,
			       section->stored_crc, _("entry %u has a wrong CRC"), i);
		good = false;
	}
	if (!toc->ended) {
		damaged(v, name, toc->address, _("the table has no end"));
		good = false;
	}
	return good;
}

/* The CRC of a section's bytes, by the mode that its entry says. */
static void check_section_crc(struct fs4_verification *v, const struct toc_section *section,
			      const uint8_t *bytes)
{
	const char *name = section_type_name(section->type);
	struct image_part part = {
		.name = name,
		.type = section->type,
		.start = section->address,
		.length = section->size,
		.crc_ignored = true,
	};
	uint32_t size = section->size;

	switch (section->crc_mode) {
	case TOC_CRC_IN_ENTRY:
		if (section->encrypted)
			break;
		part_crc(v, name, section->type, section->address, size, section->where + 0x18,
			 image_crc16(bytes, size), section->crc);
		return;
	case TOC_CRC_IN_SECTION:
		if (size < 8)
			break;
		part_crc(v, name, section->type, section->address, size, section->address + size - 4,
			 image_crc16(bytes, size - 4), get32(bytes + size - 4));
		return;
	case TOC_CRC_NONE:
		break;
	default:
		check_compared(v->check, IMAGE_UNUSUAL, name, section->where + 0x18, TOC_CRC_NONE,
			       section->crc_mode, _("an unknown kind of CRC"));
	}
	check_part(v->check, &part);
}

/* Rising addresses, no overlap, blank gaps. */
static void check_order(struct fs4_verification *v)
{
	const struct toc_section *section, *before = NULL;
	uint32_t i, byte;

	for (i = 0; i < v->itoc.count; i++, before = section) {
		section = &v->itoc.sections[i];
		if (!before)
			continue;
		if (section->address < before->address + before->size) {
			check_compared(v->check, IMAGE_DAMAGED, section_type_name(section->type),
				       section->where + 0x14, before->address + before->size,
				       section->address, _("it overlaps the section before it, or stands before it"));
			continue;
		}
		for (byte = before->address + before->size; byte < section->address; byte++)
			if (v->image[byte] != 0xff)
				break;
		if (byte < section->address)
			unusual(v, section_type_name(before->type), byte, _("the gap behind it is not blank"));
	}
	if (v->itoc.count && v->itoc.sections[0].address < v->itoc.address + TOC_HEADER +
			     (v->itoc.count + 1) * TOC_ENTRY)
		damaged(v, "ITOC", v->itoc.address, _("the first section overlaps the table"));
}

static bool all_bytes(const uint8_t *bytes, size_t length, uint8_t value)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

/*
 * Message of the plain digest: the magic, the signature section with its entry and the gaps
 * count as all ones.
 */
static void plain_digest(const struct fs4_verification *v, const struct toc_section *signature,
			 uint8_t *copy, uint8_t digest[32])
{
	uint32_t i, byte, from;

	memcpy(copy, v->image, v->end);
	memset(copy, 0xff, IMAGE_MAGIC_LENGTH);
	memset(copy + signature->address, 0xff, signature->size);
	memset(copy + signature->where, 0xff, TOC_ENTRY);
	for (i = 0; i + 1 < v->itoc.count; i++) {
		from = v->itoc.sections[i].address + v->itoc.sections[i].size;
		for (byte = from; byte < v->itoc.sections[i + 1].address; byte++)
			copy[byte] = 0xff;
	}
	image_sha256(copy, v->end, digest);
}

static void check_digest(struct fs4_verification *v)
{
	const struct toc_section *signature = toc_find(&v->itoc, SECTION_SIGNATURE_256, 0);
	uint8_t digest[32], *copy;
	const uint8_t *stored;

	if (!signature || signature->size < 0x40)
		return;
	stored = v->image + signature->address + 0x20;
	/* A signature carries the identity of its key; nothing at all is stored when blank. */
	if (!all_bytes(v->image + signature->address, 0x20, 0) || all_bytes(stored, 32, 0) ||
	    all_bytes(stored, 32, 0xff))
		return;
	copy = malloc(v->end);
	if (!copy)
		return;
	plain_digest(v, signature, copy, digest);
	free(copy);
	if (memcmp(digest, stored, sizeof(digest)))
		check_compared(v->check, IMAGE_DAMAGED, section_type_name(SECTION_SIGNATURE_256),
			       signature->address + 0x20, get32(digest), get32(stored),
			       _("the digest is not that of the image (first words compared)"));
}

static void check_info(struct fs4_verification *v)
{
	const struct toc_section *section = toc_find(&v->itoc, SECTION_IMAGE_INFO, 0);
	const char *name = section_type_name(SECTION_IMAGE_INFO);
	const uint8_t *info;

	if (!section || section->size < IMAGE_INFO_LENGTH) {
		damaged(v, name, v->itoc.address, _("the section is missing or too short"));
		return;
	}
	info = v->image + section->address;
	v->divisor = info[0x112];
	if (info[0])
		check_compared(v->check, IMAGE_DAMAGED, name, section->address, 0, info[0],
			       _("unknown major version"));
	if (!info[0x24])
		damaged(v, name, section->address + 0x24, _("the PSID is missing"));
	if (info[0x10b] != v->log2)
		check_compared(v->check, IMAGE_UNUSUAL, name, section->address + 0x108, v->log2, info[0x10b],
			       _("the slot size is not that of the tools area"));
	if (v->pointers[FS4_IMAGE_INFO_POINTER] && v->pointers[FS4_IMAGE_INFO_POINTER] != section->address)
		check_compared(v->check, IMAGE_DAMAGED, name, FS4_POINTERS + 8 * FS4_IMAGE_INFO_POINTER,
			       section->address, v->pointers[FS4_IMAGE_INFO_POINTER],
			       _("the hardware pointer does not lead to it"));
}

static void check_image(struct fs4_verification *v)
{
	unsigned int i;

	check_start(v);
	check_tools(v);
	check_boot2(v);
	check_hashes(v);
	if (!check_toc(v, &v->itoc, "ITOC_HEADER"))
		return;
	for (i = 0; i < v->itoc.count; i++)
		check_section_crc(v, &v->itoc.sections[i], v->image + v->itoc.sections[i].address);
	check_order(v);
	check_info(v);
	if (v->check->worst != IMAGE_DAMAGED)
		check_digest(v);
}

static int check_device_section(struct fs4_verification *v, const struct toc_section *section,
				unsigned int *valid_dev_infos, struct image_error *error)
{
	const char *name = section_type_name(section->type);
	uint64_t image_end = (uint64_t)v->view.place.address + v->end;
	uint8_t *bytes;
	int code;

	if (section->address < image_end && section->address + section->size > v->view.place.address) {
		damaged(v, name, section->where, _("the device data overlaps the image"));
		return 0;
	}
	if (section->address + (uint64_t)section->size > v->flash.reader->size) {
		damaged(v, name, section->where, _("it lies outside the flash"));
		return 0;
	}
	bytes = malloc(section->size + 1);
	if (!bytes)
		return image_fail(error, -ENOMEM, 0, _("no memory for a section of %u bytes"), section->size);
	code = view_read(&v->flash, section->address, bytes, section->size, error);
	if (!code && section->type == SECTION_DEV_INFO && section->size >= DEV_INFO_LENGTH &&
	    !dev_info_valid(bytes)) {
		/* The copy that does not count is not checked, unless it claims to count. */
		if (dev_info_signed(bytes))
			check_section_crc(v, section, bytes);
	} else if (!code) {
		*valid_dev_infos += section->type == SECTION_DEV_INFO;
		check_section_crc(v, section, bytes);
	}
	free(bytes);
	return code;
}

static int check_device_data(struct fs4_verification *v, struct image_error *error)
{
	uint64_t address = fs4_dtoc_address(v->flash.reader->size, v->divisor);
	unsigned int i, dev_infos = 0;
	int code;

	code = toc_read(&v->flash, address, "DTOC", &v->dtoc, error);
	if (code)
		return code;
	if (!v->dtoc.present) {
		damaged(v, "DTOC_HEADER", address, _("there is no table of the device data"));
		return 0;
	}
	if (!check_toc(v, &v->dtoc, "DTOC_HEADER"))
		return 0;
	for (i = 0; i < v->dtoc.count && !code; i++)
		code = check_device_section(v, &v->dtoc.sections[i], &dev_infos, error);
	if (code)
		return code;
	if (dev_infos != 1)
		check_compared(v->check, IMAGE_DAMAGED, "DEV_INFO", v->dtoc.address, 1, dev_infos,
			       _("exactly one copy must be valid"));
	if (!toc_find(&v->dtoc, SECTION_MFG_INFO, 0))
		damaged(v, "MFG_INFO", v->dtoc.address, _("the section is missing"));
	return 0;
}

/* Loads [0, end); bounds are checked first, so that nobody needs to later. */
static int load(struct fs4_verification *v, struct image_error *error)
{
	uint64_t room = view_size(&v->view), least = v->itoc.address + TOC_HEADER, end;

	end = toc_end(&v->itoc);
	v->end = end > least ? end : least;
	if (v->end > room) {
		check_compared(v->check, IMAGE_DAMAGED, "ITOC", v->itoc.address, room, v->end,
			       _("a section lies outside the image's place"));
		return -EBADMSG;
	}
	v->image = malloc(v->end);
	if (!v->image)
		return image_fail(error, -ENOMEM, 0, _("no memory for an image of %u bytes"), v->end);
	return view_read(&v->view, 0, v->image, v->end, error);
}

/*
 * No table of contents: an encrypted image, of which only IMAGE_INFO is to be seen, or one
 * that was cut or overwritten.
 */
static int check_encrypted(struct fs4_verification *v, struct image_error *error)
{
	struct image_error why = { 0 };
	struct image_facts facts = { 0 };
	int code;

	code = fs4_facts(v->view.reader, &v->view.place, IMAGE_NO_ROM, &facts, &why);
	if (code && code != -EBADMSG) {
		if (error)
			*error = why;
		return code;
	}
	if (code)
		damaged(v, "ITOC", why.where, why.text);
	else if (!facts.length)
		check_compared(v->check, IMAGE_DAMAGED, "IMAGE_INFO",
			       v->pointers[FS4_IMAGE_INFO_POINTER] + 0x12c, view_size(&v->view), 0,
			       _("the encrypted image does not say how long it is"));
	else
		unusual(v, "ITOC", v->pointers[FS4_ITOC],
			_("the image is encrypted: its sections cannot be checked"));
	return 0;
}

int fs4_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	struct fs4_verification v = { .view = { reader, *place }, .check = check };
	struct image_error why = { 0 };
	int code;

	v.flash = fs4_flash_view(&v.view);
	code = fs4_pointers(&v.view, v.pointers, &why);
	if (!code)
		code = fs4_itoc(&v.view, v.pointers, &v.itoc, &why);
	if (code == -EBADMSG) {
		check_finding(check, IMAGE_DAMAGED, "HW_POINTERS", why.where, "%s", why.text);
		return 0;
	}
	if (code) {
		if (error)
			*error = why;
		return code;
	}
	if (!v.itoc.present)
		return check_encrypted(&v, error);
	code = load(&v, error);
	if (!code) {
		check_image(&v);
		v.stripped = place->layout == IMAGE_LAYOUT_FILE && reader->size <= place->address + v.end;
		if (!v.stripped)
			code = check_device_data(&v, error);
	}
	free(v.image);
	/* Damage was reported as a finding. */
	return code == -EBADMSG ? 0 : code;
}
