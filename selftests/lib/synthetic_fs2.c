// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic firmware: FS2, laid out as ConnectX-3 Pro's. firmware-images.md 2, 12. */
#include <lzma.h>

#include "synthetic_private.h"

#define HEADER 0x38U
#define GPH 16U
#define LAST 0xff000000U
#define PACKED 0x80000000U

enum { DDR = 1, CONFIGURATION, JUMP_ADDRESSES, ROM = 5, GUIDS, FW_CONF = 9, IMAGE_INFO };
enum { DDR_SECTIONS = 4 };

struct fs2 {
	struct settled settled;
	struct bytes image;
	size_t section;			/* header of the last one */
	size_t guids, info;		/* bodies */
	uint32_t entries[DDR_SECTIONS];
	unsigned int ddr_count;
};

static uint32_t with_byte_sum(uint32_t word)
{
	uint32_t sum = (word >> 16) + (word >> 8) + word;

	return (word & 0xffffff) | (-sum & 0xff) << 24;
}

static void add_word(struct bytes *bytes, uint32_t word)
{
	store_be32(bytes_add(bytes, NULL, 4), word);
}

/* Body is a multiple of four bytes long. next and CRC are written when all sections stand. */
static void add_section(struct fs2 *fs2, uint32_t type, uint32_t parameter, const struct bytes *body)
{
	uint8_t *at;

	fs2->section = fs2->image.length;
	at = bytes_add(&fs2->image, NULL, GPH);
	store_be32(at, type);
	store_be32(at + 4, body->length / 4);
	store_be32(at + 8, parameter);
	bytes_add(&fs2->image, body->data, body->length);
	bytes_add(&fs2->image, NULL, 4);
	store_be32(fs2->image.data + fs2->section + 12, fs2->image.length);
	free(body->data);
}

static void add_record(struct bytes *body, uint32_t address, uint32_t data, uint32_t mask)
{
	add_word(body, address);
	add_word(body, data & mask);
	add_word(body, mask);
}

/* Records that nobody knows, in rising order from an address. */
static void add_filler(struct bytes *body, uint32_t address, unsigned int count, uint32_t seed)
{
	uint8_t pattern[1024];
	unsigned int i;

	fill_pattern(pattern, 4 * (size_t)count, seed);
	for (i = 0; i < count; i++)
		add_record(body, address + 8 * i, load_be32(pattern + 4 * i), 0x00ffff00);
}

/* 8.4: what a board's values are compiled into. */
static void add_first_configuration(struct fs2 *fs2)
{
	const struct synthetic *want = &fs2->settled.want;
	const unsigned int *version = fs2->settled.version;
	struct bytes body = { 0 };

	add_record(&body, 0x1f064, version[0] << 16, 0xffffffff);
	add_record(&body, 0x1f068, version[1] << 16 | version[2], 0xffffffff);
	add_record(&body, 0x1f070, fs2->settled.date, 0xffffffff);
	add_record(&body, 0x1fba0, want->board_seed, 0xffffffff);
	add_record(&body, 0x1fba4, want->board_seed * 3, 0xffffffff);
	add_record(&body, 0x1fd00, want->pci_device << 16 | 0x15b3, 0xffffffff);
	add_record(&body, 0x1fd08, 0x02000000, 0xffffff00);
	add_record(&body, 0x1fd2c, (want->board_seed & 0xffff) << 16 | 0x15b3, 0xffffffff);
	add_filler(&body, 0x20000, 40, want->board_seed + 2);
	add_section(fs2, CONFIGURATION, 0, &body);
}

static void add_second_configuration(struct fs2 *fs2)
{
	static const char node[0x48] = "SYN00000 ConnectX synthetic";
	const struct synthetic *want = &fs2->settled.want;
	struct bytes body = { 0 };
	unsigned int i;

	add_filler(&body, 0x12d50, 30, want->board_seed + 3);
	add_record(&body, 0x1f0b8, 0x15b30000, 0xffff00ff);
	add_record(&body, 0x1f0bc, want->pci_device, 0x0000ffff);
	for (i = 0; i < sizeof(node); i += 4)
		add_record(&body, 0x1f100 + i, load_be32((const uint8_t *)node + i), 0xffffffff);
	add_record(&body, 0x1f99c, 0x0c018900, 0x7f8fff20);
	if (want->ports != 1)
		add_record(&body, 0x1f9ac, 0x0c018900, 0x7f8fff20);
	add_section(fs2, CONFIGURATION, 0, &body);
}

