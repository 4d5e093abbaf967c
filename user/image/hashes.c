// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of hashes of FS4 and FS5: firmware-images.md 4.6. No vendor's tool compares the SHA-512 values
 * and no whole image with a table was at hand, so a hash that differs is called unusual, not damage.
 */
#include <errno.h>

#include "fs4_verify.h"
#include "sha256.h"

#define TABLE_HEADER 12
#define HTOC_HEADER 16
#define HTOC_ENTRY 8
#define HASH_LENGTH 64
#define TABLE_TAIL 8
#define TYPE_ITOC 0xfd

uint64_t fs4_hashes_length(uint32_t words)
{
	return words && words < FS4_HASHES_MOST / 4 ? 4ULL * words + 16 : 0;
}

static int hash_piece(void *context, const uint8_t *bytes, size_t length)
{
	SHA512_Update(context, bytes, length);
	return 0;
}

int view_sha512(const struct image_view *view, uint64_t start, uint64_t length, uint8_t hash[HASH_LENGTH],
		struct image_error *error)
{
	SHA512_CTX context;
	int code;

	SHA512_Init(&context);
	code = view_pieces(view, start, length, hash_piece, &context, error);
	if (!code)
		SHA512_Final(hash, &context);
	return code;
}

/* What the nth entry of a type covers; false: not known, or not there. */
static bool covered(const struct toc *toc, uint32_t type, unsigned int nth, uint64_t *start, uint64_t *length)
{
	const struct toc_section *section;

	if (type == TYPE_ITOC) {
		*start = toc->address;
		*length = TOC_HEADER + toc->count * TOC_ENTRY;
		return true;
	}
	section = toc_find(toc, type, nth);
	if (!section)
		return false;
	*start = section->address;
	*length = section->size;
	return true;
}

struct table {
	struct image_check *check;
	const struct image_view *view;
	const struct toc *toc;
	uint32_t at, length;
	unsigned int entries, count;
	uint8_t seen[256];		/* how many entries of a type came so far */
};

static int check_entry(struct table *table, unsigned int number, struct image_error *error)
{
	uint32_t at = table->at + TABLE_HEADER + HTOC_HEADER + number * HTOC_ENTRY, type, offset;
	uint8_t entry[HTOC_ENTRY], stored[HASH_LENGTH], hash[HASH_LENGTH];
	uint64_t start, length;
	int code;

	code = view_read(table->view, at, entry, sizeof(entry), error);
	if (code)
		return code;
	type = entry[1];
	offset = get32(entry) & 0xffff;
	if (TABLE_HEADER + offset + HASH_LENGTH > table->length || offset & 3) {
		check_finding(table->check, IMAGE_UNUSUAL, "HASHES_TABLE", at,
			      _("entry %u leads out of the table"), number);
		return 0;
	}
	if (!covered(table->toc, type, table->seen[type]++, &start, &length) ||
	    !view_holds(table->view, start, length))
		return 0;
	code = view_read(table->view, table->at + TABLE_HEADER + offset, stored, sizeof(stored), error);
	if (!code)
		code = view_sha512(table->view, start, length, hash, error);
	if (!code && memcmp(hash, stored, sizeof(hash)))
		check_compared(table->check, IMAGE_UNUSUAL, "HASHES_TABLE", table->at + TABLE_HEADER + offset,
			       get32(hash), get32(stored),
			       _("the hash of %s is another (first words compared)"),
			       type == TYPE_ITOC ? "ITOC" : section_type_name(type));
	return code;
}

static int check_entries(struct table *table, struct image_error *error)
{
	uint8_t htoc[HTOC_HEADER];
	unsigned int i;
	uint32_t size;
	int code;

	code = view_read(table->view, table->at + TABLE_HEADER, htoc, sizeof(htoc), error);
	if (code)
		return code;
	table->entries = get32(htoc) == 1 ? 64 : 28;
	table->count = htoc[7];
	size = TABLE_HEADER + HTOC_HEADER + table->entries * (HTOC_ENTRY + HASH_LENGTH) + TABLE_TAIL;
	if (get32(htoc) > 1 || htoc[6] || get32(htoc + 4) >> 16 != HASH_LENGTH ||
	    table->count > table->entries || table->length != size) {
		check_compared(table->check, IMAGE_UNUSUAL, "HASHES_TABLE", table->at + TABLE_HEADER, size,
			       table->length, _("a form of the table that is not known"));
		return 0;
	}
	if (!table->toc)
		return 0;
	for (i = 0; i < table->count && !code; i++)
		code = check_entry(table, i, error);
	return code;
}

int hashes_verify(struct image_check *check, const struct image_view *view, uint32_t at,
		  const struct toc *toc, struct image_error *error)
{
	struct table table = { .check = check, .view = view, .toc = toc, .at = at };
	uint8_t header[TABLE_HEADER];
	int code;

	if (!view_holds(view, at, sizeof(header))) {
		check_finding(check, IMAGE_DAMAGED, "HASHES_TABLE", at, _("it lies outside the image"));
		return 0;
	}
	code = view_read(view, at, header, sizeof(header), error);
	if (code)
		return code;
	if (get32(header + 8) != image_crc16(header, 8)) {
		check_compared(check, IMAGE_DAMAGED, "HASHES_TABLE", at + 8, image_crc16(header, 8),
			       get32(header + 8), _("wrong CRC of its header"));
		return 0;
	}
	table.length = fs4_hashes_length(get32(header + 4));
	if (table.length < TABLE_HEADER + HTOC_HEADER + TABLE_TAIL) {
		check_finding(check, IMAGE_DAMAGED, "HASHES_TABLE", at + 4, _("an impossible size"));
		return 0;
	}
	code = verify_crc(check, view, "HASHES_TABLE", 0, at, table.length, (uint64_t)at + table.length - 4,
			  (uint64_t)at + table.length - 4, error);
	if (code || !view_holds(view, at, table.length))
		return code;
	return check_entries(&table, error);
}
