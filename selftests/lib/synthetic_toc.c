// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware of the formats with a table of contents: FS3, FS4, FS5. firmware-images.md 3, 4. */
#include "synthetic_private.h"

#define TOC_HEADER 0x20U
#define TOC_ENTRY 0x20U
#define BLOCK 0x1000U
#define ENCAPSULATION 0x2000U
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where FS4 and FS5 have their parts (4.1, 4.2); the second place of the ITOC is a block behind. */
#define BOOT_RECORD 0x100U
#define TOOLS_AREA 0x500U
#define FS4_BOOT2 0x1000U
#define FS4_HASHES 0x3000U
#define FS5_BCH 0x1000U
#define FS5_BOOT2 0x3000U
#define FS5_BOOT2_LENGTH 0x400U
#define FS4_ITOC 0x5000U
#define FS4_SECTIONS 0x7000U

enum {
	TYPE_PCI_CODE = 0x02, TYPE_MAIN_CODE = 0x03, TYPE_IMAGE_INFO = 0x10, TYPE_ROM_CODE = 0x18,
	TYPE_DBG_FW_INI = 0x30, TYPE_FW_ADB = 0x33,
	TYPE_MFG_INFO = 0xe0, TYPE_DEV_INFO = 0xe1, TYPE_VPD_R0 = 0xe3, TYPE_NV_DATA2 = 0xe4,
	TYPE_FW_NV_LOG = 0xe5, TYPE_NV_DATA0 = 0xe6,
};

static bool fs3(const struct layout *layout)
{
	return layout->settled.want.format == SYNTHETIC_FS3;
}

static struct section *add(struct layout *layout, unsigned int type, size_t size)
{
	struct section *section = &layout->sections[layout->count++];

	if (layout->count > SECTION_MOST)
		abort();
	*section = (struct section){ .type = type, .size = size, .data = must_allocate(size) };
	memset(section->data, 0, size);
	return section;
}

static void add_pattern(struct layout *layout, unsigned int type, size_t size, uint32_t seed)
{
	fill_pattern(add(layout, type, size)->data, size, seed + type);
}

static void add_code(struct layout *layout, unsigned int type, size_t size, uint32_t load)
{
	struct section *section = add(layout, type, round_up(size, 4));

	fill_pattern(section->data, section->size, layout->settled.want.seed + type);
	section->load = load;
	section->entry = load + 0x100;
}

static bool add_rom(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;

	return !want->rom_size ||
	       make_rom(add(layout, TYPE_ROM_CODE, want->rom_size)->data, want->rom_size, want);
}

/* Sections for signatures and keys; what goes into them is written last (4.7). */
static void add_security(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	bool is_signed = want->signature_2048 || want->signature_4096;
	/* A table of hashes holds one of the ITOC, so that no CRC there may depend on a signature. */
	bool hashed = want->hashes || want->format == SYNTHETIC_FS5;
	unsigned int mode = (is_signed && !fs3(layout)) || hashed ? 1 : 0;

	if (want->digest || is_signed)
		add(layout, 0xa0, 0x140)->crc_mode = mode;
	if (want->keys || want->signature_2048)
		add(layout, 0xa1, 0x900);
	if (is_signed || (want->digest && want->keys))
		add(layout, 0xa3, 0x240)->crc_mode = mode;
	if (want->keys || want->signature_4096)
		add(layout, 0xa4, 0x1100);
}

/* Shares of the code as in real images: most of it is MAIN_CODE. */
static bool add_firmware(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	size_t code = want->code_size;
	struct section *ini;

	if (fs3(layout) && !add_rom(layout))
		return false;
	add_code(layout, TYPE_PCI_CODE, code / 16 + 0x100, 0x00800000);
	add_code(layout, TYPE_MAIN_CODE, code, 0x10200000);
	add_code(layout, 0x04, code / 8 + 0x40, 0x00400000);
	add_code(layout, 0x05, code / 32 + 0x40, 0x00500000);
	if (!fs3(layout))
		add_pattern(layout, 0x20, 0x80, want->seed);
	add_code(layout, 0x06, code / 32 + 0x44, 0x00600000);
	add_pattern(layout, 0x08, 0x200, want->board_seed);
	add_pattern(layout, 0x09, 0x740, want->board_seed);
	add_pattern(layout, 0x0a, round_up(code / 16 + 0x80, 4), want->seed);
	add_pattern(layout, 0x0b, 0x180, want->seed);
	add_pattern(layout, 0x11, 0x140, want->board_seed);
	add_pattern(layout, 0x12, 0x4c4, want->board_seed);
	add_security(layout);
	add(layout, TYPE_IMAGE_INFO, IMAGE_INFO_LENGTH);
	add_pattern(layout, TYPE_FW_ADB, 0x54, want->seed);
	ini = add(layout, TYPE_DBG_FW_INI, 0);
	free(ini->data);
	ini->data = make_packed_ini(want->ini, &ini->size);
	return fs3(layout) || add_rom(layout);
}

