/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is this a whole bootable image? The least that the driver must know of an image format
 * so that no plan can leave a card without one: magic, boot code, chain of sections,
 * every CRC and pointer that a boot ROM might check. Everything else about formats belongs
 * to user space.
 */
#ifndef CXFW_BOOTABLE_H
#define CXFW_BOOTABLE_H

#include <linux/types.h>

#define CXFW_MAGIC_BYTES	16
#define CXFW_FS2_HEADER_BYTES	0x38
#define CXFW_MAGIC_PLACES	11

extern const u8 cxfw_fs2_magic[CXFW_MAGIC_BYTES];

/* Physical offsets where boot code and tools look for a magic: firmware-images.md 1.2. */
extern const u32 cxfw_magic_places[CXFW_MAGIC_PLACES];

/* FS2 and FS3 share one magic, FS4 and FS5 the other: firmware-images.md 1.1. */
bool cxfw_is_magic(const u8 bytes[CXFW_MAGIC_BYTES]);

/* Where an image's bytes come from, in the image's own contiguous addresses. */
struct cxfw_image_source {
	int (*read)(void *context, u32 offset, void *buffer, size_t length);
	void *context;
	u32 length;		/* bytes that may be read */
	bool may_be_blank;	/* GUIDs that were never written do not count as damage */
};

/* Fields of a FS2 header that decide where the image lies: firmware-images.md 2.1. */
struct cxfw_fs2_layout {
	bool failsafe;
	u32 log2_chunk;
	u32 image_length;
};

/* False when the checksums or sizes are impossible. */
bool cxfw_fs2_layout(const u8 header[CXFW_FS2_HEADER_BYTES], struct cxfw_fs2_layout *layout);

/* 0 whole, -EBADMSG not (why says where, CXFW_WHY_LENGTH bytes), or what read answered. */
int cxfw_fs2_bootable(const struct cxfw_image_source *source, char *why);

u16 cxfw_image_crc16(u16 crc, const void *data, size_t length);	/* start with CXFW_CRC16_START */
u16 cxfw_image_crc16_end(u16 crc);
#define CXFW_CRC16_START 0xffff

#endif /* CXFW_BOOTABLE_H */
