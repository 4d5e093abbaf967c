// SPDX-License-Identifier: GPL-2.0-only
/* The boot ROM's check of FS2: firmware-images.md 2. */
#include "boot_view.h"

enum {
	FS2_TYPE_EMT = 4,
	FS2_TYPE_ROM = 5,
	FS2_TYPE_GUID = 6,
	FS2_TYPE_INFO = 10,
	FS2_TYPE_LAST = 12,
};

static bool byte_sum_ok(u32 value)
{
	return !((value + (value >> 8) + (value >> 16) + (value >> 24)) & 0xff);
}

static void read_tlv(struct cxsim_view *view, u32 id, u32 at, u32 length)
{
	struct cxsim_boot *boot = view->boot;
	struct cxsim_facts *facts = view->facts;

	switch (id) {
	case 1:
		boot->version[0] = cxsim_view_be32(view, at) >> 16;
		boot->version[1] = cxsim_view_be32(view, at + 4) >> 16;
		boot->version[2] = cxsim_view_be32(view, at + 4) & 0xffff;
		break;
	case 2:
		facts->time = cxsim_view_be32(view, at) & 0xffffff;
		facts->date = cxsim_view_be32(view, at + 4);
		break;
	case 4:
		cxsim_view_text(view, at, boot->psid, length < 16 ? length : 16);
		break;
	case 5:
		cxsim_view_text(view, at, facts->vsd, length < 208 ? length : 208);
		break;
	case 7:
		cxsim_view_text(view, at, facts->product_version, length < 16 ? length : 16);
		break;
	case 11:
		view->full_crc = true;
		break;
	default:
		break;
	}
}

static void read_info(struct cxsim_view *view, u32 offset, u32 length)
{
	u32 at = 0;

	while (length - at >= 4) {
		u32 head = cxsim_view_be32(view, offset + at), size = head & 0xffffff;

		at += 4;
		if (head >> 24 == 0xff)
			break;
		if (size > length - at || size & 3) {
			cxsim_view_wrong(view, "length of an info tag", offset + at - 4);
			return;
		}
		read_tlv(view, head >> 24, offset + at, size);
		at += size;
	}
	if (at != length)
		cxsim_view_wrong(view, "end of the info tags", offset + at);
}

static void read_guids(struct cxsim_view *view, u32 offset, u32 length)
{
	struct cxsim_boot *boot = view->boot;
	u32 i;

	for (i = 0; i < 4 && 8 * i + 8 <= length; i++)
		boot->guid[i] = cxsim_view_be64(view, offset + 8 * i);
	for (i = 0; i < 2; i++) {
		u64 guid = boot->guid[i + 1];

		if (8 * (i + 4) + 8 <= length)
			boot->mac[i] = cxsim_view_be64(view, offset + 8 * (i + 4));
		else
			boot->mac[i] = (guid >> 40) << 24 | (guid & 0xffffff);
	}
}

/* One section of the chain; returns the next one's offset, 0 at the end or when lost. */
static u32 check_section(struct cxsim_view *view, u32 offset)
{
	u32 type = cxsim_view_be32(view, offset), size = cxsim_view_be32(view, offset + 4);
	u32 next = cxsim_view_be32(view, offset + 12), end;

	size = type == FS2_TYPE_EMT ? (size + 3) & ~3U : size < 0x400000 ? size * 4 : 0xffffffff;
	if (size > 0x400000 || !cxsim_view_holds(view, offset, size + 20)) {
		cxsim_view_wrong(view, "length of a section", offset + 4);
		return 0;
	}
	if (cxsim_view_be32(view, offset + 16 + size) != cxsim_view_crc16(view, offset, 16 + size))
		cxsim_view_wrong(view, "CRC of a section", offset);
	if (type == FS2_TYPE_ROM)
		cxsim_view_rom(view, offset + 16, size);
	if (type == FS2_TYPE_GUID)
		read_guids(view, offset + 16, size);
	if (type == FS2_TYPE_INFO)
		read_info(view, offset + 16, size);
	end = offset + size + 20;
	view->end = end;
	if (!next || next == 0xff000000)
		return 0;
	if (next < end) {
		cxsim_view_wrong(view, "place of the next section", offset + 12);
		return 0;
	}
	return next;
}

static void check_fs2_full(struct cxsim_view *view)
{
	u8 head[0x24];
	u16 crc, stored;

	if (cxsim_view_be32(view, 0x30) != view->end)
		cxsim_view_wrong(view, "image size", 0x30);
	if (!view->full_crc)
		return;
	cxsim_view_read(view, 0, head, sizeof(head));
	stored = (u16)(head[0x22] << 8 | head[0x23]);
	head[0x22] = 0xff;
	head[0x23] = 0xff;
	crc = cxsim_crc16_add(CXSIM_CRC16_START, head, sizeof(head));
	if (view->end > sizeof(head))
		crc = cxsim_view_crc_add(view, crc, sizeof(head), view->end - sizeof(head));
	if (cxsim_crc16_end(crc) != stored)
		cxsim_view_wrong(view, "CRC of the full image", 0x22);
}

/* Chunk size and slot come first: everything behind is read through them. */
static void check_fs2_place(struct cxsim_view *view)
{
	u32 failsafe = cxsim_view_be32(view, 0x28);

	if (!byte_sum_ok(failsafe)) {
		cxsim_view_wrong(view, "checksum of the failsafe word", 0x28);
		return;
	}
	if (!(failsafe & 8)) {
		if (view->base)
			cxsim_view_wrong(view, "an image without failsafe layout", 0);
		return;
	}
	view->log2 = 16 + (failsafe & 7);
	if (view->base && view->base != 1U << view->log2) {
		cxsim_view_wrong(view, "chunk size that does not fit its place", 0x28);
		return;
	}
	view->striped = true;
	view->slot = view->base != 0;
}

void cxsim_check_fs2(struct cxsim_view *view)
{
	u32 info = cxsim_view_be32(view, 0x2c), guids = cxsim_view_be32(view, 0x34), offset, blocks;
	bool saw_info = false, saw_guids = false;

	check_fs2_place(view);
	if (!byte_sum_ok(info))
		cxsim_view_wrong(view, "checksum of the info pointer", 0x2c);
	if (cxsim_view_be32(view, 0x24) >> 24 == 3)
		cxsim_view_wrong(view, "format version", 0x24);
	offset = cxsim_check_boot2(view, 0x38);
	for (blocks = 1; offset && blocks < 4; blocks++) {
		u32 type = cxsim_view_be32(view, offset);

		if (type >= 1 && type <= FS2_TYPE_LAST)
			break;
		offset = cxsim_check_boot2(view, offset);
	}
	while (offset) {
		saw_info |= offset + 16 == (info & 0xffffff) && cxsim_view_be32(view, offset) == FS2_TYPE_INFO;
		saw_guids |= offset + 16 == guids && cxsim_view_be32(view, offset) == FS2_TYPE_GUID;
		offset = check_section(view, offset);
	}
	if (!saw_info)
		cxsim_view_wrong(view, "info pointer", 0x2c);
	if (!saw_guids)
		cxsim_view_wrong(view, "GUID pointer", 0x34);
	check_fs2_full(view);
}
