// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plain digest, and signatures by keys that the image holds: firmware-images.md 4.7. A key in the image
 * proves that nobody changed the image behind the signer's back; who the signer is, only the card's fuses
 * know.
 */
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "fs4.h"
#include "message.h"

#define UUID_LENGTH 16
#define KEYS 8
#define KEY_MOST 512
#define DIGEST_LENGTH 32

/* One kind of signature: where it and its keys stand. */
struct kind {
	const char *name, *good, *unknown;
	uint32_t type, keys_type;
	uint32_t value;			/* bytes of signature and modulus */
	struct message_form forms[2];	/* tried in this order; the second: as the vendor's tool signs */
};

static const struct kind kind_2048 = {
	"IMAGE_SIGNATURE_256", "IMAGE_SIGNATURE_256: signature by key in the image",
	"IMAGE_SIGNATURE_256: signature by a key that is not in the image",
	SECTION_SIGNATURE_256, SECTION_PUBLIC_KEYS_2048, 256,
	{ { { SECTION_SIGNATURE_256, 0 }, 0 }, { { SECTION_SIGNATURE_256, 0 }, SECTION_SIGNATURE_512 } },
};

static const struct kind kind_4096 = {
	"IMAGE_SIGNATURE_512", "IMAGE_SIGNATURE_512: signature by key in the image",
	"IMAGE_SIGNATURE_512: signature by a key that is not in the image",
	SECTION_SIGNATURE_512, SECTION_PUBLIC_KEYS_4096, 512,
	{ { { SECTION_SIGNATURE_256, SECTION_SIGNATURE_512 }, 0 },
	  { { SECTION_SIGNATURE_256, SECTION_SIGNATURE_512 }, 0 } },
};

struct signature {
	const struct kind *kind;
	const struct toc_section *section;
	bool known;			/* form of the message */
	uint8_t bytes[2 * UUID_LENGTH + KEY_MOST];
	uint8_t sha256[32], sha512[64];
};

struct key {
	uint32_t exponent;
	uint8_t uuid[UUID_LENGTH];
	uint8_t modulus[KEY_MOST];
};

static const uint8_t *value_of(const struct signature *signature)
{
	return signature->bytes + 2 * UUID_LENGTH;
}

static size_t put_length(uint8_t *to, size_t length)
{
	to[0] = 0x82;
	to[1] = length >> 8;
	to[2] = length;
	return 3;
}

/* RSAPublicKey of RFC 8017: a sequence of two unsigned integers. Returns its length. */
static size_t encode_key(const struct key *key, size_t bytes, uint8_t der[KEY_MOST + 32])
{
	size_t at = 4;

	der[at++] = 0x02;
	at += put_length(der + at, bytes + 1);
	der[at++] = 0;
	memcpy(der + at, key->modulus, bytes);
	at += bytes;
	der[at++] = 0x02;
	der[at++] = 5;
	der[at++] = 0;
	put32(der + at, key->exponent);
	at += 4;
	der[0] = 0x30;
	put_length(der + 1, at - 4);
	return at;
}

/* DER wants no needless zeros in front; a reader of the signature's key need not be strict about it. */
static EVP_PKEY *public_key(const struct key *key, size_t bytes)
{
	uint8_t der[KEY_MOST + 32];
	const uint8_t *at = der;
	size_t length = encode_key(key, bytes, der);

	return d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, length);
}

static bool fits(const struct signature *signature, const struct key *key)
{
	bool is_2048 = signature->kind == &kind_2048, good = false;
	EVP_PKEY *rsa = public_key(key, signature->kind->value);
	EVP_PKEY_CTX *context = rsa ? EVP_PKEY_CTX_new(rsa, NULL) : NULL;

	if (context && EVP_PKEY_verify_init(context) > 0 &&
	    EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0 &&
	    EVP_PKEY_CTX_set_signature_md(context, is_2048 ? EVP_sha256() : EVP_sha512()) > 0)
		good = EVP_PKEY_verify(context, value_of(signature), signature->kind->value,
				       is_2048 ? signature->sha256 : signature->sha512,
				       is_2048 ? 32 : 64) == 1;
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(rsa);
	return good;
}

/* -ENOENT: no such entry, or an empty one. */
static int read_key(const struct image_view *view, const struct toc *toc, const struct kind *kind,
		    unsigned int number, struct key *key, struct image_error *error)
{
	const struct toc_section *section = toc_find(toc, kind->keys_type, 0);
	uint32_t length = 0x20 + kind->value;
	uint8_t bytes[0x20 + KEY_MOST];
	int code;

	if (!section || (number + 1) * length > section->size ||
	    !view_holds(view, section->address, section->size))
		return -ENOENT;
	code = view_read(view, section->address + number * length, bytes, length, error);
	if (code)
		return code;
	if (all_bytes(bytes + 0x20, kind->value, 0) || all_bytes(bytes + 0x20, kind->value, 0xff))
		return -ENOENT;
	key->exponent = get32(bytes + 0x0c);
	memcpy(key->uuid, bytes + 0x10, UUID_LENGTH);
	memcpy(key->modulus, bytes + 0x20, kind->value);
	return 0;
}

