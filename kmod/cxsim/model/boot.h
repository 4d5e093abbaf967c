/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boot ROM: finds an image in the flash, checks it, and fills in what the firmware
 * then says of itself. card.h embeds struct cxsim_bootrom as card->bootrom.
 */
#ifndef CXSIM_BOOT_H
#define CXSIM_BOOT_H

#include "os.h"
#include "model.h"

struct cxsim_image_kind;

#define CXSIM_ROMS	5

struct cxsim_rom_facts {
	u16 product;			/* 0x10 PXE, 0x11 UEFI, 0x12 CLP, ... firmware-images.md 6.2 */
	u16 version[3];
	u16 pci_id;
	u8 port, cpu, protocol;
};

/* What an image says, and what running firmware answers from. Texts are NUL terminated. */
struct cxsim_firmware {
	struct cxsim_boot boot;
	u32 format;			/* 2 or 4; 0: nothing booted */
	bool failsafe;
	bool image_whole;		/* every CRC of the image itself */
	bool device_whole;		/* FS4: DTOC, MFG_INFO and exactly one DEV_INFO; FS2: as image_whole */
	u32 log2_chunk;			/* FS2: chunk; FS4: slot */
	u32 slot;			/* 0 or 1 */
	u32 length;			/* bytes, end of the last section, counted from the magic */
	u32 date, time;			/* packed BCD: 0xYYYYMMDD, 0x00hhmmss */
	u16 pci_id;
	u32 hw_ids[4];
	u32 flags;			/* FS4: dword 0 of IMAGE_INFO: bit 8 mcc_en, 14 signed, 15 secure */
	u32 guid_count, mac_count;
	u64 original_guid, original_mac; /* FS4: MFG_INFO */
	u32 vpd_address, vpd_length;	/* FS4: physical; 0: none */
	u32 device_info;		/* FS4: physical address of the valid DEV_INFO; 0: none */
	u32 rom_offset, rom_length;	/* logical, of the ROM section's body; 0: none */
	u32 rom_count;
	struct cxsim_rom_facts rom[CXSIM_ROMS];
	char original_psid[17];
	char product_version[17];
	char vsd[209];			/* FS2: TLV 5; FS4: DEV_INFO */
	char image_vsd[209];		/* FS4: IMAGE_INFO */
	char name[65], description[257], prs[129];
	char trouble[96];		/* first thing that is not right; "" when whole */
};

struct cxsim_bootrom {
	const struct cxsim_image_kind *kind;	/* set before cxsim_boot_run() */
	u32 boot_register;		/* raw value of the boot address register */
	struct cxsim_firmware running;
	struct cxsim_firmware candidate; /* scratch */
};

/*
 * Boots: chooses by CXSIM_BOOT_POLICY, fills card->bootrom.running. Call it at power-on
 * (after clearing boot_register with cxsim_boot_power_on()) and after every chip reset,
 * then cxsim_spi_reset().
 */
void cxsim_boot_power_on(struct cxsim_card *card);	/* the boot address register is lost */
void cxsim_boot_run(struct cxsim_card *card);

/* What the next boot would choose, with nothing changed. False: recovery. */
bool cxsim_boot_preview(struct cxsim_card *card, struct cxsim_firmware *firmware);

/* The boot address register in CR-space. */
u32 cxsim_boot_cr_read(struct cxsim_card *card, u32 address, bool *mine);
void cxsim_boot_cr_write(struct cxsim_card *card, u32 address, u32 value, bool *mine);

/*
 * An image in memory (a file, or what came over MCDA; the magic may be masked with FF for
 * FS4 when masked is set). True when every CRC is right; firmware->trouble says what is not.
 */
bool cxsim_image_examine(const struct cxsim_image_kind *kind, const u8 *image, size_t length, bool masked,
			 struct cxsim_firmware *firmware);

#endif /* CXSIM_BOOT_H */
