// SPDX-License-Identifier: GPL-2.0-only
/*
 * The message of digests and signatures: an image with holes of ones. firmware-images.md 4.7. In images
 * with a hashes table ("version 2") the CRCs that MAIN_CODE holds behind each line are left out, and what
 * some chips have behind the boot record counts as ones.
 */
#include <errno.h>
#include <stdlib.h>

#include "fs4.h"
#include "message.h"
#include "sha256.h"

#define LINE 64
#define LINE_WITH_CRC 68
#define HW_IDS 0x118		/* in IMAGE_INFO */

struct hole {
	uint64_t start, end;
	uint8_t fill;
};

/* The magic; the boot record's tag; a gap, the body and the entry of each section. */
#define HOLES_MOST (2 + 3 * TOC_ENTRIES)

struct message {
	struct hole holes[HOLES_MOST];
	unsigned int count;
	uint64_t end;
	uint64_t lines, lines_end;	/* whole lines with CRCs; equal: there are none */
	uint64_t at;			/* of the next byte */
	SHA256_CTX sha256;
	SHA512_CTX sha512;
	bool both;
};

/* Bytes of the boot record in front of its tag. Chips that are not named keep what is there. */
static uint32_t boot_record_size(uint32_t hw_id)
{
	switch (hw_id) {
	case 0x21c:			/* BlueField-3 */
		return 0x4d0;
	case 0x254:			/* Spectrum-4, -5 */
	case 0x270:
		return 0x660;
	case 0x256:			/* gearbox manager */
		return 0x260;
	default:
		return 0;
	}
}

static void add_hole(struct message *message, uint64_t start, uint64_t end, uint8_t fill)
{
	if (end > message->end)
		end = message->end;
	if (start < end)
		message->holes[message->count++] = (struct hole){ start, end, fill };
}

static void add_section_holes(struct message *message, const struct toc_section *section,
			      const struct message_form *form)
{
	uint64_t end = (uint64_t)section->address + section->size;

	if (section->device_data) {
		add_hole(message, section->where, section->where + TOC_ENTRY, 0xff);
	} else if (section->type == form->masked[0] || section->type == form->masked[1]) {
		add_hole(message, section->address, end, 0xff);
		add_hole(message, section->where, section->where + TOC_ENTRY, 0xff);
	} else if (form->zeroed && section->type == form->zeroed) {
		add_hole(message, section->address, end, 0);
	}
}

static int by_start(const void *one, const void *other)
{
	const struct hole *a = one, *b = other;

	return (a->start > b->start) - (a->start < b->start);
}

static int add_version_2(struct message *message, const struct image_view *view, const struct toc *toc,
			 struct image_error *error)
{
	const struct toc_section *code = toc_find(toc, SECTION_MAIN_CODE, 0);
	const struct toc_section *info = toc_find(toc, SECTION_IMAGE_INFO, 0);
	uint32_t pointers[FS4_POINTER_COUNT], size;
	uint8_t hw_id[4];
	int result;

	if (view->place.format == IMAGE_FS3)
		return 0;
	result = fs4_pointers(view, pointers, error);
	if (result || !pointers[FS4_HASHES])
		return result;
	if (code && code->cache_line_crc) {
		message->lines = code->address;
		message->lines_end = message->lines + code->size / LINE_WITH_CRC * LINE_WITH_CRC;
	}
	if (!info || info->size < IMAGE_INFO_LENGTH)
		return 0;
	result = view_read(view, (uint64_t)info->address + HW_IDS, hw_id, sizeof(hw_id), error);
	if (result)
		return result;
	size = boot_record_size(get32(hw_id) & 0xffff);
	if (size)
		add_hole(message, (uint64_t)pointers[FS4_BOOT_RECORD] + size,
			 (uint64_t)pointers[FS4_BOOT_RECORD] + size + 4, 0xff);
	return 0;
}

static int find_holes(struct message *message, const struct image_view *view, const struct toc *toc,
		      const struct message_form *form, struct image_error *error)
{
	const struct toc_section *section, *before = NULL;
	unsigned int i;
	int code;

	add_hole(message, 0, IMAGE_MAGIC_LENGTH, 0xff);
	code = add_version_2(message, view, toc, error);
	for (i = 0; i < toc->count; i++) {
		section = &toc->sections[i];
		add_section_holes(message, section, form);
		if (section->device_data)
			continue;
		if (before)
			add_hole(message, (uint64_t)before->address + before->size, section->address, 0xff);
		before = section;
	}
	qsort(message->holes, message->count, sizeof(message->holes[0]), by_start);
	return code;
}

