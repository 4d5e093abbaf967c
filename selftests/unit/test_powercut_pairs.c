// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power fails twice: the burn is cut, done again, and cut again, at every pair of
 * operations, torn. Images are so small that every pair can be tried.
 */
#include "powercut.h"

#define SAMPLE 6

static void every_pair(const struct powercut_way *way, const struct powercut_scenario *scenario)
{
	struct powercut cut;

	if (powercut_begin(&cut, way, scenario))
		powercut_pairs(&cut, true, SAMPLE);
	CHECK(cut.operations <= 100);
	ktap_note("%s, %s, pairs: %llu operations, %llu cuts tried, bricks = %llu", way->name, scenario->name,
		  (unsigned long long)cut.operations, (unsigned long long)cut.cuts,
		  (unsigned long long)cut.bricks);
	powercut_end(&cut);
}

static void fs2_over_spi(void)
{
	every_pair(&powercut_ways[0], &powercut_scenarios[1]);
}

static void fs3_over_mfba(void)
{
	every_pair(&powercut_ways[1], &powercut_scenarios[1]);
}

static void fs3_over_spi(void)
{
	every_pair(&powercut_ways[2], &powercut_scenarios[1]);
}

static void fs4_over_mfba(void)
{
	every_pair(&powercut_ways[3], &powercut_scenarios[1]);
}

static void fs4_over_spi(void)
{
	every_pair(&powercut_ways[4], &powercut_scenarios[1]);
}

/* Those over MFBA take long: make check-powercut has them all. */
static const struct ktap_test tests[] = {
	KTAP_TEST(fs2_over_spi),  KTAP_TEST(fs3_over_spi),  KTAP_TEST(fs4_over_spi),
	KTAP_TEST(fs3_over_mfba), KTAP_TEST(fs4_over_mfba),
};

#define SHORT 3

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, getenv("POWERCUT") ? ARRAY_SIZE(tests) : SHORT);
}
