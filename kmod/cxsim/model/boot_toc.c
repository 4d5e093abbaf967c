// SPDX-License-Identifier: GPL-2.0-only
/* What the boot ROM knows of tables of contents, FS3's and FS4's: firmware-images.md 3.2 - 3.6. */
#include "boot_view.h"
#include "image_toc.h"

bool cxsim_toc_signed(struct cxsim_view *view, u32 offset, const char *name)
{
	u8 header[16];

	if (!cxsim_view_holds(view, offset, CXSIM_TOC_BYTES))
		return false;
	cxsim_view_read(view, offset, header, sizeof(header));
	return !memcmp(header, name, 4) && !memcmp(header + 4, cxsim_toc_signature, sizeof(cxsim_toc_signature));
}

bool cxsim_toc_header_ok(struct cxsim_view *view, u32 offset, const char *name)
{
	return cxsim_toc_signed(view, offset, name) &&
	       (cxsim_view_be32(view, offset + 0x1c) & 0xffff) == cxsim_view_crc16(view, offset, 0x1c);
}

bool cxsim_toc_read(struct cxsim_view *view, u32 offset, struct cxsim_boot_entry *entry)
{
	u32 head = cxsim_view_be32(view, offset), address = cxsim_view_be32(view, offset + 0x14);
	u32 crc = cxsim_view_be32(view, offset + 0x18);
	bool fs3 = view->card->model->format == CXSIM_FS3;

	entry->type = head >> 24;
	entry->size = head & 0xfffffc;
	entry->address = address & 0x7ffffffc;
	entry->relative = address >> 31;
	entry->device = fs3 && crc >> 17 & 1;
	entry->mode = crc >> 16 & (fs3 ? 1 : 7);
	entry->crc = crc & 0xffff;
	if (entry->type == CXSIM_TYPE_END)
		return false;
	if ((cxsim_view_be32(view, offset + 0x1c) & 0xffff) != cxsim_view_crc16(view, offset, 0x1c))
		cxsim_view_wrong(view, "CRC of a table entry", offset);
	if (!cxsim_view_holds(view, entry->address, entry->size)) {
		cxsim_view_wrong(view, "place of a section", offset + 0x14);
		entry->size = 0;
	}
	return true;
}

bool cxsim_toc_section_ok(struct cxsim_view *view, const struct cxsim_boot_entry *entry)
{
	switch (entry->mode) {
	case 0:
		return cxsim_view_crc16(view, entry->address, entry->size) == entry->crc;
	case 2:
		return entry->size >= 8 && (cxsim_view_be32(view, entry->address + entry->size - 4) & 0xffff) ==
					   cxsim_view_crc16(view, entry->address, entry->size - 4);
	default:
		return true;
	}
}

static void read_image_info(struct cxsim_view *view, u32 offset, u32 size)
{
	struct cxsim_boot *boot = view->boot;
	struct cxsim_facts *facts = view->facts;
	u32 time;

	if (size < 0x400) {
		cxsim_view_wrong(view, "length of the image info", offset);
		return;
	}
	boot->version[0] = cxsim_view_be32(view, offset + 0x04) >> 16;
	boot->version[1] = cxsim_view_be32(view, offset + 0x08) >> 16;
	boot->version[2] = cxsim_view_be32(view, offset + 0x08) & 0xffff;
	time = cxsim_view_be32(view, offset + 0x0c);
	facts->time = (time & 0xff00) << 8 | (time >> 8 & 0xff00) | time >> 24;
	facts->date = cxsim_view_be32(view, offset + 0x10);
	cxsim_view_text(view, offset + 0x24, boot->psid, 16);
	cxsim_view_text(view, offset + 0x38, facts->vsd, 208);
	cxsim_view_text(view, offset + 0x1c0, facts->product_version, 16);
	cxsim_view_text(view, offset + 0x1d0, facts->description, 256);
	cxsim_view_text(view, offset + 0x340, facts->name, 64);
}

void cxsim_toc_check_section(struct cxsim_view *view, const struct cxsim_boot_entry *entry)
{
	if (!cxsim_toc_section_ok(view, entry))
		cxsim_view_wrong(view, "CRC of a section", entry->address);
	if (entry->type == CXSIM_TYPE_INFO)
		read_image_info(view, entry->address, entry->size);
	if (entry->type == CXSIM_TYPE_ROM)
		cxsim_view_rom(view, entry->address, entry->size);
	if (entry->address + entry->size > view->end)
		view->end = entry->address + entry->size;
}

bool cxsim_dev_info_signed(struct cxsim_view *view, u32 offset)
{
	u8 signature[sizeof(cxsim_dev_info_signature)];

	cxsim_view_read(view, offset, signature, sizeof(signature));
	return !memcmp(signature, cxsim_dev_info_signature, sizeof(signature));
}

void cxsim_toc_read_ids(struct cxsim_view *view, u32 offset)
{
	view->facts->guids = cxsim_view_be32(view, offset) & 0xff;
	view->facts->macs = cxsim_view_be32(view, offset + 0x10) & 0xff;
	view->boot->guid[0] = cxsim_view_be64(view, offset + 0x08);
	view->boot->mac[0] = cxsim_view_be64(view, offset + 0x18);
}
