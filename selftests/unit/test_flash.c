// SPDX-License-Identifier: GPL-2.0-only
/* Flash: every byte as the chip holds it, whoever else uses the card; every failure named. */
#include "floors.h"

#include "../../kmod/cxfw/flash_backend.h"
#include "../../kmod/cxfw/flash_chips.h"
#include "../../kmod/cxfw/semaphore.h"

#define SECOND 1000000000ULL
#define LONGEST_HOLD 100000000ULL
#define PIECE 0x4000
#define AREA (FLOORS_FLASH - 0x20000)

static struct floors floors;
static struct cxfw_device *device = &floors.device;
static u8 bytes[FLOORS_FLASH];

struct way {
	const char *model;
	bool empty;
	u32 access;
	u64 goal;		/* configuration accesses a KiB that reading may cost */
};

/*
 * The goals are fractions of what mstflint's order of accesses needs by device-access.md:
 * 18 accesses for 16 bytes (generation 4), 30 (generation 5, whose lock takes more), 292 for 128 bytes (MFBA).
 */
static const struct way ways[] = {
	{ "connectx2", false, CXFW_FLASH_ACCESS_SPI, 18 * 64 * 8 / 10 },
	{ "connectx3pro-vsc", false, CXFW_FLASH_ACCESS_SPI, 18 * 64 * 8 / 10 },
	{ "connectx3", true, CXFW_FLASH_ACCESS_SPI, 18 * 64 * 8 / 10 },
	{ "connectx5", false, CXFW_FLASH_ACCESS_MFBA, 292 * 8 * 6 / 10 },
	{ "unknown-vsc", false, CXFW_FLASH_ACCESS_MFBA, 292 * 8 * 6 / 10 },
	{ "connectx5", true, CXFW_FLASH_ACCESS_SPI, 30 * 64 * 8 / 10 },
};

static u64 accesses(void)
{
	return cxsim_count(floors.card, CXSIM_CONFIG_READS) + cxsim_count(floors.card, CXSIM_CONFIG_WRITES);
}

/* Content that is neither blank nor the same anywhere, where no image is. */
static void fill_area(u32 from, u32 to)
{
	u32 i;

	for (i = from; i < to; i++)
		if (floors.cells[i] == 0xff && i % 0x5000 < 0x4000)
			floors.cells[i] = (u8)(i * 7 + (i >> 8) * 13 + (i >> 16));
}

static void fill_cells(void)
{
	fill_area(0, floors.size);
}

static void whole_flash_reads_as_it_is(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		u64 cost;

		REQUIRE(floors_open_flash(&floors, ways[i].model, ways[i].empty));
		CHECK_EQ(device->flash.access, ways[i].access);
		CHECK_EQ(device->flash.size, floors.size);
		CHECK_EQ(device->flash.banks, 1);
		CHECK(*cxfw_flash_name(device));
		fill_cells();
		cost = accesses();
		CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, floors.size), 0);
		CHECK(!memcmp(bytes, floors.cells, floors.size));
		cost = (accesses() - cost) / (floors.size / 1024);
		if (cost > ways[i].goal)
			ktap_fail(__FILE__, __LINE__, "%s: %llu accesses a KiB, goal %llu", ways[i].model, cost,
				  ways[i].goal);
		ktap_note("%s%s: %llu configuration accesses a KiB", ways[i].model, ways[i].empty ? ", recovery" : "", cost);
		cxfw_flash_unlock(device);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

/* Direct flash access of a ConnectX-5 through its VSC, where the guard does not stand. */
static void spi_over_vsc_is_cheap(void)
{
	static const u64 goal = 15 * 11 * 64 / 4;	/* mstflint: 15 CR accesses of 11 each for 16 bytes */
	u64 cost;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_GUARD_HANGS, 0);
	device->flash.backend = &cxfw_flash_spi;
	CHECK_ERROR(device, cxfw_flash_lock(device), 0);
	CHECK_ERROR(device, cxfw_flash_spi.probe(device), 0);
	device->flash.probed = true;
	cost = accesses();
	CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, floors.size), 0);
	CHECK(!memcmp(bytes, floors.cells, floors.size));
	cost = (accesses() - cost) / (floors.size / 1024);
	ktap_note("%llu configuration accesses a KiB, goal %llu", cost, goal);
	CHECK(cost <= goal);
	cxfw_flash_unlock(device);
	CHECK(!floors.pdev->config_locked);
	floors_end(&floors);
}

