// SPDX-License-Identifier: GPL-2.0-only
/* The simulated flash chip and its gateways: what a real one would do to us. */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/cxsim/model/card.h"
#include "../lib/ktap.h"

#define MS	1000000ULL
#define GO	0x40000000U
#define LOCK	0x80000000U

static void *host_alloc(size_t bytes)
{
	return calloc(1, bytes);
}

static const struct cxsim_host host = { .alloc = host_alloc, .free = free };

static struct cxsim_card *new_card(const char *model, const char *chip, u32 size, u64 seed)
{
	struct cxsim_parameters parameters = {
		.model = model, .chip = chip, .flash_size = size, .seed = seed, .empty = true,
	};
	char why[CXSIM_WHY] = "";
	struct cxsim_card *card = cxsim_card_create(&parameters, &host, why);

	if (!card)
		ktap_fail(__FILE__, __LINE__, "%s with %s of %u bytes: %s", model, chip ? chip : "any chip", size, why);
	return card;
}

/* A ConnectX-3 Pro with an empty flash of 2 MiB. */
static struct cxsim_card *plain_card(void)
{
	return new_card("connectx3pro", NULL, 0x200000, 1);
}

/* ---- the chip's own commands ---- */

static void command(struct cxsim_card *card, u8 opcode)
{
	cxsim_chip_select(card);
	cxsim_chip_transfer(card, opcode);
	cxsim_chip_deselect(card);
}

static void send_address(struct cxsim_card *card, u8 opcode, u32 address, int bytes)
{
	cxsim_chip_select(card);
	cxsim_chip_transfer(card, opcode);
	while (bytes--)
		cxsim_chip_transfer(card, (u8)(address >> 8 * bytes));
}

static void erase(struct cxsim_card *card, u8 opcode, u32 address)
{
	send_address(card, opcode, address, 3);
	cxsim_chip_deselect(card);
}

static void program(struct cxsim_card *card, u32 address, const u8 *data, u32 length)
{
	send_address(card, 0x02, address, 3);
	while (length--)
		cxsim_chip_transfer(card, *data++);
	cxsim_chip_deselect(card);
}

static void read_back(struct cxsim_card *card, u32 address, u8 *data, u32 length)
{
	send_address(card, 0x03, address, 3);
	while (length--)
		*data++ = cxsim_chip_transfer(card, 0);
	cxsim_chip_deselect(card);
}

static u8 register_byte(struct cxsim_card *card, u8 opcode)
{
	u8 value;

	cxsim_chip_select(card);
	cxsim_chip_transfer(card, opcode);
	value = cxsim_chip_transfer(card, 0);
	cxsim_chip_deselect(card);
	return value;
}

static u8 status(struct cxsim_card *card)
{
	return register_byte(card, 0x05);
}

static void wait_ready(struct cxsim_card *card)
{
	cxsim_advance(card, 4000 * MS);
}

static void write_enabled_program(struct cxsim_card *card, u32 address, const u8 *data, u32 length)
{
	command(card, 0x06);
	program(card, address, data, length);
	wait_ready(card);
}

static void write_enabled_erase(struct cxsim_card *card, u8 opcode, u32 address)
{
	command(card, 0x06);
	erase(card, opcode, address);
	wait_ready(card);
}

static void write_status(struct cxsim_card *card, const u8 *values, int count)
{
	command(card, 0x06);
	cxsim_chip_select(card);
	cxsim_chip_transfer(card, 0x01);
	while (count--)
		cxsim_chip_transfer(card, *values++);
	cxsim_chip_deselect(card);
}

static bool all(const u8 *data, u32 length, u8 value)
{
	while (length--)
		if (*data++ != value)
			return false;
	return true;
}

static void every_chip_of_the_table(void)
{
	const struct cxsim_chip_type *type;
	unsigned int i;
	int log2;

	for (i = 0; (type = cxsim_chip_type(i)); i++)
		for (log2 = type->smallest < 21 ? 21 : type->smallest; log2 <= type->largest; log2++) {
			struct cxsim_card *card = new_card("connectx5", type->name, 1U << log2, i);
			u32 jedec, address = (1U << log2) - 0x10000;
			u8 byte = 0x5a;

			REQUIRE(card);
			jedec = cxsim_chip_jedec(card);
			cxsim_chip_select(card);
			cxsim_chip_transfer(card, 0x9f);
			CHECK_EQ(cxsim_chip_transfer(card, 0), jedec >> 16);
			CHECK_EQ(cxsim_chip_transfer(card, 0), jedec >> 8 & 0xff);
			CHECK_EQ(cxsim_chip_transfer(card, 0), jedec & 0xff);
			cxsim_chip_deselect(card);
			if (type->power_on_status)
				write_status(card, (const u8 *)"", 1);
			wait_ready(card);
			CHECK(cxsim_flash_firmware_program(card, address + 3, &byte, 1));
			CHECK_EQ(card->chip.cells[address + 3], 0x5a);
			CHECK(cxsim_flash_firmware_erase(card, address, type->block_erase ? 0x10000 : 0x1000));
			CHECK_EQ(card->chip.cells[address + 3], 0xff);
			CHECK(type->sector_us[0] <= type->sector_us[1] && type->block_us[0] <= type->block_us[1]);
			cxsim_card_destroy(card);
		}
	CHECK(i >= 25);
}

