// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic containers: PLDM packages. firmware-images.md 7.3; little-endian. */
#include <zlib.h>

#include "synthetic_private.h"

#define FIRMWARE_CLASS 0x000a
#define FIRMWARE_ID 1

static void add_le16(struct bytes *bytes, uint32_t value)
{
	store_le16(bytes_add(bytes, NULL, 2), value);
}

static void add_le32(struct bytes *bytes, uint32_t value)
{
	store_le32(bytes_add(bytes, NULL, 4), value);
}

static void add_byte(struct bytes *bytes, unsigned int value)
{
	bytes_add(bytes, (uint8_t[]){ value }, 1);
}

/* ASCII, its length before it; between says what stands between length and text. */
static void add_text(struct bytes *bytes, const char *text)
{
	add_byte(bytes, 1);
	add_byte(bytes, strlen(text));
	bytes_add(bytes, text, strlen(text));
}

/* Two descriptors: the PCI vendor, and the PSID as a vendor defines it. */
static void add_descriptors(struct bytes *record, const char *psid)
{
	add_le16(record, 0);
	add_le16(record, 2);
	add_le16(record, 0x15b3);
	add_le16(record, 0xffff);
	add_le16(record, 2 + 4 + strlen(psid));
	add_text(record, "PSID");
	bytes_add(record, psid, strlen(psid));
}

static void add_device(struct bytes *header, const struct member_facts *facts, size_t component,
		       size_t bitmap)
{
	struct bytes record = { 0 };
	size_t at, version = strlen(facts->version_text);

	add_le16(&record, 0);
	add_byte(&record, 2);
	add_le32(&record, 1);
	add_byte(&record, 1);
	add_byte(&record, version);
	add_le16(&record, 0);
	at = record.length;
	bytes_add(&record, NULL, bitmap);
	record.data[at + component / 8] |= 1 << component % 8;
	bytes_add(&record, facts->version_text, version);
	add_descriptors(&record, facts->psid);
	store_le16(record.data, record.length);
	bytes_add(header, record.data, record.length);
	free(record.data);
}

static void add_component(struct bytes *header, const struct member_facts *facts, size_t offset, size_t size)
{
	add_le16(header, FIRMWARE_CLASS);
	add_le16(header, FIRMWARE_ID);
	add_le32(header, 0xffffffff);
	add_le16(header, 0);
	add_le16(header, 0);
	add_le32(header, offset);
	add_le32(header, size);
	add_text(header, facts->version_text);
}

static void make_header(struct bytes *header, const struct synthetic_archive *what, size_t data)
{
	static const uint8_t uuid[16] = {
		0xf0, 0x18, 0x87, 0x8c, 0xcb, 0x7d, 0x49, 0x43, 0x98, 0x00, 0xa0, 0x2f, 0x05, 0x9a, 0xca, 0x02
	};
	/* 2022-11-20 12:34:56: UTC offset, microseconds, s, m, h, day, month, year, resolution */
	static const uint8_t date[13] = { 0, 0, 0, 0, 0, 56, 34, 12, 20, 11, 0xe6, 0x07, 0 };
	size_t bitmap = round_up(what->count ? what->count : 1, 8) / 8, i;
	struct member_facts facts;

	bytes_add(header, uuid, sizeof(uuid));
	add_byte(header, 1);
	add_le16(header, 0);
	bytes_add(header, date, sizeof(date));
	add_le16(header, bitmap * 8);
	add_text(header, "synthetic");
	add_byte(header, what->count);
	for (i = 0; i < what->count; i++) {
		settle_member(&what->members[i], &facts);
		add_device(header, &facts, i, bitmap);
	}
	add_le16(header, what->count);
	for (i = 0; i < what->count; i++) {
		settle_member(&what->members[i], &facts);
		add_component(header, &facts, data, what->members[i].length);
		data += what->members[i].length;
	}
	store_le16(header->data + 17, header->length + 4);
	add_le32(header, crc32(0, header->data, header->length));
}

uint8_t *synthetic_pldm(const struct synthetic_archive *what, size_t *length)
{
	struct bytes package = { 0 };
	size_t i, data;

	if (what->count > 255)
		return NULL;
	/* Once for the length of the header, once with the places of the components. */
	make_header(&package, what, 0);
	data = package.length;
	package.length = 0;
	make_header(&package, what, data);
	for (i = 0; i < what->count; i++)
		bytes_add(&package, what->members[i].image, what->members[i].length);
	*length = package.length;
	return package.data;
}
