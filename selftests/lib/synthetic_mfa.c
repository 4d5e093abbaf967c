// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic containers: MFA1 and MFA2. firmware-images.md 7.1, 7.2. */
#include <openssl/sha.h>
#include <stdio.h>
#include <zlib.h>

#include "synthetic_private.h"

static void add_be16(struct bytes *bytes, uint32_t value)
{
	store_be16(bytes_add(bytes, NULL, 2), value);
}

static void add_be32(struct bytes *bytes, uint32_t value)
{
	store_be32(bytes_add(bytes, NULL, 4), value);
}

static void add_padded(struct bytes *bytes, const char *text, size_t room)
{
	store_text(bytes_add(bytes, NULL, room), room, text);
}

/* ---- MFA1 ---- */

enum { MAP = 1, TOC, DATA };

/* At the end of a word list: key, NUL, value, NUL. */
static void add_pair(struct bytes *bytes, const char *key, const char *value)
{
	bytes_add(bytes, key, strlen(key) + 1);
	bytes_add(bytes, value, strlen(value) + 1);
}

static void add_map_entry(struct bytes *map, const struct member_facts *facts, uint32_t toc_offset)
{
	struct bytes metadata = { 0 };

	add_pair(&metadata, "PN", facts->part_number);
	add_pair(&metadata, "DESCRIPTION", facts->description);
	bytes_align(&metadata, 8);
	add_padded(map, facts->psid, 32);
	bytes_add(map, "\1", 2);			/* one image */
	add_be16(map, 4 + metadata.length);
	bytes_add(map, "\1", 2);			/* keys and values: two */
	add_be16(map, 2);
	bytes_add(map, metadata.data, metadata.length);
	free(metadata.data);
	add_be32(map, toc_offset);
	add_be16(map, 1);				/* firmware */
	bytes_add(map, "\0\1", 2);			/* group 1 */
	bytes_add(map, NULL, 32);
}

static void add_toc_entry(struct bytes *toc, const struct member_facts *facts, uint64_t offset, uint32_t size)
{
	unsigned int i;

	add_be32(toc, (uint32_t)offset);
	add_be32(toc, size);
	add_be16(toc, 1);
	bytes_add(toc, "\0\3", 2);
	for (i = 0; i < 3; i++)
		add_be16(toc, facts->version[i]);
	add_be16(toc, 0);
	add_be16(toc, offset >> 32);
	add_be16(toc, 0);
}

static void add_mfa1_section(struct bytes *archive, const struct synthetic_archive *what, unsigned int type,
			     struct bytes *body)
{
	if (what->compressed)
		compress_xz(body, what->dictionary);
	bytes_align(body, 4);
	bytes_add(archive, (uint8_t[]){ type, 0, 0, what->compressed }, 4);
	add_be32(archive, body->length);
	bytes_add(archive, body->data, body->length);
	free(body->data);
}

uint8_t *synthetic_mfa1(const struct synthetic_archive *what, size_t *length)
{
	struct bytes map = { 0 }, toc = { 0 }, data = { 0 }, archive = { 0 };
	size_t i;

	for (i = 0; i < what->count; i++) {
		const struct synthetic_member *member = &what->members[i];
		struct member_facts facts;

		settle_member(member, &facts);
		add_map_entry(&map, &facts, toc.length);
		add_toc_entry(&toc, &facts, data.length, member->length);
		bytes_add(&data, member->image, member->length);
	}
	bytes_add(&archive, "MFAR", 4);
	add_be32(&archive, 1);
	bytes_add(&archive, NULL, 8);
	add_mfa1_section(&archive, what, MAP, &map);
	add_mfa1_section(&archive, what, TOC, &toc);
	add_mfa1_section(&archive, what, DATA, &data);
	add_be32(&archive, crc32(0, archive.data, archive.length));
	*length = archive.length;
	return archive.data;
}

/* ---- MFA2 ---- */

enum { MULTI = 1, PACKAGE, DEVICE, COMPONENT, VERSION = 0x21, POINTER = 0x22, DIGEST = 0x27, PSID = 0x2a };

#define FIRST_DIGEST 0x4cU
#define SECOND_DIGEST 0x70U

/* The payload, zeros, to be filled in. Padding comes before the next one. */
static uint8_t *add_tlv(struct bytes *bytes, unsigned int type, size_t length)
{
	bytes_align(bytes, 4);
	bytes_add(bytes, (uint8_t[]){ 0, type }, 2);
	add_be16(bytes, length);
	return bytes_add(bytes, NULL, length);
}

