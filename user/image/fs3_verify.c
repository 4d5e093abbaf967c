// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS3, every check that bytes allow. The vendor's tool never looks at the CRC of the header, at
 * gaps or at the digest: firmware-images.md 3, 9.4.
 */
#include <errno.h>

#include "fs2.h"
#include "fs3.h"
#include "fs3_verify.h"
#include "ini_verify.h"

#define TOC_SIGNATURE_REST 12	/* behind the name */

static void header_words(struct fs3_verification *v, const uint8_t *header)
{
	uint32_t log2 = header[FS3_LOG2];
	unsigned int i;

	if (header[FS3_VERSION] != 3)
		check_compared(v->check, IMAGE_DAMAGED, "header", FS3_VERSION, 3, header[FS3_VERSION],
			       _("not the version byte of FS3"));
	if (log2 > FS3_LOG2_MOST || (log2 && log2 < FS3_LOG2_LEAST))
		check_compared(v->check, IMAGE_DAMAGED, "header", FS3_LOG2, FS3_LOG2_DEFAULT, log2,
			       _("the size of a slot is impossible"));
	v->log2 = log2;
	if (v->view.place.misplaced)
		check_finding(v->check, IMAGE_DAMAGED, "header", FS3_LOG2,
			      _("an image with this slot size cannot start at 0x%x"), v->view.place.address);
	for (i = FS3_RESERVED; i < FS3_HEADER_CRC && !header[i]; i++)
		;
	if (i < FS3_HEADER_CRC)
		check_finding(v->check, IMAGE_UNUSUAL, "header", i, _("a byte that is always zero is not"));
}

/* Always over the true magic, also where a container masked it. */
static int check_header(struct fs3_verification *v, struct image_error *error)
{
	struct image_part part = { .name = "header", .length = FS3_BOOT2 };
	uint8_t header[FS3_BOOT2];
	uint32_t expected, found;
	int code;

	code = view_read(&v->view, 0, header, sizeof(header), error);
	if (code)
		return code;
	if (memcmp(header, fs2_magic, sizeof(fs2_magic)))
		check_finding(v->check, IMAGE_DAMAGED, "header", 0, _("the magic is not that of FS3"));
	memcpy(header, fs2_magic, sizeof(fs2_magic));
	expected = image_crc16(header, FS3_HEADER_CRC);
	found = get32(header + FS3_HEADER_CRC);
	part.verdict = expected == found ? IMAGE_GOOD : IMAGE_DAMAGED;
	check_part(v->check, &part);
	if (expected != found)
		check_compared(v->check, IMAGE_DAMAGED, "header", FS3_HEADER_CRC, expected, found,
			       _("wrong CRC"));
	if (!fs3_binary_known(header[FS3_BINARY], header[FS3_BINARY + 1])) {
		check_finding(v->check, IMAGE_DAMAGED, "header", FS3_BINARY,
			      _("the binary version is %u.%u, 1.1 and later ones of 1 are known"),
			      header[FS3_BINARY], header[FS3_BINARY + 1]);
		return -EBADMSG;
	}
	header_words(v, header);
	return 0;
}

static int check_boot2(struct fs3_verification *v, struct image_error *error)
{
	uint32_t length, crc_at;
	uint8_t load[4], entry[4];
	int code;

	code = fs3_boot2_length(&v->view, &length, error);
	if (code)
		return code;
	crc_at = FS3_BOOT2 + length - 4;
	code = verify_crc(v->check, &v->view, "BOOT2", 0, FS3_BOOT2, length, crc_at, crc_at, error);
	if (!code)
		code = view_read(&v->view, FS3_BOOT2, load, sizeof(load), error);
	if (!code)
		code = view_read(&v->view, crc_at - 4, entry, sizeof(entry), error);
	if (!code && get32(entry) != get32(load) + 4)
		check_compared(v->check, IMAGE_UNUSUAL, "BOOT2", crc_at - 4, get32(load) + 4, get32(entry),
			       _("the entry address is not the load address + 4"));
	v->boot2_end = FS3_BOOT2 + length;
	return code;
}

int fs3_blank(struct fs3_verification *v, const struct image_view *view, const char *part, uint64_t start,
	      uint64_t end, struct image_error *error)
{
	uint64_t found;
	int code;

	if (end <= start || !view_holds(view, start, end - start))
		return 0;
	code = view_blank(view, start, end - start, &found, error);
	if (!code && found < end)
		check_finding(v->check, IMAGE_UNUSUAL, part, found, _("the gap behind it is not blank"));
	return code;
}

