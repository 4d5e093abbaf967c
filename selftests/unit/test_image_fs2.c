// SPDX-License-Identifier: GPL-2.0-only
/* user/image/: FS2 facts, verification and editing. firmware-images.md 0, 1, 2, 6. */
#include <errno.h>

#include "../lib/synthetic.h"
#include "image_fixture.h"

static uint64_t state;

static uint32_t random32(void)
{
	if (!state)
		state = ktap_seed() | 1;
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

/* ---- checksums ---- */

static void crc16_vectors(void)
{
	static const uint8_t count[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const uint8_t twice[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					   0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	static const uint8_t zero[512];

	CHECK_EQ(image_crc16(zero, 0), 0x0955);
	CHECK_EQ(image_crc16(zero, 4), 0x0009);
	CHECK_EQ(image_crc16("\xff\xff\xff\xff", 4), 0xc41a);
	CHECK_EQ(image_crc16("MTFW", 4), 0x9747);
	CHECK_EQ(image_crc16(count, sizeof(count)), 0x402f);
	CHECK_EQ(image_crc16(twice, sizeof(twice)), 0x7bf8);
	CHECK_EQ(image_crc16(zero, sizeof(zero)), 0x745d);
}

static void pointer_crc_vectors(void)
{
	static const uint32_t vectors[][2] = {
		{ 0, 0 },	       { 0x100, 0x75f8 },   { 0x500, 0x8359 },	  { 0x1000, 0xeb67 },
		{ 0x3000, 0x3da8 }, { 0x4000, 0xbd3f }, { 0x10000, 0xda33 }, { 0x12345678, 0x7e6f },
	};
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		CHECK_EQ(image_pointer_crc(vectors[i][0]), vectors[i][1]);
}

static void crc16_in_pieces(void)
{
	uint8_t bytes[1000];
	unsigned int round;
	uint16_t crc;
	size_t i, cut;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = random32();
	for (round = 0; round < 50; round++) {
		cut = random32() % sizeof(bytes);
		crc = image_crc16_update(IMAGE_CRC16_START, bytes, cut);
		crc = image_crc16_update(crc, bytes + cut, sizeof(bytes) - cut);
		CHECK_EQ(image_crc16_finish(crc), cxsim_crc16(bytes, sizeof(bytes)));
	}
}

/* ---- facts ---- */

static const char *const models[] = { "connectx2", "connectx3", "connectx3pro" };

static void facts_of_every_model(void)
{
	static const uint16_t hw_ids[] = { 0x190, 0x1f5, 0x1f7 };
	struct cxsim_parameters parameters;
	struct image_facts facts;
	struct image_error error = { 0 };
	struct fixture image;
	size_t i;

	for (i = 0; i < 3; i++) {
		parameters = fixture_parameters(models[i]);
		fixture_make(&image, &parameters);
		CHECK_EQ(image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), 0);
		CHECK_EQ(facts.place.format, IMAGE_FS2);
		CHECK_EQ(facts.place.layout, IMAGE_LAYOUT_FILE);
		CHECK_EQ(facts.version[0], 2);
		CHECK_EQ(facts.version[1], 36);
		CHECK_EQ(facts.version[2], 5000);
		CHECK_STR(facts.psid, "MT_1200111023");
		CHECK_STR(facts.vsd, "fixture vsd");
		CHECK_EQ(facts.guid[0], FIXTURE_GUID);
		CHECK_EQ(facts.guid[3], FIXTURE_GUID + 3);
		CHECK_EQ(facts.mac[0], FIXTURE_MAC);
		CHECK_EQ(facts.mac[1], FIXTURE_MAC + 1);
		CHECK_EQ(facts.hw_ids[0].id, hw_ids[i]);
		CHECK_EQ(fs2_hw_id_of_pci(facts.pci_device), hw_ids[i]);
		CHECK_EQ(facts.length, image.length);
		CHECK(facts.failsafe && facts.rom_complete && !facts.rom_count);
		CHECK(!facts.blank_guids && !facts.macs_derived && facts.guid_entries == 6);
		fixture_free(&image);
	}
}

static void rom_versions(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct image_facts quick, whole;
	struct image_error error = { 0 };
	struct fixture image;

	parameters.rom_size = 0x18000;
	fixture_make(&image, &parameters);
	CHECK_EQ(image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &whole, &error), 0);
	CHECK_EQ(image_query(&image.reader, IMAGE_LAYOUT_AUTO, IMAGE_QUICK_ROM, &quick, &error), 0);
	CHECK(whole.rom_count > 0 && whole.rom_complete && whole.has & IMAGE_HAS_ROM);
	CHECK_EQ(quick.rom_count, whole.rom_count);
	CHECK(!memcmp(quick.roms, whole.roms, sizeof(whole.roms)));
	CHECK_EQ(whole.roms[0].product, IMAGE_ROM_PXE);
	fixture_free(&image);
}

/* The trailer alone in the middle of nothing, and five of them at most. */
static void rom_markers(void)
{
	static const uint8_t record[20] = { 'm', 'l', 'x', 's', 'i', 'g', 'n', ':', 3, 0, 0x11, 0,
					    0xf0, 2, 4, 0, 1, 0x13, 7, 0x10 };
	uint8_t rom[200] = { 0 };
	struct image_rom roms[IMAGE_ROMS];
	unsigned int i;

	CHECK_EQ(image_rom_parse(rom, sizeof(rom), roms), 0);
	memcpy(rom + 33, record, sizeof(record));
	REQUIRE(image_rom_parse(rom, sizeof(rom), roms) == 1);
	CHECK_EQ(roms[0].product, IMAGE_ROM_UEFI);
	CHECK_EQ(roms[0].version[0], 3);
	CHECK_EQ(roms[0].version[1], 4);
	CHECK_EQ(roms[0].version[2], 752);
	CHECK_EQ(roms[0].pci_device, 0x1007);
	CHECK_EQ(roms[0].port, 1);
	CHECK_EQ(roms[0].cpu, 3);
	CHECK_EQ(roms[0].protocol, 1);
	CHECK_EQ(image_rom_parse(rom, 33 + 19, roms), 0);
	for (i = 0; i < 8; i++)
		memcpy(rom + 20 * i, record, sizeof(record));
	CHECK_EQ(image_rom_parse(rom, sizeof(rom), roms), IMAGE_ROMS);
}

struct counted {
	struct image_reader inner;
	unsigned long reads, bytes, fail_at;	/* fail_at: number of the read that fails; 0: none */
	bool unaligned;
};

static int counted_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct counted *counted = context;

	counted->reads++;
	counted->bytes += length;
	counted->unaligned |= (offset | length) & 3 || !length || length > 0x10000;
	if (counted->reads == counted->fail_at)
		return -ENODEV;
	return counted->inner.read(counted->inner.context, offset, buffer, length);
}

