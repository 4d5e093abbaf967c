// SPDX-License-Identifier: GPL-2.0-only
/* Expansion ROMs: firmware-images.md 6.2. */
#include <errno.h>
#include <stdlib.h>

#include "private.h"

#define MARKER "mlxsign:"
#define MARKER_LENGTH 8
#define RECORD_LENGTH (MARKER_LENGTH + 12)
#define HEAD 128		/* bytes at the start of a PCI image where a quick look searches */
#define TAIL 64
#define SMALL 4096		/* bytes of a ROM that are read whole */
#define PCI_HEAD 28
#define PCIR_LENGTH 24

static uint32_t little32(const uint8_t *bytes)
{
	return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static void parse_record(const uint8_t *bytes, struct image_rom *rom)
{
	uint32_t word0 = little32(bytes), word1 = little32(bytes + 4), word2 = little32(bytes + 8);

	rom->product = word0 >> 16;
	rom->version[0] = word0 & 0xff;
	rom->version[1] = word1 >> 16 & 0xff;
	rom->version[2] = word1 & 0xffff;
	rom->pci_device = word2 >> 16;
	rom->port = word2 >> 12 & 15;
	rom->cpu = word2 >> 8 & 15;
	rom->protocol = word2 & 0xff;
}

unsigned int image_rom_parse(const uint8_t *rom, size_t length, struct image_rom roms[IMAGE_ROMS])
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i + RECORD_LENGTH <= length && count < IMAGE_ROMS; i++) {
		if (rom[i] != 'm' || memcmp(rom + i, MARKER, MARKER_LENGTH))
			continue;
		parse_record(rom + i + MARKER_LENGTH, &roms[count++]);
		i += RECORD_LENGTH - 1;
	}
	return count;
}

/* Bytes of the PCI image at the start of bytes, by its PCIR structure; 0: none stands there. */
static size_t pci_image_in(const uint8_t *bytes, size_t length, const uint8_t **pcir)
{
	size_t at, claimed;

	if (length < PCI_HEAD || bytes[0] != 0x55 || bytes[1] != 0xaa)
		return 0;
	at = bytes[0x18] | bytes[0x19] << 8;
	if (at & 3 || at + PCIR_LENGTH > length || memcmp(bytes + at, "PCIR", 4))
		return 0;
	*pcir = bytes + at;
	claimed = (bytes[at + 0x10] | bytes[at + 0x11] << 8) * 512U;
	return claimed <= length ? claimed : 0;
}

/* A ROM that lacks the vendor's record is still one when its chain of PCI images is whole. */
static bool unmarked_rom(const uint8_t *bytes, size_t length, struct image_rom *rom)
{
	const uint8_t *pcir = NULL;
	size_t position = 0, now;

	memset(rom, 0, sizeof(*rom));
	rom->product = IMAGE_ROM_UNKNOWN;
	rom->protocol = 0xff;
	do {
		now = pci_image_in(bytes + position, length - position, &pcir);
		if (!now)
			return false;
		if (!position)
			rom->pci_device = pcir[6] | pcir[7] << 8;
		position += now;
	} while (!(pcir[0x15] & 0x80));
	return true;
}

static int look_whole(const struct image_view *view, uint64_t start, uint32_t length,
		      struct image_facts *facts, struct image_error *error)
{
	uint8_t *rom = malloc(length);
	int code;

	if (!rom)
		return image_fail(error, -ENOMEM, start, _("no memory for a ROM of %u bytes"), length);
	code = view_read(view, start, rom, length, error);
	if (!code) {
		facts->rom_count = image_rom_parse(rom, length, facts->roms);
		if (!facts->rom_count)
			facts->rom_count = unmarked_rom(rom, length, &facts->roms[0]);
		facts->rom_complete = true;
	}
	free(rom);
	return code;
}

struct look {
	const struct image_view *view;
	uint64_t start;
	uint32_t length;
	uint32_t searched;		/* everything of interest before this was searched */
	struct image_facts *facts;
};

