/* SPDX-License-Identifier: GPL-2.0-only */
/* What the checks of the formats share. */
#ifndef CXFW_BOOTABLE_WALK_H
#define CXFW_BOOTABLE_WALK_H

#include <linux/kernel.h>

#include "../uapi/cxfw.h"
#include "bootable.h"

#define CXFW_WALK_PIECE		4096

struct cxfw_walk {
	const struct cxfw_image_source *source;
	u8 *piece;		/* CXFW_WALK_PIECE bytes */
	char *why;
};

#define cxfw_not_bootable(walk, ...) (snprintf((walk)->why, CXFW_WHY_LENGTH, __VA_ARGS__), -EBADMSG)

static inline u32 cxfw_dword(const u8 *bytes)
{
	return (u32)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

int cxfw_walk_start(struct cxfw_walk *walk, const struct cxfw_image_source *source, char *why);
void cxfw_walk_end(struct cxfw_walk *walk);

/* Beyond what the source has is not bootable. */
int cxfw_walk_read(struct cxfw_walk *walk, u32 offset, void *buffer, u32 length);
int cxfw_walk_dword(struct cxfw_walk *walk, u32 offset, u32 *value);
/* CRC of [offset, offset + length), ended. */
int cxfw_walk_crc(struct cxfw_walk *walk, u32 offset, u32 length, u16 *crc);
/* BOOT2 at *offset, which becomes where it ends; whole: its CRC as well. firmware-images.md 2.2. */
int cxfw_walk_boot2(struct cxfw_walk *walk, bool whole, u32 *offset);

/* ---- tables of contents: firmware-images.md 3.2, 3.3 ---- */

#define CXFW_TOC_ENTRY		0x20
#define CXFW_TOC_ENTRIES	63
#define CXFW_TOC_BYTES		0x1000	/* room of one */

struct cxfw_toc_entry {
	u8 type;
	u32 size, address;
	u32 crc_mode;
	u16 crc;
	bool relative, device;		/* FS3 */
	u8 bytes[CXFW_TOC_ENTRY];
};

typedef int (*cxfw_toc_visit)(struct cxfw_walk *walk, void *context, const struct cxfw_toc_entry *entry);

/* Is one at this offset? -EBADMSG: one with a wrong checksum. */
int cxfw_toc_header(struct cxfw_walk *walk, u32 at, const char name[4], bool *there);
/* Every entry, up to the end mark that must be there. *end: behind that mark. */
int cxfw_toc_entries(struct cxfw_walk *walk, u32 at, bool fs3, cxfw_toc_visit visit, void *context, u32 *end);
/* The CRC of a section at its own address of the source. */
int cxfw_toc_check_section(struct cxfw_walk *walk, const struct cxfw_toc_entry *entry);

/* What a walk over the sections of an image gathers. */
struct cxfw_toc_sections {
	bool whole;			/* check their CRCs */
	u32 end;			/* of the last one */
	u32 info;
};
int cxfw_toc_section(struct cxfw_walk *walk, void *sections, const struct cxfw_toc_entry *entry);

int cxfw_fs2_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why);
int cxfw_fs3_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why);
int cxfw_fs4_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why);
int cxfw_fs5_walk(const struct cxfw_image_source *source, bool whole, struct cxfw_image_layout *layout, char *why);

#endif /* CXFW_BOOTABLE_WALK_H */