static struct image_reader counting(struct counted *counted, const struct fixture *fixture)
{
	struct image_reader reader = { counted_read, counted, fixture->reader.size };

	memset(counted, 0, sizeof(*counted));
	counted->inner = fixture->reader;
	return reader;
}

static void facts_need_few_bytes(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fixture image, flash = { 0 };
	struct image_error error = { 0 };
	struct image_facts facts;
	struct counted counted;
	struct image_reader reader;

	parameters.rom_size = 0x18000;
	parameters.code_size = 0x80000;
	fixture_make(&image, &parameters);
	fixture_flash(&flash, 0x200000, "connectx3pro", &image, 1);
	reader = counting(&counted, &flash);
	CHECK_EQ(image_query(&reader, IMAGE_LAYOUT_FLASH, IMAGE_QUICK_ROM, &facts, &error), 0);
	CHECK(counted.bytes < 2048);
	CHECK(!counted.unaligned);
	ktap_note("facts of an image of %zu bytes: %lu reads, %lu bytes", image.length, counted.reads,
		  counted.bytes);
	fixture_free(&image);
	fixture_free(&flash);
}

/* Whatever read fails, its error comes back; nothing is made up. */
static void failing_reads(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fixture image, flash = { 0 };
	struct image_place place;
	struct image_facts facts;
	struct image_error error;
	struct counted counted;
	struct image_reader reader;
	enum image_verdict verdict;
	unsigned long n;
	size_t count;
	int code;

	parameters.rom_size = 0x4000;
	fixture_make(&image, &parameters);
	fixture_flash(&flash, 0x200000, "connectx3pro", &image, 0);
	for (n = 1;; n++) {
		reader = counting(&counted, &flash);
		counted.fail_at = n;
		code = image_query(&reader, IMAGE_LAYOUT_FLASH, IMAGE_QUICK_ROM, &facts, &error);
		if (counted.reads < n)
			break;
		CHECK_EQ(-code, ENODEV);
	}
	CHECK(n > 10);
	CHECK_EQ(image_locate(&flash.reader, IMAGE_LAYOUT_FLASH, &place, 1, &count, &error), 0);
	for (n = 1;; n++) {
		reader = counting(&counted, &flash);
		counted.fail_at = n;
		code = image_verify(&reader, &place, NULL, &verdict, &error);
		if (counted.reads < n)
			break;
		CHECK_EQ(-code, ENODEV);
	}
	CHECK(n > 10);
	fixture_free(&image);
	fixture_free(&flash);
}

/* ---- where images stand ---- */

static void slots(void)
{
	static const uint32_t table[][3] = {	/* logical, slot 0, slot 1: firmware-images.md 0.4 */
		{ 0x00010, 0x000010, 0x080010 },   { 0x7ffff, 0x07ffff, 0x0fffff },
		{ 0x80000, 0x100000, 0x180000 },   { 0x80010, 0x100010, 0x180010 },
		{ 0x100004, 0x200004, 0x280004 },
	};
	struct image_place place = { .format = IMAGE_FS2, .layout = IMAGE_LAYOUT_FLASH, .log2_chunk = 19 };
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		place.slot = 0;
		place.address = 0;
		CHECK_EQ(image_physical(&place, table[i][0]), table[i][1]);
		place.slot = 1;
		place.address = 0x80000;
		CHECK_EQ(image_physical(&place, table[i][0]), table[i][2]);
	}
}

