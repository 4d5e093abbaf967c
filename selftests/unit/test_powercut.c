// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power fails at every single flash operation of a burn, clean and torn, under every
 * policy that a boot ROM might have. Afterwards the card must boot a whole image, old or
 * new, with its identity; and the burn, done again, must succeed.
 */
#include "burning.h"

struct start {
	const char *name;
	void (*prepare)(u8 *flash, const u8 *old, size_t old_length, const u8 *third, size_t third_length);
};

static void one_image(u8 *flash, const u8 *old, size_t old_length, const u8 *third, size_t third_length)
{
	(void)third;
	(void)third_length;
	memset(flash, 0xff, BURNING_FLASH);
	cxsim_image_place("connectx3pro", old, old_length, flash, BURNING_FLASH, 0);
}

/* An earlier burn was cut between commit and invalidation: two whole images. */
static void two_images(u8 *flash, const u8 *old, size_t old_length, const u8 *third, size_t third_length)
{
	one_image(flash, old, old_length, NULL, 0);
	cxsim_image_place("connectx3pro", third, third_length, flash, BURNING_FLASH, 1);
}

/* Half of an older image with a live magic stands in the target. */
static void half_image(u8 *flash, const u8 *old, size_t old_length, const u8 *third, size_t third_length)
{
	two_images(flash, old, old_length, third, third_length);
	memset(flash + 0x80000 + 0x2000, 0, 0x1000);
}

/* Leftovers of other chunk sizes at every search offset where no image lies. */
static void stale_magics(u8 *flash, const u8 *old, size_t old_length, const u8 *third, size_t third_length)
{
	int i;

	two_images(flash, old, old_length, third, third_length);
	for (i = 1; i < CXFW_MAGIC_PLACES; i++)
		if (cxfw_magic_places[i] < BURNING_FLASH)
			memcpy(flash + cxfw_magic_places[i], cxfw_fs2_magic, CXFW_MAGIC_BYTES);
}

static const struct start starts[] = {
	{ "one image", one_image },
	{ "two images", two_images },
	{ "half an image in the target", half_image },
	{ "stale magics", stale_magics },
};

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

static void cut_everywhere(const struct start *start, int policy, bool torn, const u8 *image, size_t length)
{
	u64 operations, cut;
	u32 size;

	restore(policy);
	if (cxsim_booted(burning.card)->recovery || !cxsim_booted(burning.card)->whole)
		return;		/* this policy does not boot such a flash even before the burn */
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, image, length, 1, cxsim_flash(burning.card, &size));
	if (burning_run(&burning)) {
		ktap_fail(__FILE__, __LINE__, "%s, policy %d: %s", start->name, policy, burning.device.why);
		return;
	}
	operations = cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_FOUL), 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	REQUIRE(boots_whole("uncut", start->name, policy, torn, 0) && CHECK(is_version(NEW_VERSION)));

	for (cut = 1; cut <= operations; cut++) {
		restore(policy);
		if (burning_open(&burning)) {
			ktap_fail(__FILE__, __LINE__, "open: %s", burning.device.why);
			return;
		}
		burning_plan(&burning, image, length, 1, cxsim_flash(burning.card, &size));
		cxsim_set(burning.card, CXSIM_CUT_TORN, torn);
		cxsim_set(burning.card, CXSIM_CUT_AFTER, cut);
		CHECK(burning_run(&burning) || cut == operations);
		cxsim_set(burning.card, CXSIM_CUT_AFTER, 0);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (!boots_whole("after the cut", start->name, policy, torn, cut))
			return;
		if (burn_again(image, length)) {
			ktap_fail(__FILE__, __LINE__, "%s, policy %d, %s cut at %llu: second burn: %s", start->name,
				  policy, torn ? "torn" : "clean", (unsigned long long)cut, burning.device.why);
			return;
		}
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (!boots_whole("after the second burn", start->name, policy, torn, cut) ||
		    !CHECK(is_version(NEW_VERSION)))
			return;
	}
	ktap_note("%s, policy %d, %s: %llu operations", start->name, policy, torn ? "torn" : "clean",
		  (unsigned long long)operations);
}

