// SPDX-License-Identifier: GPL-2.0-only
/* Access registers: right answers, every failure named, every wait bounded, nothing left locked. */
#include "floors.h"

#include <asm/byteorder.h>

#include "../../kmod/cxfw/icmd.h"
#include "../../kmod/cxfw/reg.h"
#include "../../kmod/cxfw/semaphore.h"

#define SECOND 1000000000ULL
#define LONGEST_HOLD 100000000ULL
#define MGIR_BYTES 0xa0
#define DWORDS(bytes) ((bytes) / 4)

static struct floors floors;
static struct cxfw_device *device = &floors.device;

static int read_mgir(__be32 *mgir, struct cxfw_reg_status *status)
{
	memset(mgir, 0, MGIR_BYTES);
	return cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, mgir, MGIR_BYTES, MGIR_BYTES, status);
}

static u32 semaphore_icmd(void)
{
	u32 value = ~0U;

	CHECK_ERROR(device, cxfw_gateway_begin(device), 0);
	CHECK_ERROR(device, cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, CXFW_ICMD_SEMAPHORE, &value), 0);
	cxfw_gateway_end(device);
	return value;
}

#define CHECK_GIVEN_BACK() do { \
	CHECK_EQ(semaphore_icmd(), 0); \
	CHECK_CLEAN(&floors); \
} while (0)

static void mgir_tells_identity(void)
{
	struct cxsim_parameters parameters = floors_parameters("connectx5");
	__be32 mgir[DWORDS(MGIR_BYTES)];
	struct cxfw_reg_status status;

	parameters.version = "16.35.4506";
	parameters.psid = "MT_0000000013";
	REQUIRE(floors_open_with(&floors, &parameters));
	CHECK_ERROR(device, read_mgir(mgir, &status), 0);
	CHECK_EQ(status.icmd, 0);
	CHECK_EQ(status.reg, 0);
	CHECK_EQ(be32_to_cpu(mgir[0]) & 0xffff, floors.pdev->device);
	CHECK_EQ(be32_to_cpu(mgir[2]), 0x20d);
	CHECK(!strncmp((const char *)&mgir[DWORDS(0x30)], "MT_0000000013", 16));
	CHECK_EQ(be32_to_cpu(mgir[DWORDS(0x44)]), 16);
	CHECK_EQ(be32_to_cpu(mgir[DWORDS(0x48)]), 35);
	CHECK_EQ(be32_to_cpu(mgir[DWORDS(0x4c)]), 4506);
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void running_version_of_both_families(void)
{
	static const struct { const char *model, *text; u32 version[3]; } cards[] = {
		{ "connectx2", "2.9.1000", { 2, 9, 1000 } },
		{ "connectx3pro-vsc", "2.42.5700", { 2, 42, 5700 } },
		{ "connectx5", "16.35.4506", { 16, 35, 4506 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cards); i++) {
		struct cxsim_parameters parameters = floors_parameters(cards[i].model);
		u32 version[3], date;

		parameters.version = cards[i].text;
		REQUIRE(floors_open_with(&floors, &parameters));
		CHECK_ERROR(device, cxfw_running_version(device, version, &date), 0);
		CHECK(!memcmp(version, cards[i].version, sizeof(version)));
		CHECK(date >= 0x20000101 && date <= 0x20991231);
		CHECK((date >> 8 & 0xff) >= 1 && (date >> 8 & 0xff) <= 0x12);
		CHECK((date & 0xff) >= 1 && (date & 0xff) <= 0x31);
		CHECK_CLEAN(&floors);
		floors_end(&floors);
	}
}

/* Only as much goes over the gateway as is asked for. */
static void short_answers_cost_less(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];
	u64 whole, part;

	REQUIRE(floors_open(&floors, "connectx5"));
	CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
	cxsim_counters_clear(floors.card);
	CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
	whole = cxsim_count(floors.card, CXSIM_CONFIG_READS) + cxsim_count(floors.card, CXSIM_CONFIG_WRITES);
	cxsim_counters_clear(floors.card);
	CHECK_ERROR(device, cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, mgir, 4, 16, NULL), 0);
	part = cxsim_count(floors.card, CXSIM_CONFIG_READS) + cxsim_count(floors.card, CXSIM_CONFIG_WRITES);
	CHECK_EQ(be32_to_cpu(mgir[2]), 0x20d);
	CHECK(part < 90);
	CHECK(whole < 320);
	CHECK_EQ(cxsim_count(floors.card, CXSIM_SEMAPHORE_HOLDS), 1);
	floors_end(&floors);
}