static void striped_in_either_slot(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fixture image, flash;
	struct image_facts facts;
	struct image_error error = { 0 };
	struct verdict verdict;
	unsigned int slot;
	uint8_t *bytes;
	size_t length;

	parameters.code_size = 0x90000;		/* more than one chunk */
	fixture_make(&image, &parameters);
	for (slot = 0; slot < 2; slot++) {
		memset(&flash, 0, sizeof(flash));
		fixture_flash(&flash, 0x200000, "connectx3pro", &image, slot);
		CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), 0);
		CHECK_EQ(facts.place.layout, IMAGE_LAYOUT_FLASH);
		CHECK_EQ(facts.place.slot, slot);
		CHECK_EQ(facts.place.address, slot ? 0x80000 : 0);
		verdict = verdict_of(&flash, IMAGE_LAYOUT_AUTO);
		CHECK_EQ(verdict.worst, IMAGE_GOOD);
		CHECK_EQ(image_load(&flash.reader, &facts, &bytes, &length, &error), 0);
		CHECK(length == image.length && !memcmp(bytes, image.bytes, length));
		free(bytes);
		fixture_free(&flash);
	}
	fixture_free(&image);
}

/* A file that was padded to the size of a flash is still a file. */
static void padded_file(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fixture image, padded = { 0 };
	struct image_facts facts;
	struct image_error error = { 0 };
	unsigned int round;

	parameters.code_size = 0x90000;
	fixture_make(&image, &parameters);
	for (round = 0; round < 2; round++) {
		fixture_hold(&padded, malloc(0x200000), 0x200000);
		memset(padded.bytes, round ? 0xff : 0, padded.length);
		memcpy(padded.bytes, image.bytes, image.length);
		CHECK_EQ(image_query(&padded.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), 0);
		CHECK_EQ(facts.place.layout, IMAGE_LAYOUT_FILE);
		CHECK_EQ(verdict_of(&padded, IMAGE_LAYOUT_AUTO).worst, round ? IMAGE_GOOD : IMAGE_UNUSUAL);
		fixture_free(&padded);
	}
	fixture_free(&image);
}

static void leftover_magics(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct image_place places[IMAGE_PLACES];
	struct fixture image, flash = { 0 };
	struct image_error error = { 0 };
	struct image_facts facts;
	size_t count, i, live = 0;

	fixture_make(&image, &parameters);
	fixture_flash(&flash, 0x1000000, "connectx3pro", &image, 1);
	for (i = 0; i < IMAGE_PLACES; i++)
		if (image_places[i] && image_places[i] != 0x80000 && image_places[i] < flash.length)
			memcpy(flash.bytes + image_places[i], image.bytes, 0x40);
	CHECK_EQ(image_locate(&flash.reader, IMAGE_LAYOUT_FLASH, places, IMAGE_PLACES, &count, &error), 0);
	CHECK_EQ(count, 8);
	for (i = 0; i < count; i++)
		live += !places[i].misplaced;
	CHECK_EQ(live, 1);
	CHECK_EQ(image_query(&flash.reader, IMAGE_LAYOUT_FLASH, 0, &facts, &error), 0);
	CHECK_EQ(facts.place.address, 0x80000);
	/* count says how many there are even when there is no room */
	CHECK_EQ(image_locate(&flash.reader, IMAGE_LAYOUT_FLASH, places, 2, &count, &error), 0);
	CHECK_EQ(count, 8);
	fixture_free(&image);
	fixture_free(&flash);
}

static void no_image(void)
{
	struct fixture blank;
	struct image_facts facts;
	struct image_error error = { 0 };
	size_t length;

	for (length = 0; length < 0x100; length += 4) {
		fixture_hold(&blank, malloc(length + 1), length);
		memset(blank.bytes, 0xff, length);
		CHECK_EQ(-image_query(&blank.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), ENOENT);
		fixture_free(&blank);
	}
}

/* ---- verification ---- */

static void synthetic_images_are_good(void)
{
	struct cxsim_parameters parameters;
	struct fixture image;
	struct verdict verdict;
	unsigned int seed;

	for (seed = 0; seed < 30; seed++) {
		parameters = fixture_parameters(models[seed % 3]);
		parameters.seed = random32();
		parameters.rom_size = seed & 4 ? 0x2000 : 0;
		fixture_make(&image, &parameters);
		verdict = verdict_of(&image, IMAGE_LAYOUT_AUTO);
		if (verdict.worst != IMAGE_GOOD || verdict.code)
			ktap_fail(__FILE__, __LINE__, "%s: %s", parameters.model, verdict.text);
		CHECK(verdict.parts >= 8);
		fixture_free(&image);
	}
}

/* With the CRC of the whole image switched on there is no bit that may flip unseen. */
static void every_bit_flip_is_noticed(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx2");
	struct fixture image;
	struct verdict verdict;
	size_t bit;

	parameters.code_size = 0x100;
	fixture_make(&image, &parameters);
	for (bit = 0; bit < image.length * 8; bit++) {
		image.bytes[bit / 8] ^= 1 << bit % 8;
		verdict = verdict_of(&image, IMAGE_LAYOUT_FILE);
		if (verdict.worst != IMAGE_DAMAGED)
			ktap_fail(__FILE__, __LINE__, "bit %zu of byte %#zx: %s", bit % 8, bit / 8,
				  verdict.text);
		image.bytes[bit / 8] ^= 1 << bit % 8;
	}
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_FILE).worst, IMAGE_GOOD);
	ktap_note("%zu bits of an image of %zu bytes", image.length * 8, image.length);
	fixture_free(&image);
}

