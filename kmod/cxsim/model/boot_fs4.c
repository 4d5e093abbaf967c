// SPDX-License-Identifier: GPL-2.0-only
/* The boot ROM's check of FS4: firmware-images.md 4. */
#include "boot_view.h"

#define FS4_POINTERS	0x18
#define FS4_ITOC_STEP	0x1000
#define HASHES_POINTER	15

static u32 check_pointer(struct cxsim_view *view, unsigned int number)
{
	u8 entry[8];
	u32 value, crc;

	cxsim_view_read(view, FS4_POINTERS + 8 * number, entry, sizeof(entry));
	value = cxsim_get_be32(entry);
	crc = cxsim_get_be32(entry + 4);
	if (value == 0xffffffff)
		return 0;
	/* Some images carry the other CRC here: firmware-images.md 0.2. */
	if (crc != cxsim_pointer_crc(value) && crc != cxsim_crc16(entry, 4))
		cxsim_view_wrong(view, "CRC of a pointer", FS4_POINTERS + 8 * number);
	return value;
}

static void check_tools_area(struct cxsim_view *view, u32 offset)
{
	u32 log2;

	if (!offset || !cxsim_view_holds(view, offset, 0x40)) {
		cxsim_view_wrong(view, "pointer to the tools area", FS4_POINTERS + 24);
		return;
	}
	if ((cxsim_view_be32(view, offset + 0x3c) & 0xffff) != cxsim_view_crc16(view, offset, 0x3c))
		cxsim_view_wrong(view, "CRC of the tools area", offset);
	log2 = cxsim_view_be32(view, offset + 4) >> 16;
	if (log2 < 16 || log2 > 0x18) {
		cxsim_view_wrong(view, "slot size", offset + 4);
		return;
	}
	view->log2 = log2;
	view->slot = view->base != 0;
	if (view->base && view->base != 1U << log2)
		cxsim_view_wrong(view, "slot size that does not fit its place", offset + 4);
}

/* firmware-images.md 4.6: a CRC of its head, and one of all of it in its last dword. */
static void check_hashes(struct cxsim_view *view, u32 offset)
{
	u32 dwords, length;

	if (!cxsim_view_holds(view, offset, 0x1000)) {
		cxsim_view_wrong(view, "pointer to the hashes table", FS4_POINTERS + 8 * HASHES_POINTER);
		return;
	}
	if ((cxsim_view_be32(view, offset + 8) & 0xffff) != cxsim_view_crc16(view, offset, 8))
		cxsim_view_wrong(view, "CRC of the hashes table's head", offset);
	dwords = cxsim_view_be32(view, offset + 4);
	length = dwords < 0x10000 ? 4 * (dwords + 4) : 0;
	if (!length || !cxsim_view_holds(view, offset, length))
		cxsim_view_wrong(view, "length of the hashes table", offset + 4);
	else if ((cxsim_view_be32(view, offset + length - 4) & 0xffff) != cxsim_view_crc16(view, offset, length - 4))
		cxsim_view_wrong(view, "CRC of the hashes table", offset);
}

static void check_itoc(struct cxsim_view *view, u32 offset)
{
	struct cxsim_boot_entry entry;
	unsigned int i;
	bool info = false;

	if (!cxsim_toc_header_ok(view, offset, "ITOC"))
		offset += FS4_ITOC_STEP;
	if (!cxsim_toc_header_ok(view, offset, "ITOC")) {
		cxsim_view_wrong(view, "header of the ITOC", offset - FS4_ITOC_STEP);
		return;
	}
	for (i = 1; i < CXSIM_TOC_ENTRIES && cxsim_toc_read(view, offset + CXSIM_TOC_BYTES * i, &entry); i++) {
		cxsim_toc_check_section(view, &entry);
		info |= entry.type == CXSIM_TYPE_INFO;
	}
	if (!info)
		cxsim_view_wrong(view, "ITOC without image info", offset);
}

void cxsim_check_fs4(struct cxsim_view *view)
{
	u32 pointers[16];
	unsigned int i;

	if (cxsim_view_be32(view, 0x10) >> 24 != 1)
		cxsim_view_wrong(view, "format version", 0x10);
	for (i = 0; i < ARRAY_SIZE(pointers); i++)
		pointers[i] = check_pointer(view, i);
	check_tools_area(view, pointers[3]);
	if (!pointers[1] || !cxsim_view_holds(view, pointers[1], 16))
		cxsim_view_wrong(view, "pointer to BOOT2", FS4_POINTERS + 8);
	else
		cxsim_check_boot2(view, pointers[1]);
	if (!pointers[2] || !cxsim_view_holds(view, pointers[2], 0x1000))
		cxsim_view_wrong(view, "pointer to the ITOC", FS4_POINTERS + 16);
	else
		check_itoc(view, pointers[2]);
	if (pointers[HASHES_POINTER])
		check_hashes(view, pointers[HASHES_POINTER]);
}

/* The flash's own data; offsets are addresses here, so the view must begin at 0. */
void cxsim_check_fs4_device(struct cxsim_view *view)
{
	u32 dtoc = view->card->chip.size - 0x1000, valid = 0, offset;
	bool from_factory = false;
	struct cxsim_boot_entry entry;

	if (!cxsim_toc_header_ok(view, dtoc, "DTOC")) {
		cxsim_view_wrong(view, "header of the DTOC", dtoc);
		return;
	}
	for (offset = dtoc + CXSIM_TOC_BYTES; offset < dtoc + CXSIM_TOC_ENTRIES * CXSIM_TOC_BYTES;
	     offset += CXSIM_TOC_BYTES) {
		if (!cxsim_toc_read(view, offset, &entry))
			break;
		if (entry.type == CXSIM_TYPE_DEV) {
			if (!cxsim_dev_info_signed(view, entry.address) || !cxsim_toc_section_ok(view, &entry))
				continue;
			valid++;
			if (!from_factory)
				cxsim_toc_read_ids(view, entry.address + 0x20);
			cxsim_view_text(view, entry.address + 0x70, view->facts->device_vsd, 208);
		} else if (!cxsim_toc_section_ok(view, &entry)) {
			cxsim_view_wrong(view, "CRC of device data", entry.address);
		} else if (entry.type == CXSIM_TYPE_MFG && !(cxsim_view_be32(view, entry.address + 0x1c) & 1)) {
			from_factory = true;
			cxsim_toc_read_ids(view, entry.address + 0x20);
		}
	}
	if (valid != 1)
		cxsim_view_wrong(view, valid ? "two valid DEV_INFO" : "no valid DEV_INFO", dtoc);
}
