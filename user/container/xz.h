/* SPDX-License-Identifier: GPL-2.0-only */
/* XZ streams, unpacked piece by piece. Errors as in image.h. */
#ifndef CONTAINER_XZ_H
#define CONTAINER_XZ_H

#include "../image/image.h"

/* A dictionary of 64 MiB (preset 9) and what the decoder needs beside it. */
#define XZ_MEMORY_MOST (66ULL << 20)

struct xz;

/*
 * A stream at [start, start + length) of the reader. Zero bytes may follow it there, nothing else.
 * most: bytes that it may unpack to; one more is an error.
 */
int xz_open(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t most, struct xz **xz,
	    struct image_error *error);
/*
 * The next bytes, which live until the next call; *length 0: the stream has ended whole, its checks are
 * right, what follows is zero.
 */
int xz_next(struct xz *xz, const uint8_t **bytes, size_t *length, struct image_error *error);
/* Bytes of the reader that were used so far. */
uint64_t xz_used(const struct xz *xz);
void xz_close(struct xz *xz);

/* The whole of a stream. *bytes is malloc()ed. */
int xz_load(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t most,
	    uint8_t **bytes, size_t *size, struct image_error *error);

/*
 * Bytes of the stream itself, without what follows, and what it unpacks to, by its index: nothing is
 * unpacked. -EBADMSG: the stream does not end in an index that fits, or other than zeros follow it.
 */
int xz_measure(const struct image_reader *reader, uint64_t start, uint64_t length, uint64_t *stream,
	       uint64_t *unpacked, struct image_error *error);

#endif /* CONTAINER_XZ_H */
