/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of image/ only. */
#ifndef IMAGE_PRIVATE_H
#define IMAGE_PRIVATE_H

#include <string.h>

#include "../base/message.h"
#include "crc.h"
#include "image.h"

#define IMAGE_MAGIC_LENGTH 16

static inline uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline uint64_t get64(const uint8_t *bytes)
{
	return (uint64_t)get32(bytes) << 32 | get32(bytes + 4);
}

static inline void put32(uint8_t *bytes, uint32_t value)
{
	bytes[0] = value >> 24;
	bytes[1] = value >> 16;
	bytes[2] = value >> 8;
	bytes[3] = value;
}

static inline void put64(uint8_t *bytes, uint64_t value)
{
	put32(bytes, value >> 32);
	put32(bytes + 4, value);
}

/* Sum of the four bytes, mod 256: FS2's check of its words 0x28 and 0x2c. */
static inline uint8_t byte_sum(uint32_t word)
{
	return (uint8_t)((word >> 24) + (word >> 16) + (word >> 8) + word);
}

/* The bytes of one image at logical addresses. */
struct image_view {
	const struct image_reader *reader;
	struct image_place place;
};

int view_read(const struct image_view *view, uint64_t logical, void *buffer, size_t length,
	      struct image_error *error);
/* As view_read(), for physical addresses. */
int reader_read(const struct image_reader *reader, uint64_t offset, void *buffer, size_t length,
		struct image_error *error);
/*
 * Bytes in memory when the reader has them there and they are contiguous; else NULL. What
 * lies outside the place is NULL, too.
 */
const uint8_t *view_bytes(const struct image_view *view, uint64_t logical, uint64_t length);

/*
 * Calls piece for [logical, logical + length) in rising order, in pieces of at most 64 KiB when they
 * must be read, in one when they are in memory; stops at what is not 0. Nothing is held.
 */
int view_pieces(const struct image_view *view, uint64_t logical, uint64_t length,
		int (*piece)(void *context, const uint8_t *bytes, size_t length), void *context,
		struct image_error *error);

/* CRC16 over the dwords of [logical, logical + length). */
int view_crc16(const struct image_view *view, uint64_t logical, uint64_t length, uint16_t *crc,
	       struct image_error *error);

/* Logical bytes that an image at this place could have at most. */
uint64_t view_size(const struct image_view *view);
/* Whether all of [logical, logical + length) is there; nothing of an image starts between dwords. */
bool view_holds(const struct image_view *view, uint64_t logical, uint64_t length);

/* *end: of the run of ff bytes from logical on; logical + length when all are ff. */
int view_blank(const struct image_view *view, uint64_t logical, uint64_t length, uint64_t *end,
	       struct image_error *error);
/* Whether all bytes have that value. */
bool all_bytes(const uint8_t *bytes, size_t length, uint8_t value);

/* ROM versions from where they usually stand; see IMAGE_QUICK_ROM. */
int rom_look(const struct image_view *view, uint64_t start, uint32_t length, bool quick,
	     struct image_facts *facts, struct image_error *error);

int fs2_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error);
int fs4_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error);

/* What a verification has found so far. */
struct image_check {
	const struct image_listener *listener;
	enum image_verdict worst;
};

void check_part(struct image_check *check, const struct image_part *part);
__attribute__((format(printf, 5, 6)))
void check_finding(struct image_check *check, enum image_verdict verdict, const char *part, uint64_t where,
		   const char *format, ...);
__attribute__((format(printf, 7, 8)))
void check_compared(struct image_check *check, enum image_verdict verdict, const char *part, uint64_t where,
		    uint32_t expected, uint32_t found, const char *format, ...);

int fs3_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error);
int fs5_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error);

int fs2_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error);
int fs4_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error);

int fs3_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error);
int fs5_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error);

/* As image_sections(), by format. */
typedef int (*section_visit)(void *context, const struct image_section *section);
int fs2_sections(const struct image_view *view, section_visit visit, void *context,
		 struct image_error *error);
int fs3_sections(const struct image_view *view, section_visit visit, void *context,
		 struct image_error *error);
int fs4_sections(const struct image_view *view, section_visit visit, void *context,
		 struct image_error *error);
int fs5_sections(const struct image_view *view, section_visit visit, void *context,
		 struct image_error *error);

#endif /* IMAGE_PRIVATE_H */
