/* SPDX-License-Identifier: GPL-2.0-only */
/* The structure of FS3 images: Documentation/reference/firmware-images.md 3. */
#ifndef IMAGE_FS3_H
#define IMAGE_FS3_H

#include "toc.h"

#define FS3_VERSION	0x24		/* byte 3 */
#define FS3_LOG2	0x25
#define FS3_BINARY	0x26		/* major, minor */
#define FS3_HEADER_CRC	0x34
#define FS3_BOOT2	0x38
#define FS3_LOG2_DEFAULT 21
#define FS3_LOG2_MOST	24
#define FS3_TOC_STEP	0x1000
#define FS3_TOC_PLACE	0x2000		/* bytes kept for the ITOC: two sectors used in turn */
#define FS3_BOOT2_WORDS_LEAST 4
#define FS3_BOOT2_WORDS_MOST 1048576

#endif /* IMAGE_FS3_H */
