// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic images and the boot ROM that reads them. */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/cxsim/model/boot.h"
#include "../../kmod/cxsim/model/card.h"
#include "../../kmod/cxsim/model/image.h"
#include "../lib/ktap.h"

#define CHUNK	0x80000u

static void *host_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

static const struct cxsim_host host = { .alloc = host_alloc, .free = free };

static const char *const fs2_models[] = { "connectx2", "connectx3", "connectx3-vsc", "connectx3pro", "connectx3pro-vsc" };
static const char *const all_models[] = { "connectx2", "connectx3", "connectx3pro", "connectx4lx", "connectx5",
					  "unknown-vsc", "unknown" };

static struct cxsim_card *new_card(const char *model, u32 size)
{
	struct cxsim_parameters parameters = { .model = model, .flash_size = size, .seed = 11, .empty = true };
	char why[CXSIM_WHY] = "";
	struct cxsim_card *card = cxsim_card_create(&parameters, &host, why);

	if (!card)
		ktap_fail(__FILE__, __LINE__, "%s: %s", model, why);
	return card;
}

static u8 *new_image(const struct cxsim_parameters *parameters, size_t *length)
{
	char why[CXSIM_WHY] = "";
	size_t made;
	u8 *image;

	*length = cxsim_image_make(parameters, NULL, 0, why);
	if (!CHECK(*length)) {
		ktap_note("%s", why);
		return NULL;
	}
	image = malloc(*length);
	made = cxsim_image_make(parameters, image, *length, why);
	if (made == *length)
		return image;
	ktap_fail(__FILE__, __LINE__, "asked for %zu bytes, made %zu: %s", *length, made, why);
	free(image);
	return NULL;
}

/* An image in a slot of the card's flash. */
static bool put_image(struct cxsim_card *card, const struct cxsim_parameters *parameters, unsigned int slot)
{
	size_t length;
	u8 *image = new_image(parameters, &length);
	bool placed;

	if (!image)
		return false;
	placed = cxsim_image_place(parameters->model, image, length, card->chip.cells, card->chip.size, slot);
	free(image);
	return placed;
}

static struct cxsim_parameters parameters_of(const char *model, const char *version, u32 size)
{
	struct cxsim_parameters parameters = {
		.model = model, .version = version, .flash_size = size, .psid = "SIM_1230110023",
		.guid = 0x0002c90300112230ULL, .mac = 0x0002c9112230ULL, .vsd = "simulated", .seed = 7,
	};

	return parameters;
}

static void boot(struct cxsim_card *card, enum cxsim_boot_policy policy)
{
	CHECK(cxsim_set(card, CXSIM_BOOT_POLICY, policy));
	cxsim_reset(card, CXSIM_RESET_POWER);
}

/* ---- checksums ---- */

static u32 hex(const char *text, u8 *bytes)
{
	u32 length = 0;
	unsigned int value;

	for (; sscanf(text, "%2x", &value) == 1; text += 2)
		bytes[length++] = (u8)value;
	return length;
}

/* Vectors of firmware-images.md 0.1 and 0.2. */
static void checksum_vectors(void)
{
	static const struct { const char *message; u16 crc; } image_crc[] = {
		{ "", 0x0955 }, { "00000000", 0x0009 }, { "ffffffff", 0xc41a }, { "4d544657", 0x9747 },
		{ "0102030405060708", 0x402f }, { "0123456789abcdef0123456789abcdef", 0x7bf8 },
	};
	static const struct { u32 pointer; u16 crc; } pointer_crc[] = {
		{ 0, 0 }, { 0x100, 0x75f8 }, { 0x500, 0x8359 }, { 0x1000, 0xeb67 }, { 0x3000, 0x3da8 },
		{ 0x4000, 0xbd3f }, { 0x10000, 0xda33 }, { 0x12345678, 0x7e6f },
	};
	static const u8 zeros[512];
	u8 bytes[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(image_crc); i++)
		CHECK_EQ(cxsim_crc16(bytes, hex(image_crc[i].message, bytes)), image_crc[i].crc);
	CHECK_EQ(cxsim_crc16(zeros, sizeof(zeros)), 0x745d);
	CHECK_EQ(cxsim_crc16_end(cxsim_crc16_add(cxsim_crc16_add(CXSIM_CRC16_START, zeros, 300), zeros, 212)), 0x745d);
	for (i = 0; i < ARRAY_SIZE(pointer_crc); i++)
		CHECK_EQ(cxsim_pointer_crc(pointer_crc[i].pointer), pointer_crc[i].crc);
}

static void sha256_vectors(void)
{
	static const struct { const char *message, *digest; } cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	struct cxsim_sha256 sha;
	u8 digest[32], expected[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cxsim_sha256_begin(&sha);
		cxsim_sha256_add(&sha, (const u8 *)cases[i].message, strlen(cases[i].message));
		cxsim_sha256_end(&sha, digest);
		hex(cases[i].digest, expected);
		CHECK(!memcmp(digest, expected, 32));
	}
}

