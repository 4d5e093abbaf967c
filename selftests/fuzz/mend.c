// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksums made right behind a mutation, with those of selftests/lib: what a fuzzer cannot guess
 * must not stop it. Damage that only a checksum would show thus gets past it, on purpose.
 */
#include <openssl/sha.h>
#include <zlib.h>

#include "../lib/synthetic_private.h"
#include "fuzz.h"

#define ENTRY 0x20U
#define ENTRIES 64U

struct mended {
	uint8_t *data;
	size_t size;
};

static bool inside(const struct mended *image, size_t at, size_t length)
{
	return at <= image->size && length <= image->size - at;
}

static uint32_t word(const struct mended *image, size_t at)
{
	return inside(image, at, 4) ? load_be32(image->data + at) : 0;
}

static void seal(struct mended *image, size_t at, size_t length, size_t crc_at)
{
	if (inside(image, at, length) && inside(image, crc_at, 4))
		store_be32(image->data + crc_at, synthetic_crc16(image->data + at, length));
}

static void seal_boot2(struct mended *image, size_t at)
{
	size_t length = 4 * ((size_t)word(image, at + 4) + 3);

	seal(image, at, length, at + length);
}

static void byte_sum(struct mended *image, size_t at)
{
	uint8_t *bytes = image->data + at;

	bytes[0] = -(bytes[1] + bytes[2] + bytes[3]);
}

static void mend_fs2(struct mended *image)
{
	size_t at = 0x38, length;
	unsigned int i;

	if (image->size < 0x40)
		return;
	byte_sum(image, 0x28);
	byte_sum(image, 0x2c);
	for (i = 0; i < 2 && (!i || !word(image, at) || word(image, at) > 12); i++) {
		seal_boot2(image, at);
		at += 4 * ((size_t)word(image, at + 4) + 4);
	}
	for (i = 0; i < ENTRIES && inside(image, at, 16); i++) {
		length = 16 + (word(image, at) == 4 ? round_up(word(image, at + 4), 4)
						    : 4 * (size_t)word(image, at + 4));
		seal(image, at, length, at + length);
		if (word(image, at + 12) == 0xff000000 || word(image, at + 12) <= at)
			break;
		at = word(image, at + 12);
	}
	length = word(image, 0x30);
	if (!inside(image, 0, length))
		return;
	store_be16(image->data + 0x22, 0xffff);
	store_be16(image->data + 0x22, synthetic_crc16(image->data, length));
}

/* What an entry says of its section; DEV_INFO has its CRC in itself. */
static void mend_entry(struct mended *image, size_t at, bool fs3)
{
	size_t start = word(image, at + 0x14) & 0x7ffffffc, length = word(image, at) & 0xfffffc;
	unsigned int mode = word(image, at + 0x18) >> 16 & (fs3 ? 1 : 7);

	if (mode == 2 && length >= 4)
		seal(image, start, length - 4, start + length - 4);
	if (!mode && inside(image, start, length))
		store_be16(image->data + at + 0x1a, synthetic_crc16(image->data + start, length));
	seal(image, at, 0x1c, at + 0x1c);
}

static bool mend_toc(struct mended *image, size_t at, const char *name, bool fs3)
{
	unsigned int i;

	if (!inside(image, at, ENTRY) || memcmp(image->data + at, name, 4))
		return false;
	seal(image, at, 0x1c, at + 0x1c);
	for (i = 1;
	     i <= ENTRIES && inside(image, at + i * ENTRY, ENTRY) && image->data[at + i * ENTRY] != 0xff; i++)
		mend_entry(image, at + i * ENTRY, fs3);
	return true;
}

static void mend_fs3(struct mended *image)
{
	size_t at;

	seal(image, 0, 0x34, 0x34);
	seal_boot2(image, 0x38);
	for (at = 0x1000; at < image->size && !mend_toc(image, at, "ITOC", true); at += 0x1000)
		;
}

static void mend_pointers(struct mended *image)
{
	unsigned int i;

	for (i = 0; i < 16 && inside(image, 0x18 + 8 * i, 8); i++)
		store_be32(image->data + 0x1c + 8 * i, pointer_crc(word(image, 0x18 + 8 * i)));
}

static void mend_fs4(struct mended *image)
{
	size_t tools = word(image, 0x30), itoc = word(image, 0x28), hashes = word(image, 0x90), length;

	mend_pointers(image);
	seal(image, tools, 0x3c, tools + 0x3c);
	if (image->data[0x10] == 1)
		seal_boot2(image, word(image, 0x20));
	if (!mend_toc(image, itoc, "ITOC", false))
		mend_toc(image, itoc + 0x1000, "ITOC", false);
	if (image->size >= 0x1000)
		mend_toc(image, image->size - 0x1000, "DTOC", false);
	if (image->size >= 0x3000)
		mend_toc(image, image->size - 0x3000, "DTOC", false);
	if (!hashes)
		return;
	length = 4 * ((size_t)word(image, hashes + 4) + 4);
	seal(image, hashes, 8, hashes + 8);
	seal(image, hashes, length - 4, hashes + length - 4);
}

void mend_image(uint8_t *data, size_t size)
{
	struct mended image = { data, size };

	if (size < 0x100)
		return;
	if (!memcmp(data, magic_fs4, MAGIC_LENGTH))
		mend_fs4(&image);
	else if (!memcmp(data, magic_fs2, MAGIC_LENGTH) && data[0x24] == 3)
		mend_fs3(&image);
	else if (!memcmp(data, magic_fs2, MAGIC_LENGTH))
		mend_fs2(&image);
}

static void mend_mfa2(uint8_t *data, size_t size)
{
	uint32_t block = load_be32(data + 0x20);
	uint8_t digests[2][32];

	memset(data + 0x4c, 0, 32);
	memset(data + 0x70, 0, 32);
	SHA256(data, size, digests[0]);
	SHA256(data, block < size ? block : size, digests[1]);
	memcpy(data + 0x4c, digests[0], 32);
	memcpy(data + 0x70, digests[1], 32);
}

void mend_container(uint8_t *data, size_t size)
{
	static const uint8_t pldm[4] = { 0xf0, 0x18, 0x87, 0x8c };
	size_t header;

	if (size < 0x90)
		return;
	if (!memcmp(data, "MFAR", 4))
		store_be32(data + size - 4, crc32(0, data, size - 4));
	if (!memcmp(data, "MLNX.MFA2.XZ.00!", 16))
		mend_mfa2(data, size);
	header = data[17] | data[18] << 8;
	if (!memcmp(data, pldm, 4) && header >= 4 && header <= size)
		store_le32(data + header - 4, crc32(0, data, header - 4));
}
