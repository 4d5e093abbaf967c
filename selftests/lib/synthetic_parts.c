// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: the parts that several formats have. */
#include <zlib.h>

#include "synthetic_private.h"

#define VENDOR 0x15b3

void make_boot2(uint8_t *at, uint32_t load, uint32_t count, uint32_t seed)
{
	store_be32(at, load);
	store_be32(at + 4, count);
	fill_pattern(at + 8, 4 * (size_t)count, seed);
	store_be32(at + 8 + 4 * (size_t)count, load + 4);
	store_be32(at + 12 + 4 * (size_t)count, synthetic_crc16(at, 4 * ((size_t)count + 3)));
}

uint8_t *make_packed_ini(const char *ini, size_t *length)
{
	uLongf packed = compressBound(strlen(ini));
	uint8_t *bytes = must_allocate(packed + 4);

	if (compress2(bytes, &packed, (const Bytef *)ini, strlen(ini), 9) != Z_OK)
		abort();
	*length = round_up(packed, 4);
	memset(bytes + packed, 0, *length - packed);
	return bytes;
}

#define ROM_BLOCK 512U
#define ROM_TRAILER 20U

bool make_rom(uint8_t *rom, size_t size, const struct synthetic *want)
{
	size_t chain, initialisation, i;
	unsigned int version[3];
	uint8_t *pcir = rom + 0x1c, sum = 0;

	if (size < ROM_BLOCK + ROM_TRAILER || size % 4 || size > 255 * ROM_BLOCK * 256)
		return false;
	chain = (size - ROM_TRAILER) / ROM_BLOCK;
	initialisation = chain < 127 ? chain : 127;
	memset(rom, 0, size);
	fill_pattern(rom + 0x40, chain * ROM_BLOCK - 0x40, want->seed + 0x18);
	store_le16(rom, 0xaa55);
	rom[2] = initialisation;
	store_le16(rom + 0x18, 0x1c);
	memcpy(pcir, "PCIR", 4);
	store_le16(pcir + 4, VENDOR);
	store_le16(pcir + 6, want->pci_device);
	store_le16(pcir + 10, 0x18);
	store_le16(pcir + 0x10, chain);
	pcir[0x15] = 0x80;
	for (i = 0; i < initialisation * ROM_BLOCK; i++)
		sum += rom[i];
	rom[initialisation * ROM_BLOCK - 1] -= sum;
	numbers_of(want->rom_version, version, 3);
	rom += chain * ROM_BLOCK;
	memcpy(rom, "mlxsign:", 8);
	store_le32(rom + 8, 0x10 << 16 | version[0]);
	store_le32(rom + 12, version[1] << 16 | version[2]);
	store_le32(rom + 16, want->pci_device << 16 | 1 << 8 | 1);	/* AMD64, ETH */
	return true;
}

void make_image_info(uint8_t *at, const struct settled *settled, uint32_t burn_size)
{
	const struct synthetic *want = &settled->want;
	uint32_t time = settled->time;

	memset(at, 0, IMAGE_INFO_LENGTH);
	store_be32(at, 3 << 16 | (want->security_flags & 0xffff));
	store_be32(at + 4, settled->version[0] << 16);
	store_be32(at + 8, settled->version[1] << 16 | settled->version[2]);
	store_be32(at + 0x0c, (time & 0xff) << 24 | (time & 0xff00) << 8 | (time >> 8 & 0xff00));
	store_be32(at + 0x10, settled->date);
	store_be32(at + 0x14, 2 << 16);
	store_be32(at + 0x1c, want->pci_device << 16 | VENDOR);
	store_be32(at + 0x20, 0x0016 << 16 | VENDOR);
	store_text(at + 0x24, 16, want->psid);
	store_be32(at + 0x34, VENDOR);
	store_text(at + 0x38, 208, want->vsd);
	store_be32(at + 0x108, want->log2);
	store_be32(at + 0x10c, 1U << want->log2);
	store_be32(at + 0x110, (want->dtoc_divisor & 0xff) << 8);
	store_be32(at + 0x118, (want->hw_revision & 0xff) << 16 | want->hw_id);
	store_be32(at + 0x12c, burn_size);
	store_text(at + 0x1c0, 16, want->product);
	store_text(at + 0x1d0, 256, want->description);
	store_text(at + 0x2d2, 46, want->board_name);
	store_be32(at + 0x314, 1 << 20);		/* MAD, which query calls ISSU */
	store_text(at + 0x340, 64, want->name);
	store_text(at + 0x380, 128, want->prs);
}

static void make_uid(uint8_t *at, const struct synthetic *want, uint64_t uid)
{
	store_be32(at, 1 << 8 | want->uid_count);
	store_be32(at + 4, 0);
	store_be64(at + 8, want->no_uids ? 0 : uid);
}

static void make_uids(uint8_t *at, const struct synthetic *want)
{
	make_uid(at, want, want->guid);
	if (!want->connect_ib) {
		make_uid(at + 0x10, want, want->mac);
		return;
	}
	make_uid(at + 0x10, want, want->guid + want->uid_count);
	make_uid(at + 0x20, want, want->mac);
	make_uid(at + 0x30, want, want->mac + want->uid_count);
}

void make_dev_info(uint8_t *at, const struct settled *settled, bool valid)
{
	static const uint32_t signature[] = { 0x6d446576, 0x496e666f, 0x2342cafa, 0xbacafe00 };
	const struct synthetic *want = &settled->want;
	unsigned int i;

	memset(at, 0, DEV_INFO_LENGTH);
	for (i = 0; i < 4 && valid; i++)
		store_be32(at + 4 * i, signature[i]);
	store_be32(at + 0x10, (want->connect_ib ? 1 : 2) << 8);
	make_uids(at + 0x20, want);
	store_be32(at + 0x6c, VENDOR);
	store_text(at + 0x70, 208, want->device_vsd);
	if (want->format != SYNTHETIC_FS3)
		store_be32(at + 0x1fc, synthetic_crc16(at, 0x1fc));
}

void make_mfg_info(uint8_t *at, const struct settled *settled)
{
	const struct synthetic *want = &settled->want;

	memset(at, 0, MFG_INFO_LENGTH);
	store_text(at, 16, want->psid);
	store_be32(at + 0x1c, (want->connect_ib ? 0 : 1) << 24 | 1 << 16 | 1);
	make_uids(at + 0x20, want);
	store_text(at + 0x60, 96, want->prs);
}