static void slot_addresses(void)
{
	CHECK_EQ(cxsim_slot_address(0x00010, 19, 0), 0x000010);
	CHECK_EQ(cxsim_slot_address(0x00010, 19, 1), 0x080010);
	CHECK_EQ(cxsim_slot_address(0x7ffff, 19, 1), 0x0fffff);
	CHECK_EQ(cxsim_slot_address(0x80000, 19, 0), 0x100000);
	CHECK_EQ(cxsim_slot_address(0x80010, 19, 1), 0x180010);
	CHECK_EQ(cxsim_slot_address(0x100004, 19, 0), 0x200004);
	CHECK_EQ(cxsim_slot_address(0x100004, 19, 1), 0x280004);
}

/* ---- images that boot ---- */

static void check_booted(const struct cxsim_card *card, const struct cxsim_parameters *parameters, u32 address)
{
	const struct cxsim_boot *boot = cxsim_booted(card);
	bool fs2 = card->model->format == CXSIM_FS2;
	char version[40];

	CHECK(!boot->recovery);
	CHECK(boot->whole);
	CHECK_EQ(boot->address, address);
	snprintf(version, sizeof(version), "%u.%u.%u", boot->version[0], boot->version[1], boot->version[2]);
	CHECK_STR(version, parameters->version);
	CHECK_STR(boot->psid, parameters->psid);
	CHECK_EQ(boot->guid[0], parameters->guid);
	CHECK_EQ(boot->mac[0], parameters->mac);
	CHECK_EQ(boot->guid[3], fs2 ? parameters->guid + 3 : 0);
	CHECK_EQ(boot->mac[1], fs2 ? parameters->mac + 1 : 0);
	CHECK_STR(card->facts.vsd, parameters->vsd);
	CHECK_STR(card->facts.device_vsd, fs2 ? "" : parameters->vsd);
	CHECK(card->facts.date >= 0x20090101 && card->facts.date < 0x20300000);
	CHECK_EQ(card->facts.rom_count != 0, parameters->rom_size != 0);
}

static void every_image_boots(void)
{
	static const u32 roms[] = { 0, 4, 1500, 40000, 104468 };
	static const u32 codes[] = { 0, 1, 5000, 300002 };
	unsigned int seed, slot;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_models); i++) {
		struct cxsim_card *card = new_card(all_models[i], 0x200000);

		REQUIRE(card);
		for (seed = 0; seed < 20; seed++) {
			struct cxsim_parameters parameters = parameters_of(all_models[i], "12.34.567", 0x200000);

			parameters.seed = seed;
			parameters.rom_size = roms[seed % 5];
			parameters.code_size = codes[seed % 4];
			for (slot = 0; slot < 2; slot++) {
				u32 at;

				memset(card->chip.cells, 0xff, card->chip.size);
				REQUIRE(put_image(card, &parameters, slot));
				boot(card, CXSIM_BOOT_CHECKED_FIRST);
				at = card->model->format == CXSIM_FS2 ? CHUNK : 0x100000;
				check_booted(card, &parameters, slot ? at : 0);
				CHECK_EQ(cxsim_image_slot(card, 0), 0);
				CHECK_EQ(cxsim_image_slot(card, 1), at);
				if (ktap_failed()) {
					ktap_note("%s seed %u slot %u", all_models[i], seed, slot);
					cxsim_card_destroy(card);
					return;
				}
			}
		}
		cxsim_card_destroy(card);
	}
}

static void all_flash_sizes(void)
{
	u32 size;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_models); i++)
		for (size = 0x200000; size <= 0x4000000; size <<= 1) {
			struct cxsim_parameters parameters = parameters_of(all_models[i], "2.3.4", size);
			struct cxsim_card *card = new_card(all_models[i], size);

			REQUIRE(card);
			REQUIRE(put_image(card, &parameters, 1));
			boot(card, CXSIM_BOOT_CHECKED_FIRST);
			check_booted(card, &parameters, cxsim_image_slot(card, 1));
			cxsim_card_destroy(card);
		}
}

/* Longer than a chunk: its tail lies behind the other slot's first chunk. */
static void striped_over_several_chunks(void)
{
	struct cxsim_parameters first = parameters_of("connectx3pro", "2.30.3000", 0x400000);
	struct cxsim_parameters second = parameters_of("connectx3pro", "2.42.5000", 0x400000);
	struct cxsim_card *card = new_card("connectx3pro", 0x400000);

	REQUIRE(card);
	first.code_size = second.code_size = 0x120000;
	second.seed = 8;
	REQUIRE(put_image(card, &first, 0));
	REQUIRE(put_image(card, &second, 1));
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	check_booted(card, &first, 0);
	CHECK(card->facts.length > 2 * CHUNK);
	boot(card, CXSIM_BOOT_CHECKED_LAST);
	check_booted(card, &second, CHUNK);
	card->chip.cells[2 * CHUNK] ^= 1;		/* the second chunk of slot 0 */
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	check_booted(card, &second, CHUNK);
	cxsim_card_destroy(card);
}

