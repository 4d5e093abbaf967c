// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a burn takes by the simulated cards' clock: hardly more than what the flash chip and the
 * configuration accesses take themselves; and several cards burn side by side.
 */
#include "burning.h"

#define ACCESS_NS	1500	/* a configuration access on an ordinary machine: about a microsecond */
#define CARDS		8

static const struct burning_kind cases[] = {
	{ "connectx3pro", "MT_1200111023", "W25QxxBV", CXFW_FORMAT_FS2, 0x1000000, 0x70000, OLD_VERSION, NEW_VERSION,
	  "2.40.7000" },
	{ "connectx4lx", "MT_2420110034", "W25QxxBV", CXFW_FORMAT_FS3, 0x1000000, 0x70000, "14.20.1010", "14.32.1010",
	  "14.24.1000" },
	{ "connectx5", "MT_0000000011", "W25QxxBV", CXFW_FORMAT_FS4, 0x1000000, 0x70000, "16.32.1010", "16.35.2000",
	  "16.33.1048" },
};

static struct burning burnings[CARDS];
static int results[CARDS];

static struct cxsim_parameters parameters_of(const struct burning_kind *kind, const char *version, u64 seed)
{
	struct cxsim_parameters parameters = burning_parameters_of(kind, version, seed);

	parameters.flash_size = kind->flash;
	return parameters;
}

static void plan_new_image(struct burning *burning, const struct burning_kind *kind)
{
	struct cxsim_parameters parameters = parameters_of(kind, kind->new_version, 2);
	size_t length;
	u8 *image = burning_image(&parameters, &length);
	u32 size;

	burning_plan(burning, image, length, 1, cxsim_flash(burning->card, &size));
	free(image);
}

/* One card, every time of the chip, both ways: elapsed against chip and accesses. */
static void one(const struct burning_kind *kind, bool over_spi, u64 flash_time)
{
	struct cxsim_parameters parameters = parameters_of(kind, kind->old_version, 1);
	struct burning *burning = &burnings[0];
	u64 start, elapsed, accesses, least;

	REQUIRE(burning_start(burning, &parameters));
	cxsim_set(burning->card, CXSIM_FLASH_TIME, flash_time);
	cxsim_set(burning->card, CXSIM_GUARD_OFF, over_spi);
	REQUIRE(!cxfw_flash_probe(&burning->device));
	plan_new_image(burning, kind);
	cxsim_set(burning->card, CXSIM_ACCESS_TIME, ACCESS_NS);
	cxsim_counters_clear(burning->card);
	start = cxsim_time(burning->card);
	CHECK_EQ(burning_run(burning), 0);
	elapsed = cxsim_time(burning->card) - start;
	accesses = cxsim_count(burning->card, CXSIM_CONFIG_READS) + cxsim_count(burning->card, CXSIM_CONFIG_WRITES);
	least = cxsim_count(burning->card, CXSIM_CHIP_TIME) + accesses * ACCESS_NS;
	ktap_note("FS%u over %s, %s times: %llu ms; chip %llu ms and %llu accesses: %llu ms; ratio %.3f", kind->format,
		  over_spi ? "SPI" : "firmware", flash_time ? "maximum" : "typical", (unsigned long long)(elapsed / 1000000),
		  (unsigned long long)(cxsim_count(burning->card, CXSIM_CHIP_TIME) / 1000000),
		  (unsigned long long)accesses, (unsigned long long)(least / 1000000), (double)elapsed / least);
	CHECK(least > 0 && elapsed * 10 <= least * 11);
	burning_end(burning);
}

static void little_more_than_chip_and_accesses(void)
{
	unsigned int i, time;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (time = 0; time < 2 && !ktap_failed(); time++) {
			one(&cases[i], true, time);
			if (cases[i].format != CXFW_FORMAT_FS2)
				one(&cases[i], false, time);
		}
}

static void burn(void *context)
{
	struct burning *burning = context;

	results[burning - burnings] = burning_run(burning);
}

/* Elapsed time of so many cards, each burned by a thread of its own as by a job. */
static u64 side_by_side(const struct burning_kind *kind, int count)
{
	struct shim_actor actors[CARDS];
	u64 start;
	int i;

	for (i = 0; i < count; i++) {
		struct cxsim_parameters parameters = parameters_of(kind, kind->old_version, 1 + i);

		if (!burning_start_beside(&burnings[i], &parameters) || cxfw_flash_probe(&burnings[i].device)) {
			ktap_fail(__FILE__, __LINE__, "card %d: %s", i, burnings[i].device.why);
			return 0;
		}
		plan_new_image(&burnings[i], kind);
		results[i] = -1;
		actors[i].run = burn;
		actors[i].context = &burnings[i];
	}
	start = cxsim_time(burnings[0].card);
	shim_act(ktap_seed(), actors, count);
	start = cxsim_time(burnings[0].card) - start;
	for (i = 0; i < count; i++) {
		CHECK_EQ(results[i], 0);
		burning_end(&burnings[i]);
	}
	return start;
}

static void eight_cards_burn_at_once(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct burning_kind small = cases[i];
		u64 alone, together;

		small.flash = BURNING_FLASH;
		small.code = 0x8000;
		alone = side_by_side(&small, 1);
		together = side_by_side(&small, CARDS);
		ktap_note("FS%u: one card %llu ms, %d cards %llu ms", small.format, (unsigned long long)(alone / 1000000),
			  CARDS, (unsigned long long)(together / 1000000));
		CHECK(alone > 0 && together * 10 <= alone * 12);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(little_more_than_chip_and_accesses),
	KTAP_TEST(eight_cards_burn_at_once),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
