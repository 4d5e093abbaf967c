/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated card, seen from outside.
 *
 * Plain C: no Linux, no clock, no memory of its own. The host (the kernel module, or a
 * test program) gives memory and time and passes configuration space accesses in. Calls
 * on one card must not overlap; the host locks. Nothing here sleeps, and after
 * cxsim_card_create() nothing allocates, so that accesses may come from atomic context.
 */
#ifndef CXSIM_MODEL_H
#define CXSIM_MODEL_H

#include "os.h"		/* u8 ... u64, bool, memcpy and friends, for kernel and user space */

struct cxsim_card;

/* What the host provides. */
struct cxsim_host {
	void *(*alloc)(size_t bytes);		/* zeroed */
	void (*free)(void *memory);
	u64 (*now)(void *context);		/* nanoseconds, rising; NULL: only cxsim_advance() moves time */
	void *context;
};

/*
 * A card from parameters. Strings may be NULL or empty for the model's default.
 * model: "connectx2", "connectx3" (without VSC), "connectx3-vsc" (with the useless VSC
 * of real ones), "connectx3pro", "connectx3pro-vsc", "connectx4lx", "connectx5", "connectx6"
 * (secure: flash closed, signed component updates only), "connectx6-open", "connectx7", "unknown-vsc"
 * (a device id nobody knows, with a proper VSC), "unknown" (the same without).
 */
struct cxsim_parameters {
	const char *model;
	const char *psid;		/* up to 16 characters */
	const char *version;		/* "2.9.1000" */
	const char *vsd;		/* up to 208 characters */
	const char *chip;		/* flash chip, a name of the chip table */
	u64 guid;			/* base GUID; 0: derived from seed */
	u64 mac;			/* base MAC; 0: derived from seed */
	u32 flash_size;			/* bytes, 2 to 64 MiB, a power of two; 0: the chip's default */
	u32 rom_size;			/* bytes of the expansion ROM in the image; 0: none */
	u32 code_size;			/* bytes of code in the image; 0: the model's default */
	u32 log2_chunk;			/* FS3, FS4: log2 of the slot size of the image; 0: half of the flash */
	u32 signature;			/* of the image: 0 as the model has it, 1 none, 2 plain digest */
	u32 virtual_functions;		/* VFs that show beside the physical functions */
	bool empty;			/* flash all 0xff: the card comes up in recovery */
	u64 seed;			/* all pseudo-random behaviour follows from it */
};

/* why must hold 160 bytes; it is filled when NULL is returned. Powers the card on. */
struct cxsim_card *cxsim_card_create(const struct cxsim_parameters *parameters,
				     const struct cxsim_host *host, char *why);
void cxsim_card_destroy(struct cxsim_card *card);

/*
 * Functions. Their number and identity change when the card changes between running and
 * recovery; the generation then rises and the host enumerates again. Function numbers
 * are PCI function numbers (0 ... 7), physical functions first; is_virtual tells VFs.
 */
unsigned int cxsim_functions(const struct cxsim_card *card);
/* A multi-host adapter: the physical functions show in a second host too, or no longer. */
void cxsim_second_host(struct cxsim_card *card, bool there);
unsigned int cxsim_second_functions(const struct cxsim_card *card);	/* that it sees */
u32 cxsim_generation(const struct cxsim_card *card);
bool cxsim_is_virtual(const struct cxsim_card *card, unsigned int function);

/* Configuration space, 4096 bytes a function. bytes is 1, 2 or 4, aligned. Absent reads all-ones. */
u32 cxsim_config_read(struct cxsim_card *card, unsigned int function, unsigned int where, unsigned int bytes);
void cxsim_config_write(struct cxsim_card *card, unsigned int function, unsigned int where,
			unsigned int bytes, u32 value);

/*
 * A second host names its functions with this added. Beside them each host (0, 1) has a
 * root port above the card, with link disable and secondary bus reset; a host without
 * any use for it leaves it alone.
 */
#define CXSIM_HOSTS		2
#define CXSIM_SECOND_HOST	8
u32 cxsim_port_read(struct cxsim_card *card, unsigned int host, unsigned int where, unsigned int bytes);
void cxsim_port_write(struct cxsim_card *card, unsigned int host, unsigned int where, unsigned int bytes, u32 value);

