// SPDX-License-Identifier: GPL-2.0-only
/*
 * The boot ROM. It looks for magics at the search offsets of firmware-images.md 1.2,
 * chooses by policy, and reads every checksum of the chosen image, whether the policy
 * asks for it or not: a test wants to know what a trusting ROM would have run.
 */
#include "card.h"
#include "boot.h"
#include "image.h"

#define BOOT_FROM	0x10000U	/* search offsets: 0, then doubling from here */

enum {
	FS2_TYPE_EMT = 4,
	FS2_TYPE_ROM = 5,
	FS2_TYPE_GUID = 6,
	FS2_TYPE_INFO = 10,
	FS2_TYPE_LAST = 12,

	FS4_TYPE_INFO = 0x10,
	FS4_TYPE_ROM = 0x18,
	FS4_TYPE_MFG = 0xe0,
	FS4_TYPE_DEV = 0xe1,
	FS4_TYPE_END = 0xff,
};

/* An image as it lies in the flash. Offsets count from its magic, through its stripes. */
struct view {
	struct cxsim_card *card;
	u32 base;
	bool striped;
	u32 log2, slot;
	bool magic_hidden;
	bool whole;			/* nothing wrong so far */
	bool failed_read;		/* an offset outside the flash */
	char *why;			/* CXSIM_WHY bytes, or NULL: the first thing that is wrong */
	struct cxsim_boot *boot;
	struct cxsim_facts *facts;
	u32 end;			/* of the last section */
	bool full_crc;			/* FS2: the image asks for it */
};

static void wrong(struct view *view, const char *what, u32 offset)
{
	if (view->whole && view->why)
		snprintf(view->why, CXSIM_WHY, "%s at 0x%x of the image at 0x%x", what, offset, view->base);
	view->whole = false;
}

static const u8 *model_magic(const struct cxsim_card *card)
{
	return card->model->format == CXSIM_FS4 ? cxsim_magic_fs4 : cxsim_magic_fs2;
}

static u32 physical(const struct view *view, u32 offset)
{
	return view->striped ? cxsim_slot_address(offset, view->log2, view->slot) : view->base + offset;
}

/* Outside the flash it reads as erased, and the view remembers. */
static void view_read(struct view *view, u32 offset, u8 *buffer, u32 length)
{
	u32 size = view->card->chip.size, done, part;

	for (done = 0; done < length; done += part) {
		u32 at = offset + done;
		u32 chunk_left = (1U << 16) - (at & 0xffff);
		u32 address = physical(view, at);

		part = length - done < chunk_left ? length - done : chunk_left;
		if (at < offset || address < view->base || address >= size || part > size - address) {
			memset(buffer + done, 0xff, part);
			view->failed_read = true;
			continue;
		}
		cxsim_chip_peek(view->card, address, buffer + done, part);
	}
	if (view->magic_hidden && offset < CXSIM_MAGIC_BYTES) {
		u32 head = CXSIM_MAGIC_BYTES - offset < length ? CXSIM_MAGIC_BYTES - offset : length;

		memcpy(buffer, model_magic(view->card) + offset, head);
	}
}

static u32 view_be32(struct view *view, u32 offset)
{
	u8 bytes[4];

	view_read(view, offset, bytes, sizeof(bytes));
	return cxsim_get_be32(bytes);
}

static u64 view_be64(struct view *view, u32 offset)
{
	u64 high = view_be32(view, offset);

	return high << 32 | view_be32(view, offset + 4);
}

static void view_text(struct view *view, u32 offset, char *text, u32 width)
{
	view_read(view, offset, (u8 *)text, width);
	text[width] = '\0';
}

static bool in_flash(const struct view *view, u32 offset, u32 length)
{
	u32 size = view->card->chip.size;

	return offset <= size && length <= size - offset;
}

