// SPDX-License-Identifier: GPL-2.0-only
/*
 * A short run of selftests/fuzz/fuzz_image.c with the unit tests, mutated without libFuzzer.
 * ROUNDS=n makes it longer, SEED=n repeats it; "make check-fuzz" goes further.
 */
#include "../fuzz/fuzz.h"
#include "../lib/synthetic.h"
#include "image_fixture.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

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

static void mutate_once(uint8_t *data, size_t size)
{
	size_t at = random32() % size;

	switch (random32() % 4) {
	case 0:
		data[at] ^= 1 << random32() % 8;
		break;
	case 1:
		data[at] = random32();
		break;
	case 2:
		at &= ~(size_t)3;
		if (at + 4 <= size)
			cxsim_put_be32(data + at, nasty());
		break;
	case 3:
		memset(data + at, random32() & 1 ? 0xff : 0, random32() % 64 % (size - at));
		break;
	}
}

/* In place of libFuzzer's. Now and then something is cut off. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	unsigned int n = 1 + random32() % 4;

	while (size && n--)
		mutate_once(data, size);
	return size > 16 && random32() % 16 == 0 ? random32() % size : size;
}

static unsigned int rounds(void)
{
	const char *text = getenv("ROUNDS");

	if (!state)
		state = ktap_seed() | 1;
	return text ? strtoul(text, NULL, 0) : 300;
}

/* Exactly as long as the bytes, so that the sanitizer sees what lies behind. */
static void one_round(const struct fixture *image)
{
	uint8_t *copy = malloc(image->length + 1), *exact;
	size_t length;

	memcpy(copy, image->bytes, image->length);
	length = LLVMFuzzerCustomMutator(copy, image->length, image->length, random32());
	exact = malloc(length ? length : 1);
	memcpy(exact, copy, length);
	free(copy);
	LLVMFuzzerTestOneInput(exact, length);
	free(exact);
}

static void fuzz(struct fixture *image, unsigned int count)
{
	LLVMFuzzerTestOneInput(image->bytes, image->length);
	while (count--)
		one_round(image);
	fixture_free(image);
}

static void fuzz_synthetic(const struct synthetic *what, unsigned int count)
{
	struct fixture image;
	size_t length;
	uint8_t *bytes = synthetic_image(what, &length);

	REQUIRE(bytes);
	fixture_hold(&image, bytes, length);
	fuzz(&image, count);
}

static void fuzz_model(const char *model, uint32_t rom, size_t flash, unsigned int count)
{
	struct cxsim_parameters parameters = fixture_parameters(model);
	struct fixture image, whole = { 0 };

	parameters.code_size = 0x200;
	parameters.rom_size = rom;
	parameters.flash_size = strcmp(model, "connectx5") ? 0 : 0x200000;
	fixture_make(&image, &parameters);
	if (!flash) {
		fuzz(&image, count);
		return;
	}
	fixture_flash(&whole, flash, model, &image, 1);
	fixture_free(&image);
	fuzz(&whole, count);
}

static void fs2_files(void)
{
	static const struct synthetic what = { .format = SYNTHETIC_FS2, .code_size = 256, .rom_size = 1044 };

	fuzz_model("connectx2", 0, 0, 4 * rounds());
	fuzz_model("connectx3pro", 0x2000, 0, 2 * rounds());
	fuzz_synthetic(&what, 4 * rounds());
}

static void fs2_flashes(void)
{
	fuzz_model("connectx3pro", 0x2000, 0x200000, rounds() / 10);
}

static void fs3_files(void)
{
	static const struct synthetic whole = { .format = SYNTHETIC_FS3, .code_size = 256, .size = 0x1c000 };
	static const struct synthetic stripped = {
		.format = SYNTHETIC_FS3, .code_size = 256, .stripped = true, .digest = true, .rom_size = 1044
	};

	fuzz_synthetic(&whole, rounds());
	fuzz_synthetic(&stripped, rounds());
}

static void fs4_files(void)
{
	static const struct synthetic whole = { .format = SYNTHETIC_FS4, .code_size = 256, .size = 0x1c000 };
	static const struct synthetic hashed = {
		.format = SYNTHETIC_FS4, .code_size = 256, .stripped = true, .hashes = true, .digest = true
	};

	fuzz_synthetic(&whole, rounds());
	fuzz_synthetic(&hashed, rounds());
}

static void fs4_flashes(void)
{
	fuzz_model("connectx5", 0x2000, 0, rounds() / 8);
}

static void fs5_files(void)
{
	static const struct synthetic whole = { .format = SYNTHETIC_FS5, .code_size = 256, .size = 0x1c000 };

	fuzz_synthetic(&whole, rounds());
}

static const struct ktap_test tests[] = {
	KTAP_TEST(fs2_files),
	KTAP_TEST(fs2_flashes),
	KTAP_TEST(fs3_files),
	KTAP_TEST(fs4_files),
	KTAP_TEST(fs4_flashes),
	KTAP_TEST(fs5_files),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