/* CR-space as the chip itself sees it, for mlx4's BAR0 reset and for tests. */
u32 cxsim_cr_read(struct cxsim_card *card, u32 address);
void cxsim_cr_write(struct cxsim_card *card, u32 address, u32 value);

/* Power and resets. After a reset the functions answer all-ones for a while. */
enum cxsim_reset {
	CXSIM_RESET_POWER,	/* power cycle: boot registers are lost */
	CXSIM_RESET_CHIP,	/* mlx4 CR 0xf0010, PCIe hot reset with MFRL: boot registers hold */
	CXSIM_RESET_FUNCTION,	/* FLR: firmware keeps running */
};
void cxsim_reset(struct cxsim_card *card, enum cxsim_reset kind);
void cxsim_unplug(struct cxsim_card *card, bool unplugged);	/* surprise removal: all-ones */
bool cxsim_is_unplugged(const struct cxsim_card *card);		/* CXSIM_UNPLUG_AFTER does it too */

/* Time. The clock is the host's now() plus what was added. */
u64 cxsim_time(const struct cxsim_card *card);
void cxsim_advance(struct cxsim_card *card, u64 nanoseconds);

/* The flash chip's cells. Changes take effect at the next reset, as on a programmer. */
u8 *cxsim_flash(struct cxsim_card *card, u32 *size);

/* What ran last: what the boot ROM chose. */
struct cxsim_boot {
	bool recovery;
	bool whole;		/* every CRC of the booted image is right */
	u32 address;		/* physical address of its magic */
	u32 version[3];
	char psid[17];
	u64 guid[4];		/* FS2: node, port 1, port 2, system; else base only */
	u64 mac[2];
};
const struct cxsim_boot *cxsim_booted(const struct cxsim_card *card);

/*
 * Settings that a test turns. All are plain numbers so that the host can show each as a
 * file; the table gives names. Values outside the range are refused (false).
 */
enum cxsim_setting {
	CXSIM_BOOT_POLICY,	/* enum cxsim_boot_policy */
	CXSIM_ACCESS_TIME,	/* ns added to the clock by every configuration access */
	CXSIM_FLAG_POLLS,	/* VSC: at most so many polls before the flag turns (seeded); 0: at once, as real */
	CXSIM_FLASH_TIME,	/* 0 typical, 1 maximum, 2 none */
	CXSIM_FIRMWARE_DELAY,	/* polls of the ICMD control dword before an answer; 0: at once */
	CXSIM_ABSENCE_TIME,	/* ns of all-ones after a reset */
	CXSIM_TICKET_OVERWRITE,	/* UNCONFIRMED: 1 = a competing write replaces the VSC semaphore's owner */
	CXSIM_RECOVERY_SPACE,	/* the VSC has space 0xc */
	CXSIM_HIGH_BIN,		/* CR 0xf0c0c */
	CXSIM_WRITE_PROTECT,	/* block protect bits of status register 1 */
	CXSIM_GUARD_HANGS,	/* 1 = direct SPI while firmware's guard stands hangs the card, as feared */
	CXSIM_WRITE_ONLY_ADDRESS, /* legacy gateway: 0x58 reads 0xbadacce5 */
	CXSIM_GUARD_OFF,	/* 1 = firmware runs but does not fetch from flash: the guard does not stand */
	/* faults: 0 is off */
	CXSIM_CUT_AFTER,	/* power is cut at the n-th flash operation (1 = the next erase, program or status write) */
	CXSIM_CUT_TORN,		/* 1 = that operation is done in part, with unstable cells */
	CXSIM_STUCK_SEMAPHORE,	/* enum cxfw_semaphore number: another owner holds it for ever */
	CXSIM_ICMD_TIMEOUT,	/* 1 = ICMD never finishes */
	CXSIM_ICMD_STATUS,	/* this status answers every ICMD command */
	CXSIM_REGISTER_STATUS,	/* this status answers every access register */
	CXSIM_BAD_BIT,		/* 1 + bit address (byte * 8 + bit) of a cell that will not program */
	CXSIM_SECOND_ACTOR,	/* 1 = another host takes and gives back semaphores between accesses (seeded) */
	CXSIM_RESET_AFTER,	/* chip reset after n further configuration accesses */
	CXSIM_UNPLUG_AFTER,	/* unplugged after n further configuration accesses */
	CXSIM_ACCESS_DENIED,	/* CR-space answers: 1 = 0xbadacce5, no access; 2 = 0xbad0cafe, locked */
	/* component update [4.2] */
	CXSIM_MCC_LATE,		/* so many queries show the state of before or between, at every step */
	CXSIM_MCC_IMMEDIATE,	/* 1 = UPDATE answers DOWNLOAD at once; else, and if not late, one query later */
	CXSIM_MCC_BUSY,		/* the next n orders and blocks are answered with a register status: */
	CXSIM_MCC_BUSY_STATUS,	/* that one: 8 not available, as real; 1 busy */
	CXSIM_MCC_ERROR,	/* error code that ends ... */
	CXSIM_MCC_ERROR_AT,	/* ... this instruction: 3 UPDATE, 4 VERIFY, 6 ACTIVATE; 0: none */
	CXSIM_MCC_OWNER,	/* another owner of that type has the update handle, and takes it from whoever had it */
	CXSIM_MCDA_FAIL,	/* the n-th block from here on fails, and the update with it */
	/* reset and activation [4.3, 4.4] */
	CXSIM_MFRL_LEVELS,	/* that MFRL offers */
	CXSIM_INVALIDATE_TIMEOUT, /* the next n writes by MFBA that invalidate the running image do nothing, for 12 s */
	CXSIM_SETTINGS,
};

