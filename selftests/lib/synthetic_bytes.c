// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: bytes, numbers, checksums. */
#include <ctype.h>

#include "synthetic_private.h"

const uint8_t magic_fs2[MAGIC_LENGTH] = {
	0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00, 0xde, 0xad, 0x92, 0x70, 0x41, 0x54, 0xbe, 0xef
};
const uint8_t magic_fs4[MAGIC_LENGTH] = {
	0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00, 0xfa, 0xde, 0x12, 0x34, 0x56, 0x78, 0xde, 0xad
};

void *must_allocate(size_t length)
{
	void *memory = malloc(length ? length : 1);

	if (!memory)
		abort();
	return memory;
}

uint8_t *bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	size_t start = bytes->length;

	if (bytes->length + length > bytes->room) {
		bytes->room = 2 * (bytes->length + length);
		bytes->data = realloc(bytes->data, bytes->room);
		if (!bytes->data)
			abort();
	}
	if (data)
		memcpy(bytes->data + start, data, length);
	else
		memset(bytes->data + start, 0, length);
	bytes->length += length;
	return bytes->data + start;
}

void bytes_align(struct bytes *bytes, size_t to)
{
	bytes_add(bytes, NULL, round_up(bytes->length, to) - bytes->length);
}

void store_text(uint8_t *bytes, size_t room, const char *text)
{
	size_t length = text ? strnlen(text, room) : 0;

	memset(bytes, 0, room);
	if (length)
		memcpy(bytes, text, length);
}

void numbers_of(const char *text, unsigned int numbers[], unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		while (*text && !isdigit((unsigned char)*text))
			text++;
		numbers[i] = 0;
		while (isdigit((unsigned char)*text))
			numbers[i] = numbers[i] * 10 + (*text++ - '0');
	}
}

uint32_t bcd_of(unsigned int value)
{
	uint32_t bcd = 0;
	unsigned int shift;

	for (shift = 0; value; shift += 4, value /= 10)
		bcd |= (value % 10) << shift;
	return bcd;
}

static uint32_t mix(uint32_t value)
{
	value = (value ^ value >> 16) * 0x7feb352d;
	value = (value ^ value >> 15) * 0x846ca68b;
	return value ^ value >> 16;
}

void fill_pattern(uint8_t *bytes, size_t length, uint32_t seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		bytes[i] = mix(seed * 0x9e3779b9 + (uint32_t)(i >> 8)) >> (i & 3) * 8 ^ (i >> 2 & 0x3f);
}

/*
 * 0.1, bit by bit in words: message bits enter at the low end of the register, the bit that leaves at
 * the top brings in the polynomial; 16 zero bits follow the message. The table says what eight
 * bits that leave bring in.
 */
uint16_t synthetic_crc16(const void *message, size_t length)
{
	static uint16_t table[256];
	const uint8_t *bytes = message;
	uint32_t crc = 0xffff;
	size_t i;

	if (!table[1]) {
		for (i = 0; i < 256; i++) {
			uint32_t value = (uint32_t)i << 16, bit;

			for (bit = 1U << 23; bit >= 1U << 16; bit >>= 1)
				if (value & bit)
					value ^= bit | 0x100bU * (bit >> 16);
			table[i] = value & 0xffff;
		}
	}
	for (i = 0; i < length + 2; i++)
		crc = ((crc << 8 | (i < length ? bytes[i] : 0)) & 0xffff) ^ table[crc >> 8 & 0xff];
	return crc ^ 0xffff;
}

uint16_t pointer_crc(uint32_t pointer)
{
	uint8_t message[6] = { 0 };
	unsigned int crc = 0, i, bit;

	store_be32(message, pointer);
	for (i = 0; i < sizeof(message); i++) {
		crc ^= message[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xd008 : crc >> 1;
	}
	return (crc & 0xff) << 8 | crc >> 8;
}
