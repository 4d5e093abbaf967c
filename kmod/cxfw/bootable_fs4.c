// SPDX-License-Identifier: GPL-2.0-only
/* FS4 and FS5: firmware-images.md 4. */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "bootable_walk.h"

#define VERSION		0x10
#define POINTERS	0x18
#define POINTER_COUNT	16
#define TOC_SECOND	0x1000		/* the other place of the ITOC, behind the first */
#define TOOLS_BYTES	0x40
#define TOOLS_CRC	0x3c

enum pointer {
	POINTER_BOOT2 = 1,
	POINTER_ITOC,
	POINTER_TOOLS,
	POINTER_NCORE = 6,		/* FS5: boot component header */
	POINTER_INFO = 10,
	POINTER_HASHES = 15,
};

/* FS5: boot component header. */
#define COMPONENT_HEADER 0x2000
#define COMPONENT_LENGTH 0x1ee4		/* of BOOT2 and the hashes, little-endian */
#define BOOT2_LEAST	4
#define BOOT2_MOST	1048576

/* Hashes table: 4.6. */
#define HASHES_HEAD	28		/* before the entries */
#define HASHES_ENTRY	(8 + 64)
#define HASHES_TAIL	8

struct image {
	struct cxfw_walk walk;
	bool fs5;
	u32 pointers[POINTER_COUNT];
	u32 hashes;			/* bytes of the table, 0 without */
	struct cxfw_toc_sections sections;
};

/* Reflected, polynomial 0xd008, bytes swapped: firmware-images.md 0.2. */
static u16 pointer_crc(const u8 pointer[4])
{
	u8 message[6] = { pointer[0], pointer[1], pointer[2], pointer[3], 0, 0 };
	unsigned int i, bit;
	u16 crc = 0;

	for (i = 0; i < sizeof(message); i++) {
		crc ^= message[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xd008 : crc >> 1;
	}
	return (u16)(crc << 8 | crc >> 8);
}

static void reaches(struct image *image, u32 end)
{
	if (end > image->sections.end)
		image->sections.end = end;
}

static int read_pointers(struct image *image)
{
	u8 bytes[8 * POINTER_COUNT];
	unsigned int i;
	int error = cxfw_walk_read(&image->walk, POINTERS, bytes, sizeof(bytes));

	for (i = 0; i < POINTER_COUNT && !error; i++) {
		const u8 *entry = bytes + 8 * i;
		u32 value = cxfw_dword(entry), stored = cxfw_dword(entry + 4);

		image->pointers[i] = value == 0xffffffff ? 0 : value;
		/* Some images carry the other CRC: firmware-images.md 0.2. */
		if (value == 0xffffffff || stored == pointer_crc(entry) ||
		    stored == cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, entry, 4)))
			continue;
		error = cxfw_not_bootable(&image->walk, "pointer %u has CRC %#x, expected %#x", i, stored,
					  pointer_crc(entry));
	}
	return error;
}

static int need_pointer(struct image *image, enum pointer pointer, const char *what)
{
	u32 value = image->pointers[pointer];

	if (value >= POINTERS + 8 * POINTER_COUNT && !(value & 3) && value < image->walk.source->length)
		return 0;
	return cxfw_not_bootable(&image->walk, "the pointer to the %s is %#x", what, value);
}

static int check_tools(struct image *image, struct cxfw_image_layout *layout)
{
	u8 bytes[TOOLS_BYTES];
	u16 crc;
	int error = need_pointer(image, POINTER_TOOLS, "tools area");

	if (!error)
		error = cxfw_walk_read(&image->walk, image->pointers[POINTER_TOOLS], bytes, sizeof(bytes));
	if (error)
		return error;
	crc = cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, bytes, TOOLS_CRC));
	if ((cxfw_dword(bytes + TOOLS_CRC) & 0xffff) != crc)
		return cxfw_not_bootable(&image->walk, "the tools area has CRC %#x, expected %#x",
					 cxfw_dword(bytes + TOOLS_CRC) & 0xffff, crc);
	layout->failsafe = true;
	layout->log2_chunk = cxfw_dword(bytes + 4) >> 16;
	if (layout->log2_chunk < CXFW_LOG2_LEAST || layout->log2_chunk > (image->fs5 ? 25 : 24))
		return cxfw_not_bootable(&image->walk, "a slot size of 1 << %u", layout->log2_chunk);
	reaches(image, image->pointers[POINTER_TOOLS] + TOOLS_BYTES);
	return 0;
}