static u16 crc_add(struct view *view, u16 crc, u32 offset, u32 length)
{
	u8 piece[256];

	while (length) {
		u32 part = length < sizeof(piece) ? length : sizeof(piece);

		view_read(view, offset, piece, part);
		crc = cxsim_crc16_add(crc, piece, part);
		offset += part;
		length -= part;
	}
	return crc;
}

static u16 view_crc16(struct view *view, u32 offset, u32 length)
{
	return cxsim_crc16_end(crc_add(view, CXSIM_CRC16_START, offset, length));
}

/* ---- expansion ROM: firmware-images.md 6.2 ---- */

/* From the id in the trailer to the code of MGIR (device-access.md 4.1). */
static u8 rom_type(u32 product)
{
	static const struct { u8 product, type; } types[] = {
		{ 0x10, 1 }, { 0x11, 2 }, { 0x12, 3 }, { 0x13, 4 }, { 0x21, 5 }, { 0x14, 6 }, { 0x15, 7 }, { 0x16, 8 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].product == product)
			return types[i].type;
	return 0;
}

static u32 get_le32(const u8 *p)
{
	return (u32)p[3] << 24 | (u32)p[2] << 16 | (u32)p[1] << 8 | p[0];
}

static void read_rom(struct view *view, u32 offset, u32 length)
{
	static const char marker[8] = { 'm', 'l', 'x', 's', 'i', 'g', 'n', ':' };
	struct cxsim_facts *facts = view->facts;
	u32 at, matched = 0;
	u8 piece[256], words[12];

	for (at = 0; at < length; at++) {
		if (!(at & 255))
			view_read(view, offset + at, piece, length - at < 256 ? length - at : 256);
		if (piece[at & 255] != (u8)marker[matched])
			matched = 0;
		if (piece[at & 255] == (u8)marker[matched])
			matched++;
		if (matched < sizeof(marker))
			continue;
		matched = 0;
		if (length - at - 1 < sizeof(words) || facts->rom_count == ARRAY_SIZE(facts->roms))
			return;
		view_read(view, offset + at + 1, words, sizeof(words));
		facts->roms[facts->rom_count].type = rom_type(get_le32(words) >> 16);
		facts->roms[facts->rom_count].arch = get_le32(words + 8) >> 8 & 0xf;
		facts->roms[facts->rom_count].major = (u8)get_le32(words);
		facts->roms[facts->rom_count].minor = (u8)(get_le32(words + 4) >> 16);
		facts->roms[facts->rom_count].build = (u16)get_le32(words + 4);
		facts->rom_count++;
	}
}

/* ---- BOOT2 of all formats ---- */

/* Returns the offset behind it, 0 when its length makes no sense. */
static u32 check_boot2(struct view *view, u32 offset)
{
	u32 dwords = view_be32(view, offset + 4), length;

	if (dwords < 4 || dwords > 1048576 || !in_flash(view, offset, dwords * 4 + 16)) {
		wrong(view, "length of BOOT2", offset + 4);
		return 0;
	}
	length = dwords * 4 + 12;
	if (view_be32(view, offset + length) != view_crc16(view, offset, length))
		wrong(view, "CRC of BOOT2", offset);
	return offset + length + 4;
}

/* ---- FS2 ---- */

static bool byte_sum_ok(u32 value)
{
	return !((value + (value >> 8) + (value >> 16) + (value >> 24)) & 0xff);
}

static void read_tlv(struct view *view, u32 id, u32 at, u32 length)
{
	struct cxsim_boot *boot = view->boot;
	struct cxsim_facts *facts = view->facts;

	switch (id) {
	case 1:
		boot->version[0] = view_be32(view, at) >> 16;
		boot->version[1] = view_be32(view, at + 4) >> 16;
		boot->version[2] = view_be32(view, at + 4) & 0xffff;
		break;
	case 2:
		facts->time = view_be32(view, at) & 0xffffff;
		facts->date = view_be32(view, at + 4);
		break;
	case 4:
		view_text(view, at, boot->psid, length < 16 ? length : 16);
		break;
	case 5:
		view_text(view, at, facts->vsd, length < 208 ? length : 208);
		break;
	case 7:
		view_text(view, at, facts->product_version, length < 16 ? length : 16);
		break;
	case 11:
		view->full_crc = true;
		break;
	default:
		break;
	}
}

