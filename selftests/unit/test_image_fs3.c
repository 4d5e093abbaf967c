// SPDX-License-Identifier: GPL-2.0-only
/* user/image/: FS3 facts, sections and verification. firmware-images.md 3, 9.4. */
#include <errno.h>

#include "../lib/synthetic.h"
#include "image_fixture.h"

#define ITOC 0x1000
#define FLASH 0x200000
#define WHOLE 0xff000		/* like a vendor's file: not as long as a flash */

static uint64_t state;

static uint32_t random32(void)
{
	if (!state)
		state = ktap_seed() | 1;
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

static struct synthetic small(void)
{
	struct synthetic what = {
		.format = SYNTHETIC_FS3,
		.size = WHOLE,
		.log2 = 19,
		.code_size = 0x400,
		.digest = true,
		.keys = true,
	};

	return what;
}

static void make(struct fixture *image, const struct synthetic *what)
{
	size_t length;
	uint8_t *bytes = synthetic_image(what, &length);

	if (!bytes) {
		ktap_fail(__FILE__, __LINE__, "no synthetic image");
		exit(1);
	}
	fixture_hold(image, bytes, length);
}

/* ---- looking and bending ---- */

static uint8_t *entry_of(const struct fixture *image, uint32_t type)
{
	uint8_t *entry = image->bytes + ITOC + 0x20;

	for (; *entry != type; entry += 0x20)
		if (*entry == 0xff)
			return NULL;
	return entry;
}

static uint32_t address_of(const struct fixture *image, uint32_t type)
{
	return cxsim_get_be32(entry_of(image, type) + 0x14) & 0x7ffffffc;
}

static uint32_t size_of(const struct fixture *image, uint32_t type)
{
	return cxsim_get_be32(entry_of(image, type)) & 0xffffff;
}

static void seal_entry(uint8_t *entry)
{
	cxsim_put_be32(entry + 0x1c, cxsim_crc16(entry, 0x1c));
}

/* Section CRC and entry CRC after a change of the section's bytes. */
static void seal_section(struct fixture *image, uint32_t type)
{
	uint8_t *entry = entry_of(image, type);
	uint16_t crc = cxsim_crc16(image->bytes + address_of(image, type), size_of(image, type));

	entry[0x1a] = crc >> 8;
	entry[0x1b] = crc;
	seal_entry(entry);
}

static void seal_header(struct fixture *image)
{
	cxsim_put_be32(image->bytes + 0x34, cxsim_crc16(image->bytes, 0x34));
}

/* ---- facts ---- */

static void facts_of_a_whole_file(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;

	what.product = "rel-12_28";
	what.board_name = "PANTHER";
	what.hw_revision = 1;
	what.rom_size = 0x2000;
	make(&image, &what);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
	CHECK_EQ(facts.place.format, IMAGE_FS3);
	CHECK_EQ(facts.place.layout, IMAGE_LAYOUT_FILE);
	CHECK_EQ(facts.place.log2_chunk, 19);
	CHECK_EQ(facts.version[0], 12);
	CHECK_EQ(facts.version[1], 28);
	CHECK_EQ(facts.version[2], 2006);
	CHECK_EQ(facts.date, 0x20221120);
	CHECK_EQ(facts.time, 0x123456);
	CHECK_EQ(facts.mic[0], 2);
	CHECK_EQ(facts.issu_version, 1);
	CHECK_STR(facts.psid, "SYN0000000001");
	CHECK_STR(facts.original_psid, "SYN0000000001");
	CHECK_STR(facts.vsd, "synthetic vsd");
	CHECK_STR(facts.device_vsd, "device vsd");
	CHECK_STR(facts.name, "SYN-CX4_Ax");
	CHECK_STR(facts.description, "synthetic ConnectX-4; no code");
	CHECK_STR(facts.prs_name, "syn_cx4.prs");
	CHECK_STR(facts.product_version, "rel-12_28");
	CHECK_STR(facts.board_name, "PANTHER");
	CHECK_EQ(facts.hw_id_count, 1);
	CHECK_EQ(facts.hw_ids[0].id, 0x209);
	CHECK_EQ(facts.hw_ids[0].revision, 1);
	CHECK_EQ(facts.pci_device, 0x1013);
	CHECK_EQ(facts.pci_vendor, 0x15b3);
	CHECK(!facts.uids_by_port && facts.guids_override);
	CHECK_EQ(facts.base_guid.base, 0x0002c90300001000);
	CHECK_EQ(facts.base_guid.count, 16);
	CHECK_EQ(facts.base_guid.step, 1);
	CHECK_EQ(facts.base_mac.base, 0x0002c9001000);
	CHECK_EQ(facts.base_mac.count, 16);
	CHECK_EQ(facts.original_guid.base, 0x0002c90300001000);
	CHECK_EQ(facts.max_size, 1 << 19);
	CHECK_EQ(facts.info_offset, address_of(&image, 0x10));
	CHECK_EQ(facts.info_length, 0x400);
	CHECK_EQ(facts.length, address_of(&image, 0x30) + size_of(&image, 0x30));
	CHECK(facts.failsafe && facts.security_keys && !facts.stripped && !facts.encrypted);
	CHECK_EQ(facts.rom_count, 1);
	CHECK_EQ(facts.roms[0].product, IMAGE_ROM_PXE);
	CHECK_EQ(facts.roms[0].version[2], 752);
	CHECK_EQ(facts.rom_offset, address_of(&image, 0x18));
	CHECK_EQ(facts.rom_length, 0x2000);
	CHECK_STR(facts.device_data_trouble, "");
	CHECK_STR(image_security_text(&facts), "N/A");
	CHECK((facts.has & (IMAGE_HAS_VERSION | IMAGE_HAS_PSID | IMAGE_HAS_GUIDS | IMAGE_HAS_MACS |
			    IMAGE_HAS_ORIGINAL | IMAGE_HAS_PRODUCT | IMAGE_HAS_DEVICE_VSD)) ==
	      (IMAGE_HAS_VERSION | IMAGE_HAS_PSID | IMAGE_HAS_GUIDS | IMAGE_HAS_MACS | IMAGE_HAS_ORIGINAL |
	       IMAGE_HAS_PRODUCT | IMAGE_HAS_DEVICE_VSD));
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	fixture_free(&image);
}

static void connect_ib(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	struct verdict verdict;

	what.connect_ib = true;
	make(&image, &what);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error));
	CHECK(facts.uids_by_port);
	CHECK_EQ(facts.base_guid.base, 0x0002c90300001000);
	CHECK_EQ(facts.port2_guid.base, 0x0002c90300001004);
	CHECK_EQ(facts.base_mac.base, 0x0002c9001000);
	CHECK_EQ(facts.port2_mac.base, 0x0002c9001004);
	CHECK_EQ(facts.port2_guid.count, 4);
	CHECK_EQ(facts.hw_ids[0].id, 0x1ff);
	verdict = verdict_of(&image, IMAGE_LAYOUT_FILE);
	if (verdict.worst)
		ktap_fail(__FILE__, __LINE__, "%s", verdict.text);
	fixture_free(&image);
}

