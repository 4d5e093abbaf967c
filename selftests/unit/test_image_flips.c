// SPDX-License-Identifier: GPL-2.0-only
/*
 * One flipped bit, anywhere in an image: verification must not call it good, unless it is in what nothing
 * guards. What that is, is derived here from the list of sections and printed; a bit in it that is noticed,
 * or one outside of it that is not, fails the test. FLIPS=all flips every bit of every byte (minutes).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/image/image.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

#define RANGES 64
#define FREE_STEP 0x800		/* erased flash that belongs to no part */
#define BLANK_STEP 61		/* runs of ff inside an image */
#define OPEN_STEP 97		/* in what nothing guards */

struct range {
	const char *name;
	uint64_t start, end;
};

struct subject {
	uint8_t *bytes;
	size_t length;
	struct image_memory memory;
	struct image_reader reader;
	struct image_facts facts;
	struct range open[RANGES], device[RANGES];	/* guarded by nothing; device data */
	unsigned int open_count, device_count;
	bool digest;
	unsigned long flips, unnoticed, every_bit_end;
};

static struct image_reader *hold(struct subject *subject)
{
	subject->memory = (struct image_memory){ subject->bytes, subject->length };
	subject->reader = image_memory_reader(&subject->memory);
	return &subject->reader;
}

static bool is_good(struct subject *subject)
{
	enum image_verdict verdict = IMAGE_DAMAGED;
	struct image_place places[IMAGE_PLACES];
	struct image_error error;
	size_t count = 0;

	if (image_locate(&subject->reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &error) || !count)
		return false;
	return !image_verify(&subject->reader, &places[0], NULL, &verdict, &error) && verdict == IMAGE_GOOD;
}

static void add(struct range *ranges, unsigned int *count, const char *name, uint64_t start, uint64_t length)
{
	if (*count < RANGES && length)
		ranges[(*count)++] = (struct range){ name, start, start + length };
}

/* Sections without a CRC; a digest of the image guards those that belong to it. */
static int on_section(void *context, const struct image_section *section)
{
	struct subject *subject = context;
	uint64_t start = section->start, length = section->length;

	if (section->device_data)
		add(subject->device, &subject->device_count, section->name, start, length);
	if (section->crc_kind != IMAGE_CRC_ABSENT || (subject->digest && !section->device_data))
		return 0;
	if (!strcmp(section->name, "NCORE_BCH")) {
		/* its magic, the length of its component, and that there is no digest are checked */
		add(subject->open, &subject->open_count, "NCORE_BCH", start + 4, 0x1ee4 - 4);
		add(subject->open, &subject->open_count, "NCORE_BCH", start + 0x1ee8, 0x1f30 - 0x1ee8);
		add(subject->open, &subject->open_count, "NCORE_BCH", start + 0x1f70, 0x2000 - 0x1f70);
		return 0;
	}
	add(subject->open, &subject->open_count, section->name, start, length);
	return 0;
}

static const struct range *in(const struct range *ranges, unsigned int count, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (at >= ranges[i].start && at < ranges[i].end)
			return &ranges[i];
	return NULL;
}

/* Flash that belongs to nobody: behind the image, beside the device data. */
static bool is_free(const struct subject *subject, uint64_t at)
{
	uint64_t table = subject->facts.dtoc_address;

	return at >= subject->facts.length && !in(subject->device, subject->device_count, at) &&
	       !(table && at >= table && at < table + 0x1000);
}

static void flip(struct subject *subject, const char *what, uint64_t at, unsigned int bit)
{
	const struct range *open = in(subject->open, subject->open_count, at);
	bool expected = open || is_free(subject, at), good;

	subject->bytes[at] ^= 1 << bit;
	good = is_good(subject);
	subject->bytes[at] ^= 1 << bit;
	subject->flips++;
	subject->unnoticed += good;
	if (good != expected)
		ktap_fail(__FILE__, __LINE__, "%s: bit %u of byte %#llx, %s, is %s", what, bit,
			  (unsigned long long)at, open ? open->name : expected ? "free" : "guarded",
			  good ? "not noticed" : "noticed");
}

static unsigned int step_of(const struct subject *subject, uint64_t at, bool all)
{
	if (is_free(subject, at))
		return all ? 64 : FREE_STEP;
	if (all || at < subject->every_bit_end)
		return 1;
	if (in(subject->open, subject->open_count, at))
		return OPEN_STEP;
	return subject->bytes[at] == 0xff ? BLANK_STEP : 1;
}

static void flips_of(const char *what, const struct synthetic *synthetic)
{
	bool all = getenv("FLIPS") && !strcmp(getenv("FLIPS"), "all");
	struct subject subject = { .digest = synthetic->digest, .every_bit_end = 0xa0 };
	struct image_error error = { 0 };
	unsigned int bit, i;
	uint64_t at;

	subject.bytes = synthetic_image(synthetic, &subject.length);
	REQUIRE(subject.bytes);
	CHECK_EQ(image_query(hold(&subject), IMAGE_LAYOUT_AUTO, 0, &subject.facts, &error), 0);
	CHECK(is_good(&subject));
	CHECK_EQ(image_sections(&subject.reader, &subject.facts.place, on_section, &subject, &error), 0);
	for (at = 0; at < subject.length; at += step_of(&subject, at, all))
		for (bit = 0; bit < 8; bit++)
			if (all || at < subject.every_bit_end || bit == at % 8)
				flip(&subject, what, at, bit);
	for (i = 0; i < subject.open_count; i++)
		ktap_note("%s: nothing guards %s, %#llx-%#llx", what, subject.open[i].name,
			  (unsigned long long)subject.open[i].start,
			  (unsigned long long)subject.open[i].end - 1);
	ktap_note("%s: %lu flips, %lu unnoticed", what, subject.flips, subject.unnoticed);
	free(subject.bytes);
}

#define SMALL .size = 0x40000, .log2 = 17, .code_size = 0x100

static void fs2(void)
{
	flips_of("FS2", &(struct synthetic){ SYNTHETIC_FS2, .code_size = 0x400, .rom_size = 0x400 });
}

static void fs3(void)
{
	flips_of("FS3", &(struct synthetic){ SYNTHETIC_FS3, SMALL });
	flips_of("FS3, stripped, digest", &(struct synthetic){ SYNTHETIC_FS3, SMALL, .stripped = true,
							       .digest = true });
}

static void fs4(void)
{
	flips_of("FS4", &(struct synthetic){ SYNTHETIC_FS4, SMALL });
}

static void fs4_digest(void)
{
	flips_of("FS4, digest", &(struct synthetic){ SYNTHETIC_FS4, SMALL, .digest = true, .keys = true });
}

static void fs4_stripped(void)
{
	flips_of("FS4, stripped, hashes", &(struct synthetic){ SYNTHETIC_FS4, SMALL, .stripped = true,
							       .hashes = true });
}

static void fs5(void)
{
	flips_of("FS5, stripped", &(struct synthetic){ SYNTHETIC_FS5, SMALL, .stripped = true });
}

static const struct ktap_test tests[] = {
	KTAP_TEST(fs2),
	KTAP_TEST(fs3),
	KTAP_TEST(fs4),
	KTAP_TEST(fs4_digest),
	KTAP_TEST(fs4_stripped),
	KTAP_TEST(fs5),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
