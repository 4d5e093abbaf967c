/* SPDX-License-Identifier: GPL-2.0-only */
/* The two ways to the flash chip, below flash.c. Callers hold the flash lock. */
#ifndef CXFW_FLASH_BACKEND_H
#define CXFW_FLASH_BACKEND_H

#include <linux/types.h>

struct cxfw_device;

struct cxfw_flash_backend {
	u32 access;		/* CXFW_FLASH_ACCESS_* */
	u32 granule;		/* program takes whole ones; divides CXFW_PAGE */
	u32 batch;		/* bytes that one program takes at most, a multiple of CXFW_PAGE */
	/* Fills jedec, banks, size and the status registers of struct cxfw_flash. */
	int (*probe)(struct cxfw_device *device);
	int (*read)(struct cxfw_device *device, u32 address, u8 *buffer, size_t length);
	int (*erase)(struct cxfw_device *device, u32 address, u32 length);
	/* Clears the block protect bits of a bank; NULL: not known how. Called for each bank. */
	int (*unprotect)(struct cxfw_device *device, u32 bank);
	/* Granules in a row, any number of pages, of one bank. */
	int (*program)(struct cxfw_device *device, u32 address, const u8 *data, size_t length);
};

extern const struct cxfw_flash_backend cxfw_flash_spi;
extern const struct cxfw_flash_backend cxfw_flash_firmware;

/*
 * Programming many pages takes about as long for each, and who sleeps so long has one poll to
 * make instead of many: flash.program_us follows what the last one took.
 */
void cxfw_flash_learn_time(struct cxfw_device *device, u32 took_us, bool at_first_look);

/* Bytes of one bank, and where in its bank an address is. */
u32 cxfw_flash_bank_bytes(const struct cxfw_device *device);

#endif /* CXFW_FLASH_BACKEND_H */