/* With guids_override_en at 0 the card uses the ids of its maker. */
static void ids_of_the_maker(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;

	make(&image, &what);
	image.bytes[address_of(&image, 0xe0) + 0x1f] = 0;
	image.bytes[address_of(&image, 0xe0) + 0x2f] = 0x77;
	seal_section(&image, 0xe0);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error));
	CHECK(!facts.guids_override);
	CHECK_EQ(facts.base_guid.base, 0x0002c90300001077);
	fixture_free(&image);
}

static void stripped_file(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;

	what.stripped = true;
	make(&image, &what);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
	CHECK(facts.stripped);
	CHECK(!(facts.has & (IMAGE_HAS_GUIDS | IMAGE_HAS_MACS | IMAGE_HAS_ORIGINAL)));
	CHECK_EQ(facts.length, image.length);
	CHECK_STR(facts.psid, "SYN0000000001");
	CHECK_STR(facts.device_data_trouble, "");
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	fixture_free(&image);
}

/* A card that lost its device data still tells of its image. */
static void lost_device_data(void)
{
	static const uint32_t lost[] = { 0xe0, 0xe1 };
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	size_t i;

	for (i = 0; i < 2; i++) {
		make(&image, &what);
		image.bytes[address_of(&image, lost[i]) + 3] ^= 1;
		REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error));
		CHECK_STR(facts.psid, "SYN0000000001");
		CHECK(facts.device_data_trouble[0]);
		CHECK(!(facts.has & (IMAGE_HAS_GUIDS | IMAGE_HAS_MACS)));
		CHECK(!facts.base_guid.base && !facts.base_mac.base);
		CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_FILE).worst, IMAGE_DAMAGED);
		fixture_free(&image);
	}
}

