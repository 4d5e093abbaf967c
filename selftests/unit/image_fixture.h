/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images for the tests of user/image/. They come from the simulated card's makers, and
 * are bent with the simulated card's checksums: two readings of one format.
 */
#ifndef IMAGE_FIXTURE_H
#define IMAGE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "../../kmod/cxsim/model/image.h"
#include "../../kmod/cxsim/model/model.h"
#include "../../user/image/crc.h"
#include "../../user/image/image.h"
#include "../lib/ktap.h"

#define FIXTURE_GUID 0x0002c90300112230ULL
#define FIXTURE_MAC 0x0002c9112230ULL

struct fixture {
	uint8_t *bytes;
	size_t length;
	struct image_memory memory;
	struct image_reader reader;
};

static inline void fixture_hold(struct fixture *fixture, uint8_t *bytes, size_t length)
{
	fixture->bytes = bytes;
	fixture->length = length;
	fixture->memory.bytes = bytes;
	fixture->memory.length = length;
	fixture->reader = image_memory_reader(&fixture->memory);
}

static inline void fixture_free(struct fixture *fixture)
{
	free(fixture->bytes);
	fixture->bytes = NULL;
}

static inline struct cxsim_parameters fixture_parameters(const char *model)
{
	struct cxsim_parameters parameters = {
		.model = model,
		.psid = "MT_1200111023",
		.version = "2.36.5000",
		.vsd = "fixture vsd",
		.guid = FIXTURE_GUID,
		.mac = FIXTURE_MAC,
		.code_size = 0x1000,
		.seed = 7,
	};

	return parameters;
}

static inline void fixture_make(struct fixture *fixture, const struct cxsim_parameters *parameters)
{
	char why[160] = "";
	size_t length = cxsim_image_make(parameters, NULL, 0, why);
	uint8_t *bytes = length ? calloc(1, length) : NULL;

	if (!bytes || cxsim_image_make(parameters, bytes, length, why) != length) {
		ktap_fail(__FILE__, __LINE__, "no image of %s: %s", parameters->model, why);
		exit(1);
	}
	fixture_hold(fixture, bytes, length);
}

/* A flash that holds image in a slot; flash may be given from an earlier call. */
static inline void fixture_flash(struct fixture *flash, size_t size, const char *model,
				 const struct fixture *image, unsigned int slot)
{
	if (!flash->bytes) {
		fixture_hold(flash, malloc(size), size);
		memset(flash->bytes, 0xff, size);
	}
	if (!cxsim_image_place(model, image->bytes, image->length, flash->bytes, size, slot)) {
		ktap_fail(__FILE__, __LINE__, "the image does not fit into slot %u", slot);
		exit(1);
	}
}

/* What a verification said, in the order of severity. */
struct verdict {
	enum image_verdict worst;
	int code;
	unsigned int findings, parts;
	char text[256];			/* of the first finding of the worst kind */
	uint64_t where;
};

static inline void verdict_part(void *context, const struct image_part *part)
{
	struct verdict *verdict = context;

	verdict->parts += part->name != NULL;
}

static inline void verdict_finding(void *context, const struct image_finding *finding)
{
	struct verdict *verdict = context;

	if (!verdict->findings++ || finding->verdict > verdict->worst) {
		snprintf(verdict->text, sizeof(verdict->text), "%s: %s", finding->part, finding->text);
		verdict->where = finding->where;
		verdict->worst = finding->verdict;
	}
}

static inline struct verdict verdict_at(const struct image_reader *reader, const struct image_place *place)
{
	struct verdict verdict = { 0 };
	struct image_listener listener = { verdict_part, verdict_finding, &verdict };
	enum image_verdict worst = IMAGE_DAMAGED;
	struct image_error error = { 0 };

	verdict.code = image_verify(reader, place, &listener, &worst, &error);
	if (worst != verdict.worst)
		ktap_fail(__FILE__, __LINE__, "verdict %d, but the worst finding is %d", worst,
			  verdict.worst);
	return verdict;
}

/* Of the first image in the bytes; damaged when there is none. */
static inline struct verdict verdict_of(const struct fixture *fixture, enum image_layout layout)
{
	struct image_place places[IMAGE_PLACES];
	struct image_error error = { 0 };
	size_t count = 0;
	struct verdict verdict = { .worst = IMAGE_DAMAGED, .text = "no image" };

	if (image_locate(&fixture->reader, layout, places, IMAGE_PLACES, &count, &error) || !count)
		return verdict;
	return verdict_at(&fixture->reader, &places[0]);
}

/* ---- bending FS2 images ---- */

/* Offset of the nth section of a type, header included; 0: none. */
static inline uint32_t fixture_section(const struct fixture *fixture, uint32_t type, unsigned int nth)
{
	const uint8_t *bytes = fixture->bytes;
	uint32_t at = 0x38 + 4 * (cxsim_get_be32(bytes + 0x3c) + 4), next;

	if (!cxsim_get_be32(bytes + at) || cxsim_get_be32(bytes + at) > 12)
		at += 4 * (cxsim_get_be32(bytes + at + 4) + 4);
	for (;;) {
		if (cxsim_get_be32(bytes + at) == type && !nth--)
			return at;
		next = cxsim_get_be32(bytes + at + 12);
		if (!next || next == 0xff000000)
			return 0;
		at = next;
	}
}

/* The section's CRC after a change. */
static inline void fixture_reseal(struct fixture *fixture, uint32_t section)
{
	uint32_t length = 16 + 4 * cxsim_get_be32(fixture->bytes + section + 4);

	cxsim_put_be32(fixture->bytes + section + length, cxsim_crc16(fixture->bytes + section, length));
}

/* The CRC of the whole image after a change. */
static inline void fixture_reseal_image(struct fixture *fixture)
{
	uint8_t *bytes = fixture->bytes;
	uint16_t crc;

	bytes[0x22] = 0xff;
	bytes[0x23] = 0xff;
	crc = cxsim_crc16(bytes, cxsim_get_be32(bytes + 0x30));
	bytes[0x22] = crc >> 8;
	bytes[0x23] = crc;
}

static inline void fixture_checksum_word(struct fixture *fixture, uint32_t at, uint32_t value)
{
	uint8_t *bytes = fixture->bytes + at;

	cxsim_put_be32(bytes, value & 0xffffff);
	bytes[0] = -(bytes[1] + bytes[2] + bytes[3]);
}

#endif /* IMAGE_FIXTURE_H */
