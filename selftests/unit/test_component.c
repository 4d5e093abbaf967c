// SPDX-License-Identifier: GPL-2.0-only
/* The firmware's own update: it comes to its end or leaves nothing held, and says why. */
#include "floors.h"

#include <linux/err.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../../kmod/cxfw/component.h"
#include "../../kmod/cxfw/mcc.h"
#include "../../kmod/cxfw/reg.h"
#include "../../kmod/cxfw/sha256.h"

#define OLD_VERSION	"16.35.4506"
#define NEW_VERSION	"16.35.4600"
#define PSID		"MT_0000000013"

struct update {
	struct floors floors;
	struct cxfw_plan plan;
	struct cxfw_segment segment;
	struct cxfw_plan_watch watch;
	enum cxfw_job_phase phase;	/* the last that was told */
	unsigned int calls, stop_at;	/* progress call that answers -ECANCELED; 0: none */
	unsigned int refused_stops;	/* calls that would not be stopped */
	u64 done;
	void (*at_phase)(struct update *update);
};

static struct update update;
static struct cxfw_device *device = &update.floors.device;

static int progress(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total, bool may_stop)
{
	bool other = update.phase != phase;

	CHECK(watch == &update.watch);
	CHECK(!device->gateway.inside);
	CHECK(done <= total);
	CHECK(other || done >= update.done || phase != CXFW_PHASE_WRITE);
	update.phase = phase;
	update.done = done;
	if (other && update.at_phase)
		update.at_phase(&update);
	if (++update.calls != update.stop_at)
		return 0;
	update.refused_stops += !may_stop;
	return -ECANCELED;
}

static struct cxsim_parameters parameters_of(const char *model, const char *version)
{
	struct cxsim_parameters parameters = floors_parameters(model);

	parameters.version = version;
	parameters.psid = PSID;
	parameters.code_size = 0x2000;
	return parameters;
}

static void digest_of(const void *data, size_t length, u8 digest[32])
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();

	if (IS_ERR(hash) || cxfw_sha256_update(hash, data, length) || cxfw_sha256_finish(hash, digest))
		abort();
}

/* What a card with these parameters runs, without its magic, as tools send it (device-access.md 8.5). */
static u8 *image_of(const struct cxsim_parameters *parameters, u32 *length)
{
	struct floors other;
	u8 dword[4], *image;
	u32 some = sizeof(dword);

	if (!floors_open_with(&other, parameters) ||
	    cxfw_component_read(&other.device, CXFW_COMPONENT_BOOT_IMG, false, 0, dword, &some, length)) {
		ktap_fail(__FILE__, __LINE__, "no image: %s", other.device.why);
		abort();
	}
	image = malloc(*length);
	memcpy(image, other.cells, *length);
	memset(image, 0xff, 16);
	floors_end(&other);
	return image;
}

static void make_plan(u8 *image, u32 length)
{
	struct cxfw_plan *plan = &update.plan;

	plan->image = image;
	update.segment.offset = 0;
	update.segment.length = length;
	plan->segments = &update.segment;
	plan->head.size = sizeof(plan->head);
	plan->head.flags = CXFW_PLAN_COMPONENT;
	plan->head.image_length = length;
	plan->head.segment_count = 1;
	plan->head.hw_id = device->hw_id;
	plan->head.hw_revision = device->hw_revision;
	plan->head.old_address = CXFW_NO_ADDRESS;
	plan->head.component = CXFW_COMPONENT_BOOT_IMG;
	digest_of(plan->image, length, plan->head.segments_sha256);
}

static bool start_with(const struct cxsim_parameters *old, const struct cxsim_parameters *new)
{
	u32 length;
	u8 *image = image_of(new, &length);

	memset(&update, 0, sizeof(update));
	update.watch.progress = progress;
	if (!floors_open_with(&update.floors, old)) {
		free(image);
		return false;
	}
	make_plan(image, length);
	cxsim_set(update.floors.card, CXSIM_ACCESS_TIME, 20000);
	return true;
}

