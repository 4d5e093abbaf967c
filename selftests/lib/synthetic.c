// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: defaults, choice of format, and flashes. */
#include <stdio.h>

#include "synthetic_private.h"

static const struct {
	const char *version, *name, *description, *prs;
	uint32_t hw_id, pci_device;
} defaults[] = {
	[SYNTHETIC_FS2] = { "2.42.5000", "SYN-CX3_Ax", "synthetic ConnectX-3 Pro; two ports; no code",
			    "syn_cx3.prs", 0x1f7, 0x1007 },
	[SYNTHETIC_FS3] = { "12.28.2006", "SYN-CX4_Ax", "synthetic ConnectX-4; no code", "syn_cx4.prs",
			    0x209, 0x1013 },
	[SYNTHETIC_FS4] = { "16.35.2000", "SYN-CX5_Ax", "synthetic ConnectX-5; no code", "syn_cx5.prs",
			    0x20d, 0x1017 },
	[SYNTHETIC_FS5] = { "40.45.1200", "SYN-CX8_Ax", "synthetic ConnectX-8; no code", "syn_cx8.prs",
			    0x21e, 0x1023 },
};

#define DEFAULT(field, value) do { if (!(field)) (field) = (value); } while (0)

static unsigned int log2_of(size_t size)
{
	unsigned int log2 = 0;

	while (((size_t)1 << log2) < size)
		log2++;
	return log2;
}

static const char *ports_text(unsigned int ports)
{
	return ports == 1 ? "One_Port" : "Two_Ports";
}

static void write_ini(struct settled *settled)
{
	const struct synthetic *want = &settled->want;
	char *text = settled->text_ini;
	size_t room = sizeof(settled->text_ini);

	if (want->format == SYNTHETIC_FS2)
		snprintf(text, room,
			 ";; Generated automatically by a test from ./%s\n\n"
			 "[PS_INFO]\nName = %s\nDescription = %s\nPRS_name = %s\n\n"
			 "[ADAPTER]\nPSID = %s\nadapter_dev_id = 0x%x\nsilicon_rev = 0x%x\n"
			 "gpio_mode1 = 0x%x\nnv_cfg_en = true\nnv_config_sectors = 2\n\n"
			 "[HCA]\nhca_header_device_id = 0x%x\nhca_header_subsystem_id = 0x%x\n\n"
			 "[IB]\nnum_of_ports = %s\nphy_type_port1 = XFI\n%s\n"
			 "[FW]\nlog_flashdev_size = 21\nlog_flash_sector_size = 2\n",
			 want->prs, want->name, want->description, want->prs, want->psid, want->pci_device,
			 want->hw_revision, want->board_seed, want->pci_device, want->board_seed & 0xffff,
			 ports_text(want->ports), want->ports == 1 ? "" : "phy_type_port2 = XFI\n");
	else
		snprintf(text, room,
			 ";; Generated automatically by a test from ./%s\n\n"
			 "[image_info]\npsid = %s\nname = %s\ndescription = %s\nprs_name = %s\n"
			 "board_name=%s\n\n"
			 "[mfg_info]\norig_prs_name = %s\n\n"
			 "[hw_boot_config]\ncore_clock = %u\n\n"
			 "[fw_main_config]\nnum_of_ports = %s\n",
			 want->prs, want->psid, want->name, want->description, want->prs,
			 want->board_name ? want->board_name : "", want->prs, 400 + want->board_seed % 100,
			 ports_text(want->ports));
	settled->want.ini = text;
}

/* The first whose images have a table of hashes. */
static void become_connectx7(struct synthetic *want)
{
	want->hw_id = 0x218;
	DEFAULT(want->pci_device, 0x1021);
	DEFAULT(want->version, "28.33.751");
	DEFAULT(want->name, "SYN-CX7_Ax");
	DEFAULT(want->description, "synthetic ConnectX-7; no code");
	DEFAULT(want->prs, "syn_cx7.prs");
}

void settle(const struct synthetic *what, struct settled *settled)
{
	struct synthetic *want = &settled->want;
	unsigned int part[3];

	memset(settled, 0, sizeof(*settled));
	*want = *what;
	if (want->format == SYNTHETIC_FS4 && want->hashes && !want->hw_id)
		become_connectx7(want);
	DEFAULT(want->size, 1 << 20);
	DEFAULT(want->log2, want->format == SYNTHETIC_FS2 ? 19 : log2_of(want->size) - 1);
	DEFAULT(want->psid, "SYN0000000001");
	DEFAULT(want->version, defaults[want->format].version);
	DEFAULT(want->date, "2022-11-20");
	DEFAULT(want->time, "12:34:56");
	DEFAULT(want->vsd, "synthetic vsd");
	DEFAULT(want->device_vsd, "device vsd");
	DEFAULT(want->name, defaults[want->format].name);
	DEFAULT(want->description, defaults[want->format].description);
	DEFAULT(want->prs, defaults[want->format].prs);
	DEFAULT(want->hw_id, want->connect_ib ? 0x1ff : defaults[want->format].hw_id);
	DEFAULT(want->pci_device, want->connect_ib ? 0x1011 : defaults[want->format].pci_device);
	DEFAULT(want->guid, 0x0002c90300001000ULL);
	DEFAULT(want->mac, 0x0002c9001000ULL);
	DEFAULT(want->uid_count, want->connect_ib ? 4 : 16);
	DEFAULT(want->code_size, 64 << 10);
	DEFAULT(want->rom_version, "3.4.752");
	DEFAULT(want->ports, 2);
	numbers_of(want->version, settled->version, 3);
	numbers_of(want->date, part, 3);
	settled->date = bcd_of(part[0]) << 16 | bcd_of(part[1]) << 8 | bcd_of(part[2]);
	numbers_of(want->time, part, 3);
	settled->time = bcd_of(part[0]) << 16 | bcd_of(part[1]) << 8 | bcd_of(part[2]);
	if (!want->ini)
		write_ini(settled);
}

uint8_t *synthetic_image(const struct synthetic *what, size_t *length)
{
	*length = 0;
	switch (what->format) {
	case SYNTHETIC_FS2:
		return make_fs2(what, length);
	case SYNTHETIC_FS3:
	case SYNTHETIC_FS4:
	case SYNTHETIC_FS5:
		return make_with_toc(what, length);
	}
	return NULL;
}

/* 0.4: physical = (a mod c) + odd * c + 2 * c * (a div c) */
static size_t physical(size_t logical, unsigned int log2, unsigned int slot)
{
	size_t chunk = (size_t)1 << log2;

	return logical % chunk + slot * chunk + 2 * chunk * (logical / chunk);
}

uint8_t *synthetic_flash(const uint8_t *image, size_t length, const struct synthetic *what, size_t flash_size,
			 unsigned int slot)
{
	struct settled settled;
	uint8_t *flash = must_allocate(flash_size);
	bool fs2 = what->format == SYNTHETIC_FS2;
	size_t firmware = fs2 ? length : toc_image_end(image, length), i;

	settle(what, &settled);
	memset(flash, 0xff, flash_size);
	/* Device data stands at addresses of the flash, and FS4's table of it at the flash's end. */
	if (length > flash_size ||
	    (what->format >= SYNTHETIC_FS4 && firmware < length && length != flash_size) ||
	    physical(firmware - 1, settled.want.log2, slot) >= flash_size) {
		free(flash);
		return NULL;
	}
	if (!fs2)
		memcpy(flash + firmware, image + firmware, length - firmware);
	for (i = 0; i < firmware; i++)
		flash[physical(i, settled.want.log2, slot)] = image[i];
	return flash;
}
