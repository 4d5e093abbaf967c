// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an image and a card to a plan, as cxctl burn goes: user/image/plan.c and the guards
 * and the identity of user/cxctl. The plans then go through the driver's own grammar and
 * run on the simulated card, which boots the result.
 */
#include <errno.h>

#include "burning.h"
#include "../../user/image/plan.h"
#include "image_fixture.h"

#include "../../user/cxctl/burn.h"

#define FLASH BURNING_FLASH

static struct cxsim_parameters card_parameters(const char *version)
{
	struct cxsim_parameters parameters = burning_parameters(version, 3);

	return parameters;
}

/* A flash that is no card's, and what the planner is told of the card. */
struct bench {
	struct fixture old, new, flash;
	struct image_target target;
	struct image_flash_state state;
	struct image_facts facts;	/* of new */
	struct image_plan plan;
	struct image_error error;
};

static void bench_start(struct bench *bench)
{
	struct cxsim_parameters parameters = card_parameters(OLD_VERSION);

	memset(bench, 0, sizeof(*bench));
	fixture_make(&bench->old, &parameters);
	parameters.version = NEW_VERSION;
	fixture_make(&bench->new, &parameters);
	fixture_hold(&bench->flash, malloc(FLASH), FLASH);
	memset(bench->flash.bytes, 0xff, FLASH);
	bench->target.flash = &bench->flash.reader;
	bench->target.format = IMAGE_FS2;
	bench->target.hw_id = 0x1f7;
	bench->target.flash_sector = 4096;
	CHECK_EQ(image_query(&bench->new.reader, IMAGE_LAYOUT_FILE, 0, &bench->facts, &bench->error), 0);
}

static void bench_end(struct bench *bench)
{
	fixture_free(&bench->old);
	fixture_free(&bench->new);
	fixture_free(&bench->flash);
}

static void put(struct bench *bench, const struct fixture *image, unsigned int slot)
{
	fixture_flash(&bench->flash, FLASH, "connectx3pro", image, slot);
}

static int plan(struct bench *bench)
{
	int code = image_flash_state(&bench->target, &bench->state, &bench->error);

	if (code)
		return code;
	return image_plan_make(&bench->target, &bench->state, bench->new.bytes, bench->new.length, &bench->facts,
			&bench->plan, &bench->error);
}

static void the_other_slot(void)
{
	struct bench bench;
	unsigned int slot;
	uint8_t digest[32];

	for (slot = 0; slot < 2; slot++) {
		bench_start(&bench);
		put(&bench, &bench.old, slot);
		REQUIRE(!plan(&bench));
		CHECK_EQ(bench.plan.target_slot, !slot);
		CHECK_EQ(bench.plan.target_address, slot ? 0 : 0x80000);
		CHECK_EQ(bench.plan.old_address, slot ? 0x80000 : 0);
		CHECK_EQ(bench.plan.flags, 0);
		CHECK_EQ(bench.plan.log2_chunk, 19);
		/* 2.8: two sectors of 4 KiB at the end of the slot's half are configuration */
		CHECK_EQ(bench.plan.window_length, 0xfe000);
		CHECK_EQ(bench.plan.segment_offset[0], 16);
		CHECK_EQ(bench.plan.segment_length[0], bench.new.length - 16);
		burning_sha256(bench.flash.bytes + bench.plan.old_address, 4096, digest);
		CHECK(!memcmp(digest, bench.plan.old_sha256, 32));
		burning_sha256(bench.new.bytes + 16, bench.new.length - 16, digest);
		CHECK(!memcmp(digest, bench.plan.segments_sha256, 32));
		bench_end(&bench);
	}
}

static void two_live_images(void)
{
	struct bench bench;

	bench_start(&bench);
	put(&bench, &bench.old, 0);
	put(&bench, &bench.new, 1);
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0);		/* nothing tells: the first */
	bench.target.running_valid = true;
	bench.target.running[0] = 2;
	bench.target.running[1] = 42;
	bench.target.running[2] = 5000;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0x80000);	/* the version that runs */
	bench.target.boot_address_valid = true;		/* counts more than the register */
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0x80000);
	bench.target.boot_address_valid = false;
	bench.target.running[1] = 36;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0);
	bench.target.running_valid = false;
	bench.target.boot_address_valid = true;
	bench.target.boot_address = 0x80000;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0x80000);	/* the boot register */
	bench.target.boot_address = 0x40000;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0);
	bench_end(&bench);
}