static void wrong_chips_are_named(void)
{
	static const struct {
		const char *chip;
		u32 size;
		const char *text;
	} cases[] = {
		{ "W25Q00", 0, "not in the chip table" },
		{ "M25Pxx", 1U << 26, "not made in 64 MiB" },
		{ NULL, 3U << 20, "power of two" },
		{ NULL, 1U << 20, "power of two" },
		{ NULL, 1U << 27, "power of two" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cxsim_parameters parameters = {
			.model = "connectx3pro", .chip = cases[i].chip, .flash_size = cases[i].size, .empty = true,
		};
		char why[CXSIM_WHY] = "";

		CHECK(!cxsim_card_create(&parameters, &host, why));
		if (!strstr(why, cases[i].text))
			ktap_fail(__FILE__, __LINE__, "case %zu: \"%s\" does not say \"%s\"", i, why, cases[i].text);
	}
}

static void program_only_clears_bits(void)
{
	struct cxsim_card *card = plain_card();
	u8 data[4] = { 0x0f, 0x55, 0x00, 0xff }, second[4] = { 0xf3, 0xff, 0xff, 0x7f }, got[4];

	REQUIRE(card);
	write_enabled_program(card, 0x1000, data, 4);
	read_back(card, 0x1000, got, 4);
	CHECK(!memcmp(got, data, 4));
	write_enabled_program(card, 0x1000, second, 4);
	read_back(card, 0x1000, got, 4);
	CHECK_EQ(got[0], 0x03);
	CHECK_EQ(got[1], 0x55);
	CHECK_EQ(got[2], 0x00);
	CHECK_EQ(got[3], 0x7f);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_PROGRAMS), 2);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_PROGRAMMED_BYTES), 8);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_READS), 2);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_READ_BYTES), 8);
	cxsim_card_destroy(card);
}

static void program_wraps_in_its_page(void)
{
	struct cxsim_card *card = plain_card();
	u8 data[32], got[0x120];
	int i;

	REQUIRE(card);
	for (i = 0; i < 32; i++)
		data[i] = (u8)i;
	write_enabled_program(card, 0x20f0, data, 32);
	read_back(card, 0x2000, got, sizeof(got));
	CHECK(!memcmp(got + 0xf0, data, 16));
	CHECK(!memcmp(got, data + 16, 16));
	CHECK(all(got + 16, 0xe0, 0xff));
	CHECK(all(got + 0x100, 0x20, 0xff));
	cxsim_card_destroy(card);
}

static void nothing_without_write_enable(void)
{
	struct cxsim_card *card = plain_card();
	u8 zero[4] = { 0 };

	REQUIRE(card);
	program(card, 0, zero, 4);
	CHECK(all(card->chip.cells, 4, 0xff));
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 1);
	write_enabled_program(card, 0, zero, 4);
	CHECK(all(card->chip.cells, 4, 0));
	CHECK(!(status(card) & 0x02));
	erase(card, 0xd8, 0);
	CHECK(all(card->chip.cells, 4, 0));
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 2);
	command(card, 0x06);
	CHECK(status(card) & 0x02);
	command(card, 0x04);
	CHECK(!(status(card) & 0x02));
	CHECK_EQ(cxsim_count(card, CXSIM_FLASH_OPERATIONS), 1);
	cxsim_card_destroy(card);
}

static void a_busy_chip_does_not_listen(void)
{
	struct cxsim_card *card = plain_card();
	u8 zero[4] = { 0 }, got[4];

	REQUIRE(card);
	write_enabled_program(card, 0x100, zero, 4);
	memset(card->chip.cells + 0x20000, 0x12, 4);
	command(card, 0x06);
	erase(card, 0x20, 0);
	CHECK(status(card) & 0x01);
	command(card, 0x06);
	program(card, 0x20000, zero, 4);
	read_back(card, 0x20000, got, 4);
	CHECK(memcmp(got, "\x12\x12\x12\x12", 4));
	CHECK(all(card->chip.cells + 0x20000, 4, 0x12));
	CHECK(cxsim_count(card, CXSIM_FOUL) >= 3);
	wait_ready(card);
	CHECK(!(status(card) & 0x03));
	read_back(card, 0x20000, got, 4);
	CHECK(all(got, 4, 0x12));
	CHECK(all(card->chip.cells + 0x100, 4, 0xff));
	cxsim_card_destroy(card);
}

