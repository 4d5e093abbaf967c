/* SPDX-License-Identifier: GPL-2.0-only */
/* The structure of FS4 and FS5 images: Documentation/reference/firmware-images.md 4. */
#ifndef IMAGE_FS4_H
#define IMAGE_FS4_H

#include "toc.h"

#define FS4_VERSION	0x10
#define FS4_POINTERS	0x18
#define FS4_POINTERS_END 0x98
#define FS4_POINTER_COUNT 16
#define FS4_TOOLS_LENGTH 0x40
#define FS4_DTOC_BELOW_END 0x1000
#define FS4_TOC_SECOND	0x1000	/* the other place of the ITOC, behind the first */
#define FS4_BOOT2_WORDS_LEAST 4
#define FS4_BOOT2_WORDS_MOST 1048576
#define FS4_HASHES_MOST	0x4000
#define FS5_BCH_LENGTH	0x2000	/* boot component header */
#define FS5_FLASH_UNIT	0x40000	/* every flash is a multiple of it */

enum fs4_pointer {
	FS4_BOOT_RECORD,	/* FS5: PSC BCT */
	FS4_BOOT2,
	FS4_ITOC,
	FS4_TOOLS,
	FS5_PSC_BL1_BCH,	/* FS4: authentication start */
	FS5_PSC_BL1,		/* FS4: authentication end */
	FS4_NCORE_BCH,		/* FS5; FS4: digest */
	FS5_PSC_FW_BCH = 8,	/* FS4: FW window start */
	FS5_PSC_FW,		/* FS4: FW window end */
	FS4_IMAGE_INFO_POINTER = 10,
	FS4_IMAGE_SIGNATURE,
	FS4_PUBLIC_KEY,
	FS4_SECURITY_VERSION = 13,	/* a value, not an address */
	FS4_GCM_IV,			/* a value, not an address */
	FS4_HASHES,
};

/* All 16, their CRCs checked. */
int fs4_pointers(const struct image_view *view, uint32_t pointers[FS4_POINTER_COUNT],
		 struct image_error *error);

/*
 * The ITOC at either of its places. Not present: the image is encrypted. -EBADMSG: one stands there whose
 * signature has a few wrong bits.
 */
int fs4_itoc(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT], struct toc *toc,
	     struct image_error *error);

uint64_t fs4_dtoc_address(uint64_t flash_size, uint32_t divisor);
/* The view of the whole flash, where device data stands. */
struct image_view fs4_flash_view(const struct image_view *view);

/* Bytes of the flash: of the file without what is behind it (FS5: an encapsulation header). */
int fs4_flash_size(const struct image_reader *reader, enum image_format format, uint64_t *size,
		   struct image_error *error);

/* Bytes of a hashes table by its word count; 0: impossible. */
uint64_t fs4_hashes_length(uint32_t words);
/* Bytes of BOOT2, its CRC included; 0: what stands there cannot be one. */
int fs4_boot2_length(const struct image_view *view, uint32_t at, uint64_t *length, struct image_error *error);
int fs5_boot2_length(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
		     uint64_t *length, struct image_error *error);

/* What stands before the sections. */
struct fs4_part {
	const char *name;		/* NULL: no part of its own, only taken room */
	unsigned int pointer;
	uint64_t start, end;
	bool open;			/* of unknown length: counted up to what comes next */
};
struct fs4_parts {
	struct fs4_part part[FS4_POINTER_COUNT + 2];
	unsigned int count;
};
/* In rising order. The ITOC is among them, with its slot of 0x1000 bytes. */
int fs4_parts_find(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
		   const struct toc *toc, struct fs4_parts *parts, struct image_error *error);

#endif /* IMAGE_FS4_H */