static void random_flips_in_a_flash(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fixture image, flash = { 0 };
	struct image_place place = { .format = IMAGE_FS2, .layout = IMAGE_LAYOUT_FLASH,
				     .log2_chunk = 19, .slot = 1, .address = 0x80000 };
	unsigned int round;
	uint64_t at;
	uint8_t bit;

	parameters.rom_size = 0x4000;
	fixture_make(&image, &parameters);
	fixture_flash(&flash, 0x200000, "connectx3pro", &image, 1);
	CHECK_EQ(verdict_at(&flash.reader, &place).worst, IMAGE_GOOD);
	for (round = 0; round < 300; round++) {
		/* the magic was found already, so its bits count through the whole CRC only */
		at = image_physical(&place, random32() % image.length);
		bit = 1 << random32() % 8;
		flash.bytes[at] ^= bit;
		if (verdict_at(&flash.reader, &place).worst != IMAGE_DAMAGED)
			ktap_fail(__FILE__, __LINE__, "flip at %#llx", (unsigned long long)at);
		flash.bytes[at] ^= bit;
	}
	fixture_free(&image);
	fixture_free(&flash);
}

static void every_truncation_is_noticed(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3");
	struct fixture image, cut;
	struct image_error error = { 0 };
	struct image_facts facts;
	size_t length;

	parameters.code_size = 0x100;
	parameters.rom_size = 0x1000;
	fixture_make(&image, &parameters);
	for (length = 0; length < image.length; length++) {
		fixture_hold(&cut, malloc(length ? length : 1), length);
		memcpy(cut.bytes, image.bytes, length);
		if (verdict_of(&cut, IMAGE_LAYOUT_FILE).worst != IMAGE_DAMAGED)
			ktap_fail(__FILE__, __LINE__, "cut at %#zx", length);
		CHECK(image_query(&cut.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error) != 0);
		fixture_free(&cut);
	}
	fixture_free(&image);
}

/* Bends a good image, seals it again, and expects a verdict. */
static void bent(const char *what, void (*bend)(struct fixture *image), enum image_verdict expected)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fixture image;
	struct verdict verdict;

	fixture_make(&image, &parameters);
	bend(&image);
	fixture_reseal_image(&image);
	verdict = verdict_of(&image, IMAGE_LAYOUT_FILE);
	if (verdict.worst != expected)
		ktap_fail(__FILE__, __LINE__, "%s: verdict %d, expected %d (%s)", what, verdict.worst,
			  expected, verdict.text);
	fixture_free(&image);
}

static void bend_nothing(struct fixture *image)
{
	(void)image;
}

static void bend_length(struct fixture *image)
{
	cxsim_put_be32(image->bytes + 0x30, image->length - 4);
}

static void bend_byte_21(struct fixture *image)
{
	image->bytes[0x21] = 1;
}

static void bend_version(struct fixture *image)
{
	image->bytes[0x27] = 5;
}

static void bend_guid_pointer(struct fixture *image)
{
	cxsim_put_be32(image->bytes + 0x34, fixture_section(image, 10, 0) + 16);
}

static void bend_info_pointer(struct fixture *image)
{
	fixture_checksum_word(image, 0x2c, fixture_section(image, 6, 0) + 16);
}

/* The chain goes backwards: a loop for who follows it. */
static void bend_loop(struct fixture *image)
{
	uint32_t guid = fixture_section(image, 6, 0), first = fixture_section(image, 2, 0);

	cxsim_put_be32(image->bytes + guid + 12, first);
	fixture_reseal(image, guid);
}

static void bend_self_loop(struct fixture *image)
{
	uint32_t guid = fixture_section(image, 6, 0);

	cxsim_put_be32(image->bytes + guid + 12, guid);
	fixture_reseal(image, guid);
}

static void bend_unaligned_next(struct fixture *image)
{
	uint32_t guid = fixture_section(image, 6, 0);

	cxsim_put_be32(image->bytes + guid + 12, cxsim_get_be32(image->bytes + guid + 12) + 2);
	fixture_reseal(image, guid);
}

static void bend_unknown_type(struct fixture *image)
{
	uint32_t section = fixture_section(image, 3, 0);

	cxsim_put_be32(image->bytes + section, 200);
	fixture_reseal(image, section);
}

static void bend_missing_guids(struct fixture *image)
{
	uint32_t section = fixture_section(image, 6, 0);

	cxsim_put_be32(image->bytes + section, 8);
	fixture_reseal(image, section);
}

static void bend_huge_section(struct fixture *image)
{
	cxsim_put_be32(image->bytes + fixture_section(image, 1, 0) + 4, 0x40000000);
}

static void bend_upper_crc(struct fixture *image)
{
	uint32_t section = fixture_section(image, 3, 0);
	uint32_t end = section + 16 + 4 * cxsim_get_be32(image->bytes + section + 4);

	image->bytes[end] = 1;
}

static void bend_multicast_mac(struct fixture *image)
{
	uint32_t section = fixture_section(image, 6, 0);

	image->bytes[section + 16 + 32 + 2] |= 1;
	fixture_reseal(image, section);
}

/* A list that never comes to its end item. */
static void bend_tlv_end(struct fixture *image)
{
	uint32_t section = fixture_section(image, 10, 0);
	uint32_t end = section + 16 + 4 * cxsim_get_be32(image->bytes + section + 4);

	image->bytes[end - 4] = 0x30;
	fixture_reseal(image, section);
}

