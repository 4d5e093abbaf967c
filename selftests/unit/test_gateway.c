// SPDX-License-Identifier: GPL-2.0-only
/* The driver's way in: which functions it touches, how it shares, what it believes. */
#include "floors.h"

#include "../../kmod/cxfw/semaphore.h"

#define SECOND 1000000000ULL
#define LONGEST_HOLD 100000000ULL

static struct floors floors;
static struct cxfw_device *device = &floors.device;

struct expectation {
	const char *model;
	enum cxfw_gateway_kind kind;
	u32 hw_id, hw_revision;
	const char *chip;		/* NULL: generic */
};

static const struct expectation expectations[] = {
	{ "connectx2", CXFW_GATEWAY_CONF, 0x190, 0xb0, "ConnectX-2" },
	{ "connectx3", CXFW_GATEWAY_CONF, 0x1f5, 1, "ConnectX-3" },
	{ "connectx3-vsc", CXFW_GATEWAY_CONF, 0x1f5, 1, "ConnectX-3" },
	{ "connectx3pro", CXFW_GATEWAY_CONF, 0x1f7, 0, "ConnectX-3 Pro" },
	{ "connectx3pro-vsc", CXFW_GATEWAY_CONF, 0x1f7, 0, "ConnectX-3 Pro" },
	{ "connectx5", CXFW_GATEWAY_VSC, 0x20d, 0, "ConnectX-5" },
	{ "unknown-vsc", CXFW_GATEWAY_VSC, 0, 0, NULL },
};

static void check_identity(const struct expectation *expected)
{
	CHECK_EQ(device->gateway.ops->kind, expected->kind);
	CHECK(!device->recovery);
	if (!expected->chip) {
		CHECK(!device->chip);
		CHECK(device->hw_id);
		return;
	}
	REQUIRE(device->chip);
	CHECK_STR(device->chip->name, expected->chip);
	CHECK_EQ(device->hw_id, expected->hw_id);
	CHECK_EQ(device->hw_revision, expected->hw_revision);
}

static void every_model_has_its_way_in(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(expectations); i++) {
		if (!floors_open(&floors, expectations[i].model))
			continue;
		check_identity(&expectations[i]);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

static void recovery_is_told(void)
{
	static const struct { const char *model; u32 hw_id; } cards[] = {
		{ "connectx2", 0x190 }, { "connectx3", 0x1f5 }, { "connectx3-vsc", 0x1f5 },
		{ "connectx3pro", 0x1f7 }, { "connectx5", 0x20d },
	};
	u32 version[3], date;

	for (size_t i = 0; i < ARRAY_SIZE(cards); i++) {
		if (!floors_open_empty(&floors, cards[i].model))
			continue;
		CHECK(device->recovery);
		CHECK_EQ(device->hw_id, cards[i].hw_id);
		CHECK_EQ(device->gateway.ops->kind, CXFW_GATEWAY_CONF);
		CHECK_ERROR(device, cxfw_running_version(device, version, &date), -ENODATA);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

/* The function belongs to somebody else: not one byte of its configuration space is written. */
static void refuse_untouched(int expected, const char *part)
{
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), expected);
	CHECK_WHY(device, part);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_CONFIG_WRITES), 0);
	CHECK(!device->gateway.ops);
	CHECK(!floors.pdev->config_locked);
	cxfw_device_close(device);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_CONFIG_WRITES), 0);
}

static void unknown_without_vsc_is_never_written(void)
{
	struct cxsim_parameters parameters = floors_parameters("unknown");

	REQUIRE(floors_make(&floors, &parameters));
	refuse_untouched(-EOPNOTSUPP, "is not known");
	floors_end(&floors);
}

static void structure_decides_over_capability(void)
{
	struct cxsim_parameters parameters = floors_parameters("unknown-vsc");

	REQUIRE(floors_make(&floors, &parameters));
	floors.pdev->hdr_type = 1;	/* a bridge */
	refuse_untouched(-EOPNOTSUPP, "header type 1");
	floors.pdev->hdr_type = 0;
	floors.pdev->class = 0x010802;	/* storage */
	refuse_untouched(-EOPNOTSUPP, "class 010802");
	floors.pdev->class = 0x0c0600;	/* InfiniBand */
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), 0);
	floors_end(&floors);
}

/* Marked while the caller was about to open it. */
static void unplugged_stays_unplugged(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx5");

	REQUIRE(floors_make(&floors, &parameters));
	device->gone = true;
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), -ENODEV);
	CHECK_WHY(device, "unplugged");
	CHECK(device->gone);
	floors_end(&floors);
}