static void operations_take_their_time(void)
{
	struct cxsim_card *card = plain_card();
	const struct cxsim_chip_type *type;
	u8 zero = 0;
	int which;

	REQUIRE(card);
	type = card->chip.type;
	for (which = 0; which < 2; which++) {
		CHECK(cxsim_set(card, CXSIM_FLASH_TIME, which));
		command(card, 0x06);
		erase(card, 0xd8, 0x10000);
		cxsim_advance(card, (u64)type->block_us[which] * 1000 - 1);
		CHECK(status(card) & 1);
		cxsim_advance(card, 1);
		CHECK(!(status(card) & 1));
		command(card, 0x06);
		program(card, 0x10000, &zero, 1);
		cxsim_advance(card, (u64)type->program_us[which] * 1000 - 1);
		CHECK(status(card) & 1);
		cxsim_advance(card, 1);
		CHECK(!(status(card) & 1));
	}
	CHECK(cxsim_set(card, CXSIM_FLASH_TIME, 2));
	command(card, 0x06);
	erase(card, 0xd8, 0x10000);
	CHECK(!(status(card) & 1));
	cxsim_card_destroy(card);
}

static void erases_exactly_its_unit(void)
{
	static const struct { u8 opcode; u32 unit; } erases[] = {
		{ 0x20, 0x1000 }, { 0x52, 0x8000 }, { 0xd8, 0x10000 },
	};
	struct cxsim_card *card = plain_card();
	size_t i;

	REQUIRE(card);
	for (i = 0; i < ARRAY_SIZE(erases); i++) {
		u32 unit = erases[i].unit, at = 0x40000;

		memset(card->chip.cells, 0, card->chip.size);
		write_enabled_erase(card, erases[i].opcode, at + 0x123);
		CHECK(all(card->chip.cells, at, 0));
		CHECK(all(card->chip.cells + at, unit, 0xff));
		CHECK(all(card->chip.cells + at + unit, card->chip.size - at - unit, 0));
	}
	/* A byte behind the address: the chip takes it for a mistake. */
	command(card, 0x06);
	send_address(card, 0x20, 0x10000, 3);
	cxsim_chip_transfer(card, 0);
	cxsim_chip_deselect(card);
	wait_ready(card);
	CHECK(all(card->chip.cells + 0x10000, 0x1000, 0));
	cxsim_card_destroy(card);
}

static void protection_fails_silently(void)
{
	/* Status register 1, and where the protected range of a 16 MiB chip begins and ends. */
	static const struct {
		const char *chip;
		u8 bits;
		u32 start, end;
	} cases[] = {
		{ "W25QxxBV", 0x04, 0xff0000, 0x1000000 },
		{ "W25QxxBV", 0x0c, 0xfc0000, 0x1000000 },
		{ "W25QxxBV", 0x24, 0x000000, 0x010000 },
		{ "W25QxxBV", 0x44, 0xfff000, 0x1000000 },
		{ "W25Qxxx", 0x04, 0xfc0000, 0x1000000 },
		{ "MX25L16xxx", 0x14, 0xf00000, 0x1000000 },
		{ "IS25LPxxx", 0x20, 0x800000, 0x1000000 },
		{ "AT25DFxxx", 0x0c, 0x000000, 0x1000000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cxsim_card *card = new_card("connectx3pro", cases[i].chip, 1U << 24, 1);
		u32 last = cases[i].end - 1, before = cases[i].start - 1, operations;
		u8 zero = 0;

		REQUIRE(card);
		CHECK(cxsim_set(card, CXSIM_WRITE_PROTECT, cases[i].bits));
		CHECK_EQ(status(card) & 0x3c, cases[i].bits & 0x3c);
		operations = cxsim_count(card, CXSIM_FLASH_OPERATIONS);
		write_enabled_program(card, last, &zero, 1);
		write_enabled_program(card, cases[i].start, &zero, 1);
		CHECK_EQ(card->chip.cells[last], 0xff);
		CHECK_EQ(card->chip.cells[cases[i].start], 0xff);
		CHECK(!(status(card) & 0x02));
		if (cases[i].start) {
			write_enabled_program(card, before, &zero, 1);
			CHECK_EQ(card->chip.cells[before], 0);
			operations++;
		}
		CHECK_EQ(cxsim_count(card, CXSIM_FLASH_OPERATIONS), operations);
		CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
		write_status(card, &zero, 1);
		wait_ready(card);
		write_enabled_program(card, last, &zero, 1);
		CHECK_EQ(card->chip.cells[last], 0);
		cxsim_card_destroy(card);
	}
}

static void quad_bit_is_lost_by_a_short_status_write(void)
{
	struct cxsim_card *card = plain_card();
	u8 both[2] = { 0, 2 };

	REQUIRE(card);
	CHECK_EQ(register_byte(card, 0x35) & 2, 2);
	write_status(card, both, 1);
	wait_ready(card);
	CHECK_EQ(register_byte(card, 0x35) & 2, 0);
	write_status(card, both, 2);
	wait_ready(card);
	CHECK_EQ(register_byte(card, 0x35) & 2, 2);
	cxsim_reset(card, CXSIM_RESET_POWER);
	CHECK_EQ(register_byte(card, 0x35) & 2, 2);
	cxsim_card_destroy(card);
}

static void status2_is_another_command_elsewhere(void)
{
	struct cxsim_card *card = new_card("connectx3pro", "N25Q0XX", 1U << 24, 1);

	REQUIRE(card);
	CHECK_EQ(register_byte(card, 0x35), 0xff);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 1);
	cxsim_card_destroy(card);
}