static void read_info(struct view *view, u32 offset, u32 length)
{
	u32 at = 0;

	while (length - at >= 4) {
		u32 head = view_be32(view, offset + at), size = head & 0xffffff;

		at += 4;
		if (head >> 24 == 0xff)
			break;
		if (size > length - at || size & 3) {
			wrong(view, "length of an info tag", offset + at - 4);
			return;
		}
		read_tlv(view, head >> 24, offset + at, size);
		at += size;
	}
	if (at != length)
		wrong(view, "end of the info tags", offset + at);
}

static void read_guids(struct view *view, u32 offset, u32 length)
{
	struct cxsim_boot *boot = view->boot;
	u32 i;

	for (i = 0; i < 4 && 8 * i + 8 <= length; i++)
		boot->guid[i] = view_be64(view, offset + 8 * i);
	for (i = 0; i < 2; i++) {
		u64 guid = boot->guid[i + 1];

		if (8 * (i + 4) + 8 <= length)
			boot->mac[i] = view_be64(view, offset + 8 * (i + 4));
		else
			boot->mac[i] = (guid >> 40) << 24 | (guid & 0xffffff);
	}
}

/* One section of the chain; returns the next one's offset, 0 at the end or when lost. */
static u32 check_section(struct view *view, u32 offset)
{
	u32 type = view_be32(view, offset), size = view_be32(view, offset + 4);
	u32 next = view_be32(view, offset + 12), end;

	size = type == FS2_TYPE_EMT ? (size + 3) & ~3U : size < 0x400000 ? size * 4 : 0xffffffff;
	if (size > 0x400000 || !in_flash(view, offset, size + 20)) {
		wrong(view, "length of a section", offset + 4);
		return 0;
	}
	if (view_be32(view, offset + 16 + size) != view_crc16(view, offset, 16 + size))
		wrong(view, "CRC of a section", offset);
	if (type == FS2_TYPE_ROM)
		read_rom(view, offset + 16, size);
	if (type == FS2_TYPE_GUID)
		read_guids(view, offset + 16, size);
	if (type == FS2_TYPE_INFO)
		read_info(view, offset + 16, size);
	end = offset + size + 20;
	view->end = end;
	if (!next || next == 0xff000000)
		return 0;
	if (next < end) {
		wrong(view, "place of the next section", offset + 12);
		return 0;
	}
	return next;
}

static void check_fs2_full(struct view *view)
{
	u8 head[0x24];
	u16 crc, stored;

	if (view_be32(view, 0x30) != view->end)
		wrong(view, "image size", 0x30);
	if (!view->full_crc)
		return;
	view_read(view, 0, head, sizeof(head));
	stored = (u16)(head[0x22] << 8 | head[0x23]);
	head[0x22] = 0xff;
	head[0x23] = 0xff;
	crc = cxsim_crc16_add(CXSIM_CRC16_START, head, sizeof(head));
	if (view->end > sizeof(head))
		crc = crc_add(view, crc, sizeof(head), view->end - sizeof(head));
	if (cxsim_crc16_end(crc) != stored)
		wrong(view, "CRC of the full image", 0x22);
}

/* Chunk size and slot come first: everything behind is read through them. */
static void check_fs2_place(struct view *view)
{
	u32 failsafe = view_be32(view, 0x28);

	if (!byte_sum_ok(failsafe)) {
		wrong(view, "checksum of the failsafe word", 0x28);
		return;
	}
	if (!(failsafe & 8)) {
		if (view->base)
			wrong(view, "an image without failsafe layout", 0);
		return;
	}
	view->log2 = 16 + (failsafe & 7);
	if (view->base && view->base != 1U << view->log2) {
		wrong(view, "chunk size that does not fit its place", 0x28);
		return;
	}
	view->striped = true;
	view->slot = view->base != 0;
}

