// SPDX-License-Identifier: GPL-2.0-only
/* FS2: firmware-images.md 2. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "bootable_walk.h"

#define BOOT2_BLOCKS_MAX	4
#define SECTION_BYTES_MAX	0x400000
#define SECTIONS_MAX		256
#define SECTION_EMT		4
#define SECTION_GUID		6
#define SECTION_INFO		10
#define SECTION_LAST		12
#define CHAIN_END		0xff000000
#define BLANK			0xffff	/* CRCs of an image without GUIDs */
#define FULL_CRC		0x22
#define TAG_FULL_CRC		11	/* its presence says that the full CRC counts */
#define TAG_END			0xff

static bool sums_to_zero(const u8 bytes[4])
{
	return !((bytes[0] + bytes[1] + bytes[2] + bytes[3]) & 0xff);
}

/* False when the checksums or sizes are impossible. */
static bool read_layout(const u8 header[CXFW_FS2_HEADER_BYTES], struct cxfw_image_layout *layout)
{
	layout->failsafe = header[0x2b] & 8;
	layout->log2_chunk = 16 + (header[0x2b] & 7);
	layout->image_length = cxfw_dword(header + 0x30);
	layout->length_known = true;
	layout->info = 0;
	return sums_to_zero(header + 0x28) && header[0x24] != 3 && layout->image_length >= CXFW_FS2_HEADER_BYTES &&
	       !(layout->image_length & 3);
}

struct walk {
	struct cxfw_walk base;
	u32 end;		/* image length from the header */
	u32 info, guids;	/* where the header says that these sections' bodies are */
	bool saw_info, saw_guids;
	bool full_crc, blank;
};

#define not_bootable(walk, ...) cxfw_not_bootable(&(walk)->base, __VA_ARGS__)

static int read_dword(struct walk *walk, u32 offset, u32 *value)
{
	return cxfw_walk_dword(&walk->base, offset, value);
}

/* Continues a CRC over [offset, end). */
static int add_crc(struct walk *walk, u32 offset, u32 end, u16 *crc)
{
	u32 at, part;
	int error;

	for (at = offset; at < end; at += part) {
		part = min_t(u32, CXFW_WALK_PIECE, end - at);
		error = cxfw_walk_read(&walk->base, at, walk->base.piece, part);
		if (error)
			return error;
		*crc = cxfw_image_crc16(*crc, walk->base.piece, part);
	}
	return 0;
}

/* GUIDs that were never written: node GUID and CRC are all ones. */
static int check_blank(struct walk *walk, u32 offset, u32 length, u32 stored)
{
	u32 high, low;
	int error;

	if (stored != BLANK || length < 16 + 8 || !walk->base.source->may_be_blank)
		return 0;
	error = read_dword(walk, offset + 16, &high);
	if (!error)
		error = read_dword(walk, offset + 20, &low);
	if (!error)
		walk->blank = (high & low) == 0xffffffff;
	return error;
}

/* CRC of length bytes at offset against the dword that follows them. */
static int check_crc(struct walk *walk, u32 offset, u32 length, const char *name, bool guids)
{
	u16 crc = CXFW_CRC16_START;
	u32 stored;
	int error;

	error = add_crc(walk, offset, offset + length, &crc);
	if (!error)
		error = read_dword(walk, offset + length, &stored);
	if (!error && guids)
		error = check_blank(walk, offset, length, stored);
	if (error)
		return error;
	crc = cxfw_image_crc16_end(crc);
	if (stored != crc && !(guids && walk->blank))
		return not_bootable(walk, "%s at %#x has CRC %#x, expected %#x", name, offset, stored, crc);
	return 0;
}

/* The tags of the image information: does one say that the full CRC counts? */
static int read_tags(struct walk *walk, u32 offset, u32 length)
{
	u32 at = 0, head;
	int error;

	while (length - at >= sizeof(head)) {
		error = read_dword(walk, offset + at, &head);
		if (error)
			return error;
		at += sizeof(head);
		if (head >> 24 == TAG_END)
			break;
		if ((head & 0xffffff) > length - at || head & 3)
			return not_bootable(walk, "a tag at %#x is longer than its section", offset + at - 4);
		walk->full_crc |= head >> 24 == TAG_FULL_CRC;
		at += head & 0xffffff;
	}
	if (at != length)
		return not_bootable(walk, "the tags at %#x do not end with their section", offset);
	return 0;
}

/* What the header points to. */
static int note_section(struct walk *walk, u32 type, u32 body, u32 length)
{
	if (type == SECTION_GUID && body == walk->guids)
		walk->saw_guids = true;
	if (type != SECTION_INFO || body != walk->info)
		return 0;
	walk->saw_info = true;
	return read_tags(walk, body, length);
}

