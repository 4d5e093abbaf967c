// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power fails where less can be promised than for a burn beside an image that is kept:
 *
 *   recovery           the card stays in recovery mode or boots the whole new image
 *   device data        FS4: the firmware boots, with its old or its new identity
 *   device data        FS3 has one copy: where the boot ROM checks it the card may come up in
 *                      recovery mode until the data is written again
 *   component update   the firmware boots whole, old or new, as far as it keeps its own order
 *
 * In all of them, doing it again succeeds.
 */
#include "powercut.h"

#include "../../kmod/cxfw/component.h"
#include "../../kmod/cxsim/model/image.h"

#define TRIES	 8 /* power cycles until an unsteady magic reads one way */
#define NEW_GUID 0x0002c903aabbcc00ULL

static struct powercut cut;

/* What is tried: prepares and runs on the card as it is. */
typedef int (*action)(void);

static bool failed(const char *when, u64 operation, int error)
{
	if (cut.bricks++ < 3)
		ktap_fail(__FILE__, __LINE__, "%s, %s, operation %llu: %d, %s; recovery %d, whole %d",
			  cut.way->name, when, (unsigned long long)operation, error, cut.burning.device.why,
			  cxsim_booted(cut.burning.card)->recovery, cxsim_booted(cut.burning.card)->whole);
	return false;
}

static bool under_every_policy(bool (*good)(void), const char *when, u64 operation)
{
	unsigned int policy, i;

	for (policy = 0; policy < CXSIM_BOOT_POLICIES; policy++) {
		cxsim_set(cut.burning.card, CXSIM_BOOT_POLICY, policy);
		for (i = 0; i < 3; i++) {
			cxsim_reset(cut.burning.card, CXSIM_RESET_POWER);
			if (!good())
				return failed(when, operation, 0);
		}
	}
	return true;
}

/* act at every operation, clean and torn: good holds afterwards, and done when it was done again. */
static void everywhere(const char *what, action act, bool (*good)(void), bool (*done)(void))
{
	struct powercut_cells after = {0};
	unsigned int policy, torn;
	u64 operation;
	int error;

	powercut_load(&cut, &cut.before, CXSIM_BOOT_CHECKED_FIRST);
	error = act();
	cut.operations = cxsim_count(cut.burning.card, CXSIM_FLASH_OPERATIONS);
	CHECK_EQ(cxsim_count(cut.burning.card, CXSIM_FOUL), 0);
	if (error || !under_every_policy(done, "uncut", 0))
		failed("uncut", 0, error);
	for (operation = 1; !cut.bricks && operation <= 2 * cut.operations; operation++) {
		torn = operation > cut.operations;
		policy = operation % CXSIM_BOOT_POLICIES;
		powercut_load(&cut, &cut.before, policy);
		cxsim_set(cut.burning.card, CXSIM_CUT_TORN, torn);
		cxsim_set(cut.burning.card, CXSIM_CUT_AFTER, operation - (torn ? cut.operations : 0));
		error = act();
		cxsim_set(cut.burning.card, CXSIM_CUT_AFTER, 0);
		cut.cuts++;
		powercut_save(&cut, &after);
		if (!error && operation % cut.operations)
			failed("the cut one succeeds", operation, error);
		if (!under_every_policy(good, "after the cut", operation))
			break;
		powercut_load(&cut, &after, policy);
		error = act();
		if (error || !under_every_policy(done, "after the second time", operation))
			failed("the second time", operation, error);
	}
	ktap_note("%s, %s: %llu operations, %llu cuts tried, bricks = %llu", cut.way->name, what,
		  (unsigned long long)cut.operations, (unsigned long long)cut.cuts,
		  (unsigned long long)cut.bricks);
	powercut_free(&after);
}

static bool runs(const struct powercut_image *image, u64 guid)
{
	const struct cxsim_boot *boot = cxsim_booted(cut.burning.card);
	char text[40];

	snprintf(text, sizeof(text), "%u.%u.%u", boot->version[0], boot->version[1], boot->version[2]);
	return !boot->recovery && !strcmp(text, image->version) && boot->guid[0] == guid;
}