static void any_address_and_length_can_be_read(void)
{
	static const u32 places[][2] = {
		{ 0, 1 }, { 1, 1 }, { 3, 2 }, { 13, 7 }, { 15, 2 }, { 127, 2 }, { 100, 300 }, { 4, 16 }, { 0x10001, 1021 },
		{ FLOORS_FLASH - 1, 1 }, { FLOORS_FLASH - 131, 131 }, { 5, 0 }, { FLOORS_FLASH, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		REQUIRE(floors_open_flash(&floors, ways[i].model, ways[i].empty));
		fill_cells();
		for (size_t k = 0; k < ARRAY_SIZE(places); k++) {
			u32 address = places[k][0], length = places[k][1];

			memset(bytes, 0xa5, sizeof(bytes));
			CHECK_ERROR(device, cxfw_flash_read(device, address, bytes, length), 0);
			CHECK(!memcmp(bytes, floors.cells + address, length));
			CHECK(length == sizeof(bytes) || bytes[length] == 0xa5);
		}
		CHECK_ERROR(device, cxfw_flash_read(device, FLOORS_FLASH, bytes, 1), -EINVAL);
		CHECK_ERROR(device, cxfw_flash_read(device, FLOORS_FLASH - 1, bytes, 2), -EINVAL);
		CHECK_ERROR(device, cxfw_flash_read(device, 4, bytes, ~(size_t)0), -EINVAL);
		cxfw_flash_unlock(device);
		CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, 1), -EPERM);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

static const struct way writable[] = {
	{ "connectx2", false, CXFW_FLASH_ACCESS_SPI, 0 },
	{ "connectx3pro", false, CXFW_FLASH_ACCESS_SPI, 0 },
	{ "connectx5", true, CXFW_FLASH_ACCESS_SPI, 0 },
	{ "connectx5", false, CXFW_FLASH_ACCESS_MFBA, 0 },
};

#define ODD 0x123

static void erase_and_program_change_what_they_should(void)
{
	static u8 expected[FLOORS_FLASH], data[0x1500];

	for (u32 i = 0; i < sizeof(data); i++)
		data[i] = i % 0x300 < 0x60 ? 0xff : (u8)(i * 11 + 1);
	for (size_t i = 0; i < ARRAY_SIZE(writable); i++) {
		REQUIRE(floors_open_flash(&floors, writable[i].model, writable[i].empty));
		CHECK_EQ(device->flash.access, writable[i].access);
		CHECK_EQ(device->flash.sector, 0x1000);
		CHECK_EQ(device->flash.block, 0x10000);
		fill_cells();
		memcpy(expected, floors.cells, floors.size);

		CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x10000), 0);
		CHECK_ERROR(device, cxfw_flash_erase(device, AREA + 0x11000, 0x1000), 0);
		memset(expected + AREA, 0xff, 0x10000);
		memset(expected + AREA + 0x11000, 0xff, 0x1000);
		CHECK(!memcmp(expected, floors.cells, floors.size));

		CHECK_ERROR(device, cxfw_flash_program(device, AREA + ODD, data, sizeof(data)), 0);
		memcpy(expected + AREA + ODD, data, sizeof(data));
		CHECK(!memcmp(expected, floors.cells, floors.size));

		/* A second time over it: bits only go from 1 to 0. */
		CHECK_ERROR(device, cxfw_flash_program(device, AREA + ODD + 4, "\x0f", 1), 0);
		expected[AREA + ODD + 4] &= 0x0f;
		CHECK(!memcmp(expected, floors.cells, floors.size));
		CHECK_EQ(device->flash.erased, 0x11000);

		cxfw_flash_unlock(device);
		CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

/* Pieces of 0xff cost nothing: no operation of the chip. */
static void blank_pieces_are_skipped(void)
{
	static u8 blank[0x1000];

	memset(blank, 0xff, sizeof(blank));
	REQUIRE(floors_open_flash(&floors, "connectx3pro", false));
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x1000), 0);
	cxsim_counters_clear(floors.card);
	CHECK_ERROR(device, cxfw_flash_program(device, AREA, blank, sizeof(blank)), 0);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_SPI_PROGRAMS), 0);
	blank[0x234] = 0;
	CHECK_ERROR(device, cxfw_flash_program(device, AREA, blank, sizeof(blank)), 0);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_SPI_PROGRAMS), 1);
	CHECK_EQ(device->flash.programmed, 16);
	floors_end(&floors);
}

