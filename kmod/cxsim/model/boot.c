// SPDX-License-Identifier: GPL-2.0-only
/*
 * The boot ROM. It looks for magics at the search offsets of firmware-images.md 1.2,
 * chooses by policy, and reads every checksum of the chosen image, whether the policy
 * asks for it or not: a test wants to know what a trusting ROM would have run.
 */
#include "boot.h"
#include "boot_view.h"

#define BOOT_FROM	0x10000U	/* search offsets: 0, then doubling from here */

void cxsim_view_wrong(struct cxsim_view *view, const char *what, u32 offset)
{
	if (view->whole && view->why)
		snprintf(view->why, CXSIM_WHY, "%s at 0x%x of the image at 0x%x", what, offset, view->base);
	view->whole = false;
}

static const u8 *model_magic(const struct cxsim_card *card)
{
	return card->model->format == CXSIM_FS4 ? cxsim_magic_fs4 : cxsim_magic_fs2;
}

static u32 physical(const struct cxsim_view *view, u32 offset)
{
	return view->striped ? cxsim_slot_address(offset, view->log2, view->slot) : view->base + offset;
}

void cxsim_view_read(struct cxsim_view *view, u32 offset, u8 *buffer, u32 length)
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

u32 cxsim_view_be32(struct cxsim_view *view, u32 offset)
{
	u8 bytes[4];

	cxsim_view_read(view, offset, bytes, sizeof(bytes));
	return cxsim_get_be32(bytes);
}

u64 cxsim_view_be64(struct cxsim_view *view, u32 offset)
{
	u64 high = cxsim_view_be32(view, offset);

	return high << 32 | cxsim_view_be32(view, offset + 4);
}

void cxsim_view_text(struct cxsim_view *view, u32 offset, char *text, u32 width)
{
	cxsim_view_read(view, offset, (u8 *)text, width);
	text[width] = '\0';
}

bool cxsim_view_holds(const struct cxsim_view *view, u32 offset, u32 length)
{
	u32 size = view->card->chip.size;

	return offset <= size && length <= size - offset;
}

u16 cxsim_view_crc_add(struct cxsim_view *view, u16 crc, u32 offset, u32 length)
{
	u8 piece[256];

	while (length) {
		u32 part = length < sizeof(piece) ? length : sizeof(piece);

		cxsim_view_read(view, offset, piece, part);
		crc = cxsim_crc16_add(crc, piece, part);
		offset += part;
		length -= part;
	}
	return crc;
}

u16 cxsim_view_crc16(struct cxsim_view *view, u32 offset, u32 length)
{
	return cxsim_crc16_end(cxsim_view_crc_add(view, CXSIM_CRC16_START, offset, length));
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

void cxsim_view_rom(struct cxsim_view *view, u32 offset, u32 length)
{
	static const char marker[8] = { 'm', 'l', 'x', 's', 'i', 'g', 'n', ':' };
	struct cxsim_facts *facts = view->facts;
	u32 at, matched = 0;
	u8 piece[256], words[12];

	for (at = 0; at < length; at++) {
		if (!(at & 255))
			cxsim_view_read(view, offset + at, piece, length - at < 256 ? length - at : 256);
		if (piece[at & 255] != (u8)marker[matched])
			matched = 0;
		if (piece[at & 255] == (u8)marker[matched])
			matched++;
		if (matched < sizeof(marker))
			continue;
		matched = 0;
		if (length - at - 1 < sizeof(words) || facts->rom_count == ARRAY_SIZE(facts->roms))
			return;
		cxsim_view_read(view, offset + at + 1, words, sizeof(words));
		facts->roms[facts->rom_count].type = rom_type(get_le32(words) >> 16);
		facts->roms[facts->rom_count].arch = get_le32(words + 8) >> 8 & 0xf;
		facts->roms[facts->rom_count].major = (u8)get_le32(words);
		facts->roms[facts->rom_count].minor = (u8)(get_le32(words + 4) >> 16);
		facts->roms[facts->rom_count].build = (u16)get_le32(words + 4);
		facts->rom_count++;
	}
}

/* ---- BOOT2 of all formats ---- */

u32 cxsim_check_boot2(struct cxsim_view *view, u32 offset)
{
	u32 dwords = cxsim_view_be32(view, offset + 4), length;

	if (dwords < 4 || dwords > 1048576 || !cxsim_view_holds(view, offset, dwords * 4 + 16)) {
		cxsim_view_wrong(view, "length of BOOT2", offset + 4);
		return 0;
	}
	length = dwords * 4 + 12;
	if (cxsim_view_be32(view, offset + length) != cxsim_view_crc16(view, offset, length))
		cxsim_view_wrong(view, "CRC of BOOT2", offset);
	return offset + length + 4;
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
	struct cxsim_view view = {
		.card = card, .base = address, .magic_hidden = magic_hidden, .whole = true,
		.why = why, .boot = boot, .facts = facts,
	};

	memset(boot, 0, sizeof(*boot));
	memset(facts, 0, sizeof(*facts));
	boot->address = address;
	if (!magic_hidden && !magic_at(card, address))
		cxsim_view_wrong(&view, "magic", 0);
	switch (card->model->format) {
	case CXSIM_FS3:
		cxsim_check_fs3(&view);
		break;
	case CXSIM_FS4:
		cxsim_check_fs4(&view);
		break;
	default:
		cxsim_check_fs2(&view);
	}
	if (view.failed_read)
		cxsim_view_wrong(&view, "end of the flash", view.end);
	facts->length = view.end;
	return view.whole;
}

static bool examine_device(struct cxsim_card *card, char *why, struct cxsim_boot *boot, struct cxsim_facts *facts)
{
	struct cxsim_view view = { .card = card, .whole = true, .why = why, .boot = boot, .facts = facts };

	if (card->model->format == CXSIM_FS4)
		cxsim_check_fs4_device(&view);
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

/* log2 of the slot or chunk size that the running image names; 0: none that can be. */
static u32 named_log2(struct cxsim_card *card)
{
	struct cxsim_view view = { .card = card, .base = card->boot.address };
	u32 log2;

	if (card->boot.recovery)
		return 0;
	if (card->model->format == CXSIM_FS2)
		return cxsim_view_be32(&view, 0x28) & 8 ? 16 + (cxsim_view_be32(&view, 0x28) & 7) : 0;
	if (card->model->format == CXSIM_FS3) {
		log2 = cxsim_view_be32(&view, 0x24) >> 16 & 0xff;
		return log2 ? log2 : 21;
	}
	return cxsim_view_be32(&view, cxsim_view_be32(&view, 0x30) + 4) >> 16;
}

static u32 slot_log2(struct cxsim_card *card)
{
	u32 log2 = named_log2(card);

	if (log2 >= 16 && log2 <= 0x18)
		return log2;
	if (card->model->format == CXSIM_FS2)
		return card->model->log2_chunk;
	/* As the makers of images have it: FS3 keeps to the first 16 MiB. */
	return cxsim_half_log2(card->model->format == CXSIM_FS3 && card->chip.size > 1U << 24 ?
			       1U << 24 : card->chip.size);
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