static bool whole(void)
{
	return cxsim_booted(cut.burning.card)->whole;
}

/* ---- recovery mode ---- */

static bool runs_new(void)
{
	return whole() && runs(&cut.new, BURNING_GUID);
}

static bool recovery_or_new(void)
{
	return cxsim_booted(cut.burning.card)->recovery || runs_new();
}

static int recover(void)
{
	int i, error = 0;

	for (i = 0; i < TRIES; i++) {
		error = burning_open(&cut.burning);
		if (error)
			return error;
		if (cxsim_booted(cut.burning.card)->recovery) {
			burning_plan_recovery(&cut.burning, cut.new.bytes, cut.new.length);
			error = burning_run(&cut.burning);
			/* An image whose device data only is wrong is kept. */
			if (error == -EINVAL)
				error = powercut_burn_again(&cut);
		} else {
			error = powercut_burn_again(&cut);
		}
		if (error != -ESTALE && error != -EINVAL)
			return error;
		cxsim_reset(cut.burning.card, CXSIM_RESET_POWER);
	}
	return error;
}

static void recovery(const struct powercut_way *way)
{
	if (powercut_begin(&cut, way, &powercut_scenarios[0])) {
		memset(cut.before.bytes, 0, 4);
		everywhere("recovery mode", recover, recovery_or_new, runs_new);
	}
	powercut_end(&cut);
}

static void recovery_mode(void)
{
	recovery(&powercut_ways[0]);
	recovery(&powercut_ways[2]);
	recovery(&powercut_ways[4]);
}

/* ---- device data ---- */

static struct cxfw_segment segments[2];

static void plan_device_data(u32 address, const u8 *bytes, u32 length)
{
	struct cxfw_plan *plan = &cut.burning.plan;
	u8 *sectors = malloc(length), *to = sectors;
	u32 i, total = 0;

	free(plan->image);
	memset(plan, 0, sizeof(*plan));
	plan->image = malloc(length);
	memcpy(plan->image, bytes, length);
	plan->segments = segments;
	plan->head.size = sizeof(plan->head);
	plan->head.flags = CXFW_PLAN_DEVICE_DATA;
	plan->head.image_length = length;
	plan->head.window_length = length;
	plan->head.segment_count = segments[1].length ? 2 : 1;
	plan->head.format = cut.way->kind->format;
	plan->head.hw_id = cut.burning.device.hw_id;
	plan->head.hw_revision = cut.burning.device.hw_revision;
	plan->head.flash_size = cut.way->kind->flash;
	plan->head.target_address = address;
	for (i = 0; i < plan->head.segment_count; i++) {
		memcpy(to + total, bytes + segments[i].offset, segments[i].length);
		total += segments[i].length;
	}
	burning_sha256(sectors, total, plan->head.segments_sha256);
	free(sectors);
}

/* 4.4: the other copy becomes the valid one, then the first is given up. */
static int write_identity(void)
{
	u32 first = cut.way->kind->flash - 0x30000, length = 0x11000;
	int error = burning_open(&cut.burning);
	u8 *bytes = malloc(length);

	memcpy(bytes, cut.before.bytes + first, length);
	memcpy(bytes + 0x10000, bytes, 0x200);
	cxsim_put_be64(bytes + 0x10000 + 0x28, NEW_GUID);
	cxsim_put_be32(bytes + 0x10000 + 0x1fc, cxsim_crc16(bytes + 0x10000, 0x1fc));
	memset(bytes, 0, 4);
	segments[0] = (struct cxfw_segment){0x10000, 0x1000};
	segments[1] = (struct cxfw_segment){0, 0x1000};
	plan_device_data(first, bytes, length);
	free(bytes);
	return error ? error : burning_run(&cut.burning);
}

/* Between the two writes both copies are valid, so that the card's data as a whole is not right. */
static bool old_or_new_identity(void)
{
	return runs(&cut.old, BURNING_GUID) || runs(&cut.old, NEW_GUID);
}

static bool new_identity(void)
{
	return whole() && runs(&cut.old, NEW_GUID);
}