static void images_differ_with_their_seed(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx3pro", "2.42.5000", 0);
	size_t first, second;
	u8 *a, *b;

	a = new_image(&parameters, &first);
	b = new_image(&parameters, &second);
	REQUIRE(a && b);
	CHECK(first == second && !memcmp(a, b, first));
	free(b);
	CHECK(first > 150000 && first < 220000);
	parameters.seed++;
	b = new_image(&parameters, &second);
	REQUIRE(b);
	CHECK(first != second || memcmp(a, b, first));
	free(a);
	free(b);
}

static void room_is_respected(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx3", "2.42.5000", 0);
	char why[CXSIM_WHY];
	size_t length, room;
	u8 *image;

	parameters.rom_size = 9000;
	image = new_image(&parameters, &length);
	REQUIRE(image);
	free(image);
	for (room = length - 8; room < length; room++) {
		image = malloc(room);			/* the sanitizer watches its end */
		CHECK_EQ(cxsim_image_make(&parameters, image, room, why), 0);
		CHECK(strstr(why, "does not fit"));
		free(image);
	}
	parameters.model = "connectx5";
	image = malloc(0x1000);
	CHECK_EQ(cxsim_image_make(&parameters, image, 0x1000, why), 0);
	free(image);
}

static void wrong_parameters_are_named(void)
{
	static const struct {
		struct cxsim_parameters parameters;
		const char *text;
	} cases[] = {
		{ { .model = "connectx9000" }, "connectx9000" },
		{ { .model = "connectx3", .version = "2.42" }, "2.42" },
		{ { .model = "connectx3", .version = "2.42.5000x" }, "2.42.5000x" },
		{ { .model = "connectx3", .version = "2.42.70000" }, "65535" },
		{ { .model = "connectx3", .psid = "12345678901234567" }, "16 characters" },
		{ { .model = "connectx3", .mac = 0x010203040506ULL }, "unicast" },
		{ { .model = "connectx3", .mac = 0x1000000000000ULL }, "unicast" },
		{ { .model = "connectx5", .flash_size = 0x200000, .code_size = 0x180000 }, "do not fit" },
		/* The second slot holds the device area. */
		{ { .model = "connectx5", .flash_size = 0x200000, .code_size = 0xa0000 }, "do not fit" },
		{ { .model = "connectx5", .flash_size = 0x4000000, .code_size = 0x1100000 }, "do not fit" },
	};
	u8 *room = malloc(0x4000000);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char why[CXSIM_WHY] = "";

		CHECK_EQ(cxsim_image_make(&cases[i].parameters, room, 0x4000000, why), 0);
		if (!strstr(why, cases[i].text))
			ktap_fail(__FILE__, __LINE__, "case %zu: \"%s\" does not say \"%s\"", i, why, cases[i].text);
	}
	free(room);
}

static void placing_has_limits(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx3pro", "2.42.5000", 0x200000);
	u8 *image, *flash = malloc(0x200000);
	size_t length;

	parameters.code_size = 0x110000;
	image = new_image(&parameters, &length);
	REQUIRE(image);
	CHECK(!cxsim_image_place("connectx3pro", image, length, flash, 0x200000, 0));
	CHECK(!cxsim_image_place("connectx3pro", image, length, flash, 0x200000, 1));
	CHECK(!cxsim_image_place("connectx3pro", image, 0x20, flash, 0x200000, 0));
	CHECK(!cxsim_image_place("nothing", image, length, flash, 0x200000, 0));
	CHECK(!cxsim_image_place("connectx3pro", image, length, flash, 0x200000, 2));
	CHECK(!cxsim_image_place("connectx5", image, length, flash, 0x200000, 0));
	free(image);
	free(flash);
}

static void device_data_stays_in_place(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx5", "16.35.1000", 0x1000000);
	struct cxsim_card *card = new_card("connectx5", 0x1000000);

	REQUIRE(card);
	REQUIRE(put_image(card, &parameters, 1));
	CHECK(!memcmp(card->chip.cells + 0xfff000, "DTOC", 4));
	CHECK(!memcmp(card->chip.cells + 0xfd0000, "mDevInfo", 8));
	CHECK(!memcmp(card->chip.cells + 0x800000, cxsim_magic_fs4, 16));
	CHECK(memcmp(card->chip.cells, cxsim_magic_fs4, 16));
	boot(card, CXSIM_BOOT_MAGIC_FIRST);
	check_booted(card, &parameters, 0x800000);
	CHECK_EQ(card->facts.guids, 8);
	CHECK_EQ(card->facts.macs, 8);
	cxsim_card_destroy(card);
}

