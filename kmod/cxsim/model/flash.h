/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flash of a simulated card: the SPI NOR chip (chip.c) and the gateways that reach it
 * from CR-space (spi.c). card.h embeds both structs as card->chip and card->spi. What
 * these files use of struct cxsim_card: host, seed, settings[], counters[], chip, spi and
 * bootrom.
 */
#ifndef CXSIM_FLASH_H
#define CXSIM_FLASH_H

#include "os.h"

struct cxsim_card;

#define CXSIM_PAGE	256U		/* bytes of a program operation */
#define CXSIM_SECTOR	4096U
#define CXSIM_BLOCK	65536U

/* One row of the chip table: device-access.md 5.5. Times are data sheet values of the family. */
struct cxsim_chip_type {
	const char *name;
	u8 manufacturer, type;
	u8 capacity_min, capacity_max;	/* log2 of the size in bytes that this row is made in */
	u8 code_64m;			/* third JEDEC byte of the 64 MiB part */
	bool sector_erase;		/* 4 KiB erase */
	bool block_erase;		/* 64 KiB erase */
	u8 protect;			/* enum cxsim_protect */
	u8 quad;			/* enum cxsim_quad */
	bool short_write_clears;	/* a one-byte status write clears status register 2 */
	u8 power_on_status;		/* status register 1 after power-on, over what is stored */
	u32 program_us[2];		/* typical, maximum */
	u32 sector_us[2], block_us[2], status_us[2];
};

enum cxsim_protect {
	CXSIM_PROTECT_3,		/* three block protect bits, 4:2, TB at 5, SEC at 6 */
	CXSIM_PROTECT_3_LARGE,		/* the same; the unit is four times as large (16 MiB Winbond, Cypress) */
	CXSIM_PROTECT_4,		/* four bits, 5:2, TB at 6 */
	CXSIM_PROTECT_4_CONFIG,		/* four bits, 5:2, TB at bit 3 of the 0x15 register */
	CXSIM_PROTECT_ALL,		/* any bit of 5:2 protects everything (Atmel) */
};

enum cxsim_quad {
	CXSIM_QUAD_NONE,
	CXSIM_QUAD_STATUS2,		/* bit 1 of the 0x35 register */
	CXSIM_QUAD_STATUS1,		/* bit 6 of the 0x05 register */
};

/*
 * Cells that a cut left between 0 and 1. They are stored as 1 and read as 0 now and then,
 * until they are erased again or programmed.
 */
struct cxsim_unstable {
	u32 start, length;		/* length 0: free */
	bool masked;			/* a cut program: only the bits of mask; else every bit by hash */
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
	bool power_cut;			/* a cut hit: the card is dead until power-on */
	u64 busy_until;
	u64 protect_seen;		/* CXSIM_WRITE_PROTECT as last applied */
	u64 random;
	struct cxsim_unstable unstable[CXSIM_UNSTABLE];
	/* the transaction between chip select low and high */
	bool selected, ignored;
	u32 taken;			/* bytes so far */
	u8 opcode;
	u32 address;
	u32 data_count;			/* bytes of data taken */
	u8 page[CXSIM_PAGE];
	u8 last;			/* what was on the line before */
};

/*
 * chip_name NULL or "": a part that fits the size; flash_size 0: 16 MiB, or the only size
 * of the named part. Erased cells. False: why (160 bytes) says what does not fit.
 */
bool cxsim_chip_init(struct cxsim_card *card, const char *chip_name, u32 flash_size, char *why);
void cxsim_chip_destroy(struct cxsim_card *card);
void cxsim_chip_power_on(struct cxsim_card *card);	/* power cycle: volatile state goes, power_cut too */

/* The pins: chip select low, a byte out and in, chip select high. */
void cxsim_chip_select(struct cxsim_card *card);
u8 cxsim_chip_transfer(struct cxsim_card *card, u8 out);
void cxsim_chip_deselect(struct cxsim_card *card);

/* What the cells read as, unstable ones included; bus protocol and counters left out. */
void cxsim_chip_peek(struct cxsim_card *card, u32 address, u8 *buffer, u32 length);

/*
 * The flash as the firmware reaches it (MFBA, MFBE, its own updates): waits until the
 * chip is ready by moving the clock. False: outside the flash, or power was cut.
 * Protection fails silently, as it does below.
 */
bool cxsim_flash_firmware_read(struct cxsim_card *card, u32 address, u8 *buffer, u32 length);
bool cxsim_flash_firmware_erase(struct cxsim_card *card, u32 address, u32 length); /* 4096 or 65536 */
bool cxsim_flash_firmware_program(struct cxsim_card *card, u32 address, const u8 *buffer, u32 length);
u8 cxsim_flash_firmware_status(struct cxsim_card *card, unsigned int number);	/* 0 ... 2 */
bool cxsim_flash_firmware_write_status(struct cxsim_card *card, u8 status1, u8 status2);

/* The SPI gateways: device-access.md 5.1 - 5.4. */
struct cxsim_spi_layout;

struct cxsim_spi {
	const struct cxsim_spi_layout *layout;
	u32 command, address, data[4];
	u32 cache_replacement;		/* generation 5: 0xf0420, bit 0 enables */
	u32 busy_polls;			/* reads of the command register before it is ready */
	u32 other_polls;		/* another actor holds the lock for so many reads */
	bool locked;			/* generation 4: legacy.c sets it while 0xf03fc is taken; 5: the lock bit */
	bool held;			/* chip select held between commands */
	bool hung;			/* firmware lost its flash: all-ones until power-on */
};

/* generation 4 (mlx4) or 5 (mlx5 up to ConnectX-6 Lx). */
void cxsim_spi_init(struct cxsim_card *card, unsigned int generation);
void cxsim_spi_reset(struct cxsim_card *card);		/* after every boot: guard stands when firmware runs */

/* CR 0xf0400 ... 0xf0420. *mine tells whether the address belongs to the gateway. */
u32 cxsim_spi_cr_read(struct cxsim_card *card, u32 address, bool *mine);
void cxsim_spi_cr_write(struct cxsim_card *card, u32 address, u32 value, bool *mine);

/* The card answers nothing but all-ones: power was cut, or firmware hangs. */
bool cxsim_flash_dead(const struct cxsim_card *card);

#endif /* CXSIM_FLASH_H */
