// SPDX-License-Identifier: GPL-2.0-only
#include "flash_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK		16
#define BLOCKS_AT_ONCE	4096	/* one pread() */

static bool is_known(const struct flash_reader *flash, uint64_t block)
{
	return flash->known[block / 8] >> (block % 8) & 1;
}

/* Reads the unknown blocks from first up to and without end, adjoining ones together. */
static int fill(struct flash_reader *flash, uint64_t first, uint64_t end)
{
	while (first < end) {
		uint64_t stop = first, at = first * BLOCK, i;
		size_t length;

		if (is_known(flash, first)) {
			first++;
			continue;
		}
		while (stop < end && stop - first < BLOCKS_AT_ONCE && !is_known(flash, stop))
			stop++;
		length = stop * BLOCK > flash->reader.size ? flash->reader.size - at : (stop - first) * BLOCK;
		if (card_read(flash->card, at, flash->bytes + at, length, &flash->error))
			return -EIO;
		flash->bytes_read += length;
		flash->reads++;
		for (i = first; i < stop; i++)
			flash->known[i / 8] |= 1 << (i % 8);
		first = stop;
	}
	return 0;
}

static int read_flash(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct flash_reader *flash = context;

	if (offset > flash->reader.size || length > flash->reader.size - offset)
		return -EINVAL;
	if (fill(flash, offset / BLOCK, (offset + length + BLOCK - 1) / BLOCK))
		return -EIO;
	memcpy(buffer, flash->bytes + offset, length);
	return 0;
}

void flash_reader_expect(struct flash_reader *flash, uint64_t offset, uint64_t length)
{
	if (offset > flash->reader.size || length > flash->reader.size - offset)
		return;
	fill(flash, offset / BLOCK, (offset + length + BLOCK - 1) / BLOCK);
}

int flash_reader_open(struct flash_reader *flash, struct cxctl_card *card, uint64_t size)
{
	memset(flash, 0, sizeof(*flash));
	flash->card = card;
	flash->reader.read = read_flash;
	flash->reader.context = flash;
	flash->reader.size = size;
	if (!size)
		return 0;
	/* Untouched pages cost nothing. */
	flash->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (flash->bytes == MAP_FAILED) {
		flash->bytes = NULL;
		return -1;
	}
	flash->known = calloc(size / BLOCK / 8 + 1, 1);
	if (!flash->known) {
		flash_reader_close(flash);
		return -1;
	}
	return 0;
}

void flash_reader_close(struct flash_reader *flash)
{
	if (flash->bytes)
		munmap(flash->bytes, flash->reader.size);
	free(flash->known);
	flash->bytes = NULL;
	flash->known = NULL;
}