static void rom_is_read_from_the_image(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_models); i++) {
		struct cxsim_parameters parameters = parameters_of(all_models[i], "2.3.4", 0x200000);
		struct cxsim_card *card = new_card(all_models[i], 0x200000);
		bool two = false;

		REQUIRE(card);
		parameters.rom_size = 60000;
		for (parameters.seed = 0; parameters.seed < 8; parameters.seed++) {
			REQUIRE(put_image(card, &parameters, 0));
			boot(card, CXSIM_BOOT_CHECKED_FIRST);
			check_booted(card, &parameters, 0);
			CHECK_EQ(card->facts.roms[0].type, 1);
			CHECK_EQ(card->facts.roms[0].major, 3);
			if (card->facts.rom_count == 2) {
				two = true;
				CHECK_EQ(card->facts.roms[1].type, 2);
				CHECK_EQ(card->facts.roms[1].major, 14);
				CHECK_EQ(card->facts.roms[1].arch, 1);
			}
		}
		CHECK(two);
		cxsim_card_destroy(card);
	}
}

/* ---- images that are not right ---- */

static bool boots_whole(struct cxsim_card *card)
{
	boot(card, CXSIM_BOOT_MAGIC_FIRST);
	return cxsim_booted(card)->whole;
}

/* Every bit of an FS2 image is under some checksum. */
static void any_flipped_bit_of_fs2_is_seen(void)
{
	size_t m;

	for (m = 0; m < ARRAY_SIZE(fs2_models); m++) {
		struct cxsim_parameters parameters = parameters_of(fs2_models[m], "2.42.5000", 0x200000);
		struct cxsim_card *card = new_card(fs2_models[m], 0x200000);
		unsigned long long x = ktap_seed() + m;
		u32 length, i;

		REQUIRE(card);
		parameters.code_size = 8192;
		parameters.rom_size = 2000;
		REQUIRE(put_image(card, &parameters, 1));
		CHECK(boots_whole(card));
		length = card->facts.length;
		for (i = 0; i < 400; i++) {
			u32 at;
			u8 bit;

			x = cxsim_derive(x, i);
			/* The header's every bit, then random ones. */
			at = i < 0x28 * 8 ? 0x10 + i / 8 : 0x10 + (u32)(x % (length - 0x10));
			bit = (u8)(1 << (i < 0x28 * 8 ? i & 7 : x >> 60 & 7));
			card->chip.cells[CHUNK + at] ^= bit;
			if (boots_whole(card))
				ktap_fail(__FILE__, __LINE__, "bit %#x of byte %#x is not seen", bit, at);
			boot(card, CXSIM_BOOT_CHECKED_FIRST);
			CHECK(cxsim_booted(card)->recovery);
			card->chip.cells[CHUNK + at] ^= bit;
		}
		CHECK(boots_whole(card));
		cxsim_card_destroy(card);
	}
}

/* FS4 has no checksum over gaps and boot record, so flip inside what has one. */
static void flipped_bits_of_fs4_are_seen(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx5", "16.35.1000", 0x200000);
	struct cxsim_card *card = new_card("connectx5", 0x200000);
	struct { u32 from, to; } ranges[] = {
		{ 0x00, 0x11 }, { 0x18, 0x98 }, { 0x500, 0x53c }, { 0x1000, 0x1200 }, { 0x5000, 0x501c },
		{ 0x5020, 0x503c }, { 0x7000, 0 }, { 0x1ff000, 0x1ff01c }, { 0x1d0000, 0x1d01fc }, { 0x1f8000, 0x1f8140 },
		{ 0x1f9000, 0x1f9010 },
	};
	unsigned long long x = ktap_seed();
	size_t i, n;

	REQUIRE(card);
	parameters.code_size = 8192;
	REQUIRE(put_image(card, &parameters, 0));
	CHECK(boots_whole(card));
	ranges[6].to = card->facts.length;
	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		for (n = 0; n < 60; n++) {
			u32 at;
			u8 bit;

			x = cxsim_derive(x, (u32)n);
			at = ranges[i].from + (u32)(x % (ranges[i].to - ranges[i].from));
			bit = (u8)(1 << (x >> 60 & 7));
			card->chip.cells[at] ^= bit;
			if (boots_whole(card))
				ktap_fail(__FILE__, __LINE__, "bit %#x of byte %#x is not seen", bit, at);
			card->chip.cells[at] ^= bit;
		}
	CHECK(boots_whole(card));
	cxsim_card_destroy(card);
}

