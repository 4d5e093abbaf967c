// SPDX-License-Identifier: GPL-2.0-only
/* Readers and listeners of the fuzzers. */
#include "fuzz.h"

static int read_some(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct image_memory *memory = context;

	PROMISE(offset <= memory->length && length <= memory->length - offset);
	memcpy(buffer, memory->bytes + offset, length);
	return 0;
}

static int read_dwords(void *context, uint64_t offset, void *buffer, size_t length)
{
	PROMISE(offset % 4 == 0 && length % 4 == 0 && length >= 4 && length <= 65536);
	return read_some(context, offset, buffer, length);
}

void fuzz_bytes(struct fuzz_bytes *bytes, const uint8_t *data, size_t size)
{
	bytes->memory = (struct image_memory){ data, size };
	bytes->mapped = image_memory_reader(&bytes->memory);
	bytes->read = (struct image_reader){ .read = read_some, .context = &bytes->memory, .size = size };
	bytes->aligned = bytes->read;
	bytes->aligned.read = read_dwords;
}

static void read_text(const char *text)
{
	PROMISE(text && strlen(text) < 4096);
}

static void see_part(void *context, const struct image_part *part)
{
	(void)context;
	read_text(part->name);
}

static void see_finding(void *context, const struct image_finding *finding)
{
	enum image_verdict *worst = context;

	read_text(finding->part);
	read_text(finding->text);
	if (worst && finding->verdict > *worst)
		*worst = finding->verdict;
}

const struct image_listener fuzz_listener = { see_part, see_finding, NULL };

enum image_verdict fuzz_verify(const struct image_reader *reader, const struct image_place *place)
{
	enum image_verdict verdict = IMAGE_DAMAGED, worst = IMAGE_GOOD;
	struct image_listener listener = { see_part, see_finding, &worst };
	struct image_error error = { 0 };

	if (image_verify(reader, place, &listener, &verdict, &error)) {
		PROMISE(error.text[0]);
		return IMAGE_DAMAGED;
	}
	PROMISE(verdict == worst);
	return verdict;
}
