// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/kernel.h>

#include "flash_chips.h"

#define BOTH (CXFW_CHIP_4K | CXFW_CHIP_64K)

#define SPANSION 0x01
#define ATMEL 0x1f
#define MICRON 0x20
#define ISSI 0x9d
#define SST 0xbf
#define MACRONIX 0xc2
#define GIGADEVICE 0xc8
#define WINBOND 0xef

/* Capacities 0x14 to 0x18 are 1 to 16 MiB. The first row that has the capacity counts. */
static const struct cxfw_flash_chip chips[] = {
	{ "M25PXxx", MICRON, 0x71, 0x14, 0x18, BOTH },
	{ "M25Pxx", MICRON, 0x20, 0x14, 0x18, CXFW_CHIP_64K },
	{ "N25Q0XX", MICRON, 0xba, 0x14, 0x18, BOTH },
	{ "MT25QLxxx", MICRON, 0xba, 0x20, 0x20, BOTH },
	{ "MT25QUxxx", MICRON, 0xbb, 0x20, 0x20, BOTH },
	{ "SST25VFxx", SST, 0x25, 0x14, 0x18, CXFW_CHIP_64K | CXFW_CHIP_SPECIAL },
	{ "W25QxxBV", WINBOND, 0x40, 0x14, 0x18, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
	{ "W25Qxxx", WINBOND, 0x40, 0x19, 0x20, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
	{ "W25Xxx", WINBOND, 0x30, 0x14, 0x18, CXFW_CHIP_4K },
	{ "W25Qxxx", WINBOND, 0x70, 0x18, 0x19, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
	{ "W25Qxxx", WINBOND, 0x60, 0x16, 0x16, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
	{ "W25Qxxx", WINBOND, 0x80, 0x20, 0x20, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
	{ "AT25DFxxx", ATMEL, 0x02, 0x14, 0x18, CXFW_CHIP_4K | CXFW_CHIP_SPECIAL },
	{ "S25FLXXXP", SPANSION, 0x02, 0x14, 0x18, CXFW_CHIP_64K },
	{ "S25FL11xx", SPANSION, 0x40, 0x14, 0x18, BOTH | CXFW_CHIP_STATUS2 },
	{ "S25FLxxx", SPANSION, 0x60, 0x18, 0x18, BOTH | CXFW_CHIP_STATUS2 },
	{ "MX25L16xxx", MACRONIX, 0x20, 0x14, 0x18, BOTH | CXFW_CHIP_STATUS3 },
	{ "MX25Lxxx", MACRONIX, 0x20, 0x19, 0x19, BOTH | CXFW_CHIP_STATUS3 },
	{ "MX25Uxxx", MACRONIX, 0x25, 0x16, 0x16, BOTH | CXFW_CHIP_STATUS3 },
	{ "MX25Uxxx", MACRONIX, 0x25, 0x19, 0x20, BOTH | CXFW_CHIP_STATUS3 },
	{ "MX25Uxxx", MACRONIX, 0x28, 0x16, 0x16, BOTH | CXFW_CHIP_STATUS3 },
	{ "IS25LPxxx", ISSI, 0x60, 0x14, 0x18, BOTH },
	{ "IS25WPxxx", ISSI, 0x60, 0x19, 0x19, BOTH },
	{ "IS25LPxxx", ISSI, 0x70, 0x16, 0x16, BOTH },
	{ "IS25LPxxx", ISSI, 0x70, 0x1a, 0x20, BOTH },
	{ "GD25LBxxx", GIGADEVICE, 0x40, 0x18, 0x19, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
	{ "GD25LBxxxMF", GIGADEVICE, 0x60, 0x1a, 0x20, BOTH | CXFW_CHIP_STATUS2 | CXFW_CHIP_STATUS3 },
};

const struct cxfw_flash_chip *cxfw_flash_chip_find(u32 jedec)
{
	u8 manufacturer = jedec >> 16 & 0xff, type = jedec >> 8 & 0xff, capacity = jedec & 0xff;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (chips[i].manufacturer == manufacturer && chips[i].type == type &&
		    capacity >= chips[i].least && capacity <= chips[i].most && cxfw_flash_chip_bytes(jedec))
			return &chips[i];
	return NULL;
}

u32 cxfw_flash_chip_bytes(u32 jedec)
{
	u8 capacity = jedec & 0xff;

	if (capacity == 0x20)
		return 1U << 26;
	return capacity >= 0x11 && capacity <= 0x1a ? 1U << capacity : 0;
}

struct protection {
	u32 mask;		/* of BP in status register 1 */
	bool known_end, bottom;
	bool sub_sectors;
	int shift;		/* sectors = 1 << (BP + shift) */
};

static struct protection protection_of(const struct cxfw_flash_chip *chip, const u8 status[3], u32 bank_bytes)
{
	bool winbond = chip && (chip->manufacturer == WINBOND || chip->manufacturer == SPANSION);
	struct protection protection = { .mask = 0x1c, .known_end = true, .shift = -1 };

	if (chip && (chip->manufacturer == MACRONIX || chip->manufacturer == ISSI)) {
		protection.mask = 0x3c;
		protection.known_end = chip->manufacturer == MACRONIX;
		protection.bottom = status[2] & 0x08;
	} else if (winbond && bank_bytes >= 1U << 25) {
		protection.mask = 0x3c;
		protection.bottom = status[0] & 0x40;
	} else {
		protection.bottom = status[0] & 0x20;
		protection.sub_sectors = winbond && status[0] & 0x40;
		if (winbond && bank_bytes == 1U << 24 && !protection.sub_sectors)
			protection.shift = 1;
	}
	return protection;
}

u8 cxfw_flash_protect_bits(const struct cxfw_flash_chip *chip, u32 bank_bytes)
{
	static const u8 nothing[3];

	return protection_of(chip, nothing, bank_bytes).mask;
}

bool cxfw_flash_protected(const struct cxfw_flash_chip *chip, const u8 status[3], u32 bank_bytes,
			  u32 address, u32 length)
{
	struct protection protection = protection_of(chip, status, bank_bytes);
	u32 level = (status[0] & protection.mask) >> 2;
	u64 bytes;

	if (!level)
		return false;
	bytes = (u64)(protection.sub_sectors ? CXFW_SECTOR_4K : CXFW_BLOCK_64K) << ((int)level + protection.shift);
	if (bytes >= bank_bytes || !protection.known_end)
		return true;
	return protection.bottom ? address < bytes : (u64)address + length > bank_bytes - bytes;
}