enum fit {
	FIT_NO_KEY,			/* no key of that name, and none that fits */
	FIT_WRONG,
	FIT_NAMED,
	FIT_OTHER,			/* a key fits that has another name */
};

static int fit_of(const struct image_view *view, const struct toc *toc, const struct signature *signature,
		  enum fit *fit, struct image_error *error)
{
	unsigned int number;
	struct key key;
	bool named;
	int code;

	*fit = FIT_NO_KEY;
	for (number = 0; number < KEYS && *fit != FIT_NAMED; number++) {
		code = read_key(view, toc, signature->kind, number, &key, error);
		if (code == -ENOENT)
			continue;
		if (code)
			return code;
		named = !memcmp(key.uuid, signature->bytes + UUID_LENGTH, UUID_LENGTH);
		if (fits(signature, &key))
			*fit = named ? FIT_NAMED : FIT_OTHER;
		else if (named && *fit == FIT_NO_KEY)
			*fit = FIT_WRONG;
	}
	return 0;
}

static int has_keys(const struct image_view *view, const struct toc *toc, const struct kind *kind, bool *has,
		    struct image_error *error)
{
	unsigned int number;
	struct key key;
	int code;

	*has = false;
	for (number = 0; number < KEYS && !*has; number++) {
		code = read_key(view, toc, kind, number, &key, error);
		if (code && code != -ENOENT)
			return code;
		*has = !code;
	}
	return 0;
}

/*
 * What counts in an image with a hashes table was confirmed for these chips only: elsewhere, what does
 * not fit proves nothing.
 */
static int is_form_known(const struct image_view *view, const struct image_facts *facts, bool *known,
			 struct image_error *error)
{
	static const uint16_t chips[] = { 0x218, 0x21c, 0x254, 0x256 };
	uint32_t pointers[FS4_POINTER_COUNT];
	unsigned int i;
	int code;

	*known = true;
	if (view->place.format == IMAGE_FS3)
		return 0;
	for (i = 0; i < sizeof(chips) / sizeof(chips[0]); i++)
		if (facts && facts->hw_ids[0].id == chips[i])
			return 0;
	code = fs4_pointers(view, pointers, error);
	*known = !code && !pointers[FS4_HASHES];
	return code;
}

static void report_fit(struct image_check *check, const struct signature *signature, uint64_t length,
		       enum fit fit)
{
	const struct kind *kind = signature->kind;
	struct image_part part = { .name = kind->good, .length = length };

	switch (fit) {
	case FIT_NO_KEY:
		part.name = kind->unknown;
		part.crc_ignored = true;
		break;
	case FIT_WRONG:
		part.verdict = signature->known ? IMAGE_DAMAGED : IMAGE_UNUSUAL;
		check_finding(check, part.verdict, kind->name, signature->section->address + 2 * UUID_LENGTH,
			      _("the signature does not fit the image and the key that it names"));
		break;
	case FIT_NAMED:
		break;
	case FIT_OTHER:
		part.verdict = IMAGE_UNUSUAL;
		check_finding(check, IMAGE_UNUSUAL, kind->name, signature->section->address + UUID_LENGTH,
			      _("the signature names a key that is not in the image, but fits one that is"));
		break;
	}
	check_part(check, &part);
}

static int check_signature(struct image_check *check, const struct image_view *view, const struct toc *toc,
			   struct signature *signature, struct image_error *error)
{
	const struct kind *kind = signature->kind;
	bool is_2048 = kind == &kind_2048, has;
	enum fit fit = FIT_NO_KEY, other;
	int code;

	code = has_keys(view, toc, kind, &has, error);
	if (code)
		return code;
	if (has) {
		code = message_digest_of(view, toc, &kind->forms[0], signature->sha256,
					 is_2048 ? NULL : signature->sha512, error);
		if (!code)
			code = fit_of(view, toc, signature, &fit, error);
		if (code)
			return code;
	}
	if (is_2048 && fit == FIT_WRONG && toc_find(toc, SECTION_SIGNATURE_512, 0)) {
		code = message_digest_of(view, toc, &kind->forms[1], signature->sha256, NULL, error);
		if (!code)
			code = fit_of(view, toc, signature, &other, error);
		if (code)
			return code;
		if (other == FIT_NAMED || other == FIT_OTHER)
			fit = other;
	}
	report_fit(check, signature, toc_end(toc), fit);
	return 0;
}