static void wrong_writes_are_refused(void)
{
	REQUIRE(floors_open_flash(&floors, "connectx3pro", false));
	cxsim_counters_clear(floors.card);
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x2000), -EINVAL);
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA + 4, 0x1000), -EINVAL);
	CHECK_ERROR(device, cxfw_flash_erase(device, FLOORS_FLASH, 0x1000), -EINVAL);
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA + 0x1000, 0x10000), -EINVAL);
	CHECK_ERROR(device, cxfw_flash_program(device, FLOORS_FLASH - 4, "12345", 5), -EINVAL);
	cxfw_flash_unlock(device);
	CHECK_ERROR(device, cxfw_flash_program(device, AREA, "1234", 4), -EPERM);
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x1000), -EPERM);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_FLASH_OPERATIONS), 0);
	floors_end(&floors);
}

/* What is not in a table is read, and never written. */
static void unknown_is_read_only(void)
{
	REQUIRE(floors_open_flash(&floors, "connectx3pro", false));
	device->flash.chip = NULL;
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x1000), -EOPNOTSUPP);
	CHECK_ERROR(device, cxfw_flash_program(device, AREA, "1234", 4), -EOPNOTSUPP);
	CHECK_WHY(device, "never written");
	CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, 64), 0);
	CHECK_STR(cxfw_flash_name(device), "");
	floors_end(&floors);

	REQUIRE(floors_open_flash(&floors, "unknown-vsc", false));
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x1000), -EOPNOTSUPP);
	CHECK_WHY(device, "never written");
	CHECK_EQ(cxsim_count(floors.card, CXSIM_FLASH_OPERATIONS), 0);
	floors_end(&floors);

	CHECK(!cxfw_flash_chip_find(0xef6018));
	CHECK(!cxfw_flash_chip_find(0xffffff));
	CHECK(!cxfw_flash_chip_find(0));
	CHECK_STR(cxfw_flash_chip_find(0xef4018)->name, "W25QxxBV");
	CHECK_STR(cxfw_flash_chip_find(0xef7019)->name, "W25Qxxx");
	CHECK_EQ(cxfw_flash_chip_bytes(0xef4018), 16 << 20);
	CHECK_EQ(cxfw_flash_chip_bytes(0x20bb20), 64 << 20);
	CHECK_EQ(cxfw_flash_chip_bytes(0x20bb21), 0);
	CHECK(cxfw_flash_chip_find(0xbf2515)->flags & CXFW_CHIP_SPECIAL);
}

static void write_protection_is_named(void)
{
	static const u8 none[3], top[3] = { 0x04 }, all[3] = { 0x1c }, bottom[3] = { 0x24 };
	const struct cxfw_flash_chip *chip = cxfw_flash_chip_find(0xef4015);

	CHECK(!cxfw_flash_protected(chip, none, 1 << 21, 0, 1 << 21));
	CHECK(!cxfw_flash_protected(chip, top, 1 << 21, 0, 0x1f0000));
	CHECK(cxfw_flash_protected(chip, top, 1 << 21, 0x1effff, 2));
	CHECK(cxfw_flash_protected(chip, all, 1 << 21, 0, 1));
	CHECK(cxfw_flash_protected(chip, bottom, 1 << 21, 0, 1));
	CHECK(!cxfw_flash_protected(chip, bottom, 1 << 21, 0x10000, 1));

	REQUIRE(floors_open_flash(&floors, "connectx3pro", false));
	cxsim_set(floors.card, CXSIM_WRITE_PROTECT, 0x1c);
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x1000), -EROFS);
	CHECK_WHY(device, "write protected");
	CHECK_ERROR(device, cxfw_flash_program(device, AREA, "1234", 4), -EROFS);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_FLASH_OPERATIONS), 0);
	CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, 64), 0);
	cxfw_flash_unlock(device);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

struct stuck {
	const char *model;
	bool empty;
	enum cxfw_semaphore semaphore;
	const char *name;
};

