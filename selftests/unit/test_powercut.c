// SPDX-License-Identifier: GPL-2.0-only
/*
 * A burn that ends early: stopped by its job, the card reset under it, the power gone and
 * the burn run again for the price of the rest. test_powercut_all.c has every operation.
 */
#include "burning.h"

static void one_image(u8 *flash, const u8 *old, size_t old_length)
{
	memset(flash, 0xff, BURNING_FLASH);
	cxsim_image_place("connectx3pro", old, old_length, flash, BURNING_FLASH, 0);
}

static struct burning burning;
static u8 *before;

static void restore(int policy)
{
	u32 size;
	u8 *flash = cxsim_flash(burning.card, &size);
	int i;

	for (i = 0; i < CXSIM_SETTINGS; i++)
		cxsim_set(burning.card, i, cxsim_settings[i].minimum);
	cxsim_set(burning.card, CXSIM_BOOT_POLICY, policy);
	/* Cells that a cut left unstable stay so until others are written over them. */
	memset(flash, 0, BURNING_FLASH);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	memcpy(flash, before, BURNING_FLASH);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	cxsim_counters_clear(burning.card);
}

static bool boots_whole(const char *what, const char *start, int policy, bool torn, u64 cut)
{
	const struct cxsim_boot *boot = cxsim_booted(burning.card);
	bool good = !boot->recovery && boot->whole && boot->guid[0] == BURNING_GUID &&
		    boot->mac[0] == BURNING_MAC && !strcmp(boot->psid, "MT_1200111023");

	if (!good)
		ktap_fail(__FILE__, __LINE__, "%s: %s, policy %d, %s cut at operation %llu: recovery %d whole %d at %#x",
			  what, start, policy, torn ? "torn" : "clean", (unsigned long long)cut, boot->recovery,
			  boot->whole, boot->address);
	return good;
}

static bool is_version(const char *version)
{
	const struct cxsim_boot *boot = cxsim_booted(burning.card);
	char text[40];

	snprintf(text, sizeof(text), "%u.%u.%u", boot->version[0], boot->version[1], boot->version[2]);
	return !strcmp(text, version);
}

/* As an operator would: look again, plan again, burn again. Keeps a slot that is steady and whole. */
static int burn_again(const u8 *image, size_t length)
{
	u32 size, running;
	int error = burning_open(&burning);

	if (error)
		return error;
	running = cxsim_booted(burning.card)->address;
	burning_plan(&burning, image, length, running ? 0 : 1, cxsim_flash(burning.card, &size));
	error = burning_run(&burning);
	if (error != -ESTALE)
		return error;
	/* What boots now may have an unsteady magic: then the other slot is the one to keep. */
	burning_plan(&burning, image, length, running ? 1 : 0, cxsim_flash(burning.card, &size));
	return burning_run(&burning);
}

/* Stopped by its job at every progress call: the card boots a whole image and holds no lock. */
static void stop_everywhere(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t old_length, new_length;
	u8 *old, *new;
	int calls, error;
	u32 size;

	shim_reset(ktap_seed());
	old = burning_image(&parameters, &old_length);
	parameters.version = NEW_VERSION;
	new = burning_image(&parameters, &new_length);
	before = malloc(BURNING_FLASH);
	one_image(before, old, old_length);
	parameters.version = OLD_VERSION;
	REQUIRE(burning_start(&burning, &parameters));
	for (calls = 0;; calls++) {
		restore(CXSIM_BOOT_MAGIC_FIRST);
		REQUIRE(!burning_open(&burning));
		burning_plan(&burning, new, new_length, 1, cxsim_flash(burning.card, &size));
		burning.stop_at = calls;
		error = burning_run(&burning);
		burning.stop_at = -1;
		CHECK(!error || error == -ECANCELED);
		CHECK_EQ(cxsim_cr_read(burning.card, 0xf03a0), 0);
		cxsim_cr_write(burning.card, 0xf03a0, 0);	/* reading it took it */
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (!boots_whole("stopped", "one image", CXSIM_BOOT_MAGIC_FIRST, false, calls))
			break;
		CHECK(is_version(error ? OLD_VERSION : NEW_VERSION));
		if (calls >= burning.calls)
			break;
	}
	CHECK(calls > 10);
	burning_end(&burning);
	free(before);
	free(old);
	free(new);
}