static int check_header(struct image *image, struct cxfw_image_layout *layout)
{
	u8 header[CXFW_HEADER_BYTES];
	int error = cxfw_walk_read(&image->walk, 0, header, sizeof(header));

	if (error)
		return error;
	if (memcmp(header, cxfw_fs4_magic, CXFW_MAGIC_BYTES) || header[VERSION] != (image->fs5 ? 2 : 1))
		return cxfw_not_bootable(&image->walk, "no magic of %s", image->fs5 ? "FS5" : "FS4");
	error = read_pointers(image);
	return error ? error : check_tools(image, layout);
}

static int check_hashes(struct image *image)
{
	struct cxfw_walk *walk = &image->walk;
	u32 at = image->pointers[POINTER_HASHES], dwords, stored;
	u16 crc;
	int error;

	if (!at)
		return 0;
	error = need_pointer(image, POINTER_HASHES, "hashes");
	if (!error)
		error = cxfw_walk_dword(walk, at + 4, &dwords);
	if (error)
		return error;
	image->hashes = dwords < 0x1000 ? 4 * (dwords + 4) : 0;
	if (image->hashes != HASHES_HEAD + 28 * HASHES_ENTRY + HASHES_TAIL &&
	    image->hashes != HASHES_HEAD + 64 * HASHES_ENTRY + HASHES_TAIL)
		return cxfw_not_bootable(walk, "the hashes at %#x claim %u dwords", at, dwords);
	reaches(image, at + image->hashes);
	if (!image->sections.whole)
		return 0;
	error = cxfw_walk_crc(walk, at, image->hashes - 4, &crc);
	if (!error)
		error = cxfw_walk_dword(walk, at + image->hashes - 4, &stored);
	if (!error && (stored & 0xffff) != crc)
		return cxfw_not_bootable(walk, "the hashes at %#x have CRC %#x, expected %#x", at, stored & 0xffff,
					 crc);
	return error;
}

/* BOOT2 with the hashes behind it is what the header's first component is; neither has a CRC of its own. */
static int check_fs5_boot2(struct image *image)
{
	struct cxfw_walk *walk = &image->walk;
	u32 header = image->pointers[POINTER_NCORE], length;
	u8 bytes[4];
	int error = need_pointer(image, POINTER_NCORE, "boot header");

	if (!error)
		error = need_pointer(image, POINTER_HASHES, "hashes");
	if (!error)
		error = cxfw_walk_read(walk, header, bytes, sizeof(bytes));
	if (error)
		return error;
	if (memcmp(bytes, "NVDA", 4))
		return cxfw_not_bootable(walk, "no boot component header at %#x", header);
	error = cxfw_walk_read(walk, header + COMPONENT_LENGTH, bytes, sizeof(bytes));
	if (error)
		return error;
	length = (u32)bytes[3] << 24 | bytes[2] << 16 | bytes[1] << 8 | bytes[0];
	if (length & 3 || length < image->hashes + BOOT2_LEAST || length - image->hashes > BOOT2_MOST)
		return cxfw_not_bootable(walk, "the boot component at %#x claims %u bytes", header, length);
	if (image->pointers[POINTER_BOOT2] != header + COMPONENT_HEADER)
		return cxfw_not_bootable(walk, "BOOT2 does not stand behind its header at %#x", header);
	/* All of it must be there. */
	error = cxfw_walk_read(walk, header + COMPONENT_HEADER + length - 4, bytes, sizeof(bytes));
	reaches(image, header + COMPONENT_HEADER + length);
	return error;
}

