/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by spi_gateway.c, which runs commands, and spi_flash.c, which knows what they do to a chip. */
#ifndef CXFW_SPI_PRIVATE_H
#define CXFW_SPI_PRIVATE_H

#include <linux/types.h>

#include "device.h"
#include "gateway.h"

/* Where a generation has its registers: device-access.md 5.1. */
struct cxfw_spi_layout {
	u32 generation;
	u32 command, address, data;	/* CR addresses */
	u32 semaphore;			/* generation 4: read to lock; 0: CXFW_SPI_LOCK of command */
	u32 cache;			/* cache replacement: CACHE_ENABLE; 0: none */
	u32 decrypt;			/* decryption of what is read: CACHE_ENABLE; 0: none */
	bool byte_sizes;		/* generation 6 has its own places for bank, size and address width */
	u32 always;			/* bits that every command carries */
	u32 banks;
};

/* Bits of the command register as generations 4 and 5 have them. */
#define SPI_FROM_CHIP	0x00000001U
#define SPI_PHASE_COMMAND	0x00000004U
#define SPI_PHASE_ADDRESS	0x00000008U
#define SPI_PHASE_DATA	0x00000010U
#define SPI_HOLD_SELECT	0x00000020U
#define SPI_SIZE_1	0x00000000U	/* log2 of the bytes at 10:8 */
#define SPI_SIZE_2	0x00000100U
#define SPI_SIZE_4	0x00000200U
#define SPI_SIZE_16	0x00000400U
#define SPI_FOUR_BYTES	0x00004000U
#define SPI_OPCODE(opcode)	((u32)(opcode) << 16)

/* SPI opcodes and what they answer */
#define SPI_READ_STATUS	0x05
#define SPI_STATUS_BUSY	0x01

/* The layout of this card's gateway; NULL: not known. */
const struct cxfw_spi_layout *cxfw_spi_layout(const struct cxfw_device *device);

static inline int cxfw_spi_cr_read(struct cxfw_device *device, u32 address, u32 *value)
{
	return cxfw_gateway_read(device, CXFW_SPACE_CR, address, value);
}

static inline int cxfw_spi_cr_write(struct cxfw_device *device, u32 address, u32 value)
{
	return cxfw_gateway_write(device, CXFW_SPACE_CR, address, value);
}

/*
 * Inside a hold: one command of the bits above, and its end in the gateway, which is not the
 * chip's. Data and address registers are the caller's.
 */
int cxfw_spi_run(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u32 command);
/* Up to four bytes that an opcode answers, the first in bits 31:24. */
int cxfw_spi_read_register(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u8 opcode,
			   u32 *value);
int cxfw_spi_read_status(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u8 opcode,
			 u8 *status);
/* Inside a hold: is the lock still ours? */
int cxfw_spi_still_locked(struct cxfw_device *device, const struct cxfw_spi_layout *layout);
int cxfw_spi_lock_lost(struct cxfw_device *device, u32 value);

/*
 * A hold goes from enter to leave: the gateway's lock is ours and the chip is ready. On failure of enter
 * or breathe nobody is inside. leave takes what happened in the hold and gives what counts more.
 */
int cxfw_spi_enter(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank);
int cxfw_spi_leave(struct cxfw_device *device, const struct cxfw_spi_layout *layout, int error);
/* Lets others in when it is time. */
int cxfw_spi_breathe(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank);

#endif /* CXFW_SPI_PRIVATE_H */
