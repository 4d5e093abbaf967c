// SPDX-License-Identifier: GPL-2.0-only
/* FS3's device data, gaps and the end of the file: firmware-images.md 3.6, 3.7, 9.4. */
#include <errno.h>

#include "fs3_verify.h"

#define UID_ENTRY 0x10
#define DEV_INFO_CRC 0x1fc	/* of FS4; FS3 leaves it 0 */

static uint64_t section_end(const struct toc_section *section)
{
	return (uint64_t)section->address + section->size;
}

/* Both images' places and the other sections stay clear of it. */
static void check_overlap(struct fs3_verification *v, const struct toc_section *section, uint64_t before_end)
{
	uint64_t start = v->view.place.address, end = start + v->end;
	const char *name = section_type_name(section->type);

	if (section->size && section->address < end && section_end(section) > start)
		check_finding(v->check, IMAGE_DAMAGED, name, section->where,
			      _("the device data overlaps the image"));
	else if (section->address < before_end)
		check_compared(v->check, IMAGE_DAMAGED, name, section->where + 0x14, before_end,
			       section->address, _("it overlaps what is before it, or stands before it"));
}

static int check_gap(struct fs3_verification *v, const char *before, uint64_t start, uint64_t end,
		     struct image_error *error)
{
	if (v->view.place.layout != IMAGE_LAYOUT_FILE)
		return 0;
	return fs3_blank(v, &v->flash, before, start, end, error);
}

/* *end: of what the file holds. */
static int check_sections(struct fs3_verification *v, uint64_t *end, struct image_error *error)
{
	uint64_t image_end = (uint64_t)v->view.place.address + v->end, before_end = 0;
	const struct toc_section *section;
	const char *before = "image";
	unsigned int i;
	int code = 0;

	for (i = 0; i < v->itoc.count && !code; i++) {
		section = &v->itoc.sections[i];
		if (!section->device_data)
			continue;
		check_overlap(v, section, before_end);
		code = section_verify(v->check, &v->flash, section, error);
		if (!code)
			code = check_gap(v, before, before_end ? before_end : image_end, section->address,
					 error);
		before = section_type_name(section->type);
		before_end = section_end(section);
	}
	*end = before_end > image_end ? before_end : image_end;
	return code;
}

/* Exactly one section of a type, with the bytes that its structure has. */
static const struct toc_section *only_section(struct fs3_verification *v, uint32_t type, uint32_t size)
{
	const struct toc_section *section = toc_find(&v->itoc, type, 0);
	const char *name = section_type_name(type);

	if (!section) {
		check_finding(v->check, IMAGE_DAMAGED, name, v->itoc.address, _("the section is missing"));
		return NULL;
	}
	if (toc_find(&v->itoc, type, 1))
		check_finding(v->check, IMAGE_DAMAGED, name, section->where,
			      _("there are several such sections"));
	if (section->size != size) {
		check_compared(v->check, IMAGE_DAMAGED, name, section->where, size, section->size,
			       _("the section has an impossible size"));
		return NULL;
	}
	if (!section->device_data || section->crc_mode != TOC_CRC_IN_ENTRY)
		check_finding(v->check, IMAGE_UNUSUAL, name, section->where + 0x18,
			      _("it is not marked as device data with a CRC"));
	return view_holds(&v->flash, section->address, size) ? section : NULL;
}

/* The ids of one block: MACs of one station each, no ids without a number. */
static void check_ids(struct fs3_verification *v, const struct toc_section *section, const uint8_t *block,
		      bool by_port)
{
	const char *name = section_type_name(section->type);
	unsigned int i, entries = by_port ? 4 : 2;
	const uint8_t *entry;
	uint64_t uid;

	for (i = 0; i < entries; i++) {
		entry = block + i * UID_ENTRY;
		uid = get64(entry + 8);
		if (uid && !entry[1] && !entry[3])
			check_finding(v->check, IMAGE_UNUSUAL, name,
				      section->address + FS3_IDS + i * UID_ENTRY,
				      _("ids are given, but not how many"));
		if (i >= entries / 2 && (uid >> 48 || uid >> 40 & 1))
			check_finding(v->check, IMAGE_UNUSUAL, name,
				      section->address + FS3_IDS + i * UID_ENTRY + 8,
				      _("MAC 0x%llx is not the address of one station"),
				      (unsigned long long)uid);
	}
}

