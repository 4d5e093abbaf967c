// SPDX-License-Identifier: GPL-2.0-only
/* FS3: firmware-images.md 3. */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "bootable_walk.h"

#define VERSION		0x24
#define LOG2		0x25
#define LOG2_DEFAULT	21
#define HEADER_CRC	0x34
#define BOOT2		0x38
#define SECTOR		0x1000
#define TOC_PLACES	64	/* sectors behind BOOT2 that are searched; real images have it in the first */

static int check_header(struct cxfw_walk *walk, bool whole, struct cxfw_image_layout *layout)
{
	u8 header[CXFW_HEADER_BYTES];
	u16 crc;
	int error = cxfw_walk_read(walk, 0, header, sizeof(header));

	if (error)
		return error;
	if (memcmp(header, cxfw_fs2_magic, CXFW_MAGIC_BYTES) || header[VERSION] != 3)
		return cxfw_not_bootable(walk, "no magic of FS3");
	layout->failsafe = true;
	layout->log2_chunk = header[LOG2] ? header[LOG2] : LOG2_DEFAULT;
	if (layout->log2_chunk < CXFW_LOG2_LEAST || layout->log2_chunk > 24)
		return cxfw_not_bootable(walk, "a slot size of 1 << %u", layout->log2_chunk);
	/* The vendor's tool never looks at it; it is right in every image of theirs. */
	crc = cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, header, HEADER_CRC));
	if (whole && cxfw_dword(header + HEADER_CRC) != crc)
		return cxfw_not_bootable(walk, "the header has CRC %#x, expected %#x",
					 cxfw_dword(header + HEADER_CRC), crc);
	return 0;
}

static int find_toc(struct cxfw_walk *walk, bool whole, u32 *at)
{
	bool there;
	unsigned int i;
	int error;

	*at = BOOT2;
	error = cxfw_walk_boot2(walk, whole, at);
	if (error)
		return error;
	*at = ALIGN(*at, SECTOR);
	for (i = 0; i < TOC_PLACES; i++, *at += SECTOR) {
		error = cxfw_toc_header(walk, *at, "ITOC", &there);
		if (error || there)
			return error;
	}
	return cxfw_not_bootable(walk, "no table of contents behind BOOT2");
}

static int check_sections(struct cxfw_walk *walk, struct cxfw_toc_sections *sections)
{
	u32 at, end;
	int error = find_toc(walk, sections->whole, &at);

	if (!error)
		error = cxfw_toc_entries(walk, at, true, cxfw_toc_section, sections, &end);
	if (error)
		return error;
	if (end > sections->end)
		sections->end = end;
	return sections->info ? 0 : cxfw_not_bootable(walk, "there is no IMAGE_INFO");
}

int cxfw_fs3_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why)
{
	struct cxfw_toc_sections sections = { .whole = whole };
	struct cxfw_walk walk;
	int error = cxfw_walk_start(&walk, source, why);

	memset(layout, 0, sizeof(*layout));
	if (!error)
		error = check_header(&walk, whole, layout);
	if (!error) {
		error = check_sections(&walk, &sections);
		layout->length_known = !error;
		layout->image_length = error ? 1U << layout->log2_chunk : sections.end;
		layout->info = sections.info;
		if (error == -EBADMSG && !whole)
			error = 0;
	}
	cxfw_walk_end(&walk);
	return error;
}

struct device_entries {
	cxfw_device_visit visit;
	void *context;
};

static int device_entry(struct cxfw_walk *walk, void *context, const struct cxfw_toc_entry *entry)
{
	const struct device_entries *entries = context;
	struct cxfw_device_entry device = {
		.type = entry->type, .address = entry->address, .size = entry->size,
		.crc_mode = entry->crc_mode, .crc = entry->crc,
	};

	if (!entry->device)
		return 0;
	/* Where it would be depends on where the image is. */
	if (entry->relative)
		return cxfw_not_bootable(walk, "device data %#x has an address in the image", entry->type);
	memcpy(device.bytes, entry->bytes, sizeof(device.bytes));
	return entries->visit(entries->context, &device);
}

int cxfw_fs3_device_entries(const struct cxfw_image_source *source, cxfw_device_visit visit, void *context,
			    char *why)
{
	struct device_entries entries = { visit, context };
	struct cxfw_walk walk;
	u32 at, end;
	int error = cxfw_walk_start(&walk, source, why);

	if (!error)
		error = find_toc(&walk, false, &at);
	if (!error)
		error = cxfw_toc_entries(&walk, at, true, device_entry, &entries, &end);
	cxfw_walk_end(&walk);
	return error;
}
