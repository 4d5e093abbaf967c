// SPDX-License-Identifier: GPL-2.0-only
/*
 * user/image/ on arbitrary bytes: nothing crashes, nothing runs without end, and whatever
 * calls itself good holds what it promises.
 *
 * With libFuzzer: clang -fsanitize=fuzzer,address,undefined -DLIBFUZZER fuzz_image.c
 * and the sources of user/image/ -lcrypto. Without, a short run on mutated images; ROUNDS=n makes it
 * longer, SEED=n repeats it.
 */
#include "../unit/image_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_part(void *context, const struct image_part *part)
{
	unsigned long *seen = context;

	*seen += part->name[0];
}

static void ignore_finding(void *context, const struct image_finding *finding)
{
	unsigned long *seen = context;

	*seen += finding->text[0] + finding->part[0];
}

static void broken_promise(const char *what)
{
	ktap_fail(__FILE__, __LINE__, "%s", what);
	abort();
}

/* A good image can be edited, and the result is good again. */
static void try_edit(const uint8_t *bytes, size_t length)
{
	struct fs2_edit edit = { .set_guids = true, .guid = { 1, 2, 3, 4 }, .vsd = "fuzz", .vsd_length = 4 };
	struct image_error error = { 0 };
	struct fixture edited;
	uint8_t *out;
	size_t out_length;

	edit.rom_edit = length & 4 ? FS2_ROM_KEEP : FS2_ROM_REMOVE;
	if (fs2_edit(bytes, length, &edit, &out, &out_length, &error))
		return;
	if (out_length > length)
		broken_promise("an image grew though nothing was put in");
	fixture_hold(&edited, out, out_length);
	verdict_of(&edited, IMAGE_LAYOUT_FILE);
	fixture_free(&edited);
}

static void try_place(const struct image_reader *reader, const struct image_place *place, size_t size)
{
	unsigned long seen = 0;
	struct image_listener listener = { ignore_part, ignore_finding, &seen };
	struct image_facts facts, quick;
	struct image_error error = { 0 };
	enum image_verdict verdict = IMAGE_DAMAGED;
	uint8_t *bytes, *rom;
	size_t length;
	int code;

	code = image_facts(reader, place, 0, &facts, &error);
	image_facts(reader, place, IMAGE_QUICK_ROM, &quick, &error);
	image_verify(reader, place, &listener, &verdict, &error);
	if (place->format == IMAGE_FS2 && !place->misplaced && verdict == IMAGE_GOOD && code)
		broken_promise("a good image has no facts");
	if (code)
		return;
	if (facts.length > size)
		broken_promise("an image longer than its bytes");
	if (!fs2_read_rom(reader, &facts, &rom, &length, &error))
		free(rom);
	if (facts.place.format != IMAGE_FS2 || image_load(reader, &facts, &bytes, &length, &error))
		return;
	try_edit(bytes, length);
	free(bytes);
}

static void try_plan(const struct image_reader *reader, const struct image_facts *facts, const uint8_t *bytes,
		     size_t length)
{
	struct fs2_target target = { .flash = reader, .flash_sector = 4096, .recovery = length & 8 };
	struct fs2_flash_state flash;
	struct image_error error = { 0 };
	struct fs2_plan plan;

	if (fs2_flash_state(&target, &flash, &error) ||
	    fs2_plan(&target, &flash, bytes, length, facts, &plan, &error))
		return;
	if (plan.window_length > reader->size / 2 || plan.image_length > plan.window_length ||
	    plan.segment_offset[0] != 16 || (plan.old_address == plan.target_address))
		broken_promise("an impossible plan");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum image_layout layouts[] = { IMAGE_LAYOUT_AUTO, IMAGE_LAYOUT_FILE,
						     IMAGE_LAYOUT_FLASH };
	struct image_memory memory = { data, size };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_place places[IMAGE_PLACES];
	struct image_error error = { 0 };
	struct image_facts facts;
	size_t count, i, layout;

	for (layout = 0; layout < 3; layout++) {
		if (image_locate(&reader, layouts[layout], places, IMAGE_PLACES, &count, &error))
			continue;
		for (i = 0; i < count && i < IMAGE_PLACES; i++)
			try_place(&reader, &places[i], size);
	}
	if (!image_query(&reader, IMAGE_LAYOUT_FILE, IMAGE_NO_ROM, &facts, &error) &&
	    facts.place.format == IMAGE_FS2 && facts.length <= size)
		try_plan(&reader, &facts, data, facts.length);
	return 0;
}

#ifndef LIBFUZZER
static uint64_t state;