/*
 * 3.7 and 7.2.5: in big files the places of real ones, counted from the end, in smaller ones the
 * same order closer together, in the smallest with less room for each.
 */
struct device_place {
	unsigned int type, mode;
	size_t size, before_end, before_small, before_tiny;
};
static const struct device_place fs3_places[] = {
	{ TYPE_NV_DATA0, 1, 0x8000, 0x59000, 0x29000, 0x5000 },
	{ TYPE_NV_DATA2, 1, 0x8000, 0x49000, 0x19000, 0x4000 },
	{ TYPE_DEV_INFO, 0, DEV_INFO_LENGTH, 0xb000, 0xb000, 0x3000 },
	{ TYPE_MFG_INFO, 0, MFG_INFO_LENGTH, 0x1000, 0x1000, 0x1000 },
	{ TYPE_VPD_R0, 0, 0, 0, 0, 0 },
};
static const struct device_place fs4_places[] = {
	{ TYPE_FW_NV_LOG, 1, 0x8000, 0x100000, 0x30000, 0x8000 },
	{ TYPE_NV_DATA0, 1, 0x8000, 0xe0000, 0x28000, 0x7000 },
	{ TYPE_NV_DATA2, 1, 0x8000, 0xc0000, 0x20000, 0x6000 },
	{ TYPE_DEV_INFO, 2, DEV_INFO_LENGTH, 0xa0000, 0x18000, 0x5000 },
	{ TYPE_DEV_INFO, 2, DEV_INFO_LENGTH, 0x90000, 0x10000, 0x4000 },
	{ TYPE_MFG_INFO, 0, MFG_INFO_LENGTH, 0x8000, 0x8000, 0x3000 },
	{ TYPE_VPD_R0, 0, 0x40, 0x8000 - 0x140, 0x8000 - 0x140, 0x3000 - 0x140 },
};
#define SMALL (8U << 20)
#define TINY (256U << 10)

static size_t place_before_end(const struct device_place *place, size_t end)
{
	return end < TINY ? place->before_tiny : end < SMALL ? place->before_small : place->before_end;
}

static size_t device_end(const struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;

	return want->dtoc_divisor && !fs3(layout) ? want->size / (2 * want->dtoc_divisor) : want->size;
}

static void make_vpd(uint8_t *vpd, size_t size)
{
	if (!size)
		return;
	vpd[0] = 0x82;				/* identifier string, then the end tag */
	store_le16(vpd + 1, size - 4);
	memcpy(vpd + 3, "synthetic adapter", 17);
	vpd[size - 1] = 0x78;
}

static bool add_device_data(struct layout *layout)
{
	const struct device_place *places = fs3(layout) ? fs3_places : fs4_places;
	size_t count = fs3(layout) ? COUNT(fs3_places) : COUNT(fs4_places);
	size_t end = device_end(layout), i;
	bool valid = true;

	for (i = 0; i < count; i++) {
		size_t size = end < TINY && places[i].mode == 1 ? BLOCK : places[i].size;
		struct section *section = add(layout, places[i].type, size);
		size_t before = place_before_end(&places[i], end);

		if (before > end || (!i && end - before < layout->end))
			return false;
		section->at = end - before;
		section->device = true;
		section->crc_mode = places[i].mode;
		if (section->type == TYPE_MFG_INFO)
			make_mfg_info(section->data, &layout->settled);
		if (section->type == TYPE_VPD_R0)
			make_vpd(section->data, section->size);
		if (section->type == TYPE_DEV_INFO) {
			make_dev_info(section->data, &layout->settled, valid);
			valid = false;
		}
	}
	return true;
}