static void bend_tlv_length(struct fixture *image)
{
	uint32_t section = fixture_section(image, 10, 0);

	cxsim_put_be32(image->bytes + section + 16, 0x00ffffff);
	fixture_reseal(image, section);
}

static void bend_tlv_odd_length(struct fixture *image)
{
	uint32_t section = fixture_section(image, 10, 0);

	cxsim_put_be32(image->bytes + section + 16, 0x00000003);
	fixture_reseal(image, section);
}

static void bend_entry_address(struct fixture *image)
{
	uint32_t length = 4 * (cxsim_get_be32(image->bytes + 0x3c) + 3);

	cxsim_put_be32(image->bytes + 0x38 + length - 4, 0x1234);
	cxsim_put_be32(image->bytes + 0x38 + length, cxsim_crc16(image->bytes + 0x38, length));
}

static void bent_images(void)
{
	bent("nothing", bend_nothing, IMAGE_GOOD);
	bent("length", bend_length, IMAGE_DAMAGED);
	bent("byte 0x21", bend_byte_21, IMAGE_UNUSUAL);
	bent("version", bend_version, IMAGE_UNUSUAL);
	bent("GUID pointer", bend_guid_pointer, IMAGE_DAMAGED);
	bent("info pointer", bend_info_pointer, IMAGE_DAMAGED);
	bent("loop", bend_loop, IMAGE_DAMAGED);
	bent("self loop", bend_self_loop, IMAGE_DAMAGED);
	bent("unaligned next", bend_unaligned_next, IMAGE_DAMAGED);
	bent("unknown type", bend_unknown_type, IMAGE_UNUSUAL);
	bent("missing GUIDs", bend_missing_guids, IMAGE_DAMAGED);
	bent("huge section", bend_huge_section, IMAGE_DAMAGED);
	bent("upper half of a CRC", bend_upper_crc, IMAGE_DAMAGED);
	bent("multicast MAC", bend_multicast_mac, IMAGE_UNUSUAL);
	bent("end of TLVs", bend_tlv_end, IMAGE_UNUSUAL);
	bent("TLV length", bend_tlv_length, IMAGE_DAMAGED);
	bent("odd TLV length", bend_tlv_odd_length, IMAGE_DAMAGED);
	bent("entry address", bend_entry_address, IMAGE_UNUSUAL);
}

static void blank_identity(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	uint32_t section;
	uint8_t *edited;
	size_t length;
	struct fs2_edit edit = {
		.set_guids = true, .set_macs = true,
		.guid = { 1, 2, 3, 4 }, .mac = { 5, 6 },
	};

	fixture_make(&image, &parameters);
	section = fixture_section(&image, 6, 0);
	memset(image.bytes + section + 16, 0xff, 0x30);
	cxsim_put_be32(image.bytes + section + 16 + 0x30, 0xffff);
	image.bytes[0x22] = 0xff;
	image.bytes[0x23] = 0xff;
	CHECK_EQ(image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), 0);
	CHECK(facts.blank_guids && !(facts.has & (IMAGE_HAS_GUIDS | IMAGE_HAS_MACS)));
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_UNUSUAL);
	/* giving it an identity makes it an ordinary image */
	REQUIRE(!fs2_edit(image.bytes, image.length, &edit, &edited, &length, &error));
	fixture_free(&image);
	fixture_hold(&image, edited, length);
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	fixture_free(&image);
}

/* ---- what stands inside sections: images of the other maker, which packs code and fills an INI ---- */

static void make_synthetic(struct fixture *image, const struct synthetic *what)
{
	size_t length;
	uint8_t *bytes = synthetic_image(what, &length);

	if (!bytes) {
		ktap_fail(__FILE__, __LINE__, "no synthetic image");
		exit(1);
	}
	fixture_hold(image, bytes, length);
}

static void bent_inside(const char *what, void (*bend)(struct fixture *image), enum image_verdict expected)
{
	struct synthetic make = { .format = SYNTHETIC_FS2, .code_size = 0x1000 };
	struct fixture image;
	struct verdict verdict;

	make_synthetic(&image, &make);
	bend(&image);
	fixture_reseal_image(&image);
	verdict = verdict_of(&image, IMAGE_LAYOUT_FILE);
	if (verdict.worst != expected || verdict.code)
		ktap_fail(__FILE__, __LINE__, "%s: verdict %d, expected %d (%s)", what, verdict.worst,
			  expected, verdict.text);
	fixture_free(&image);
}

/* XORs a word of the nth section's body. */
static void bend_word(struct fixture *image, uint32_t type, unsigned int nth, uint32_t at, uint32_t change)
{
	uint32_t section = fixture_section(image, type, nth);
	uint8_t *word = image->bytes + section + 16 + at;

	cxsim_put_be32(word, cxsim_get_be32(word) ^ change);
	fixture_reseal(image, section);
}

static void bend_record_order(struct fixture *image)
{
	bend_word(image, 2, 0, 12, 0x40000000);
}

static void bend_record_mask(struct fixture *image)
{
	bend_word(image, 2, 1, 4, 1);
}

static void bend_jump_entry(struct fixture *image)
{
	bend_word(image, 3, 0, 4, 0x40000000);
}

/* One section of code less than there are records. */
static void bend_jump_count(struct fixture *image)
{
	uint32_t section = fixture_section(image, 1, 3);

	cxsim_put_be32(image->bytes + section, 8);
	fixture_reseal(image, section);
}

