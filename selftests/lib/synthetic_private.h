/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of synthetic*.c only. Numbers of the reference: firmware-images.md. */
#ifndef SYNTHETIC_PRIVATE_H
#define SYNTHETIC_PRIVATE_H

#include <stdlib.h>
#include <string.h>

#include "synthetic.h"

static inline uint32_t load_be32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void store_be16(uint8_t *bytes, uint32_t value)
{
	bytes[0] = value >> 8 & 0xff;
	bytes[1] = value & 0xff;
}

static inline void store_be32(uint8_t *bytes, uint32_t value)
{
	store_be16(bytes, value >> 16);
	store_be16(bytes + 2, value);
}

static inline void store_be64(uint8_t *bytes, uint64_t value)
{
	store_be32(bytes, (uint32_t)(value >> 32));
	store_be32(bytes + 4, (uint32_t)value);
}

static inline void store_le16(uint8_t *bytes, uint32_t value)
{
	bytes[0] = value & 0xff;
	bytes[1] = value >> 8 & 0xff;
}

static inline void store_le32(uint8_t *bytes, uint32_t value)
{
	store_le16(bytes, value);
	store_le16(bytes + 2, value >> 16);
}

static inline size_t round_up(size_t value, size_t to)
{
	return (value + to - 1) / to * to;
}

#define MAGIC_LENGTH 16
extern const uint8_t magic_fs2[MAGIC_LENGTH], magic_fs4[MAGIC_LENGTH];

/* At most room bytes of text; the rest becomes zeros. */
void store_text(uint8_t *bytes, size_t room, const char *text);
/* "16.35.2000", "2022-11-20", "12:30:00": up to count numbers, whatever parts them. */
void numbers_of(const char *text, unsigned int numbers[], unsigned int count);
uint32_t bcd_of(unsigned int value);
/* Bytes that look like code: short repetitions, different for every seed. */
void fill_pattern(uint8_t *bytes, size_t length, uint32_t seed);
uint16_t pointer_crc(uint32_t pointer);		/* 0.2 */

/* Growing bytes. Out of memory ends the program: it is a test. */
struct bytes {
	uint8_t *data;
	size_t length, room;
};
uint8_t *bytes_add(struct bytes *bytes, const void *data, size_t length);	/* data NULL: zeros */
void bytes_align(struct bytes *bytes, size_t to);
void *must_allocate(size_t length);

/* what with every default filled in; ini is made when it is NULL. */
struct settled {
	struct synthetic want;
	char text_ini[4096];
	unsigned int version[3];
	uint32_t date, time;		/* packed BCD: yyyymmdd, hhmmss */
};
void settle(const struct synthetic *what, struct settled *settled);

/* One block of BOOT2 (2.2) with count dwords of code: 4 * (count + 4) bytes. */
void make_boot2(uint8_t *at, uint32_t load, uint32_t count, uint32_t seed);
/* zlib level 9, zero padded to a dword; malloc()ed. */
uint8_t *make_packed_ini(const char *ini, size_t *length);
/* A ROM section of size bytes (6.2); false: too small. */
bool make_rom(uint8_t *rom, size_t size, const struct synthetic *want);

#define IMAGE_INFO_LENGTH 0x400
#define DEV_INFO_LENGTH 0x200
#define MFG_INFO_LENGTH 0x140
void make_image_info(uint8_t *at, const struct settled *settled, uint32_t burn_size);	/* 3.5 */
void make_dev_info(uint8_t *at, const struct settled *settled, bool valid);		/* 3.6 */
void make_mfg_info(uint8_t *at, const struct settled *settled);				/* 3.6 */

/* The formats with a table of contents. */
struct section {
	unsigned int type;
	uint8_t *data;
	size_t size;
	uint32_t load, entry;
	unsigned int crc_mode;		/* 0 in the entry, 1 none, 2 in the section */
	bool device;
	size_t at;			/* in the file */
};
#define SECTION_MOST 48
struct layout {
	struct settled settled;
	struct section sections[SECTION_MOST];
	unsigned int count;
	size_t itoc, end;		/* end: of the last section that is firmware */
	size_t boot2, tools, hashes;	/* 0: none */
	size_t length;
	uint8_t *image;
};
struct section *layout_find(struct layout *layout, unsigned int type);
/* Writes header, entries and end entry with the CRCs of what stands in the image. */
void write_toc(struct layout *layout, size_t at, bool device);
/* Where in the table the section is described. */
size_t toc_entry_of(const struct layout *layout, const struct section *section);
/* Size of a hashes table of the usual 28 hashes (4.6). */
#define HASHES_LENGTH 0x804
void write_hashes(struct layout *layout);
/* Fills A0, A1, A3, A4 as wanted, their CRCs included (4.7). */
void write_signatures(struct layout *layout);
extern const uint8_t test_key_2048[], test_key_4096[];
extern const size_t test_key_2048_length, test_key_4096_length;

uint8_t *make_fs2(const struct synthetic *what, size_t *length);
uint8_t *make_with_toc(const struct synthetic *what, size_t *length);
/* End of the firmware's part of an image that make_with_toc() made. */
size_t toc_image_end(const uint8_t *image, size_t length);

/* What a container's directory says of a member: as given, else as its image says. */
struct member_facts {
	char psid[33];
	unsigned int version[3];
	char version_text[65];
	uint32_t date;			/* packed BCD */
	const char *part_number, *description;
};
void settle_member(const struct synthetic_member *member, struct member_facts *facts);
bool toc_member_facts(const uint8_t *image, size_t length, struct member_facts *facts);
bool fs2_member_facts(const uint8_t *image, size_t length, struct member_facts *facts);
/* Replaces the bytes by an XZ stream of them. */
void compress_xz(struct bytes *bytes, uint32_t dictionary);

#endif /* SYNTHETIC_PRIVATE_H */
