/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of container/ only. */
#ifndef CONTAINER_PRIVATE_H
#define CONTAINER_PRIVATE_H

#include <string.h>

#include "../base/message.h"
#include "container.h"

#define CONTAINER_DIRECTORY_MOST (32U << 20)	/* bytes of a directory, unpacked */
#define MFA2_MARKER "#BIN.COMPONENT!#"
#define MFA2_MARKER_LENGTH 16

/* A run of bytes of a component, as it stands in the data. */
struct container_range {
	uint64_t start;			/* in the data, unpacked; of the first byte that counts */
	uint64_t length;
	uint64_t at;			/* where in the component it goes */
	size_t component;
};

struct container_component {
	size_t first_range, range_count;
	uint64_t size;
};

struct container {
	enum container_kind kind;
	const struct image_reader *reader;
	uint64_t length;
	struct container_member *members;
	size_t member_count, member_room;
	struct container_component *components;
	size_t component_count, component_room;
	struct container_range *ranges;
	size_t range_count, range_room;
	/* the data that the ranges are of */
	bool compressed, marked;	/* marked: MFA2_MARKER stands before every component */
	uint64_t data_start, data_stored;
	uint64_t data_size;		/* unpacked; no more is ever unpacked */
	/* MFA2: the descriptors end where the data starts; 0: there is no such digest */
	uint64_t file_digest, descriptor_digest;
	/* PLDM */
	uint32_t header_length;
};

static inline uint16_t be16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t be32(const uint8_t *bytes)
{
	return (uint32_t)be16(bytes) << 16 | be16(bytes + 2);
}

static inline uint16_t le16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[1] << 8 | bytes[0]);
}

static inline uint32_t le32(const uint8_t *bytes)
{
	return (uint32_t)le16(bytes + 2) << 16 | le16(bytes);
}

static inline uint64_t align4(uint64_t value)
{
	return (value + 3) & ~3ULL;
}

int container_no_memory(struct image_error *error);

/* Any offset and length: the reader is asked for dwords. */
int container_read(const struct image_reader *reader, uint64_t offset, void *buffer, size_t length,
		   struct image_error *error);
/* Calls piece for [offset, offset + length) in order; stops at what is not 0. */
int container_pieces(const struct image_reader *reader, uint64_t offset, uint64_t length,
		     int (*piece)(void *context, const uint8_t *bytes, size_t length), void *context,
		     struct image_error *error);
/* Bytes of a directory: in place where the reader has them in memory. Freed by container_unload(). */
struct container_bytes {
	const uint8_t *bytes;
	size_t length;
	uint8_t *owned;
};
int container_load(const struct image_reader *reader, uint64_t offset, uint64_t length,
		   struct container_bytes *bytes, struct image_error *error);
void container_unload(struct container_bytes *bytes);

/* NULL: no memory, or CONTAINER_MEMBERS are there; error tells. */
struct container_member *container_add_member(struct container *container, struct image_error *error);
/* Begins a component; container_add_range() gives it its bytes. */
int container_add_component(struct container *container, struct image_error *error);
int container_add_range(struct container *container, uint64_t start, uint64_t length,
			struct image_error *error);

/* The bytes of a component that stands in the data as it is. */
struct window {
	const struct container *container;
	const struct container_component *component;
	const uint8_t *magic;		/* instead of the first 16 bytes; NULL */
};
int window_open(const struct container *container, const struct container_component *component,
		struct window *window, struct image_reader *reader, struct image_error *error);

/* What a verification has found so far. */
struct container_check {
	const struct image_listener *listener;
	enum image_verdict worst;
};
void container_part(struct container_check *check, const struct image_part *part);
__attribute__((format(printf, 5, 6)))
void container_finding(struct container_check *check, enum image_verdict verdict, const char *part,
		       uint64_t where, const char *format, ...);
/* A CRC that was computed over [start, start + length) and stands at where. */
void container_crc(struct container_check *check, const char *part, uint64_t start, uint64_t length,
		   uint64_t where, uint32_t expected, uint32_t found);

int mfa1_open(struct container *container, struct image_error *error);
int mfa1_verify(struct container *container, struct container_check *check, struct image_error *error);
int mfa2_open(struct container *container, struct image_error *error);
int mfa2_verify(struct container *container, struct container_check *check, struct image_error *error);
int pldm_open(struct container *container, struct image_error *error);
int pldm_verify(struct container *container, struct container_check *check, struct image_error *error);

#endif /* CONTAINER_PRIVATE_H */