static enum cxfw_job_phase reset_at;

static int reset_once(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
		      bool may_stop)
{
	if (phase == reset_at && (done || phase > CXFW_PHASE_WRITE)) {
		reset_at = CXFW_PHASE_UNSPEC;
		cxsim_reset(burning.card, CXSIM_RESET_CHIP);
	}
	return burning_progress(watch, phase, done, total, may_stop);
}

/*
 * Somebody resets the card between two steps: the flash lock is gone, and another tool may
 * have it. Nothing is written any more, and least of all is an image given up.
 */
static void reset_between_steps(void)
{
	static const enum cxfw_job_phase phases[] = {
		CXFW_PHASE_WRITE, CXFW_PHASE_VERIFY, CXFW_PHASE_COMMIT, CXFW_PHASE_INVALIDATE,
	};
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t old_length, new_length, i;
	u8 *old, *new, *flash;
	u32 size;

	shim_reset(ktap_seed());
	old = burning_image(&parameters, &old_length);
	parameters.version = NEW_VERSION;
	new = burning_image(&parameters, &new_length);
	before = malloc(BURNING_FLASH);
	one_image(before, old, old_length);
	parameters.version = OLD_VERSION;
	REQUIRE(burning_start(&burning, &parameters));
	burning.watch.progress = reset_once;
	flash = cxsim_flash(burning.card, &size);
	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		restore(CXSIM_BOOT_MAGIC_FIRST);
		REQUIRE(!burning_open(&burning));
		burning_plan(&burning, new, new_length, 1, flash);
		reset_at = phases[i];
		CHECK_EQ(burning_run(&burning), -EIO);
		CHECK(strstr(burning.device.why, "reset") != NULL);
		CHECK_EQ(reset_at, CXFW_PHASE_UNSPEC);
		CHECK(!memcmp(flash, cxfw_fs2_magic, CXFW_MAGIC_BYTES));
		CHECK_EQ(!memcmp(flash + 0x80000, cxfw_fs2_magic, CXFW_MAGIC_BYTES), phases[i] == CXFW_PHASE_INVALIDATE);
		CHECK_EQ(cxsim_cr_read(burning.card, 0xf03a0), 0);
		cxsim_cr_write(burning.card, 0xf03a0, 0);	/* reading it took it */
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		boots_whole("reset", "one image", CXSIM_BOOT_MAGIC_FIRST, false, i);
	}
	burning_end(&burning);
	free(before);
	free(old);
	free(new);
}

/* A burn of what is there already writes next to nothing. */
static void resumes(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t new_length, old_length;
	u64 operations, half, again;
	u8 *new, *old;
	u32 size;

	shim_reset(ktap_seed());
	old = burning_image(&parameters, &old_length);
	parameters.version = NEW_VERSION;
	parameters.code_size = 0x20000;
	new = burning_image(&parameters, &new_length);
	before = malloc(BURNING_FLASH);
	one_image(before, old, old_length);
	parameters.version = OLD_VERSION;
	REQUIRE(burning_start(&burning, &parameters));
	restore(CXSIM_BOOT_CHECKED_FIRST);
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, new, new_length, 1, cxsim_flash(burning.card, &size));
	REQUIRE(!burning_run(&burning));
	operations = cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS);
	restore(CXSIM_BOOT_CHECKED_FIRST);
	half = operations * 3 / 4;
	REQUIRE(!burning_open(&burning));
	cxsim_set(burning.card, CXSIM_CUT_AFTER, half);
	CHECK(burning_run(&burning));
	cxsim_set(burning.card, CXSIM_CUT_AFTER, 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	cxsim_counters_clear(burning.card);
	CHECK_EQ(burn_again(new, new_length), 0);
	again = cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS);
	ktap_note("%llu operations, cut at %llu, %llu to finish", (unsigned long long)operations,
		  (unsigned long long)half, (unsigned long long)again);
	CHECK(again < operations * 3 / 4);
	CHECK(burning.watch.skipped > 0);
	burning_end(&burning);
	free(before);
	free(old);
	free(new);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(stop_everywhere),
	KTAP_TEST(reset_between_steps),
	KTAP_TEST(resumes),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