static void check_fs2(struct view *view)
{
	u32 info = view_be32(view, 0x2c), guids = view_be32(view, 0x34), offset, blocks;
	bool saw_info = false, saw_guids = false;

	check_fs2_place(view);
	if (!byte_sum_ok(info))
		wrong(view, "checksum of the info pointer", 0x2c);
	if (view_be32(view, 0x24) >> 24 == 3)
		wrong(view, "format version", 0x24);
	offset = check_boot2(view, 0x38);
	for (blocks = 1; offset && blocks < 4; blocks++) {
		u32 type = view_be32(view, offset);

		if (type >= 1 && type <= FS2_TYPE_LAST)
			break;
		offset = check_boot2(view, offset);
	}
	while (offset) {
		saw_info |= offset + 16 == (info & 0xffffff) && view_be32(view, offset) == FS2_TYPE_INFO;
		saw_guids |= offset + 16 == guids && view_be32(view, offset) == FS2_TYPE_GUID;
		offset = check_section(view, offset);
	}
	if (!saw_info)
		wrong(view, "info pointer", 0x2c);
	if (!saw_guids)
		wrong(view, "GUID pointer", 0x34);
	check_fs2_full(view);
}

/* ---- FS4 ---- */

#define FS4_POINTERS	0x18
#define TOC_BYTES	0x20

