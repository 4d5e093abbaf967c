// SPDX-License-Identifier: GPL-2.0-only
/* Which restart cxctl activate chooses: the mildest that card, firmware and drivers allow; none twice. */
#include <string.h>

#include "../../user/cxctl/activate_levels.c"
#include "../lib/ktap.h"

/* A ConnectX-5 with nothing bound: MFRL as the reference tells of a real one's tool. */
static const struct activate_facts mlx5 = {
	.driver = true, .can_reset = true, .mfrl = true, .levels = MFRL_LINK | MFRL_WARM_REBOOT,
};
static const struct activate_facts mlx4 = { .mlx4 = true, .driver = true, .can_reset = true };

static struct activate_ways ways;

static enum activate_level chosen(const struct activate_facts *facts, enum activate_level wanted)
{
	activate_find_ways(facts, wanted, &ways);
	return ways.chosen ? ways.chosen->level : LEVEL_NONE;
}

/* The reason why a level is not offered has these words. */
static bool reason(enum activate_level level, const char *words)
{
	size_t i;

	for (i = 0; i < ways.count; i++)
		if (ways.way[i].level == level)
			return !ways.way[i].offered && strstr(ways.way[i].why, words);
	return false;
}

static void mildest_first(void)
{
	struct activate_facts facts = mlx5;

	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_LINK);
	CHECK(!ways.chosen->rebind);
	facts.levels |= MFRL_LIVE_PATCH;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_LIVE_PATCH);
	CHECK_EQ(chosen(&facts, LEVEL_REBOOT), LEVEL_REBOOT);
	CHECK_EQ(chosen(&facts, LEVEL_CHIP), LEVEL_NONE);
	CHECK_EQ(chosen(&mlx4, LEVEL_NONE), LEVEL_CHIP);
	CHECK_EQ(chosen(&mlx4, LEVEL_LINK), LEVEL_NONE);
}

static void firmware_that_offers_less(void)
{
	struct activate_facts facts = mlx5;

	facts.levels = MFRL_WARM_REBOOT;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "0x40"));
	facts.levels = 0;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_POWER_CYCLE);
	facts.mfrl = false;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "MFRL"));
	facts = mlx5;
	strcpy(facts.no_link, "no PCIe port");
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "no PCIe port"));
	facts = mlx5;
	facts.other_hosts = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "more than one host"));
	/* There the hosts' drivers and the firmware agree among themselves. */
	facts.devlink = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_DEVLINK);
}

static void bound_functions(void)
{
	struct activate_facts facts = mlx5;

	facts.bound = 2;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_LINK);
	CHECK(ways.chosen->rebind);
	facts.devlink = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_DEVLINK);
	CHECK(!ways.chosen->rebind);
	/* Without the driver, or on a DPU, devlink is all there is. */
	facts.driver = facts.can_reset = facts.mfrl = false;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_DEVLINK);
	facts = mlx5;
	facts.dpu = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "DPU"));
	facts = mlx4;
	facts.bound = 1;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_CHIP);
	CHECK(ways.chosen->rebind);
	/* Taking the driver off would wait for the guest for ever. */
	facts.guests = 1;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
}

/* cxfw refuses a live patch of a card that a driver has: chosen all the same, it would be for ever. */
static void no_live_patch_under_a_driver(void)
{
	struct activate_facts facts = mlx5;

	facts.levels |= MFRL_LIVE_PATCH;
	facts.bound = 2;
	facts.devlink = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_DEVLINK);
	CHECK(reason(LEVEL_LIVE_PATCH, "a driver has the card"));
	strcpy(facts.foreign, "vfio-pci");
	strcpy(facts.foreign_function, "0000:03:00.1");
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LIVE_PATCH, "vfio-pci"));
}

static void driver_of_somebody_else(void)
{
	struct activate_facts facts = mlx5;

	strcpy(facts.foreign, "vfio-pci");
	strcpy(facts.foreign_function, "0000:03:00.1");
	facts.devlink = true;
	facts.bound = 1;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "0000:03:00.1 is bound to vfio-pci"));
	CHECK(reason(LEVEL_DEVLINK, "vfio-pci"));
	facts = mlx4;
	strcpy(facts.foreign, "pci-stub");
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
}

static void never_twice(void)
{
	struct activate_facts facts = mlx5;

	facts.tried = 1U << LEVEL_LINK;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	CHECK(reason(LEVEL_LINK, "was tried"));
	facts.tried |= 1U << LEVEL_REBOOT;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_POWER_CYCLE);
	facts.tried |= 1U << LEVEL_POWER_CYCLE;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_NONE);
	/* But by name. */
	CHECK_EQ(chosen(&facts, LEVEL_LINK), LEVEL_LINK);
}

static void recovery_wants_power(void)
{
	struct activate_facts facts = mlx5;

	facts.recovery = true;
	facts.mfrl = false;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_POWER_CYCLE);
	facts = mlx4;
	facts.recovery = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_POWER_CYCLE);
	facts = mlx5;
	facts.absent = true;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
	facts = mlx5;
	facts.driver = false;
	CHECK_EQ(chosen(&facts, LEVEL_NONE), LEVEL_REBOOT);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(mildest_first),
	KTAP_TEST(firmware_that_offers_less),
	KTAP_TEST(bound_functions),
	KTAP_TEST(no_live_patch_under_a_driver),
	KTAP_TEST(driver_of_somebody_else),
	KTAP_TEST(never_twice),
	KTAP_TEST(recovery_wants_power),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
