// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is an expansion ROM that an image can carry: firmware-images.md 6.2. */
#include <errno.h>

#include "edit.h"
#include "private.h"

#define ROM_MOST	0xfffffc
#define PCIR_LENGTH	24

static uint32_t little16(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8;
}

/* The PCI image at position. Its length is PCIR's: byte 2 of its head may be shorter. */
static int pci_image(const uint8_t *rom, size_t length, size_t position, size_t *bytes, bool *last,
		     struct image_error *error)
{
	const uint8_t *image = rom + position, *pcir;
	size_t room = length - position, at;

	if (room < 28 || image[0] != 0x55 || image[1] != 0xaa)
		return image_fail(error, -EBADMSG, position,
				  _("there is no PCI expansion ROM at 0x%zx: it would begin with 55 aa"),
				  position);
	at = little16(image + 0x18);
	if (at & 3 || at + PCIR_LENGTH > room || memcmp(image + at, "PCIR", 4))
		return image_fail(error, -EBADMSG, position + 0x18,
				  _("the ROM at 0x%zx does not lead to a PCIR structure"), position);
	pcir = image + at;
	*bytes = little16(pcir + 0x10) * 512;
	*last = pcir[0x15] & 0x80;
	if (!*bytes || *bytes > room)
		return image_fail(error, -EBADMSG, position + at + 0x10,
				  _("the ROM at 0x%zx claims 0x%zx bytes, the file has 0x%zx from there"),
				  position, *bytes, room);
	return 0;
}

static int check_chain(const uint8_t *rom, size_t length, struct image_error *error)
{
	size_t position = 0, bytes = 0;
	bool last = false;
	int code;

	while (!last) {
		if (position == length)
			return image_fail(error, -EBADMSG, position,
					  _("the file ends although a further PCI image was announced"));
		code = pci_image(rom, length, position, &bytes, &last, error);
		if (code)
			return code;
		position += bytes;
	}
	return 0;
}

static bool summed(const struct image_rom *roms, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (roms[i].product == IMAGE_ROM_UEFI || roms[i].product == IMAGE_ROM_FCODE)
			return false;
	return true;
}

int image_rom_check(const uint8_t *rom, size_t length, struct image_error *error)
{
	struct image_rom roms[IMAGE_ROMS];
	unsigned int count;
	size_t i, head;
	uint8_t sum = 0;
	int code;

	if (!length || length & 3 || length > ROM_MOST)
		return image_fail(error, -EBADMSG, 0,
				  _("a ROM of %zu bytes: it must be a multiple of 4 and at most 0x%x"),
				  length, ROM_MOST);
	code = check_chain(rom, length, error);
	if (code)
		return code;
	count = image_rom_parse(rom, length, roms);
	if (!count)
		return image_fail(error, -EBADMSG, 0,
				  _("the marker mlxsign: is missing, which names product and version"));
	head = rom[2] * 512U;
	if (head > length)
		return image_fail(error, -EBADMSG, 2,
				  _("the first PCI image claims 0x%zx bytes, the file has 0x%zx"),
				  head, length);
	for (i = 0; i < head; i++)
		sum += rom[i];
	if (sum && summed(roms, count))
		return image_fail(error, -EBADMSG, 0,
				  _("the first PCI image's bytes add up to 0x%02x, not to 0"), sum);
	return 0;
}