static const u8 toc_signature[12] = {
	0x04, 0x08, 0x15, 0x16, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static const u8 dev_info_signature[16] = {
	0x6d, 0x44, 0x65, 0x76, 0x49, 0x6e, 0x66, 0x6f, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static u32 check_pointer(struct view *view, unsigned int number)
{
	u8 entry[8];
	u32 value, crc;

	view_read(view, FS4_POINTERS + 8 * number, entry, sizeof(entry));
	value = cxsim_get_be32(entry);
	crc = cxsim_get_be32(entry + 4);
	if (value == 0xffffffff)
		return 0;
	/* Some images carry the other CRC here: firmware-images.md 0.2. */
	if (crc != cxsim_pointer_crc(value) && crc != cxsim_crc16(entry, 4))
		wrong(view, "CRC of a pointer", FS4_POINTERS + 8 * number);
	return value;
}

static void check_tools_area(struct view *view, u32 offset)
{
	u32 log2;

	if (!offset || !in_flash(view, offset, 0x40)) {
		wrong(view, "pointer to the tools area", FS4_POINTERS + 24);
		return;
	}
	if ((view_be32(view, offset + 0x3c) & 0xffff) != view_crc16(view, offset, 0x3c))
		wrong(view, "CRC of the tools area", offset);
	log2 = view_be32(view, offset + 4) >> 16;
	if (log2 < 16 || log2 > 0x18) {
		wrong(view, "slot size", offset + 4);
		return;
	}
	view->log2 = log2;
	view->slot = view->base != 0;
	if (view->base && view->base != 1U << log2)
		wrong(view, "slot size that does not fit its place", offset + 4);
}

static void read_image_info(struct view *view, u32 offset, u32 size)
{
	struct cxsim_boot *boot = view->boot;
	struct cxsim_facts *facts = view->facts;
	u32 time;

	if (size < 0x400) {
		wrong(view, "length of the image info", offset);
		return;
	}
	boot->version[0] = view_be32(view, offset + 0x04) >> 16;
	boot->version[1] = view_be32(view, offset + 0x08) >> 16;
	boot->version[2] = view_be32(view, offset + 0x08) & 0xffff;
	time = view_be32(view, offset + 0x0c);
	facts->time = (time & 0xff00) << 8 | (time >> 8 & 0xff00) | time >> 24;
	facts->date = view_be32(view, offset + 0x10);
	view_text(view, offset + 0x24, boot->psid, 16);
	view_text(view, offset + 0x38, facts->vsd, 208);
	view_text(view, offset + 0x1c0, facts->product_version, 16);
	view_text(view, offset + 0x1d0, facts->description, 256);
	view_text(view, offset + 0x340, facts->name, 64);
}

struct toc_entry {
	u32 type, size, address, mode, crc;
};

/* False at the end of the table. */
static bool read_toc_entry(struct view *view, u32 offset, struct toc_entry *entry)
{
	u32 head = view_be32(view, offset), crc = view_be32(view, offset + 0x18);

	entry->type = head >> 24;
	entry->size = head & 0xfffffc;
	entry->address = view_be32(view, offset + 0x14) & 0x7ffffffc;
	entry->mode = crc >> 16 & 7;
	entry->crc = crc & 0xffff;
	if (entry->type == FS4_TYPE_END)
		return false;
	if ((view_be32(view, offset + 0x1c) & 0xffff) != view_crc16(view, offset, 0x1c))
		wrong(view, "CRC of a table entry", offset);
	if (!in_flash(view, entry->address, entry->size)) {
		wrong(view, "place of a section", offset + 0x14);
		entry->size = 0;
	}
	return true;
}

static bool section_crc_ok(struct view *view, const struct toc_entry *entry)
{
	switch (entry->mode) {
	case 0:
		return view_crc16(view, entry->address, entry->size) == entry->crc;
	case 2:
		return entry->size >= 8 && (view_be32(view, entry->address + entry->size - 4) & 0xffff) ==
					   view_crc16(view, entry->address, entry->size - 4);
	default:
		return true;
	}
}

static bool toc_header_ok(struct view *view, u32 offset, const char *name)
{
	u8 header[TOC_BYTES];

	if (!in_flash(view, offset, TOC_BYTES))
		return false;
	view_read(view, offset, header, sizeof(header));
	return !memcmp(header, name, 4) && !memcmp(header + 4, toc_signature, sizeof(toc_signature)) &&
	       (cxsim_get_be32(header + 0x1c) & 0xffff) == cxsim_crc16(header, 0x1c);
}

static void check_itoc(struct view *view, u32 offset)
{
	struct toc_entry entry;
	unsigned int i;
	bool info = false;

	if (!toc_header_ok(view, offset, "ITOC"))
		offset += 0x1000;
	if (!toc_header_ok(view, offset, "ITOC")) {
		wrong(view, "header of the ITOC", offset - 0x1000);
		return;
	}
	for (i = 1; i < 64 && read_toc_entry(view, offset + TOC_BYTES * i, &entry); i++) {
		if (!section_crc_ok(view, &entry))
			wrong(view, "CRC of a section", entry.address);
		if (entry.type == FS4_TYPE_INFO) {
			read_image_info(view, entry.address, entry.size);
			info = true;
		}
		if (entry.type == FS4_TYPE_ROM)
			read_rom(view, entry.address, entry.size);
		if (entry.address + entry.size > view->end)
			view->end = entry.address + entry.size;
	}
	if (!info)
		wrong(view, "ITOC without image info", offset);
}

static void check_fs4(struct view *view)
{
	u32 pointers[16];
	unsigned int i;

	if (view_be32(view, 0x10) >> 24 != 1)
		wrong(view, "format version", 0x10);
	for (i = 0; i < ARRAY_SIZE(pointers); i++)
		pointers[i] = check_pointer(view, i);
	check_tools_area(view, pointers[3]);
	if (!pointers[1] || !in_flash(view, pointers[1], 16))
		wrong(view, "pointer to BOOT2", FS4_POINTERS + 8);
	else
		check_boot2(view, pointers[1]);
	if (!pointers[2] || !in_flash(view, pointers[2], 0x1000))
		wrong(view, "pointer to the ITOC", FS4_POINTERS + 16);
	else
		check_itoc(view, pointers[2]);
}

static void read_ids(struct view *view, u32 offset)
{
	view->facts->guids = view_be32(view, offset) & 0xff;
	view->facts->macs = view_be32(view, offset + 0x10) & 0xff;
	view->boot->guid[0] = view_be64(view, offset + 0x08);
	view->boot->mac[0] = view_be64(view, offset + 0x18);
}

/* The flash's own data; offsets are addresses here, so the view must begin at 0. */
static void check_device_data(struct view *view)
{
	u32 dtoc = view->card->chip.size - 0x1000, valid = 0, offset;
	bool from_factory = false;
	struct toc_entry entry;
	u8 signature[16];

	if (!toc_header_ok(view, dtoc, "DTOC")) {
		wrong(view, "header of the DTOC", dtoc);
		return;
	}
	for (offset = dtoc + TOC_BYTES; offset < dtoc + 64 * TOC_BYTES; offset += TOC_BYTES) {
		if (!read_toc_entry(view, offset, &entry))
			break;
		if (entry.type == FS4_TYPE_DEV) {
			view_read(view, entry.address, signature, sizeof(signature));
			if (memcmp(signature, dev_info_signature, sizeof(signature)) || !section_crc_ok(view, &entry))
				continue;
			valid++;
			if (!from_factory)
				read_ids(view, entry.address + 0x20);
			view_text(view, entry.address + 0x70, view->facts->device_vsd, 208);
		} else if (!section_crc_ok(view, &entry)) {
			wrong(view, "CRC of device data", entry.address);
		} else if (entry.type == FS4_TYPE_MFG && !(view_be32(view, entry.address + 0x1c) & 1)) {
			from_factory = true;
			read_ids(view, entry.address + 0x20);
		}
	}
	if (valid != 1)
		wrong(view, valid ? "two valid DEV_INFO" : "no valid DEV_INFO", dtoc);
}

/* ---- looking and choosing ---- */

static bool magic_at(struct cxsim_card *card, u32 address)
{
	u8 magic[CXSIM_MAGIC_BYTES];

	cxsim_chip_peek(card, address, magic, sizeof(magic));
	return !memcmp(magic, model_magic(card), sizeof(magic));
}

/* Everything that is known of the image; true when the image itself is right. */
static bool examine(struct cxsim_card *card, u32 address, bool magic_hidden, char *why, struct cxsim_boot *boot,
		    struct cxsim_facts *facts)
{
	struct view view = {
		.card = card, .base = address, .magic_hidden = magic_hidden, .whole = true,
		.why = why, .boot = boot, .facts = facts,
	};

	memset(boot, 0, sizeof(*boot));
	memset(facts, 0, sizeof(*facts));
	boot->address = address;
	if (!magic_hidden && !magic_at(card, address))
		wrong(&view, "magic", 0);
	if (card->model->format == CXSIM_FS4)
		check_fs4(&view);
	else
		check_fs2(&view);
	if (view.failed_read)
		wrong(&view, "end of the flash", view.end);
	facts->length = view.end;
	return view.whole;
}

static bool examine_device(struct cxsim_card *card, char *why, struct cxsim_boot *boot, struct cxsim_facts *facts)
{
	struct view view = { .card = card, .whole = true, .why = why, .boot = boot, .facts = facts };

	if (card->model->format == CXSIM_FS4)
		check_device_data(&view);
	return view.whole;
}

static bool address_fits(const struct cxsim_card *card, u32 address)
{
	return !(address & 3) && address < card->chip.size && card->chip.size - address >= 0x1000;
}

bool cxsim_image_check(struct cxsim_card *card, u32 address, bool magic_hidden, struct cxsim_boot *boot,
		       struct cxsim_facts *facts, char *why)
{
	if (why)
		why[0] = '\0';
	memset(boot, 0, sizeof(*boot));
	memset(facts, 0, sizeof(*facts));
	if (!address_fits(card, address)) {
		if (why)
			snprintf(why, CXSIM_WHY, "no image can be at 0x%x", address);
		return false;
	}
	boot->whole = examine(card, address, magic_hidden, why, boot, facts);
	boot->whole &= examine_device(card, boot->whole ? why : NULL, boot, facts);
	return boot->whole;
}

bool cxsim_image_look(struct cxsim_card *card, u32 address, bool magic_hidden, struct cxsim_boot *boot,
		      struct cxsim_facts *facts)
{
	return cxsim_image_check(card, address, magic_hidden, boot, facts, NULL);
}

static u32 next_place(u32 address)
{
	return address ? address * 2 : BOOT_FROM;
}

/* card->boot and card->facts serve as room to work in. */
static bool search(struct cxsim_card *card, bool checked, bool last, u32 *found)
{
	bool any = false;
	u32 address;

	for (address = 0; address_fits(card, address); address = next_place(address)) {
		if (!magic_at(card, address))
			continue;
		if (checked && !examine(card, address, false, NULL, &card->boot, &card->facts))
			continue;
		*found = address;
		any = true;
		if (!last)
			break;
	}
	return any;
}

static bool choose(struct cxsim_card *card, u32 *address)
{
	u32 named;

	switch (card->settings[CXSIM_BOOT_POLICY]) {
	case CXSIM_BOOT_CHECKED_FIRST:
		return search(card, true, false, address);
	case CXSIM_BOOT_CHECKED_LAST:
		return search(card, true, true, address);
	case CXSIM_BOOT_MAGIC_LAST:
		return search(card, false, true, address);
	case CXSIM_BOOT_REGISTER:
		named = cxsim_boot_register_address(card);
		if (address_fits(card, named) && magic_at(card, named)) {
			*address = named;
			return true;
		}
		return search(card, false, false, address);
	default:
		return search(card, false, false, address);
	}
}

void cxsim_boot_run(struct cxsim_card *card)
{
	u32 address;

	if (choose(card, &address)) {
		cxsim_image_look(card, address, false, &card->boot, &card->facts);
		return;
	}
	memset(&card->boot, 0, sizeof(card->boot));
	memset(&card->facts, 0, sizeof(card->facts));
	card->boot.recovery = true;
}

/* log2 of the slot or chunk size, as the running image says. */
static u32 slot_log2(struct cxsim_card *card)
{
	struct view view = { .card = card, .base = card->boot.address };
	u32 log2 = 0, size;

	if (!card->boot.recovery && card->model->format == CXSIM_FS2 && view_be32(&view, 0x28) & 8)
		return 16 + (view_be32(&view, 0x28) & 7);
	if (card->model->format == CXSIM_FS2)
		return card->model->log2_chunk;
	if (!card->boot.recovery)
		log2 = view_be32(&view, view_be32(&view, FS4_POINTERS + 24) + 4) >> 16;
	if (log2 >= 16 && log2 <= 0x18)
		return log2;
	for (log2 = 0, size = card->chip.size; size > 2; size >>= 1)
		log2++;
	return log2 < 0x18 ? log2 : 0x18;
}

u32 cxsim_image_slot(struct cxsim_card *card, unsigned int slot)
{
	return slot ? 1U << slot_log2(card) : 0;
}

bool cxsim_image_activate(struct cxsim_card *card, u32 address)
{
	static const u8 zero[4];
	u32 other = address ? 0 : cxsim_image_slot(card, 1);

	if (!cxsim_flash_firmware_program(card, address, model_magic(card), CXSIM_MAGIC_BYTES))
		return false;
	if (!magic_at(card, other))
		return true;
	return cxsim_flash_firmware_program(card, other, zero, sizeof(zero));
}
