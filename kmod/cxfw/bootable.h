/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is this a whole bootable image? The least that the driver must know of the image formats
 * so that no plan can leave a card without one: magic, boot code, tables of sections, every
 * CRC and pointer that a boot ROM might check, and where the image ends. Everything else
 * about formats belongs to user space.
 */
#ifndef CXFW_BOOTABLE_H
#define CXFW_BOOTABLE_H

#include <linux/types.h>

#define CXFW_MAGIC_BYTES	16
#define CXFW_HEADER_BYTES	0x38	/* of every format: magic, version, and for FS2 all there is */
#define CXFW_FS2_HEADER_BYTES	CXFW_HEADER_BYTES
#define CXFW_MAGIC_PLACES	11

extern const u8 cxfw_fs2_magic[CXFW_MAGIC_BYTES];	/* FS2 and FS3 */
extern const u8 cxfw_fs4_magic[CXFW_MAGIC_BYTES];	/* FS4 and FS5 */

/* Physical offsets where boot code and tools look for a magic: firmware-images.md 1.2. */
extern const u32 cxfw_magic_places[CXFW_MAGIC_PLACES];

/* One of the two: firmware-images.md 1.1. */
bool cxfw_is_magic(const u8 bytes[CXFW_MAGIC_BYTES]);

/* Where an image's bytes come from, in the image's own contiguous addresses. */
struct cxfw_image_source {
	int (*read)(void *context, u32 offset, void *buffer, size_t length);
	void *context;
	u32 length;		/* bytes that may be read */
	bool may_be_blank;	/* FS2: GUIDs that were never written do not count as damage */
};

/* Where an image lies. */
struct cxfw_image_layout {
	bool failsafe;
	u32 log2_chunk;		/* FS3 and later: of the slot */
	u32 image_length;	/* FS3 and later: to the end of the last section, or of the slot when unknown */
	bool length_known;
	u32 info;		/* FS3 and later: IMAGE_INFO's offset; 0: not found */
};

struct cxfw_format {
	u32 number;		/* CXFW_FORMAT_* */
	const char *name;
	u32 log2_most;		/* firmware-images.md 1.6; the least is CXFW_LOG2_LEAST */
	bool striped;		/* an image goes on in every second chunk; else it lies in one */
	/*
	 * whole: checks everything. Else finds the layout only, also of a damaged image as long
	 * as its header can be believed. 0, -EBADMSG not (why says where, CXFW_WHY_LENGTH
	 * bytes), or what read answered.
	 */
	int (*walk)(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout,
		    char *why);
};

#define CXFW_LOG2_LEAST		16

/* NULL: not one that this driver knows. */
const struct cxfw_format *cxfw_format_find(u32 number);
/* By magic and version, firmware-images.md 1.3. */
const struct cxfw_format *cxfw_format_of(const u8 header[CXFW_HEADER_BYTES]);

/* A section of device data, physical: firmware-images.md 3.7, 4.4. */
struct cxfw_device_entry {
	u8 type;
	u32 address, size;
	u32 crc_mode;		/* CXFW_CRC_* */
	u16 crc;
	u8 bytes[0x20];		/* the entry itself */
};

#define CXFW_CRC_IN_ENTRY	0
#define CXFW_CRC_NONE		1
#define CXFW_CRC_IN_SECTION	2

typedef int (*cxfw_device_visit)(void *context, const struct cxfw_device_entry *entry);

/* FS3: the device data that an image's table of contents names. */
int cxfw_fs3_device_entries(const struct cxfw_image_source *source, cxfw_device_visit visit, void *context,
			    char *why);
/* FS4, FS5: the table of device data at an address of a flash. -EBADMSG: none, or damaged. */
int cxfw_dtoc_entries(const struct cxfw_image_source *flash, u32 address, cxfw_device_visit visit,
		      void *context, char *why);

/* IMAGE_INFO: firmware-images.md 3.5. */
int cxfw_image_supports(const struct cxfw_image_source *source, u32 info, u32 hw_id, bool *supported);
int cxfw_image_dtoc_divisor(const struct cxfw_image_source *source, u32 info, u32 *divisor);

u16 cxfw_image_crc16(u16 crc, const void *data, size_t length);	/* start with CXFW_CRC16_START */
u16 cxfw_image_crc16_end(u16 crc);
#define CXFW_CRC16_START 0xffff

#endif /* CXFW_BOOTABLE_H */
