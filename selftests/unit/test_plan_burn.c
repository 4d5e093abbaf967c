// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans of user/image/ through the driver's own grammar, on simulated cards of each format, which boot
 * the result: burn after burn, with two live images, out of recovery, and device data.
 */
#include <errno.h>

#include "burning.h"
#include "../../user/image/edit.h"
#include "../../user/image/plan.h"
#include "image_fixture.h"

#define SEGMENTS 128

struct bench {
	const struct burning_kind *kind;
	struct burning burning;
	struct cxfw_segment segments[SEGMENTS];
	struct fixture old, new;
	struct image_reader reader;	/* of the flash, through the driver */
	struct image_target target;
	struct image_flash_state state;
	struct image_facts facts;
	struct image_plan plan;
	struct image_error error;
	uint8_t *bytes;
	size_t length;
};

static const struct burning_kind *const kinds[] = { &burning_fs2, &burning_fs3, &burning_fs4 };

static int flash_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	int code = cxfw_flash_lock(context);

	if (code)
		return code;
	code = cxfw_flash_read(context, offset, buffer, length);
	cxfw_flash_unlock(context);
	return code;
}

/* What a driver learns when it opens the card; needed again after every restart. */
static void look_at_card(struct bench *b)
{
	REQUIRE(!cxfw_flash_probe(&b->burning.device));
	b->reader = (struct image_reader){ flash_read, &b->burning.device, b->kind->flash, NULL };
	b->target.flash = &b->reader;
	b->target.flash_sector = b->burning.device.flash.sector;
	b->target.format = image_chip_format(b->burning.device.hw_id);
	b->target.hw_id = b->burning.device.hw_id;
}

static void bench_start(struct bench *b, const struct burning_kind *kind)
{
	struct cxsim_parameters parameters = burning_parameters_of(kind, kind->old_version, 3);

	memset(b, 0, sizeof(*b));
	b->kind = kind;
	REQUIRE(burning_start(&b->burning, &parameters));
	fixture_make(&b->old, &parameters);
	parameters.version = kind->new_version;
	parameters.seed = 4;
	fixture_make(&b->new, &parameters);
	look_at_card(b);
}

static void bench_end(struct bench *b)
{
	free(b->bytes);
	fixture_free(&b->old);
	fixture_free(&b->new);
	burning_end(&b->burning);
}

static void take_plan(struct bench *b)
{
	struct cxfw_stage *head = &b->burning.plan.head;
	uint32_t i;

	free(b->burning.plan.image);
	memset(&b->burning.plan, 0, sizeof(b->burning.plan));
	b->burning.plan.image = malloc(b->plan.image_length);
	memcpy(b->burning.plan.image, b->bytes, b->plan.image_length);
	for (i = 0; i < b->plan.segment_count; i++)
		b->segments[i] =
			(struct cxfw_segment){ b->plan.segment_offset[i], b->plan.segment_length[i] };
	b->burning.plan.segments = b->segments;
	head->size = sizeof(*head);
	head->flags = b->plan.flags;
	head->image_length = b->plan.image_length;
	head->segment_count = b->plan.segment_count;
	head->format = b->kind->format;
	head->hw_id = b->burning.device.hw_id;
	head->hw_revision = b->burning.device.hw_revision;
	head->flash_size = b->plan.flash_size;
	head->log2_chunk = b->plan.log2_chunk;
	head->target_slot = b->plan.target_slot;
	head->window_length = b->plan.window_length;
	head->old_address = b->plan.old_address;
	if (b->plan.flags & CXFW_PLAN_DEVICE_DATA)
		head->target_address = b->plan.target_address;
	memcpy(head->segments_sha256, b->plan.segments_sha256, 32);
	memcpy(head->old_sha256, b->plan.old_sha256, 32);
}

static uint8_t *cells(struct bench *b)
{
	u32 size;

	return cxsim_flash(b->burning.card, &size);
}

static int plan(struct bench *b, const struct fixture *from)
{
	int code = image_query(&from->reader, IMAGE_LAYOUT_FILE, 0, &b->facts, &b->error);

	free(b->bytes);
	b->bytes = NULL;
	if (!code)
		code = image_flash_state(&b->target, &b->state, &b->error);
	if (!code)
		code = image_burn_bytes(&from->reader, &b->facts, &b->target, &b->state, &b->bytes,
					&b->length, &b->error);
	if (!code)
		code = image_plan_make(&b->target, &b->state, b->bytes, b->length, &b->facts, &b->plan,
				       &b->error);
	return code;
}

static bool run(struct bench *b)
{
	take_plan(b);
	if (!burning_run(&b->burning))
		return true;
	ktap_fail(__FILE__, __LINE__, "%s: %s", b->kind->model, b->burning.device.why);
	return false;
}

static const struct cxsim_boot *restart(struct bench *b)
{
	cxsim_reset(b->burning.card, CXSIM_RESET_POWER);
	CHECK(!burning_open(&b->burning));
	look_at_card(b);
	return cxsim_booted(b->burning.card);
}

static uint32_t minor_of(const char *version)
{
	return strtoul(strchr(version, '.') + 1, NULL, 10);
}

