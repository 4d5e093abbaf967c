// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "bootable_walk.h"

#define BOOT2_DWORDS_MIN	4
#define BOOT2_DWORDS_MAX	1048576

const u8 cxfw_fs2_magic[CXFW_MAGIC_BYTES] = {
	0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00, 0xde, 0xad, 0x92, 0x70, 0x41, 0x54, 0xbe, 0xef,
};

const u8 cxfw_fs4_magic[CXFW_MAGIC_BYTES] = {
	0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00, 0xfa, 0xde, 0x12, 0x34, 0x56, 0x78, 0xde, 0xad,
};

const u32 cxfw_magic_places[CXFW_MAGIC_PLACES] = {
	0, 0x10000, 0x20000, 0x40000, 0x80000, 0x100000, 0x200000, 0x400000, 0x800000, 0x1000000, 0x2000000,
};

bool cxfw_is_magic(const u8 bytes[CXFW_MAGIC_BYTES])
{
	return !memcmp(bytes, cxfw_fs2_magic, CXFW_MAGIC_BYTES) || !memcmp(bytes, cxfw_fs4_magic, CXFW_MAGIC_BYTES);
}

static const struct cxfw_format formats[] = {
	{ CXFW_FORMAT_FS2, "FS2", 23, true, cxfw_fs2_walk },
	{ CXFW_FORMAT_FS3, "FS3", 24, false, cxfw_fs3_walk },
	{ CXFW_FORMAT_FS4, "FS4", 24, false, cxfw_fs4_walk },
	{ CXFW_FORMAT_FS5, "FS5", 25, false, cxfw_fs5_walk },
};

const struct cxfw_format *cxfw_format_find(u32 number)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i].number == number)
			return &formats[i];
	return NULL;
}

const struct cxfw_format *cxfw_format_of(const u8 header[CXFW_HEADER_BYTES])
{
	if (!memcmp(header, cxfw_fs2_magic, CXFW_MAGIC_BYTES))
		return cxfw_format_find(header[0x24] == 3 ? CXFW_FORMAT_FS3 : CXFW_FORMAT_FS2);
	if (memcmp(header, cxfw_fs4_magic, CXFW_MAGIC_BYTES))
		return NULL;
	if (header[0x10] == 1)
		return cxfw_format_find(CXFW_FORMAT_FS4);
	return header[0x10] == 2 ? cxfw_format_find(CXFW_FORMAT_FS5) : NULL;
}

/* Polynomial 0x100b in augmented form, four bits a step: firmware-images.md 0.1. */
u16 cxfw_image_crc16(u16 crc, const void *data, size_t length)
{
	static const u16 step[16] = {
		0x0000, 0x100b, 0x2016, 0x301d, 0x402c, 0x5027, 0x603a, 0x7031,
		0x8058, 0x9053, 0xa04e, 0xb045, 0xc074, 0xd07f, 0xe062, 0xf069,
	};
	const u8 *bytes = data;
	size_t i;

	for (i = 0; i < length; i++) {
		crc = (u16)(crc << 4 | bytes[i] >> 4) ^ step[crc >> 12];
		crc = (u16)(crc << 4 | (bytes[i] & 0xf)) ^ step[crc >> 12];
	}
	return crc;
}

u16 cxfw_image_crc16_end(u16 crc)
{
	static const u8 flush[2];

	return cxfw_image_crc16(crc, flush, sizeof(flush)) ^ 0xffff;
}

int cxfw_walk_start(struct cxfw_walk *walk, const struct cxfw_image_source *source, char *why)
{
	walk->source = source;
	walk->why = why;
	walk->piece = kmalloc(CXFW_WALK_PIECE, GFP_KERNEL);
	return walk->piece ? 0 : -ENOMEM;
}

void cxfw_walk_end(struct cxfw_walk *walk)
{
	kfree(walk->piece);
	walk->piece = NULL;
}

int cxfw_walk_read(struct cxfw_walk *walk, u32 offset, void *buffer, u32 length)
{
	if (offset > walk->source->length || length > walk->source->length - offset)
		return cxfw_not_bootable(walk, "%#x + %#x is behind its end, %#x", offset, length,
					 walk->source->length);
	return walk->source->read(walk->source->context, offset, buffer, length);
}

int cxfw_walk_dword(struct cxfw_walk *walk, u32 offset, u32 *value)
{
	u8 bytes[4];
	int error = cxfw_walk_read(walk, offset, bytes, sizeof(bytes));

	if (!error)
		*value = cxfw_dword(bytes);
	return error;
}

int cxfw_walk_crc(struct cxfw_walk *walk, u32 offset, u32 length, u16 *crc)
{
	u16 sum = CXFW_CRC16_START;
	u32 part;
	int error;

	for (; length; offset += part, length -= part) {
		part = min_t(u32, CXFW_WALK_PIECE, length);
		error = cxfw_walk_read(walk, offset, walk->piece, part);
		if (error)
			return error;
		sum = cxfw_image_crc16(sum, walk->piece, part);
		/* A table may list the same 16 MiB many times. */
		cond_resched();
	}
	*crc = cxfw_image_crc16_end(sum);
	return 0;
}

int cxfw_walk_boot2(struct cxfw_walk *walk, bool whole, u32 *offset)
{
	u32 dwords, length, stored;
	u16 crc;
	int error = cxfw_walk_dword(walk, *offset + 4, &dwords);

	if (error)
		return error;
	if (dwords < BOOT2_DWORDS_MIN || dwords > BOOT2_DWORDS_MAX)
		return cxfw_not_bootable(walk, "BOOT2 at %#x claims %u dwords", *offset, dwords);
	length = (dwords + 3) * 4;
	if (whole) {
		error = cxfw_walk_crc(walk, *offset, length, &crc);
		if (!error)
			error = cxfw_walk_dword(walk, *offset + length, &stored);
		if (error)
			return error;
		if (stored != crc)
			return cxfw_not_bootable(walk, "BOOT2 at %#x has CRC %#x, expected %#x", *offset, stored,
						 crc);
	}
	*offset += length + 4;
	return 0;
}