/* Both hold the version that runs: the register decides. */
static void two_equal_images(void)
{
	struct bench bench;

	bench_start(&bench);
	put(&bench, &bench.old, 0);
	put(&bench, &bench.old, 1);
	bench.target.running_valid = true;
	bench.target.running[0] = 2;
	bench.target.running[1] = 36;
	bench.target.running[2] = 5000;
	bench.target.boot_address_valid = true;
	bench.target.boot_address = 0x80000;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.old_address, 0x80000);
	CHECK_EQ(bench.plan.target_slot, 0);
	bench_end(&bench);
}

static void the_whole_one_is_kept(void)
{
	struct bench bench;
	unsigned int broken;

	for (broken = 0; broken < 2; broken++) {
		bench_start(&bench);
		put(&bench, &bench.old, 0);
		put(&bench, &bench.old, 1);
		bench.flash.bytes[(broken ? 0x80000 : 0) + 0x900] ^= 1;
		bench.target.boot_address_valid = true;
		bench.target.boot_address = broken ? 0x80000 : 0;
		REQUIRE(!plan(&bench));
		CHECK_EQ(bench.plan.old_address, broken ? 0 : 0x80000);
		CHECK_EQ(bench.plan.target_slot, broken);
		bench_end(&bench);
	}
}

static void a_single_damaged_image(void)
{
	struct bench bench;

	bench_start(&bench);
	put(&bench, &bench.old, 1);
	bench.flash.bytes[0x80000 + 0x900] ^= 1;
	REQUIRE(!plan(&bench));
	CHECK(!bench.state.whole[0] && bench.state.has_old && bench.state.has_facts);
	CHECK_EQ(bench.plan.flags, 0);
	CHECK_EQ(bench.plan.old_address, 0x80000);	/* it runs: who knows how */
	bench.target.recovery = true;
	REQUIRE(!plan(&bench));
	CHECK(!bench.state.has_old && bench.state.has_facts);
	CHECK_EQ(bench.plan.flags, CXFW_PLAN_RECOVERY);
	CHECK_EQ(bench.plan.old_address, CXFW_NO_ADDRESS);
	CHECK_EQ(bench.state.old_facts.guid[0], BURNING_GUID);
	bench_end(&bench);
}

static void an_empty_flash(void)
{
	struct bench bench;

	bench_start(&bench);
	CHECK(plan(&bench) != 0);			/* a running card with nothing: not believed */
	bench.target.recovery = true;
	REQUIRE(!plan(&bench));
	CHECK(!bench.state.has_old && !bench.state.has_facts);
	CHECK_EQ(bench.plan.flags, CXFW_PLAN_RECOVERY);
	CHECK_EQ(bench.plan.target_slot, 0);
	bench_end(&bench);
}

static void limits(void)
{
	struct bench bench;
	struct image_facts facts;
	struct fs2_room room;

	bench_start(&bench);
	facts = bench.facts;
	facts.config_sectors = 2;
	facts.config_pad = 0;
	facts.config_sector = 4096;
	CHECK_EQ(fs2_room(0x200000, &facts, &facts, &room, NULL), 0);
	CHECK_EQ(room.limit, 0xfe000);
	facts.config_sector = 0;		/* neither says: 64 KiB on ConnectX-3 Pro */
	CHECK_EQ(fs2_room(0x200000, NULL, &facts, &room, NULL), 0);
	CHECK_EQ(room.config_area, 0x10000);	/* never more than 64 KiB */
	CHECK_EQ(room.limit, 0xf0000);
	facts.pci_device = 0x673c;		/* 4 KiB on ConnectX-2 */
	CHECK_EQ(fs2_room(0x200000, NULL, &facts, &room, NULL), 0);
	CHECK_EQ(room.limit, 0xfe000);
	facts.config_pad = 3;			/* the device's pad counts, not the image's */
	CHECK_EQ(fs2_room(0x200000, &bench.facts, &facts, &room, NULL), 0);
	CHECK_EQ(room.config_pad, 0);
	CHECK_EQ(fs2_room(0x200000, &facts, &bench.facts, &room, NULL), 0);
	CHECK_EQ(room.config_pad, 3 * 4096);
	facts.config_sectors = 0xffffffff;	/* numbers from a file are not trusted */
	facts.config_pad = 0xffffffff;
	facts.config_sector = 0x80000000;
	CHECK_EQ(-fs2_room(0x200000, &facts, &facts, &room, NULL), EBADMSG);
	bench_end(&bench);
}