/* The section and its first bytes; *section is NULL when it was found wanting. */
static int read_only_section(struct fs3_verification *v, uint32_t type, uint8_t *bytes, size_t length,
			     const struct toc_section **section, struct image_error *error)
{
	*section = only_section(v, type, length);
	return *section ? view_read(&v->flash, (*section)->address, bytes, length, error) : 0;
}

static int check_dev_info(struct fs3_verification *v, bool *by_port, struct image_error *error)
{
	const char *name = section_type_name(SECTION_DEV_INFO);
	const struct toc_section *section;
	uint8_t info[DEV_INFO_LENGTH];
	int code = read_only_section(v, SECTION_DEV_INFO, info, sizeof(info), &section, error);

	if (code || !section)
		return code;
	*by_port = info[FS3_DEV_MAJOR] == 1;
	if (!dev_info_signed(info))
		check_finding(v->check, IMAGE_DAMAGED, name, section->address,
			      _("it does not begin with its signature"));
	if (info[FS3_DEV_MAJOR] != 1 && info[FS3_DEV_MAJOR] != 2)
		check_compared(v->check, IMAGE_DAMAGED, name, section->address + FS3_DEV_MAJOR, 2,
			       info[FS3_DEV_MAJOR], _("unknown major version"));
	if (get32(info + DEV_INFO_CRC))
		check_compared(v->check, IMAGE_UNUSUAL, name, section->address + DEV_INFO_CRC, 0,
			       get32(info + DEV_INFO_CRC), _("a word that is always zero is not"));
	check_ids(v, section, info + FS3_IDS, *by_port);
	return 0;
}

static int check_mfg_info(struct fs3_verification *v, bool by_port, struct image_error *error)
{
	const char *name = section_type_name(SECTION_MFG_INFO);
	const struct toc_section *section;
	uint8_t info[MFG_INFO_LENGTH];
	int code = read_only_section(v, SECTION_MFG_INFO, info, sizeof(info), &section, error);

	if (code || !section)
		return code;
	if (info[FS3_MFG_MAJOR] > 1)
		check_compared(v->check, IMAGE_DAMAGED, name, section->address + FS3_MFG_MAJOR, 1,
			       info[FS3_MFG_MAJOR], _("unknown major version"));
	else if (by_port != !info[FS3_MFG_MAJOR])
		check_compared(v->check, IMAGE_UNUSUAL, name, section->address + FS3_MFG_MAJOR, !by_port,
			       info[FS3_MFG_MAJOR], _("DEV_INFO counts ids in another way"));
	if (!info[0])
		check_finding(v->check, IMAGE_UNUSUAL, name, section->address, _("the PSID is missing"));
	check_ids(v, section, info + FS3_IDS, !info[FS3_MFG_MAJOR]);
	return 0;
}

/* A file ends with its last section; blank bytes may fill it up. */
static int check_tail(struct fs3_verification *v, uint64_t end, struct image_error *error)
{
	uint64_t size = v->view.reader->size, found;
	int code;

	if (v->view.place.layout != IMAGE_LAYOUT_FILE)
		return 0;
	if (size & 3)
		check_finding(v->check, IMAGE_UNUSUAL, "file", size, _("its length is not a multiple of 4"));
	if (end >= (size & ~3ULL))
		return 0;
	code = view_blank(&v->flash, end, (size & ~3ULL) - end, &found, error);
	if (!code && found < (size & ~3ULL))
		check_finding(v->check, IMAGE_UNUSUAL, "file", found,
			      _("there is something behind the end of the image"));
	return code;
}

int fs3_device_verify(struct fs3_verification *v, struct image_error *error)
{
	bool by_port = false;
	uint64_t end;
	int code;

	code = check_sections(v, &end, error);
	if (!code)
		code = check_tail(v, end, error);
	if (code)
		return code;
	if (v->view.place.layout == IMAGE_LAYOUT_FILE && !fs3_has_device_data(&v->itoc))
		return 0;	/* stripped */
	code = check_dev_info(v, &by_port, error);
	return code ? code : check_mfg_info(v, by_port, error);
}