/* Addresses of the firmware's sections. FS3: 3.1, on blocks but for what follows IMAGE_INFO. */
static void place_firmware(struct layout *layout)
{
	size_t at = fs3(layout) ? layout->itoc + 2 * BLOCK : FS4_SECTIONS;
	unsigned int i;

	for (i = 0; i < layout->count; i++) {
		struct section *section = &layout->sections[i];

		if (fs3(layout) && section->type != TYPE_FW_ADB && section->type != TYPE_DBG_FW_INI)
			at = round_up(at, BLOCK);
		section->at = at;
		at += section->size;
	}
	layout->end = at;
}

struct section *layout_find(struct layout *layout, unsigned int type)
{
	unsigned int i;

	for (i = 0; i < layout->count; i++)
		if (layout->sections[i].type == type)
			return &layout->sections[i];
	return NULL;
}

static void write_sections(struct layout *layout)
{
	unsigned int i;

	for (i = 0; i < layout->count; i++) {
		const struct section *section = &layout->sections[i];

		if (section->size)
			memcpy(layout->image + section->at, section->data, section->size);
	}
}

static void write_toc_header(uint8_t *at, const char *name)
{
	memset(at, 0, TOC_HEADER);
	memcpy(at, name, 4);
	store_be32(at + 4, 0x04081516);
	store_be32(at + 8, 0x2342cafa);
	store_be32(at + 12, 0xbacafe00);
	store_be32(at + 16, 1);
	store_be32(at + 28, synthetic_crc16(at, 28));
}

static void write_entry(const struct layout *layout, uint8_t *at, const struct section *section)
{
	uint32_t crc = section->crc_mode ? 0 : synthetic_crc16(layout->image + section->at, section->size);

	memset(at, 0, TOC_ENTRY);
	store_be32(at, section->type << 24 | section->size);
	store_be32(at + 4, section->load);
	store_be32(at + 8, section->entry);
	store_be32(at + 0x14, section->at);
	store_be32(at + 0x18, section->crc_mode << 16 | crc);
	if (fs3(layout)) {
		at[0x14] |= section->device ? 0 : 0x80;
		at[0x19] |= section->device ? 2 : 0;
	}
	store_be32(at + 0x1c, synthetic_crc16(at, 0x1c));
}

size_t toc_entry_of(const struct layout *layout, const struct section *section)
{
	return layout->itoc + TOC_HEADER + TOC_ENTRY * (size_t)(section - layout->sections);
}

/* FS3 has one table of all, FS4 and FS5 a DTOC of what belongs to the card. */
void write_toc(struct layout *layout, size_t at, bool device)
{
	uint8_t *entry = layout->image + at + TOC_HEADER;
	unsigned int i;

	write_toc_header(layout->image + at, device ? "DTOC" : "ITOC");
	for (i = 0; i < layout->count; i++) {
		if (!fs3(layout) && layout->sections[i].device != device)
			continue;
		write_entry(layout, entry, &layout->sections[i]);
		entry += TOC_ENTRY;
	}
	memset(entry, 0xff, TOC_ENTRY);
}

static void write_fs3_start(struct layout *layout)
{
	uint8_t *image = layout->image;

	memset(image, 0, 0x38);
	memcpy(image, magic_fs2, MAGIC_LENGTH);
	fill_pattern(image + 0x10, 0x14, layout->settled.want.seed + 1);
	image[0x24] = 3;
	image[0x25] = layout->settled.want.log2;
	image[0x26] = 1;
	image[0x27] = 1;
	store_be32(image + 0x34, synthetic_crc16(image, 0x34));
	make_boot2(image + layout->boot2, 0x10000040, 0x240, layout->settled.want.seed + 2);
}

