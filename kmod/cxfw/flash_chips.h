/* SPDX-License-Identifier: GPL-2.0-only */
/* Flash chips: device-access.md 5.5, 5.6. */
#ifndef CXFW_FLASH_CHIPS_H
#define CXFW_FLASH_CHIPS_H

#include <linux/types.h>

#define CXFW_SECTOR_4K		0x1000
#define CXFW_BLOCK_64K		0x10000

struct cxfw_flash_chip {
	const char *name;
	u8 manufacturer, type;
	u8 least, most;		/* capacity codes */
	u8 flags;		/* CXFW_CHIP_* */
};

#define CXFW_CHIP_4K		0x01	/* erases 4 KiB */
#define CXFW_CHIP_64K		0x02	/* erases 64 KiB */
#define CXFW_CHIP_STATUS2	0x04	/* has status register 0x35 */
#define CXFW_CHIP_STATUS3	0x08	/* has status register 0x15 */
#define CXFW_CHIP_SPECIAL	0x10	/* wants status writes of its own before it can be written: read only here */

const struct cxfw_flash_chip *cxfw_flash_chip_find(u32 jedec);
u32 cxfw_flash_chip_bytes(u32 jedec);	/* from the capacity code; 0: no such code */

/* Bits of status register 1 that are the block protect field. */
u8 cxfw_flash_protect_bits(const struct cxfw_flash_chip *chip, u32 bank_bytes);
/* Whether block protection covers a part of [address, address + length) of a bank. */
bool cxfw_flash_protected(const struct cxfw_flash_chip *chip, const u8 status[3], u32 bank_bytes,
			  u32 address, u32 length);

#endif /* CXFW_FLASH_CHIPS_H */
