/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Editing: a changed copy of a whole, good image file, with exactly those bytes changed that the
 * edit needs and every CRC, digest and pointer right again: what the vendor's tool makes, where
 * it can make the edit at all. Documentation/reference/firmware-images.md 6.
 */
#ifndef IMAGE_EDIT_H
#define IMAGE_EDIT_H

#include "image.h"

enum image_rom_edit {
	IMAGE_ROM_KEEP,
	IMAGE_ROM_REPLACE,		/* or insert */
	IMAGE_ROM_REMOVE,
};

struct image_edit {
	/*
	 * FS2: guid[] are node, port 1, port 2, system; mac[] port 1, port 2. Later formats: guid[0] and
	 * mac[0] are the base; uid_count and uid_step replace the numbers of both entries when not 0.
	 */
	bool set_guids, set_macs;
	uint64_t guid[4];
	uint64_t mac[2];
	uint32_t uid_count, uid_step;

	const char *vsd;		/* of the card: FS2 TLV 5, later DEV_INFO; NULL: unchanged */
	const char *image_vsd;		/* FS3 and later: IMAGE_INFO; FS2: -EINVAL */
	const char *psid;		/* TLV 4 or IMAGE_INFO, and the INI's */
	const char *name;		/* the INI's, and IMAGE_INFO's part number */

	enum image_rom_edit rom_edit;
	const uint8_t *rom;		/* a ROM file as it is; a multiple of 4 bytes */
	size_t rom_length;

	const char *ini;		/* whole new text; psid and name are applied to it; NULL: unchanged */
	size_t ini_length;

	bool allow_rom_change;		/* although a product version is there */
};

/* What an edit means beyond its bytes. */
struct image_edit_result {
	uint8_t *bytes;			/* malloc()ed */
	size_t length;
	bool retagged;			/* the new PSID is not the first: it does not vouch for the board */
	bool marked;			/* the INI names the first; false: it is the first, or no INI */
	bool digest_renewed;		/* the plain digest (section A0) was made anew */
};

/*
 * The image is verified before, and what comes out is verified after. -EINVAL: a request that makes no
 * sense for this image (an impossible MAC, a text too long, a ROM without marker, GUIDs of a stripped
 * file, a dump of a flash). -EPERM: a guard, the text says which: a signature or encryption makes the
 * edit useless, or a product version holds its ROM. -EBADMSG: the image is damaged. -ENOSPC: no room in
 * the image's place. -EOPNOTSUPP: what would have to follow from the change is not public. -EIO: a fault
 * of the editor, the result would not have been good.
 * A PSID change appends the mark that image_ini_retagged() knows to the INI: the first PSID counts, and a
 * change back to it takes the mark away. Device data of FS4 and FS5: the copy that does not count is written.
 */
int image_edit(const uint8_t *image, size_t length, const struct image_edit *edit,
	       struct image_edit_result *result, struct image_error *error);

/* Whether signature or encryption forbid edits of the firmware part; why is filled then. */
bool image_edit_forbidden(const struct image_facts *facts, char *why, size_t room);

/* The ROM section's body, malloc()ed. -ENOENT: there is none. */
int image_rom_read(const struct image_reader *reader, const struct image_facts *facts, uint8_t **rom,
		   size_t *length, struct image_error *error);

/*
 * A ROM file: marker and PCI chain found, length a multiple of 4, checksum and marker of its first image.
 * -EBADMSG says what is wrong. A ROM for other PCI ids than the image's is a warning of the caller's.
 */
int image_rom_check(const uint8_t *rom, size_t length, struct image_error *error);

#endif /* IMAGE_EDIT_H */
