// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for what hides in a file: images, containers and archives at any offset. What looks
 * like the start of one must also look like it behind its magic: tools of the trade, this one included,
 * carry the magics as constants.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "../image/crc.h"
#include "private.h"
#include "search.h"

#define SCAN_STEP	(256U << 10)	/* stays in the cache for all bytes that are looked for */
#define SCAN_HITS	65536
#define SCAN_FAILURES	64		/* that many false ones, and the file is a trap */
#define SCAN_ZIP_ENTRIES (1U << 20)	/* of all directories together: many ends may claim the same one */
#define IMAGE_MOST	(128ULL << 20)

enum hit_kind {
	HIT_IMAGE,
	HIT_CONTAINER,
	HIT_ARCHIVE,
};

struct hit {
	uint64_t start;			/* what is in front of it belongs to something else */
	uint64_t window, end;		/* an archive: what its offsets count from, where it ends */
	enum hit_kind kind;
	enum embedded_kind archive;
};

struct scan {
	struct search *search;
	const struct image_file *file;
	const uint8_t *bytes;
	uint64_t size;
	struct hit *hits;
	size_t count, room;
	unsigned int failures;
	unsigned int zip_entries;
};

static bool has(const struct scan *scan, uint64_t at, uint64_t length)
{
	return at <= scan->size && length <= scan->size - at;
}

static bool stands(const struct scan *scan, uint64_t at, const void *magic, size_t length)
{
	return has(scan, at, length) && !memcmp(scan->bytes + at, magic, length);
}

static uint64_t le64(const uint8_t *bytes)
{
	return (uint64_t)le32(bytes + 4) << 32 | le32(bytes);
}