static bool start(const char *model)
{
	struct cxsim_parameters old = parameters_of(model, OLD_VERSION), new = parameters_of(model, NEW_VERSION);

	return start_with(&old, &new);
}

static void end(void)
{
	free(update.plan.image);
	update.plan.image = NULL;
	floors_end(&update.floors);
}

static int run(void)
{
	char why[CXFW_WHY_LENGTH] = "";
	int error = cxfw_component_check(&update.plan, why);

	if (error) {
		strscpy(device->why, why, sizeof(device->why));
		return error;
	}
	update.calls = 0;
	update.phase = CXFW_PHASE_UNSPEC;
	return cxfw_component_run(device, &update.plan, &update.watch, false);
}

/* The handle is free, the locks are, and nothing was done that hurts real cards. */
static void check_released(void)
{
	struct cxfw_mcc mcc;

	CHECK(!device->flash.locked);
	CHECK_CLEAN(&update.floors);
	CHECK_ERROR(device, cxfw_mcc_query(device, 0, &mcc), 0);
	CHECK_EQ(mcc.state, CXFW_MCC_IDLE);
	CHECK_CLEAN(&update.floors);
}

/* Firmware that was not told CANCEL shows the update as under way for ever (device-access.md 4.2, MCQS). */
static void check_not_in_progress(void)
{
	__be32 mcqs[4] = { 0 };

	CHECK_ERROR(device, cxfw_reg(device, CXFW_REG_MCQS, CXFW_METHOD_GET, mcqs, sizeof(mcqs), sizeof(mcqs), NULL), 0);
	CHECK((be32_to_cpu(mcqs[2]) & 0xf) != 1);
}

static const char *booted_version(void)
{
	static char text[40];
	const struct cxsim_boot *boot;

	cxsim_reset(update.floors.card, CXSIM_RESET_POWER);
	cxsim_advance(update.floors.card, 5000000000ULL);
	boot = cxsim_booted(update.floors.card);
	CHECK(!boot->recovery && boot->whole);
	snprintf(text, sizeof(text), "%u.%u.%u", boot->version[0], boot->version[1], boot->version[2]);
	return text;
}

static void an_update_boots_after_a_reset(void)
{
	REQUIRE(start("connectx5"));
	CHECK_ERROR(device, run(), 0);
	CHECK_EQ(update.phase, CXFW_PHASE_COMMIT);
	check_released();
	CHECK_STR(booted_version(), NEW_VERSION);
	end();
}

static void a_second_update_waits_for_the_reset(void)
{
	REQUIRE(start("connectx5"));
	CHECK_ERROR(device, run(), 0);
	CHECK_ERROR(device, run(), -EBUSY);
	CHECK_EQ(device->mcc_error, 9);
	CHECK_WHY(device, "BLOCKED_PENDING_RESET");
	check_released();
	end();
}

static void a_cancel_at_every_boundary_keeps_the_old_image(void)
{
	unsigned int stop_at, most = 0;
	int error;

	for (stop_at = 1;; stop_at++) {
		REQUIRE(start("connectx5"));
		update.stop_at = stop_at;
		error = run();
		if (update.refused_stops || !error) {
			/* Told too late, or never: the update went through. */
			CHECK_ERROR(device, error, 0);
			CHECK_STR(booted_version(), NEW_VERSION);
		} else {
			CHECK_EQ(error, -ECANCELED);
			CHECK(update.phase <= CXFW_PHASE_COMMIT);
			check_released();
			if (update.phase == CXFW_PHASE_WRITE)
				check_not_in_progress();
			CHECK_STR(booted_version(), OLD_VERSION);
		}
		most = update.calls;
		end();
		if (ktap_failed() || !error)
			break;
	}
	ktap_note("%u boundaries", most);
	CHECK(most > 5);
}