static void another_vendor_is_never_written(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx5");

	REQUIRE(floors_make(&floors, &parameters));
	floors.pdev->vendor = 0x8086;
	refuse_untouched(-ENODEV, "8086");
	floors_end(&floors);
}

static void virtual_functions_are_named(void)
{
	static const char *const models[] = { "connectx3", "connectx5" };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct cxsim_parameters parameters = floors_parameters(models[i]);
		unsigned int function = 0;

		parameters.virtual_functions = 1;
		REQUIRE(floors_make(&floors, &parameters));
		while (function < 8 && !cxsim_is_virtual(floors.card, function))
			function++;
		REQUIRE(function < 8);
		shim_pci_dev_free(floors.pdev);
		floors.pdev = shim_pci_dev(floors.card, function);
		cxsim_counters_clear(floors.card);
		refuse_untouched(-EOPNOTSUPP, "this is a virtual function; firmware operations belong to its physical function 0000:03:00.0");

		/* In a virtual machine nothing but the id tells. */
		floors.pdev->is_virtfn = 0;
		refuse_untouched(-EOPNOTSUPP, "this is a virtual function");
		floors_end(&floors);
	}
}

static void proper_vsc_is_needed_on_mlx5(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx5");

	REQUIRE(floors_make(&floors, &parameters));
	floors.pdev->class = 0x058000;
	refuse_untouched(-EOPNOTSUPP, "class 058000");	/* and 0x58 is left alone, running */
	floors_end(&floors);
}

static void absent_card_does_not_open(void)
{
	static const char *const models[] = { "connectx3", "connectx5" };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct cxsim_parameters parameters = floors_parameters(models[i]);

		REQUIRE(floors_make(&floors, &parameters));
		cxsim_unplug(floors.card, true);
		refuse_untouched(-ENODEV, "does not answer");
		floors_end(&floors);
	}
}

static void denied_cr_space_is_named(void)
{
	static const char *const models[] = { "connectx3", "connectx5" };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct cxsim_parameters parameters = floors_parameters(models[i]);

		REQUIRE(floors_make(&floors, &parameters));
		cxsim_set(floors.card, CXSIM_ACCESS_DENIED, 1);
		CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), -EACCES);
		CHECK_WHY(device, "0xbadacce5");
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

static void gone_card_fails_at_once(void)
{
	u32 value;
	u64 accesses;

	REQUIRE(floors_open(&floors, "connectx5"));
	WRITE_ONCE(device->gone, true);
	accesses = cxsim_count(floors.card, CXSIM_CONFIG_READS) + cxsim_count(floors.card, CXSIM_CONFIG_WRITES);
	CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), -ENODEV);
	CHECK_ERROR(device, cxfw_flash_probe(device), -ENODEV);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_CONFIG_READS) + cxsim_count(floors.card, CXSIM_CONFIG_WRITES), accesses);
	floors_end(&floors);
}

static bool locked_while_asleep;

static void notice_lock(void *context)
{
	locked_while_asleep |= ((struct pci_dev *)context)->config_locked;
}

static void watch_sleeps(void)
{
	locked_while_asleep = false;
	shim.at_sleep = notice_lock;
	shim.context = floors.pdev;
}

static void stuck_vsc_semaphore_is_named_and_cleared(void)
{
	u64 start;
	u32 value;

	REQUIRE(floors_open(&floors, "connectx5"));
	watch_sleeps();
	cxsim_set(floors.card, CXSIM_STUCK_SEMAPHORE, CXFW_SEMAPHORE_VSC);
	start = ktime_get_ns();
	CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), -EBUSY);
	CHECK(ktime_get_ns() - start < 10 * SECOND);
	CHECK(!locked_while_asleep);	/* mlx5_core may want it meanwhile */
	CHECK_EQ(device->semaphore, CXFW_SEMAPHORE_VSC);
	CHECK_EQ(device->semaphore_value, 0x5eed);
	CHECK_WHY(device, "VSC semaphore");
	CHECK_WHY(device, "0x5eed");
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_VSC, 0x5eee), -ESTALE);
	CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), -EBUSY);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_VSC, 0x5eed), 0);
	CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), 0);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_VSC, 0x5eed), -ESTALE);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