static void add_guids(struct fs2 *fs2)
{
	const struct synthetic *want = &fs2->settled.want;
	struct bytes body = { 0 };
	unsigned int i;

	for (i = 0; i < 6; i++)
		store_be64(bytes_add(&body, NULL, 8), want->blank_guids ? ~0ULL :
			   i < 4 ? want->guid + i : want->mac + i - 4);
	add_section(fs2, GUIDS, 0, &body);
	fs2->guids = fs2->section + GPH;
}

static uint8_t *add_tlv(struct bytes *body, unsigned int id, size_t length)
{
	add_word(body, id << 24 | (uint32_t)length);
	return bytes_add(body, NULL, length);
}

static void add_number(struct bytes *body, unsigned int id, uint32_t value)
{
	store_be32(add_tlv(body, id, 4), value);
}

static void add_pair(struct bytes *body, unsigned int id, uint32_t one, uint32_t other)
{
	uint8_t *at = add_tlv(body, id, 8);

	store_be32(at, one);
	store_be32(at + 4, other);
}

/* 2.4, in the order of a real image. */
static void add_info(struct fs2 *fs2)
{
	const struct synthetic *want = &fs2->settled.want;
	const unsigned int *version = fs2->settled.version;
	struct bytes body = { 0 };
	size_t prs = round_up(strlen(want->prs) + 1, 4);
	uint8_t *at;

	add_number(&body, 0, 1);
	add_pair(&body, 1, version[0] << 16, version[1] << 16 | version[2]);
	add_pair(&body, 2, fs2->settled.time, fs2->settled.date);
	add_number(&body, 3, want->pci_device);
	add_pair(&body, 10, (want->hw_revision & 0xff) << 16 | want->hw_id, 0);
	add_number(&body, 8, 0x15b3);
	store_text(add_tlv(&body, 4, 16), 16, want->psid);
	store_text(add_tlv(&body, 5, 208), 208, want->vsd);
	if (want->product)
		store_text(add_tlv(&body, 7, 16), 16, want->product);
	if (!want->no_mic)
		add_pair(&body, 11, 2 << 16, 0);
	at = add_tlv(&body, 19, 12);
	store_be32(at, 2);
	store_be32(at + 8, 2);
	store_text(add_tlv(&body, 20, prs), prs, want->prs);
	add_word(&body, LAST);
	add_section(fs2, IMAGE_INFO, 0, &body);
	fs2->info = fs2->section + GPH;
}

static void add_code(struct fs2 *fs2, size_t size, uint32_t load)
{
	struct bytes body = { 0 };

	size = round_up(size, 4);
	fill_pattern(bytes_add(&body, NULL, size), size, fs2->settled.want.seed + load);
	add_section(fs2, DDR, load, &body);
	fs2->entries[fs2->ddr_count++] = load;
}

/* 2.3: LZMA1 without an end marker behind a header of its own, zeros behind it. */
static void add_packed_code(struct fs2 *fs2, size_t size, uint32_t load)
{
	lzma_options_lzma options = {
		.dict_size = 0x1000, .lc = 0, .lp = 1, .pb = 2, .mode = LZMA_MODE_NORMAL, .nice_len = 64,
		.mf = LZMA_MF_BT4,
	};
	lzma_filter filters[] = {
		{ .id = LZMA_FILTER_LZMA1, .options = &options }, { .id = LZMA_VLI_UNKNOWN }
	};
	uint8_t *plain = must_allocate(size), *packed = must_allocate(2 * size + 1024), *header;
	size_t length = 0;
	struct bytes body = { 0 };

#ifdef LZMA_FILTER_LZMA1EXT
	filters[0].id = LZMA_FILTER_LZMA1EXT;
	options.ext_size_low = (uint32_t)size;
#endif
	fill_pattern(plain, size, fs2->settled.want.seed + load);
	if (lzma_raw_buffer_encode(filters, NULL, plain, size, packed, &length, 2 * size + 1024) != LZMA_OK)
		abort();
	header = bytes_add(&body, NULL, 8);
	store_le32(header, options.dict_size << 8 | 0x63);
	store_le32(header + 4, size);
	bytes_add(&body, packed, length);
	bytes_add(&body, NULL, 5);
	bytes_align(&body, 4);
	free(plain);
	free(packed);
	add_section(fs2, DDR, PACKED | load, &body);
	fs2->entries[fs2->ddr_count++] = load;
}

static void add_jumps(struct fs2 *fs2)
{
	struct bytes body = { 0 };
	unsigned int i;

	for (i = 0; i < fs2->ddr_count; i++) {
		add_word(&body, 0x1fb3c + 8 * i);
		add_word(&body, fs2->entries[i]);
	}
	add_section(fs2, JUMP_ADDRESSES, 0, &body);
}

static void add_ini(struct fs2 *fs2)
{
	struct bytes body = { 0 };

	body.data = make_packed_ini(fs2->settled.want.ini, &body.length);
	add_section(fs2, FW_CONF, 0, &body);
}