static void erase_estimate(void)
{
	struct bench bench;

	bench_start(&bench);
	put(&bench, &bench.old, 0);
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.bytes_to_erase, (bench.new.length + 4095) / 4096 * 4096);
	bench.target.flash_block = 0x10000;
	REQUIRE(!plan(&bench));
	/* under half of a block: sectors */
	REQUIRE(bench.new.length < 0x8000);
	CHECK_EQ(bench.plan.bytes_to_erase, (bench.new.length + 4095) / 4096 * 4096);
	bench.target.flash_block = 0x4000;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.bytes_to_erase & 0xfff, 0);
	CHECK(bench.plan.bytes_to_erase >= bench.new.length);
	bench_end(&bench);
}

static void too_large(void)
{
	struct cxsim_parameters parameters = card_parameters(NEW_VERSION);
	struct bench bench;

	bench_start(&bench);
	put(&bench, &bench.old, 0);
	parameters.code_size = 0x100000;
	fixture_free(&bench.new);
	fixture_make(&bench.new, &parameters);
	REQUIRE(!image_query(&bench.new.reader, IMAGE_LAYOUT_FILE, 0, &bench.facts, NULL));
	CHECK_EQ(-plan(&bench), EINVAL);
	CHECK(strstr(bench.error.text, "0xfe000"));
	/* erase units may not reach into the configuration area either */
	bench_end(&bench);
	bench_start(&bench);
	put(&bench, &bench.old, 0);
	bench.target.flash_sector = 0x10000;
	REQUIRE(!plan(&bench));
	CHECK_EQ(bench.plan.window_length, 0xf0000);
	bench.target.flash_sector = 0x100000;
	CHECK_EQ(-plan(&bench), EINVAL);
	bench.target.flash_sector = 0;
	CHECK_EQ(-plan(&bench), EINVAL);
	bench_end(&bench);
}

static void another_chunk_size(void)
{
	struct bench bench;

	bench_start(&bench);
	put(&bench, &bench.old, 0);
	fixture_checksum_word(&bench.new, 0x28, 8 | 2);		/* 256 KiB */
	fixture_reseal_image(&bench.new);
	REQUIRE(!image_query(&bench.new.reader, IMAGE_LAYOUT_FILE, 0, &bench.facts, NULL));
	CHECK_EQ(-plan(&bench), EINVAL);
	fixture_checksum_word(&bench.new, 0x28, 0);		/* not failsafe at all */
	fixture_reseal_image(&bench.new);
	REQUIRE(!image_query(&bench.new.reader, IMAGE_LAYOUT_FILE, 0, &bench.facts, NULL));
	CHECK_EQ(-plan(&bench), EOPNOTSUPP);
	bench_end(&bench);
}

/* ---- through the driver's grammar, and to the card ---- */

static void take_plan(struct burning *burning, const struct image_plan *from, const uint8_t *image)
{
	struct cxfw_stage *head = &burning->plan.head;

	free(burning->plan.image);
	memset(&burning->plan, 0, sizeof(burning->plan));
	burning->plan.image = malloc(from->image_length);
	memcpy(burning->plan.image, image, from->image_length);
	burning->segment.offset = from->segment_offset[0];
	burning->segment.length = from->segment_length[0];
	burning->plan.segments = &burning->segment;
	head->size = sizeof(*head);
	head->flags = from->flags;
	head->image_length = from->image_length;
	head->segment_count = from->segment_count;
	head->format = CXFW_FORMAT_FS2;
	head->hw_id = burning->device.hw_id;
	head->hw_revision = burning->device.hw_revision;
	head->flash_size = from->flash_size;
	head->log2_chunk = from->log2_chunk;
	head->target_slot = from->target_slot;
	head->window_length = from->window_length;
	head->old_address = from->old_address;
	memcpy(head->segments_sha256, from->segments_sha256, 32);
	memcpy(head->old_sha256, from->old_sha256, 32);
}

static int flash_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	int code = cxfw_flash_lock(context);

	if (code)
		return code;
	code = cxfw_flash_read(context, offset, buffer, length);
	cxfw_flash_unlock(context);
	return code;
}