/* A ROM as a dump of the PCI window has it: no record of the vendor's, so neither type nor version. */
static void unmarked_rom(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	uint32_t rom;

	what.rom_size = 0x2000;
	make(&image, &what);
	rom = address_of(&image, 0x18);
	memset(image.bytes + rom + 0x1e00, 0, 0x200);
	seal_section(&image, 0x18);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FILE, IMAGE_QUICK_ROM, &facts, &error));
	CHECK_EQ(facts.rom_count, 1);
	CHECK_EQ(facts.roms[0].product, IMAGE_ROM_UNKNOWN);
	CHECK_EQ(facts.roms[0].pci_device, 0x1013);
	/* and what is no chain of PCI images is none */
	image.bytes[rom + 0x1c] ^= 1;
	seal_section(&image, 0x18);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error));
	CHECK_EQ(facts.rom_count, 0);
	CHECK(facts.has & IMAGE_HAS_ROM && facts.rom_complete);
	fixture_free(&image);
}

/* ---- sections ---- */

struct seen {
	unsigned int count, device;
	bool order, rom, ini;
	uint64_t end, ini_at;
};

static int see(void *context, const struct image_section *section)
{
	struct seen *seen = context;

	if (!seen->count++)
		CHECK_STR(section->name, "BOOT2");
	if (section->device_data)
		seen->device++;
	else
		seen->order = !seen->device;
	if (section->type == 0x30) {
		seen->ini = section->compressed;
		seen->ini_at = section->start;
	}
	if (!strcmp(section->name, "MAIN_CODE"))
		CHECK(section->load == 0x10200000 && section->entry == 0x10200100);
	if (!strcmp(section->name, "NV_DATA0"))
		CHECK_EQ(section->crc_kind, IMAGE_CRC_ABSENT);
	return 0;
}

static int stop(void *context, const struct image_section *section)
{
	++*(unsigned int *)context;
	return section->type == 0x10 ? 42 : 0;
}

static void sections(void)
{
	struct synthetic what = small();
	struct image_place place = { .format = IMAGE_FS3, .layout = IMAGE_LAYOUT_FILE, .log2_chunk = 19 };
	struct image_error error = { 0 };
	struct seen seen = { 0 };
	struct fixture image;
	unsigned int count = 0;

	make(&image, &what);
	CHECK_EQ(image_sections(&image.reader, &place, see, &seen, &error), 0);
	CHECK_EQ(seen.device, 5);
	CHECK(seen.order && seen.ini && seen.count > 15);
	CHECK_EQ(seen.ini_at, address_of(&image, 0x30));
	CHECK_EQ(image_sections(&image.reader, &place, stop, &count, &error), 42);
	CHECK(count < seen.count);
	fixture_free(&image);
}

/* ---- places ---- */

static void both_slots(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct fixture image, flash;
	struct image_facts facts;
	struct verdict verdict;
	unsigned int slot;

	what.size = 1 << 20;
	what.log2 = 20;
	make(&image, &what);
	for (slot = 0; slot < 2; slot++) {
		uint8_t *bytes = synthetic_flash(image.bytes, image.length, &what, FLASH, slot);

		REQUIRE(bytes);
		fixture_hold(&flash, bytes, FLASH);
		REQUIRE(!image_query(&flash.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
		CHECK_EQ(facts.place.layout, IMAGE_LAYOUT_FLASH);
		CHECK_EQ(facts.place.address, slot << 20);
		CHECK_EQ(facts.place.slot, slot);
		CHECK_EQ(facts.base_guid.base, 0x0002c90300001000);
		CHECK_STR(facts.original_psid, "SYN0000000001");
		CHECK_STR(facts.device_data_trouble, "");
		verdict = verdict_of(&flash, IMAGE_LAYOUT_FLASH);
		if (verdict.worst || verdict.code)
			ktap_fail(__FILE__, __LINE__, "slot %u: %s", slot, verdict.text);
		fixture_free(&flash);
	}
	fixture_free(&image);
}

/*
 * After an edit on a card the table is in its other sector, and the one before it is there without
 * its first dword. In a file that is unusual.
 */
static void table_in_the_other_sector(void)
{
	struct synthetic what = small();
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;

	what.size = 1 << 20;
	what.digest = false;
	make(&image, &what);
	memcpy(image.bytes + ITOC + 0x1000, image.bytes + ITOC, 0x1000);
	memset(image.bytes + ITOC, 0, 4);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error));
	CHECK_STR(facts.psid, "SYN0000000001");
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_FLASH).worst, IMAGE_GOOD);
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_FILE).worst, IMAGE_UNUSUAL);
	image.bytes[ITOC + 5] ^= 1;
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_FLASH).worst, IMAGE_UNUSUAL);
	fixture_free(&image);
}