static void a_bad_bit_stays_one(void)
{
	struct cxsim_card *card = plain_card();
	u8 zero[2] = { 0 };

	REQUIRE(card);
	CHECK(cxsim_set(card, CXSIM_BAD_BIT, 1 + 0x1001 * 8 + 5));
	write_enabled_program(card, 0x1000, zero, 2);
	CHECK_EQ(card->chip.cells[0x1000], 0);
	CHECK_EQ(card->chip.cells[0x1001], 0x20);
	cxsim_card_destroy(card);
}

static void four_byte_addresses_of_large_chips(void)
{
	struct cxsim_card *card = new_card("connectx5", "W25Qxxx", 1U << 25, 1);
	u8 got;

	REQUIRE(card);
	card->chip.cells[0x1000010] = 0x11;
	card->chip.cells[0x0000010] = 0x22;
	send_address(card, 0x13, 0x1000010, 4);
	CHECK_EQ(cxsim_chip_transfer(card, 0), 0x11);
	cxsim_chip_deselect(card);
	read_back(card, 0x1000010, &got, 1);
	CHECK_EQ(got, 0x22);
	command(card, 0x06);
	erase(card, 0x21, 0x1000010);		/* an address byte is missing: nothing */
	wait_ready(card);
	CHECK_EQ(card->chip.cells[0x1000010], 0x11);
	CHECK_EQ(card->chip.cells[0x0000010], 0x22);
	command(card, 0xb7);
	send_address(card, 0x03, 0x1000010, 4);
	CHECK_EQ(cxsim_chip_transfer(card, 0), 0x11);
	cxsim_chip_deselect(card);
	cxsim_reset(card, CXSIM_RESET_POWER);
	read_back(card, 0x1000010, &got, 1);
	CHECK_EQ(got, 0x22);
	cxsim_card_destroy(card);
}

/* ---- power cuts ---- */

static void a_clean_cut_does_nothing_and_kills_the_card(void)
{
	struct cxsim_card *card = plain_card();
	u8 zero[4] = { 0 };

	REQUIRE(card);
	CHECK(cxsim_set(card, CXSIM_CUT_AFTER, 2));
	write_enabled_program(card, 0, zero, 4);
	CHECK(all(card->chip.cells, 4, 0));
	CHECK(cxsim_config_read(card, 0, 0, 4) != 0xffffffff || card->absent_until);
	write_enabled_program(card, 0x100, zero, 4);
	CHECK(all(card->chip.cells + 0x100, 4, 0xff));
	wait_ready(card);
	CHECK_EQ(cxsim_config_read(card, 0, 0, 4), 0xffffffff);
	CHECK(!cxsim_flash_firmware_program(card, 0x100, zero, 4));
	CHECK(!cxsim_flash_firmware_read(card, 0x100, zero, 4));
	cxsim_reset(card, CXSIM_RESET_CHIP);
	wait_ready(card);
	CHECK_EQ(cxsim_config_read(card, 0, 0, 4), 0xffffffff);
	cxsim_reset(card, CXSIM_RESET_POWER);
	wait_ready(card);
	CHECK(cxsim_config_read(card, 0, 0, 4) != 0xffffffff);
	CHECK(all(card->chip.cells + 0x100, 4, 0xff));
	CHECK_EQ(cxsim_get(card, CXSIM_CUT_AFTER), 0);
	cxsim_card_destroy(card);
}

