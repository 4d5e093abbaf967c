/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the verification of FS4 and FS5 that stand in files of their own. */
#ifndef IMAGE_FS4_VERIFY_H
#define IMAGE_FS4_VERIFY_H

#include "fs4.h"
#include "toc_verify.h"

/* The hashes table at an address: its CRCs, and the SHA-512 of the sections that it lists. */
int hashes_verify(struct image_check *check, const struct image_view *view, uint32_t at,
		  const struct toc *toc, struct image_error *error);

int view_sha512(const struct image_view *view, uint64_t start, uint64_t length, uint8_t hash[64],
		struct image_error *error);

/* BOOT2 as FS4 has it: a word count and a CRC. */
int boot2_verify(struct image_check *check, const struct image_view *view, uint32_t at,
		 struct image_error *error);

/* What FS5 has in place of it: boot component headers, and a boot2 that they describe. */
int fs5_boot_verify(struct image_check *check, const struct image_view *view,
		    const uint32_t pointers[FS4_POINTER_COUNT], struct image_error *error);

#endif /* IMAGE_FS4_VERIFY_H */