/* ---- verification ---- */

static void synthetic_images_are_good(void)
{
	struct synthetic what;
	struct verdict verdict;
	struct fixture image;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		what = small();
		what.seed = random32();
		what.digest = i & 1;
		what.keys = i & 2;
		what.rom_size = i & 4 ? 0x1800 : 0;
		what.stripped = i & 8;
		make(&image, &what);
		verdict = verdict_of(&image, IMAGE_LAYOUT_FILE);
		if (verdict.worst || verdict.code)
			ktap_fail(__FILE__, __LINE__, "%u: %s", i, verdict.text);
		CHECK(verdict.parts > 12);
		fixture_free(&image);
	}
}

/* Any bit but those of NV data, which nothing guards. What must be damage and what may be unusual: 9.4. */
static void flips_are_noticed(void)
{
	struct synthetic what = small();
	struct image_place place = { .format = IMAGE_FS3, .layout = IMAGE_LAYOUT_FILE, .log2_chunk = 19 };
	struct fixture image;
	struct verdict verdict;
	uint32_t info, mfg_info, nv[2][2];
	size_t at, bits = 0, step;
	uint8_t bit;

	make(&image, &what);
	info = address_of(&image, 0x10);
	mfg_info = address_of(&image, 0xe0);
	for (at = 0; at < 2; at++) {
		nv[at][0] = address_of(&image, at ? 0xe4 : 0xe6);
		nv[at][1] = nv[at][0] + size_of(&image, at ? 0xe4 : 0xe6);
	}
	for (at = 0; at < image.length; at += step) {
		/* every byte of header, tables and info; samples of code and gaps */
		step = at < 0x80 || (at >= ITOC && at < ITOC + 0x400) ||
		       (at >= info && at < info + 0x400) || (at >= mfg_info && at < mfg_info + 0x140) ?
		       1 : 257;
		bit = 1 << random32() % 8;
		image.bytes[at] ^= bit;
		verdict = verdict_at(&image.reader, &place);
		if ((at >= nv[0][0] && at < nv[0][1]) || (at >= nv[1][0] && at < nv[1][1])) {
			if (verdict.worst != IMAGE_GOOD)
				ktap_fail(__FILE__, __LINE__, "NV data at %#zx: %s", at, verdict.text);
		} else if (verdict.worst == IMAGE_GOOD || verdict.code) {
			ktap_fail(__FILE__, __LINE__, "flip of %#x at %#zx is not noticed", bit, at);
		} else if (at < 0x38 && verdict.worst != IMAGE_DAMAGED) {
			ktap_fail(__FILE__, __LINE__, "flip of %#x at %#zx: %s", bit, at, verdict.text);
		}
		image.bytes[at] ^= bit;
		bits++;
	}
	CHECK_EQ(verdict_at(&image.reader, &place).worst, IMAGE_GOOD);
	ktap_note("%zu bits of an image of %zu bytes", bits, image.length);
	fixture_free(&image);
}

static void truncations_are_noticed(void)
{
	struct synthetic what = small();
	struct image_facts facts;
	struct image_error error;
	struct fixture image, cut;
	size_t length, last, step;

	make(&image, &what);
	last = address_of(&image, 0xe0) + size_of(&image, 0xe0);
	for (length = 0; length < last; length += step) {
		step = length < 0x100 ? 1 : 1 + random32() % 4096;
		fixture_hold(&cut, malloc(length ? length : 1), length);
		memcpy(cut.bytes, image.bytes, length);
		if (verdict_of(&cut, IMAGE_LAYOUT_FILE).worst != IMAGE_DAMAGED)
			ktap_fail(__FILE__, __LINE__, "cut at %#zx", length);
		memset(&error, 0, sizeof(error));
		if (image_query(&cut.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error))
			CHECK(error.text[0]);
		fixture_free(&cut);
	}
	fixture_free(&image);
}