/* The table of FS3 covers the card's own data too. */
static void flipped_bits_of_fs3_are_seen(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx4lx", "14.32.1010", 0x200000);
	struct cxsim_card *card = new_card("connectx4lx", 0x200000);
	struct { u32 from, to; } ranges[] = {
		{ 0x00, 0x38 }, { 0x38, 0x240 }, { 0, 0x1c }, { 0x20, 0x38 }, { 0x1ee000, 0x1ee200 }, { 0x1f8000, 0x1f8140 },
		{ 0x1f9000, 0x1f9010 }, { 0, 0 },
	};
	unsigned long long x = ktap_seed();
	u32 itoc, entry, i, n;

	REQUIRE(card);
	parameters.code_size = 8192;
	REQUIRE(put_image(card, &parameters, 0));
	CHECK(boots_whole(card));
	for (itoc = 0x1000; memcmp(card->chip.cells + itoc, "ITOC", 4); itoc += 0x1000)
		;
	for (i = 2; i < 4; i++) {
		ranges[i].from += itoc;
		ranges[i].to += itoc;
	}
	for (entry = itoc + 0x20; card->chip.cells[entry] != 0xff; entry += 0x20) {
		bool device = card->chip.cells[entry + 0x19] & 2;
		u32 from = cxsim_get_be32(card->chip.cells + entry + 0x14) & 0x7ffffffc;

		if (!device) {
			ranges[7].from = from;
			ranges[7].to = from + (cxsim_get_be32(card->chip.cells + entry) & 0xfffffc);
		}
		for (i = 0; i < ARRAY_SIZE(ranges); i++)
			for (n = 0; n < 20; n++) {
				u32 at;
				u8 bit;

				x = cxsim_derive(x, n);
				at = ranges[i].from + (u32)(x % (ranges[i].to - ranges[i].from));
				bit = (u8)(1 << (x >> 60 & 7));
				card->chip.cells[at] ^= bit;
				if (boots_whole(card))
					ktap_fail(__FILE__, __LINE__, "bit %#x of byte %#x is not seen", bit, at);
				boot(card, CXSIM_BOOT_CHECKED_FIRST);
				CHECK(cxsim_booted(card)->recovery);
				card->chip.cells[at] ^= bit;
			}
	}
	CHECK(boots_whole(card));
	cxsim_card_destroy(card);
}

/* The first signature counts; an erased first place lets the second one be found. */
static void the_second_place_of_the_table(void)
{
	static const char *const models[] = { "connectx4lx", "connectx5" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		struct cxsim_parameters parameters = parameters_of(models[i], "14.32.1010", 0x200000);
		struct cxsim_card *card = new_card(models[i], 0x200000);
		u32 itoc = 0x1000;

		REQUIRE(card);
		REQUIRE(put_image(card, &parameters, 0));
		while (memcmp(card->chip.cells + itoc, "ITOC", 4))
			itoc += 0x1000;
		memcpy(card->chip.cells + itoc + 0x1000, card->chip.cells + itoc, 0x1000);
		memset(card->chip.cells + itoc, 0xff, 0x1000);
		boot(card, CXSIM_BOOT_CHECKED_FIRST);
		check_booted(card, &parameters, 0);
		card->chip.cells[itoc + 0x1000 + 0x1f] ^= 1;
		boot(card, CXSIM_BOOT_CHECKED_FIRST);
		CHECK(cxsim_booted(card)->recovery);
		cxsim_card_destroy(card);
	}
}

/* Whatever lies in the flash, the boot ROM ends and stays inside it. */
static void garbage_behind_a_magic(void)
{
	unsigned long long x = ktap_seed();
	size_t m;
	int round;

	for (m = 0; m < ARRAY_SIZE(all_models); m++) {
		struct cxsim_parameters parameters = parameters_of(all_models[m], "2.42.5000", 0x200000);
		struct cxsim_card *card = new_card(all_models[m], 0x200000);
		u32 second;

		REQUIRE(card);
		/* Of the blank card: afterwards it is what garbage says. */
		second = cxsim_image_slot(card, 1);
		parameters.code_size = 4096;
		for (round = 0; round < 150; round++) {
			u32 head = card->model->format == CXSIM_FS4 ? 0x6000 : 0x4000;
			int hits = 1 + round % 5;

			REQUIRE(put_image(card, &parameters, round & 1));
			while (hits--) {
				u32 at, value;

				x = cxsim_derive(x, (u32)round);
				at = (u32)x % (head / 4) * 4;
				value = x >> 63 ? 0xffffffff : (u32)(x >> 32) >> (x >> 56 & 31);
				if (round & 1)
					at += second;
				cxsim_put_be32(card->chip.cells + at, value);
			}
			boot(card, round % CXSIM_BOOT_POLICIES);
		}
		cxsim_card_destroy(card);
	}
}

