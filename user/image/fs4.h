/* SPDX-License-Identifier: GPL-2.0-only */
/* The structure of FS4 images: Documentation/reference/firmware-images.md 3.2-3.6, 4. */
#ifndef IMAGE_FS4_H
#define IMAGE_FS4_H

#include "private.h"

#define FS4_VERSION	0x10
#define FS4_POINTERS	0x18
#define FS4_POINTERS_END 0x98
#define FS4_POINTER_COUNT 16
#define FS4_TOOLS_LENGTH 0x40
#define FS4_INFO_LENGTH	0x400
#define FS4_DEV_INFO_LENGTH 0x200
#define FS4_MFG_INFO_LENGTH 0x140
#define FS4_DTOC_BELOW_END 0x1000
#define FS4_TOC_HEADER	0x20
#define FS4_TOC_ENTRY	0x20
#define FS4_TOC_ENTRIES	64
#define FS4_TOC_SECOND	0x1000	/* the other place of the ITOC, behind the first */

enum fs4_pointer {
	FS4_BOOT_RECORD,
	FS4_BOOT2,
	FS4_ITOC,
	FS4_TOOLS,
	FS4_IMAGE_INFO_POINTER = 10,
	FS4_SECURITY_VERSION = 13,	/* a value, not an address */
	FS4_GCM_IV,			/* a value, not an address */
	FS4_HASHES,
};

enum fs4_type {
	FS4_MAIN_CODE = 0x03,
	FS4_IMAGE_INFO = 0x10,
	FS4_ROM_CODE = 0x18,
	FS4_SIGNATURE_256 = 0xa0,
	FS4_PUBLIC_KEYS_2048 = 0xa1,
	FS4_SIGNATURE_512 = 0xa3,
	FS4_PUBLIC_KEYS_4096 = 0xa4,
	FS4_MFG_INFO = 0xe0,
	FS4_DEV_INFO = 0xe1,
	FS4_TOC_END = 0xff,
};

enum fs4_crc_mode {
	FS4_CRC_IN_ENTRY,
	FS4_CRC_NONE,
	FS4_CRC_IN_SECTION,
};

struct fs4_section {
	uint32_t type;
	uint32_t size;		/* bytes */
	uint32_t address;	/* ITOC: from the image's start; DTOC: from the flash's */
	uint32_t crc_mode;	/* enum fs4_crc_mode, or an unknown number */
	uint32_t crc;
	bool zipped, cache_line_crc, encrypted;
	uint32_t where;		/* of the entry, counted as address is */
	uint32_t stored_crc, computed_crc;	/* of the entry */
};

struct fs4_toc {
	uint32_t address;
	bool present;
	uint32_t stored_crc, computed_crc;	/* of the header */
	unsigned int count;
	bool ended;		/* the end entry was there */
	struct fs4_section sections[FS4_TOC_ENTRIES];
};

/* All 16, their CRCs checked. */
int fs4_pointers(const struct image_view *view, uint32_t pointers[FS4_POINTER_COUNT],
		 struct image_error *error);

/* Header and entries at an address; present is false when the signature is not there. */
int fs4_toc(const struct image_view *view, uint32_t address, const char name[4], struct fs4_toc *toc,
	    struct image_error *error);
/* The ITOC at either of its places. */
int fs4_itoc(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT], struct fs4_toc *toc,
	     struct image_error *error);
/* End of the last section. */
uint32_t fs4_toc_end(const struct fs4_toc *toc);
const struct fs4_section *fs4_find(const struct fs4_toc *toc, uint32_t type, unsigned int nth);

uint64_t fs4_dtoc_address(uint64_t flash_size, uint32_t divisor);
/* The view of the whole flash, where device data stands. */
struct image_view fs4_flash_view(const struct image_view *view);

/* Signature and CRC of a DEV_INFO. */
bool fs4_dev_info_signed(const uint8_t info[FS4_DEV_INFO_LENGTH]);
bool fs4_dev_info_valid(const uint8_t info[FS4_DEV_INFO_LENGTH]);

const char *fs4_type_name(uint32_t type);

#endif /* IMAGE_FS4_H */
