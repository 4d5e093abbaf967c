/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the verification of FS3. */
#ifndef IMAGE_FS3_VERIFY_H
#define IMAGE_FS3_VERIFY_H

#include "fs3.h"
#include "toc_verify.h"

struct fs3_verification {
	struct image_view view, flash;
	struct image_check *check;
	struct toc itoc;
	uint32_t log2;			/* as the header says it */
	uint32_t boot2_end;
	uint32_t place_at;		/* of the two sectors for the ITOC */
	uint32_t first, end;		/* of the image sections */
};

/* A finding for part when [start, end) of the view is not all ff. */
int fs3_blank(struct fs3_verification *v, const struct image_view *view, const char *part, uint64_t start,
	      uint64_t end, struct image_error *error);

/* Device data, and what follows in a file: firmware-images.md 3.6, 3.7. */
int fs3_device_verify(struct fs3_verification *v, struct image_error *error);

#endif /* IMAGE_FS3_VERIFY_H */
