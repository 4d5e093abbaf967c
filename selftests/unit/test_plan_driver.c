// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans of flash writes for FS3 and FS4, over the firmware's registers and over the SPI
 * gateway: what is burned boots with its identity, device data is never reached, and what
 * the card refuses is told in words.
 */
#include "burning.h"

enum way { OVER_FIRMWARE, OVER_SPI, WAYS };

static const char *const way_names[WAYS] = { "MFBA", "SPI" };
static const struct burning_kind *const kinds[] = { &burning_fs3, &burning_fs4 };

static struct burning burning;
static u8 *flash;		/* of the card that burns */
static u8 *images[3];		/* old, new, third */
static size_t lengths[3];

static void make_images(const struct burning_kind *kind)
{
	const char *const versions[] = { kind->old_version, kind->new_version, kind->third_version };
	struct cxsim_parameters parameters;
	int i;

	for (i = 0; i < 3; i++) {
		parameters = burning_parameters_of(kind, versions[i], ktap_seed());
		images[i] = burning_image(&parameters, &lengths[i]);
	}
}

/* A card with the old image in slot 0 that firmware runs or does not guard. */
static bool begin(const struct burning_kind *kind, enum way way)
{
	struct cxsim_parameters parameters = burning_parameters_of(kind, kind->old_version, ktap_seed());
	u32 size;

	shim_reset(ktap_seed());
	make_images(kind);
	if (!burning_start(&burning, &parameters))
		return false;
	flash = cxsim_flash(burning.card, &size);
	if (way == OVER_SPI) {
		cxsim_set(burning.card, CXSIM_GUARD_OFF, 1);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (burning_open(&burning)) {
			ktap_fail(__FILE__, __LINE__, "open: %s", burning.device.why);
			return false;
		}
	}
	cxsim_counters_clear(burning.card);
	return true;
}

static void end(void)
{
	int i;

	burning_end(&burning);
	for (i = 0; i < 3; i++)
		free(images[i]);
}

static bool runs(const char *version)
{
	const struct cxsim_boot *boot = cxsim_booted(burning.card);
	char text[40];

	snprintf(text, sizeof(text), "%u.%u.%u", boot->version[0], boot->version[1], boot->version[2]);
	if (!boot->recovery && boot->whole && !strcmp(text, version) && boot->guid[0] == BURNING_GUID &&
	    boot->mac[0] == BURNING_MAC && !strcmp(boot->psid, burning.kind->psid))
		return true;
	ktap_note("runs %s at %#x, whole %d, recovery %d, PSID %s", text, boot->address, boot->whole, boot->recovery,
		  boot->psid);
	return false;
}

#define BURNS(burning) do { \
	int plan_error = burning_run(burning); \
	if (plan_error) \
		ktap_fail(__FILE__, __LINE__, "burn is %d: %s", plan_error, (burning)->device.why); \
} while (0)
#define REFUSES(burning, code, part) do { \
	int plan_error = burning_run(burning); \
	if (plan_error != (code) || !strstr((burning)->device.why, part)) \
		ktap_fail(__FILE__, __LINE__, "burn is %d (%s), expected %d (%s)", plan_error, \
			  plan_error ? (burning)->device.why : "", (code), part); \
} while (0)

/* Into slot 1 and back into slot 0: each time the new one runs, and nothing else has changed. */
static void there_and_back(const struct burning_kind *kind, enum way way)
{
	u8 *before = malloc(kind->flash);
	u32 low;

	REQUIRE(begin(kind, way));
	low = burning_device_data(flash, kind->flash, 0);
	memcpy(before, flash, kind->flash);
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	BURNS(&burning);
	CHECK_EQ(burning.device.flash.access, way == OVER_SPI ? CXFW_FLASH_ACCESS_SPI : CXFW_FLASH_ACCESS_MFBA);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->new_version));
	CHECK(!memcmp(before + low, flash + low, kind->flash - low));
	CHECK(!memcmp(before + 4, flash + 4, 0x100000 - 4));
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, images[2], lengths[2], 0, flash);
	BURNS(&burning);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->third_version));
	CHECK(!memcmp(before + low, flash + low, kind->flash - low));
	CHECK_EQ(cxsim_count(burning.card, CXSIM_FOUL), 0);
	end();
	free(before);
}

static void each_format_each_way(void)
{
	unsigned int kind, way;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (way = 0; way < WAYS && !ktap_failed(); way++) {
			ktap_note("FS%u over %s", kinds[kind]->format, way_names[way]);
			there_and_back(kinds[kind], way);
		}
}

/* ---- what a burn costs ---- */

/* Configuration accesses of the driver per KiB, checks and both read-backs included. */
static u64 cost(const struct burning_kind *kind, enum way way)
{
	u64 accesses;

	if (!begin(kind, way))
		return 0;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	burning.device.gateway.reads = 0;
	burning.device.gateway.writes = 0;
	BURNS(&burning);
	accesses = burning.device.gateway.reads + burning.device.gateway.writes;
	ktap_note("FS%u over %s: %llu accesses, %llu a KiB, for %zu KiB", kind->format,
		  kind->format == CXFW_FORMAT_FS2 ? "legacy SPI" : way_names[way], (unsigned long long)accesses,
		  (unsigned long long)(accesses * 1024 / lengths[1]), lengths[1] / 1024);
	ktap_note("virtual time %llu ms", (unsigned long long)(cxsim_time(burning.card) / 1000000));
	accesses = accesses * 1024 / lengths[1];
	end();
	return accesses;
}

static void costs(void)
{
	static const struct {
		struct burning_kind kind;
		enum way way;
		u64 most;	/* accesses a KiB */
	} cases[] = {
		{ { "connectx3pro", "MT_1200111023", "W25QxxBV", CXFW_FORMAT_FS2, 0x1000000, 0x70000,
		    OLD_VERSION, NEW_VERSION, "2.40.7000" }, OVER_SPI, 10000 },
		{ { "connectx4lx", "MT_2420110034", "W25QxxBV", CXFW_FORMAT_FS3, 0x1000000, 0x70000,
		    "14.20.1010", "14.32.1010", "14.24.1000" }, OVER_SPI, 10000 },
		{ { "connectx5", "MT_0000000011", "W25QxxBV", CXFW_FORMAT_FS4, 0x1000000, 0x70000,
		    "16.32.1010", "16.35.2000", "16.33.1048" }, OVER_FIRMWARE, 10000 },
		{ { "connectx5", "MT_0000000011", "W25QxxBV", CXFW_FORMAT_FS4, 0x1000000, 0x70000,
		    "16.32.1010", "16.35.2000", "16.33.1048" }, OVER_SPI, 10000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases) && !ktap_failed(); i++)
		CHECK(cost(&cases[i].kind, cases[i].way) <= cases[i].most);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(costs),
	KTAP_TEST(each_format_each_way),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
