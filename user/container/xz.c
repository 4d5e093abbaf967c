// SPDX-License-Identifier: GPL-2.0-only
/* XZ streams by liblzma, with bounds on what they may take and give. */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "private.h"
#include "xz.h"

#define XZ_PIECE 0x10000

struct xz {
	lzma_stream stream;
	const struct image_reader *reader;
	uint64_t start, position, end;	/* of the reader's bytes */
	uint64_t given, most;
	lzma_ret result;		/* of the last step */
	uint8_t in[XZ_PIECE];
	uint8_t out[XZ_PIECE];
};

int xz_open(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t most, struct xz **xz,
	    struct image_error *error)
{
	struct xz *new;

	*xz = NULL;
	if (start > reader->size || length > reader->size - start)
		return image_fail(error, -EBADMSG, start,
				  _("the XZ stream of 0x%llx bytes at 0x%llx reaches beyond the file"),
				  (unsigned long long)length, (unsigned long long)start);
	new = calloc(1, sizeof(*new));
	if (!new)
		return container_no_memory(error);
	new->stream = (lzma_stream)LZMA_STREAM_INIT;
	new->reader = reader;
	new->start = new->position = start;
	new->end = start + length;
	new->most = most;
	if (lzma_stream_decoder(&new->stream, XZ_MEMORY_MOST, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK) {
		free(new);
		return container_no_memory(error);
	}
	*xz = new;
	return 0;
}

void xz_close(struct xz *xz)
{
	if (!xz)
		return;
	lzma_end(&xz->stream);
	free(xz);
}

static uint64_t where(const struct xz *xz)
{
	return xz->position - xz->stream.avail_in;
}

uint64_t xz_used(const struct xz *xz)
{
	return where(xz) - xz->start;
}

static int feed(struct xz *xz, struct image_error *error)
{
	uint64_t now = xz->end - xz->position;
	int code;

	if (xz->stream.avail_in || !now)
		return 0;
	if (now > XZ_PIECE)
		now = XZ_PIECE;
	if (xz->reader->bytes) {
		xz->stream.next_in = xz->reader->bytes + xz->position;
	} else {
		code = container_read(xz->reader, xz->position, xz->in, now, error);
		if (code)
			return code;
		xz->stream.next_in = xz->in;
	}
	xz->stream.avail_in = now;
	xz->position += now;
	return 0;
}

static int xz_failed(struct xz *xz, lzma_ret result, struct image_error *error)
{
	unsigned long long at = where(xz);

	switch (result) {
	case LZMA_MEM_ERROR:
		return container_no_memory(error);
	case LZMA_MEMLIMIT_ERROR:
		return image_fail(error, -EBADMSG, at,
				  _("the XZ stream at 0x%llx needs %llu MiB of memory to unpack, more than the %llu of any firmware archive: not unpacked"),
				  (unsigned long long)xz->start,
				  (unsigned long long)(lzma_memusage(&xz->stream) >> 20),
				  (unsigned long long)(XZ_MEMORY_MOST >> 20));
	case LZMA_FORMAT_ERROR:
		return image_fail(error, -EBADMSG, at, _("there is no XZ stream at 0x%llx"),
				  (unsigned long long)xz->start);
	case LZMA_OPTIONS_ERROR:
	case LZMA_UNSUPPORTED_CHECK:
		return image_fail(error, -EBADMSG, at,
				  _("the XZ stream at 0x%llx uses a filter or check that is not known"),
				  (unsigned long long)xz->start);
	case LZMA_BUF_ERROR:
		return image_fail(error, -EBADMSG, at,
				  _("the XZ stream at 0x%llx ends too early, after 0x%llx unpacked bytes: the file is truncated"),
				  (unsigned long long)xz->start, (unsigned long long)xz->given);
	default:
		return image_fail(error, -EBADMSG, at,
				  _("the XZ stream at 0x%llx is damaged near 0x%llx, after 0x%llx unpacked bytes"),
				  (unsigned long long)xz->start, at, (unsigned long long)xz->given);
	}
}

static int check_padding(struct xz *xz, struct image_error *error)
{
	int code;

	for (;;) {
		code = feed(xz, error);
		if (code || !xz->stream.avail_in)
			return code;
		while (xz->stream.avail_in) {
			if (*xz->stream.next_in)
				return image_fail(error, -EBADMSG, where(xz),
						  _("byte 0x%llx behind the XZ stream is 0x%02x, expected zero padding"),
						  (unsigned long long)where(xz), *xz->stream.next_in);
			xz->stream.next_in++;
			xz->stream.avail_in--;
		}
	}
}

static int too_much(struct xz *xz, struct image_error *error)
{
	return image_fail(error, -EBADMSG, where(xz),
			  _("the XZ stream at 0x%llx unpacks to more than the 0x%llx bytes that the directory speaks of"),
			  (unsigned long long)xz->start, (unsigned long long)xz->most);
}

static int unpack(struct xz *xz, size_t *length, struct image_error *error)
{
	int code;

	xz->stream.next_out = xz->out;
	xz->stream.avail_out = XZ_PIECE;
	while (xz->result == LZMA_OK && xz->stream.avail_out) {
		code = feed(xz, error);
		if (code)
			return code;
		xz->result = lzma_code(&xz->stream, xz->position == xz->end ? LZMA_FINISH : LZMA_RUN);
	}
	*length = XZ_PIECE - xz->stream.avail_out;
	xz->given += *length;
	return xz->given > xz->most ? too_much(xz, error) : 0;
}

int xz_next(struct xz *xz, const uint8_t **bytes, size_t *length, struct image_error *error)
{
	int code;

	*bytes = xz->out;
	*length = 0;
	code = unpack(xz, length, error);
	/* What came before the end, or before the damage, is given first. */
	if (code || *length)
		return code;
	return xz->result == LZMA_STREAM_END ? check_padding(xz, error) : xz_failed(xz, xz->result, error);
}

int xz_load(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t most,
	    uint8_t **bytes, size_t *size, struct image_error *error)
{
	uint8_t *all = NULL, *more;
	const uint8_t *piece;
	size_t room = 0, now;
	struct xz *xz;
	int code;

	*size = 0;
	code = xz_open(reader, start, length, most, &xz, error);
	while (!code) {
		code = xz_next(xz, &piece, &now, error);
		if (code || !now)
			break;
		if (now > room - *size) {
			room = 2 * room + XZ_PIECE;
			more = realloc(all, room);
			if (!more) {
				code = container_no_memory(error);
				break;
			}
			all = more;
		}
		memcpy(all + *size, piece, now);
		*size += now;
	}
	xz_close(xz);
	if (code) {
		free(all);
		all = NULL;
	}
	*bytes = all;
	return code;
}

/* ---- the index ---- */

static int no_index(struct image_error *error, uint64_t at)
{
	return image_fail(error, -EBADMSG, at,
			  _("no XZ stream ends at 0x%llx: what stands before is damaged, or other than zeros stand behind it"),
			  (unsigned long long)at);
}

/* Where the last byte is that is not zero, counted up to the multiple of 4 that a stream ends at. */
static int find_end(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t *end,
		    struct image_error *error)
{
	uint8_t buffer[0x1000];
	uint64_t now;
	int code;

