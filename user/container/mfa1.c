// SPDX-License-Identifier: GPL-2.0-only
/* MFA1, the archive of older update tools: firmware-images.md 7.1. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "private.h"
#include "xz.h"

#define HEADER_LENGTH 16
#define SECTION_HEADER_LENGTH 8
#define BOARD_LENGTH 36
#define RECORD_LENGTH 40
#define TOC_ENTRY_LENGTH 24
#define BOARD_RECORDS 255

enum section_type { SECTION_MAP = 1, SECTION_TOC, SECTION_DATA };
#define SECTION_PACKED 0x01

struct section {
	uint64_t start, length;		/* of the body */
	bool packed;
};

/* What a record of a board's entry says. */
struct record {
	uint32_t toc_offset;
	uint16_t type;
	uint8_t group;
	const uint8_t *tag;		/* 32 characters */
	uint16_t subtype;
	uint64_t start, length;		/* in the data */
	bool listed;
};

struct archive {
	struct container *container;
	struct container_bytes map, toc;
	struct section data;
	/* components by a hash of their first range: index + 1 */
	size_t *known;
	size_t known_room;
	struct image_error *error;
};

static int open_section(struct archive *archive, enum section_type type, const char *name, uint64_t *at,
			struct section *section)
{
	uint8_t header[SECTION_HEADER_LENGTH];
	int code = container_read(archive->container->reader, *at, header, sizeof(header), archive->error);

	if (code)
		return code;
	if (header[0] != type)
		return image_fail(archive->error, -EBADMSG, *at,
				  _("section %s of the archive is expected at 0x%llx, its type is %u, found %u"),
				  name, (unsigned long long)*at, type, header[0]);
	section->start = *at + sizeof(header);
	section->length = be32(header + 4);
	section->packed = header[3] & SECTION_PACKED;
	*at = section->start + section->length;
	if (*at + 4 > archive->container->reader->size)
		return image_fail(archive->error, -EBADMSG, section->start,
				  _("section %s of 0x%llx bytes reaches beyond the file of 0x%llx: the file is truncated"),
				  name, (unsigned long long)section->length,
				  (unsigned long long)archive->container->reader->size);
	return 0;
}

static int load_section(struct archive *archive, const struct section *section, struct container_bytes *bytes)
{
	const struct image_reader *reader = archive->container->reader;
	int code;

	if (!section->packed)
		return container_load(reader, section->start, section->length, bytes, archive->error);
	code = xz_load(reader, section->start, section->length, CONTAINER_DIRECTORY_MOST, &bytes->owned,
		       &bytes->length, archive->error);
	bytes->bytes = bytes->owned;
	return code;
}

/* ---- what a board's entry says ---- */

struct pairs {
	const uint8_t *bytes;
	size_t length, at;
};

/* The next text with its NUL; NULL: there is none. */
static const uint8_t *next_text(struct pairs *pairs, size_t *length)
{
	const uint8_t *text = pairs->bytes + pairs->at;
	const uint8_t *end = memchr(text, 0, pairs->length - pairs->at);

	if (!end)
		return NULL;
	*length = end - text;
	pairs->at += *length + 1;
	return text;
}

static void take_pair(struct container_member *member, const char *key, const uint8_t *value, size_t length)
{
	if (!strcmp(key, "PN"))
		image_text(member->part_number, sizeof(member->part_number), value, length);
	else if (!strcmp(key, "DESCRIPTION"))
		image_text(member->description, sizeof(member->description), value, length);
	else if (!strcmp(key, "BOARD_REV"))
		image_text(member->board_revision, sizeof(member->board_revision), value, length);
	else if (!strcmp(key, "BRANCH"))
		image_text(member->branch, sizeof(member->branch), value, length);
}

/* Key and value by turns, count of them; a list that breaks off gives what it has. */
static void take_metadata(struct container_member *member, const uint8_t *bytes, size_t length)
{
	struct pairs pairs = { bytes, length, 4 };
	const uint8_t *key, *value;
	size_t key_length, value_length;
	unsigned int count;

	if (length < 4 || bytes[0] != 1)
		return;
	for (count = be16(bytes + 2); count; count--) {
		key = next_text(&pairs, &key_length);
		value = key ? next_text(&pairs, &value_length) : NULL;
		if (!value)
			return;
		take_pair(member, (const char *)key, value, value_length);
	}
}