static unsigned int differing_reads(struct cxsim_card *card, u32 address, u32 length)
{
	u8 *first = malloc(length), *again = malloc(length);
	unsigned int differing = 0, i;
	int round;

	read_back(card, address, first, length);
	for (round = 0; round < 4; round++) {
		read_back(card, address, again, length);
		for (i = 0; i < length; i++)
			differing += first[i] != again[i];
	}
	free(first);
	free(again);
	return differing;
}

static void a_torn_program_clears_some_bits(void)
{
	unsigned int partial = 0, unstable = 0, seed, i;

	for (seed = 0; seed < 64; seed++) {
		struct cxsim_card *card = new_card("connectx3pro", NULL, 0x200000, ktap_seed() + seed);
		u8 zero[256] = { 0 }, keep = 0x0f;

		REQUIRE(card);
		write_enabled_program(card, 0x3000, &keep, 1);
		CHECK(cxsim_set(card, CXSIM_CUT_TORN, 1));
		CHECK(cxsim_set(card, CXSIM_CUT_AFTER, 1));
		write_enabled_program(card, 0x3000, zero, 256);
		cxsim_reset(card, CXSIM_RESET_POWER);
		CHECK(!(card->chip.cells[0x3000] & 0xf0));
		partial += !all(card->chip.cells + 0x3000, 256, 0xff) && !all(card->chip.cells + 0x3000, 256, 0);
		CHECK(all(card->chip.cells, 0x3000, 0xff));
		CHECK(all(card->chip.cells + 0x3100, 0x1000, 0xff));
		i = differing_reads(card, 0x3000, 256);
		unstable += i != 0;
		CHECK_EQ(differing_reads(card, 0x3100, 256), 0);
		if (seed & 1)
			write_enabled_program(card, 0x3000, zero, 256);
		else
			write_enabled_erase(card, 0x20, 0x3000);
		CHECK_EQ(differing_reads(card, 0x3000, 256), 0);
		cxsim_card_destroy(card);
	}
	CHECK(partial > 32);
	CHECK(unstable > 8 && unstable < 56);
}

static void a_torn_erase_leaves_unstable_cells(void)
{
	unsigned int partial = 0, unstable = 0, seed;

	for (seed = 0; seed < 48; seed++) {
		struct cxsim_card *card = new_card("connectx3pro", NULL, 0x200000, ktap_seed() + seed);
		u32 i;

		REQUIRE(card);
		for (i = 0; i < 0x30000; i++)
			card->chip.cells[i] = (u8)(i * 7);
		CHECK(cxsim_set(card, CXSIM_CUT_TORN, 1));
		CHECK(cxsim_set(card, CXSIM_CUT_AFTER, 1));
		write_enabled_erase(card, 0xd8, 0x10000);
		cxsim_reset(card, CXSIM_RESET_POWER);
		partial += !all(card->chip.cells + 0x10000, 0x10000, 0xff);
		for (i = 0; i < 0x10000; i++)
			if (card->chip.cells[i] != (u8)(i * 7) ||
			    card->chip.cells[i + 0x20000] != (u8)((i + 0x20000) * 7))
				break;
		CHECK_EQ(i, 0x10000);
		unstable += differing_reads(card, 0x10000, 0x10000) != 0;
		CHECK_EQ(differing_reads(card, 0, 0x1000), 0);
		/* Sectors heal one by one. */
		write_enabled_erase(card, 0x20, 0x18000);
		CHECK_EQ(differing_reads(card, 0x18000, 0x1000), 0);
		write_enabled_erase(card, 0x20, 0x10000);
		write_enabled_erase(card, 0x20, 0x1f000);
		CHECK_EQ(differing_reads(card, 0x10000, 0x1000) + differing_reads(card, 0x1f000, 0x1000), 0);
		write_enabled_erase(card, 0xd8, 0x10000);
		CHECK_EQ(differing_reads(card, 0x10000, 0x10000), 0);
		CHECK(all(card->chip.cells + 0x10000, 0x10000, 0xff));
		CHECK_EQ(card->chip.unstable_count, 0);
		cxsim_card_destroy(card);
	}
	CHECK(partial > 24);
	CHECK(unstable > 24);
}

static void cells_rewritten_from_outside_are_sound(void)
{
	unsigned int seed;

	for (seed = 0; seed < 8; seed++) {
		struct cxsim_card *card = new_card("connectx3pro", NULL, 0x200000, ktap_seed() + seed);
		u8 *cells;
		u32 size;

		REQUIRE(card);
		cells = cxsim_flash(card, &size);
		memset(cells, 0x35, size);
		CHECK(cxsim_set(card, CXSIM_CUT_TORN, 1));
		CHECK(cxsim_set(card, CXSIM_CUT_AFTER, 1));
		write_enabled_erase(card, 0x20, 0);
		memset(cells, 0xff, size);
		cxsim_reset(card, CXSIM_RESET_POWER);
		CHECK_EQ(differing_reads(card, 0, 0x1000), 0);
		cxsim_card_destroy(card);
	}
}