static int check_digest(struct image_check *check, const struct image_view *view, const struct toc *toc,
			const struct signature *signature, struct image_error *error)
{
	static const uint32_t masked[2] = { SECTION_SIGNATURE_256 };
	struct image_part part = { .name = "SHA-256 digest", .length = toc_end(toc) };
	const uint8_t *stored = value_of(signature);
	uint8_t digest[DIGEST_LENGTH];
	unsigned int i;
	int code;

	code = message_digest(view, toc, masked, digest, NULL, error);
	if (code)
		return code;
	for (i = 0; i < DIGEST_LENGTH - 4 && digest[i] == stored[i]; i++)
		;
	i &= ~3U;
	if (memcmp(digest, stored, sizeof(digest)))
		part.verdict = signature->known ? IMAGE_DAMAGED : IMAGE_UNUSUAL;
	check_part(check, &part);
	if (part.verdict)
		check_compared(check, part.verdict, signature->kind->name,
			       signature->section->address + 2 * UUID_LENGTH + i, get32(digest + i),
			       get32(stored + i),
			       _("the digest is not that of the image (first different words)"));
	return 0;
}

/* Reads what the section holds; false in *there when it is missing, short, or blank. */
static int read_signature(struct image_check *check, const struct image_view *view, const struct toc *toc,
			  struct signature *signature, bool *there, struct image_error *error)
{
	const struct kind *kind = signature->kind;
	uint32_t length = 2 * UUID_LENGTH + kind->value;
	int code;

	signature->section = toc_find(toc, kind->type, 0);
	*there = signature->section && signature->section->size >= length &&
		 view_holds(view, signature->section->address, length);
	if (!*there)
		return 0;
	code = view_read(view, signature->section->address, signature->bytes, length, error);
	if (code)
		return code;
	if (!all_bytes(value_of(signature), kind->value, 0) &&
	    !all_bytes(value_of(signature), kind->value, 0xff))
		return 0;
	*there = false;
	if (!all_bytes(signature->bytes, 2 * UUID_LENGTH, value_of(signature)[0]))
		check_finding(check, IMAGE_UNUSUAL, kind->name, signature->section->address,
			      _("a key is named, but there is no signature"));
	return 0;
}

/* What no CRC guards when its entry says so: the words behind the value. */
static int check_tail(struct image_check *check, const struct image_view *view,
		      const struct signature *signature, struct image_error *error)
{
	uint32_t length = 2 * UUID_LENGTH + signature->kind->value, rest;
	uint8_t tail[0x20];
	int code;

	rest = signature->section->size - length;
	if (rest > sizeof(tail))
		rest = sizeof(tail);
	if (!rest || !view_holds(view, signature->section->address + length, rest))
		return 0;
	code = view_read(view, signature->section->address + length, tail, rest, error);
	if (code)
		return code;
	if (!all_bytes(tail, rest, 0) && !all_bytes(tail, rest, 0xff))
		check_finding(check, IMAGE_UNUSUAL, signature->kind->name,
			      signature->section->address + length,
			      _("bytes behind the signature are not blank"));
	return 0;
}

static int check_2048(struct image_check *check, const struct image_view *view, const struct toc *toc,
		      bool known, bool *is_signed, struct image_error *error)
{
	struct signature signature = { .kind = &kind_2048, .known = known };
	const uint8_t *value = value_of(&signature);
	bool there, named;
	int code;

	code = read_signature(check, view, toc, &signature, &there, error);
	if (code || !there)
		return code;
	code = check_tail(check, view, &signature, error);
	if (code)
		return code;
	named = !all_bytes(signature.bytes, 2 * UUID_LENGTH, 0);
	/* No signature ends with 224 zeros. */
	if (named && !all_bytes(value + DIGEST_LENGTH, 256 - DIGEST_LENGTH, 0)) {
		*is_signed = true;
		return check_signature(check, view, toc, &signature, error);
	}
	if (named || !all_bytes(value + DIGEST_LENGTH, 256 - DIGEST_LENGTH, 0))
		check_finding(check, IMAGE_UNUSUAL, signature.kind->name, signature.section->address,
			      _("neither a signature nor a plain digest: zeros are expected around the digest"));
	return check_digest(check, view, toc, &signature, error);
}

static int check_4096(struct image_check *check, const struct image_view *view, const struct toc *toc,
		      bool known, bool *is_signed, struct image_error *error)
{
	struct signature signature = { .kind = &kind_4096, .known = known };
	bool there;
	int code;

	code = read_signature(check, view, toc, &signature, &there, error);
	if (code || !there)
		return code;
	*is_signed = true;
	return check_signature(check, view, toc, &signature, error);
}

int digest_verify(struct image_check *check, const struct image_view *view, const struct toc *toc,
		  const struct image_facts *facts, struct image_error *error)
{
	bool known, is_signed = toc_find(toc, SECTION_RSA_4096_SIGNATURES, 0);
	int code;

	if (!view_holds(view, 0, toc_end(toc)))
		return 0;		/* was said, as damage of a section */
	code = is_form_known(view, facts, &known, error);
	if (!code)
		code = check_2048(check, view, toc, known, &is_signed, error);
	if (!code)
		code = check_4096(check, view, toc, known, &is_signed, error);
	if (!code && !is_signed && facts->security_flags & (IMAGE_SECURITY_SIGNED | IMAGE_SECURITY_SECURE))
		check_finding(check, IMAGE_UNUSUAL, "IMAGE_INFO", 0,
			      _("the image says that it is signed, but there is no signature in it"));
	return code;
}