static bool add_rom(struct fs2 *fs2)
{
	const struct synthetic *want = &fs2->settled.want;
	struct bytes body = { 0 };

	if (!want->rom_size)
		return true;
	if (!make_rom(bytes_add(&body, NULL, want->rom_size), want->rom_size, want)) {
		free(body.data);
		return false;
	}
	add_section(fs2, ROM, 0, &body);
	return true;
}

static void add_boot2(struct fs2 *fs2, uint32_t load, uint32_t count)
{
	uint8_t *at = bytes_add(&fs2->image, NULL, 4 * ((size_t)count + 4));

	make_boot2(at, load, count, fs2->settled.want.seed + load);
}

/* CRCs of all sections, now that their next pointers stand. */
static void seal_sections(struct fs2 *fs2, size_t first)
{
	bool blank = fs2->settled.want.blank_guids;
	size_t at, length;
	uint8_t *header;

	store_be32(fs2->image.data + fs2->section + 12, LAST);
	for (at = first; at < fs2->image.length; at += length + 4) {
		header = fs2->image.data + at;
		length = GPH + 4 * (size_t)load_be32(header + 4);
		store_be32(header + length, load_be32(header) == GUIDS && blank ? 0xffff :
			   synthetic_crc16(header, length));
	}
}

static void write_header(struct fs2 *fs2)
{
	const struct synthetic *want = &fs2->settled.want;
	uint8_t *image = fs2->image.data;

	memcpy(image, magic_fs2, MAGIC_LENGTH);
	fill_pattern(image + 0x10, 0x10, want->seed + 1);
	store_be32(image + 0x20, (want->hw_revision & 0xff) << 24 | 0xffff);
	store_be32(image + 0x24, 4);
	store_be32(image + 0x28, want->not_failsafe ? 0 : with_byte_sum(8 | (want->log2 - 16)));
	store_be32(image + 0x2c, with_byte_sum(fs2->info));
	store_be32(image + 0x30, fs2->image.length);
	store_be32(image + 0x34, fs2->guids);
	if (!want->blank_guids)
		store_be16(image + 0x22, want->no_mic ? 0 : synthetic_crc16(image, fs2->image.length));
	if (want->masked_magic)
		memset(image, 0xff, MAGIC_LENGTH);
}

static bool build(struct fs2 *fs2)
{
	const struct synthetic *want = &fs2->settled.want;
	size_t first, code = round_up(want->code_size, 4);

	if (want->log2 < 16 || want->log2 > 23 || want->rom_size % 4 || code > 0x400000 ||
	    want->rom_size > 0x400000)
		return false;
	bytes_add(&fs2->image, NULL, HEADER);
	add_boot2(fs2, 0x00100040, 0x45);
	add_boot2(fs2, 0x00100040 + 4 * 0x45, 0x105);
	first = fs2->image.length;
	add_first_configuration(fs2);
	if (!add_rom(fs2))
		return false;
	add_guids(fs2);
	add_info(fs2);
	add_code(fs2, code / 8 + 0x100, 0x00100568);
	add_packed_code(fs2, code / 8 + 0x40, 0x00160000);
	add_code(fs2, code, 0x00200000);
	add_code(fs2, 0x104, 0x001e0000);
	add_second_configuration(fs2);
	add_jumps(fs2);
	add_ini(fs2);
	seal_sections(fs2, first);
	write_header(fs2);
	return true;
}

uint8_t *make_fs2(const struct synthetic *what, size_t *length)
{
	struct fs2 *fs2 = must_allocate(sizeof(*fs2));
	uint8_t *image = NULL;

	memset(fs2, 0, sizeof(*fs2));
	settle(what, &fs2->settled);
	if (build(fs2)) {
		image = fs2->image.data;
		*length = fs2->image.length;
	} else {
		free(fs2->image.data);
	}
	free(fs2);
	return image;
}

bool fs2_member_facts(const uint8_t *image, size_t length, struct member_facts *facts)
{
	size_t at;

	if (length < HEADER || memcmp(image, magic_fs2, MAGIC_LENGTH))
		return false;
	for (at = load_be32(image + 0x2c) & 0xffffff; at + 24 < length && image[at] != 0xff;
	     at += 4 + (load_be32(image + at) & 0xffffff)) {
		if (image[at] == 1) {
			facts->version[0] = load_be32(image + at + 4) >> 16;
			facts->version[1] = load_be32(image + at + 8) >> 16;
			facts->version[2] = load_be32(image + at + 8) & 0xffff;
		}
		if (image[at] == 2)
			facts->date = load_be32(image + at + 8);
		if (image[at] == 4)
			memcpy(facts->psid, image + at + 4, 16);
	}
	return true;
}
