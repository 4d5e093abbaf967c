// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: hashes table, digest, signatures. firmware-images.md 4.6, 4.7. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "synthetic_private.h"

#define HASHES 28U
#define HASH_LENGTH 64U

static bool hashed(const struct section *section)
{
	static const unsigned char not_these[] = { 0xa0, 0xa1, 0xa3, 0xa4, 0xa7 };

	return !section->device && !memchr(not_these, section->type, sizeof(not_these));
}

static void write_hash(uint8_t *htoc, unsigned int index, unsigned int type, const uint8_t *data,
		       size_t length)
{
	size_t at = 16 + HASHES * 8 + index * HASH_LENGTH;

	store_be32(htoc + 16 + 8 * index, type << 16 | at);
	SHA512(data, length, htoc + at);
}

void write_hashes(struct layout *layout)
{
	uint8_t *table = layout->image + layout->hashes, *htoc = table + 12;
	size_t entries = 0x20;
	unsigned int count = 0, i;

	memset(table, 0, HASHES_LENGTH);
	store_be32(table + 4, HASHES_LENGTH / 4 - 4);
	store_be32(table + 8, synthetic_crc16(table, 8));
	for (i = 0; i < layout->count; i++) {
		const struct section *section = &layout->sections[i];

		entries += section->device ? 0 : 0x20;
		if (hashed(section))
			write_hash(htoc, count++, section->type, layout->image + section->at, section->size);
	}
	write_hash(htoc, count++, 0xfd, layout->image + layout->itoc, entries);
	store_be32(htoc + 4, HASH_LENGTH << 16 | count);
	store_be32(table + HASHES_LENGTH - 4, synthetic_crc16(table, HASHES_LENGTH - 4));
}

/* What a signature speaks of: the image up to its last section, with ff for what cannot be part of it. */
static uint8_t *make_message(const struct layout *layout, bool long_key)
{
	uint8_t *message = must_allocate(layout->end);
	unsigned int i;

	memcpy(message, layout->image, layout->end);
	memset(message, 0xff, MAGIC_LENGTH);
	for (i = 0; i < layout->count; i++) {
		const struct section *section = &layout->sections[i];
		bool left_out = section->type == 0xa0 || (long_key && section->type == 0xa3);

		if (left_out)
			memset(message + section->at, 0xff, section->size);
		if (left_out || (section->device && layout->settled.want.format == SYNTHETIC_FS3))
			memset(message + toc_entry_of(layout, section), 0xff, 0x20);
	}
	return message;
}

static void sign(const uint8_t *key, size_t length, const EVP_MD *digest, const uint8_t *message, size_t size,
		 uint8_t *signature, size_t room)
{
	EVP_PKEY *pair = d2i_PrivateKey(EVP_PKEY_RSA, NULL, &key, (long)length);
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!pair || !context || EVP_DigestSignInit(context, NULL, digest, NULL, pair) != 1 ||
	    EVP_DigestSign(context, signature, &room, message, size) != 1)
		abort();
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(pair);
}

static void store_modulus(const uint8_t *key, size_t length, uint8_t *at, size_t room)
{
	EVP_PKEY *pair = d2i_PrivateKey(EVP_PKEY_RSA, NULL, &key, (long)length);
	BIGNUM *modulus = NULL;

	if (!pair || EVP_PKEY_get_bn_param(pair, OSSL_PKEY_PARAM_RSA_N, &modulus) != 1 ||
	    BN_bn2binpad(modulus, at, (int)room) != (int)room)
		abort();
	BN_free(modulus);
	EVP_PKEY_free(pair);
}

/* A name for key and signature; the numbers mean nothing. */
static void store_uuid(uint8_t *at, unsigned int number)
{
	fill_pattern(at, 16, number);
}

#define KEYS 8U
#define AUTH_FW 31U

/* Eight entries with an exponent each; the first holds the key when there is one. */
static void write_keys(struct layout *layout, unsigned int type, size_t bits, const uint8_t *key,
		       size_t length)
{
	struct section *section = layout_find(layout, type);
	unsigned int i;
	uint8_t *at;

	if (!section)
		return;
	at = layout->image + section->at;
	for (i = 0; i < KEYS; i++)
		store_be32(at + i * (0x20 + bits / 8) + 0x0c, 0x00010001);
	if (!length)
		return;
	store_be32(at, 1U << AUTH_FW);
	store_uuid(at + 0x10, type);
	store_modulus(key, length, at + 0x20, bits / 8);
}

/* A3 before it is signed: as vendors leave it. */
static void blank_long_signature(struct layout *layout)
{
	const struct section *section = layout_find(layout, 0xa3);
	const struct synthetic *want = &layout->settled.want;

	if (!section)
		return;
	memset(layout->image + section->at, 0, section->size);
	if (!want->signature_2048 && !want->signature_4096)
		memset(layout->image + section->at, 0xff, 0x220);
}

static void write_signature(struct layout *layout, unsigned int type, bool long_key)
{
	uint8_t *at = layout->image + layout_find(layout, type)->at;
	uint8_t *message = make_message(layout, long_key);

	store_uuid(at, type);
	store_uuid(at + 0x10, long_key ? 0xa4 : 0xa1);
	if (long_key)
		sign(test_key_4096, test_key_4096_length, EVP_sha512(), message, layout->end, at + 0x20, 512);
	else
		sign(test_key_2048, test_key_2048_length, EVP_sha256(), message, layout->end, at + 0x20, 256);
	free(message);
}

/* The table holds the CRCs of the keys, hashes and messages those of the table. */
static void renew_table(struct layout *layout)
{
	write_toc(layout, layout->itoc, false);
	if (layout->hashes)
		write_hashes(layout);
}

void write_signatures(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	uint8_t *message;

	write_keys(layout, 0xa1, 2048, test_key_2048, want->signature_2048 ? test_key_2048_length : 0);
	write_keys(layout, 0xa4, 4096, test_key_4096, want->signature_4096 ? test_key_4096_length : 0);
	blank_long_signature(layout);
	renew_table(layout);
	if (want->digest && !want->signature_2048 && !want->signature_4096) {
		message = make_message(layout, false);
		SHA256(message, layout->end, layout->image + layout_find(layout, 0xa0)->at + 0x20);
		free(message);
	}
	/* A message with the short key takes A3 as zeros: the long one signs last, over neither. */
	if (want->signature_2048)
		write_signature(layout, 0xa0, false);
	if (want->signature_4096)
		write_signature(layout, 0xa3, true);
	write_toc(layout, layout->itoc, false);
}