/* Header fields that no section covers, with the CRC of the full image put right behind them. */
static void header_fields_must_agree(void)
{
	static const struct { u32 at, value; } fields[] = {
		{ 0x30, 0x1234 }, { 0x30, 0xffffffff }, { 0x34, 0x40 }, { 0x34, 0 }, { 0x2c, 0x40 << 8 | 0xc0000000 },
	};
	struct cxsim_parameters parameters = parameters_of("connectx3pro", "2.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx3pro", 0x200000);
	u8 *cells;
	size_t i;

	REQUIRE(card);
	cells = card->chip.cells;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		u32 length;

		REQUIRE(put_image(card, &parameters, 0));
		CHECK(boots_whole(card));
		length = card->facts.length;
		cxsim_put_be32(cells + fields[i].at, fields[i].value);
		cells[0x22] = 0xff;
		cells[0x23] = 0xff;
		cxsim_put_be32(cells + 0x20, (cxsim_get_be32(cells + 0x20) & 0xffff0000) | cxsim_crc16(cells, length));
		if (boots_whole(card))
			ktap_fail(__FILE__, __LINE__, "%#x at %#x is not seen", fields[i].value, fields[i].at);
	}
	cxsim_card_destroy(card);
}

/* Sections that point back: the chain ends all the same. */
static void a_chain_that_turns_back(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx2", "2.9.1000", 0x200000);
	struct cxsim_card *card = new_card("connectx2", 0x200000);
	u32 first, next;

	REQUIRE(card);
	REQUIRE(put_image(card, &parameters, 0));
	first = 0x38 + 16 + 4 * cxsim_get_be32(card->chip.cells + 0x3c);
	next = cxsim_get_be32(card->chip.cells + first + 12);
	cxsim_put_be32(card->chip.cells + next + 12, first);
	CHECK(!boots_whole(card));
	CHECK(!cxsim_booted(card)->recovery);
	cxsim_card_destroy(card);
}

static void trouble_is_named(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx3pro", "2.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx3pro", 0x200000);
	struct cxsim_facts facts;
	struct cxsim_boot boot;
	char why[CXSIM_WHY];

	REQUIRE(card);
	REQUIRE(put_image(card, &parameters, 0));
	CHECK(cxsim_image_check(card, 0, false, &boot, &facts, why));
	CHECK_STR(why, "");
	card->chip.cells[0x3c + 8] ^= 1;
	CHECK(!cxsim_image_check(card, 0, false, &boot, &facts, why));
	CHECK_STR(why, "CRC of BOOT2 at 0x38 of the image at 0x0");
	CHECK_STR(boot.psid, parameters.psid);
	CHECK(!cxsim_image_check(card, CHUNK, false, &boot, &facts, why));
	CHECK(strstr(why, "magic"));
	CHECK(!cxsim_image_check(card, 0x1ffff0, false, &boot, &facts, why));
	CHECK(why[0]);
	cxsim_card_destroy(card);
}

/* ---- policies ---- */

struct policy_case {
	enum cxsim_boot_policy policy;
	bool recovery, whole;
	u32 address;
};

static void check_policies(struct cxsim_card *card, const struct policy_case *cases)
{
	int i;

	for (i = 0; i < 4; i++) {
		boot(card, cases[i].policy);
		CHECK_EQ(cxsim_booted(card)->recovery, cases[i].recovery);
		if (!cases[i].recovery) {
			CHECK_EQ(cxsim_booted(card)->whole, cases[i].whole);
			CHECK_EQ(cxsim_booted(card)->address, cases[i].address);
		}
		if (ktap_failed()) {
			ktap_note("policy %d", cases[i].policy);
			return;
		}
	}
}

static void policies(void)
{
	static const struct policy_case both[] = {
		{ CXSIM_BOOT_CHECKED_FIRST, false, true, 0 }, { CXSIM_BOOT_CHECKED_LAST, false, true, CHUNK },
		{ CXSIM_BOOT_MAGIC_FIRST, false, true, 0 }, { CXSIM_BOOT_MAGIC_LAST, false, true, CHUNK },
	}, first_damaged[] = {
		{ CXSIM_BOOT_CHECKED_FIRST, false, true, CHUNK }, { CXSIM_BOOT_CHECKED_LAST, false, true, CHUNK },
		{ CXSIM_BOOT_MAGIC_FIRST, false, false, 0 }, { CXSIM_BOOT_MAGIC_LAST, false, true, CHUNK },
	}, stale[] = {
		{ CXSIM_BOOT_CHECKED_FIRST, false, true, CHUNK }, { CXSIM_BOOT_CHECKED_LAST, false, true, CHUNK },
		{ CXSIM_BOOT_MAGIC_FIRST, false, false, 0 }, { CXSIM_BOOT_MAGIC_LAST, false, false, 0x100000 },
	}, nothing[] = {
		{ CXSIM_BOOT_CHECKED_FIRST, true, false, 0 }, { CXSIM_BOOT_CHECKED_LAST, true, false, 0 },
		{ CXSIM_BOOT_MAGIC_FIRST, true, false, 0 }, { CXSIM_BOOT_REGISTER, true, false, 0 },
	};
	struct cxsim_parameters old = parameters_of("connectx3", "2.30.3000", 0x200000);
	struct cxsim_parameters young = parameters_of("connectx3", "2.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx3", 0x200000);

	REQUIRE(card);
	check_policies(card, nothing);
	REQUIRE(put_image(card, &old, 0));
	REQUIRE(put_image(card, &young, 1));
	check_policies(card, both);
	card->chip.cells[0x5000] ^= 0x10;
	check_policies(card, first_damaged);
	memcpy(card->chip.cells + 0x100000, cxsim_magic_fs2, 16);
	check_policies(card, stale);
	memset(card->chip.cells, 0, 4);
	memset(card->chip.cells + CHUNK, 0, 4);
	memset(card->chip.cells + 0x100000, 0, 4);
	check_policies(card, nothing);
	cxsim_card_destroy(card);
}

