// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CRC16 is written down in its augmented form: message bits enter at the low end of a register that
 * begins as 0xffff, and 16 zero bits follow the message. As polynomials over GF(2), a message M of n bits
 * leaves
 *
 *	(0xffff * x^n + M) * x^16 mod P  =  (0xffff * x^16 mod P) * x^n + M * x^16 mod P
 *
 * which is a plain CRC (message bits meet the register's high end, nothing follows the message)
 * that begins as 0xffff * x^16 mod P = 0xf6aa. That form is what tables and multipliers can do.
 */
#include "crc.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define POLYNOMIAL 0x100b
#define POLYNOMIAL_REVERSED 0xd008
#define SLICES 16

/* slice[k][b]: what byte b does to the register with k bytes behind it. */
static uint16_t slice[SLICES][256];

static uint16_t times_x(uint16_t value)
{
	return (uint16_t)(value << 1) ^ (value & 0x8000 ? POLYNOMIAL : 0);
}

static uint16_t by_table(uint16_t crc, const uint8_t *byte, size_t length)
{
	unsigned int i;
	uint16_t next;

	for (; length >= SLICES; byte += SLICES, length -= SLICES) {
		next = slice[15][byte[0] ^ crc >> 8] ^ slice[14][byte[1] ^ (crc & 0xff)];
		for (i = 2; i < SLICES; i++)
			next ^= slice[15 - i][byte[i]];
		crc = next;
	}
	while (length--)
		crc = (uint16_t)(crc << 8) ^ slice[0][*byte++ ^ crc >> 8];
	return crc;
}

static uint16_t (*update)(uint16_t crc, const uint8_t *byte, size_t length) = by_table;

#if defined(__x86_64__)
#define LANES 8
#define LANE 16			/* bytes */

/* x^(distance + 64) and x^distance mod P: a lane's high and low half, moved by so many bits. */
static uint64_t far_high, far_low, near_high, near_low;

static uint16_t power_of_x(unsigned int exponent)
{
	uint16_t value = 1;

	while (exponent--)
		value = times_x(value);
	return value;
}

__attribute__((target("pclmul,ssse3,sse4.1")))
static inline __m128i load(const uint8_t *byte)
{
	/* The first byte has the highest powers of x. */
	const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)byte), reversed);
}

/* lane * x^distance + more, not reduced: two products of 64 by 16 bits, each shorter than a lane. */
__attribute__((target("pclmul,ssse3,sse4.1")))
static inline __m128i fold(__m128i lane, __m128i powers, __m128i more)
{
	return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(lane, powers, 0x11),
					   _mm_clmulepi64_si128(lane, powers, 0x00)), more);
}

__attribute__((target("pclmul,ssse3,sse4.1")))
static uint16_t by_multiplier(uint16_t crc, const uint8_t *byte, size_t length)
{
	const __m128i far = _mm_set_epi64x(far_high, far_low), near = _mm_set_epi64x(near_high, near_low);
	__m128i lane[LANES];
	uint8_t rest[LANE];
	unsigned int i;

	if (length < 2 * LANES * LANE)
		return by_table(crc, byte, length);
	for (i = 0; i < LANES; i++)
		lane[i] = load(byte + i * LANE);
	lane[0] = _mm_xor_si128(lane[0], _mm_set_epi64x((uint64_t)crc << 48, 0));
	for (byte += LANES * LANE, length -= LANES * LANE; length >= LANES * LANE;
	     byte += LANES * LANE, length -= LANES * LANE)
		for (i = 0; i < LANES; i++)
			lane[i] = fold(lane[i], far, load(byte + i * LANE));
	for (i = 1; i < LANES; i++)
		lane[i] = fold(lane[i - 1], near, lane[i]);
	for (; length >= LANE; byte += LANE, length -= LANE)
		lane[LANES - 1] = fold(lane[LANES - 1], near, load(byte));
	_mm_storeu_si128((__m128i *)rest, load((const uint8_t *)&lane[LANES - 1]));
	return by_table(by_table(0, rest, sizeof(rest)), byte, length);
}

static void choose(void)
{
	far_high = power_of_x(8 * LANES * LANE + 64);
	far_low = power_of_x(8 * LANES * LANE);
	near_high = power_of_x(8 * LANE + 64);
	near_low = power_of_x(8 * LANE);
	__builtin_cpu_init();
	if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"))
		update = by_multiplier;
}
#else
static void choose(void)
{
}
#endif

/* Before main(), so that no thread ever sees half a table. */
__attribute__((constructor))
static void prepare(void)
{
	unsigned int byte, bit, i;

	for (byte = 0; byte < 256; byte++) {
		slice[0][byte] = byte << 8;
		for (bit = 0; bit < 8; bit++)
			slice[0][byte] = times_x(slice[0][byte]);
	}
	for (i = 1; i < SLICES; i++)
		for (byte = 0; byte < 256; byte++)
			slice[i][byte] = (uint16_t)(slice[i - 1][byte] << 8) ^
					 slice[0][slice[i - 1][byte] >> 8];
	choose();
}

uint16_t image_crc16_update(uint16_t crc, const void *bytes, size_t length)
{
	return update(crc, bytes, length);
}

uint16_t image_crc16_portable(uint16_t crc, const void *bytes, size_t length)
{
	return by_table(crc, bytes, length);
}

uint16_t image_crc16_finish(uint16_t crc)
{
	return crc ^ 0xffff;
}

uint16_t image_crc16(const void *bytes, size_t length)
{
	return image_crc16_finish(image_crc16_update(IMAGE_CRC16_START, bytes, length));
}

uint16_t image_pointer_crc(uint32_t pointer)
{
	uint8_t message[6] = { pointer >> 24, pointer >> 16, pointer >> 8, pointer };
	uint16_t crc = 0;
	unsigned int i, bit;

	for (i = 0; i < sizeof(message); i++) {
		crc ^= message[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL_REVERSED : crc >> 1;
	}
	return (uint16_t)(crc << 8 | crc >> 8);
}