static void stuck_semaphores_are_named_and_cleared(void)
{
	static const struct stuck stuck[] = {
		{ "connectx3", false, CXFW_SEMAPHORE_FLASH_HCR, "0xf03a0" },
		{ "connectx3", false, CXFW_SEMAPHORE_FLASH_GATEWAY, "lock of the flash gateway" },
		{ "connectx5", false, CXFW_SEMAPHORE_FLASH_ICMD, "0xa:0x10" },
		{ "connectx5", false, CXFW_SEMAPHORE_ICMD, "0xa:0x0" },
		{ "connectx5", true, CXFW_SEMAPHORE_FLASH_GATEWAY, "lock of the flash gateway" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(stuck); i++) {
		struct cxsim_parameters parameters = floors_parameters(stuck[i].model);
		u64 start;
		u32 value;

		parameters.empty = stuck[i].empty;
		REQUIRE(floors_open_with(&floors, &parameters));
		cxsim_set(floors.card, CXSIM_STUCK_SEMAPHORE, stuck[i].semaphore);
		start = ktime_get_ns();
		CHECK_ERROR(device, cxfw_flash_probe(device), -EBUSY);
		CHECK(ktime_get_ns() - start < 60 * SECOND);
		CHECK_WHY(device, stuck[i].name);
		CHECK_EQ(device->semaphore, stuck[i].semaphore);
		value = device->semaphore_value;
		CHECK(value);
		CHECK(!device->flash.locked);
		CHECK_ERROR(device, cxfw_semaphore_clear(device, stuck[i].semaphore, value + 1), -ESTALE);
		CHECK_ERROR(device, cxfw_semaphore_clear(device, stuck[i].semaphore, value), 0);
		cxsim_counters_clear(floors.card);	/* the dead tool's hold is counted too */
		/* Free: it is not cleared, and looking must not leave it taken. */
		CHECK_ERROR(device, cxfw_semaphore_clear(device, stuck[i].semaphore, value), -ESTALE);
		start = ktime_get_ns();
		CHECK_ERROR(device, cxfw_flash_probe(device), 0);
		CHECK(ktime_get_ns() - start < 2 * SECOND);
		CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

static void semaphores_of_other_families_are_not_cleared(void)
{
	REQUIRE(floors_open(&floors, "connectx5"));
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_FLASH_HCR, 1), -EOPNOTSUPP);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_NONE, 1), -EOPNOTSUPP);
	floors_end(&floors);
	REQUIRE(floors_open(&floors, "connectx3"));
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_ICMD, 1), -EOPNOTSUPP);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_VSC, 1), -EOPNOTSUPP);
	floors_end(&floors);
}

/* Slow accesses: the locks that drivers wait for are given back in time. */
static void holds_are_short(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		REQUIRE(floors_open_flash(&floors, ways[i].model, ways[i].empty));
		cxsim_counters_clear(floors.card);
		cxsim_set(floors.card, CXSIM_ACCESS_TIME, 20000);
		CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, 0x10000), 0);
		CHECK(!memcmp(bytes, floors.cells, 0x10000));
		CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
		CHECK(shim.longest_config_lock < LONGEST_HOLD);
		CHECK(shim.sleeps > 5);
		floors_end(&floors);
	}
}

static void second_actor_changes_no_byte(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		REQUIRE(floors_open_flash(&floors, ways[i].model, ways[i].empty));
		cxfw_flash_unlock(device);
		fill_cells();
		cxsim_set(floors.card, CXSIM_SECOND_ACTOR, 1);
		for (u32 at = 0; at < 16 * PIECE; at += PIECE) {
			CHECK_ERROR(device, cxfw_flash_lock(device), 0);
			CHECK_ERROR(device, cxfw_flash_read(device, at, bytes, PIECE), 0);
			CHECK(!memcmp(bytes, floors.cells + at, PIECE));
			cxfw_flash_unlock(device);
		}
		cxsim_set(floors.card, CXSIM_SECOND_ACTOR, 0);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

/* Reset or unplugged between any two accesses: right bytes or an error. */
static void trouble_is_never_data(const struct way *way, enum cxsim_setting trouble, u64 absence, u32 length)
{
	bool whole = false;
	u64 after;

	for (after = 1; !whole; after++) {
		int error;

		REQUIRE(floors_open_flash(&floors, way->model, way->empty));
		fill_area(AREA, AREA + 0x1000);	/* the whole flash for every access takes long */
		cxsim_set(floors.card, CXSIM_ABSENCE_TIME, absence);
		cxsim_set(floors.card, trouble, after);
		error = cxfw_flash_read(device, AREA, bytes, length);
		whole = cxsim_get(floors.card, trouble);	/* it did not come up to the end */
		if (!error && memcmp(bytes, floors.cells + AREA, length))
			ktap_fail(__FILE__, __LINE__, "%s, trouble %d after %llu accesses: wrong bytes", way->model, trouble,
				  after);
		CHECK(!floors.pdev->config_locked);
		CHECK(!device->gateway.inside);
		if (error && error != -ENODEV && error != -EIO)
			CHECK_ERROR(device, error, -EIO);
		floors_end(&floors);
		REQUIRE(after < 20000);
	}
}

static void reset_is_never_data(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		trouble_is_never_data(&ways[i], CXSIM_RESET_AFTER, 200000000, 40);
		trouble_is_never_data(&ways[i], CXSIM_RESET_AFTER, 0, 140);
	}
}