/* Searches part of the ROM, but never the same bytes twice. */
static int look_part(struct look *look, uint32_t from, uint32_t bytes, struct image_error *error)
{
	struct image_facts *facts = look->facts;
	struct image_rom found[IMAGE_ROMS];
	uint8_t part[HEAD > TAIL ? HEAD : TAIL];
	unsigned int count, i;
	int code;

	if (from < look->searched)
		from = look->searched;
	if (from >= look->length)
		return 0;
	if (bytes > sizeof(part))
		bytes = sizeof(part);
	if (bytes > look->length - from)
		bytes = look->length - from;
	code = view_read(look->view, look->start + from, part, bytes, error);
	if (code)
		return code;
	count = image_rom_parse(part, bytes, found);
	for (i = 0; i < count && facts->rom_count < IMAGE_ROMS; i++)
		facts->roms[facts->rom_count++] = found[i];
	if (count)
		look->searched = from + bytes;
	return 0;
}

/*
 * Bytes of the PCI image at position, 0 when none stands there. The length is PCIR's:
 * byte 2 of the header may be shorter.
 */
static int pci_image(struct look *look, uint32_t position, uint32_t *bytes, struct image_error *error)
{
	uint8_t head[PCI_HEAD], data[PCIR_LENGTH];
	uint32_t pcir;
	int code;

	*bytes = 0;
	if (look->length - position < sizeof(head))
		return 0;
	code = view_read(look->view, look->start + position, head, sizeof(head), error);
	if (code || head[0] != 0x55 || head[1] != 0xaa)
		return code;
	pcir = head[0x18] | head[0x19] << 8;
	if (pcir & 3 || pcir + sizeof(data) > look->length - position)
		return 0;
	code = view_read(look->view, look->start + position + pcir, data, sizeof(data), error);
	if (code || memcmp(data, "PCIR", 4))
		return code;
	*bytes = (data[0x10] | data[0x11] << 8) * 512U;
	return 0;
}

/* Each PCI image's beginning, what follows the last, and the end of the section. */
static int look_quickly(struct look *look, struct image_error *error)
{
	uint32_t position = 0, bytes;
	int code;

	while (position < look->length) {
		code = pci_image(look, position, &bytes, error);
		if (!code)
			code = look_part(look, position, bytes || !position ? HEAD : TAIL, error);
		if (code)
			return code;
		if (!bytes || bytes > look->length - position)
			break;
		position += bytes;
	}
	if (look->length > TAIL && look->searched < look->length)
		return look_part(look, look->length - TAIL, TAIL, error);
	return 0;
}

int rom_look(const struct image_view *view, uint64_t start, uint32_t length, bool quick,
	     struct image_facts *facts, struct image_error *error)
{
	struct look look = { view, start, length, 0, facts };
	int code;

	if (quick && length > SMALL) {
		code = look_quickly(&look, error);
		if (code || facts->rom_count)
			return code;
	}
	return look_whole(view, start, length, facts, error);
}

const char *image_rom_product_name(unsigned int product)
{
	switch (product) {
	case IMAGE_ROM_UNKNOWN:
		return "unknown";
	case 1:
		return "CLP1";
	case 2:
		return "CLP2";
	case 3:
		return "CLP3";
	case 4:
		return "CLP4";
	case IMAGE_ROM_CLP_STRING:
		return "CLP";
	case IMAGE_ROM_PXE:
		return "PXE";
	case IMAGE_ROM_UEFI:
		return "UEFI";
	case IMAGE_ROM_CLP:
		return "CLP";
	case IMAGE_ROM_NVME:
		return "NVMe";
	case IMAGE_ROM_UEFI_VIRTIO_NET:
		return "UEFI Virtio net";
	case IMAGE_ROM_UEFI_VIRTIO_BLK:
		return "UEFI Virtio blk";
	case IMAGE_ROM_PXE_VIRTIO_NET:
		return "PXE Virtio net";
	case IMAGE_ROM_FCODE:
		return "FCODE";
	}
	return NULL;
}

const char *image_rom_cpu_name(unsigned int cpu)
{
	static const char *const names[] = { NULL, "AMD64", "AARCH64", "AMD64,AARCH64", "IA32" };

	return cpu < sizeof(names) / sizeof(names[0]) ? names[cpu] : NULL;
}

const char *image_rom_protocol_name(unsigned int protocol)
{
	static const char *const names[] = { "IB", "ETH", "VPI" };

	return protocol < sizeof(names) / sizeof(names[0]) ? names[protocol] : NULL;
}