static int check_full_crc(struct walk *walk, u8 header[CXFW_FS2_HEADER_BYTES])
{
	u16 crc, stored = header[FULL_CRC] << 8 | header[FULL_CRC + 1];
	int error;

	header[FULL_CRC] = 0xff;
	header[FULL_CRC + 1] = 0xff;
	crc = cxfw_image_crc16(CXFW_CRC16_START, header, CXFW_FS2_HEADER_BYTES);
	error = add_crc(walk, CXFW_FS2_HEADER_BYTES, walk->end, &crc);
	if (error)
		return error;
	crc = walk->blank ? BLANK : cxfw_image_crc16_end(crc);
	if (stored != crc)
		return not_bootable(walk, "the full CRC is %#x, expected %#x", stored, crc);
	return 0;
}

static int check_boot2(struct walk *walk, u32 *offset)
{
	int error = cxfw_walk_boot2(&walk->base, true, offset);

	if (!error && *offset > walk->end)
		return not_bootable(walk, "BOOT2 ends at %#x, behind the image", *offset);
	return error;
}

static int check_section(struct walk *walk, u32 offset, u32 *next)
{
	u32 type, body, room;
	u8 head[16];
	int error;

	if (offset >= walk->end || walk->end - offset < sizeof(head) + 4)
		return not_bootable(walk, "the chain of sections leaves the image at %#x", offset);
	error = cxfw_walk_read(&walk->base, offset, head, sizeof(head));
	if (error)
		return error;
	type = cxfw_dword(head);
	body = cxfw_dword(head + 4);
	room = walk->end - offset - sizeof(head) - 4;
	if (body > SECTION_BYTES_MAX)
		return not_bootable(walk, "section at %#x claims %u", offset, body);
	body = type == SECTION_EMT ? ALIGN(body, 4) : body * 4;
	if (body > SECTION_BYTES_MAX)
		return not_bootable(walk, "section at %#x claims %u bytes", offset, body);
	if (body > room)
		return not_bootable(walk, "section at %#x is longer than the image", offset);
	error = check_crc(walk, offset, sizeof(head) + body, "section", type == SECTION_GUID);
	if (!error)
		error = note_section(walk, type, offset + sizeof(head), body);
	if (error)
		return error;
	*next = cxfw_dword(head + 12);
	if (*next == CHAIN_END)
		*next = 0;
	if (*next && *next < offset + sizeof(head) + body + 4)
		return not_bootable(walk, "section at %#x points back to %#x", offset, *next);
	if (!*next && room != body)
		return not_bootable(walk, "the last section, at %#x, does not end with the image", offset);
	return 0;
}

static int check_chain(struct walk *walk)
{
	u32 offset = CXFW_FS2_HEADER_BYTES, blocks = 0, sections = 0, type;
	u8 head[4];
	int error;

	do {
		error = check_boot2(walk, &offset);
		if (error)
			return error;
		if (walk->end - offset < sizeof(head))
			return not_bootable(walk, "no section follows BOOT2");
		error = cxfw_walk_read(&walk->base, offset, head, sizeof(head));
		if (error)
			return error;
		type = cxfw_dword(head);
	} while ((type < 1 || type > SECTION_LAST) && ++blocks < BOOT2_BLOCKS_MAX);

	while (offset) {
		if (sections++ == SECTIONS_MAX)
			return not_bootable(walk, "more than %d sections", SECTIONS_MAX);
		error = check_section(walk, offset, &offset);
		if (error)
			return error;
	}
	if (!walk->saw_info || !walk->saw_guids)
		return not_bootable(walk, "the header's pointer to the %s leads nowhere",
				    walk->saw_info ? "GUIDs" : "image information");
	return 0;
}

static int check_whole(struct walk *walk, u8 header[CXFW_FS2_HEADER_BYTES])
{
	int error;

	if (!sums_to_zero(header + 0x2c))
		return not_bootable(walk, "the pointer to the image information has a wrong checksum");
	walk->info = cxfw_dword(header + 0x2c) & 0xffffff;
	walk->guids = cxfw_dword(header + 0x34);
	error = check_chain(walk);
	if (!error && walk->full_crc)
		error = check_full_crc(walk, header);
	return error;
}

int cxfw_fs2_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why)
{
	u8 header[CXFW_FS2_HEADER_BYTES];
	struct walk walk = { 0 };
	int error = cxfw_walk_start(&walk.base, source, why);

	if (!error)
		error = cxfw_walk_read(&walk.base, 0, header, sizeof(header));
	if (!error && memcmp(header, cxfw_fs2_magic, CXFW_MAGIC_BYTES))
		error = not_bootable(&walk, "no magic");
	if (!error && (!read_layout(header, layout) || layout->image_length > source->length))
		error = not_bootable(&walk, "the header's checksum or size is wrong");
	walk.end = error ? 0 : layout->image_length;
	if (!error && whole)
		error = check_whole(&walk, header);
	cxfw_walk_end(&walk.base);
	return error;
}
