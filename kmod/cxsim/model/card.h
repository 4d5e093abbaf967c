/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated card, seen from inside. Numbers in brackets in this directory are
 * sections of Documentation/reference/device-access.md.
 */
#ifndef CXSIM_CARD_H
#define CXSIM_CARD_H

#include "model.h"
#include "flash.h"	/* struct cxsim_chip */

#define CXSIM_WHY		160
#define CXSIM_FUNCTIONS_MAX	8
#define CXSIM_CONFIG_BYTES	4096
#define CXSIM_ABSENT		0xffffffffU
#define CXSIM_DENIED		0xbadacce5U	/* CR-space without access [1.1] */
#define CXSIM_LOCKED		0xbad0cafeU	/* CR-space locked by a secure host [1.1] */
#define CXSIM_POISON		0xdeadbeefU	/* where nothing sensible can be read */

enum cxsim_family { CXSIM_MLX4, CXSIM_MLX5 };
enum cxsim_format { CXSIM_FS2 = 2, CXSIM_FS3, CXSIM_FS4 };

/* How much of a vendor specific capability a running function lists. */
enum cxsim_vsc_kind {
	CXSIM_VSC_NONE,
	CXSIM_VSC_USELESS,	/* ConnectX-3: listed, without the minimum of spaces [2.2.5] */
	CXSIM_VSC_PROPER,
};

/* Life cycle of a chip, as its CR register and MGIR tell it [4.1, 5.8]. */
enum { CXSIM_PRODUCTION, CXSIM_GA_SECURED, CXSIM_GA_NON_SECURED, CXSIM_RMA };

/* One PCI capability of a form; the order is the order of the linked list [10.2]. */
struct cxsim_capability {
	u8 offset, id;
};

struct cxsim_extended {
	u16 offset;
	u8 id, version;
};

/*
 * What configuration space of one kind of function looks like. BARs stay zero: the
 * host's bridge has no memory windows.
 */
struct cxsim_layout {
	const struct cxsim_capability *capabilities;	/* id 0 ends */
	u16 power;			/* bits 31:16 of the power management capability */
	u16 msix_count;
	u32 msix_table, msix_pba;	/* offset | BAR number */
	u32 device_capabilities;	/* PCIe capability + 4 */
	u16 device_control;
	u32 link_capabilities;
	u16 link_status;
	const struct cxsim_extended *extended;		/* id 0 ends; NULL: none */
};

struct cxsim_cr_value {
	u32 address, value;
};

struct cxsim_model {
	const char *name;
	enum cxsim_family family;
	enum cxsim_format format;
	u16 hw_id;
	u8 hw_revision;
	u16 pci_id, recovery_id, virtual_id;
	u8 functions;			/* physical functions while running */
	u8 pci_revision;
	u32 class_code;			/* 24 bits */
	u16 subsystem_id;
	enum cxsim_vsc_kind vsc;
	const struct cxsim_layout *running, *recovery, *virtual;

	bool tools_hcr;			/* [3.3] */
	bool secure;			/* firmware keeps the flash to itself and takes signed images only */
	u32 life_cycle_address;		/* CR-space [5.8]; 0: none */
	u8 life_cycle_shift, life_cycle;
	unsigned int spi_generation;	/* 4, 5 or 6 [5.1] */
	u32 ready_address;		/* bit 31 is 0 while firmware is ready [3.1] */
	const struct cxsim_cr_value *guards;	/* what they read while firmware runs [5.7]; address 0 ends */
	u32 boot_address;		/* CR address of the boot address register [5.8] */
	u32 boot_shift;			/* its value is the image's address shifted left by this */

	/* defaults of parameters */
	const char *chip;		/* flash chip, a name of the chip table */
	u32 flash_size;
	u32 log2_chunk;			/* slot or chunk size */
	u32 code_size;
	const char *psid, *version;
	const char *part_number, *board, *description;	/* VPD and MQIS */
	const char *pcie_text;		/* VPD V0 */
	const char *engineering;	/* VPD EC */
	u16 device_type;		/* FS2 info tag 3 and image info's PCI id */
	u64 oui;			/* GUIDs and MACs made from the seed begin with it, 24 bits */
};