static void unplug_is_never_data(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		trouble_is_never_data(&ways[i], CXSIM_UNPLUG_AFTER, 0, 40);
}

/* Whoever reads in pieces all the time leaves room for those who look now and then. */
static void lock_leaves_room(void)
{
	static const struct { const char *model; u64 patience, look; } others[] = {
		{ "connectx3", 20 * SECOND, SECOND / 2 },
		{ "connectx5", 6 * SECOND, SECOND / 20 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		u64 start, unlocked = 0, longest = 0;

		REQUIRE(floors_open(&floors, others[i].model));
		CHECK_ERROR(device, cxfw_flash_probe(device), 0);
		start = ktime_get_ns();
		while (ktime_get_ns() - start < others[i].patience) {
			CHECK_ERROR(device, cxfw_flash_lock(device), 0);
			if (unlocked && ktime_get_ns() - unlocked > longest)
				longest = ktime_get_ns() - unlocked;
			cxsim_advance(floors.card, 100000000);
			cxfw_flash_unlock(device);
			unlocked = ktime_get_ns();
		}
		CHECK(longest > others[i].look);
		floors_end(&floors);
	}
}

static void signal_ends_a_read(void)
{
	REQUIRE(floors_open_flash(&floors, "connectx3", false));
	shim.fatal_signal = true;
	CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, 64), -EINTR);
	cxfw_flash_unlock(device);
	shim.fatal_signal = false;
	CHECK_ERROR(device, cxfw_flash_lock(device), 0);	/* it was given back all the same */
	floors_end(&floors);
}

/* A signal while somebody is in the VSC: the lock is given back all the same. */

static void leaves_vsc_later(void *context)
{
	struct pci_dev *pdev = context;

	if (shim.sleeps > 10)
		cxsim_config_write(pdev->card, 0, (unsigned int)device->gateway.vsc + 0xc, 4, 0);
}

static void signal_leaves_no_lock_behind(void)
{
	u32 value;

	REQUIRE(floors_open_flash(&floors, "connectx5", false));
	cxsim_set(floors.card, CXSIM_STUCK_SEMAPHORE, CXFW_SEMAPHORE_VSC);
	shim.sleeps = 0;
	shim.at_sleep = leaves_vsc_later;
	shim.context = floors.pdev;
	shim.fatal_signal = true;
	cxfw_flash_unlock(device);
	shim.fatal_signal = false;
	shim.at_sleep = NULL;
	CHECK_ERROR(device, cxfw_gateway_begin(device), 0);
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, CXFW_FLASH_ICMD_SEMAPHORE, &value), 0);
	CHECK_EQ(value, 0);
	cxfw_gateway_end(device);
	floors_end(&floors);
}

/*
 * Taken off the bus by hand, or its bridge was: the card itself is still there, and whoever
 * finds it next must find it free.
 */

static u32 accesses_left;

static void removed_later(void *context)
{
	(void)context;
	if (!--accesses_left)
		WRITE_ONCE(device->gone, true);
}

static void check_free(const char *model, u32 accesses)
{
	u64 start = ktime_get_ns();
	int error;

	memset(device, 0, sizeof(*device));
	error = cxfw_device_open(device, floors.pdev);
	if (!error)
		error = cxfw_flash_probe(device);
	if (error || ktime_get_ns() - start > SECOND)
		ktap_fail(__FILE__, __LINE__, "%s, removed at access %u: %d, %s", model,
			  accesses, error, device->why);
}