static void torn_cells_stay_unstable_over_power_cycles(void)
{
	unsigned int seed, unstable = 0;

	for (seed = 0; seed < 16; seed++) {
		struct cxsim_card *card = new_card("connectx3pro", NULL, 0x200000, ktap_seed() + seed);

		REQUIRE(card);
		memset(card->chip.cells, 0x35, 0x2000);
		CHECK(cxsim_set(card, CXSIM_CUT_TORN, 1));
		CHECK(cxsim_set(card, CXSIM_CUT_AFTER, 1));
		write_enabled_erase(card, 0x20, 0);
		cxsim_reset(card, CXSIM_RESET_POWER);
		cxsim_reset(card, CXSIM_RESET_POWER);
		unstable += differing_reads(card, 0, 0x1000) != 0;
		cxsim_card_destroy(card);
	}
	CHECK(unstable >= 4);
}

/* More torn places than there are records, and erases in their middles: nothing breaks, erased ranges heal. */
static void many_torn_places(void)
{
	struct cxsim_card *card = new_card("connectx3pro", NULL, 0x200000, ktap_seed());
	u32 i;

	REQUIRE(card);
	CHECK(cxsim_set(card, CXSIM_FLASH_TIME, 2));
	memset(card->chip.cells, 0, card->chip.size);
	for (i = 0; i < 2 * CXSIM_UNSTABLE; i++) {
		CHECK(cxsim_set(card, CXSIM_CUT_TORN, 1));
		CHECK(cxsim_set(card, CXSIM_CUT_AFTER, 1));
		write_enabled_erase(card, 0xd8, i * 0x10000);
		cxsim_reset(card, CXSIM_RESET_POWER);
	}
	for (i = 0; i < 2 * CXSIM_UNSTABLE; i++) {
		write_enabled_erase(card, 0x20, i * 0x10000 + 0x7000);
		write_enabled_erase(card, 0x20, i * 0x10000 + 0xf000);
		CHECK_EQ(differing_reads(card, i * 0x10000 + 0x7000, 0x1000), 0);
		CHECK_EQ(differing_reads(card, i * 0x10000 + 0xf000, 0x1000), 0);
		CHECK(card->chip.unstable_count <= CXSIM_UNSTABLE);
	}
	for (i = 0; i < 2 * CXSIM_UNSTABLE; i++)
		write_enabled_erase(card, 0xd8, i * 0x10000);
	CHECK_EQ(card->chip.unstable_count, 0);
	CHECK_EQ(differing_reads(card, 0, 0x100000), 0);
	cxsim_card_destroy(card);
}

/* ---- the firmware's way ---- */

static void firmware_waits_for_the_chip(void)
{
	struct cxsim_card *card = plain_card();
	u64 begin;
	u8 data[600], got[600];
	int i;

	REQUIRE(card);
	for (i = 0; i < 600; i++)
		data[i] = (u8)(i * 13);
	begin = cxsim_time(card);
	CHECK(cxsim_flash_firmware_erase(card, 0x10000, 0x10000));
	CHECK(cxsim_flash_firmware_program(card, 0x100f0, data, 600));
	CHECK_EQ(cxsim_chip_busy_until(card) - begin,
		 card->chip.type->block_us[0] * 1000ULL + 4 * card->chip.type->program_us[0] * 1000ULL);
	CHECK(cxsim_flash_firmware_read(card, 0x100f0, got, 600));
	CHECK(!memcmp(data, got, 600));
	CHECK(!cxsim_flash_firmware_read(card, card->chip.size - 1, got, 2));
	CHECK(!cxsim_flash_firmware_read(card, 0xfffffff0, got, 32));
	CHECK(!cxsim_flash_firmware_erase(card, 0x800, 0x1000));
	CHECK(!cxsim_flash_firmware_erase(card, 0, 0x2000));
	CHECK(!cxsim_flash_firmware_erase(card, 0, 0));
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	cxsim_card_destroy(card);
}

/* ---- gateways ---- */

static u32 wait_go(struct cxsim_card *card)
{
	u32 value;
	int polls;

	for (polls = 0; polls < 100; polls++) {
		value = cxsim_cr_read(card, 0xf0400);
		if (!(value & GO))
			return value;
	}
	ktap_fail(__FILE__, __LINE__, "the gateway stays busy");
	return value;
}

static void gateway(struct cxsim_card *card, u32 value)
{
	cxsim_cr_write(card, 0xf0400, value);
	wait_go(card);
}