extern const struct cxsim_model cxsim_models[];		/* name NULL ends */
const struct cxsim_model *cxsim_model_find(const char *name);
/* Every default filled in, GUID and MAC from the seed. False: no such model, why filled. */
bool cxsim_parameters_complete(const struct cxsim_parameters *given, struct cxsim_parameters *complete,
			       const struct cxsim_model **model, char *why);
/* Pseudo-random number that belongs to a seed and a purpose, for identities. */
u64 cxsim_derive(u64 seed, u32 purpose);

/* An expansion ROM as MGIR names it [4.1]. */
struct cxsim_rom {
	u8 type, arch, major, minor;
	u16 build;
};

/* What an image says about itself beyond struct cxsim_boot. Filled by boot.c. */
struct cxsim_facts {
	char product_version[17];
	char vsd[209];			/* of the image */
	char device_vsd[209];		/* of the device data; empty on FS2 */
	char name[65];
	char description[257];
	u32 date, time;			/* packed BCD yyyymmdd, 00hhmmss */
	u32 length;			/* bytes of the image, device data not counted */
	u32 guids, macs;		/* FS3, FS4: how many are allocated */
	u32 rom_count;
	struct cxsim_rom roms[4];
};

struct cxsim_vsc {
	u32 control, counter, semaphore, address, data;
	u32 polls;			/* reads of the address until the flag turns */
	u32 result;			/* of a read whose flag has not turned */
	bool transfer;			/* the flag has not turned */
	u64 since;			/* when the semaphore was taken */
};

struct cxsim_function {
	bool is_virtual;
	u8 config[CXSIM_CONFIG_BYTES];
	const struct cxsim_layout *layout;
	u16 vsc_offset, vpd_offset, pcie_offset;	/* 0: not there */
	struct cxsim_vsc vsc;
	u32 legacy_address, legacy_data;
	u64 absent_until;		/* FLR */
};

/* Registers of the SPI gateway [5.1, 5.2]; spi.c gives them their meaning. */
struct cxsim_gateway {
	u32 command, address, data[4];
	u32 cache_replacement;		/* 0xf0420; generation 6: 0xf0480 */
	u32 gcm;			/* generation 6: 0xf0440 */
	u32 busy_polls;			/* reads of command until GO turns */
	bool hold;			/* chip select still held from the last command */
};

#define CXSIM_MAILBOX		0x340	/* bytes at 3:0x100000 */

struct cxsim_icmd {
	u32 control;
	u32 mailbox[CXSIM_MAILBOX / 4];	/* dword k = be32 of stream bytes 4k .. 4k + 3 */
	u32 request[CXSIM_MAILBOX / 4];	/* the register as it was sent */
	u32 status, syndrome;
	u32 polls;			/* reads of control until GO turns */
	u64 done_at;
	bool running;
};

/* Component update [4.2]. */
struct cxsim_mcc {
	u32 state, error, handles;
	u32 component_size, received;
	u32 next_state, next_error;	/* what a step leads to ... */
	u32 settle;			/* ... when so many queries have seen the step itself */
	u32 source, target;		/* flash addresses: read from, written to */
	bool verified;
	bool pending;			/* an image waits for the reset */
	u32 update_state;
	struct cxsim_boot pending_boot;
	struct cxsim_facts pending_facts;
};

struct cxsim_hcr {
	u32 dword[7];
	u32 mailbox[288 / 4];		/* CR 0xe0000 */
	u32 internal[288 / 4];		/* MBOX_WRITE, MBOX_READ */
	u32 polls, status;
	u64 done_at;
};

/* MFRL [4.4] */
#define CXSIM_TRIGGER_LINK	0x08U	/* the PCIe link goes, or a hot reset comes */
#define CXSIM_TRIGGER_PERST	0x40U	/* the host starts anew */
#define CXSIM_RESET_NO_DRIVER	3U	/* state: nobody answered the negotiation */

/* The other actor of CXSIM_SECOND_ACTOR. */
struct cxsim_actor {
	u32 holds;			/* enum cxfw_semaphore number, 0 none */
	unsigned int function;
	u32 accesses;			/* until it gives back */
	u32 ticket;
};