static void take_content(struct container_member *member, unsigned int subtype)
{
	static const struct {
		unsigned int subtype;
		enum container_content content;
		const char *name;
	} known[] = {
		{ 0x001, CONTAINER_FIRMWARE, "FW" }, { 0x101, CONTAINER_CLP, "CLP" },
		{ 0x110, CONTAINER_PXE, "PXE" }, { 0x111, CONTAINER_UEFI, "UEFI" },
		{ 0x121, CONTAINER_FCODE, "FCODE" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].subtype != subtype)
			continue;
		member->content = known[i].content;
		strcpy(member->content_name, known[i].name);
		return;
	}
	member->content = CONTAINER_OTHER;
	snprintf(member->content_name, sizeof(member->content_name), "type 0x%x", subtype);
}

static void take_version(struct container_member *member, const uint8_t *entry)
{
	unsigned int i;

	member->version_words = entry[11] <= 4 ? entry[11] : 4;
	for (i = 0; i < member->version_words; i++)
		member->version[i] = be16(entry + 12 + 2 * i);
	member->version_exact = true;
}

static int take_record(struct archive *archive, const uint8_t *bytes, uint64_t where, struct record *record)
{
	const uint8_t *entry;

	record->toc_offset = be32(bytes);
	record->type = be16(bytes + 4);
	record->group = bytes[7];
	record->tag = bytes + 8;
	record->listed = false;
	if ((uint64_t)record->toc_offset + TOC_ENTRY_LENGTH > archive->toc.length)
		return image_fail(archive->error, -EBADMSG, where,
				  _("byte 0x%llx of the MAP names entry 0x%x of the TOC, which has only 0x%zx bytes"),
				  (unsigned long long)where, record->toc_offset, archive->toc.length);
	entry = archive->toc.bytes + record->toc_offset;
	record->start = (uint64_t)be16(entry + 20) << 32 | be32(entry);
	record->length = be32(entry + 4);
	record->subtype = be16(entry + 8);
	if (!archive->data.packed && record->start + record->length > archive->data.length)
		return image_fail(archive->error, -EBADMSG, record->toc_offset,
				  _("entry 0x%x of the TOC names bytes 0x%llx to 0x%llx of the data, which have only 0x%llx"),
				  record->toc_offset, (unsigned long long)record->start,
				  (unsigned long long)(record->start + record->length),
				  (unsigned long long)archive->data.length);
	return 0;
}

/* ---- components: what several boards name is there once ---- */

static uint64_t hash(const struct container_range *range)
{
	return (range->start * 0x9e3779b97f4a7c15ULL ^ range->length) * 0xff51afd7ed558ccdULL >> 20;
}

static bool same_ranges(const struct container *container, const struct container_component *one,
			const struct container_component *other)
{
	const struct container_range *a = &container->ranges[one->first_range];
	const struct container_range *b = &container->ranges[other->first_range];
	size_t i;

	if (one->range_count != other->range_count)
		return false;
	for (i = 0; i < one->range_count; i++)
		if (a[i].start != b[i].start || a[i].length != b[i].length)
			return false;
	return true;
}

static int grow_known(struct archive *archive)
{
	const struct container *container = archive->container;
	const struct container_component *component;
	size_t room = archive->known_room ? 2 * archive->known_room : 64, i, at;
	size_t *known = calloc(room, sizeof(*known));

	if (!known)
		return container_no_memory(archive->error);
	for (i = 0; i + 1 < container->component_count; i++) {
		component = &container->components[i];
		at = hash(&container->ranges[component->first_range]) & (room - 1);
		while (known[at])
			at = (at + 1) & (room - 1);
		known[at] = i + 1;
	}
	free(archive->known);
	archive->known = known;
	archive->known_room = room;
	return 0;
}

/* The newest component: dropped when an equal one is there. Gives its number. */
static int settle_component(struct archive *archive, unsigned int *number)
{
	struct container *container = archive->container;
	struct container_component *newest = &container->components[container->component_count - 1];
	size_t at;
	int code;

	if (2 * container->component_count > archive->known_room) {
		code = grow_known(archive);
		if (code)
			return code;
	}
	at = hash(&container->ranges[newest->first_range]) & (archive->known_room - 1);
	for (; archive->known[at]; at = (at + 1) & (archive->known_room - 1)) {
		*number = archive->known[at] - 1;
		if (!same_ranges(container, newest, &container->components[*number]))
			continue;
		container->range_count = newest->first_range;
		container->component_count--;
		return 0;
	}
	*number = container->component_count - 1;
	archive->known[at] = container->component_count;
	return 0;
}

/* ---- boards ---- */

static bool same_image(const struct record *one, const struct record *other)
{
	return one->type == other->type && one->subtype == other->subtype &&
	       !memcmp(one->tag, other->tag, 32);
}

/*
 * The pieces of an image are the records of its groups, one after the other; records of the same group
 * that follow each other count once.
 */