enum cxsim_boot_policy {
	CXSIM_BOOT_CHECKED_FIRST,	/* first magic whose image is whole, in search order */
	CXSIM_BOOT_CHECKED_LAST,
	CXSIM_BOOT_MAGIC_FIRST,		/* first magic, nothing checked */
	CXSIM_BOOT_MAGIC_LAST,
	CXSIM_BOOT_REGISTER,		/* the boot address register if a magic stands there, else as MAGIC_FIRST */
	CXSIM_BOOT_POLICIES,
};

struct cxsim_setting_info {
	const char *name;		/* "boot_policy" */
	u64 minimum, maximum;
};
extern const struct cxsim_setting_info cxsim_settings[CXSIM_SETTINGS];
bool cxsim_set(struct cxsim_card *card, enum cxsim_setting setting, u64 value);
u64 cxsim_get(const struct cxsim_card *card, enum cxsim_setting setting);

/* What was counted since the card was made or the counters were cleared. */
enum cxsim_counter {
	CXSIM_CONFIG_READS,
	CXSIM_CONFIG_WRITES,
	CXSIM_GATEWAY_READS,	/* dwords through either gateway */
	CXSIM_GATEWAY_WRITES,
	CXSIM_SEMAPHORE_HOLDS,	/* VSC semaphore acquisitions */
	CXSIM_ICMD_COMMANDS,
	CXSIM_SPI_READS,
	CXSIM_SPI_READ_BYTES,
	CXSIM_SPI_ERASES,
	CXSIM_SPI_ERASED_BYTES,
	CXSIM_SPI_PROGRAMS,
	CXSIM_SPI_PROGRAMMED_BYTES,
	CXSIM_FLASH_OPERATIONS,	/* erases + programs + status writes: what CUT_AFTER counts */
	CXSIM_LONGEST_HOLD,	/* ns: longest hold of a semaphore that drivers wait for (VSC, 0xf03fc) */
	CXSIM_CHIP_TIME,	/* ns that the flash chip erased, programmed and wrote its status */
	CXSIM_FOUL,		/* accesses that would hurt real hardware: guard ignored, write while busy, no WEL, wrong owner */
	CXSIM_COUNTERS,
};
extern const char *const cxsim_counters[CXSIM_COUNTERS];
u64 cxsim_count(const struct cxsim_card *card, enum cxsim_counter counter);
void cxsim_counters_clear(struct cxsim_card *card);

/*
 * Synthetic images: no vendor's code inside, every CRC right. Returns the length, or 0
 * with why (160 bytes) filled; buffer may be NULL to ask for the length.
 */
size_t cxsim_image_make(const struct cxsim_parameters *parameters, u8 *buffer, size_t room, char *why);

/* Puts an image into a flash as a burn would: slot 0 or 1, striped for FS2. False: it does not fit. */
bool cxsim_image_place(const char *model, const u8 *image, size_t length, u8 *flash, size_t flash_size,
		       unsigned int slot);

#endif /* CXSIM_MODEL_H */