static void a_whole_burn(void)
{
	struct cxsim_parameters parameters = card_parameters(OLD_VERSION);
	struct burning burning;
	struct bench bench;
	struct image_reader reader = { flash_read, &burning.device, FLASH };
	const struct cxsim_boot *boot;
	unsigned int round;

	REQUIRE(burning_start(&burning, &parameters));
	bench_start(&bench);
	for (round = 0; round < 4; round++) {
		struct fixture *from = round & 1 ? &bench.old : &bench.new;

		REQUIRE(!cxfw_flash_probe(&burning.device));
		bench.target.flash = &reader;
		bench.target.flash_sector = burning.device.flash.sector;
		REQUIRE(!image_query(&from->reader, IMAGE_LAYOUT_FILE, 0, &bench.facts, NULL));
		REQUIRE(!image_flash_state(&bench.target, &bench.state, &bench.error));
		REQUIRE(!image_plan_make(&bench.target, &bench.state, from->bytes, from->length, &bench.facts,
				  &bench.plan, &bench.error));
		take_plan(&burning, &bench.plan, from->bytes);
		if (burning_run(&burning)) {
			ktap_fail(__FILE__, __LINE__, "round %u: %s", round, burning.device.why);
			break;
		}
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		boot = cxsim_booted(burning.card);
		CHECK(boot->whole && !boot->recovery);
		CHECK_EQ(boot->version[1], round & 1 ? 36 : 42);
		CHECK_EQ(boot->guid[0], BURNING_GUID);
		CHECK_EQ(boot->address, round & 1 ? 0 : 0x80000);
		REQUIRE(!burning_open(&burning));
	}
	bench_end(&bench);
	burning_end(&burning);
}

/* ---- identity ---- */

struct dressing {
	struct fixture card_image, image, flash;
	struct burn_request request;
	struct burn burn;
	struct cxctl_error error;
};

static void dressing_start(struct dressing *d, uint32_t card_rom, uint32_t image_rom)
{
	struct cxsim_parameters parameters = card_parameters(OLD_VERSION);

	memset(d, 0, sizeof(*d));
	parameters.rom_size = card_rom;
	fixture_make(&d->card_image, &parameters);
	fixture_flash(&d->flash, FLASH, "connectx3pro", &d->card_image, 0);
	parameters.version = NEW_VERSION;
	parameters.vsd = "the image's own";
	parameters.guid = 0x0002c9000100d050;		/* a vendor's dummies */
	parameters.mac = 0x0002c9000001;
	parameters.rom_size = image_rom;
	parameters.seed = 99;
	fixture_make(&d->image, &parameters);
	d->burn.request = &d->request;
	d->burn.card.flash.reader = d->flash.reader;
	d->burn.card.target.flash = &d->burn.card.flash.reader;
	d->burn.card.target.format = IMAGE_FS2;
	d->burn.image.bytes = d->image.bytes;
	d->burn.image.length = d->image.length;
	CHECK_EQ(image_query(&d->image.reader, IMAGE_LAYOUT_FILE, 0, &d->burn.image.facts, NULL), 0);
}

static int dress(struct dressing *d)
{
	free(d->burn.bytes);
	free(d->burn.identity.card_rom);
	d->burn.bytes = NULL;
	memset(&d->burn.identity, 0, sizeof(d->burn.identity));
	memset(&d->error, 0, sizeof(d->error));
	CHECK_EQ(image_flash_state(&d->burn.card.target, &d->burn.card.state, NULL), 0);
	return burn_identity_decide(&d->burn, &d->error);
}

static void dressing_end(struct dressing *d)
{
	free(d->burn.bytes);
	free(d->burn.identity.card_rom);
	fixture_free(&d->card_image);
	fixture_free(&d->image);
	fixture_free(&d->flash);
}

static void identity_is_kept(void)
{
	struct dressing d;

	dressing_start(&d, 0, 0);
	REQUIRE(!dress(&d));
	CHECK_EQ(d.burn.facts.guid[0], BURNING_GUID);
	CHECK_EQ(d.burn.facts.guid[3], BURNING_GUID + 3);
	CHECK_EQ(d.burn.facts.mac[1], BURNING_MAC + 1);
	CHECK_STR(d.burn.facts.vsd, "kept over a burn");
	CHECK_STR(d.burn.facts.psid, "MT_1200111023");
	CHECK_EQ(d.burn.facts.version[1], 42);
	/* --guid and --mac are not for cards that have their own */
	d.request.has_guid = true;
	d.request.guid = 0x1000;
	CHECK(dress(&d));
	CHECK_STR(d.error.id, "has-identity");
	dressing_end(&d);
}