static void cut_from(const struct start *start)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t old_length, new_length, third_length;
	u8 *old, *new, *third;
	int policy;

	shim_reset(ktap_seed());
	old = burning_image(&parameters, &old_length);
	parameters.version = NEW_VERSION;
	new = burning_image(&parameters, &new_length);
	parameters.version = "2.40.7000";
	third = burning_image(&parameters, &third_length);
	before = malloc(BURNING_FLASH);
	start->prepare(before, old, old_length, third, third_length);
	parameters.version = OLD_VERSION;
	if (burning_start(&burning, &parameters)) {
		for (policy = 0; policy < CXSIM_BOOT_POLICIES && !ktap_failed(); policy++) {
			cut_everywhere(start, policy, false, new, new_length);
			cut_everywhere(start, policy, true, new, new_length);
		}
	}
	burning_end(&burning);
	free(before);
	free(old);
	free(new);
	free(third);
}

static void cut_one_image(void)
{
	cut_from(&starts[0]);
}

static void cut_two_images(void)
{
	cut_from(&starts[1]);
}

static void cut_half_image(void)
{
	cut_from(&starts[2]);
}

static void cut_stale_magics(void)
{
	cut_from(&starts[3]);
}

/*
 * A torn commit or invalidation leaves a magic that reads now so, now so; the next burn is
 * cut as well. Whichever image is kept, it must be one that can be relied on.
 */
static void cut_twice(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t old_length, new_length, third_length;
	u64 operations, first, second, tries = 0;
	u8 *old, *new, *third;
	bool done;
	u32 size;

	shim_reset(ktap_seed());
	old = burning_image(&parameters, &old_length);
	parameters.version = NEW_VERSION;
	new = burning_image(&parameters, &new_length);
	parameters.version = "2.40.7000";
	third = burning_image(&parameters, &third_length);
	before = malloc(BURNING_FLASH);
	one_image(before, old, old_length, NULL, 0);
	parameters.version = OLD_VERSION;
	REQUIRE(burning_start(&burning, &parameters));
	restore(CXSIM_BOOT_MAGIC_FIRST);
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, new, new_length, 1, cxsim_flash(burning.card, &size));
	REQUIRE(!burning_run(&burning));
	operations = cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS);
	for (first = operations - 1; first <= operations && !ktap_failed(); first++) {
		for (second = 1, done = false; !done && !ktap_failed(); second++) {
			restore(CXSIM_BOOT_MAGIC_FIRST);
			REQUIRE(!burning_open(&burning));
			burning_plan(&burning, new, new_length, 1, cxsim_flash(burning.card, &size));
			cxsim_set(burning.card, CXSIM_CUT_TORN, 1);
			cxsim_set(burning.card, CXSIM_CUT_AFTER, first);
			burning_run(&burning);
			cxsim_set(burning.card, CXSIM_CUT_AFTER, 0);
			cxsim_reset(burning.card, CXSIM_RESET_POWER);
			if (!boots_whole("first cut", "one image", CXSIM_BOOT_MAGIC_FIRST, true, first))
				break;
			cxsim_set(burning.card, CXSIM_CUT_AFTER, second);
			done = !burn_again(third, third_length);
			cxsim_set(burning.card, CXSIM_CUT_AFTER, 0);
			for (tries = 0; tries < 16; tries++) {
				cxsim_reset(burning.card, CXSIM_RESET_POWER);
				if (!boots_whole("second cut", "one image", CXSIM_BOOT_MAGIC_FIRST, true, second))
					break;
			}
		}
	}
	burning_end(&burning);
	free(before);
	free(old);
	free(new);
	free(third);
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
	one_image(before, old, old_length, NULL, 0);
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
	one_image(before, old, old_length, NULL, 0);
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
	one_image(before, old, old_length, NULL, 0);
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
	KTAP_TEST(cut_one_image),
	KTAP_TEST(cut_two_images),
	KTAP_TEST(cut_half_image),
	KTAP_TEST(cut_stale_magics),
	KTAP_TEST(cut_twice),
	KTAP_TEST(stop_everywhere),
	KTAP_TEST(reset_between_steps),
	KTAP_TEST(resumes),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
