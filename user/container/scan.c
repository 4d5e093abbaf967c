// SPDX-License-Identifier: GPL-2.0-only
/* Looks for what hides in a file: images, containers and archives at any offset. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "private.h"
#include "scan.h"

#define SCAN_STEP	(256U << 10)	/* stays in the cache for all bytes that are looked for */
#define SCAN_FAILURES	64		/* that many false ones, and the file is a trap */

static int look_for_byte(struct scan *scan, int byte, uint64_t at, uint64_t end)
{
	const uint8_t *found;
	int code = 0;

	while (!code && at < end) {
		found = memchr(scan->bytes + at, byte, end - at);
		if (!found)
			break;
		at = found - scan->bytes;
		code = scan_look_at(scan, at++);
	}
	return code;
}

/* Holes of a sparse file hold nothing: the next offset that is not in one. */
static uint64_t skip_hole(const struct scan *scan, uint64_t at)
{
	off_t data = lseek(scan->file->descriptor, at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? scan->size : at;
	return (uint64_t)data > at ? (uint64_t)data : at;
}

static int look_everywhere(struct scan *scan)
{
	static const uint8_t first[] = { 'M', 'P', '7', 0xed, 0xf0 };
	const struct source_walk *walk = scan->search->walk;
	uint64_t at = skip_hole(scan, 0), end;
	unsigned int i;
	int code = 0;

	for (; !code && at < scan->size; at = skip_hole(scan, end)) {
		end = scan->size - at > SCAN_STEP ? at + SCAN_STEP : scan->size;
		for (i = 0; !code && i < sizeof(first); i++)
			code = look_for_byte(scan, first[i], at, end);
		search_forget(scan->file, at, end);
		if (walk->progress && !(at / SCAN_STEP % 64))
			walk->progress(walk->context, scan->search->path, at, scan->size);
	}
	return code;
}

static int by_start(const void *one, const void *other)
{
	const struct hit *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* ---- what was found ---- */

static void place_text(char *text, const char *inside, uint64_t start)
{
	char at[32];

	snprintf(at, sizeof(at), "at 0x%llx", (unsigned long long)start);
	if (start)
		search_join(text, inside, at);
	else
		snprintf(text, SEARCH_INSIDE, "%s", inside);
}

static int latest_end(void *context, const struct image_section *section)
{
	uint64_t *end = context;

	if (section->start + section->length > *end)
		*end = section->start + section->length;
	return 0;
}

/*
 * Bytes of an image that stands in another file. FS4 keeps the device data below a power of two, where its
 * flash ends; FS3 lists them; without them it ends with its last section.
 */
static uint64_t image_extent(const struct image_reader *reader, const struct image_facts *facts)
{
	uint64_t end = facts->length, size;

	if (facts->place.format == IMAGE_FS3)
		image_sections(reader, &facts->place, latest_end, &end, NULL);
	if (facts->place.format == IMAGE_FS4 || facts->place.format == IMAGE_FS5)
		for (size = 1U << 20; size <= IMAGE_MOST; size *= 2)
			if (size > end && size <= reader->size &&
			    !memcmp(reader->bytes + size - 0x1000, "DTOC", 4)) {
				end = size;
				break;
			}
	return end < reader->size ? (end + 3) & ~3ULL : reader->size;
}

static int take_image(struct scan *scan, const struct hit *hit, const char *inside, uint64_t *end)
{
	struct image_memory memory = { scan->bytes + hit->start, scan->size - hit->start };
	struct image_reader reader;
	struct image_facts facts;
	struct image_error error;
	char where[SEARCH_INSIDE];
	int code;

	if (memory.length > IMAGE_MOST)
		memory.length = IMAGE_MOST;
	memory.length &= ~3ULL;
	reader = image_memory_reader(&memory);
	place_text(where, inside, hit->start);
	code = image_query(&reader, IMAGE_LAYOUT_FILE, IMAGE_NO_ROM, &facts, &error);
	if (code) {
		scan->failures++;
		return search_trouble(scan->search, where, code, &error);
	}
	memory.length = image_extent(&reader, &facts);
	reader = image_memory_reader(&memory);
	*end = hit->start + memory.length;
	return search_image(scan->search, &reader, facts.place.format, where, false);
}

static int take_container(struct scan *scan, const struct hit *hit, const char *inside, uint64_t *end)
{
	struct image_memory memory = { scan->bytes + hit->start, scan->size - hit->start };
	struct image_reader reader = image_memory_reader(&memory);
	struct container *container;
	struct image_error error;
	char where[SEARCH_INSIDE];
	int code;

	place_text(where, inside, hit->start);
	code = container_open(&reader, &container, &error);
	if (code) {
		scan->failures++;
		return search_trouble(scan->search, where, code, &error);
	}
	*end = hit->start + container_length(container);
	code = search_container(scan->search, container, where);
	container_close(container);
	return code;
}

static int take_archive(struct scan *scan, const struct hit *hit, const char *inside, unsigned int nested,
			uint64_t *end)
{
	bool read;
	int code = search_archive(scan->search, scan->file, hit->window, hit->end - hit->window, hit->archive,
				  inside, nested, &read);

	if (read)
		*end = hit->end;
	else
		scan->failures++;
	return code;
}

static int take_all(struct scan *scan, const char *inside, unsigned int nested)
{
	uint64_t end = 0;
	size_t i;
	int code = 0;

	if (scan->count)
		qsort(scan->hits, scan->count, sizeof(*scan->hits), by_start);
	for (i = 0; !code && i < scan->count && scan->failures < SCAN_FAILURES; i++) {
		const struct hit *hit = &scan->hits[i];

		if (hit->start < end)
			continue;
		if (hit->kind == HIT_IMAGE)
			code = take_image(scan, hit, inside, &end);
		else if (hit->kind == HIT_CONTAINER)
			code = take_container(scan, hit, inside, &end);
		else
			code = take_archive(scan, hit, inside, nested, &end);
	}
	return code;
}

int search_scan(struct search *search, const struct image_file *file, const char *inside, unsigned int nested)
{
	struct scan scan = { search, file, file->reader.bytes, file->reader.size };
	struct image_error error;
	int code;

	if (!scan.size)
		return 0;
	code = scan_look_at_start(&scan);
	if (!code)
		code = look_everywhere(&scan);
	if (!code)
		code = scan_look_for_cut_zip(&scan);
	if (code) {
		container_no_memory(&error);
		code = search_trouble(search, inside, -ENOMEM, &error);
	} else {
		code = take_all(&scan, inside, nested);
	}
	free(scan.hits);
	return code;
}