static void no_commands_without_firmware(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];
	u64 accesses;

	REQUIRE(floors_open(&floors, "connectx3"));
	CHECK_ERROR(device, read_mgir(mgir, NULL), -EOPNOTSUPP);
	floors_end(&floors);
	REQUIRE(floors_open_empty(&floors, "connectx5"));
	accesses = cxsim_count(floors.card, CXSIM_CONFIG_WRITES);
	CHECK_ERROR(device, read_mgir(mgir, NULL), -EOPNOTSUPP);
	CHECK_WHY(device, "recovery");
	CHECK_EQ(cxsim_count(floors.card, CXSIM_CONFIG_WRITES), accesses);
	floors_end(&floors);
}

static void wrong_sizes_are_refused(void)
{
	__be32 data[64] = { 0 };

	REQUIRE(floors_open(&floors, "connectx5"));
	CHECK_ERROR(device, cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, data, 0xa0, 0xa4, NULL), -EINVAL);
	CHECK_ERROR(device, cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, data, 2, 0xa0, NULL), -EINVAL);
	CHECK_ERROR(device, cxfw_reg(device, 0x9024, CXFW_METHOD_GET, data, 4, 0x104, NULL), -EINVAL);
	CHECK_ERROR(device, cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, data, 0xa0, 0xa0, NULL), 0);
	device->icmd_mailbox_bytes = 0x40;
	CHECK_ERROR(device, cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, data, 0xa0, 0xa0, NULL), -EMSGSIZE);
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void stuck_semaphore_is_named_and_cleared(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];
	u64 start;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_STUCK_SEMAPHORE, CXFW_SEMAPHORE_ICMD);
	start = ktime_get_ns();
	CHECK_ERROR(device, read_mgir(mgir, NULL), -EBUSY);
	CHECK(ktime_get_ns() - start < 30 * SECOND);
	CHECK_EQ(device->semaphore, CXFW_SEMAPHORE_ICMD);
	CHECK_EQ(device->semaphore_value, 0x5eed);
	CHECK_WHY(device, "0xa:0x0");
	CHECK_WHY(device, "0x5eed");
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_ICMD, 1), -ESTALE);
	CHECK_EQ(semaphore_icmd(), 0x5eed);
	CHECK_ERROR(device, cxfw_semaphore_clear(device, CXFW_SEMAPHORE_ICMD, 0x5eed), 0);
	CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
	CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void unfinished_command_times_out(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];
	u64 start;

	REQUIRE(floors_open(&floors, "connectx5"));
	CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
	cxsim_set(floors.card, CXSIM_ICMD_TIMEOUT, 1);
	start = ktime_get_ns();
	CHECK_ERROR(device, read_mgir(mgir, NULL), -ETIMEDOUT);
	CHECK(ktime_get_ns() - start < 60 * SECOND);
	CHECK_WHY(device, "the firmware to answer");
	CHECK_EQ(device->semaphore, CXFW_SEMAPHORE_NONE);
	CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
	CHECK_GIVEN_BACK();

	/* The next one sees that the last still runs and does not disturb it. */
	CHECK_ERROR(device, read_mgir(mgir, NULL), -ETIMEDOUT);
	CHECK_WHY(device, "somebody else");
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void signal_ends_a_wait(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];
	u64 start;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_ICMD_TIMEOUT, 1);
	shim.fatal_signal = true;
	start = ktime_get_ns();
	CHECK_ERROR(device, read_mgir(mgir, NULL), -EINTR);
	CHECK(ktime_get_ns() - start < SECOND / 10);
	shim.fatal_signal = false;
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void slow_firmware_does_not_hold_the_gateway(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_FIRMWARE_DELAY, 300);
	CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
	CHECK_EQ(be32_to_cpu(mgir[2]), 0x20d);
	CHECK(cxsim_count(floors.card, CXSIM_LONGEST_HOLD) < LONGEST_HOLD);
	CHECK(shim.longest_config_lock < LONGEST_HOLD);
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void statuses_are_told(void)
{
	__be32 mgir[DWORDS(MGIR_BYTES)];
	struct cxfw_reg_status status;

	REQUIRE(floors_open(&floors, "connectx5"));
	cxsim_set(floors.card, CXSIM_ICMD_STATUS, 4);
	CHECK_ERROR(device, read_mgir(mgir, &status), -EIO);
	CHECK_EQ(status.icmd, 4);
	CHECK_EQ(status.reg, 0);
	CHECK_WHY(device, "ICMD status 0x4");
	cxsim_set(floors.card, CXSIM_ICMD_STATUS, 0);
	cxsim_set(floors.card, CXSIM_REGISTER_STATUS, 7);
	CHECK_ERROR(device, read_mgir(mgir, &status), -EIO);
	CHECK_EQ(status.icmd, 0);
	CHECK_EQ(status.reg, 7);
	CHECK_WHY(device, "0x9020");
	CHECK_WHY(device, "bad parameter");
	cxsim_set(floors.card, CXSIM_REGISTER_STATUS, 0);
	CHECK_ERROR(device, cxfw_reg(device, 0x90ff, CXFW_METHOD_GET, mgir, 16, 16, &status), -EIO);
	CHECK_EQ(status.reg, 4);
	CHECK_GIVEN_BACK();
	floors_end(&floors);
}

