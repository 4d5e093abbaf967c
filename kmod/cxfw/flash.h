/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flash chip behind the card: through the firmware (MFPA, MFBA, MFBE) while it runs
 * and guards it, through the SPI gateway otherwise (device-access.md 4.3, 5).
 *
 * cxfw_flash_lock() takes the semaphores that keep other tools out (mlx4: CR 0xf03a0;
 * mlx5: 0xa:0x10); reads, erases and programs stand between lock and unlock. Locks that
 * drivers wait for (0xf03fc, the gateway's lock bit, the VSC semaphore) are taken inside
 * and given back at least every 100 ms.
 */
#ifndef CXFW_FLASH_H
#define CXFW_FLASH_H

#include <linux/types.h>

#define CXFW_PAGE		256	/* bytes of a program operation */

struct cxfw_device;
struct cxfw_flash_chip;
struct cxfw_flash_backend;

struct cxfw_flash {
	bool probed;
	bool locked;
	bool decrypts;			/* SPI gateway: what it did to data before this hold */
	bool address_stays;		/* SPI gateway: its address register outlives a command */
	u32 access;			/* CXFW_FLASH_ACCESS_* */
	u32 size;			/* bytes, all banks */
	u32 banks;
	u32 jedec;			/* manufacturer 23:16, type 15:8, capacity 7:0 */
	u32 sector;			/* smallest erase unit, bytes */
	u32 block;			/* largest erase unit, bytes */
	u32 status_valid;
	u8 status[3];
	const struct cxfw_flash_chip *chip;	/* NULL: not in the table; readable, never written */
	const struct cxfw_flash_backend *backend;
	u32 program_us;			/* how long a page took lately; 0: not known */
	u64 busy_since, unlocked_at;	/* ns: since when others found no room for the lock */
	u64 erased, programmed;		/* bytes, counted */
};

int cxfw_flash_probe(struct cxfw_device *device);	/* once; takes and gives back the lock */
int cxfw_flash_lock(struct cxfw_device *device);
void cxfw_flash_unlock(struct cxfw_device *device);
/* -EIO when a reset took the lock away. On mlx4 it cannot be told once somebody else has it. */
int cxfw_flash_check_lock(struct cxfw_device *device);

/* Any address and length inside the flash. -EINTR when a fatal signal is pending. */
int cxfw_flash_read(struct cxfw_device *device, u32 address, void *buffer, size_t length);

/* One erase of length bytes: flash.sector or flash.block, aligned. Returns when the chip is ready. */
int cxfw_flash_erase(struct cxfw_device *device, u32 address, u32 length);

/*
 * Programs without erase: bits go from 1 to 0 only. Splits at pages and skips 16-byte
 * pieces that are all 0xff. Not read back: that is the caller's job.
 */
int cxfw_flash_program(struct cxfw_device *device, u32 address, const void *buffer, size_t length);

/*
 * Is a part of it kept by block protection, as far as the chip's registers are known? Always false
 * through the firmware, which does not show them.
 */
bool cxfw_flash_is_protected(const struct cxfw_device *device, u32 address, u32 length);
/* Can cxfw_flash_unprotect() do it on this card? */
bool cxfw_flash_can_unprotect(const struct cxfw_device *device);
/* Clears the block protect bits of every bank, and nothing else: -EROFS when they stay. */
int cxfw_flash_unprotect(struct cxfw_device *device);

const char *cxfw_flash_name(const struct cxfw_device *device);	/* "" when unknown */

#endif /* CXFW_FLASH_H */