static void generation_4_commands(void)
{
	struct cxsim_card *card = plain_card();
	u8 zero[16] = { 0 };
	int i;

	REQUIRE(card);
	CHECK_EQ(cxsim_cr_read(card, 0xf03fc), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf03fc), 1);
	gateway(card, 0x409f2215);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xef401500);
	for (i = 0; i < 16; i++)
		card->chip.cells[0x12340 + i] = (u8)i;
	cxsim_cr_write(card, 0xf0404, 0x12340);
	gateway(card, 0x4003241d);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0x00010203);
	CHECK_EQ(cxsim_cr_read(card, 0xf041c), 0x0c0d0e0f);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);

	/* Without flash enable no chip is selected; nor is there one on the second chip select. */
	gateway(card, 0x409f0215);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xffffffff);
	gateway(card, 0x409f2a15);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xffffffff);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);

	cxsim_cr_write(card, 0xf03fc, 0);
	gateway(card, 0x409f2215);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 1);
	CHECK(!memcmp(card->chip.cells, "\xff\xff\xff\xff", 4) && !zero[0]);
	cxsim_card_destroy(card);
}

/* 64 bytes in four phases under one chip select, as mstflint sends a page. */
static void program_in_phases(struct cxsim_card *card, u32 extra, u32 address)
{
	int chunk, i;

	gateway(card, 0x40060004 | extra);
	cxsim_cr_write(card, 0xf0404, address);
	for (chunk = 0; chunk < 4; chunk++) {
		for (i = 0; i < 4; i++)
			cxsim_cr_write(card, 0xf0410 + 4 * i, 0x01020304u * (1 + chunk) + i);
		gateway(card, (chunk ? 0x40020410 : 0x4002041c) | (chunk < 3 ? 0x20 : 0) | extra);
	}
}

static void check_phases(struct cxsim_card *card, u32 address)
{
	int chunk, i;

	for (chunk = 0; chunk < 4; chunk++)
		for (i = 0; i < 4; i++) {
			const u8 *cell = card->chip.cells + address + chunk * 16 + i * 4;

			CHECK_EQ((u32)cell[0] << 24 | cell[1] << 16 | cell[2] << 8 | cell[3],
				 0x01020304u * (1 + chunk) + i);
		}
	CHECK_EQ(card->chip.cells[address + 64], 0xff);
}

static void pages_are_programmed_in_phases(void)
{
	struct cxsim_card *card = plain_card();

	REQUIRE(card);
	cxsim_cr_read(card, 0xf03fc);
	program_in_phases(card, 0x2000, 0x4000);
	check_phases(card, 0x4000);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_PROGRAMS), 1);
	CHECK_EQ(cxsim_count(card, CXSIM_SPI_PROGRAMMED_BYTES), 64);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	cxsim_card_destroy(card);
}

static void gateway_data_is_late(void)
{
	struct cxsim_card *card = plain_card();
	unsigned int late = 0, i;

	REQUIRE(card);
	cxsim_cr_read(card, 0xf03fc);
	CHECK(cxsim_set(card, CXSIM_FLAG_POLLS, 8));
	for (i = 0; i < 40; i++) {
		cxsim_cr_write(card, 0xf0400, 0x409f2215);
		late += cxsim_cr_read(card, 0xf0410) != 0xef401500;
		wait_go(card);
		CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xef401500);
	}
	CHECK(late > 10 && late < 40);
	cxsim_card_destroy(card);
}

static struct cxsim_card *running_connectx5(void)
{
	struct cxsim_parameters parameters = { .model = "connectx5", .flash_size = 0x200000, .seed = 5 };
	char why[CXSIM_WHY] = "";
	struct cxsim_card *card = cxsim_card_create(&parameters, &host, why);

	if (!card)
		ktap_fail(__FILE__, __LINE__, "%s", why);
	else if (!CHECK(!cxsim_booted(card)->recovery))
		ktap_note("the card did not boot");
	return card;
}

static void generation_5_lock(void)
{
	struct cxsim_card *card = new_card("connectx5", NULL, 0x200000, 3);

	REQUIRE(card);
	CHECK(cxsim_booted(card)->recovery);
	CHECK_EQ(cxsim_cr_read(card, 0xf0408), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) & LOCK, 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) & LOCK, LOCK);
	gateway(card, 0xc09f0215);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xef401500);
	program_in_phases(card, LOCK, 0x8000);
	check_phases(card, 0x8000);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	wait_ready(card);
	cxsim_cr_write(card, 0xf0400, 0);
	cxsim_cr_write(card, 0xf0400, 0xc09f0215);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 1);
	cxsim_card_destroy(card);
}