/* The total counts members with their headers, but not their padding. */
static void add_multi(struct bytes *bytes, unsigned int extensions, size_t total)
{
	uint8_t *at = add_tlv(bytes, MULTI, 4);

	store_be16(at, extensions);
	store_be16(at + 2, total);
}

/* Major, minor, subminor, date of the archive: two codings (7.2.2). */
static void store_archive_version(uint8_t *at, bool old_packing)
{
	static const uint8_t of_old[12] = { 1, 77, 0, 2, 0x19, 0x92, 0x09, 0x20 };
	/* 2022-11-20: months count from 0 */
	static const uint8_t newer[12] = { 1, 0, 0, 0, 0x07, 0xe6, 10, 20, 12, 34, 56 };

	memcpy(at, old_packing ? of_old : newer, 12);
}

/* 7.2.4: the minor version never fits. */
static void store_component_version(uint8_t *at, const struct member_facts *facts, bool old_packing)
{
	at[0] = facts->version[0];
	if (old_packing) {
		at[1] = facts->version[2] & 0xff;
		at[3] = facts->version[1] & 0xff;
	} else {
		at[1] = facts->version[1] & 0xff;
		store_be16(at + 2, facts->version[2]);
		at[8] = 0x12;
	}
	store_be32(at + 4, facts->date);
}

static void add_device(struct bytes *archive, const struct member_facts *facts, size_t component)
{
	size_t psid = strlen(facts->psid);
	uint8_t *at;

	add_multi(archive, 2, 4 + 4 + psid + 4 + 8);
	add_tlv(archive, DEVICE, 0);
	memcpy(add_tlv(archive, PSID, psid), facts->psid, psid);
	at = add_tlv(archive, POINTER, 8);
	store_be16(at, 1);
	store_be16(at + 2, component);
}

static void add_component(struct bytes *archive, const struct member_facts *facts, uint64_t offset,
			  size_t size, bool old_packing)
{
	uint8_t *at;

	add_multi(archive, 1, 4 + 16 + 4 + 12);
	at = add_tlv(archive, COMPONENT, 16);
	store_be64(at + 4, offset);
	store_be32(at + 12, size);
	store_component_version(add_tlv(archive, VERSION, 12), facts, old_packing);
}

static void add_descriptors(struct bytes *archive, const struct synthetic_archive *what, struct bytes *block)
{
	struct member_facts facts;
	size_t i;

	for (i = 0; i < what->count; i++) {
		settle_member(&what->members[i], &facts);
		add_device(archive, &facts, i);
	}
	for (i = 0; i < what->count; i++) {
		const struct synthetic_member *member = &what->members[i];
		uint64_t offset = block->length;
		uint8_t *image;

		settle_member(member, &facts);
		add_component(archive, &facts, offset, member->length, what->old_packing);
		bytes_add(block, "#BIN.COMPONENT!#", 16);
		image = bytes_add(block, member->image, member->length);
		memset(image, 0xff, member->length < MAGIC_LENGTH ? member->length : MAGIC_LENGTH);
	}
	bytes_align(archive, 4);
}

uint8_t *synthetic_mfa2(const struct synthetic_archive *what, size_t *length)
{
	struct bytes archive = { 0 }, block = { 0 };
	uint8_t digests[2][32];
	size_t unpacked, start;
	uint8_t *package;

	bytes_add(&archive, "MLNX.MFA2.XZ.00!", 16);
	add_multi(&archive, 3, 0x78);
	add_tlv(&archive, PACKAGE, 0x1c);
	store_archive_version(add_tlv(&archive, VERSION, 12), what->old_packing);
	add_tlv(&archive, DIGEST, 32);
	add_tlv(&archive, DIGEST, 32);
	add_descriptors(&archive, what, &block);
	unpacked = block.length;
	compress_xz(&block, what->dictionary);
	bytes_add(&block, NULL, what->padding);
	start = archive.length;
	bytes_add(&archive, block.data, block.length);
	package = archive.data + 0x1c;
	store_be16(package, what->count);
	store_be16(package + 2, what->count);
	store_be32(package + 4, start);
	store_be32(package + 8, block.length);
	store_be64(package + 12, unpacked);
	package[20] = 1;
	free(block.data);
	SHA256(archive.data, archive.length, digests[0]);
	SHA256(archive.data, start, digests[1]);
	memcpy(archive.data + FIRST_DIGEST, digests[0], 32);
	memcpy(archive.data + SECOND_DIGEST, digests[1], 32);
	*length = archive.length;
	return archive.data;
}
