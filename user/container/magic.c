// SPDX-License-Identifier: GPL-2.0-only
/*
 * Images, containers and archives by their first bytes. What looks like the start of one must also look
 * like it behind its magic: tools of the trade, this one included, carry the magics as constants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "private.h"
#include "scan.h"

#define SCAN_HITS	65536
#define SCAN_ZIP_ENTRIES (1U << 20)	/* of all directories together: many ends may claim the same one */

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

int scan_look_at(struct scan *scan, uint64_t at)
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

int scan_look_at_start(struct scan *scan)
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

int scan_look_for_cut_zip(struct scan *scan)
{
	size_t i;

	if (!stands(scan, 0, "PK\3\4", 4))
		return 0;
	for (i = 0; i < scan->count; i++)
		if (!scan->hits[i].start)
			return 0;
	return add_archive(scan, EMBEDDED_ZIP, 0, 0, scan->size);
}