static void ignoring_the_guard_hangs_the_card(void)
{
	struct cxsim_card *card = running_connectx5();

	REQUIRE(card);
	CHECK(cxsim_cr_read(card, 0xf0408) & 0x3ffffff);
	CHECK(cxsim_cr_read(card, 0xf040c) & 0xff0000);
	CHECK_EQ(cxsim_cr_read(card, 0xf0420) & 1, 1);
	CHECK(cxsim_set(card, CXSIM_GUARD_HANGS, 0));
	cxsim_cr_read(card, 0xf0400);
	gateway(card, 0xc09f0215);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xef401500);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 1);
	CHECK(cxsim_set(card, CXSIM_GUARD_HANGS, 1));
	cxsim_cr_write(card, 0xf0400, 0xc09f0215);
	cxsim_advance(card, 5000 * MS);
	CHECK_EQ(cxsim_config_read(card, 0, 0, 4), 0xffffffff);
	cxsim_reset(card, CXSIM_RESET_CHIP);
	cxsim_advance(card, 5000 * MS);
	CHECK_EQ(cxsim_config_read(card, 0, 0, 4), 0xffffffff);
	cxsim_reset(card, CXSIM_RESET_POWER);
	cxsim_advance(card, 5000 * MS);
	CHECK(cxsim_config_read(card, 0, 0, 4) != 0xffffffff);
	cxsim_card_destroy(card);
}

/* What mstflint -ocr does. */
static void a_disabled_guard_lets_direct_access_in(void)
{
	struct cxsim_card *card = running_connectx5();

	REQUIRE(card);
	cxsim_cr_write(card, 0xf0014, 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0014) & 0xffff, 0x20d);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) & LOCK, 0);
	cxsim_cr_write(card, 0xf0420, cxsim_cr_read(card, 0xf0420) & ~1u);
	gateway(card, 0xc09f0215);
	CHECK_EQ(cxsim_cr_read(card, 0xf0410), 0xef401500);
	cxsim_cr_write(card, 0xf0420, cxsim_cr_read(card, 0xf0420) | 1);
	cxsim_cr_write(card, 0xf0400, 0);
	CHECK_EQ(cxsim_count(card, CXSIM_FOUL), 0);
	CHECK_EQ(cxsim_cr_read(card, 0xf0400) & LOCK, 0);
	cxsim_card_destroy(card);
}

/* A mutated client: the model never reads or writes outside its memory, whatever comes. */
static void random_register_traffic(void)
{
	unsigned long long x = ktap_seed() | 1;
	struct cxsim_card *card = plain_card();
	int i;

	REQUIRE(card);
	CHECK(cxsim_set(card, CXSIM_FLASH_TIME, 2));
	for (i = 0; i < 200000; i++) {
		u32 address;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		address = 0xf0400 + ((u32)(x >> 40) & 0x24);
		if (x & 1)
			cxsim_cr_read(card, address);
		else
			cxsim_cr_write(card, address, (u32)(x >> 8) | (address == 0xf0400 ? GO | 0x2000 : 0));
	}
	CHECK(cxsim_count(card, CXSIM_FOUL) > 0);
	cxsim_card_destroy(card);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(every_chip_of_the_table),
	KTAP_TEST(wrong_chips_are_named),
	KTAP_TEST(program_only_clears_bits),
	KTAP_TEST(program_wraps_in_its_page),
	KTAP_TEST(nothing_without_write_enable),
	KTAP_TEST(a_busy_chip_does_not_listen),
	KTAP_TEST(operations_take_their_time),
	KTAP_TEST(erases_exactly_its_unit),
	KTAP_TEST(protection_fails_silently),
	KTAP_TEST(quad_bit_is_lost_by_a_short_status_write),
	KTAP_TEST(status2_is_another_command_elsewhere),
	KTAP_TEST(a_bad_bit_stays_one),
	KTAP_TEST(four_byte_addresses_of_large_chips),
	KTAP_TEST(a_clean_cut_does_nothing_and_kills_the_card),
	KTAP_TEST(a_torn_program_clears_some_bits),
	KTAP_TEST(a_torn_erase_leaves_unstable_cells),
	KTAP_TEST(cells_rewritten_from_outside_are_sound),
	KTAP_TEST(torn_cells_stay_unstable_over_power_cycles),
	KTAP_TEST(many_torn_places),
	KTAP_TEST(firmware_waits_for_the_chip),
	KTAP_TEST(generation_4_commands),
	KTAP_TEST(pages_are_programmed_in_phases),
	KTAP_TEST(gateway_data_is_late),
	KTAP_TEST(generation_5_lock),
	KTAP_TEST(ignoring_the_guard_hangs_the_card),
	KTAP_TEST(a_disabled_guard_lets_direct_access_in),
	KTAP_TEST(random_register_traffic),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
