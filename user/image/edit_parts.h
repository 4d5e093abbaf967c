/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the editor share: Documentation/reference/firmware-images.md 6. */
#ifndef IMAGE_EDIT_PARTS_H
#define IMAGE_EDIT_PARTS_H

#include "edit.h"
#include "toc.h"

#define VSD_MOST	208
#define PSID_MOST	16
#define NAME_MOST	64

/* 1 to 16 letters, digits, '_' or '-'; why is filled when it is not. */
bool psid_possible(const char *psid, char *why, size_t room);

/* The PSID that a mark in an INI's text names as the first one. */
bool ini_first_psid(const char *text, size_t length, char first[PSID_MOST + 1]);

/* text with exactly the mark that belongs there: none when psid is the first one. */
int ini_set_mark(const char *text, size_t length, const char *first, const char *psid, char **marked,
		 size_t *marked_length, struct image_error *error);

/* An image in the making. */
struct editor {
	const struct image_edit *edit;
	const struct image_facts *facts;	/* of the image as it was */
	struct image_error *error;
	uint8_t *out;				/* malloc()ed, room bytes */
	size_t length, room;

	/* INI text that goes in, ready; NULL: the INI is not touched */
	char *ini;
	size_t ini_length;
	bool digest_renewed;
};

/* Whether the edit changes bytes that a signature or digest covers. */
bool edit_of_firmware(const struct image_edit *edit);
bool edit_of_device_data(const struct image_edit *edit);
/* Whether e->edit makes sense for an image with e->facts; nothing else of *e but error is looked at. */
int edit_check(struct editor *e);

/* zlib level 9, zero padded to dwords: the body of an INI section. *body is malloc()ed. */
int ini_deflate(const char *text, size_t length, uint8_t **body, size_t *size, struct image_error *error);

/* Each changes e->out, which holds the image as it was; e->room is made to fit. */
int fs2_edit_image(struct editor *e);
int fs3_edit_image(struct editor *e);
int fs4_edit_image(struct editor *e);

/* ---- FS3 and later ---- */

#define HASHES_ENTRIES_MOST 64

/* Tables and sections of e->out while they change. Entries are raw, as they will stand. */
struct toc_editor {
	struct editor *e;
	enum image_format format;
	uint32_t itoc;				/* address of the ITOC's header */
	unsigned int count;
	uint8_t entries[TOC_ENTRIES][TOC_ENTRY];
	uint32_t old_end;			/* of the last section that was not device data */
	uint64_t limit;				/* no section may end behind this */
	uint32_t hashes;			/* address of the hashes table; 0: there is none */
	uint8_t old_hashes[HASHES_ENTRIES_MOST][64];	/* what they are over, before the edit */
};

/* Reads the ITOC; *hashes: where the hashes table stands, or 0. */
typedef int (*itoc_find)(struct editor *e, const struct image_view *view, struct toc *toc, uint32_t *hashes);
/* e->out holds the image as it was. *t is for the caller to free(), after an error too. */
int toc_editor_open(struct editor *e, itoc_find find, struct toc_editor **t);
/* IMAGE_INFO's fields and the INI. */
int toc_editor_texts(struct toc_editor *t);
/* Burn size, hashes, the table itself, the plain digest. */
int toc_editor_finish(struct toc_editor *t);

uint32_t entry_size(const uint8_t *entry);
uint32_t entry_address(const uint8_t *entry);
uint64_t entry_end(const uint8_t *entry);
bool entry_is_device(const struct toc_editor *t, unsigned int at);
uint32_t entry_crc_mode(const struct toc_editor *t, const uint8_t *entry);
void entry_place(uint8_t *entry, uint32_t size, uint32_t address);
/* Section CRC over the bytes in out, and the entry's own. */
void entry_seal(struct toc_editor *t, uint8_t *entry);
/* Index of the first of this type that is not device data; -1: there is none. */
int entry_find(const struct toc_editor *t, uint32_t type);
int entry_insert(struct toc_editor *t, unsigned int at, const uint8_t entry[TOC_ENTRY]);
void entry_remove(struct toc_editor *t, unsigned int at);
/* The entries and the end behind them, as they are now, into out. */
void entries_write(struct toc_editor *t);
/* Index behind the last entry that is not device data. */
unsigned int entry_last(const struct toc_editor *t);
/* End of the last section by address. */
uint32_t sections_end(const struct toc_editor *t);
/* Bytes up to end may be used; -ENOSPC says what is in the way. */
int claim(struct toc_editor *t, uint64_t end);

/* Before the edit: what the sections hash to. -EOPNOTSUPP: a table that could not be renewed. */
int remember_hashes(struct toc_editor *t);
/* A hash is renewed when it was right before; one that nobody can account for stops the edit. */
int renew_hashes(struct toc_editor *t);
/* The plain digest, if there is one: over all else, so last. */
int renew_digest(struct toc_editor *t);

/* VSD and ids in a DEV_INFO; CRCs are the caller's. */
int edit_dev_info(struct editor *e, uint8_t info[DEV_INFO_LENGTH], uint32_t where);

#endif /* IMAGE_EDIT_PARTS_H */