static void lost_identity(void)
{
	struct dressing d;

	dressing_start(&d, 0, 0);
	memset(d.flash.bytes, 0xff, FLASH);
	d.burn.card.target.recovery = true;
	CHECK(dress(&d));
	CHECK_STR(d.error.id, "no-identity");
	CHECK_EQ(d.error.exit, CXCTL_REFUSED);
	d.request.use_image_identity = true;
	CHECK(dress(&d));
	CHECK_STR(d.error.id, "dummy-identity");
	d.request.has_guid = true;
	d.request.guid = 0x0002c90300aabb00;
	CHECK(dress(&d));				/* the MACs are still dummies */
	CHECK_STR(d.error.id, "dummy-identity");
	d.request.has_mac = true;
	d.request.mac = 0x0002c9aabb00;
	REQUIRE(!dress(&d));
	CHECK_EQ(d.burn.facts.guid[1], 0x0002c90300aabb01);
	CHECK_EQ(d.burn.facts.mac[1], 0x0002c9aabb01);
	CHECK_STR(d.burn.facts.vsd, "the image's own");
	dressing_end(&d);
}

/* A backup of this very card is an image with an identity. */
static void identity_of_a_backup(void)
{
	struct dressing d;

	dressing_start(&d, 0, 0);
	CHECK_EQ(image_query(&d.flash.reader, IMAGE_LAYOUT_FLASH, 0, &d.burn.image.facts, NULL), 0);
	d.burn.image.bytes = d.card_image.bytes;
	d.burn.image.length = d.card_image.length;
	memset(d.flash.bytes, 0xff, FLASH);
	d.burn.card.target.recovery = true;
	CHECK(dress(&d));
	d.request.use_image_identity = true;
	REQUIRE(!dress(&d));
	CHECK_EQ(d.burn.length, d.card_image.length);
	CHECK(!memcmp(d.burn.bytes, d.card_image.bytes, d.burn.length));
	dressing_end(&d);
}

static void roms(void)
{
	static const struct {
		uint32_t card, image;
		bool of_image;
		enum burn_rom expected;
	} table[] = {
		{ 0, 0, false, BURN_ROM_NONE },
		{ 0, 0x2000, false, BURN_ROM_NEW },
		{ 0x2000, 0, false, BURN_ROM_KEPT },
		{ 0x2000, 0x3000, false, BURN_ROM_KEPT },
		{ 0x2000, 0x3000, true, BURN_ROM_IMAGE },
		{ 0x2000, 0, true, BURN_ROM_REMOVED },
		{ 0, 0x2000, true, BURN_ROM_NEW },
	};
	struct image_facts old;
	struct dressing d;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		dressing_start(&d, table[i].card, table[i].image);
		d.request.rom_of_image = table[i].of_image;
		REQUIRE(!dress(&d));
		CHECK_EQ(d.burn.identity.rom, table[i].expected);
		old = d.burn.card.state.old_facts;
		if (table[i].expected == BURN_ROM_KEPT) {
			CHECK_EQ(d.burn.facts.rom_length, old.rom_length);
			CHECK(!memcmp(d.burn.bytes + d.burn.facts.rom_offset,
				      d.card_image.bytes + old.rom_offset, old.rom_length));
		}
		if (table[i].expected == BURN_ROM_NONE || table[i].expected == BURN_ROM_REMOVED)
			CHECK(!(d.burn.facts.has & IMAGE_HAS_ROM));
		if (table[i].expected == BURN_ROM_IMAGE || table[i].expected == BURN_ROM_NEW)
			CHECK_EQ(d.burn.facts.rom_length, d.burn.image.facts.rom_length);
		dressing_end(&d);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(the_other_slot),
	KTAP_TEST(two_live_images),
	KTAP_TEST(two_equal_images),
	KTAP_TEST(the_whole_one_is_kept),
	KTAP_TEST(a_single_damaged_image),
	KTAP_TEST(an_empty_flash),
	KTAP_TEST(limits),
	KTAP_TEST(erase_estimate),
	KTAP_TEST(too_large),
	KTAP_TEST(another_chunk_size),
	KTAP_TEST(a_whole_burn),
	KTAP_TEST(identity_is_kept),
	KTAP_TEST(lost_identity),
	KTAP_TEST(identity_of_a_backup),
	KTAP_TEST(roms),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