static void damage_is_found_by_the_firmware(void)
{
	u32 at = 0x1000;

	REQUIRE(start("connectx5"));
	/* Somewhere in the code: a gap between sections is nobody's. */
	while (update.plan.image[at] == 0xff || update.plan.image[at + 1] == 0xff)
		at++;
	update.plan.image[at] ^= 1;
	digest_of(update.plan.image, update.plan.head.image_length, update.plan.head.segments_sha256);
	CHECK_ERROR(device, run(), -EBADMSG);
	CHECK_EQ(device->mcc_error, 2);
	CHECK_WHY(device, "REJECTED_DIGEST_ERR");
	CHECK_EQ(update.phase, CXFW_PHASE_VERIFY);
	check_released();
	CHECK_STR(booted_version(), OLD_VERSION);
	end();
}

static void another_psid_is_refused_by_the_firmware(void)
{
	struct cxsim_parameters old = parameters_of("connectx5", OLD_VERSION);
	struct cxsim_parameters new = parameters_of("connectx5", NEW_VERSION);

	new.psid = "MT_0000000008";
	REQUIRE(start_with(&old, &new));
	CHECK_ERROR(device, run(), -ENOENT);
	CHECK_EQ(device->mcc_error, 3);
	CHECK_WHY(device, "REJECTED_NOT_APPLICABLE");
	check_released();
	end();
}

static void the_grammar_refuses(void)
{
	static const struct {
		const char *part;
		size_t offset;
		u32 value;
	} changes[] = {
		{ "component", offsetof(struct cxfw_stage, component), 7 },
		{ "flags", offsetof(struct cxfw_stage, flags), CXFW_PLAN_COMPONENT | CXFW_PLAN_RECOVERY },
		{ "flags", offsetof(struct cxfw_stage, flags), CXFW_PLAN_COMPONENT | CXFW_PLAN_DEVICE_DATA },
		{ "place", offsetof(struct cxfw_stage, format), CXFW_FORMAT_FS4 },
		{ "place", offsetof(struct cxfw_stage, flash_size), 0x400000 },
		{ "place", offsetof(struct cxfw_stage, log2_chunk), 23 },
		{ "place", offsetof(struct cxfw_stage, target_slot), 1 },
		{ "place", offsetof(struct cxfw_stage, window_length), 4096 },
		{ "place", offsetof(struct cxfw_stage, target_address), 4096 },
		{ "place", offsetof(struct cxfw_stage, old_address), 0 },
		{ "place", offsetof(struct cxfw_stage, old_sha256), 1 },
		{ "image_length", offsetof(struct cxfw_stage, image_length), 0 },
		{ "segment", offsetof(struct cxfw_stage, segment_count), 2 },
		{ "sha256", offsetof(struct cxfw_stage, segments_sha256), 1 },
	};
	char why[CXFW_WHY_LENGTH];
	size_t i;

	REQUIRE(start("connectx5"));
	CHECK_EQ(cxfw_component_check(&update.plan, why), 0);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		struct cxfw_stage before = update.plan.head;

		memcpy((u8 *)&update.plan.head + changes[i].offset, &changes[i].value, sizeof(u32));
		CHECK_EQ(cxfw_component_check(&update.plan, why), -EINVAL);
		if (!strstr(why, changes[i].part))
			ktap_fail(__FILE__, __LINE__, "change %zu: \"%s\", expected \"%s\"", i, why, changes[i].part);
		update.plan.head = before;
	}
	update.segment.offset = 16;
	CHECK_EQ(cxfw_component_check(&update.plan, why), -EINVAL);
	end();
}

static void another_card_is_refused(void)
{
	REQUIRE(start("connectx5"));
	update.plan.head.hw_revision ^= 1;
	CHECK_ERROR(device, run(), -ESTALE);
	CHECK_EQ(update.phase, CXFW_PHASE_CHECK);
	CHECK_CLEAN(&update.floors);
	end();
}

static void mlx4_has_no_components(void)
{
	u32 handle = 1;

	memset(&update, 0, sizeof(update));
	REQUIRE(floors_open(&update.floors, "connectx3pro"));
	CHECK(!cxfw_has_components(device));
	CHECK_ERROR(device, cxfw_update_handle_take(device, &handle), 0);
	CHECK_EQ(handle, 0);
	cxfw_update_handle_give(device, handle);
	CHECK_CLEAN(&update.floors);
	floors_end(&update.floors);
}