static int add_pieces(struct archive *archive, struct record *records, unsigned int count, unsigned int first)
{
	struct container *container = archive->container;
	int code, group = -1;
	unsigned int i;

	code = container_add_component(container, archive->error);
	for (i = first; i < count && !code; i++) {
		if (!same_image(&records[first], &records[i]))
			continue;
		records[i].listed = true;
		if (records[i].group == group)
			continue;
		group = records[i].group;
		if (records[i].start + records[i].length > container->data_size)
			container->data_size = records[i].start + records[i].length;
		code = container_add_range(container, records[i].start, records[i].length, archive->error);
	}
	return code;
}

static int add_image(struct archive *archive, const uint8_t *board, struct record *records,
		     unsigned int count, unsigned int first)
{
	struct container_member *member;
	unsigned int component = 0;
	int code;

	code = add_pieces(archive, records, count, first);
	if (!code)
		code = settle_component(archive, &component);
	if (code)
		return code;
	member = container_add_member(archive->container, archive->error);
	if (!member)
		return archive->container->member_count >= CONTAINER_MEMBERS ? -EBADMSG : -ENOMEM;
	member->component = component;
	member->size = archive->container->components[component].size;
	image_text(member->psid, sizeof(member->psid), board, 32);
	image_text(member->select_tag, sizeof(member->select_tag), records[first].tag, 32);
	take_metadata(member, board + BOARD_LENGTH, be16(board + 34));
	take_content(member, records[first].subtype);
	take_version(member, archive->toc.bytes + records[first].toc_offset);
	return 0;
}

static int add_board(struct archive *archive, size_t *at)
{
	const uint8_t *board = archive->map.bytes + *at;
	size_t left = archive->map.length - *at, length = BOARD_LENGTH;
	struct record records[BOARD_RECORDS];
	unsigned int i, count;
	int code = 0;

	if (left >= BOARD_LENGTH)
		length += be16(board + 34) + (size_t)board[32] * RECORD_LENGTH;
	if (length > left)
		return image_fail(archive->error, -EBADMSG, *at,
				  _("the board at byte 0x%zx of the MAP needs 0x%zx bytes, there are 0x%zx"),
				  *at, length, left);
	count = board[32];
	for (i = 0; i < count && !code; i++)
		code = take_record(archive, board + BOARD_LENGTH + be16(board + 34) + i * RECORD_LENGTH, *at,
				   &records[i]);
	for (i = 0; i < count && !code; i++)
		if (!records[i].listed)
			code = add_image(archive, board, records, count, i);
	*at += length;
	return code;
}

static int read_archive(struct archive *archive)
{
	struct container *container = archive->container;
	struct section map, toc;
	uint64_t at = HEADER_LENGTH;
	uint8_t header[HEADER_LENGTH];
	size_t board = 0;
	int code;

	code = container_read(container->reader, 0, header, sizeof(header), archive->error);
	if (code)
		return code;
	if (be16(header + 4))
		return image_fail(archive->error, -EOPNOTSUPP, 4,
				  _("this is version %u.%u of the archive format, only 0.x is known"),
				  be16(header + 4), be16(header + 6));
	code = open_section(archive, SECTION_MAP, "MAP", &at, &map);
	if (!code)
		code = open_section(archive, SECTION_TOC, "TOC", &at, &toc);
	if (!code)
		code = open_section(archive, SECTION_DATA, "DATA", &at, &archive->data);
	if (!code)
		code = load_section(archive, &map, &archive->map);
	if (!code)
		code = load_section(archive, &toc, &archive->toc);
	container->length = at + 4;
	container->compressed = archive->data.packed;
	container->data_start = archive->data.start;
	container->data_stored = archive->data.length;
	while (!code && board < archive->map.length)
		code = add_board(archive, &board);
	return code;
}

int mfa1_open(struct container *container, struct image_error *error)
{
	struct archive archive = { .container = container, .error = error };
	int code = read_archive(&archive);

	container_unload(&archive.map);
	container_unload(&archive.toc);
	free(archive.known);
	return code;
}

/* ---- the CRC32 at the end ---- */

static int crc_piece(void *context, const uint8_t *bytes, size_t length)
{
	uint32_t *crc = context;

	*crc = crc32_z(*crc, bytes, length);
	return 0;
}

int mfa1_verify(struct container *container, struct container_check *check, struct image_error *error)
{
	uint64_t length = container->length - 4;
	uint32_t crc = 0;
	uint8_t stored[4];
	int code;

	code = container_pieces(container->reader, 0, length, crc_piece, &crc, error);
	if (!code)
		code = container_read(container->reader, length, stored, sizeof(stored), error);
	if (code)
		return code;
	container_crc(check, "MFA1 archive", 0, length, length, crc, be32(stored));
	return 0;
}