static void removal_leaves_no_lock_behind(void)
{
	static const struct { const char *model; bool empty; } cards[] = {
		{ "connectx3", false }, { "connectx5", false }, { "connectx5", true },
	};
	u8 bytes[256];

	for (size_t i = 0; i < ARRAY_SIZE(cards); i++) {
		int ended = 0;

		REQUIRE(floors_open_flash(&floors, cards[i].model, cards[i].empty));
		for (u32 accesses = 1; !ktap_failed(); accesses += 3) {
			int error;

			accesses_left = accesses;
			shim.at_access = removed_later;
			error = cxfw_flash_read(device, 0, bytes, sizeof(bytes));
			cxfw_flash_unlock(device);
			shim.at_access = NULL;
			if (error)
				CHECK_ERROR(device, error, -ENODEV);
			if (!device->gone)
				break;
			ended += error;
			CHECK(!floors.pdev->config_locked);
			check_free(cards[i].model, accesses);
			CHECK_ERROR(device, cxfw_flash_lock(device), 0);
		}
		CHECK(ended);
		floors_end(&floors);
	}
}

static void busy_chip_is_waited_for(void)
{
	u32 value;

	REQUIRE(floors_open_flash(&floors, "connectx3pro", false));
	/* A tool died in the middle of an erase. */
	cxsim_set(floors.card, CXSIM_FLASH_TIME, 1);
	CHECK_ERROR(device, cxfw_gateway_begin(device), 0);
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_CR, CXFW_FLASH_GATEWAY_SEMAPHORE, &value), 0);
	CHECK_EQ(value, 0);
	cxfw_gateway_write(device, CXFW_SPACE_CR, 0xf0400, 0x40062004);
	do {
		cxfw_gateway_read(device, CXFW_SPACE_CR, 0xf0400, &value);
	} while (value & 0x40000000);
	cxfw_gateway_write(device, CXFW_SPACE_CR, 0xf0404, AREA);
	cxfw_gateway_write(device, CXFW_SPACE_CR, 0xf0400, 0x40d8200c);
	do {
		cxfw_gateway_read(device, CXFW_SPACE_CR, 0xf0400, &value);
	} while (value & 0x40000000);
	cxfw_gateway_write(device, CXFW_SPACE_CR, CXFW_FLASH_GATEWAY_SEMAPHORE, 0);
	cxfw_gateway_end(device);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_SPI_ERASES), 1);

	CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, 0x1000), 0);
	CHECK(!memcmp(bytes, floors.cells, 0x1000));
	cxfw_flash_unlock(device);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

/* mstflint's order of accesses on a ConnectX-3: 0xf03a0 for all, 0xf03fc for 16 bytes. */

static bool driver_done;
static unsigned int tool_reads, tool_wrong, tool_gave_up;

static u32 tool_cr_read(struct pci_dev *pdev, u32 address)
{
	shim_user_write(pdev, 0x58, 4, address);
	return shim_user_read(pdev, 0x5c, 4);
}

static void tool_cr_write(struct pci_dev *pdev, u32 address, u32 value)
{
	shim_user_write(pdev, 0x58, 4, address);
	shim_user_write(pdev, 0x5c, 4, value);
}

static bool tool_takes(struct pci_dev *pdev, u32 address, int tries, u64 sleep)
{
	while (tries--) {
		if (!tool_cr_read(pdev, address))
			return true;
		shim_user_sleep(sleep);
	}
	tool_gave_up++;
	return false;
}

static void tool_reads_sixteen(struct pci_dev *pdev, u32 address)
{
	u32 word;
	int i;

	if (!tool_takes(pdev, CXFW_FLASH_GATEWAY_SEMAPHORE, 1024, 1000000))
		return;
	tool_cr_write(pdev, 0xf0404, address);
	tool_cr_write(pdev, 0xf0400, 0x4003241d);
	while (tool_cr_read(pdev, 0xf0400) & 0x40000000)
		;
	for (i = 0; i < 16; i += 4) {
		const u8 *cell = floors.cells + address + i;

		word = tool_cr_read(pdev, 0xf0410 + i);
		if (word != ((u32)cell[0] << 24 | cell[1] << 16 | cell[2] << 8 | cell[3]))
			tool_wrong++;
	}
	tool_cr_write(pdev, CXFW_FLASH_GATEWAY_SEMAPHORE, 0);
	tool_reads++;
}

