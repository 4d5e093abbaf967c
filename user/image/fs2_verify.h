/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the verification of FS2. */
#ifndef IMAGE_FS2_VERIFY_H
#define IMAGE_FS2_VERIFY_H

#include "fs2.h"

#define FS2_CODES 64		/* real images have 12 */

struct fs2_verification {
	struct image_view view;		/* of the source */
	struct image_view image;	/* the same when it lies in memory, else of a copy */
	struct image_memory memory;
	struct image_reader memory_reader;
	struct image_check *check;
	uint32_t end;			/* of the last section */
	uint32_t guid_body, guid_size, info_body, info_size;
	unsigned int guid_sections, info_sections, rom_sections, ini_sections;
	bool blank;
	bool has_mic;			/* the TLV that switches the CRC of the whole image on */
	char psid[17];
	struct {
		uint32_t load, length;	/* in the chip's memory */
	} codes[FS2_CODES];
	unsigned int code_count;	/* also beyond room */
	bool other_code;		/* sections of kinds that no known image has */
	uint32_t jump_body, jump_size;
};

/* A word of the image; the chain was walked, so that all of [0, end) is there. */
uint32_t fs2_word(const struct fs2_verification *v, uint32_t at);

/* What stands inside sections: firmware-images.md 2.3, 8.4. */
void fs2_check_body(struct fs2_verification *v, const struct fs2_section *section);
/* Once all sections were seen. */
void fs2_check_jumps(struct fs2_verification *v);
/* The image information: firmware-images.md 2.4. */
void fs2_check_tlvs(struct fs2_verification *v);

#endif /* IMAGE_FS2_VERIFY_H */