static void a_held_handle_names_its_owner(void)
{
	struct cxfw_mcc mcc;
	u32 handle, second = 0;

	REQUIRE(start("connectx5"));
	CHECK(cxfw_has_components(device));
	CHECK_ERROR(device, cxfw_update_handle_take(device, &handle), 0);
	CHECK(handle != 0);
	CHECK_ERROR(device, cxfw_update_handle_take(device, &second), -EBUSY);
	CHECK_EQ(second, 0);
	CHECK_EQ(device->semaphore, CXFW_SEMAPHORE_UPDATE_HANDLE);
	CHECK_EQ(device->semaphore_value, handle);
	CHECK_ERROR(device, run(), -EBUSY);
	CHECK(!device->flash.locked);
	/* Who holds it keeps it. */
	CHECK_ERROR(device, cxfw_mcc_query(device, handle, &mcc), 0);
	CHECK_EQ(mcc.state, CXFW_MCC_LOCKED);
	CHECK_ERROR(device, cxfw_update_handle_clear(device, handle + 1), -ESTALE);
	CHECK_ERROR(device, cxfw_update_handle_clear(device, handle), 0);
	CHECK_ERROR(device, cxfw_update_handle_clear(device, handle), -ESTALE);
	check_released();
	CHECK_ERROR(device, run(), 0);
	end();
}

static void someone_takes_the_handle(struct update *update)
{
	struct cxfw_mcc mcc;

	if (update->phase != CXFW_PHASE_VERIFY)
		return;
	CHECK_ERROR(device, cxfw_mcc_query(device, 0, &mcc), 0);
	CHECK_ERROR(device, cxfw_update_handle_clear(device, mcc.handle), 0);
}

static void a_stolen_handle_ends_the_update(void)
{
	REQUIRE(start("connectx5"));
	update.at_phase = someone_takes_the_handle;
	CHECK_ERROR(device, run(), -ESTALE);
	CHECK_WHY(device, "not ours any more");
	check_released();
	CHECK_STR(booted_version(), OLD_VERSION);
	end();
}

static void the_card_resets(struct update *update)
{
	if (update->phase != CXFW_PHASE_WRITE)
		return;
	cxsim_reset(update->floors.card, CXSIM_RESET_CHIP);
	cxsim_advance(update->floors.card, 2000000000ULL);
}

static void a_reset_under_an_update_is_told(void)
{
	REQUIRE(start("connectx5"));
	update.at_phase = the_card_resets;
	CHECK_ERROR(device, run(), -ESTALE);
	CHECK_WHY(device, "reset");
	check_released();
	CHECK_STR(booted_version(), OLD_VERSION);
	end();
}

static void unplugged(struct update *update)
{
	if (update->phase == CXFW_PHASE_WRITE)
		cxsim_unplug(update->floors.card, true);
}

static void an_unplugged_card_ends_it(void)
{
	REQUIRE(start("connectx5"));
	update.at_phase = unplugged;
	CHECK_ERROR(device, run(), -ENODEV);
	CHECK(!device->gateway.inside);
	CHECK(!device->flash.locked);
	cxsim_unplug(update.floors.card, false);
	end();
}

static void an_unplug_at_any_access_comes_to_an_end(void)
{
	u64 n, step;
	int error;

	for (n = 1, step = 1; n < 400000; n += step, step += step / 2 + 1) {
		REQUIRE(start("connectx5"));
		cxsim_set(update.floors.card, CXSIM_UNPLUG_AFTER, n);
		error = run();
		CHECK(!device->gateway.inside);
		CHECK(!device->flash.locked);
		CHECK(!update.floors.pdev->config_locked);
		end();
		if (!error)
			break;
		CHECK(error == -ENODEV || error == -EIO);
	}
	CHECK(n > 1000 && n < 400000);
}

