// SPDX-License-Identifier: GPL-2.0-only
/* Mutations where they matter: libFuzzer's own would mostly hit padding and code. */
#include "../lib/synthetic_private.h"
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define PLACES 96

struct region {
	size_t at, length;
};

static unsigned int next(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8 & 0xffffff;
}

static void note(struct region *regions, unsigned int *count, size_t size, size_t at, size_t length)
{
	if (*count < PLACES && at < size)
		regions[(*count)++] = (struct region){ at, length < size - at ? length : size - at };
}

/* Tables, and of each section the start: IMAGE_INFO is whole, code is not. */
static void note_toc(const uint8_t *data, size_t size, size_t at, struct region *regions, unsigned int *count)
{
	unsigned int i;

	if (at + 0x40 > size || memcmp(data + at + 1, "TOC", 3))
		return;
	for (i = 0; i < 3; i++)
		note(regions, count, size, at, 0x400);
	for (at += 0x20; at + 0x20 <= size && data[at] != 0xff && *count < PLACES; at += 0x20)
		note(regions, count, size, load_be32(data + at + 0x14) & 0x7ffffffc, 0x400);
}

static unsigned int regions_of(const uint8_t *data, size_t size, struct region *regions)
{
	unsigned int count = 0, i;
	size_t at = 0x38;

	for (i = 0; i < 4; i++)
		note(regions, &count, size, 0, 0x100);
	if (!memcmp(data, magic_fs4, MAGIC_LENGTH)) {
		note_toc(data, size, 0x5000, regions, &count);
		note_toc(data, size, 0x6000, regions, &count);
		note_toc(data, size, size - 0x1000, regions, &count);
		note(regions, &count, size, load_be32(data + 0x90), 0x200);
		note(regions, &count, size, 0x500, 0x40);
	} else if (data[0x24] == 3) {
		note_toc(data, size, 0x1000, regions, &count);
	} else {
		for (i = 0; i < 24 && at + 16 < size; i++) {
			note(regions, &count, size, at, 0x200);
			at = i ? load_be32(data + at + 12) : at + 0x124;
		}
	}
	return count;
}

/* Same length as before; what libFuzzer made shorter keeps its old end. */
static void mutate_region(uint8_t *data, const struct region *region)
{
	if (region->length)
		LLVMFuzzerMutate(data + region->at, region->length, region->length);
}

size_t mutate_image(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	struct region regions[PLACES];
	unsigned int count, times = 1 + next(&seed) % 3;

	if (size < 0x2000 || next(&seed) % 8 == 0) {
		size = LLVMFuzzerMutate(data, size, most);
	} else {
		count = regions_of(data, size, regions);
		while (times--)
			mutate_region(data, &regions[next(&seed) % count]);
	}
	if (next(&seed) % 8)
		mend_image(data, size);
	return size;
}

size_t mutate_container(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	struct region head = { 0, size < 0x400 ? size : 0x400 };

	if (next(&seed) % 3)
		mutate_region(data, &head);
	else
		size = LLVMFuzzerMutate(data, size, most);
	if (next(&seed) % 8)
		mend_container(data, size);
	return size;
}
