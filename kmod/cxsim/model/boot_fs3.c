// SPDX-License-Identifier: GPL-2.0-only
/* The boot ROM's check of FS3: firmware-images.md 3. */
#include "boot.h"
#include "boot_view.h"

#define FS3_VERSION	0x24
#define FS3_HEADER_CRC	0x34
#define FS3_BOOT2	0x38
#define FS3_ITOC_STEP	CXSIM_SECTOR
#define FS3_ITOC_STEPS	64U		/* places that are tried */
#define FS3_LOG2_USUAL	21U		/* of images that do not say */

/* The slot size comes with the place: a trusted image lies at 0 or where its own slot 1 is. */
static void check_place(struct cxsim_view *view)
{
	u32 version = cxsim_view_be32(view, FS3_VERSION), log2 = version >> 16 & 0xff;

	if (version >> 24 != 3)
		cxsim_view_wrong(view, "format version", FS3_VERSION);
	if (!log2)
		log2 = FS3_LOG2_USUAL;
	if (log2 == 0x16 && view->base == 0x800000)
		log2 = 0x17;
	if (log2 < 16 || log2 > 0x18) {
		cxsim_view_wrong(view, "slot size", FS3_VERSION + 1);
		return;
	}
	view->log2 = log2;
	view->slot = view->base != 0;
	if (view->base && view->base != 1U << log2)
		cxsim_view_wrong(view, "slot size that does not fit its place", FS3_VERSION + 1);
}

/* 0 when none is found. A signature ends the search, whatever stands behind it. */
static u32 find_itoc(struct cxsim_view *view, u32 boot2_end)
{
	u32 at = (boot2_end + FS3_ITOC_STEP - 1) & ~(FS3_ITOC_STEP - 1), i;

	for (i = 0; i < FS3_ITOC_STEPS; i++, at += FS3_ITOC_STEP)
		if (cxsim_toc_signed(view, at, "ITOC"))
			return at;
	return 0;
}

/* What one entry says of the card; the device's view begins at 0. */
static void check_device(struct cxsim_view *view, struct cxsim_view *device, const struct cxsim_boot_entry *entry,
			 bool *from_factory)
{
	if (!cxsim_toc_section_ok(device, entry))
		cxsim_view_wrong(view, "CRC of device data", entry->address);
	if (entry->type == CXSIM_TYPE_DEV) {
		if (!cxsim_dev_info_signed(device, entry->address))
			cxsim_view_wrong(view, "signature of DEV_INFO", entry->address);
		if (!*from_factory)
			cxsim_toc_read_ids(device, entry->address + 0x20);
		cxsim_view_text(device, entry->address + 0x70, view->facts->device_vsd, 208);
	}
	if (entry->type == CXSIM_TYPE_MFG && !(cxsim_view_be32(device, entry->address + 0x1c) & 1)) {
		*from_factory = true;
		cxsim_toc_read_ids(device, entry->address + 0x20);
	}
}

static void check_itoc(struct cxsim_view *view, u32 offset)
{
	struct cxsim_view device = { .card = view->card, .whole = true, .boot = view->boot, .facts = view->facts };
	unsigned int i, infos = 0, dev_infos = 0, mfg_infos = 0;
	struct cxsim_boot_entry entry;
	bool from_factory = false;

	if (!cxsim_toc_header_ok(view, offset, "ITOC"))
		cxsim_view_wrong(view, "CRC of the ITOC's header", offset);
	for (i = 1; i < CXSIM_TOC_ENTRIES && cxsim_toc_read(view, offset + CXSIM_TOC_BYTES * i, &entry); i++) {
		if (entry.device == entry.relative)
			cxsim_view_wrong(view, "kind of address", offset + CXSIM_TOC_BYTES * i + 0x14);
		infos += entry.type == CXSIM_TYPE_INFO;
		dev_infos += entry.type == CXSIM_TYPE_DEV;
		mfg_infos += entry.type == CXSIM_TYPE_MFG;
		if (entry.device)
			check_device(view, &device, &entry, &from_factory);
		else
			cxsim_toc_check_section(view, &entry);
	}
	if (infos != 1 || dev_infos != 1 || mfg_infos != 1)
		cxsim_view_wrong(view, "image info, DEV_INFO or MFG_INFO: not one of each", offset);
	if (device.failed_read)
		cxsim_view_wrong(view, "device data outside the flash", offset);
}

void cxsim_check_fs3(struct cxsim_view *view)
{
	u32 boot2_end, itoc;

	check_place(view);
	if (cxsim_view_be32(view, FS3_HEADER_CRC) != cxsim_view_crc16(view, 0, FS3_HEADER_CRC))
		cxsim_view_wrong(view, "CRC of the header", FS3_HEADER_CRC);
	boot2_end = cxsim_check_boot2(view, FS3_BOOT2);
	if (!boot2_end)
		return;
	itoc = find_itoc(view, boot2_end);
	if (itoc)
		check_itoc(view, itoc);
	else
		cxsim_view_wrong(view, "no ITOC behind BOOT2", boot2_end);
}

/* ---- what firmware does with an image that it burns itself ---- */

static u32 itoc_at(struct cxsim_view *view)
{
	u32 dwords = cxsim_view_be32(view, FS3_BOOT2 + 4);

	return dwords < 0x10000 ? find_itoc(view, FS3_BOOT2 + 4 * dwords + 16) : 0;
}

/* Copies the entries of one kind from an image's table to a place in a table; returns the place behind them. */
static u32 copy_entries(struct cxsim_view *view, u32 itoc, bool device, u8 *table, u32 to)
{
	struct cxsim_boot_entry entry;
	u32 i;

	for (i = 1; i < CXSIM_TOC_ENTRIES && to <= CXSIM_SECTOR - 2 * CXSIM_TOC_BYTES; i++) {
		if (!cxsim_toc_read(view, itoc + CXSIM_TOC_BYTES * i, &entry))
			break;
		if (entry.device != device)
			continue;
		cxsim_view_read(view, itoc + CXSIM_TOC_BYTES * i, table + to, CXSIM_TOC_BYTES);
		to += CXSIM_TOC_BYTES;
	}
	return to;
}

bool cxsim_image_adopt(struct cxsim_card *card, u32 address)
{
	struct cxsim_view new = { .card = card, .base = address }, old = { .card = card, .base = card->boot.address };
	u32 new_itoc, old_itoc, end, at;
	u8 *table = card->chip.sector;

	if (card->model->format != CXSIM_FS3 || card->boot.recovery)
		return true;
	new_itoc = itoc_at(&new);
	old_itoc = itoc_at(&old);
	if (!new_itoc || !old_itoc)
		return true;		/* the check that follows finds more to say */
	memset(table, 0xff, CXSIM_SECTOR);
	cxsim_view_read(&new, new_itoc, table, CXSIM_TOC_BYTES);
	end = copy_entries(&new, new_itoc, false, table, CXSIM_TOC_BYTES);
	end = copy_entries(&old, old_itoc, true, table, end);
	if (!cxsim_flash_firmware_erase(card, address + new_itoc, CXSIM_SECTOR))
		return false;
	for (at = 0; at < end; at += CXSIM_PAGE)
		if (!cxsim_flash_firmware_program(card, address + new_itoc + at, table + at, CXSIM_PAGE))
			return false;
	return true;
}