/* The root port above the card [4.4]. */
struct cxsim_port {
	u32 config[0x80 / 4];
	u64 up_at;			/* when the link has trained */
};

#define CXSIM_MEMORY		1024	/* dwords of plain CR memory that can be held */

struct cxsim_card {
	struct cxsim_host host;
	const struct cxsim_model *model;
	struct cxsim_parameters parameters;	/* complete; its strings point into text or the model */
	char text[4][224];
	u64 settings[CXSIM_SETTINGS];
	u64 counters[CXSIM_COUNTERS];
	u64 random;
	u64 added;			/* ns that cxsim_advance() and accesses added */

	bool powered;			/* false after a power cut, until CXSIM_RESET_POWER */
	bool unplugged;
	bool hung;			/* until CXSIM_RESET_POWER */
	u64 absent_until;
	u64 booted_at;
	u32 generation;
	unsigned int function_count;
	bool second_host;
	unsigned int second_count;	/* functions that the second host sees */
	/* of the first host, then of the second: CXSIM_SECOND_HOST */
	struct cxsim_function functions[CXSIM_HOSTS * CXSIM_FUNCTIONS_MAX];
	struct cxsim_port ports[CXSIM_HOSTS];
	unsigned int accessor;		/* number of the function that is accessed */
	u8 vpd[4096];
	u32 vpd_length;

	struct cxsim_chip chip;		/* flash.h */
	struct cxsim_gateway gateway;
	struct cxsim_boot boot;		/* filled by cxsim_boot_run() */
	struct cxsim_facts facts;	/* the same */
	u32 boot_register;		/* as written: model->boot_address, boot_shift */

	/* CR-space and semaphores; a value other than 0 is an owner */
	u32 semaphore_gateway;		/* 0xf03fc */
	u64 gateway_since;
	u32 semaphore_flash;		/* 0xf03a0 */
	u32 semaphore_hcr;		/* 0xf03bc */
	u32 semaphore_icmd;		/* 0xa:0x0 */
	u32 semaphore_program;		/* 0xa:0x10 */
	u32 semaphore_reset;		/* 0xa:0x20 */
	struct { u32 address, value; } memory[CXSIM_MEMORY];
	u32 memory_used;
	u64 firmware_busy_until;	/* an ICMD command under way ends no sooner */
	u32 reset_trigger;		/* MFRL: CXSIM_TRIGGER_* that a reset waits for */
	u32 reset_sync, reset_state;	/* MFRL, as it was asked for and as it is told */

	struct cxsim_icmd icmd;
	struct cxsim_mcc mcc;
	struct cxsim_hcr hcr;
	struct cxsim_actor actor;
};

/* card.c */
u32 cxsim_random(struct cxsim_card *card);			/* seeded */
u32 cxsim_random_below(struct cxsim_card *card, u32 limit);	/* 0 .. limit - 1; limit 0 gives 0 */
void cxsim_foul(struct cxsim_card *card);			/* counts CXSIM_FOUL */
void cxsim_add(struct cxsim_card *card, enum cxsim_counter counter, u64 value);
void cxsim_hold_ends(struct cxsim_card *card, u64 since);	/* CXSIM_LONGEST_HOLD */
void cxsim_power_cut(struct cxsim_card *card);			/* all-ones until CXSIM_RESET_POWER */
void cxsim_hang(struct cxsim_card *card);			/* the same, from a fault of the guest's making */
bool cxsim_firmware_runs(const struct cxsim_card *card);
void cxsim_hot_reset(struct cxsim_card *card, unsigned int host);	/* its functions; firmware runs on */
bool cxsim_guarded(const struct cxsim_card *card);		/* mlx5 firmware executes from flash [5.7] */
/* Address that the boot address register names; 0 when it was never written. */
u32 cxsim_boot_register_address(const struct cxsim_card *card);

/* config.c */
void cxsim_config_build(struct cxsim_card *card);	/* functions from model and boot */
void cxsim_config_reset(struct cxsim_card *card, struct cxsim_function *function);

/* vpd.c */
void cxsim_vpd_build(struct cxsim_card *card);

/* port.c: cxsim_port_read(), cxsim_port_write() of model.h */
void cxsim_port_reset(struct cxsim_port *port);
bool cxsim_port_link_is_up(const struct cxsim_card *card, const struct cxsim_port *port);