/* It was stuck before anybody looked at the card: the way out is the same. */
static void vsc_semaphore_stuck_at_open_can_be_cleared(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx5");

	REQUIRE(floors_make(&floors, &parameters));
	cxsim_set(floors.card, CXSIM_STUCK_SEMAPHORE, CXFW_SEMAPHORE_VSC);
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), -EBUSY);
	CHECK_EQ(device->semaphore, CXFW_SEMAPHORE_VSC);
	CHECK(!device->gateway.ops);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_VSC, 0x5eee), -ESTALE);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_VSC, 0x5eed), 0);
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), 0);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

static void stuck_semaphore_of_a_useless_vsc_does_not_matter(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx3-vsc");

	REQUIRE(floors_make(&floors, &parameters));
	cxsim_set(floors.card, CXSIM_STUCK_SEMAPHORE, CXFW_SEMAPHORE_VSC);
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), 0);
	CHECK_EQ(device->hw_id, 0x1f5);
	floors_end(&floors);
}

static void locked_configuration_space_is_waited_for(void)
{
	static const char *const models[] = { "connectx3", "connectx5" };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		u64 start;
		u32 value;

		REQUIRE(floors_open(&floors, models[i]));
		floors.pdev->config_locked = true;
		start = ktime_get_ns();
		CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), -EBUSY);
		CHECK(ktime_get_ns() - start < 10 * SECOND);
		CHECK(ktime_get_ns() - start > SECOND / 2);
		CHECK_WHY(device, "configuration space");
		CHECK_EQ(device->semaphore, CXFW_SEMAPHORE_NONE);
		shim.fatal_signal = true;
		start = ktime_get_ns();
		CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), -EINTR);
		CHECK(ktime_get_ns() - start < SECOND / 10);
		floors.pdev->config_locked = false;
		floors_end(&floors);
	}
}

static void legacy_address_is_given_back(void)
{
	u32 value;

	REQUIRE(floors_open(&floors, "connectx3pro"));
	cxsim_config_write(floors.card, 0, 0x58, 4, 0x0001f064);
	CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), 0);
	CHECK_EQ(value & 0xffff, 0x1f7);
	CHECK_EQ(cxsim_config_read(floors.card, 0, 0x58, 4), 0x0001f064);
	CHECK_ERROR(device, cxfw_flash_probe(device), 0);
	CHECK_EQ(cxsim_config_read(floors.card, 0, 0x58, 4), 0x0001f064);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

static void write_only_address_is_found_out(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx3");
	u8 *bytes = malloc(FLOORS_FLASH);

	if (!CHECK(bytes && floors_make(&floors, &parameters)))
		goto out;
	cxsim_set(floors.card, CXSIM_WRITE_ONLY_ADDRESS, 1);
	CHECK_ERROR(device, cxfw_device_open(device, floors.pdev), 0);
	CHECK(device->gateway.write_only_address);
	CHECK_EQ(device->hw_id, 0x1f5);
	CHECK_ERROR(device, cxfw_flash_probe(device), 0);
	CHECK_ERROR(device, cxfw_flash_lock(device), 0);
	CHECK_ERROR(device, cxfw_flash_read(device, 0, bytes, floors.size), 0);
	CHECK(!memcmp(bytes, floors.cells, floors.size));
	cxfw_flash_unlock(device);
	CHECK_CLEAN(&floors);
	cxsim_unplug(floors.card, true);
	CHECK_ERROR(device, cxfw_flash_lock(device), -ENODEV);
out:
	floors_end(&floors);
	free(bytes);
}

static void flag_may_turn_late(void)
{
	u32 value;
	int i;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_FLAG_POLLS, 1000);
	for (i = 0; i < 200; i++) {
		CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), 0);
		CHECK_EQ(value, 0x20d);
	}
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

static void second_actor_is_no_trouble(void)
{
	u32 value;
	int i;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_SECOND_ACTOR, 1);
	for (i = 0; i < 500; i++) {
		CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), 0);
		CHECK_EQ(value, 0x20d);
	}
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

/* Somebody who wants in while a long hold goes on meets a break, and the hold is short. */
static void pause_lets_others_in(void)
{
	u64 sleeps;
	u32 value;
	int i;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_ACCESS_TIME, 1000000);
	watch_sleeps();
	CHECK_ERROR(device, cxfw_gateway_begin(device), 0);
	sleeps = shim.sleeps;
	for (i = 0; i < 100; i++) {
		CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_CR, 0xf0014, &value), 0);
		CHECK_EQ(value, 0x20d);
		CHECK_ERROR(device, cxfw_gateway_pause(device), 0);
	}
	cxfw_gateway_end(device);
	CHECK(shim.sleeps - sleeps >= 5);
	CHECK(!locked_while_asleep);
	CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
	CHECK(shim.longest_config_lock < LONGEST_HOLD);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