static void every_search_offset_counts(void)
{
	struct cxsim_card *card = new_card("connectx2", 0x4000000);
	u32 at;

	REQUIRE(card);
	for (at = 0x10000; at <= 0x2000000; at <<= 1) {
		memset(card->chip.cells, 0xff, card->chip.size);
		memcpy(card->chip.cells + at, cxsim_magic_fs2, 16);
		boot(card, CXSIM_BOOT_MAGIC_LAST);
		CHECK(!cxsim_booted(card)->recovery);
		CHECK(!cxsim_booted(card)->whole);
		CHECK_EQ(cxsim_booted(card)->address, at);
		boot(card, CXSIM_BOOT_CHECKED_LAST);
		CHECK(cxsim_booted(card)->recovery);
		memset(card->chip.cells + at, 0xff, 16);
		memcpy(card->chip.cells + at + 0x8000, cxsim_magic_fs2, 16);
		boot(card, CXSIM_BOOT_MAGIC_LAST);
		CHECK(cxsim_booted(card)->recovery);
	}
	cxsim_card_destroy(card);
}

/* An image that is whole, but where its chunks cannot be. */
static void a_whole_image_in_the_wrong_place(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx3", "2.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx3", 0x200000);
	size_t length;
	u8 *image;

	REQUIRE(card);
	image = new_image(&parameters, &length);
	REQUIRE(image);
	memcpy(card->chip.cells + 0x40000, image, length);
	boot(card, CXSIM_BOOT_MAGIC_FIRST);
	CHECK_EQ(cxsim_booted(card)->address, 0x40000);
	CHECK(!cxsim_booted(card)->whole);
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	CHECK(cxsim_booted(card)->recovery);
	/* A stale header before a whole image must not pass for it. */
	memset(card->chip.cells, 0xff, card->chip.size);
	REQUIRE(put_image(card, &parameters, 1));
	memcpy(card->chip.cells + 0x40000, image, 0x38);
	CHECK(!boots_whole(card));
	CHECK_EQ(cxsim_booted(card)->address, 0x40000);
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	check_booted(card, &parameters, CHUNK);
	free(image);
	cxsim_card_destroy(card);
}