/* Bends a good image, seals it again, and expects a verdict. */
static void bent(const char *what, void (*bend)(struct fixture *image), enum image_verdict expected)
{
	struct synthetic make_it = small();
	struct fixture image;
	struct verdict verdict;

	make_it.digest = false;
	make(&image, &make_it);
	bend(&image);
	verdict = verdict_of(&image, IMAGE_LAYOUT_FILE);
	if (verdict.worst != expected || verdict.code)
		ktap_fail(__FILE__, __LINE__, "%s: verdict %d, expected %d (%s)", what, verdict.worst,
			  expected, verdict.text);
	fixture_free(&image);
}

static void bend_nothing(struct fixture *image)
{
	(void)image;
}

static void bend_header_crc(struct fixture *image)
{
	image->bytes[0x37] ^= 1;
}

static void bend_upper_header_crc(struct fixture *image)
{
	image->bytes[0x34] = 1;
}

static void bend_reserved(struct fixture *image)
{
	image->bytes[0x2a] = 1;
	seal_header(image);
}

static void bend_log2(struct fixture *image)
{
	image->bytes[0x25] = 20;	/* possible, but not what IMAGE_INFO says */
	seal_header(image);
}

static void bend_log2_far(struct fixture *image)
{
	image->bytes[0x25] = 200;
	seal_header(image);
}

static void bend_binary_version(struct fixture *image)
{
	image->bytes[0x26] = 2;
	seal_header(image);
}

static void bend_boot2_entry(struct fixture *image)
{
	uint8_t *boot2 = image->bytes + 0x38;
	uint32_t words = cxsim_get_be32(boot2 + 4);

	boot2[4 * (words + 2) + 3] ^= 0x10;
	cxsim_put_be32(boot2 + 4 * (words + 3), cxsim_crc16(boot2, 4 * (words + 3)));
}

static void bend_boot2_length(struct fixture *image)
{
	cxsim_put_be32(image->bytes + 0x3c, 3);
}

static void bend_boot2_huge(struct fixture *image)
{
	cxsim_put_be32(image->bytes + 0x3c, 0xfffffffe);
}

static void bend_no_table(struct fixture *image)
{
	image->bytes[ITOC + 5] ^= 1;
}

static void bend_upper_entry_crc(struct fixture *image)
{
	entry_of(image, 0x03)[0x1d] = 1;
}

static void bend_upper_table_crc(struct fixture *image)
{
	image->bytes[ITOC + 0x1d] = 1;
}

static void bend_end(struct fixture *image)
{
	uint8_t *end = entry_of(image, 0xff);

	end[0] = 0x03;
}

static void bend_behind_end(struct fixture *image)
{
	entry_of(image, 0xff)[7] = 0;
}

static void bend_gap(struct fixture *image)
{
	image->bytes[address_of(image, 0x10) - 1] = 0;
}

static void bend_gap_before_device_data(struct fixture *image)
{
	image->bytes[address_of(image, 0xe6) - 100] = 0;
}

static void bend_gap_in_device_data(struct fixture *image)
{
	image->bytes[address_of(image, 0xe1) + 0x200] = 0;
}

static void bend_behind_boot2(struct fixture *image)
{
	image->bytes[ITOC - 1] = 0;
}

static void bend_address(struct fixture *image)
{
	uint8_t *entry = entry_of(image, 0x04);

	cxsim_put_be32(entry + 0x14, 0x80000000 | address_of(image, 0x03));
	seal_section(image, 0x04);
}

static void bend_address_far(struct fixture *image)
{
	cxsim_put_be32(entry_of(image, 0x30) + 0x14, 0xfffffffc);
	seal_entry(entry_of(image, 0x30));
}

static void bend_size_far(struct fixture *image)
{
	cxsim_put_be32(entry_of(image, 0x03), 0x03fffffc);
	seal_entry(entry_of(image, 0x03));
}

static void bend_device_address(struct fixture *image)
{
	cxsim_put_be32(entry_of(image, 0xe1) + 0x14, address_of(image, 0x03));
	seal_section(image, 0xe1);
}

static void bend_dev_info_signature(struct fixture *image)
{
	image->bytes[address_of(image, 0xe1)] ^= 1;
	seal_section(image, 0xe1);
}

static void bend_dev_info_major(struct fixture *image)
{
	image->bytes[address_of(image, 0xe1) + 0x12] = 3;
	seal_section(image, 0xe1);
}

static void bend_dev_info_crc_word(struct fixture *image)
{
	image->bytes[address_of(image, 0xe1) + 0x1ff] = 1;
	seal_section(image, 0xe1);
}

static void bend_multicast_mac(struct fixture *image)
{
	image->bytes[address_of(image, 0xe1) + 0x3a] |= 1;
	seal_section(image, 0xe1);
}