static int check_boot2(struct image *image)
{
	u32 at = image->pointers[POINTER_BOOT2];
	int error = need_pointer(image, POINTER_BOOT2, "boot code");

	if (error || image->fs5)
		return error ? error : check_fs5_boot2(image);
	error = cxfw_walk_boot2(&image->walk, image->sections.whole, &at);
	if (!error)
		reaches(image, at);
	return error;
}

static int check_sections(struct image *image)
{
	u32 at = image->pointers[POINTER_ITOC], end;
	bool there = false;
	int error = need_pointer(image, POINTER_ITOC, "table of contents");

	if (!error)
		error = cxfw_toc_header(&image->walk, at, "ITOC", &there);
	if (!error && !there) {
		at += TOC_SECOND;
		error = cxfw_toc_header(&image->walk, at, "ITOC", &there);
	}
	if (!error && !there)
		error = cxfw_not_bootable(&image->walk, "no table of contents at %#x, or an encrypted one",
					  image->pointers[POINTER_ITOC]);
	if (!error)
		error = cxfw_toc_entries(&image->walk, at, false, cxfw_toc_section, &image->sections, &end);
	if (error)
		return error;
	reaches(image, end);
	if (!image->sections.info)
		return cxfw_not_bootable(&image->walk, "there is no IMAGE_INFO");
	if (image->fs5 && image->pointers[POINTER_INFO] != image->sections.info)
		return cxfw_not_bootable(&image->walk, "the pointer to IMAGE_INFO is %#x, expected %#x",
					 image->pointers[POINTER_INFO], image->sections.info);
	return 0;
}

static int walk(const struct cxfw_image_source *source, bool fs5, bool whole, struct cxfw_image_layout *layout,
		char *why)
{
	struct image image = { .fs5 = fs5, .sections.whole = whole };
	int error = cxfw_walk_start(&image.walk, source, why);

	memset(layout, 0, sizeof(*layout));
	if (!error)
		error = check_header(&image, layout);
	if (!error) {
		error = check_hashes(&image);
		if (!error)
			error = check_boot2(&image);
		if (!error)
			error = check_sections(&image);
		layout->length_known = !error;
		layout->image_length = error ? 1U << layout->log2_chunk : image.sections.end;
		layout->info = image.sections.info;
		if (error == -EBADMSG && !whole)
			error = 0;
	}
	cxfw_walk_end(&image.walk);
	return error;
}

int cxfw_fs4_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why)
{
	return walk(source, false, whole, layout, why);
}

int cxfw_fs5_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why)
{
	return walk(source, true, whole, layout, why);
}

/* ---- device data: 4.4 ---- */

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

	if (entry->address > walk->source->length || entry->size > walk->source->length - entry->address)
		return cxfw_not_bootable(walk, "device data %#x at %#x + %#x leaves the flash", entry->type,
					 entry->address, entry->size);
	memcpy(device.bytes, entry->bytes, sizeof(device.bytes));
	return entries->visit(entries->context, &device);
}

int cxfw_dtoc_entries(const struct cxfw_image_source *flash, u32 address, cxfw_device_visit visit,
		      void *context, char *why)
{
	struct device_entries entries = { visit, context };
	struct cxfw_walk walk;
	bool there = false;
	u32 end;
	int error = cxfw_walk_start(&walk, flash, why);

	if (!error)
		error = cxfw_toc_header(&walk, address, "DTOC", &there);
	if (!error && !there)
		error = cxfw_not_bootable(&walk, "no table of device data at %#x", address);
	if (!error)
		error = cxfw_toc_entries(&walk, address, false, device_entry, &entries, &end);
	cxfw_walk_end(&walk);
	return error;
}