static void the_boot_register_is_lost_with_power(void)
{
	static const struct { const char *model; u32 address, value, slot; } cases[] = {
		{ "connectx3pro", 0xf0000, CHUNK << 8, CHUNK },
		{ "connectx4lx", 0xf0000, 0x100000 << 8, 0x100000 },
		{ "connectx5", 0xf00c0, 0x100000, 0x100000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cxsim_parameters old = parameters_of(cases[i].model, "2.30.3000", 0x200000);
		struct cxsim_parameters young = parameters_of(cases[i].model, "2.42.5000", 0x200000);
		struct cxsim_card *card = new_card(cases[i].model, 0x200000);

		REQUIRE(card);
		REQUIRE(put_image(card, &old, 0));
		REQUIRE(put_image(card, &young, 1));
		boot(card, CXSIM_BOOT_REGISTER);
		check_booted(card, &old, 0);
		cxsim_cr_write(card, cases[i].address, cases[i].value);
		CHECK_EQ(cxsim_booted(card)->address, 0);
		cxsim_reset(card, CXSIM_RESET_CHIP);
		check_booted(card, &young, cases[i].slot);
		CHECK_EQ(cxsim_cr_read(card, cases[i].address), cases[i].value);
		cxsim_reset(card, CXSIM_RESET_CHIP);
		check_booted(card, &young, cases[i].slot);
		memset(card->chip.cells + cases[i].slot, 0, 4);
		cxsim_reset(card, CXSIM_RESET_CHIP);
		check_booted(card, &old, 0);
		REQUIRE(put_image(card, &young, 1));
		cxsim_reset(card, CXSIM_RESET_POWER);
		check_booted(card, &old, 0);
		cxsim_card_destroy(card);
	}
}

static void firmware_activates_a_slot(void)
{
	struct cxsim_parameters old = parameters_of("connectx5", "16.30.3000", 0x200000);
	struct cxsim_parameters young = parameters_of("connectx5", "16.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx5", 0x200000);
	struct cxsim_facts facts;
	struct cxsim_boot boot_facts;

	REQUIRE(card);
	REQUIRE(put_image(card, &old, 0));
	REQUIRE(put_image(card, &young, 1));
	memset(card->chip.cells + 0x100000, 0xff, 16);
	boot(card, CXSIM_BOOT_MAGIC_LAST);
	check_booted(card, &old, 0);
	CHECK(!cxsim_image_look(card, 0x100000, false, &boot_facts, &facts));
	CHECK(cxsim_image_look(card, 0x100000, true, &boot_facts, &facts));
	CHECK_EQ(boot_facts.version[1], 42);
	CHECK(cxsim_image_activate(card, 0x100000));
	CHECK_EQ(cxsim_booted(card)->version[1], 30);
	boot(card, CXSIM_BOOT_MAGIC_FIRST);
	check_booted(card, &young, 0x100000);
	cxsim_card_destroy(card);
}

/* FS3: firmware gives a new image the entries of the data that the card has. */
static void firmware_adopts_an_image(void)
{
	struct cxsim_parameters own = parameters_of("connectx4lx", "14.30.3000", 0x200000);
	struct cxsim_parameters stock = parameters_of("connectx4lx", "14.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx4lx", 0x200000);
	struct cxsim_boot boot_facts;
	struct cxsim_facts facts;
	size_t length;
	u8 *image;

	REQUIRE(card);
	REQUIRE(put_image(card, &own, 0));
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	stock.guid = 0x1111111111111110ULL;
	stock.mac = 0x101111111110ULL;
	stock.vsd = "as it was sold";
	image = new_image(&stock, &length);
	REQUIRE(image);
	memcpy(card->chip.cells + 0x100000, image, 0x80000);
	free(image);
	CHECK(!cxsim_image_look(card, 0x100000, false, &boot_facts, &facts));
	CHECK(cxsim_image_adopt(card, 0x100000));
	CHECK(cxsim_image_look(card, 0x100000, false, &boot_facts, &facts));
	CHECK(cxsim_image_activate(card, 0x100000));
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	CHECK_EQ(cxsim_booted(card)->version[1], 42);
	CHECK_EQ(cxsim_booted(card)->guid[0], own.guid);
	CHECK_STR(card->facts.device_vsd, own.vsd);
	cxsim_card_destroy(card);
}

static void device_data_that_is_not_right(void)
{
	struct cxsim_parameters parameters = parameters_of("connectx5", "16.42.5000", 0x200000);
	struct cxsim_card *card = new_card("connectx5", 0x200000);

	REQUIRE(card);
	REQUIRE(put_image(card, &parameters, 0));
	/* Both copies valid: then neither is. */
	memcpy(card->chip.cells + 0x1e0000, card->chip.cells + 0x1d0000, 0x200);
	CHECK(!boots_whole(card));
	/* The second one alone is as good as the first. */
	memset(card->chip.cells + 0x1d0000, 0, 4);
	CHECK(boots_whole(card));
	check_booted(card, &parameters, 0);
	/* A damaged flash area is not the image's fault: it boots. */
	memset(card->chip.cells + 0x1e0000, 0, 4);
	boot(card, CXSIM_BOOT_CHECKED_FIRST);
	CHECK(!cxsim_booted(card)->recovery);
	CHECK(!cxsim_booted(card)->whole);
	cxsim_card_destroy(card);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(checksum_vectors),
	KTAP_TEST(sha256_vectors),
	KTAP_TEST(slot_addresses),
	KTAP_TEST(every_image_boots),
	KTAP_TEST(all_flash_sizes),
	KTAP_TEST(striped_over_several_chunks),
	KTAP_TEST(images_differ_with_their_seed),
	KTAP_TEST(room_is_respected),
	KTAP_TEST(wrong_parameters_are_named),
	KTAP_TEST(placing_has_limits),
	KTAP_TEST(device_data_stays_in_place),
	KTAP_TEST(rom_is_read_from_the_image),
	KTAP_TEST(any_flipped_bit_of_fs2_is_seen),
	KTAP_TEST(flipped_bits_of_fs4_are_seen),
	KTAP_TEST(flipped_bits_of_fs3_are_seen),
	KTAP_TEST(the_second_place_of_the_table),
	KTAP_TEST(garbage_behind_a_magic),
	KTAP_TEST(header_fields_must_agree),
	KTAP_TEST(a_chain_that_turns_back),
	KTAP_TEST(trouble_is_named),
	KTAP_TEST(policies),
	KTAP_TEST(every_search_offset_counts),
	KTAP_TEST(a_whole_image_in_the_wrong_place),
	KTAP_TEST(the_boot_register_is_lost_with_power),
	KTAP_TEST(firmware_activates_a_slot),
	KTAP_TEST(firmware_adopts_an_image),
	KTAP_TEST(device_data_that_is_not_right),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
