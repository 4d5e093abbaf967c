/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that FS3, FS4 and FS5 share. They work on views, in pieces: nothing is copied. What is
 * wrong goes to the check as a finding; the result is 0 or an error of reading.
 */
#ifndef IMAGE_TOC_VERIFY_H
#define IMAGE_TOC_VERIFY_H

#include "toc.h"

/* A part whose CRC16 (at crc_at, a whole dword whose upper half must be 0) covers [start, crc_end). */
int verify_crc(struct image_check *check, const struct image_view *view, const char *name, uint32_t type,
	       uint64_t start, uint64_t length, uint64_t crc_end, uint64_t crc_at, struct image_error *error);

/* Header, entries, and what stands behind the end entry; *good is false when the table cannot be trusted. */
int toc_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
	       const char *name, bool *good, struct image_error *error);

/* A section's bounds in the view and its CRC by the mode that its entry says. */
int section_verify(struct image_check *check, const struct image_view *view,
		   const struct toc_section *section, struct image_error *error);

/* Image sections: rising addresses, no overlap, first not before least, blank gaps. */
int order_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
		 uint64_t least, struct image_error *error);

/* IMAGE_INFO: major version, PSID, hardware ids, slot size equal to log2. */
int info_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
		uint32_t log2, struct image_error *error);

/*
 * The plain SHA-256 digest, or the RSA signatures by keys that the image itself holds (A0 with A1, A3 with
 * A4): firmware-images.md 4.7. device entries of the table (FS3) count as ones in the message.
 */
int digest_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
		  const struct image_facts *facts, struct image_error *error);

/*
 * SHA-256 and, where sha512 is not NULL, SHA-512 of [0, end of the last section) with the magic, the gaps,
 * the section types in masked (up to two) and their entries, and device entries as ones. For digest_verify()
 * and the editor.
 */
int message_digest(const struct image_view *view, const struct toc *toc, const uint32_t masked[2],
		   uint8_t sha256[32], uint8_t sha512[64], struct image_error *error);

#endif /* IMAGE_TOC_VERIFY_H */