/* Whatever of the slot that does not run was erased or written: the running image boots. */
static void power_cuts_keep_an_image(void)
{
	unsigned int cuts, tried = 0, old = 0, new = 0;
	const char *version;
	u64 operations;

	REQUIRE(start("connectx5"));
	cxsim_counters_clear(update.floors.card);
	CHECK_ERROR(device, run(), 0);
	operations = cxsim_count(update.floors.card, CXSIM_FLASH_OPERATIONS);
	end();
	CHECK(operations > 10);
	for (cuts = 1; cuts <= operations && !ktap_failed(); cuts += cuts < operations - 8 ? 8 : 1) {
		REQUIRE(start("connectx5"));
		cxsim_set(update.floors.card, CXSIM_CUT_AFTER, cuts);
		run();
		tried++;
		version = booted_version();
		old += !strcmp(version, OLD_VERSION);
		new += !strcmp(version, NEW_VERSION);
		end();
	}
	ktap_note("%u cuts of %llu: %u boot the old image, %u the new one", tried, operations, old, new);
	CHECK_EQ(old + new, tried);
	CHECK(old > 0);
}

static void components_are_read(void)
{
	u8 *buffer = malloc(0x10000), *whole;
	u32 length = 0x1000, total = 0, size, done;

	REQUIRE(start("connectx5"));
	CHECK_ERROR(device, cxfw_component_read(device, CXFW_COMPONENT_BOOT_IMG, false, 0, buffer, &length, &total), 0);
	CHECK_EQ(length, 0x1000);
	CHECK(total > 0x2000);
	check_released();
	whole = calloc(1, total);
	for (done = 0; done < total; done += length) {
		length = 0x2000;
		CHECK_ERROR(device, cxfw_component_read(device, CXFW_COMPONENT_BOOT_IMG, false, done, whole + done, &length,
							&size), 0);
		REQUIRE(length && !ktap_failed());
	}
	/* The running image lies in the first slot. */
	CHECK(!memcmp(whole + 16, update.floors.cells + 16, total - 16));
	length = 0x1000;
	CHECK_ERROR(device, cxfw_component_read(device, CXFW_COMPONENT_BOOT_IMG, false, total, buffer, &length, &size), 0);
	CHECK_EQ(length, 0);
	length = 0x100;
	CHECK_ERROR(device, cxfw_component_read(device, 7, false, 0, buffer, &length, &size), -EOPNOTSUPP);
	CHECK_ERROR(device, cxfw_component_read(device, 99, false, 0, buffer, &length, &size), -ENOENT);
	CHECK_ERROR(device, cxfw_component_read(device, CXFW_COMPONENT_BOOT_IMG, true, 0, buffer, &length, &size), -ENOENT);
	check_released();
	free(whole);
	free(buffer);
	end();
}

/* Firmware that lets itself be asked again and again, by its state or by its register's status. */
static void late_and_busy_firmware_is_waited_for(void)
{
	static const struct { enum cxsim_setting setting; u64 value, status; } kinds[] = {
		{ CXSIM_MCC_LATE, 1, 8 }, { CXSIM_MCC_LATE, 50, 8 }, { CXSIM_MCC_IMMEDIATE, 1, 8 },
		{ CXSIM_MCC_BUSY, 1, 8 }, { CXSIM_MCC_BUSY, 40, 8 }, { CXSIM_MCC_BUSY, 40, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		REQUIRE(start("connectx5"));
		cxsim_set(update.floors.card, CXSIM_MCC_BUSY_STATUS, kinds[i].status);
		cxsim_set(update.floors.card, kinds[i].setting, kinds[i].value);
		CHECK_ERROR(device, run(), 0);
		check_released();
		CHECK_STR(booted_version(), NEW_VERSION);
		end();
		if (ktap_failed())
			ktap_note("kind %zu", i);
	}
}

/* One that never is ready is given up on, in bounded time, and the handle with it. */
static void firmware_that_stays_busy_is_given_up(void)
{
	u64 before;

	REQUIRE(start("connectx5"));
	cxsim_set(update.floors.card, CXSIM_MCC_LATE, 1000);
	update.stop_at = 200;
	before = cxsim_time(update.floors.card);
	CHECK(run() < 0);
	CHECK(cxsim_time(update.floors.card) - before < 300 * 1000000000ULL);
	CHECK(!device->flash.locked);
	end();
	REQUIRE(start("connectx5"));
	cxsim_set(update.floors.card, CXSIM_MCC_BUSY, 1000000);
	before = cxsim_time(update.floors.card);
	CHECK(run() < 0);
	CHECK(cxsim_time(update.floors.card) - before < 60 * 1000000000ULL);
	cxsim_set(update.floors.card, CXSIM_MCC_BUSY, 0);
	check_released();
	end();
}

static void every_error_at_every_step_is_told(void)
{
	static const u32 steps[] = { CXFW_MCC_UPDATE, CXFW_MCC_VERIFY, CXFW_MCC_ACTIVATE };
	size_t i;
	u32 code;

	REQUIRE(start("connectx5"));
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		for (code = 1; code <= 0x33 && !ktap_failed(); code++) {
			cxsim_set(update.floors.card, CXSIM_MCC_ERROR_AT, steps[i]);
			cxsim_set(update.floors.card, CXSIM_MCC_ERROR, code);
			CHECK(run() < 0);
			CHECK_EQ(device->mcc_error, code);
			CHECK_WHY(device, cxfw_mcc_error_text(code));
			check_released();
		}
	}
	cxsim_set(update.floors.card, CXSIM_MCC_ERROR_AT, 0);
	CHECK_STR(booted_version(), OLD_VERSION);
	end();
}

