// SPDX-License-Identifier: GPL-2.0-only
/* The boot image of a closed card, as its firmware gives it out: magic masked, nothing of the card in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../container/container.h"
#include "verify.h"

#define PIECE	0x10000U
#define MOST	(64U << 20)

static void put_magic_back(uint8_t *bytes, size_t length)
{
	const uint8_t *magic = length >= 0x28 ? container_masked_magic(bytes) : NULL;

	if (magic)
		memcpy(bytes, magic, 16);
}

static int wrong_size(uint32_t total, struct cxctl_error *error)
{
	error_set(error, CXCTL_CARD_ERROR, "component-size", _("the firmware gives out no whole image"));
	error_found(error, _("%u bytes"), total);
	error_expected(error, _("64 bytes to %u MiB"), MOST >> 20);
	return -1;
}

/* *bytes grows to *total with the first piece. */
static int read_pieces(struct verification *v, bool pending, uint8_t **bytes, uint32_t *total,
		       struct cxctl_error *error)
{
	uint32_t done = 0, got, size = 0;
	uint8_t *grown;

	*total = PIECE;
	while (done < *total) {
		if (card_component_read(v->card, CXFW_COMPONENT_BOOT_IMG, pending, done, *bytes + done,
					*total - done < PIECE ? *total - done : PIECE, &got, &size, error))
			return -1;
		if (!got)
			break;
		done += got;
		if (done != got)
			continue;
		if (size < 0x40 || size > MOST || size & 3)
			return wrong_size(size, error);
		*total = size;
		grown = realloc(*bytes, size > PIECE ? size : PIECE);
		if (!grown)
			return error_set(error, CXCTL_FAILED, "memory", _("no memory for %u bytes"), size);
		*bytes = grown;
	}
	return done == *total ? 0 : wrong_size(done, error);
}

int verify_read_component(struct verification *v, bool pending, struct cxctl_error *error)
{
	uint8_t *bytes = malloc(PIECE);
	uint32_t total;

	if (!bytes)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for %u bytes"), PIECE);
	if (read_pieces(v, pending, &bytes, &total, error)) {
		free(bytes);
		return -1;
	}
	put_magic_back(bytes, total);
	v->component.bytes = bytes;
	v->component.length = total;
	v->reader = image_memory_reader(&v->component);
	return 0;
}
