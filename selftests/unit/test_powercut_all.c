// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power fails at every flash operation of a burn, clean and torn: FS2, FS3 and FS4, over the
 * firmware's registers and over SPI, in every scenario. Under every policy that a boot ROM
 * might have, a whole old or a whole new image boots with its identity; a second burn succeeds.
 */
#include "powercut.h"

#define SAMPLE 3

static void every_operation(const struct powercut_way *way, const struct powercut_scenario *scenario)
{
	struct powercut cut;

	if (powercut_begin(&cut, way, scenario)) {
		powercut_everywhere(&cut, false, SAMPLE);
		powercut_everywhere(&cut, true, SAMPLE);
	}
	ktap_note("%s, %s: %llu operations, %llu cuts tried, bricks = %llu", way->name, scenario->name,
		  (unsigned long long)cut.operations, (unsigned long long)cut.cuts,
		  (unsigned long long)cut.bricks);
	powercut_end(&cut);
}

static void every_scenario(const struct powercut_way *way)
{
	unsigned int i;

	for (i = 0; i < POWERCUT_SCENARIOS; i++)
		every_operation(way, &powercut_scenarios[i]);
}

static void fs2_over_spi(void)
{
	every_scenario(&powercut_ways[0]);
}

static void fs3_over_mfba(void)
{
	every_scenario(&powercut_ways[1]);
}

static void fs3_over_spi(void)
{
	every_scenario(&powercut_ways[2]);
}

static void fs4_over_mfba(void)
{
	every_scenario(&powercut_ways[3]);
}

static void fs4_over_spi(void)
{
	every_scenario(&powercut_ways[4]);
}

static void fs4_in_blocks(void)
{
	every_operation(&powercut_large, &powercut_scenarios[1]);
}

/* The last takes long: make check-powercut has it. */
static const struct ktap_test tests[] = {
	KTAP_TEST(fs2_over_spi),
	KTAP_TEST(fs3_over_mfba),
	KTAP_TEST(fs3_over_spi),
	KTAP_TEST(fs4_over_mfba),
	KTAP_TEST(fs4_over_spi),
	KTAP_TEST(fs4_in_blocks),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests) - !getenv("POWERCUT"));
}