static void bend_packed_properties(struct fixture *image)
{
	bend_word(image, 1, 1, 0, 0x9c000000);	/* 0x63 becomes 0xff */
}

static void bend_packed_size(struct fixture *image)
{
	bend_word(image, 1, 1, 4, 0x000000ff);	/* the upper byte of a little-endian number */
}

static void bend_ini_stream(struct fixture *image)
{
	bend_word(image, 9, 0, 16, 0x00100000);
}

static void bend_ini_head(struct fixture *image)
{
	bend_word(image, 9, 0, 0, 0xff000000);
}

/* Offset of a TLV of the image information in its section's body. */
static uint32_t tlv_at(const struct fixture *image, uint8_t id)
{
	const uint8_t *body = image->bytes + fixture_section(image, 10, 0) + 16;
	uint32_t at = 0;

	while (body[at] != id)
		at += 4 + (cxsim_get_be32(body + at) & 0xffffff);
	return at;
}

static void bend_psid(struct fixture *image)
{
	bend_word(image, 10, 0, tlv_at(image, 4) + 4, 0x20000000);
}

static void bend_chip(struct fixture *image)
{
	bend_word(image, 10, 0, tlv_at(image, 3) + 4, 0x1003 ^ 0x1007);
}

static void bend_unknown_tlv(struct fixture *image)
{
	bend_word(image, 10, 0, tlv_at(image, 0), 0x40000000);
}

static void bend_twice(struct fixture *image)
{
	bend_word(image, 10, 0, tlv_at(image, 0), 8U << 24);
}

/* The PRS name as a second MIC version, of more than 8 bytes. */
static void bend_long_tlv(struct fixture *image)
{
	bend_word(image, 10, 0, tlv_at(image, 20), (20U ^ 11) << 24);
}

/* Its last four bytes become an item of their own. */
static void bend_short_psid(struct fixture *image)
{
	uint32_t psid = tlv_at(image, 4), section = fixture_section(image, 10, 0);
	uint8_t *at = image->bytes + section + 16 + psid;

	cxsim_put_be32(at, 4 << 24 | 12);
	cxsim_put_be32(at + 16, 14 << 24);
	fixture_reseal(image, section);
}

static void bent_insides(void)
{
	bent_inside("nothing", bend_nothing, IMAGE_GOOD);
	bent_inside("order of records", bend_record_order, IMAGE_UNUSUAL);
	bent_inside("a bit outside a mask", bend_record_mask, IMAGE_UNUSUAL);
	bent_inside("an entry outside its code", bend_jump_entry, IMAGE_UNUSUAL);
	bent_inside("a record without code", bend_jump_count, IMAGE_UNUSUAL);
	bent_inside("head of packed code", bend_packed_properties, IMAGE_UNUSUAL);
	bent_inside("size of packed code", bend_packed_size, IMAGE_UNUSUAL);
	bent_inside("INI", bend_ini_stream, IMAGE_DAMAGED);
	bent_inside("head of the INI", bend_ini_head, IMAGE_DAMAGED);
	bent_inside("PSID", bend_psid, IMAGE_UNUSUAL);
	bent_inside("chip", bend_chip, IMAGE_UNUSUAL);
	bent_inside("unknown TLV", bend_unknown_tlv, IMAGE_UNUSUAL);
	bent_inside("a TLV twice", bend_twice, IMAGE_UNUSUAL);
	bent_inside("a TLV that is too long", bend_long_tlv, IMAGE_UNUSUAL);
	bent_inside("a PSID that is too short", bend_short_psid, IMAGE_DAMAGED);
}

/* Whatever holds the bytes, and however they lie: the same verdict, the same sections, the same INI. */
struct listed {
	unsigned int count, boot2, packed;
	uint64_t ini;
	uint32_t crcs;
};

static int list(void *context, const struct image_section *section)
{
	struct listed *listed = context;

	listed->count++;
	listed->boot2 += !strcmp(section->name, "BOOT2");
	listed->packed += section->compressed && !strcmp(section->name, "DDR");
	if (section->type == 9)
		listed->ini = section->start;
	listed->crcs = listed->crcs * 31 + section->crc;
	return 0;
}

