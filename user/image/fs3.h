/* SPDX-License-Identifier: GPL-2.0-only */
/* The structure of FS3 images: Documentation/reference/firmware-images.md 3. */
#ifndef IMAGE_FS3_H
#define IMAGE_FS3_H

#include "toc.h"

#define FS3_VERSION	0x24		/* byte: 3 */
#define FS3_LOG2	0x25
#define FS3_BINARY	0x26		/* bytes: major, minor */
#define FS3_RESERVED	0x28		/* zero up to the CRC */
#define FS3_HEADER_CRC	0x34
#define FS3_BOOT2	0x38
#define FS3_LOG2_LEAST	16
#define FS3_LOG2_DEFAULT 21		/* stands for 0 */
#define FS3_LOG2_MOST	24
#define FS3_SECTOR	0x1000		/* the ITOC stands on such a boundary */
#define FS3_TOC_PLACE	0x2000		/* bytes kept for the ITOC: two sectors used in turn */

/* in MFG_INFO and DEV_INFO */
#define FS3_MFG_MAJOR	0x1c		/* byte: 0 by port (Connect-IB), 1 */
#define FS3_MFG_OVERRIDE 0x1f		/* bit 0 */
#define FS3_DEV_MAJOR	0x12		/* byte: 1 by port, 2 */
#define FS3_IDS		0x20

/* Bytes of BOOT2 with its CRC. -EBADMSG: an impossible number of words. */
int fs3_boot2_length(const struct image_view *view, uint32_t *length, struct image_error *error);

/*
 * The ITOC: the first one from BOOT2 upwards. present is false when there is none. Addresses of
 * image sections count from the image, those of device data from the flash, whatever the entries' relative
 * bits say. *place_at is where its two sectors begin.
 */
int fs3_itoc(const struct image_view *view, struct toc *toc, uint32_t *place_at, struct image_error *error);

/* What header byte pairs 0x26 are known. */
bool fs3_binary_known(uint8_t major, uint8_t minor);

/* Whether the ITOC lists device data: a whole image, not a stripped one. */
bool fs3_has_device_data(const struct toc *toc);

/* Facts that DEV_INFO and MFG_INFO hold. -EBADMSG: identity cannot be told; what was read before stays. */
int fs3_device_data(const struct image_view *view, const struct toc *itoc, struct image_facts *facts,
		    struct image_error *error);

/* The view of the whole flash, or file, where device data stands. */
struct image_view fs3_flash_view(const struct image_view *view);

#endif /* IMAGE_FS3_H */
