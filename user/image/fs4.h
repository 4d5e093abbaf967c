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

enum fs4_pointer {
	FS4_BOOT_RECORD,	/* FS5: PSC BCT */
	FS4_BOOT2,
	FS4_ITOC,
	FS4_TOOLS,
	FS4_NCORE_BCH = 6,	/* FS5; FS4: digest */
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

/* The ITOC at either of its places. */
int fs4_itoc(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT], struct toc *toc,
	     struct image_error *error);

uint64_t fs4_dtoc_address(uint64_t flash_size, uint32_t divisor);
/* The view of the whole flash, where device data stands. */
struct image_view fs4_flash_view(const struct image_view *view);

#endif /* IMAGE_FS4_H */
