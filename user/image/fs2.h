/* SPDX-License-Identifier: GPL-2.0-only */
/* The structure of FS2 images: Documentation/reference/firmware-images.md 2. */
#ifndef IMAGE_FS2_H
#define IMAGE_FS2_H

#include "private.h"

#define FS2_FULL_CRC	0x22
#define FS2_VERSION	0x24
#define FS2_FAILSAFE	0x28
#define FS2_INFO	0x2c
#define FS2_LENGTH	0x30
#define FS2_GUIDS	0x34
#define FS2_BOOT2	0x38		/* the header ends here */

#define FS2_SECTION_HEADER	16
#define FS2_SECTION_MOST	0x400000
#define FS2_LAST		0xff000000U
#define FS2_PACKED		0x80000000U	/* of a DDR section's parameter */

enum fs2_type {
	FS2_DDR = 1,
	FS2_CONFIGURATION = 2,
	FS2_JUMP = 3,
	FS2_EMT = 4,
	FS2_ROM = 5,
	FS2_GUID = 6,
	FS2_BOARD_ID = 7,
	FS2_USER_DATA = 8,
	FS2_INI = 9,
	FS2_IMAGE_INFO = 10,
	FS2_DDRZ = 11,
	FS2_HASHES = 12,
	FS2_TYPES,
};

enum fs2_tlv {
	FS2_TLV_FORMAT = 0,
	FS2_TLV_VERSION = 1,
	FS2_TLV_TIME = 2,
	FS2_TLV_DEVICE = 3,
	FS2_TLV_PSID = 4,
	FS2_TLV_VSD = 5,
	FS2_TLV_PRODUCT = 7,
	FS2_TLV_VSD_VENDOR = 8,
	FS2_TLV_HW_IDS = 10,
	FS2_TLV_MIC = 11,
	FS2_TLV_CONFIG = 19,
	FS2_TLV_PRS = 20,
	FS2_TLV_END = 0xff,
};

#define FS2_VSD_LENGTH	208

extern const uint8_t fs2_magic[IMAGE_MAGIC_LENGTH];

/* One link of the chain. BOOT2 blocks have type 0. */
struct fs2_section {
	uint32_t type;
	uint32_t offset;	/* of the header */
	uint32_t body;		/* of the body; for BOOT2 = offset */
	uint32_t size;		/* bytes of the body; for BOOT2 all but the CRC */
	uint32_t parameter;
	uint32_t next;
	uint32_t end;		/* behind the CRC */
	bool last;
};

struct fs2_chain {
	const struct image_view *view;
	uint32_t position;
	unsigned int count;
	bool generic;		/* behind the BOOT2 blocks */
	bool done;
};

void fs2_chain_start(struct fs2_chain *chain, const struct image_view *view);
/* 1: a section; 0: the end; negative: an error. Offsets only rise, so it always ends. */
int fs2_chain_next(struct fs2_chain *chain, struct fs2_section *section, struct image_error *error);
/* Walks to the end and says where that is. end may be NULL. */
int fs2_chain_end(const struct image_view *view, uint32_t *end, struct image_error *error);

const char *fs2_type_name(uint32_t type);

/* One TLV of the image-info section. */
struct fs2_tlv_view {
	uint8_t id;
	uint32_t length;
	const uint8_t *payload;
};
/* 1: a TLV; 0: the end TLV, or the end of the bytes; -EBADMSG. *position starts at 0. */
int fs2_tlv_next(const uint8_t *info, uint32_t length, uint32_t *position, struct fs2_tlv_view *tlv);

/* CRC of a contiguous image of end bytes, as it stands at FS2_FULL_CRC. */
uint16_t fs2_full_crc(const uint8_t *image, uint32_t end);

#endif /* IMAGE_FS2_H */