/* Whenever the card vanishes: the right value or an error, never all-ones as data. */
static void vanishing_is_never_data(void)
{
	static const char *const models[] = { "connectx3", "connectx5" };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		for (u64 after = 1; after < 40; after++) {
			u32 value = 0;
			int error;

			REQUIRE(floors_open(&floors, models[i]));
			cxsim_set(floors.card, CXSIM_UNPLUG_AFTER, after);
			error = cxfw_cr_read(device, 0xf0014, &value);
			if (!error)
				CHECK_EQ(value & 0xffff, device->hw_id);
			else
				CHECK_EQ(error, -ENODEV);
			CHECK(!floors.pdev->config_locked);
			floors_end(&floors);
		}
	}
}

static void misuse_is_refused(void)
{
	u32 value;

	REQUIRE(floors_open(&floors, "connectx5"));
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_CR, 0xf0014, &value), -EPERM);
	CHECK_ERROR(device, cxfw_gateway_begin(device), 0);
	CHECK_ERROR(device, cxfw_gateway_begin(device), -EDEADLK);
	CHECK_ERROR(device, cxfw_gateway_read(device, 0xc, 0, &value), -EOPNOTSUPP);
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_CR, 0x40000000, &value), -EINVAL);
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_CR, 0xf0014, &value), 0);
	cxfw_gateway_end(device);
	cxfw_gateway_end(device);
	CHECK_CLEAN(&floors);
	floors_end(&floors);

	REQUIRE(floors_open(&floors, "connectx3"));
	CHECK_ERROR(device, cxfw_gateway_begin(device), 0);
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, 0, &value), -EOPNOTSUPP);
	cxfw_gateway_end(device);
	floors_end(&floors);
}

/* A tool with its address register and its data register in two system calls. */

#define ROUNDS 3000

static bool driver_done;
static unsigned int tool_reads, tool_wrong;

static void tool_reads_words(void *context)
{
	struct pci_dev *pdev = context;

	while (!driver_done) {
		bool identity = tool_reads++ & 1;

		shim_user_write(pdev, 0x58, 4, identity ? 0xf0014 : 0x1f064);
		shim_yield();
		if (shim_user_read(pdev, 0x5c, 4) != (identity ? 0x1f7U : 2U << 16))
			tool_wrong++;
		shim_user_sleep(tool_reads % 7 * 1000);
	}
}

static void driver_reads_words(void *context)
{
	u32 value;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		CHECK_ERROR(device, cxfw_cr_read(device, 0xf0014, &value), 0);
		CHECK_EQ(value, 0x1f7);
		shim_user_sleep(2000);
	}
	driver_done = true;
}

static void legacy_is_shared_with_a_tool(void)
{
	REQUIRE(floors_open(&floors, "connectx3pro"));
	driver_done = false;
	tool_reads = 0;
	tool_wrong = 0;
	shim_actors(ktap_seed(), driver_reads_words, NULL, tool_reads_words, floors.pdev);
	CHECK(tool_reads > ROUNDS / 10);
	CHECK_EQ(tool_wrong, 0);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(every_model_has_its_way_in),
	KTAP_TEST(recovery_is_told),
	KTAP_TEST(unknown_without_vsc_is_never_written),
	KTAP_TEST(structure_decides_over_capability),
	KTAP_TEST(unplugged_stays_unplugged),
	KTAP_TEST(another_vendor_is_never_written),
	KTAP_TEST(virtual_functions_are_named),
	KTAP_TEST(proper_vsc_is_needed_on_mlx5),
	KTAP_TEST(absent_card_does_not_open),
	KTAP_TEST(denied_cr_space_is_named),
	KTAP_TEST(gone_card_fails_at_once),
	KTAP_TEST(stuck_vsc_semaphore_is_named_and_cleared),
	KTAP_TEST(vsc_semaphore_stuck_at_open_can_be_cleared),
	KTAP_TEST(stuck_semaphore_of_a_useless_vsc_does_not_matter),
	KTAP_TEST(locked_configuration_space_is_waited_for),
	KTAP_TEST(legacy_address_is_given_back),
	KTAP_TEST(write_only_address_is_found_out),
	KTAP_TEST(flag_may_turn_late),
	KTAP_TEST(second_actor_is_no_trouble),
	KTAP_TEST(pause_lets_others_in),
	KTAP_TEST(vanishing_is_never_data),
	KTAP_TEST(misuse_is_refused),
	KTAP_TEST(legacy_is_shared_with_a_tool),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
