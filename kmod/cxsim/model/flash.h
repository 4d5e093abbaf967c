/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flash of a simulated card: the SPI NOR chip (chip.c), which card.h embeds, and the
 * gateways that reach it from CR-space (spi.c).
 */
#ifndef CXSIM_FLASH_H
#define CXSIM_FLASH_H

#include "os.h"

struct cxsim_card;
struct chip_opcode;

#define CXSIM_PAGE	256U		/* bytes of a program operation */
#define CXSIM_SECTOR	4096U
#define CXSIM_BLOCK	65536U

/* CXFW_SEMAPHORE_FLASH_GATEWAY of the interface header, as CXSIM_STUCK_SEMAPHORE takes it. */
#define CXSIM_SEMAPHORE_FLASH_GATEWAY	4

enum cxsim_protect {
	CXSIM_PROTECT_3,		/* block protect bits 4:2, TB at 5, SEC at 6 */
	CXSIM_PROTECT_3_LARGE,		/* the same; the unit is four times as large (16 MiB Winbond, Cypress) */
	CXSIM_PROTECT_4,		/* block protect bits 5:2, TB at 6 */
	CXSIM_PROTECT_4_CONFIG,		/* block protect bits 5:2, TB at bit 3 of the 0x15 register */
	CXSIM_PROTECT_ALL,		/* any of bits 5:2 protects everything (Atmel, SST) */
};

enum cxsim_quad {
	CXSIM_QUAD_NONE,
	CXSIM_QUAD_STATUS2,		/* bit 1 of the 0x35 register */
	CXSIM_QUAD_STATUS1,		/* bit 6 of the 0x05 register */
};

/* One row of the chip table: device-access.md 5.5. Times are data sheet values of the family. */
struct cxsim_chip_type {
	const char *name;
	u8 manufacturer, type;
	u8 smallest, largest;		/* log2 of the sizes in bytes that this row is made in */
	u8 code_64m;			/* capacity code of the 64 MiB part: 0x1a or 0x20 */
	u8 registers;			/* bit n: has status register 0x05, 0x35, 0x15 */
	bool sector_erase;		/* 4 KiB */
	bool half_erase;		/* 32 KiB */
	bool block_erase;		/* 64 KiB */
	enum cxsim_protect protect;
	enum cxsim_quad quad;
	bool short_write_clears;	/* a status write of one byte clears status register 2 */
	u8 power_on_status;		/* volatile bits of status register 1 that power-on sets */
	u32 program_us[2];		/* typical, maximum */
	u32 sector_us[2], block_us[2], status_us[2];
};

/*
 * Cells that a cut left between 0 and 1: stored as 1, read as 0 now and then, until they
 * are erased again or programmed.
 */
struct cxsim_unstable {
	u32 start, length;		/* length 0: free */
	u32 seed;			/* which bits, when not masked */
	bool masked;			/* a cut program: the bits of mask */
	bool sparse;			/* few of them, when not masked */
	u16 sum;			/* of the cells, to see that someone rewrote them from outside */
	u8 mask[CXSIM_PAGE];
};
#define CXSIM_UNSTABLE	8

struct cxsim_chip {
	const struct cxsim_chip_type *type;
	u8 *cells;
	u32 size;
	u32 jedec;			/* manufacturer 23:16, type 15:8, capacity 7:0 */
	u8 status[3];			/* registers 0x05 (without WIP and WEL), 0x35, 0x15 */
	bool write_enabled;		/* WEL */
	bool four_byte;			/* after 0xb7 */
	u64 busy_until;
	u64 protect_seen;		/* CXSIM_WRITE_PROTECT as last applied */
	u32 random;
	struct cxsim_unstable unstable[CXSIM_UNSTABLE];
	unsigned int unstable_count;
	u8 sector[CXSIM_SECTOR];	/* room for firmware to change one */
	/* the transaction between chip select low and high */
	bool selected;
	bool ignored;			/* busy, or no such opcode */
	u32 taken;			/* bytes so far */
	const struct chip_opcode *opcode;
	u32 address;
	u32 data_count;			/* bytes of data so far */
	u8 page[CXSIM_PAGE];
	u8 line;			/* what was read last */
};

/*
 * chip_name NULL or "": a part that is made in this size; flash_size 0: 16 MiB, or the
 * smallest size of the named part from there on. The cells are erased. 0, or -1 with why
 * (160 bytes) filled.
 */
int cxsim_chip_init(struct cxsim_card *card, const char *chip_name, u32 flash_size, char *why);
void cxsim_chip_free(struct cxsim_card *card);
void cxsim_chip_power(struct cxsim_card *card);	/* power comes back: volatile state is lost, nothing is busy */
u64 cxsim_chip_busy_until(const struct cxsim_card *card);	/* in cxsim_time() */
u32 cxsim_chip_jedec(const struct cxsim_card *card);

/* chip_types.c: row n of the chip table, NULL behind its end. */
const struct cxsim_chip_type *cxsim_chip_type(unsigned int index);
/* The part of that name (NULL or "": any) in that size (0: its usual one, filled in); NULL with why filled. */
const struct cxsim_chip_type *cxsim_chip_find(const char *name, u32 *flash_size, char *why);
bool cxsim_chip_is_made(const char *name, u32 flash_size);
u32 cxsim_chip_capacity(const struct cxsim_chip_type *type, u32 flash_size);	/* third byte of its JEDEC id */

/* The pins: chip select low, a byte out and in, chip select high. */
void cxsim_chip_select(struct cxsim_card *card);
u8 cxsim_chip_transfer(struct cxsim_card *card, u8 out);
void cxsim_chip_deselect(struct cxsim_card *card);

/* What the cells read as, unstable ones included; no protocol, nothing counted. */
void cxsim_chip_peek(struct cxsim_card *card, u32 address, u8 *buffer, u32 length);

/*
 * The flash as the firmware reaches it (MFBA, MFBE, its own updates). Firmware waits for
 * the chip by itself: each operation starts when the chip is ready and leaves its own
 * time in cxsim_chip_busy_until(). False: outside the flash, or power is gone. Protection
 * fails silently, as it does below.
 */
bool cxsim_flash_firmware_read(struct cxsim_card *card, u32 address, u8 *buffer, u32 length);
bool cxsim_flash_firmware_erase(struct cxsim_card *card, u32 address, u32 length); /* 4, 32 or 64 KiB, aligned */
bool cxsim_flash_firmware_program(struct cxsim_card *card, u32 address, const u8 *buffer, u32 length);
u8 cxsim_flash_firmware_status(struct cxsim_card *card, unsigned int number);	/* 0 ... 2 */

/*
 * The SPI gateway: CR 0xf0400 ... 0xf0420, device-access.md 5.1 - 5.4. *mine tells
 * whether the address belongs to it. Its registers are card->gateway.
 */
void cxsim_spi_reset(struct cxsim_card *card);	/* after every boot: the guard stands while firmware runs */
u32 cxsim_spi_cr_read(struct cxsim_card *card, u32 address, bool *mine);
void cxsim_spi_cr_write(struct cxsim_card *card, u32 address, u32 value, bool *mine);

#endif /* CXSIM_FLASH_H */
