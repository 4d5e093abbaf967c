// SPDX-License-Identifier: GPL-2.0-only
#include "crc.h"

#define POLYNOMIAL_REVERSED 0xd008

/*
 * Augmented form: message bits enter at the low end. Four bits leave the register at a
 * time; as the polynomial's top bit is bit 12, what they bring back is a plain product.
 */
static const uint16_t feedback[16] = {
	0x0000, 0x100b, 0x2016, 0x301d, 0x402c, 0x5027, 0x603a, 0x7031,
	0x8058, 0x9053, 0xa04e, 0xb045, 0xc074, 0xd07f, 0xe062, 0xf069,
};

static uint16_t step(uint16_t crc, unsigned int nibble)
{
	return (uint16_t)(crc << 4 | nibble) ^ feedback[crc >> 12];
}

uint16_t image_crc16_update(uint16_t crc, const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;

	while (length--) {
		crc = step(crc, *byte >> 4);
		crc = step(crc, *byte & 15);
		byte++;
	}
	return crc;
}

uint16_t image_crc16_finish(uint16_t crc)
{
	static const uint8_t flush[2];

	return image_crc16_update(crc, flush, sizeof(flush)) ^ 0xffff;
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
