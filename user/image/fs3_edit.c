// SPDX-License-Identifier: GPL-2.0-only
/* Edits of FS3: firmware-images.md 3.7, 6, 6.1. */
#include <errno.h>
#include <stdlib.h>

#include "edit_parts.h"
#include "fs3.h"

#define ALIGN 0x1000U

static uint32_t aligned(uint32_t size)
{
	return (size + ALIGN - 1) & ~(ALIGN - 1);
}

/* What a ROM that goes leaves, and what sections that move leave, becomes blank. */
static void blank_out(struct toc_editor *t, uint64_t from, uint64_t to)
{
	if (to > t->e->length)
		to = t->e->length;
	if (from < to)
		memset(t->e->out + from, 0xff, to - from);
}

static void shift_entry(uint8_t *entry, int64_t by)
{
	entry_place(entry, entry_size(entry), entry_address(entry) + by);
	put32(entry + 0x1c, image_crc16(entry, 0x1c));
}

/* All image sections from start on move by that many bytes, what is between them with them. */
static int shift_sections(struct toc_editor *t, uint32_t start, int64_t by)
{
	uint32_t end = sections_end(t);
	unsigned int i;
	int code;

	if (!by || start >= end)
		return 0;
	code = claim(t, end + by);
	if (code)
		return code;
	memmove(t->e->out + start + by, t->e->out + start, end - start);
	for (i = 0; i < t->count; i++)
		if (!entry_is_device(t, i) && entry_address(t->entries[i]) >= start)
			shift_entry(t->entries[i], by);
	if (by < 0)
		blank_out(t, end + by, end);
	return 0;
}

static void put_rom(struct toc_editor *t, uint8_t *entry, uint32_t address)
{
	const struct image_edit *edit = t->e->edit;

	memcpy(t->e->out + address, edit->rom, edit->rom_length);
	entry_place(entry, edit->rom_length, address);
	entry_seal(t, entry);
}

/* Before PCI_CODE, whose place it takes and whose entry is its model. */
static int add_rom(struct toc_editor *t)
{
	int at = entry_find(t, SECTION_PCI_CODE), code;
	uint8_t entry[TOC_ENTRY];
	uint32_t address;

	if (at < 0)
		return image_fail(t->e->error, -EINVAL, t->itoc,
				  _("the image has no section PCI_CODE, before which a ROM would stand"));
	memcpy(entry, t->entries[at], TOC_ENTRY);
	entry[0] = SECTION_ROM_CODE;
	address = entry_address(entry);
	code = shift_sections(t, address, aligned(t->e->edit->rom_length));
	if (!code)
		code = entry_insert(t, at, entry);
	if (code)
		return code;
	blank_out(t, address, address + aligned(t->e->edit->rom_length));
	put_rom(t, t->entries[at], address);
	return 0;
}

static int replace_rom(struct toc_editor *t, unsigned int at)
{
	uint8_t *entry = t->entries[at];
	uint32_t address = entry_address(entry), old = entry_size(entry), size = t->e->edit->rom_length;
	int code;

	if (size > old) {
		code = shift_sections(t, address + old, aligned(size - old));
		if (!code)
			code = claim(t, (uint64_t)address + size);
		if (code)
			return code;
	}
	if (address + old < sections_end(t))
		blank_out(t, address + old, (uint64_t)address + old + (size > old ? aligned(size - old) : 0));
	blank_out(t, address, address + old);
	put_rom(t, entry, address);
	return 0;
}

/* Later sections close up, but not beyond where the ROM began. */
static int remove_rom(struct toc_editor *t, unsigned int at)
{
	uint32_t start = entry_address(t->entries[at]), size = entry_size(t->entries[at]);
	uint32_t next = UINT32_MAX, by = aligned(size);
	unsigned int i;

	entry_remove(t, at);
	blank_out(t, start, start + size);
	for (i = 0; i < t->count; i++)
		if (!entry_is_device(t, i) && entry_address(t->entries[i]) >= start + size &&
		    entry_address(t->entries[i]) < next)
			next = entry_address(t->entries[i]);
	if (next == UINT32_MAX)
		return 0;
	if (by > next - start)
		by = (next - start) & ~(ALIGN - 1);
	return shift_sections(t, next, -(int64_t)by);
}

static int edit_rom(struct toc_editor *t)
{
	int at = entry_find(t, SECTION_ROM_CODE);

	switch (t->e->edit->rom_edit) {
	case IMAGE_ROM_REPLACE:
		return at < 0 ? add_rom(t) : replace_rom(t, at);
	case IMAGE_ROM_REMOVE:
		return at < 0 ? 0 : remove_rom(t, at);
	default:
		return 0;
	}
}

/* One copy, in place; its CRC stands in the ITOC's entry. */
static int edit_device(struct toc_editor *t)
{
	unsigned int i;
	uint8_t *entry, *info;
	int code;

	for (i = 0; i < t->count; i++)
		if (t->entries[i][0] == SECTION_DEV_INFO)
			break;
	if (i == t->count || entry_size(t->entries[i]) < DEV_INFO_LENGTH ||
	    entry_end(t->entries[i]) > t->e->length)
		return image_fail(t->e->error, -EBADMSG, t->itoc,
				  _("there is no DEV_INFO in the device data"));
	entry = t->entries[i];
	info = t->e->out + entry_address(entry);
	code = edit_dev_info(t->e, info, entry_address(entry));
	if (!code)
		entry_seal(t, entry);
	return code;
}

static int find_itoc(struct editor *e, const struct image_view *view, struct toc *toc, uint32_t *hashes)
{
	uint32_t place;
	int code = fs3_itoc(view, toc, &place, e->error);

	*hashes = 0;			/* FS3 has no such table */
	if (!code && !toc->present)
		code = image_fail(e->error, -EBADMSG, 0, _("there is no ITOC"));
	return code;
}

int fs3_edit_image(struct editor *e)
{
	struct toc_editor *t;
	int code = toc_editor_open(e, find_itoc, &t);

	if (!code && edit_of_device_data(e->edit))
		code = edit_device(t);
	if (!code && edit_of_firmware(e->edit))
		code = edit_rom(t);
	if (!code && edit_of_firmware(e->edit))
		code = toc_editor_texts(t);
	if (!code)
		code = toc_editor_finish(t);
	free(t);
	return code;
}