static void device_data_of_fs4(void)
{
	unsigned int way;

	for (way = 3; way < 5; way++) {
		if (powercut_begin(&cut, &powercut_ways[way], &powercut_scenarios[0]))
			everywhere("device data", write_identity, old_or_new_identity, new_identity);
		powercut_end(&cut);
	}
}

/* 3.7: one copy, of which the image's table has the CRC: it is written before the image that goes with it. */
static int write_identity_and_image(void)
{
	u32 at = cut.way->kind->flash - 0x12000;
	u8 sector[0x1000], *entry;
	int error = burning_open(&cut.burning);

	memcpy(sector, cut.before.bytes + at, sizeof(sector));
	cxsim_put_be64(sector + 0x28, NEW_GUID);
	segments[0] = (struct cxfw_segment){0, 0x1000};
	segments[1].length = 0;
	plan_device_data(at, sector, sizeof(sector));
	if (!error)
		error = burning_run(&cut.burning);
	for (entry = cut.new.bytes + burning_toc(cut.new.bytes) + 0x20; entry[0] != 0xe1; entry += 0x20)
		;
	cxsim_put_be32(entry + 0x18, (burning_dword(entry + 0x18) & 0xffff0000) | cxsim_crc16(sector, 0x200));
	cxsim_put_be32(entry + 0x1c, cxsim_crc16(entry, 0x1c));
	return error ? error : recover();
}

static bool recovery_or_firmware(void)
{
	const struct cxsim_boot *boot = cxsim_booted(cut.burning.card);

	return boot->recovery || runs(&cut.old, boot->guid[0]) || runs(&cut.new, NEW_GUID);
}

static bool new_image_and_identity(void)
{
	return whole() && runs(&cut.new, NEW_GUID);
}

static void device_data_of_fs3(void)
{
	if (powercut_begin(&cut, &powercut_ways[2], &powercut_scenarios[0]))
		everywhere("device data and image", write_identity_and_image, recovery_or_firmware,
			   new_image_and_identity);
	powercut_end(&cut);
}

/* ---- component update ---- */

static int update_component(void)
{
	struct cxfw_plan *plan = &cut.burning.plan;
	char why[CXFW_WHY_LENGTH] = "";
	int error = burning_open(&cut.burning);

	free(plan->image);
	memset(plan, 0, sizeof(*plan));
	plan->image = malloc(cut.new.length);
	memcpy(plan->image, cut.new.bytes, cut.new.length);
	memset(plan->image, 0xff, CXFW_MAGIC_BYTES);
	segments[0] = (struct cxfw_segment){0, cut.new.length};
	plan->segments = segments;
	plan->head.size = sizeof(plan->head);
	plan->head.flags = CXFW_PLAN_COMPONENT;
	plan->head.image_length = cut.new.length;
	plan->head.segment_count = 1;
	plan->head.hw_id = cut.burning.device.hw_id;
	plan->head.hw_revision = cut.burning.device.hw_revision;
	plan->head.old_address = CXFW_NO_ADDRESS;
	plan->head.component = CXFW_COMPONENT_BOOT_IMG;
	burning_sha256(plan->image, cut.new.length, plan->head.segments_sha256);
	if (!error)
		error = cxfw_component_check(plan, why);
	if (why[0])
		strcpy(cut.burning.device.why, why);
	return error ? error : cxfw_component_run(&cut.burning.device, plan, &cut.burning.watch, false);
}

static bool runs_old_or_new(void)
{
	return whole() && (runs(&cut.old, BURNING_GUID) || runs(&cut.new, BURNING_GUID));
}

static void component_update(void)
{
	unsigned int way;

	for (way = 1; way < 4; way += 2) {
		if (powercut_begin(&cut, &powercut_ways[way], &powercut_scenarios[0]))
			everywhere("component update", update_component, runs_old_or_new, runs_new);
		powercut_end(&cut);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(recovery_mode),
	KTAP_TEST(device_data_of_fs4),
	KTAP_TEST(device_data_of_fs3),
	KTAP_TEST(component_update),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