static void bend_mfg_info_major(struct fixture *image)
{
	image->bytes[address_of(image, 0xe0) + 0x1c] = 2;
	seal_section(image, 0xe0);
}

static void bend_no_mfg_info(struct fixture *image)
{
	uint8_t *entry = entry_of(image, 0xe0);

	*entry = 0xf9;
	seal_entry(entry);
}

static void bend_no_dev_info(struct fixture *image)
{
	uint8_t *entry = entry_of(image, 0xe1);

	*entry = 0xf9;
	seal_entry(entry);
}

static void bend_info_major(struct fixture *image)
{
	image->bytes[address_of(image, 0x10)] = 1;
	seal_section(image, 0x10);
}

static void bend_no_psid(struct fixture *image)
{
	memset(image->bytes + address_of(image, 0x10) + 0x24, 0, 16);
	seal_section(image, 0x10);
}

/* The INI still names the board that it was made for. */
static void bend_psid(struct fixture *image)
{
	image->bytes[address_of(image, 0x10) + 0x24] = 'X';
	seal_section(image, 0x10);
}

static void bend_no_info(struct fixture *image)
{
	uint8_t *entry = entry_of(image, 0x10);

	*entry = 0x15;
	seal_entry(entry);
}

static void bend_ini(struct fixture *image)
{
	image->bytes[address_of(image, 0x30) + 8] ^= 0x40;
	seal_section(image, 0x30);
}

static void bend_ini_head(struct fixture *image)
{
	image->bytes[address_of(image, 0x30)] = 0;
	seal_section(image, 0x30);
}

static void bend_relative(struct fixture *image)
{
	uint8_t *entry = entry_of(image, 0x03);

	entry[0x14] &= 0x7f;
	seal_entry(entry);
}

static void bend_dev_info_crc(struct fixture *image)
{
	entry_of(image, 0xe1)[0x19] |= 1;	/* no_crc */
	seal_entry(entry_of(image, 0xe1));
}

static void bend_other_sector(struct fixture *image)
{
	image->bytes[ITOC + 0x1800] = 0;
}

static void bent_images(void)
{
	bent("nothing", bend_nothing, IMAGE_GOOD);
	bent("header CRC", bend_header_crc, IMAGE_DAMAGED);
	bent("upper half of the header CRC", bend_upper_header_crc, IMAGE_DAMAGED);
	bent("reserved bytes of the header", bend_reserved, IMAGE_UNUSUAL);
	bent("another slot size", bend_log2, IMAGE_UNUSUAL);
	bent("an impossible slot size", bend_log2_far, IMAGE_DAMAGED);
	bent("binary version", bend_binary_version, IMAGE_DAMAGED);
	bent("BOOT2's entry address", bend_boot2_entry, IMAGE_UNUSUAL);
	bent("BOOT2 of three words", bend_boot2_length, IMAGE_DAMAGED);
	bent("BOOT2 of 16 GiB", bend_boot2_huge, IMAGE_DAMAGED);
	bent("no table", bend_no_table, IMAGE_DAMAGED);
	bent("upper half of an entry's CRC", bend_upper_entry_crc, IMAGE_DAMAGED);
	bent("upper half of the table's CRC", bend_upper_table_crc, IMAGE_DAMAGED);
	bent("the end is an entry", bend_end, IMAGE_DAMAGED);
	bent("rest of the end entry", bend_behind_end, IMAGE_UNUSUAL);
	bent("a gap", bend_gap, IMAGE_UNUSUAL);
	bent("the gap before device data", bend_gap_before_device_data, IMAGE_UNUSUAL);
	bent("a gap in device data", bend_gap_in_device_data, IMAGE_UNUSUAL);
	bent("the gap behind BOOT2", bend_behind_boot2, IMAGE_UNUSUAL);
	bent("two sections at one place", bend_address, IMAGE_DAMAGED);
	bent("a section near the end of all addresses", bend_address_far, IMAGE_DAMAGED);
	bent("a section of 16 MiB", bend_size_far, IMAGE_DAMAGED);
	bent("device data in the image", bend_device_address, IMAGE_DAMAGED);
	bent("DEV_INFO's signature", bend_dev_info_signature, IMAGE_DAMAGED);
	bent("DEV_INFO's version", bend_dev_info_major, IMAGE_DAMAGED);
	bent("DEV_INFO with FS4's CRC", bend_dev_info_crc_word, IMAGE_UNUSUAL);
	bent("a multicast MAC", bend_multicast_mac, IMAGE_UNUSUAL);
	bent("MFG_INFO's version", bend_mfg_info_major, IMAGE_DAMAGED);
	bent("no MFG_INFO", bend_no_mfg_info, IMAGE_DAMAGED);
	bent("no DEV_INFO", bend_no_dev_info, IMAGE_DAMAGED);
	bent("IMAGE_INFO's version", bend_info_major, IMAGE_DAMAGED);
	bent("no PSID", bend_no_psid, IMAGE_DAMAGED);
	bent("another PSID than the INI's", bend_psid, IMAGE_UNUSUAL);
	bent("no IMAGE_INFO", bend_no_info, IMAGE_DAMAGED);
	bent("the packed INI", bend_ini, IMAGE_DAMAGED);
	bent("the packed INI's head", bend_ini_head, IMAGE_DAMAGED);
	bent("an absolute address", bend_relative, IMAGE_UNUSUAL);
	bent("DEV_INFO without CRC", bend_dev_info_crc, IMAGE_UNUSUAL);
	bent("the table's other sector", bend_other_sector, IMAGE_UNUSUAL);
}

