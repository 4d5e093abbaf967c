/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzzers share. Each fuzz_NAME.c is a program of libFuzzer's: "make check-fuzz". A promise
 * that is broken ends it, as a fault of memory does.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
		abort(); \
	} \
} while (0)

/*
 * Readers of the same bytes: one that has them in memory, and two that must be asked for each; aligned
 * is as strict as a card's flash.
 */
struct fuzz_bytes {
	struct image_memory memory;
	struct image_reader mapped, read, aligned;
};
void fuzz_bytes(struct fuzz_bytes *bytes, const uint8_t *data, size_t size);

/* A listener that reads every text, so that none is garbage. */
extern const struct image_listener fuzz_listener;
enum image_verdict fuzz_verify(const struct image_reader *reader, const struct image_place *place);

/* Makes checksums right again behind a mutation, so that it gets past them. */
void mend_image(uint8_t *data, size_t size);
void mend_container(uint8_t *data, size_t size);

/* Mutates mostly what readers look at: headers, tables, information; then mends. */
size_t mutate_image(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t mutate_container(uint8_t *data, size_t size, size_t most, unsigned int seed);

#endif /* FUZZ_H */
