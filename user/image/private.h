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

/* error may be NULL. Returns code. */
__attribute__((format(printf, 4, 5)))
int image_fail(struct image_error *error, int code, uint64_t where, const char *format, ...);

/* A fixed-width text field; unprintable bytes become '?'. room includes the NUL. */
void image_text(char *text, size_t room, const uint8_t *bytes, size_t length);

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
/* Logical bytes that an image at this place could have at most. */
uint64_t view_size(const struct image_view *view);

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

int fs2_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error);
int fs4_verify(const struct image_reader *reader, const struct image_place *place,
	       struct image_check *check, struct image_error *error);

#endif /* IMAGE_PRIVATE_H */