static void tool_reads_flash(void *context)
{
	struct pci_dev *pdev = context;
	u32 address = 0;

	while (!driver_done) {
		int i;

		if (!tool_takes(pdev, CXFW_FLASH_HCR_SEMAPHORE, 40, 500000000))
			continue;
		for (i = 0; i < 8; i++, address = (address + 0x1230) % (FLOORS_FLASH - 16) & ~15U)
			tool_reads_sixteen(pdev, address);
		tool_cr_write(pdev, CXFW_FLASH_HCR_SEMAPHORE, 0);
		shim_user_sleep(3000000);
	}
}

static void driver_reads_flash(void *context)
{
	static u8 piece[0x400];

	for (int i = 0; i < 40; i++) {
		u32 at = (u32)i * 0x3311;

		CHECK_ERROR(device, cxfw_flash_lock(device), 0);
		CHECK_ERROR(device, cxfw_flash_read(device, at, piece, sizeof(piece)), 0);
		CHECK(!memcmp(piece, floors.cells + at, sizeof(piece)));
		cxfw_flash_unlock(device);
		shim_user_sleep(1000000);
	}
	driver_done = true;
}

static void legacy_flash_is_shared_with_a_tool(void)
{
	REQUIRE(floors_open(&floors, "connectx3pro"));
	CHECK_ERROR(device, cxfw_flash_probe(device), 0);
	fill_cells();
	cxsim_set(floors.card, CXSIM_ACCESS_TIME, 10000);
	driver_done = false;
	tool_reads = 0;
	tool_wrong = 0;
	tool_gave_up = 0;
	shim_actors(ktap_seed(), driver_reads_flash, NULL, tool_reads_flash, floors.pdev);
	CHECK(tool_reads > 20);
	CHECK_EQ(tool_wrong, 0);
	CHECK_EQ(tool_gave_up, 0);
	CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

/* ConnectX-2 of 64 KiB-only chips and the like: units come from the chip table. */
static void units_follow_the_chip(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx2");

	parameters.chip = "M25Pxx";
	REQUIRE(floors_open_with(&floors, &parameters));
	CHECK_ERROR(device, cxfw_flash_probe(device), 0);
	CHECK_STR(cxfw_flash_name(device), "M25Pxx");
	CHECK_EQ(device->flash.sector, 0x10000);
	CHECK_EQ(device->flash.block, 0x10000);
	CHECK_ERROR(device, cxfw_flash_lock(device), 0);
	fill_cells();
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x1000), -EINVAL);
	CHECK_ERROR(device, cxfw_flash_erase(device, AREA, 0x10000), 0);
	CHECK_EQ(floors.cells[AREA], 0xff);
	CHECK_EQ(floors.cells[AREA + 0xffff], 0xff);
	cxfw_flash_unlock(device);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(whole_flash_reads_as_it_is),
	KTAP_TEST(spi_over_vsc_is_cheap),
	KTAP_TEST(any_address_and_length_can_be_read),
	KTAP_TEST(erase_and_program_change_what_they_should),
	KTAP_TEST(blank_pieces_are_skipped),
	KTAP_TEST(wrong_writes_are_refused),
	KTAP_TEST(unknown_is_read_only),
	KTAP_TEST(write_protection_is_named),
	KTAP_TEST(stuck_semaphores_are_named_and_cleared),
	KTAP_TEST(semaphores_of_other_families_are_not_cleared),
	KTAP_TEST(holds_are_short),
	KTAP_TEST(second_actor_changes_no_byte),
	KTAP_TEST(reset_is_never_data),
	KTAP_TEST(unplug_is_never_data),
	KTAP_TEST(lock_leaves_room),
	KTAP_TEST(signal_ends_a_read),
	KTAP_TEST(signal_leaves_no_lock_behind),
	KTAP_TEST(removal_leaves_no_lock_behind),
	KTAP_TEST(busy_chip_is_waited_for),
	KTAP_TEST(legacy_flash_is_shared_with_a_tool),
	KTAP_TEST(units_follow_the_chip),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