static void second_actor_never_spoils_an_answer(void)
{
	__be32 first[DWORDS(MGIR_BYTES)], mgir[DWORDS(MGIR_BYTES)];
	int i;

	REQUIRE(floors_open(&floors, "connectx5"));
	CHECK_ERROR(device, read_mgir(first, NULL), 0);
	cxsim_set(floors.card, CXSIM_SECOND_ACTOR, 1);
	cxsim_set(floors.card, CXSIM_FIRMWARE_DELAY, 20);
	for (i = 0; i < 200; i++) {
		CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
		mgir[DWORDS(0x1c)] = first[DWORDS(0x1c)];	/* uptime */
		CHECK(!memcmp(mgir, first, sizeof(mgir)));
	}
	cxsim_set(floors.card, CXSIM_SECOND_ACTOR, 0);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

/* Reset or unplugged between any two accesses: a whole answer or an error. */
static void trouble_is_never_an_answer(enum cxsim_setting trouble)
{
	__be32 first[DWORDS(MGIR_BYTES)], mgir[DWORDS(MGIR_BYTES)];
	bool whole = false;
	u64 after;

	for (after = 1; !whole; after++) {
		int error;

		REQUIRE(floors_open(&floors, "connectx5"));
		CHECK_ERROR(device, read_mgir(first, NULL), 0);
		cxsim_set(floors.card, CXSIM_ABSENCE_TIME, after % 3 ? 200000000 : 0);
		cxsim_set(floors.card, trouble, after);
		error = read_mgir(mgir, NULL);
		whole = !error;
		if (whole) {
			mgir[DWORDS(0x1c)] = first[DWORDS(0x1c)];
			CHECK(!memcmp(mgir, first, sizeof(mgir)));
		}
		CHECK(!floors.pdev->config_locked);
		CHECK(!device->gateway.inside);
		floors_end(&floors);
		REQUIRE(after < 2000);
	}
}

static void reset_is_never_an_answer(void)
{
	trouble_is_never_an_answer(CXSIM_RESET_AFTER);
}

static void unplug_is_never_an_answer(void)
{
	trouble_is_never_an_answer(CXSIM_UNPLUG_AFTER);
}

static void only_harmless_registers_are_readable(void)
{
	static const u16 harmless[] = { CXFW_REG_MGIR, CXFW_REG_MCAM, CXFW_REG_MCQS, CXFW_REG_MCQI, CXFW_REG_MQIS,
					CXFW_REG_MFPA };
	static const u16 others[] = { CXFW_REG_MFBA, CXFW_REG_MFBE, CXFW_REG_MCDA, CXFW_REG_MCC, 0x9029, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		CHECK(cxfw_reg_readable(harmless[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK(!cxfw_reg_readable(others[i]));
}

/* mstflint's order of things on 0xa:0x0 and the mailbox, one dword a semaphore hold. */

#define ROUNDS 60
#define TOOL 4711U

static bool driver_done;
static unsigned int tool_commands, tool_wrong, tool_busy;

static bool tool_begin(struct pci_dev *pdev, u32 space)
{
	u32 ticket;

	for (int tries = 0; tries < 2048; tries++) {
		if (shim_user_read(pdev, 0xcc, 4)) {
			shim_user_sleep(1000000);
			continue;
		}
		ticket = shim_user_read(pdev, 0xc8, 4);
		shim_user_write(pdev, 0xcc, 4, ticket);
		if (shim_user_read(pdev, 0xcc, 4) == ticket) {
			shim_user_write(pdev, 0xc4, 4, (shim_user_read(pdev, 0xc4, 4) & 0xffff0000) | space);
			shim_user_read(pdev, 0xc4, 4);
			return true;
		}
	}
	tool_busy++;
	return false;
}

static void tool_end(struct pci_dev *pdev)
{
	shim_user_write(pdev, 0xcc, 4, 0);
}

static u32 tool_read(struct pci_dev *pdev, u32 space, u32 address)
{
	u32 value = ~0U;

	if (!tool_begin(pdev, space))
		return value;
	shim_user_write(pdev, 0xd0, 4, address);
	while (!(shim_user_read(pdev, 0xd0, 4) & 0x80000000))
		shim_user_sleep(1000);
	value = shim_user_read(pdev, 0xd4, 4);
	tool_end(pdev);
	return value;
}

static void tool_write(struct pci_dev *pdev, u32 space, u32 address, u32 value)
{
	if (!tool_begin(pdev, space))
		return;
	shim_user_write(pdev, 0xd4, 4, value);
	shim_user_write(pdev, 0xd0, 4, address | 0x80000000);
	while (shim_user_read(pdev, 0xd0, 4) & 0x80000000)
		shim_user_sleep(1000);
	tool_end(pdev);
}

static bool tool_takes(struct pci_dev *pdev)
{
	for (int tries = 0; tries < 256; tries++) {
		tool_write(pdev, 0xa, 0, TOOL);
		if (tool_read(pdev, 0xa, 0) == TOOL)
			return true;
		shim_user_sleep((u64)(tries * 7 % 50) * 1000000);
	}
	tool_busy++;
	return false;
}

static void tool_runs_mcam(struct pci_dev *pdev)
{
	static const u32 request[] = { 0x08040000, 0x907f0101, 0, 0, 0x18130000, 0 };
	u32 control;

	if (!tool_takes(pdev))
		return;
	control = tool_read(pdev, 3, 0);
	if (control & 1)
		tool_wrong++;
	tool_write(pdev, 3, 0, 0x90010000);
	for (size_t i = 0; i < ARRAY_SIZE(request); i++)
		tool_write(pdev, 3, 0x100000 + 4 * (u32)i, request[i]);
	tool_write(pdev, 3, 0, 0x90010001);
	while (tool_read(pdev, 3, 0) & 1)
		shim_user_sleep(1000000);
	if ((tool_read(pdev, 3, 0x100000) & 0x7f00) || tool_read(pdev, 3, 0x10001c) >> 31 != 1)
		tool_wrong++;
	tool_write(pdev, 0xa, 0, 0);
	tool_commands++;
}

static void tool_queries(void *context)
{
	while (!driver_done) {
		tool_runs_mcam(context);
		shim_user_sleep(tool_commands % 5 * 300000);
	}
}

static void driver_queries(void *context)
{
	__be32 first[DWORDS(MGIR_BYTES)], mgir[DWORDS(MGIR_BYTES)];

	CHECK_ERROR(device, read_mgir(first, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_ERROR(device, read_mgir(mgir, NULL), 0);
		mgir[DWORDS(0x1c)] = first[DWORDS(0x1c)];
		CHECK(!memcmp(mgir, first, sizeof(mgir)));
		shim_user_sleep(500000);
	}
	driver_done = true;
}

static void commands_are_shared_with_a_tool(void)
{
	REQUIRE(floors_open(&floors, "connectx5"));
	driver_done = false;
	tool_commands = 0;
	tool_wrong = 0;
	tool_busy = 0;
	cxsim_set(floors.card, CXSIM_FIRMWARE_DELAY, 3);
	shim_actors(ktap_seed(), driver_queries, NULL, tool_queries, floors.pdev);
	CHECK(tool_commands > 3);
	CHECK_EQ(tool_wrong, 0);
	CHECK_EQ(tool_busy, 0);
	CHECK_CLEAN(&floors);
	floors_end(&floors);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(mgir_tells_identity),
	KTAP_TEST(running_version_of_both_families),
	KTAP_TEST(short_answers_cost_less),
	KTAP_TEST(no_commands_without_firmware),
	KTAP_TEST(wrong_sizes_are_refused),
	KTAP_TEST(stuck_semaphore_is_named_and_cleared),
	KTAP_TEST(unfinished_command_times_out),
	KTAP_TEST(signal_ends_a_wait),
	KTAP_TEST(slow_firmware_does_not_hold_the_gateway),
	KTAP_TEST(statuses_are_told),
	KTAP_TEST(second_actor_never_spoils_an_answer),
	KTAP_TEST(reset_is_never_an_answer),
	KTAP_TEST(unplug_is_never_an_answer),
	KTAP_TEST(only_harmless_registers_are_readable),
	KTAP_TEST(commands_are_shared_with_a_tool),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