static void write_pointers(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	bool fs5 = want->format == SYNTHETIC_FS5;
	struct section *key = layout_find(layout, 0xa4), *signature = layout_find(layout, 0xa3);
	/* An image of old, without hashes, names neither IMAGE_INFO nor keys; nor does a switch's. */
	bool named = fs5 || want->hashes || want->encrypted;
	uint32_t pointers[16] = {
		[0] = BOOT_RECORD,
		[1] = layout->boot2,
		[2] = FS4_ITOC,
		[3] = layout->tools,
		[6] = fs5 ? FS5_BCH : 0,
		[10] = named ? layout_find(layout, TYPE_IMAGE_INFO)->at : 0,
		[11] = named && signature ? signature->at : 0,
		[12] = named && key ? key->at : 0,
		[13] = want->security_version,
		[15] = layout->hashes,
	};
	unsigned int i;

	for (i = 0; i < 16; i++) {
		store_be32(layout->image + 0x18 + 8 * i, pointers[i]);
		store_be32(layout->image + 0x1c + 8 * i, pointer_crc(pointers[i]));
	}
}

/* 4.8: BCH with the length of BOOT2 and hashes table; BOOT2 has none of its own. */
static void write_fs5_boot(struct layout *layout)
{
	uint8_t *bch = layout->image + FS5_BCH;

	memset(bch, 0, 0x2000);
	memcpy(bch, "NVDA", 4);
	fill_pattern(bch + 4, 0x30, layout->settled.want.seed + 4);
	memcpy(bch + 0x1ee0, "NCOR", 4);
	store_le32(bch + 0x1ee4, FS5_BOOT2_LENGTH + HASHES_LENGTH);
	fill_pattern(layout->image + layout->boot2, FS5_BOOT2_LENGTH, layout->settled.want.seed + 2);
}

static void write_fs4_start(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	uint8_t *image = layout->image, *tools = image + layout->tools;

	memcpy(image, magic_fs4, MAGIC_LENGTH);
	store_be32(image + 0x10, want->format == SYNTHETIC_FS5 ? 0x02000100 : 0x01000100);
	memset(image + 0x14, 0xff, 4);
	fill_pattern(image + BOOT_RECORD, 0x400, want->seed + 3);
	memset(tools, 0, 0x40);
	store_be32(tools + 4, want->log2 << 16 | 0x0100);
	store_be32(tools + 0x3c, synthetic_crc16(tools, 0x3c));
	if (want->format == SYNTHETIC_FS5)
		write_fs5_boot(layout);
	else
		make_boot2(image + layout->boot2, 0x10000040, 0x240, want->seed + 2);
	write_pointers(layout);
}

/*
 * 4.7: of an encrypted image only magic, pointers and IMAGE_INFO are in clear (and device data,
 * which is not the firmware's). The cipher here is a pattern: nobody reads it.
 */
static void encrypt(struct layout *layout)
{
	const struct section *info = layout_find(layout, TYPE_IMAGE_INFO);
	size_t behind = info->at + info->size, i;
	uint8_t *image = layout->image, *cipher = must_allocate(layout->end);

	fill_pattern(cipher, layout->end, layout->settled.want.seed + 0x77);
	for (i = BOOT_RECORD; i < layout->end; i++)
		if (i < info->at || i >= behind)
			image[i] ^= cipher[i] | 1;
	free(cipher);
}

static void write_all(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	struct section *info = layout_find(layout, TYPE_IMAGE_INFO);
	bool says_end = want->encrypted || want->format == SYNTHETIC_FS5 || want->hashes;

	make_image_info(info->data, &layout->settled, says_end ? layout->end : 0);
	write_sections(layout);
	if (fs3(layout))
		write_fs3_start(layout);
	else
		write_fs4_start(layout);
	write_toc(layout, layout->itoc, false);
	if (!fs3(layout) && !want->stripped)
		write_toc(layout, device_end(layout) - BLOCK, true);
	if (layout->hashes)
		write_hashes(layout);
	write_signatures(layout);
	if (want->encrypted)
		encrypt(layout);
	if (want->masked_magic)
		memset(layout->image, 0xff, MAGIC_LENGTH);
}

static void choose_places(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;

	if (fs3(layout)) {
		layout->boot2 = 0x38;
		layout->itoc = BLOCK;
		return;
	}
	layout->tools = TOOLS_AREA;
	layout->itoc = FS4_ITOC + (want->second_itoc ? BLOCK : 0);
	layout->boot2 = want->format == SYNTHETIC_FS5 ? FS5_BOOT2 : FS4_BOOT2;
	if (want->format == SYNTHETIC_FS5)
		layout->hashes = FS5_BOOT2 + FS5_BOOT2_LENGTH;
	else if (want->hashes)
		layout->hashes = FS4_HASHES;
}

