// SPDX-License-Identifier: GPL-2.0-only
/* Edits of FS4, and of the device data of FS5: firmware-images.md 4.4, 6, 6.1. */
#include <errno.h>
#include <stdlib.h>

#include "edit_parts.h"
#include "fs4.h"

static uint32_t pointer(const struct editor *e, enum fs4_pointer which)
{
	uint32_t value = get32(e->out + FS4_POINTERS + 8 * which);

	return value == UINT32_MAX ? 0 : value;
}

/* ---- device data ---- */

struct copies {
	struct editor *e;
	uint64_t valid, other;		/* addresses */
	unsigned int valid_count, other_count;
};

static int find_copies(void *context, const struct image_section *section)
{
	struct copies *copies = context;

	if (!section->device_data || section->type != SECTION_DEV_INFO || section->length < DEV_INFO_LENGTH ||
	    section->start > copies->e->length || copies->e->length - section->start < DEV_INFO_LENGTH)
		return 0;
	if (dev_info_valid(copies->e->out + section->start)) {
		copies->valid = section->start;
		copies->valid_count++;
	} else if (!copies->other_count++) {
		copies->other = section->start;
	}
	return 0;
}

/* The whole valid copy goes, changed, over the other; then the old one's first dword goes. */
static int edit_device(struct editor *e)
{
	struct image_memory memory = { e->out, e->length };
	struct image_reader reader = image_memory_reader(&memory);
	struct copies copies = { .e = e };
	uint8_t *info;
	int code;

	code = image_sections(&reader, &e->facts->place, find_copies, &copies, e->error);
	if (code)
		return code;
	if (copies.valid_count != 1 || !copies.other_count)
		return image_fail(e->error, -EBADMSG, copies.valid,
				  _("the device data has not one valid and one other copy of DEV_INFO"));
	info = e->out + copies.other;
	memcpy(info, e->out + copies.valid, DEV_INFO_LENGTH);
	code = edit_dev_info(e, info, copies.other);
	put32(info + 0x1fc, image_crc16(info, 0x1fc));
	put32(e->out + copies.valid, 0);
	return code;
}

/* ---- ROM ---- */

/* Pointers to the end of authenticated or mapped bytes: how they would move is not public. */
static int check_end_pointers(struct toc_editor *t)
{
	static const unsigned int ends[] = { 5, 9 };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sections_end(t) != t->old_end && pointer(t->e, ends[i]) == t->old_end)
			return image_fail(t->e->error, -EOPNOTSUPP, FS4_POINTERS + 8 * ends[i],
					  _("hardware pointer %u is the image's end: how it moves is not known"),
					  ends[i]);
	return 0;
}

/* Behind all others; the INI has its new length before. */
static int add_rom(struct toc_editor *t)
{
	const struct image_edit *edit = t->e->edit;
	uint32_t address = sections_end(t);
	uint8_t entry[TOC_ENTRY] = { SECTION_ROM_CODE };
	int code;

	code = claim(t, (uint64_t)address + edit->rom_length);
	if (code)
		return code;
	memcpy(t->e->out + address, edit->rom, edit->rom_length);
	entry_place(entry, edit->rom_length, address);
	entry_seal(t, entry);
	return entry_insert(t, t->count, entry);
}

/* The old one leaves a hole: nothing else moves. */
static int remove_rom(struct toc_editor *t)
{
	int at = entry_find(t, SECTION_ROM_CODE);

	if (t->e->edit->rom_edit == IMAGE_ROM_KEEP)
		return 0;
	if (t->hashes)
		return image_fail(t->e->error, -EOPNOTSUPP, t->hashes,
				  _("how a ROM enters the hashes table is not public: no ROM edit here"));
	if (at >= 0) {
		memset(t->e->out + entry_address(t->entries[at]), 0xff, entry_size(t->entries[at]));
		entry_remove(t, at);
	}
	return 0;
}

/* The table at either of its places. */
static int find_itoc(struct editor *e, const struct image_view *view, struct toc *toc, uint32_t *hashes)
{
	uint32_t pointers[FS4_POINTER_COUNT];
	int code = fs4_pointers(view, pointers, e->error);

	if (!code)
		code = fs4_itoc(view, pointers, toc, e->error);
	if (!code && !toc->present)
		code = image_fail(e->error, -EPERM, pointers[FS4_ITOC],
				  _("the image is encrypted: what is inside cannot be changed"));
	if (!code)
		*hashes = pointer(e, FS4_HASHES);
	return code;
}

static int edit_firmware(struct editor *e)
{
	struct toc_editor *t;
	int code = toc_editor_open(e, find_itoc, &t);

	if (!code)
		code = remove_rom(t);
	if (!code)
		code = toc_editor_texts(t);
	if (!code && e->edit->rom_edit == IMAGE_ROM_REPLACE)
		code = add_rom(t);
	if (!code)
		code = toc_editor_finish(t);
	if (!code)
		code = check_end_pointers(t);
	free(t);
	return code;
}

int fs4_edit_image(struct editor *e)
{
	int code = edit_of_device_data(e->edit) ? edit_device(e) : 0;

	if (!code && edit_of_firmware(e->edit))
		code = edit_firmware(e);
	return code;
}