/* Something behind the last section: blank bytes only fill a file up. */
static void tails(void)
{
	struct synthetic what = small();
	struct fixture image, longer = { 0 };
	unsigned int stripped;

	for (stripped = 0; stripped < 2; stripped++) {
		what.stripped = stripped;
		make(&image, &what);
		fixture_hold(&longer, malloc(image.length + 0x1001), image.length + 0x1001);
		memset(longer.bytes, 0xff, longer.length);
		memcpy(longer.bytes, image.bytes, image.length);
		longer.memory.length = longer.reader.size = image.length + 0x1000;
		CHECK_EQ(verdict_of(&longer, IMAGE_LAYOUT_FILE).worst, IMAGE_GOOD);
		longer.bytes[image.length + 0xfff] = 0;
		CHECK_EQ(verdict_of(&longer, IMAGE_LAYOUT_FILE).worst, IMAGE_UNUSUAL);
		longer.bytes[image.length + 0xfff] = 0xff;
		longer.memory.length = longer.reader.size = image.length + 0x1001;
		CHECK_EQ(verdict_of(&longer, IMAGE_LAYOUT_FILE).worst, IMAGE_UNUSUAL);
		fixture_free(&longer);
		fixture_free(&image);
	}
}

/* ---- INI ---- */

static void board_ini(void)
{
	struct synthetic what = small();
	struct image_place place = { .format = IMAGE_FS3, .layout = IMAGE_LAYOUT_FILE, .log2_chunk = 19 };
	struct image_error error = { 0 };
	struct fixture image;
	size_t length, i, end;
	char *text, *big;

	what.ini = ";; note\n[image_info]\npsid = SYN0000000001\nname = a\n";
	make(&image, &what);
	REQUIRE(!image_ini(&image.reader, &place, &text, &length, &error));
	CHECK_EQ(length, strlen(what.ini));
	CHECK_STR(text, what.ini);
	free(text);
	/* more zeros behind it than fill a dword, or something else */
	end = address_of(&image, 0x30) + size_of(&image, 0x30);
	cxsim_put_be32(entry_of(&image, 0x30), 0x30U << 24 | (size_of(&image, 0x30) + 4));
	for (i = 0; i < 2; i++) {
		memset(image.bytes + end, i, 4);
		seal_section(&image, 0x30);
		CHECK_EQ(-image_ini(&image.reader, &place, &text, &length, &error), EBADMSG);
		CHECK_EQ(verdict_at(&image.reader, &place).worst, IMAGE_DAMAGED);
	}
	fixture_free(&image);

	/* a text that no board has: 32 MiB of one character, packed to 32 KiB */
	big = malloc((32 << 20) + 1);
	memset(big, 'x', 32 << 20);
	big[32 << 20] = 0;
	what.ini = big;
	make(&image, &what);
	CHECK_EQ(-image_ini(&image.reader, &place, &text, &length, &error), EBADMSG);
	CHECK(!text && !length);
	CHECK_EQ(verdict_at(&image.reader, &place).worst, IMAGE_DAMAGED);
	fixture_free(&image);
	/* exactly as much as may be */
	big[IMAGE_INI_MOST] = 0;
	make(&image, &what);
	CHECK_EQ(image_ini(&image.reader, &place, &text, &length, &error), 0);
	CHECK_EQ(length, IMAGE_INI_MOST);
	free(text);
	CHECK_EQ(verdict_at(&image.reader, &place).worst, IMAGE_UNUSUAL);
	/* cut short */
	for (i = 4; i < 64; i += 4) {
		uint8_t *entry = entry_of(&image, 0x30);

		cxsim_put_be32(entry, 0x30U << 24 | (size_of(&image, 0x30) - 4));
		seal_section(&image, 0x30);
		CHECK_EQ(-image_ini(&image.reader, &place, &text, &length, &error), EBADMSG);
	}
	*entry_of(&image, 0x30) = 0x15;
	seal_entry(entry_of(&image, 0x15));
	CHECK_EQ(-image_ini(&image.reader, &place, &text, &length, &error), ENOENT);
	fixture_free(&image);
	free(big);
}

