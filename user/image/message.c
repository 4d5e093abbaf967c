// SPDX-License-Identifier: GPL-2.0-only
/* The message of digests and signatures: an image with holes of ones. firmware-images.md 4.7. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "message.h"

struct hole {
	uint64_t start, end;
	uint8_t fill;
};

/* The magic; a gap, the body and the entry of each section. */
#define HOLES_MOST (1 + 3 * TOC_ENTRIES)

struct message {
	struct hole holes[HOLES_MOST];
	unsigned int count;
	uint64_t end;
	EVP_MD_CTX *sha256, *sha512;
};

static void add_hole(struct message *message, uint64_t start, uint64_t end, uint8_t fill)
{
	if (end > message->end)
		end = message->end;
	if (start < end)
		message->holes[message->count++] = (struct hole){ start, end, fill };
}

static void add_section_holes(struct message *message, const struct toc_section *section,
			      const struct message_form *form)
{
	uint64_t end = (uint64_t)section->address + section->size;

	if (section->device_data) {
		add_hole(message, section->where, section->where + TOC_ENTRY, 0xff);
	} else if (section->type == form->masked[0] || section->type == form->masked[1]) {
		add_hole(message, section->address, end, 0xff);
		add_hole(message, section->where, section->where + TOC_ENTRY, 0xff);
	} else if (form->zeroed && section->type == form->zeroed) {
		add_hole(message, section->address, end, 0);
	}
}

static int by_start(const void *one, const void *other)
{
	const struct hole *a = one, *b = other;

	return (a->start > b->start) - (a->start < b->start);
}

static void find_holes(struct message *message, const struct toc *toc, const struct message_form *form)
{
	const struct toc_section *section, *before = NULL;
	unsigned int i;

	add_hole(message, 0, IMAGE_MAGIC_LENGTH, 0xff);
	for (i = 0; i < toc->count; i++) {
		section = &toc->sections[i];
		add_section_holes(message, section, form);
		if (section->device_data)
			continue;
		if (before)
			add_hole(message, (uint64_t)before->address + before->size, section->address, 0xff);
		before = section;
	}
	qsort(message->holes, message->count, sizeof(message->holes[0]), by_start);
}

static int add_piece(void *context, const uint8_t *bytes, size_t length)
{
	struct message *message = context;

	if (!EVP_DigestUpdate(message->sha256, bytes, length) ||
	    (message->sha512 && !EVP_DigestUpdate(message->sha512, bytes, length)))
		return -ENOMEM;
	return 0;
}

static int add_fill(struct message *message, uint64_t length, uint8_t fill)
{
	uint8_t bytes[1024];
	size_t now;
	int code = 0;

	memset(bytes, fill, sizeof(bytes));
	while (length && !code) {
		now = length < sizeof(bytes) ? length : sizeof(bytes);
		code = add_piece(message, bytes, now);
		length -= now;
	}
	return code;
}

static int add_all(struct message *message, const struct image_view *view, struct image_error *error)
{
	uint64_t at = 0;
	unsigned int i;
	int code = 0;

	for (i = 0; i <= message->count && !code; i++) {
		uint64_t next = i < message->count ? message->holes[i].start : message->end;

		if (next > at) {
			code = view_pieces(view, at, next - at, add_piece, message, error);
			at = next;
		}
		if (code || i == message->count || message->holes[i].end <= at)
			continue;
		code = add_fill(message, message->holes[i].end - at, message->holes[i].fill);
		at = message->holes[i].end;
	}
	return code;
}

int message_digest_of(const struct image_view *view, const struct toc *toc, const struct message_form *form,
		      uint8_t sha256[32], uint8_t sha512[64], struct image_error *error)
{
	struct message message = { .end = toc_end(toc) };
	int code;

	find_holes(&message, toc, form);
	message.sha256 = EVP_MD_CTX_new();
	message.sha512 = sha512 ? EVP_MD_CTX_new() : NULL;
	if (!message.sha256 || !EVP_DigestInit_ex(message.sha256, EVP_sha256(), NULL) ||
	    (sha512 && (!message.sha512 || !EVP_DigestInit_ex(message.sha512, EVP_sha512(), NULL))))
		code = image_fail(error, -ENOMEM, 0, _("no SHA-256 or SHA-512 to be had from libcrypto"));
	else
		code = add_all(&message, view, error);
	if (!code && (!EVP_DigestFinal_ex(message.sha256, sha256, NULL) ||
		      (sha512 && !EVP_DigestFinal_ex(message.sha512, sha512, NULL))))
		code = image_fail(error, -ENOMEM, 0, _("libcrypto could not end a digest"));
	EVP_MD_CTX_free(message.sha256);
	EVP_MD_CTX_free(message.sha512);
	return code;
}

int message_digest(const struct image_view *view, const struct toc *toc, const uint32_t masked[2],
		   uint8_t sha256[32], uint8_t sha512[64], struct image_error *error)
{
	struct message_form form = { .masked = { masked[0], masked[1] } };

	return message_digest_of(view, toc, &form, sha256, sha512, error);
}