/* vsc.c */
void cxsim_vsc_reset(struct cxsim_vsc *vsc);
u32 cxsim_vsc_read(struct cxsim_card *card, struct cxsim_function *function, unsigned int offset);
void cxsim_vsc_write(struct cxsim_card *card, struct cxsim_function *function, unsigned int offset,
		     u32 value, u32 mask);		/* mask: the bytes that are written */

/* legacy.c: where is 0x58 or 0x5c */
u32 cxsim_legacy_read(struct cxsim_card *card, struct cxsim_function *function, unsigned int where);
void cxsim_legacy_write(struct cxsim_card *card, struct cxsim_function *function, unsigned int where,
			u32 value, u32 mask);

/* crspace.c: cxsim_cr_read(), cxsim_cr_write() of model.h, and the chip's reset of them */
void cxsim_cr_reset(struct cxsim_card *card, bool power);

/* icmd.c: spaces 3 and 0xa */
void cxsim_icmd_reset(struct cxsim_card *card);
u32 cxsim_icmd_read(struct cxsim_card *card, u32 address);
void cxsim_icmd_write(struct cxsim_card *card, u32 address, u32 value);
u32 cxsim_semaphore_read(struct cxsim_card *card, u32 address);
void cxsim_semaphore_write(struct cxsim_card *card, u32 address, u32 value);

/*
 * registers.c: the packet of [3.2] at the start of packet[], room dwords long, turned
 * into its answer. False: the packet is none; *icmd_status says which status to give.
 */
bool cxsim_register_packet(struct cxsim_card *card, u32 *packet, unsigned int room, u32 *icmd_status);

/* tools_hcr.c: CR 0x80780 .. and 0xe0000 .. of mlx4 */
bool cxsim_hcr_read(struct cxsim_card *card, u32 address, u32 *value);
bool cxsim_hcr_write(struct cxsim_card *card, u32 address, u32 value);
void cxsim_hcr_reset(struct cxsim_card *card);

/* actor.c: the other host, between two accesses */
void cxsim_actor_acts(struct cxsim_card *card);
bool cxsim_actor_holds(struct cxsim_card *card, const u32 *semaphore);
bool cxsim_actor_holds_vsc(struct cxsim_card *card, const struct cxsim_function *function);

/* settings.c */
void cxsim_settings_default(struct cxsim_card *card);

/*
 * What flash.h, boot.h and image.h give (chip.c, spi.c, boot.c, image_*.c):
 *
 * int cxsim_chip_init(card, chip_name, flash_size, why)	0 or -1; cells by card->host.alloc
 * void cxsim_chip_free(card)
 * void cxsim_chip_power(card)			power comes back: volatile state is lost, nothing is busy
 * u64 cxsim_chip_busy_until(card)		cxsim_time() at which the operation under way ends
 * u32 cxsim_chip_jedec(card)			manufacturer 23:16, type 15:8, capacity 7:0
 * void cxsim_spi_reset(card)			gateway registers at a chip reset
 * u32 cxsim_spi_cr_read(card, address, bool *mine), void cxsim_spi_cr_write(card, address, value, bool *mine)
 * bool cxsim_flash_firmware_read(card, address, buffer, length)	false: outside, or power is gone
 * bool cxsim_flash_firmware_erase(card, address, length)		4 KiB, 32 KiB or 64 KiB, aligned
 * bool cxsim_flash_firmware_program(card, address, buffer, length)
 *	Firmware waits for the chip by itself: each starts when the chip is ready and
 *	leaves its own time in cxsim_chip_busy_until().
 * void cxsim_boot_run(card)			fills card->boot and card->facts
 * bool cxsim_image_look(card, address, bool magic_hidden, boot, facts)
 *	the image at a physical address: true when whole; magic_hidden: take its first
 *	16 bytes as the magic although they are still 0xff
 * u32 cxsim_image_slot(card, slot)		physical address of slot 0 or 1
 * bool cxsim_image_activate(card, address)	magic on, old one off, as firmware does at the end of an update
 * cxsim_flash() of model.h is chip.c's.
 */
#endif /* CXSIM_CARD_H */