static void sections_and_ini(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS2, .code_size = 0x90000, .rom_size = 0x2000 };
	struct image_error error = { 0 };
	struct listed of_file = { 0 }, of_flash;
	struct fixture image, flash;
	struct image_facts facts;
	struct counted counted;
	struct image_reader reader;
	unsigned int slot;
	char *text, *again;
	size_t length, again_length;

	make_synthetic(&image, &what);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_FILE, 0, &facts, &error));
	REQUIRE(!image_sections(&image.reader, &facts.place, list, &of_file, &error));
	CHECK_EQ(of_file.boot2, 2);
	CHECK_EQ(of_file.packed, 1);
	CHECK_EQ(of_file.count, 13);
	CHECK_EQ(of_file.ini, fixture_section(&image, 9, 0) + 16);
	REQUIRE(!image_ini(&image.reader, &facts.place, &text, &length, &error));
	CHECK(strstr(text, "[PS_INFO]\nName = SYN-CX3_Ax\n"));
	CHECK_EQ(strlen(text), length);
	for (slot = 0; slot < 2; slot++) {
		fixture_hold(&flash, synthetic_flash(image.bytes, image.length, &what, 0x200000, slot),
			     0x200000);
		REQUIRE(flash.bytes && !image_query(&flash.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
		memset(&of_flash, 0, sizeof(of_flash));
		REQUIRE(!image_sections(&flash.reader, &facts.place, list, &of_flash, &error));
		CHECK(!memcmp(&of_flash, &of_file, sizeof(of_file)));
		REQUIRE(!image_ini(&flash.reader, &facts.place, &again, &again_length, &error));
		CHECK(again_length == length && !strcmp(again, text));
		free(again);
		CHECK_EQ(verdict_at(&flash.reader, &facts.place).worst, IMAGE_GOOD);
		/* a card's flash, byte by byte */
		reader = counting(&counted, &flash);
		CHECK_EQ(verdict_at(&reader, &facts.place).worst, IMAGE_GOOD);
		CHECK(counted.bytes < image.length + 0x2000 && !counted.unaligned);
		fixture_free(&flash);
	}
	free(text);
	fixture_free(&image);
}

static void too_many_magics(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS2 };
	struct image_place places[IMAGE_PLACES];
	struct image_error error = { 0 };
	struct fixture image, flash;
	size_t count;

	make_synthetic(&image, &what);
	fixture_hold(&flash, synthetic_flash(image.bytes, image.length, &what, 0x400000, 0), 0x400000);
	memcpy(flash.bytes + 0x80000, flash.bytes, 0x40);
	REQUIRE(!image_locate(&flash.reader, IMAGE_LAYOUT_FLASH, places, IMAGE_PLACES, &count, &error));
	CHECK_EQ(verdict_at(&flash.reader, &places[0]).worst, IMAGE_GOOD);
	memcpy(flash.bytes + 0x200000, flash.bytes, 0x40);
	CHECK_EQ(verdict_at(&flash.reader, &places[0]).worst, IMAGE_UNUSUAL);
	fixture_free(&flash);
	fixture_free(&image);
}

/* Without TLV 11 nothing asks for the CRC of the whole image. */
static void no_full_crc(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS2, .no_mic = true, .not_failsafe = true };
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;

	make_synthetic(&image, &what);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
	CHECK(!(facts.has & (IMAGE_HAS_MIC | IMAGE_HAS_FULL_CRC)) && !facts.failsafe);
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	image.bytes[0x23] ^= 1;
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	fixture_free(&image);
}

/* ---- editing ---- */

static size_t differences(const uint8_t *a, const uint8_t *b, size_t length)
{
	size_t i, count = 0;

	for (i = 0; i < length; i++)
		count += a[i] != b[i];
	return count;
}

static void edit_identity(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct fs2_edit edit = {
		.set_guids = true, .set_macs = true,
		.guid = { 0x1111222233334444, 0x1111222233334445, 0x1111222233334446, 0x1111222233334447 },
		.mac = { 0x0a0b0c0d0e0f, 0x0a0b0c0d0e10 },
		.vsd = "another", .vsd_length = 7,
	};
	struct image_error error = { 0 };
	struct fixture image, edited = { 0 };
	struct image_facts facts;
	uint8_t *bytes;
	size_t length;

	fixture_make(&image, &parameters);
	REQUIRE(!fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error));
	fixture_hold(&edited, bytes, length);
	CHECK_EQ(length, image.length);
	CHECK_EQ(verdict_of(&edited, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	CHECK_EQ(image_query(&edited.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), 0);
	CHECK(!memcmp(facts.guid, edit.guid, sizeof(edit.guid)));
	CHECK(!memcmp(facts.mac, edit.mac, sizeof(edit.mac)));
	CHECK_STR(facts.vsd, "another");
	/* GUIDs and MACs, VSD, two section CRCs and the whole CRC: nothing else */
	CHECK(differences(bytes, image.bytes, length) <= 48 + 11 + 2 + 2 + 2);
	fixture_free(&edited);
	/* and back again: the same file */
	edit.vsd = "fixture vsd";
	edit.vsd_length = 11;
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
	memcpy(edit.guid, facts.guid, sizeof(edit.guid));
	memcpy(edit.mac, facts.mac, sizeof(edit.mac));
	REQUIRE(!fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error));
	CHECK_EQ(differences(bytes, image.bytes, length), 0);
	free(bytes);
	fixture_free(&image);
}