static uint32_t random32(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

/* Words that parsers stumble over. */
static uint32_t nasty(void)
{
	static const uint32_t words[] = { 0, 1, 4, 0x10, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc,
					  0x00ffffff, 0xff000000, 0x100000, 0x200000, 12, 13 };

	return random32() & 1 ? words[random32() % (sizeof(words) / sizeof(words[0]))] : random32();
}

static void mutate(uint8_t *bytes, size_t length)
{
	unsigned int n = 1 + random32() % 6;
	uint32_t at;

	while (n--) {
		/* most of what matters stands in front */
		at = random32() % (random32() & 1 ? length : length < 0x800 ? length : 0x800);
		switch (random32() % 4) {
		case 0:
			bytes[at] ^= 1 << random32() % 8;
			break;
		case 1:
			bytes[at] = random32();
			break;
		case 2:
			at &= ~3U;
			if (at + 4 <= length)
				cxsim_put_be32(bytes + at, nasty());
			break;
		case 3:
			memset(bytes + at, random32() & 1 ? 0xff : 0, random32() % 64 % (length - at));
			break;
		}
	}
}

/* So that mutations get past the checksums: those of FS2 are made right again. */
static void mend(struct fixture *image)
{
	uint32_t word, at;

	if (image->length < 0x40)
		return;
	for (at = 0x28; at <= 0x2c; at += 4) {
		word = cxsim_get_be32(image->bytes + at);
		fixture_checksum_word(image, at, word);
	}
}

static void mend_sections(struct fixture *image, const uint32_t *sections, unsigned int count)
{
	unsigned int i;
	uint32_t length;

	for (i = 0; i < count && sections[i] + 20ULL <= image->length; i++) {
		length = cxsim_get_be32(image->bytes + sections[i] + 4);
		if (length < image->length && sections[i] + 20ULL + 4 * length <= image->length)
			fixture_reseal(image, sections[i]);
	}
}

struct seedling {
	const char *model;
	size_t flash;
	uint32_t rom;
};

static void fuzz(const struct seedling *seedling, unsigned int rounds)
{
	struct cxsim_parameters parameters = fixture_parameters(seedling->model);
	struct fixture image, whole = { 0 }, copy;
	uint32_t sections[8];
	unsigned int i, count = 0;
	bool fs2 = strcmp(seedling->model, "connectx5");
	size_t length;

	parameters.code_size = 0x200;
	parameters.rom_size = seedling->rom;
	parameters.flash_size = fs2 ? 0 : 0x200000;
	fixture_make(&image, &parameters);
	for (i = 1; fs2 && i < 12 && count < 8; i++)
		if (fixture_section(&image, i, 0))
			sections[count++] = fixture_section(&image, i, 0);
	if (seedling->flash)
		fixture_flash(&whole, seedling->flash, seedling->model, &image, 1);
	else
		fixture_hold(&whole, image.bytes, image.length);
	for (i = 0; i < rounds; i++) {
		length = random32() % 4 ? whole.length : random32() % whole.length;
		fixture_hold(&copy, malloc(length + 1), length);
		memcpy(copy.bytes, whole.bytes, length);
		if (length)
			mutate(copy.bytes + (seedling->flash && length > 0x80000 ? 0x80000 : 0),
			       seedling->flash && length > 0x80000 ? length - 0x80000 : length);
		if (fs2 && !seedling->flash && random32() % 4) {
			mend(&copy);
			mend_sections(&copy, sections, count);
		}
		LLVMFuzzerTestOneInput(copy.bytes, copy.length);
		fixture_free(&copy);
	}
	if (seedling->flash)
		fixture_free(&whole);
	fixture_free(&image);
}

static unsigned int rounds(void)
{
	const char *text = getenv("ROUNDS");

	state = ktap_seed();
	return text ? strtoul(text, NULL, 0) : 400;
}

static void fs2_files(void)
{
	static const struct seedling seedlings[] = { { "connectx2", 0, 0 }, { "connectx3pro", 0, 0x2000 } };

	fuzz(&seedlings[0], 5 * rounds());
	fuzz(&seedlings[1], 2 * rounds());
}

static void fs2_flashes(void)
{
	static const struct seedling seedling = { "connectx3pro", 0x200000, 0x2000 };

	fuzz(&seedling, rounds() / 10);
}

static void fs4_flashes(void)
{
	static const struct seedling seedling = { "connectx5", 0, 0x2000 };

	fuzz(&seedling, rounds() / 4);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(fs2_files),
	KTAP_TEST(fs2_flashes),
	KTAP_TEST(fs4_flashes),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
#endif
