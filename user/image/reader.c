// SPDX-License-Identifier: GPL-2.0-only
/* Bytes of files, memory and flashes, and of an image at its place: firmware-images.md 0.3, 0.4. */
#include <errno.h>
#include <stdlib.h>

#include "private.h"

#define READ_MOST 0x10000

static int memory_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct image_memory *memory = context;

	if (offset > memory->length || length > memory->length - offset)
		return -EINVAL;
	memcpy(buffer, memory->bytes + offset, length);
	return 0;
}

struct image_reader image_memory_reader(const struct image_memory *memory)
{
	struct image_reader reader = { memory_read, (void *)memory, memory->length, memory->bytes };

	return reader;
}

int reader_read(const struct image_reader *reader, uint64_t offset, void *buffer, size_t length,
		struct image_error *error)
{
	uint8_t *to = buffer;
	size_t now;
	int code;

	if (offset > reader->size || length > reader->size - offset)
		return image_fail(error, -EBADMSG, offset,
				  _("bytes 0x%llx to 0x%llx are wanted, but there are only 0x%llx"),
				  (unsigned long long)offset, (unsigned long long)offset + length,
				  (unsigned long long)reader->size);
	while (length) {
		now = length < READ_MOST ? length : READ_MOST;
		code = reader->read(reader->context, offset, to, now);
		if (code)
			return image_fail(error, code, offset, _("reading %zu bytes at 0x%llx failed: %s"),
					  now, (unsigned long long)offset, strerror(-code));
		offset += now;
		to += now;
		length -= now;
	}
	return 0;
}

/* Bytes of a chunk; only a striped image has some. */
static uint64_t chunk_of(const struct image_place *place)
{
	return 1ULL << (place->log2_chunk & 31);
}

static bool striped(const struct image_place *place)
{
	return place->format == IMAGE_FS2 && place->layout == IMAGE_LAYOUT_FLASH && place->log2_chunk;
}

uint64_t image_physical(const struct image_place *place, uint64_t logical)
{
	uint64_t chunk;

	if (!striped(place))
		return place->address + logical;
	chunk = chunk_of(place);
	return (logical & (chunk - 1)) + place->slot * chunk + 2 * (logical & ~(chunk - 1));
}

uint64_t view_size(const struct image_view *view)
{
	uint64_t size = view->reader->size & ~3ULL, chunks;

	if (!striped(&view->place))
		return size > view->place.address ? size - view->place.address : 0;
	chunks = size / chunk_of(&view->place);
	return (chunks + 1 - view->place.slot) / 2 * chunk_of(&view->place);
}

bool view_holds(const struct image_view *view, uint64_t logical, uint64_t length)
{
	uint64_t size = view_size(view);

	return !(logical & 3) && logical <= size && length <= size - logical;
}

const uint8_t *view_bytes(const struct image_view *view, uint64_t logical, uint64_t length)
{
	uint64_t size = view_size(view), chunk = chunk_of(&view->place);

	if (!view->reader->bytes || logical > size || length > size - logical)
		return NULL;
	if (striped(&view->place) && length > chunk - (logical & (chunk - 1)))
		return NULL;
	return view->reader->bytes + image_physical(&view->place, logical);
}

int view_pieces(const struct image_view *view, uint64_t logical, uint64_t length,
		int (*piece)(void *context, const uint8_t *bytes, size_t length), void *context,
		struct image_error *error)
{
	const uint8_t *bytes = view_bytes(view, logical, length);
	uint8_t buffer[READ_MOST];
	size_t now;
	int code;

	/* A mapped file comes page by page, each by a fault that costs more than reading it does. */
	if (bytes && view->reader->read == memory_read)
		return piece(context, bytes, length);
	while (length) {
		now = length < sizeof(buffer) ? length : sizeof(buffer);
		code = view_read(view, logical, buffer, now, error);
		if (!code)
			code = piece(context, buffer, now);
		if (code)
			return code;
		logical += now;
		length -= now;
	}
	return 0;
}

bool all_bytes(const uint8_t *bytes, size_t length, uint8_t value)
{
	/* Each byte equals the one before it, and the first is right. */
	return !length || (bytes[0] == value && !memcmp(bytes, bytes + 1, length - 1));
}

#define BLANK_BLOCK 4096

/* One stream of loads, and no branch in it. */
static bool is_blank(const uint8_t *bytes)
{
	uint64_t words[4], all[4] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	size_t i;

	for (i = 0; i < BLANK_BLOCK; i += sizeof(words)) {
		memcpy(words, bytes + i, sizeof(words));
		all[0] &= words[0];
		all[1] &= words[1];
		all[2] &= words[2];
		all[3] &= words[3];
	}
	return (all[0] & all[1] & all[2] & all[3]) == UINT64_MAX;
}

static int blank_piece(void *context, const uint8_t *bytes, size_t length)
{
	uint64_t *end = context;
	size_t i = 0;

	while (length - i >= BLANK_BLOCK && is_blank(bytes + i))
		i += BLANK_BLOCK;
	while (i < length && bytes[i] == 0xff)
		i++;
	*end += i;
	return i < length;
}

int view_blank(const struct image_view *view, uint64_t logical, uint64_t length, uint64_t *end,
	       struct image_error *error)
{
	int code;

	*end = logical;
	code = view_pieces(view, logical, length, blank_piece, end, error);
	return code < 0 ? code : 0;
}

static int crc_piece(void *context, const uint8_t *bytes, size_t length)
{
	uint16_t *crc = context;

	*crc = image_crc16_update(*crc, bytes, length);
	return 0;
}

int view_crc16(const struct image_view *view, uint64_t logical, uint64_t length, uint16_t *crc,
	       struct image_error *error)
{
	uint16_t running = IMAGE_CRC16_START;
	int code = view_pieces(view, logical, length, crc_piece, &running, error);

	*crc = image_crc16_finish(running);
	return code;
}

int view_read(const struct image_view *view, uint64_t logical, void *buffer, size_t length,
	      struct image_error *error)
{
	uint64_t size = view_size(view), chunk = chunk_of(&view->place);
	uint8_t *to = buffer;
	size_t now;
	int code;

	if (logical > size || length > size - logical)
		return image_fail(error, -EBADMSG, logical,
				  _("the image wants bytes 0x%llx to 0x%llx, its place has only 0x%llx"),
				  (unsigned long long)logical, (unsigned long long)logical + length,
				  (unsigned long long)size);
	while (length) {
		now = length;
		if (striped(&view->place) && now > chunk - (logical & (chunk - 1)))
			now = chunk - (logical & (chunk - 1));
		code = reader_read(view->reader, image_physical(&view->place, logical), to, now, error);
		if (code)
			return code;
		logical += now;
		to += now;
		length -= now;
	}
	return 0;
}

int image_load(const struct image_reader *reader, const struct image_facts *facts, uint8_t **bytes,
	       size_t *length, struct image_error *error)
{
	struct image_view view = { reader, facts->place };
	int code;

	*bytes = NULL;
	*length = facts->length;
	if (!facts->length || facts->length > view_size(&view))
		return image_fail(error, -EBADMSG, facts->place.address,
				  _("the image claims 0x%x bytes, its place has 0x%llx"), facts->length,
				  (unsigned long long)view_size(&view));
	*bytes = malloc(*length);
	if (!*bytes)
		return image_fail(error, -ENOMEM, 0, _("no memory for an image of %zu bytes"), *length);
	code = view_read(&view, 0, *bytes, *length, error);
	if (code) {
		free(*bytes);
		*bytes = NULL;
	}
	return code;
}