static void again_and_again(void)
{
	const struct cxsim_boot *boot;
	unsigned int k, round;
	struct bench b;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		bench_start(&b, kinds[k]);
		for (round = 0; round < 4; round++) {
			if (plan(&b, round & 1 ? &b.old : &b.new)) {
				ktap_fail(__FILE__, __LINE__, "%s: %s", kinds[k]->model, b.error.text);
				break;
			}
			if (!run(&b))
				break;
			boot = restart(&b);
			CHECK(boot->whole && !boot->recovery);
			CHECK_EQ(boot->version[1],
				 minor_of(round & 1 ? kinds[k]->old_version : kinds[k]->new_version));
			CHECK_EQ(boot->address, round & 1 ? 0 : b.plan.target_address);
			REQUIRE(!image_flash_state(&b.target, &b.state, &b.error));
			CHECK_EQ(b.state.place_count, 1);
			CHECK_EQ(b.state.whole_count, 1);
			if (kinds[k]->format == CXFW_FORMAT_FS2)
				CHECK_EQ(b.state.old_facts.guid[0], BURNING_GUID);
			else
				CHECK_EQ(b.state.old_facts.base_guid.base, BURNING_GUID);
			CHECK_STR(b.state.old_facts.device_data_trouble, "");
		}
		bench_end(&b);
	}
}

/* An earlier burn was cut between commit and invalidation: the vendor's tool stops here, this one goes on. */
static void two_live_images(void)
{
	const struct cxsim_boot *boot;
	struct bench b;
	unsigned int k;
	uint32_t old;
	uint8_t magic[4];

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		bench_start(&b, kinds[k]);
		REQUIRE(!plan(&b, &b.new));
		old = b.plan.old_address;
		REQUIRE(!flash_read(&b.burning.device, old, magic, sizeof(magic)));
		REQUIRE(run(&b));
		/* the old magic back: as if it had never been invalidated */
		memcpy(cells(&b) + old, magic, sizeof(magic));
		restart(&b);
		b.target.running_valid = true;
		REQUIRE(!image_query(&b.new.reader, IMAGE_LAYOUT_FILE, 0, &b.facts, NULL));
		memcpy(b.target.running, b.facts.version, sizeof(b.target.running));
		REQUIRE(!plan(&b, &b.old));
		CHECK_EQ(b.state.whole_count, 2);
		CHECK_EQ(b.plan.old_address, b.state.places[1].address); /* the one that runs is kept */
		REQUIRE(run(&b));
		boot = restart(&b);
		CHECK(boot->whole);
		CHECK_EQ(boot->version[1], minor_of(kinds[k]->old_version));
		REQUIRE(!image_flash_state(&b.target, &b.state, &b.error));
		CHECK_EQ(b.state.place_count, 1);
		bench_end(&b);
	}
}

/* Both magics gone, device data there: the guided way out of recovery. */
static void out_of_recovery(void)
{
	const struct cxsim_boot *boot;
	struct bench b;
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		bench_start(&b, kinds[k]);
		memset(cells(&b), 0xff, 0x1000);
		boot = restart(&b);
		CHECK(boot->recovery);
		b.target.recovery = true;
		REQUIRE(!plan(&b, &b.new));
		CHECK_EQ(b.plan.flags, CXFW_PLAN_RECOVERY);
		REQUIRE(run(&b));
		boot = restart(&b);
		CHECK(boot->whole && !boot->recovery);
		CHECK_EQ(boot->version[1], minor_of(kinds[k]->new_version));
		bench_end(&b);
	}
}

/* A backup of the card as it was comes back over an identity that somebody changed. */
static void device_data(void)
{
	uint8_t *backup = malloc(burning_fs4.flash), *flash;
	struct image_memory memory = { backup, burning_fs4.flash };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_edit_result edited = { 0 };
	struct image_edit edit = { .set_guids = true, .guid = { 0x0002c903aabbcc00 } };
	char window[160];
	bool failsafe;
	struct bench b;

	bench_start(&b, &burning_fs4);
	flash = cells(&b);
	memcpy(backup, flash, burning_fs4.flash);
	REQUIRE(!image_edit(flash, burning_fs4.flash, &edit, &edited, &b.error));
	memcpy(flash, edited.bytes, burning_fs4.flash);
	free(edited.bytes);
	restart(&b);
	REQUIRE(!image_flash_state(&b.target, &b.state, &b.error));
	CHECK_EQ(b.state.old_facts.base_guid.base, 0x0002c903aabbcc00);
	REQUIRE(!image_plan_device_data(&b.target, &b.state, &reader, &b.bytes, &b.plan, &failsafe, window,
					&b.error));
	CHECK(failsafe);
	REQUIRE(run(&b));
	restart(&b);
	REQUIRE(!image_flash_state(&b.target, &b.state, &b.error));
	CHECK_EQ(b.state.whole_count, 1);
	CHECK_EQ(b.state.old_facts.base_guid.base, BURNING_GUID);
	free(backup);
	bench_end(&b);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(again_and_again),
	KTAP_TEST(two_live_images),
	KTAP_TEST(out_of_recovery),
	KTAP_TEST(device_data),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
