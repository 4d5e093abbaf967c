// SPDX-License-Identifier: GPL-2.0-only
/* user/image/crc.c against the words of the reference, bit by bit. firmware-images.md 0.1, 0.2. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../user/image/crc.h"
#include "../lib/ktap.h"

static uint64_t state;

static uint32_t random32(void)
{
	if (!state)
		state = ktap_seed() | 1;
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

/* The augmented form, one bit at a time, as the reference says it. */
static uint16_t reference(const uint8_t *bytes, size_t length)
{
	uint16_t crc = 0xffff;
	unsigned int bit, top;
	size_t i;

	for (i = 0; i < length + 2; i++) {
		for (bit = 0; bit < 8; bit++) {
			top = crc & 0x8000;
			crc = (uint16_t)(crc << 1 | (i < length ? bytes[i] >> (7 - bit) & 1 : 0));
			if (top)
				crc ^= 0x100b;
		}
	}
	return crc ^ 0xffff;
}

static void vectors(void)
{
	static const uint8_t counting[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const uint8_t twice[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					   0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	uint8_t zeros[512] = { 0 };

	CHECK_EQ(image_crc16("", 0), 0x0955);
	CHECK_EQ(image_crc16(zeros, 4), 0x0009);
	CHECK_EQ(image_crc16("\xff\xff\xff\xff", 4), 0xc41a);
	CHECK_EQ(image_crc16("MTFW", 4), 0x9747);
	CHECK_EQ(image_crc16(counting, 8), 0x402f);
	CHECK_EQ(image_crc16(twice, 16), 0x7bf8);
	CHECK_EQ(image_crc16(zeros, sizeof(zeros)), 0x745d);
	CHECK_EQ(reference(zeros, sizeof(zeros)), 0x745d);
}

static void pointer_vectors(void)
{
	CHECK_EQ(image_pointer_crc(0), 0);
	CHECK_EQ(image_pointer_crc(0x100), 0x75f8);
	CHECK_EQ(image_pointer_crc(0x500), 0x8359);
	CHECK_EQ(image_pointer_crc(0x1000), 0xeb67);
	CHECK_EQ(image_pointer_crc(0x3000), 0x3da8);
	CHECK_EQ(image_pointer_crc(0x4000), 0xbd3f);
	CHECK_EQ(image_pointer_crc(0x10000), 0xda33);
	CHECK_EQ(image_pointer_crc(0x12345678), 0x7e6f);
}

/* Every length around the blocks of tables and multiplier, at every alignment. */
static void every_length(void)
{
	uint8_t bytes[1024 + 16];
	unsigned int i, length, shift;
	uint16_t expected;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = random32();
	for (length = 0; length <= 1024; length++) {
		shift = random32() % 16;
		expected = reference(bytes + shift, length);
		CHECK_EQ(image_crc16(bytes + shift, length), expected);
		CHECK_EQ(image_crc16_finish(image_crc16_portable(IMAGE_CRC16_START, bytes + shift, length)),
			 expected);
	}
}

static void random_splits(void)
{
	static uint8_t bytes[70000];
	unsigned int i, round;
	size_t length, at, now;
	uint16_t crc, portable, expected;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = random32();
	for (round = 0; round < 60; round++) {
		length = random32() % sizeof(bytes);
		expected = reference(bytes, length);
		crc = IMAGE_CRC16_START;
		portable = IMAGE_CRC16_START;
		for (at = 0; at < length; at += now) {
			now = 1 + random32() % (round % 2 ? 300 : 20000);
			if (now > length - at)
				now = length - at;
			crc = image_crc16_update(crc, bytes + at, now);
			portable = image_crc16_portable(portable, bytes + at, now);
		}
		CHECK_EQ(image_crc16_finish(crc), expected);
		CHECK_EQ(image_crc16_finish(portable), expected);
	}
}

/* No claim, a measurement: one line for whoever looks. */
static void speed(void)
{
	const size_t length = 8 << 20;
	uint8_t *bytes = calloc(1, length);
	struct timespec start, end;
	uint16_t (*const way[])(uint16_t, const void *, size_t) = { image_crc16_update,
								    image_crc16_portable };
	unsigned int i;

	REQUIRE(bytes);
	for (i = 0; i < 2; i++) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
		CHECK(way[i](IMAGE_CRC16_START, bytes, length) != 1);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
		ktap_note("%s: %.0f MB/s", i ? "tables" : "best way",
		       length / (1e6 * (end.tv_sec - start.tv_sec) + 1e-3 * (end.tv_nsec - start.tv_nsec)));
	}
	free(bytes);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(vectors),
	KTAP_TEST(pointer_vectors),
	KTAP_TEST(every_length),
	KTAP_TEST(random_splits),
	KTAP_TEST(speed),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