/* What the formats do not have. */
static bool impossible(const struct synthetic *want)
{
	bool is_fs3 = want->format == SYNTHETIC_FS3;

	if (is_fs3 && (want->encrypted || want->hashes || want->second_itoc))
		return true;
	/* There, the table that one signature covers holds the CRC of the other. */
	if (is_fs3 && want->signature_2048 && want->signature_4096)
		return true;
	if ((want->connect_ib && !is_fs3) ||
	    (want->encapsulated && (want->format != SYNTHETIC_FS5 || want->stripped)))
		return true;
	return want->size % 4 || want->log2 > 0x19 || want->code_size >= 1 << 24 ||
	       want->rom_size >= 1 << 24 || want->rom_size % 4;
}

static bool build(struct layout *layout)
{
	const struct synthetic *want = &layout->settled.want;
	size_t behind;

	if (impossible(want) || !add_firmware(layout))
		return false;
	choose_places(layout);
	place_firmware(layout);
	if (layout->end > (size_t)1 << want->log2 || (!want->stripped && !add_device_data(layout)))
		return false;
	behind = want->encapsulated ? ENCAPSULATION : 0;
	layout->length = want->stripped ? layout->end : want->size;
	layout->image = must_allocate(layout->length + behind);
	memset(layout->image, 0xff, layout->length);
	write_all(layout);
	if (behind) {
		memset(layout->image + layout->length, 0, behind);
		memcpy(layout->image + layout->length, "NVDA", 4);
		layout->length += behind;
	}
	return true;
}

uint8_t *make_with_toc(const struct synthetic *what, size_t *length)
{
	struct layout *layout = must_allocate(sizeof(*layout));
	uint8_t *image;
	unsigned int i;

	memset(layout, 0, sizeof(*layout));
	settle(what, &layout->settled);
	image = build(layout) ? layout->image : NULL;
	*length = image ? layout->length : 0;
	for (i = 0; i < layout->count; i++)
		free(layout->sections[i].data);
	free(layout);
	return image;
}

/* Entries of the ITOC, FS3's or FS4's; 0: there is none, as in an encrypted image. */
static size_t first_entry(const uint8_t *image, size_t length, bool *is_fs3)
{
	size_t places[] = { BLOCK, FS4_ITOC, FS4_ITOC + BLOCK }, i;

	for (i = 0; i < 3; i++) {
		*is_fs3 = !i;
		if (places[i] + BLOCK <= length && !memcmp(image + places[i], "ITOC", 4))
			return places[i] + TOC_HEADER;
	}
	return 0;
}

size_t toc_image_end(const uint8_t *image, size_t length)
{
	bool is_fs3;
	size_t at = first_entry(image, length, &is_fs3), end = 0, next;

	if (!at)
		return load_be32(image + load_be32(image + 0x68) + 0x12c);
	for (; at + TOC_ENTRY <= length && image[at] != 0xff; at += TOC_ENTRY) {
		if (is_fs3 && (image[at + 0x19] & 2))
			continue;
		next = (load_be32(image + at + 0x14) & 0x7ffffffc) + (load_be32(image + at) & 0xffffff);
		end = next > end ? next : end;
	}
	return end;
}

bool toc_member_facts(const uint8_t *image, size_t length, struct member_facts *facts)
{
	bool is_fs3;
	size_t at = first_entry(image, length, &is_fs3);

	while (at && at + TOC_ENTRY <= length && image[at] != TYPE_IMAGE_INFO && image[at] != 0xff)
		at += TOC_ENTRY;
	if (!at || image[at] != TYPE_IMAGE_INFO)
		return false;
	image += load_be32(image + at + 0x14) & 0x7ffffffc;
	facts->version[0] = load_be32(image + 4) >> 16;
	facts->version[1] = load_be32(image + 8) >> 16;
	facts->version[2] = load_be32(image + 8) & 0xffff;
	facts->date = load_be32(image + 0x10);
	memcpy(facts->psid, image + 0x24, 16);
	return true;
}