static void hash(struct message *message, const uint8_t *bytes, size_t length)
{
	SHA256_Update(&message->sha256, bytes, length);
	if (message->both)
		SHA512_Update(&message->sha512, bytes, length);
}

/* As many whole lines as a buffer holds, without their CRCs. */
static void hash_lines(struct message *message, const uint8_t *bytes, size_t lines)
{
	uint8_t packed[64 * LINE];
	size_t i, now;

	for (; lines; lines -= now, bytes += now * LINE_WITH_CRC) {
		now = lines < 64 ? lines : 64;
		for (i = 0; i < now; i++)
			memcpy(packed + i * LINE, bytes + i * LINE_WITH_CRC, LINE);
		hash(message, packed, now * LINE);
	}
}

/* Takes some of the bytes at hand, and says how many. */
static size_t add_some(struct message *message, const uint8_t *bytes, size_t length)
{
	uint64_t room = message->lines_end - message->at, in_line;

	if (message->at >= message->lines_end) {
		hash(message, bytes, length);
		return length;
	}
	if (message->at < message->lines) {
		room = message->lines - message->at;
		length = length < room ? length : room;
		hash(message, bytes, length);
		return length;
	}
	in_line = (message->at - message->lines) % LINE_WITH_CRC;
	if (!in_line && length >= LINE_WITH_CRC) {
		length = (length < room ? length : room) / LINE_WITH_CRC;
		hash_lines(message, bytes, length);
		return length * LINE_WITH_CRC;
	}
	room = in_line < LINE ? LINE - in_line : LINE_WITH_CRC - in_line;
	length = length < room ? length : room;
	if (in_line < LINE)
		hash(message, bytes, length);
	return length;
}

static int add_piece(void *context, const uint8_t *bytes, size_t length)
{
	struct message *message = context;
	size_t taken;

	for (; length; length -= taken, bytes += taken) {
		taken = add_some(message, bytes, length);
		message->at += taken;
	}
	return 0;
}

static void add_fill(struct message *message, uint64_t length, uint8_t fill)
{
	uint8_t bytes[1024];
	size_t now;

	memset(bytes, fill, sizeof(bytes));
	while (length) {
		now = length < sizeof(bytes) ? length : sizeof(bytes);
		add_piece(message, bytes, now);
		length -= now;
	}
}

static int add_all(struct message *message, const struct image_view *view, struct image_error *error)
{
	uint64_t at = 0;
	unsigned int i;
	int code = 0;

	for (i = 0; i <= message->count && !code; i++) {
		uint64_t next = i < message->count ? message->holes[i].start : message->end;

		if (next > at) {
			code = view_pieces(view, at, next - at, add_piece, message, error);
			at = next;
		}
		if (code || i == message->count || message->holes[i].end <= at)
			continue;
		add_fill(message, message->holes[i].end - at, message->holes[i].fill);
		at = message->holes[i].end;
	}
	return code;
}

int message_digest_of(const struct image_view *view, const struct toc *toc, const struct message_form *form,
		      uint8_t sha256[32], uint8_t sha512[64], struct image_error *error)
{
	struct message message = { .end = toc_end(toc), .both = sha512 != NULL };
	int code;

	code = find_holes(&message, view, toc, form, error);
	if (code)
		return code;
	SHA256_Init(&message.sha256);
	SHA512_Init(&message.sha512);
	code = add_all(&message, view, error);
	if (code)
		return code;
	SHA256_Final(sha256, &message.sha256);
	if (sha512)
		SHA512_Final(sha512, &message.sha512);
	return 0;
}

int message_digest(const struct image_view *view, const struct toc *toc, const uint32_t masked[2],
		   uint8_t sha256[32], uint8_t sha512[64], struct image_error *error)
{
	struct message_form form = { .masked = { masked[0], masked[1] } };

	return message_digest_of(view, toc, &form, sha256, sha512, error);
}