	while (length) {
		now = length < sizeof(buffer) ? length : sizeof(buffer);
		code = container_read(reader, start + length - now, buffer, now, error);
		if (code)
			return code;
		while (now && !buffer[now - 1]) {
			now--;
			length--;
		}
		if (now)
			break;
	}
	*end = start + align4(length);
	return 0;
}

int xz_measure(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t *stream,
	       uint64_t *unpacked, struct image_error *error)
{
	uint8_t footer[LZMA_STREAM_HEADER_SIZE], *packed;
	uint64_t memory = CONTAINER_DIRECTORY_MOST, end;
	lzma_stream_flags flags;
	lzma_index *index;
	size_t at = 0;
	int code;

	code = find_end(reader, start, length, &end, error);
	if (code)
		return code;
	if (end > start + length || end - start < 2 * LZMA_STREAM_HEADER_SIZE)
		return no_index(error, end);
	code = container_read(reader, end - sizeof(footer), footer, sizeof(footer), error);
	if (code)
		return code;
	if (lzma_stream_footer_decode(&flags, footer) != LZMA_OK ||
	    flags.backward_size > CONTAINER_DIRECTORY_MOST ||
	    flags.backward_size > end - start - 2 * LZMA_STREAM_HEADER_SIZE)
		return no_index(error, end);
	packed = malloc(flags.backward_size);
	if (!packed)
		return container_no_memory(error);
	code = container_read(reader, end - sizeof(footer) - flags.backward_size, packed,
			      flags.backward_size, error);
	if (!code && lzma_index_buffer_decode(&index, &memory, NULL, packed, &at,
					      flags.backward_size) != LZMA_OK)
		code = no_index(error, end);
	free(packed);
	if (code)
		return code;
	*stream = lzma_index_stream_size(index);
	*unpacked = lzma_index_uncompressed_size(index);
	lzma_index_end(index, NULL);
	if (*stream != end - start)
		return no_index(error, end);
	return 0;
}