static int add_hit(struct scan *scan, const struct hit *hit)
{
	struct hit *grown;

	if (scan->count == SCAN_HITS)
		return 0;
	if (scan->count == scan->room) {
		grown = realloc(scan->hits, (scan->room * 2 + 16) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		scan->hits = grown;
		scan->room = scan->room * 2 + 16;
	}
	scan->hits[scan->count++] = *hit;
	return 0;
}

static int add_archive(struct scan *scan, enum embedded_kind kind, uint64_t start, uint64_t window,
		       uint64_t end)
{
	struct hit hit = { .start = start, .window = window, .end = end, .kind = HIT_ARCHIVE,
			   .archive = kind };

	return add_hit(scan, &hit);
}

static int add_simple(struct scan *scan, enum hit_kind kind, uint64_t start)
{
	struct hit hit = { .start = start, .window = start, .end = scan->size, .kind = kind };

	return add_hit(scan, &hit);
}

/* ---- what stands behind a magic ---- */

static uint8_t sum_of_bytes(const uint8_t *word)
{
	return (uint8_t)(word[0] + word[1] + word[2] + word[3]);
}

/*
 * FS4, FS5: version, then ff. FS3: version, then zeros. FS2: two words that add up to 0, the length of the
 * image. firmware-images.md 2.1, 3.1, 4.1
 */
static bool plausible_image(const struct scan *scan, uint64_t at)
{
	const uint8_t *image = scan->bytes + at;

	if (!has(scan, at, 0x40))
		return false;
	if (image[4] == 0xab)
		return image[0x10] >= 1 && image[0x10] <= 2 && be32(image + 0x14) == UINT32_MAX;
	if (image[0x24] == 3)
		return image[0x26] <= 1 && !be32(image + 0x28) && !be32(image + 0x2c);
	return be32(image + 0x24) && be32(image + 0x28) && !sum_of_bytes(image + 0x28) &&
	       !sum_of_bytes(image + 0x2c) && be32(image + 0x30) <= IMAGE_MOST && !(be32(image + 0x30) & 3);
}

/* A major version, reserved zeros, then the header of the section MAP: firmware-images.md 7.1. */
static bool plausible_mfa1(const struct scan *scan, uint64_t at)
{
	const uint8_t *head = scan->bytes + at;

	return has(scan, at, 28) && be16(head + 4) <= 1 && !be32(head + 8) && !be32(head + 12) &&
		head[16] == 1;
}

/* The package's multi-part TLV: firmware-images.md 7.2.1. */
static bool plausible_mfa2(const struct scan *scan, uint64_t at)
{
	return stands(scan, at + 0x10, "\0\1\0\4", 4);
}

static bool plausible_pldm(const struct scan *scan, uint64_t at)
{
	const uint8_t *head = scan->bytes + at;

	return has(scan, at, 36) && head[16] >= 1 && head[16] <= 4 && has(scan, at, le16(head + 17));
}

static int look_at_m(struct scan *scan, uint64_t at)
{
	static const uint8_t fs2[16] = {
		0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00, 0xde, 0xad, 0x92, 0x70, 0x41, 0x54,
		0xbe, 0xef,
	};
	static const uint8_t fs4[16] = {
		0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00, 0xfa, 0xde, 0x12, 0x34, 0x56, 0x78,
		0xde, 0xad,
	};
	const uint8_t *head = scan->bytes + at;

	switch (scan->size - at > 1 ? head[1] : 0) {
	case 'T':
		if ((stands(scan, at, fs2, sizeof(fs2)) || stands(scan, at, fs4, sizeof(fs4))) &&
		    plausible_image(scan, at))
			return add_simple(scan, HIT_IMAGE, at);
		return 0;
	case 'F':
		return stands(scan, at, "MFAR", 4) && plausible_mfa1(scan, at) ?
		       add_simple(scan, HIT_CONTAINER, at) : 0;
	case 'L':
		return stands(scan, at, "MLNX.MFA2.XZ.00!", 16) && plausible_mfa2(scan, at) ?
		       add_simple(scan, HIT_CONTAINER, at) : 0;
	case 'S':
		/* reserved words, version 1.3, at least one folder and one file; le32(8) is its length */
		if (!stands(scan, at, "MSCF\0\0\0\0", 8) || !has(scan, at, 36) || le32(head + 12) ||
		    le16(head + 24) != 0x103 || !le16(head + 26) || !le16(head + 28) || le32(head + 8) < 36)
			return 0;
		return add_archive(scan, EMBEDDED_CAB, at, at,
				   has(scan, at, le32(head + 8)) ? at + le32(head + 8) : scan->size);
	}
	return 0;
}

static int look_at_7z(struct scan *scan, uint64_t at)
{
	const uint8_t *head = scan->bytes + at;
	uint64_t next, length;

	if (!stands(scan, at, "7z\xbc\xaf\x27\x1c", 7) || !has(scan, at, 32) ||
	    crc32(0, head + 12, 20) != le32(head + 8))
		return 0;
	next = le64(head + 12);
	length = le64(head + 20);
	if (!has(scan, at + 32, next) || !has(scan, at + 32 + next, length))
		return 0;
	return add_archive(scan, EMBEDDED_7Z, at, at, at + 32 + next + length);
}

static int look_at_rpm(struct scan *scan, uint64_t at)
{
	if (!stands(scan, at, "\xed\xab\xee\xdb\x03", 5) || !has(scan, at, 96) ||
	    be16(scan->bytes + at + 78) != 5)
		return 0;
	return add_archive(scan, EMBEDDED_RPM, at, at, scan->size);
}

/* The first member's offset, by the central directory. */
static uint64_t zip_first(struct scan *scan, uint64_t directory, uint64_t end)
{
	uint64_t first = UINT64_MAX;

	while (end - directory >= 46 && stands(scan, directory, "PK\1\2", 4) &&
	       scan->zip_entries++ < SCAN_ZIP_ENTRIES) {
		const uint8_t *entry = scan->bytes + directory;
		uint64_t length = 46ULL + le16(entry + 28) + le16(entry + 30) + le16(entry + 32);

		if (le32(entry + 42) < first)
			first = le32(entry + 42);
		if (length > end - directory)
			break;
		directory += length;
	}
	return first;
}

/*
 * A ZIP is found by the record at its end: what is in front of it, be it a program, does not
 * matter then. Offsets count from its own start, or from that of the file (zip -A).
 */
static int look_at_zip_end(struct scan *scan, uint64_t at)
{
	const uint8_t *record = scan->bytes + at;
	uint64_t length, offset, directory_end = at, directory, first, end;

	if (!stands(scan, at, "PK\5\6", 4) || !has(scan, at, 22))
		return 0;
	length = le32(record + 12);
	offset = le32(record + 16);
	end = at + 22 + le16(record + 20);
	if (end > scan->size || !le16(record + 10))
		return 0;
	if ((length == UINT32_MAX || offset == UINT32_MAX || le16(record + 10) == UINT16_MAX) && at >= 76 &&
	    stands(scan, at - 20, "PK\6\7", 4) && stands(scan, at - 76, "PK\6\6", 4)) {
		length = le64(record - 76 + 40);
		offset = le64(record - 76 + 48);
		directory_end = at - 76;
	}
	if (length > directory_end || offset > directory_end - length)
		return 0;
	directory = directory_end - length;
	first = zip_first(scan, directory, directory_end);
	if (first > length + offset || !stands(scan, directory - offset + first, "PK\3\4", 4))
		return 0;
	return add_archive(scan, EMBEDDED_ZIP, directory - offset + first, directory - offset, end);
}

static int look_at(struct scan *scan, uint64_t at)
{
	static const uint8_t pldm[16] = {
		0xf0, 0x18, 0x87, 0x8c, 0xcb, 0x7d, 0x49, 0x43, 0x98, 0x00, 0xa0, 0x2f, 0x05, 0x9a,
		0xca, 0x02,
	};

	switch (scan->bytes[at]) {
	case 'M':
		return look_at_m(scan, at);
	case 'P':
		return look_at_zip_end(scan, at);
	case '7':
		return look_at_7z(scan, at);
	case 0xed:
		return look_at_rpm(scan, at);
	case 0xf0:
		return stands(scan, at, pldm, sizeof(pldm)) && plausible_pldm(scan, at) ?
		       add_simple(scan, HIT_CONTAINER, at) : 0;
	}
	return 0;
}

/* ---- what stands only at the start of a file ---- */

static bool is_stream(const struct scan *scan, uint64_t at)
{
	return stands(scan, at, "\x1f\x8b\x08", 3) || stands(scan, at, "\xfd" "7zXZ\0", 6) ||
	       stands(scan, at, "\x28\xb5\x2f\xfd", 4) || stands(scan, at, "\x04\x22\x4d\x18", 4) ||
	       (stands(scan, at, "BZh", 3) && stands(scan, at + 4, "1AY&SY", 6));
}

static bool is_tar(const struct scan *scan, uint64_t at)
{
	return stands(scan, at + 257, "ustar", 5);
}

/* An archive that is appended to a shell script begins behind one of its lines. */
static int look_behind_script(struct scan *scan)
{
	uint64_t end = scan->size < (4U << 20) ? scan->size : 4U << 20, at = 0;

	while (at < end) {
		const uint8_t *line = memchr(scan->bytes + at, '\n', end - at);

		if (!line)
			return 0;
		at = line + 1 - scan->bytes;
		if (is_stream(scan, at))
			return add_archive(scan, EMBEDDED_STREAM, at, at, scan->size);
		if (is_tar(scan, at))
			return add_archive(scan, EMBEDDED_TAR, at, at, scan->size);
	}
	return 0;
}

static int look_at_start(struct scan *scan)
{
	uint64_t end = scan->size;

	if (stands(scan, 0, "#!", 2))
		return look_behind_script(scan);
	if (is_stream(scan, 0))
		return add_archive(scan, EMBEDDED_STREAM, 0, 0, end);
	if (is_tar(scan, 0))
		return add_archive(scan, EMBEDDED_TAR, 0, 0, end);
	if (stands(scan, 0, "!<arch>\n", 8))
		return add_archive(scan, EMBEDDED_AR, 0, 0, end);
	if (stands(scan, 0, "07070", 5) && end > 110)
		return add_archive(scan, EMBEDDED_CPIO, 0, 0, end);
	if (stands(scan, 0x8001, "CD001", 5))
		return add_archive(scan, EMBEDDED_ISO, 0, 0, end);
	return 0;
}

/* A ZIP whose end is missing: a download that broke off. */
static int look_for_cut_zip(struct scan *scan)
{
	size_t i;

	if (!stands(scan, 0, "PK\3\4", 4))
		return 0;
	for (i = 0; i < scan->count; i++)
		if (!scan->hits[i].start)
			return 0;
	return add_archive(scan, EMBEDDED_ZIP, 0, 0, scan->size);
}

/* ---- through the whole file ---- */

static int look_for_byte(struct scan *scan, int byte, uint64_t at, uint64_t end)
{
	const uint8_t *found;
	int code = 0;

	while (!code && at < end) {
		found = memchr(scan->bytes + at, byte, end - at);
		if (!found)
			break;
		at = found - scan->bytes;
		code = look_at(scan, at++);
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
	code = look_at_start(&scan);
	if (!code)
		code = look_everywhere(&scan);
	if (!code)
		code = look_for_cut_zip(&scan);
	if (code) {
		container_no_memory(&error);
		code = search_trouble(search, inside, -ENOMEM, &error);
	} else {
		code = take_all(&scan, inside, nested);
	}
	free(scan.hits);
	return code;
}