/* On a flash the table that was used before stands there, its first dword programmed to 0. */
static int is_dead_table(struct fs3_verification *v, uint64_t at, bool *dead, struct image_error *error)
{
	uint8_t live[TOC_HEADER], other[TOC_HEADER];
	int code;

	code = view_read(&v->view, v->itoc.address, live, sizeof(live), error);
	if (!code)
		code = view_read(&v->view, at, other, sizeof(other), error);
	*dead = !code && !get32(other) && !memcmp(other + 4, live + 4, TOC_SIGNATURE_REST);
	return code;
}

/* The sector that the table is not in, when it is kept for it. */
static int check_other_sector(struct fs3_verification *v, struct image_error *error)
{
	uint32_t other = v->place_at + (v->itoc.address == v->place_at ? FS3_SECTOR : 0);
	bool dead = false;
	int code = 0;

	if (v->first < other + FS3_SECTOR)
		return 0;
	if (v->view.place.layout == IMAGE_LAYOUT_FLASH)
		code = is_dead_table(v, other, &dead, error);
	if (code || dead)
		return code;
	return fs3_blank(v, &v->view, "ITOC", other, other + FS3_SECTOR, error);
}

static uint32_t first_section(const struct toc *toc)
{
	uint32_t first = UINT32_MAX;
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (!toc->sections[i].device_data && toc->sections[i].address < first)
			first = toc->sections[i].address;
	return first;
}

static int check_sections(struct fs3_verification *v, struct image_error *error)
{
	uint64_t least = v->itoc.address + TOC_HEADER + (v->itoc.count + 1) * TOC_ENTRY;
	const struct toc_section *section;
	unsigned int i;
	int code = 0;

	for (i = 0; i < v->itoc.count && !code; i++) {
		section = &v->itoc.sections[i];
		if (section->relative == section->device_data)
			check_finding(v->check, IMAGE_UNUSUAL, section_type_name(section->type),
				      section->where + 0x14, section->relative ?
				      _("its address counts from the image, not from the flash") :
				      _("its address counts from the flash, not from the image"));
		if (!section->device_data)
			code = section_verify(v->check, &v->view, section, error);
	}
	/* The table's place, which only the table's checks look into. */
	if (least < v->place_at + FS3_TOC_PLACE && v->first >= v->place_at + FS3_TOC_PLACE)
		least = v->place_at + FS3_TOC_PLACE;
	if (!code)
		code = order_verify(v->check, &v->view, &v->itoc, least, error);
	return code ? code : check_other_sector(v, error);
}

static int check_table(struct fs3_verification *v, bool *good, struct image_error *error)
{
	int code;

	code = fs3_itoc(&v->view, &v->itoc, &v->place_at, error);
	if (code)
		return code;
	if (!v->itoc.present)
		return image_fail(error, -EBADMSG, v->place_at,
				  _("there is no table of contents from 0x%x on"), v->place_at);
	code = fs3_blank(v, &v->view, "BOOT2", v->boot2_end, v->place_at, error);
	v->first = first_section(&v->itoc);
	v->end = toc_end(&v->itoc);
	return code ? code : toc_verify(v->check, &v->view, &v->itoc, "ITOC_HEADER", good, error);
}

/* What needs a whole image to make sense. */
static int check_meaning(struct fs3_verification *v, struct image_error *error)
{
	struct image_facts facts;
	int code;

	code = image_facts(v->view.reader, &v->view.place, IMAGE_NO_ROM, &facts, error);
	if (!code)
		code = digest_verify(v->check, &v->view, &v->itoc, &facts, error);
	return code ? code : ini_verify(v->check, &v->view, facts.psid, error);
}

static int check_image(struct fs3_verification *v, struct image_error *error)
{
	bool good;
	int code;

	code = check_header(v, error);
	if (!code)
		code = check_boot2(v, error);
	if (!code)
		code = check_table(v, &good, error);
	if (code || !good)
		return code;
	code = check_sections(v, error);
	if (!code)
		code = info_verify(v->check, &v->view, &v->itoc, v->log2, error);
	if (!code)
		code = fs3_device_verify(v, error);
	if (!code && v->check->worst != IMAGE_DAMAGED)
		code = check_meaning(v, error);
	return code;
}

int fs3_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error)
{
	struct fs3_verification v = { .view = { reader, *place }, .check = check };
	struct image_error why = { 0 };
	int code;

	v.flash = fs3_flash_view(&v.view);
	code = check_image(&v, &why);
	if (code == -EBADMSG) {
		/* What has no text was told already. */
		if (why.text[0])
			check_finding(check, IMAGE_DAMAGED, "image", why.where, "%s", why.text);
		return 0;
	}
	if (code && error)
		*error = why;
	return code;
}
