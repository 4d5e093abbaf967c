// SPDX-License-Identifier: GPL-2.0-only
/*
 * What covers the sections of FS3 and FS4 besides CRCs, renewed after an edit: the table of hashes and the
 * plain digest. firmware-images.md 4.6, 4.7.
 */
#include <errno.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "edit_parts.h"
#include "toc_verify.h"

#define HTOC		0x0c		/* in the hashes table */
#define HTOC_ENTRIES	0x1c
#define HTOC_TYPE_ITOC	0xfd

#define A0_LENGTH	0x40		/* identities and the plain digest */

/* ---- hashes: 4.6 ---- */

static unsigned int hash_entries(const struct toc_editor *t)
{
	return t->e->out[t->hashes + HTOC + 7];
}

/* The type that a hash is of, and where it stands; false: the entry is impossible. */
static bool hash_entry(const struct toc_editor *t, unsigned int nth, uint32_t *type, uint32_t *at)
{
	uint32_t word = get32(t->e->out + t->hashes + HTOC_ENTRIES + 8 * nth);
	uint32_t size = 4 * (get32(t->e->out + t->hashes + 4) + 4);

	*type = word >> 16 & 0xff;
	*at = t->hashes + HTOC + (word & 0xffff);
	return (word & 0xffff) + HTOC + 64 <= size;
}

/* What the hash is over, as it is now. false: there is no such section. */
static bool hash_now(const struct toc_editor *t, uint32_t type, uint8_t hash[64])
{
	int at = entry_find(t, type);
	uint8_t *table;

	if (type != HTOC_TYPE_ITOC) {
		if (at >= 0)
			SHA512(t->e->out + entry_address(t->entries[at]), entry_size(t->entries[at]), hash);
		return at >= 0;
	}
	table = malloc(TOC_HEADER + sizeof(t->entries));
	if (!table)
		return false;
	memcpy(table, t->e->out + t->itoc, TOC_HEADER);
	memcpy(table + TOC_HEADER, t->entries, t->count * TOC_ENTRY);
	SHA512(table, TOC_HEADER + t->count * TOC_ENTRY, hash);
	free(table);
	return true;
}

int remember_hashes(struct toc_editor *t)
{
	uint32_t words, version, type, at;
	unsigned int i, most;

	if (!t->hashes)
		return 0;
	if ((uint64_t)t->hashes + HTOC_ENTRIES > t->e->length)
		return image_fail(t->e->error, -EBADMSG, t->hashes,
				  _("the hashes table lies outside the image"));
	words = get32(t->e->out + t->hashes + 4);
	version = get32(t->e->out + t->hashes + HTOC);
	most = version == 1 ? 64 : 28;
	if (version > 1 || get32(t->e->out + t->hashes + HTOC + 4) >> 16 != 64 || hash_entries(t) > most ||
	    4 * (words + 4ULL) != HTOC + 16 + most * (8 + 64ULL) + 8 ||
	    t->hashes + 4 * (words + 4ULL) > t->e->length)
		return image_fail(t->e->error, -EOPNOTSUPP, t->hashes,
				  _("the hashes table has an unknown form: it could not be renewed"));
	for (i = 0; i < hash_entries(t); i++)
		if (!hash_entry(t, i, &type, &at) || !hash_now(t, type, t->old_hashes[i]))
			memset(t->old_hashes[i], 0, 64);
	return 0;
}

int renew_hashes(struct toc_editor *t)
{
	uint32_t type, at, end;
	uint8_t hash[64];
	unsigned int i;

	for (i = 0; t->hashes && i < hash_entries(t); i++) {
		if (!hash_entry(t, i, &type, &at) || !hash_now(t, type, hash) ||
		    !memcmp(hash, t->old_hashes[i], sizeof(hash)))
			continue;
		if (memcmp(t->e->out + at, t->old_hashes[i], sizeof(hash)))
			return image_fail(t->e->error, -EOPNOTSUPP, at,
					  _("the hash of %s is not its SHA-512: it could not be renewed"),
					  section_type_name(type));
		memcpy(t->e->out + at, hash, sizeof(hash));
	}
	if (t->hashes) {
		end = t->hashes + 4 * (get32(t->e->out + t->hashes + 4) + 4) - 4;
		put32(t->e->out + end, (get32(t->e->out + end) & 0xffff0000) |
					       image_crc16(t->e->out + t->hashes, end - t->hashes));
	}
	return 0;
}

static bool has_hash(const struct toc_editor *t, uint32_t wanted)
{
	uint32_t type, at;
	unsigned int i;

	for (i = 0; t->hashes && i < hash_entries(t); i++)
		if (hash_entry(t, i, &type, &at) && type == wanted)
			return true;
	return false;
}

/* ---- the plain digest: 4.7 ---- */

static bool all_ones_or_zeros(const uint8_t *bytes, size_t length)
{
	return all_bytes(bytes, length, 0) || all_bytes(bytes, length, 0xff);
}

/* The digest that an unsigned image carries in A0; NULL: none. */
static uint8_t *plain_digest(struct toc_editor *t, int *at)
{
	uint8_t *bytes;

	*at = entry_find(t, SECTION_SIGNATURE_256);
	if (*at < 0 || entry_size(t->entries[*at]) < A0_LENGTH)
		return NULL;
	bytes = t->e->out + entry_address(t->entries[*at]) + 0x20;
	return all_ones_or_zeros(bytes, 32) ? NULL : bytes;
}

int renew_digest(struct toc_editor *t)
{
	static const uint32_t masked[2] = { SECTION_SIGNATURE_256, 0 };
	struct image_memory memory = { t->e->out, t->e->length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_view view = { &reader, t->e->facts->place };
	uint8_t sha256[32], *digest;
	struct toc toc;
	int at, code;

	digest = plain_digest(t, &at);
	if (!digest)
		return 0;
	if (has_hash(t, HTOC_TYPE_ITOC) && entry_crc_mode(t, t->entries[at]) == TOC_CRC_IN_ENTRY)
		return image_fail(t->e->error, -EOPNOTSUPP, t->hashes,
				  _("hashes table and digest cover each other: they could not be renewed"));
	code = toc_read(&view, t->itoc, "ITOC", &toc, t->e->error);
	if (!code)
		code = message_digest(&view, &toc, masked, sha256, NULL, t->e->error);
	if (code)
		return code;
	memcpy(digest, sha256, sizeof(sha256));
	entry_seal(t, t->entries[at]);
	entries_write(t);
	t->e->digest_renewed = true;
	return 0;
}
