/* SPDX-License-Identifier: GPL-2.0-only */
/* An image as the boot ROM reads it, for the files that check a format: boot_fs2.c, boot_fs3.c, boot_fs4.c. */
#ifndef CXSIM_BOOT_VIEW_H
#define CXSIM_BOOT_VIEW_H

#include "card.h"
#include "image.h"

/* Offsets count from the magic, through the stripes of FS2. */
struct cxsim_view {
	struct cxsim_card *card;
	u32 base;
	bool striped;
	u32 log2, slot;
	bool magic_hidden;
	bool whole;			/* nothing wrong so far */
	bool failed_read;		/* an offset outside the flash */
	char *why;			/* CXSIM_WHY bytes, or NULL: the first thing that is wrong */
	struct cxsim_boot *boot;
	struct cxsim_facts *facts;
	u32 end;			/* of the last section */
	bool full_crc;			/* FS2: the image asks for it */
};

/* The first thing that is wrong is kept as text. */
void cxsim_view_wrong(struct cxsim_view *view, const char *what, u32 offset);
/* Outside the flash it reads as erased, and the view remembers. */
void cxsim_view_read(struct cxsim_view *view, u32 offset, u8 *buffer, u32 length);
u32 cxsim_view_be32(struct cxsim_view *view, u32 offset);
u64 cxsim_view_be64(struct cxsim_view *view, u32 offset);
void cxsim_view_text(struct cxsim_view *view, u32 offset, char *text, u32 width);	/* width + 1 bytes */
bool cxsim_view_holds(const struct cxsim_view *view, u32 offset, u32 length);
u16 cxsim_view_crc_add(struct cxsim_view *view, u16 crc, u32 offset, u32 length);
u16 cxsim_view_crc16(struct cxsim_view *view, u32 offset, u32 length);
/* Versions of an expansion ROM, into the facts. */
void cxsim_view_rom(struct cxsim_view *view, u32 offset, u32 length);
/* BOOT2 of all formats: the offset behind it, 0 when its length makes no sense. */
u32 cxsim_check_boot2(struct cxsim_view *view, u32 offset);

void cxsim_check_fs2(struct cxsim_view *view);
void cxsim_check_fs3(struct cxsim_view *view);	/* with the card's own data, that its table names */
void cxsim_check_fs4(struct cxsim_view *view);
void cxsim_check_fs4_device(struct cxsim_view *view);	/* of a view of the whole flash */

/* boot_toc.c: tables of contents, firmware-images.md 3.2 - 3.6. */
enum {
	CXSIM_TYPE_INFO = 0x10,
	CXSIM_TYPE_ROM = 0x18,
	CXSIM_TYPE_MFG = 0xe0,
	CXSIM_TYPE_DEV = 0xe1,
	CXSIM_TYPE_END = 0xff,
};

#define CXSIM_TOC_BYTES		0x20
#define CXSIM_TOC_ENTRIES	64	/* of a table, its header counted */

struct cxsim_boot_entry {
	u32 type, size, address;
	u32 mode;			/* where its CRC is: 0 here, 1 nowhere, 2 in its last dword */
	u32 crc;
	bool relative, device;		/* FS3 */
};

bool cxsim_toc_signed(struct cxsim_view *view, u32 offset, const char *name);	/* its 16 bytes are there */
bool cxsim_toc_header_ok(struct cxsim_view *view, u32 offset, const char *name);	/* and its CRC */
/* False at the end of the table. */
bool cxsim_toc_read(struct cxsim_view *view, u32 offset, struct cxsim_boot_entry *entry);
bool cxsim_toc_section_ok(struct cxsim_view *view, const struct cxsim_boot_entry *entry);
/* A section of the firmware: its CRC, and what it tells. */
void cxsim_toc_check_section(struct cxsim_view *view, const struct cxsim_boot_entry *entry);
bool cxsim_dev_info_signed(struct cxsim_view *view, u32 offset);
void cxsim_toc_read_ids(struct cxsim_view *view, u32 offset);

#endif /* CXSIM_BOOT_VIEW_H */