static void a_secure_card_takes_what_is_signed(void)
{
	struct cxsim_parameters old = parameters_of("connectx6", "20.35.4506");
	struct cxsim_parameters new = parameters_of("connectx6", "20.35.4600");

	REQUIRE(start_with(&old, &new));
	CHECK_ERROR(device, cxfw_component_run(device, &update.plan, &update.watch, true), 0);
	check_released();
	CHECK_STR(booted_version(), "20.35.4600");
	end();
	new.signature = 1;
	REQUIRE(start_with(&old, &new));
	CHECK_ERROR(device, run(), -EKEYREVOKED);
	CHECK_WHY(device, "REJECTED_UNSIGNED");
	check_released();
	CHECK_STR(booted_version(), "20.35.4506");
	end();
}

static void every_error_code_has_words(void)
{
	u32 code;

	for (code = 0; code <= 0x32; code++)
		CHECK(!strstr(cxfw_mcc_error_text(code), "does not know it"));
	CHECK(strstr(cxfw_mcc_error_text(0x33), "does not know") != NULL);
}

static void signed_only_asks_the_firmware(void)
{
	REQUIRE(start("connectx5"));
	CHECK_ERROR(device, cxfw_component_run(device, &update.plan, &update.watch, true), -EPERM);
	CHECK_WHY(device, "burn=signed");
	CHECK_CLEAN(&update.floors);
	end();
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(an_update_boots_after_a_reset),
		KTAP_TEST(a_second_update_waits_for_the_reset),
		KTAP_TEST(a_cancel_at_every_boundary_keeps_the_old_image),
		KTAP_TEST(damage_is_found_by_the_firmware),
		KTAP_TEST(another_psid_is_refused_by_the_firmware),
		KTAP_TEST(the_grammar_refuses),
		KTAP_TEST(another_card_is_refused),
		KTAP_TEST(mlx4_has_no_components),
		KTAP_TEST(a_held_handle_names_its_owner),
		KTAP_TEST(a_stolen_handle_ends_the_update),
		KTAP_TEST(a_reset_under_an_update_is_told),
		KTAP_TEST(an_unplugged_card_ends_it),
		KTAP_TEST(an_unplug_at_any_access_comes_to_an_end),
		KTAP_TEST(power_cuts_keep_an_image),
		KTAP_TEST(components_are_read),
		KTAP_TEST(late_and_busy_firmware_is_waited_for),
		KTAP_TEST(firmware_that_stays_busy_is_given_up),
		KTAP_TEST(every_error_at_every_step_is_told),
		KTAP_TEST(a_secure_card_takes_what_is_signed),
		KTAP_TEST(every_error_code_has_words),
		KTAP_TEST(signed_only_asks_the_firmware),
	};

	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