/* A PSID that stands behind much else is found, too. */
static void psid_far_behind(void)
{
	struct synthetic what = small();
	struct image_place place = { .format = IMAGE_FS3, .layout = IMAGE_LAYOUT_FILE, .log2_chunk = 19 };
	char *text = malloc(0x20000);
	struct fixture image;
	size_t i, length;

	length = sprintf(text, "[fw_main_config]\n");
	for (i = 0; i < 4000; i++)
		length += sprintf(text + length, "some.key%zu = %zu\n", i, i);
	strcpy(text + length, "[image_info]\npsid = SYN0000000001\nname = a\n");
	what.ini = text;
	make(&image, &what);
	CHECK_EQ(verdict_at(&image.reader, &place).worst, IMAGE_GOOD);
	fixture_free(&image);
	what.psid = "SYN0000000002";
	make(&image, &what);
	CHECK_EQ(verdict_at(&image.reader, &place).worst, IMAGE_UNUSUAL);
	fixture_free(&image);
	free(text);
}

/* ---- failing reads ---- */

struct failing {
	struct image_reader inner;
	unsigned long reads, fail_at;
	bool unaligned;
};

static int failing_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct failing *failing = context;

	failing->unaligned |= (offset | length) & 3 || !length || length > 0x10000;
	if (++failing->reads == failing->fail_at)
		return -ENODEV;
	return failing->inner.read(failing->inner.context, offset, buffer, length);
}

static void failing_reads(void)
{
	struct synthetic what = small();
	struct image_place place = { .format = IMAGE_FS3, .layout = IMAGE_LAYOUT_FILE, .log2_chunk = 19 };
	enum image_verdict verdict;
	struct image_facts facts;
	struct image_error error;
	struct failing failing;
	struct image_reader reader = { failing_read, &failing };
	struct fixture image;
	unsigned long n;
	int code;

	make(&image, &what);
	reader.size = image.length;
	memset(&failing, 0, sizeof(failing));
	failing.inner = image.reader;
	for (n = 1;; n++) {
		failing.reads = 0;
		failing.fail_at = n;
		code = image_query(&reader, IMAGE_LAYOUT_FLASH, IMAGE_QUICK_ROM, &facts, &error);
		if (failing.reads < n)
			break;
		CHECK_EQ(-code, ENODEV);
	}
	CHECK(n > 10 && !failing.unaligned);
	for (n = 1;; n++) {
		failing.reads = 0;
		failing.fail_at = n;
		code = image_verify(&reader, &place, NULL, &verdict, &error);
		if (failing.reads < n)
			break;
		CHECK_EQ(-code, ENODEV);
	}
	CHECK_EQ(code, 0);
	CHECK_EQ(verdict, IMAGE_GOOD);
	CHECK(n > 40 && !failing.unaligned);
	fixture_free(&image);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(facts_of_a_whole_file),
	KTAP_TEST(connect_ib),
	KTAP_TEST(ids_of_the_maker),
	KTAP_TEST(stripped_file),
	KTAP_TEST(lost_device_data),
	KTAP_TEST(unmarked_rom),
	KTAP_TEST(sections),
	KTAP_TEST(both_slots),
	KTAP_TEST(table_in_the_other_sector),
	KTAP_TEST(synthetic_images_are_good),
	KTAP_TEST(flips_are_noticed),
	KTAP_TEST(truncations_are_noticed),
	KTAP_TEST(bent_images),
	KTAP_TEST(tails),
	KTAP_TEST(board_ini),
	KTAP_TEST(psid_far_behind),
	KTAP_TEST(failing_reads),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