static void edit_rom(void)
{
	struct cxsim_parameters parameters;
	struct image_error error = { 0 };
	struct fixture image, without, again;
	struct image_facts facts;
	struct fs2_edit edit;
	uint8_t *bytes, *rom;
	size_t length, i, rom_length;

	for (i = 0; i < 3; i++) {
		parameters = fixture_parameters(models[i]);
		parameters.rom_size = 0x3000;
		fixture_make(&image, &parameters);
		REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
		REQUIRE(!fs2_read_rom(&image.reader, &facts, &rom, &rom_length, &error));

		memset(&edit, 0, sizeof(edit));
		edit.rom_edit = FS2_ROM_REMOVE;
		REQUIRE(!fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error));
		fixture_hold(&without, bytes, length);
		CHECK_EQ(length, image.length - rom_length - 20);
		CHECK_EQ(verdict_of(&without, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
		REQUIRE(!image_query(&without.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
		CHECK(!(facts.has & IMAGE_HAS_ROM));

		edit.rom_edit = FS2_ROM_REPLACE;
		edit.rom = rom;
		edit.rom_length = rom_length;
		REQUIRE(!fs2_edit(without.bytes, without.length, &edit, &bytes, &length, &error));
		fixture_hold(&again, bytes, length);
		CHECK_EQ(length, image.length);
		CHECK_EQ(differences(bytes, image.bytes, length), 0);

		edit.rom_length = rom_length - 0x400;
		REQUIRE(!fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error));
		fixture_free(&again);
		fixture_hold(&again, bytes, length);
		CHECK_EQ(verdict_of(&again, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
		CHECK_EQ(length, image.length - 0x400);
		free(rom);
		fixture_free(&again);
		fixture_free(&without);
		fixture_free(&image);
	}
}

static void damaged_rom_is_not_taken(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	struct image_error error = { 0 };
	struct fixture image;
	struct image_facts facts;
	uint8_t *rom;
	size_t length;

	parameters.rom_size = 0x2000;
	fixture_make(&image, &parameters);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error));
	image.bytes[facts.rom_offset + 0x123] ^= 4;
	CHECK_EQ(-fs2_read_rom(&image.reader, &facts, &rom, &length, &error), EBADMSG);
	CHECK(!rom);
	fixture_free(&image);
}

static void refused_edits(void)
{
	struct cxsim_parameters parameters = fixture_parameters("connectx3pro");
	char text[256];
	struct image_error error = { 0 };
	struct fs2_edit edit = { .set_macs = true, .mac = { 0x010000000000, 1 } };
	struct fixture image;
	uint8_t *bytes = (uint8_t *)text;
	size_t length;

	memset(text, 'v', sizeof(text));
	fixture_make(&image, &parameters);
	CHECK_EQ(-fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), EINVAL);
	CHECK(!bytes);
	edit.mac[0] = 1ULL << 48;
	CHECK_EQ(-fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), EINVAL);
	memset(&edit, 0, sizeof(edit));
	edit.vsd = text;
	edit.vsd_length = 209;
	CHECK_EQ(-fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), EINVAL);
	edit.vsd_length = 208;
	CHECK_EQ(fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), 0);
	free(bytes);
	memset(&edit, 0, sizeof(edit));
	edit.rom_edit = FS2_ROM_REPLACE;
	edit.rom = image.bytes;
	edit.rom_length = 1022;
	CHECK_EQ(-fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), EINVAL);
	edit.rom_length = 0;
	CHECK_EQ(-fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), EINVAL);
	/* an image whose chain is broken is not edited */
	memset(&edit, 0, sizeof(edit));
	bend_loop(&image);
	CHECK_EQ(-fs2_edit(image.bytes, image.length, &edit, &bytes, &length, &error), EBADMSG);
	fixture_free(&image);
}

/* ---- names ---- */

static void vendors(void)
{
	CHECK_STR(image_psid_vendor("MT_1200111023"), "Mellanox");
	CHECK_STR(image_psid_vendor("DEL09A0000009"), "Dell");
	CHECK(!image_psid_vendor("XYZ0000000001"));
	CHECK(!image_psid_vendor(""));
	CHECK(!image_psid_vendor("MT"));
}

static void dummies(void)
{
	CHECK(image_guid_is_dummy(0x0002c9000100d050) && image_guid_is_dummy(0x0002c9000100d053));
	CHECK(image_guid_is_dummy(0) && image_guid_is_dummy(UINT64_MAX));
	CHECK(!image_guid_is_dummy(FIXTURE_GUID));
	CHECK(image_mac_is_dummy(0x0002c9000001) && image_mac_is_dummy(0x0002c9000002));
	CHECK(image_mac_is_dummy(0) && image_mac_is_dummy(0xffffffffffff));
	CHECK(!image_mac_is_dummy(FIXTURE_MAC));
	CHECK_EQ(fs2_mac_of_guid(0x0002c90300112231), 0x0002c9112231);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(crc16_vectors),
	KTAP_TEST(pointer_crc_vectors),
	KTAP_TEST(crc16_in_pieces),
	KTAP_TEST(facts_of_every_model),
	KTAP_TEST(rom_versions),
	KTAP_TEST(rom_markers),
	KTAP_TEST(facts_need_few_bytes),
	KTAP_TEST(failing_reads),
	KTAP_TEST(slots),
	KTAP_TEST(striped_in_either_slot),
	KTAP_TEST(padded_file),
	KTAP_TEST(leftover_magics),
	KTAP_TEST(no_image),
	KTAP_TEST(synthetic_images_are_good),
	KTAP_TEST(every_bit_flip_is_noticed),
	KTAP_TEST(random_flips_in_a_flash),
	KTAP_TEST(every_truncation_is_noticed),
	KTAP_TEST(bent_images),
	KTAP_TEST(blank_identity),
	KTAP_TEST(bent_insides),
	KTAP_TEST(sections_and_ini),
	KTAP_TEST(too_many_magics),
	KTAP_TEST(no_full_crc),
	KTAP_TEST(edit_identity),
	KTAP_TEST(edit_rom),
	KTAP_TEST(damaged_rom_is_not_taken),
	KTAP_TEST(refused_edits),
	KTAP_TEST(vendors),
	KTAP_TEST(dummies),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
