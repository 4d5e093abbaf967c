// SPDX-License-Identifier: GPL-2.0-only
/* Plans of FS3, FS4 and FS5: room, slots, what goes into one, and the card's own data. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/uapi/cxfw.h"
#include "../../user/image/fs3.h"
#include "../../user/image/fs4.h"
#include "../../user/image/plan.h"
#include "../../user/image/sha256.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

#define FLASH	(4U << 20)
#define LOG2	20
#define SLOT	(1U << LOG2)
#define SECTOR	0x1000U

static const enum synthetic_format formats[] = { SYNTHETIC_FS3, SYNTHETIC_FS4, SYNTHETIC_FS5 };
#define FORMATS 3

struct file {
	uint8_t *bytes;
	size_t length;
	struct image_memory memory;
	struct image_reader reader;
	struct image_facts facts;
};

struct bench {
	struct file old, new, flash;
	struct image_target target;
	struct image_flash_state state;
	struct image_plan plan;
	uint8_t *bytes;
	size_t length;
	struct image_error error;
	bool failsafe;
	char window[160];
};

static struct synthetic an_image(enum synthetic_format format, const char *version)
{
	struct synthetic what = {
		.format = format, .log2 = LOG2, .size = FLASH, .version = version, .psid = "MT_0000000008",
		.guid = 0x0002c90300112230, .mac = 0x0002c9112230, .uid_count = 8, .code_size = 0x8000,
		.rom_size = 0x4000, .digest = true, .seed = version[3],
	};

	return what;
}

static void hold(struct file *file, uint8_t *bytes, size_t length)
{
	REQUIRE(bytes != NULL);
	file->bytes = bytes;
	file->length = length;
	file->memory.bytes = bytes;
	file->memory.length = length;
	file->reader = image_memory_reader(&file->memory);
}

static void make(struct file *file, const struct synthetic *what)
{
	struct image_error error = { 0 };
	size_t length;
	uint8_t *bytes = synthetic_image(what, &length);

	hold(file, bytes, length);
	if (image_query(&file->reader, IMAGE_LAYOUT_FILE, 0, &file->facts, &error))
		ktap_fail(__FILE__, __LINE__, "%s", error.text);
}

static void bench_start(struct bench *b, enum synthetic_format format, unsigned int slot)
{
	struct synthetic what = an_image(format, "16.35.2000");

	memset(b, 0, sizeof(*b));
	make(&b->old, &what);
	hold(&b->flash, synthetic_flash(b->old.bytes, b->old.length, &what, FLASH, slot), FLASH);
	what = an_image(format, "16.36.1010");
	what.guid = 0;		/* a vendor's file: dummies, which no card may get */
	what.no_uids = true;
	make(&b->new, &what);
	b->target.flash = &b->flash.reader;
	b->target.format = b->old.facts.place.format;
	b->target.flash_sector = SECTOR;
}

static void bench_end(struct bench *b)
{
	free(b->old.bytes);
	free(b->new.bytes);
	free(b->flash.bytes);
	free(b->bytes);
}

static int look(struct bench *b)
{
	return image_flash_state(&b->target, &b->state, &b->error);
}

static int plan(struct bench *b)
{
	struct image_facts facts;
	int code = look(b);

	free(b->bytes);
	b->bytes = NULL;
	if (!code)
		code = image_burn_bytes(&b->new.reader, &b->new.facts, &b->target, &b->state, &b->bytes,
					&b->length, &b->error);
	if (code)
		return code;
	facts = b->new.facts;
	return image_plan_make(&b->target, &b->state, b->bytes, b->length, &facts, &b->plan, &b->error);
}

/* What the driver does, without its care: the window's content, the magic last, the old magic's first dword. */
static void run(struct bench *b)
{
	memset(b->flash.bytes + b->plan.target_address, 0xff, (b->length + SECTOR - 1) / SECTOR * SECTOR);
	memcpy(b->flash.bytes + b->plan.target_address, b->bytes, b->length);
	if (b->plan.old_address != CXFW_NO_ADDRESS)
		memset(b->flash.bytes + b->plan.old_address, 0, 4);
}

static void the_other_slot(void)
{
	uint8_t digest[32];
	struct bench b;
	unsigned int f, slot, i;

	for (f = 0; f < FORMATS; f++)
		for (slot = 0; slot < 2; slot++) {
			bench_start(&b, formats[f], slot);
			REQUIRE(!plan(&b));
			CHECK_EQ(b.state.whole_count, 1);
			CHECK(b.state.has_old);
			CHECK_EQ(b.plan.format, b.target.format);
			CHECK_EQ(b.plan.flags, 0);
			CHECK_EQ(b.plan.target_slot, !slot);
			CHECK_EQ(b.plan.target_address, slot ? 0 : SLOT);
			CHECK_EQ(b.plan.old_address, slot ? SLOT : 0);
			CHECK_EQ(b.plan.log2_chunk, LOG2);
			CHECK_EQ(b.plan.window_length, SLOT);	/* device data lie behind both slots */
			CHECK_EQ(b.plan.image_length, b.new.facts.length);
			CHECK_EQ(b.plan.segment_count, 1);
			CHECK_EQ(b.plan.segment_offset[0], 16);
			CHECK_EQ(b.plan.segment_length[0], b.length - 16);
			image_sha256(b.flash.bytes + b.plan.old_address, 4096, digest);
			CHECK(!memcmp(digest, b.plan.old_sha256, 32));
			image_sha256(b.bytes + 16, b.length - 16, digest);
			CHECK(!memcmp(digest, b.plan.segments_sha256, 32));
			/* what is burned is the file, but for what is the card's */
			for (i = 0; i < b.new.facts.info_offset; i++)
				if (b.bytes[i] != b.new.bytes[i])
					break;
			CHECK(b.target.format == IMAGE_FS3 || i == b.new.facts.info_offset);
			bench_end(&b);
		}
}

/* Burned back and forth, the card keeps its identity and every image verifies in its place. */
static void back_and_forth(void)
{
	struct image_facts facts;
	struct bench b;
	unsigned int f, round;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		for (round = 0; round < 4; round++) {
			REQUIRE(!plan(&b));
			run(&b);
			REQUIRE(!look(&b));
			CHECK_EQ(b.state.place_count, 1);
			CHECK_EQ(b.state.whole_count, 1);
			facts = b.state.old_facts;
			CHECK_EQ(facts.place.address, round & 1 ? 0 : SLOT);
			CHECK_EQ(facts.version[1], 36);
			CHECK_EQ(facts.base_guid.base, 0x0002c90300112230);
			CHECK_EQ(facts.base_mac.base, 0x0002c9112230);
			CHECK_STR(facts.device_data_trouble, "");
		}
		bench_end(&b);
	}
}

/* An earlier burn was cut between commit and invalidation: both are whole, the one that runs stays. */
static void two_whole_images(void)
{
	struct bench b;
	unsigned int f;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		REQUIRE(!plan(&b));
		memcpy(b.flash.bytes + SLOT, b.bytes, b.length);
		REQUIRE(!plan(&b));
		CHECK_EQ(b.state.whole_count, 2);
		CHECK_EQ(b.plan.old_address, 0);		/* nothing tells: the first */
		b.target.running_valid = true;
		b.target.running[0] = 16;
		b.target.running[1] = 36;
		b.target.running[2] = 1010;
		REQUIRE(!plan(&b));
		CHECK_EQ(b.plan.old_address, SLOT);		/* the version that runs */
		CHECK_EQ(b.plan.target_slot, 0);
		b.target.running_valid = false;
		b.target.boot_address_valid = true;
		b.target.boot_address = SLOT;
		REQUIRE(!plan(&b));
		CHECK_EQ(b.plan.old_address, SLOT);
		/* one of them is broken: the whole one counts, whatever the register says */
		b.flash.bytes[SLOT + b.new.facts.info_offset + 4] ^= 1;
		REQUIRE(!plan(&b));
		CHECK_EQ(b.state.whole_count, 1);
		CHECK_EQ(b.plan.old_address, 0);
		CHECK_EQ(b.plan.target_address, SLOT);
		bench_end(&b);
	}
}

static void recovery(void)
{
	struct bench b;
	unsigned int f;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		memset(b.flash.bytes, 0xff, SLOT);
		CHECK_EQ(-plan(&b), EBADMSG);		/* a running card with nothing: not believed */
		b.target.recovery = true;
		REQUIRE(!plan(&b));
		CHECK(!b.state.has_old && !b.state.has_facts);
		CHECK_EQ(b.plan.flags, CXFW_PLAN_RECOVERY);
		CHECK_EQ(b.plan.old_address, CXFW_NO_ADDRESS);
		CHECK_EQ(b.plan.target_address, 0);
		bench_end(&b);
	}
}

/* Damaged device data are the card's trouble, not the image's: it boots. */
static void device_data_apart(void)
{
	struct bench b;
	struct image_area areas[IMAGE_AREAS];
	size_t count, i;
	unsigned int f;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		REQUIRE(!look(&b));
		REQUIRE(!image_device_areas(&b.target, &b.state, areas, &count, &b.error));
		for (i = 0; i < count; i++)
			if (strcmp(areas[i].name, "DTOC"))
				memset(b.flash.bytes + areas[i].address, 0x5a, 0x40);
		REQUIRE(!look(&b));
		CHECK_EQ(b.state.whole_count, 1);
		CHECK(*b.state.old_facts.device_data_trouble);
		CHECK(!plan(&b));
		bench_end(&b);
	}
}

/* The second slot ends where the card's data begin, and an image that would reach them is refused. */
static void device_data_limit_the_slot(void)
{
	struct image_area areas[IMAGE_AREAS];
	struct bench b;
	struct synthetic what;
	unsigned int f;
	size_t count;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		free(b.old.bytes);
		free(b.new.bytes);
		free(b.flash.bytes);
		what = an_image(formats[f], "16.35.2000");
		what.log2 = 21;				/* two slots fill the flash */
		make(&b.old, &what);
		hold(&b.flash, synthetic_flash(b.old.bytes, b.old.length, &what, FLASH, 0), FLASH);
		make(&b.new, &what);
		REQUIRE(!plan(&b));
		REQUIRE(!image_device_areas(&b.target, &b.state, areas, &count, &b.error));
		CHECK_EQ(b.plan.target_address, 1U << 21);
		CHECK_EQ(b.plan.target_address + b.plan.window_length, areas[0].address);
		b.target.flash_sector = 0x10000;	/* whole erase units only */
		REQUIRE(!plan(&b));
		CHECK_EQ(b.plan.target_address + b.plan.window_length, areas[0].address & ~0xffffU);
		b.target.flash_sector = SECTOR;
		if (formats[f] != SYNTHETIC_FS3) {
			/* an empty table still has its own sector; without one the upper half is anybody's */
			memset(b.flash.bytes + FLASH - 0x1000 + TOC_HEADER, 0xff, 0x1000 - TOC_HEADER);
			REQUIRE(!plan(&b));
			CHECK_EQ(b.plan.target_address + b.plan.window_length, FLASH - 0x1000);
			memset(b.flash.bytes + FLASH - 0x1000, 0xff, 0x1000);
			CHECK_EQ(-plan(&b), EINVAL);
			CHECK(strstr(b.error.text, "no table lists"));
			memcpy(b.flash.bytes + FLASH - 0x1000, b.old.bytes + FLASH - 0x1000, 0x1000);
		}
		b.target.flash_sector = 0x100000;	/* leaves one of them */
		free(b.new.bytes);
		what.code_size = 0xd0000;
		make(&b.new, &what);
		CHECK_EQ(-plan(&b), EINVAL);
		CHECK(strstr(b.error.text, "has room for"));
		bench_end(&b);
	}
}

static void other_slot_sizes(void)
{
	struct bench b;
	struct synthetic what;
	unsigned int f;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		free(b.new.bytes);
		what = an_image(formats[f], "16.36.1010");
		what.log2 = LOG2 + 1;
		make(&b.new, &what);
		CHECK_EQ(-plan(&b), EINVAL);
		CHECK(strstr(b.error.text, "must be equal"));
		bench_end(&b);
	}
}

static void another_format(void)
{
	struct bench b;

	bench_start(&b, SYNTHETIC_FS3, 0);
	b.target.format = IMAGE_FS4;
	CHECK_EQ(-plan(&b), EBADMSG);		/* nothing of the chip's own format stands there */
	b.target.recovery = true;
	CHECK_EQ(-plan(&b), EOPNOTSUPP);
	bench_end(&b);
}

/* ---- bytes ---- */

static void gaps_are_ones(void)
{
	struct bench b;
	unsigned int f;
	uint32_t at;

	for (f = 0; f < 2; f++) {
		bench_start(&b, formats[f], 0);
		/* the sector behind the table, which nothing uses */
		at = (f ? 0x5000 : 0x1000) + 0x1000;
		while (memcmp(b.new.bytes + at - 0x1000, "ITOC", 4))
			at += 0x1000;
		b.new.bytes[at + 0x10] = 0x42;
		REQUIRE(!look(&b));
		REQUIRE(!image_burn_bytes(&b.new.reader, &b.new.facts, &b.target, &b.state, &b.bytes,
					  &b.length, &b.error));
		CHECK_EQ(b.bytes[at + 0x10], 0xff);
		bench_end(&b);
	}
}

/* The vendor's file names another DEV_INFO CRC: the card's own entries go into its table. */
static void fs3_keeps_the_entries(void)
{
	struct image_view view = { 0 };
	struct toc before, after;
	uint32_t place_at;
	unsigned int i, seen = 0;
	struct bench b;

	bench_start(&b, SYNTHETIC_FS3, 0);
	view.reader = &b.flash.reader;
	view.place = b.old.facts.place;
	REQUIRE(!fs3_itoc(&view, &before, &place_at, NULL));
	REQUIRE(!plan(&b));
	run(&b);
	view.place.address = SLOT;
	view.place.slot = 1;
	REQUIRE(!fs3_itoc(&view, &after, &place_at, NULL));
	for (i = 0; i < after.count; i++)
		if (after.sections[i].device_data) {
			seen++;
			CHECK_EQ(after.sections[i].crc, toc_find(&before, after.sections[i].type, 0)->crc);
			CHECK_EQ(after.sections[i].stored_crc, after.sections[i].computed_crc);
		}
	CHECK(seen >= 3);
	CHECK(toc_find(&after, SECTION_DEV_INFO, 0)->crc !=
	      image_crc16(b.new.bytes + toc_find(&after, SECTION_DEV_INFO, 0)->address, DEV_INFO_LENGTH));
	bench_end(&b);
}

/* A file without device data gets the entries; where the card has none either nobody knows. */
static void fs3_stripped(void)
{
	struct synthetic what = an_image(SYNTHETIC_FS3, "16.36.1010");
	struct bench b;

	bench_start(&b, SYNTHETIC_FS3, 0);
	free(b.new.bytes);
	what.stripped = true;
	make(&b.new, &what);
	CHECK(b.new.facts.stripped);
	REQUIRE(!plan(&b));
	run(&b);
	REQUIRE(!look(&b));
	CHECK_EQ(b.state.whole_count, 1);
	CHECK_EQ(b.state.old_facts.base_guid.base, 0x0002c90300112230);
	memset(b.flash.bytes, 0xff, 2 * SLOT);
	b.target.recovery = true;
	CHECK_EQ(-plan(&b), EINVAL);
	bench_end(&b);
}

static void component_bytes(void)
{
	struct image_view view = { 0 };
	struct bench b;
	struct toc toc;
	uint32_t place_at;
	unsigned int f, i, masked = 0;
	size_t at;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		REQUIRE(!image_component_bytes(&b.new.reader, &b.new.facts, &b.bytes, &b.length, &b.error));
		CHECK_EQ(b.length, b.new.facts.length);
		for (i = 0; i < 16; i++)
			CHECK_EQ(b.bytes[i], 0xff);
		if (formats[f] != SYNTHETIC_FS3) {
			CHECK(!memcmp(b.bytes + 16, b.new.bytes + 16, b.length - 16));
			bench_end(&b);
			continue;
		}
		view.reader = &b.new.reader;
		view.place = b.new.facts.place;
		REQUIRE(!fs3_itoc(&view, &toc, &place_at, NULL));
		for (i = 0; i < toc.count; i++)
			if (toc.sections[i].device_data) {
				masked++;
				for (at = 0; at < TOC_ENTRY; at++)
					CHECK_EQ(b.bytes[toc.sections[i].where + at], 0xff);
			}
		CHECK(masked >= 3);
		/* all else is the file's */
		for (at = 16; at < b.length; at++)
			if (b.bytes[at] != b.new.bytes[at])
				CHECK(at >= toc.address && at < toc.address + 0x1000);
		image_plan_component(b.bytes, b.length, CXFW_COMPONENT_BOOT_IMG, &b.plan);
		CHECK_EQ(b.plan.flags, CXFW_PLAN_COMPONENT);
		CHECK_EQ(b.plan.segment_length[0], b.length);
		bench_end(&b);
	}
}

/* ---- the card's own data ---- */

static int restore(struct bench *b, const struct file *backup)
{
	int code = look(b);

	free(b->bytes);
	b->bytes = NULL;
	if (code)
		return code;
	return image_plan_device_data(&b->target, &b->state, &backup->reader, &b->bytes, &b->plan,
				      &b->failsafe, b->window, &b->error);
}

static unsigned int valid_copies(const struct bench *b)
{
	unsigned int valid = 0;
	uint32_t at;

	for (at = FLASH / 2; at < FLASH; at += SECTOR)
		valid += dev_info_valid(b->flash.bytes + at);
	return valid;
}

/* Segment by segment; at no instant without a valid DEV_INFO, where there are two copies. */
static void run_device(struct bench *b, bool always_valid)
{
	uint32_t i, base = b->plan.target_address;

	for (i = 0; i < b->plan.segment_count; i++) {
		uint32_t offset = b->plan.segment_offset[i], at;

		CHECK_EQ(offset % SECTOR, 0);
		CHECK_EQ(b->plan.segment_length[i] % SECTOR, 0);
		for (at = offset; at < offset + b->plan.segment_length[i]; at += SECTOR)
			memcpy(b->flash.bytes + base + at, b->bytes + at, SECTOR);
		CHECK(!always_valid || valid_copies(b));
	}
}

static void nothing_differs(void)
{
	struct bench b;
	unsigned int f;

	for (f = 0; f < FORMATS; f++) {
		bench_start(&b, formats[f], 0);
		CHECK_EQ(-restore(&b, &b.flash), ENOENT);
		bench_end(&b);
	}
}

static void a_backup_comes_back(void)
{
	struct synthetic what;
	struct file backup;
	struct bench b;
	unsigned int f, swap;
	uint8_t digest[32], *all;
	uint32_t i, used;

	for (f = 0; f < FORMATS; f++)
		for (swap = 0; swap < 2; swap++) {
			bench_start(&b, formats[f], 0);
			what = an_image(formats[f], "16.35.2000");
			what.guid = 0x0002c903aabbcc00;
			what.mac = 0x0002c9aabbcc;
			what.device_vsd = "another";
			free(b.old.bytes);
			make(&b.old, &what);
			hold(&backup, synthetic_flash(b.old.bytes, b.old.length, &what, FLASH, swap), FLASH);
			REQUIRE(!restore(&b, &backup));
			CHECK_EQ(b.plan.flags, CXFW_PLAN_DEVICE_DATA);
			CHECK_EQ(b.plan.image_length, b.plan.window_length);
			CHECK_EQ(b.plan.old_address, 0);
			CHECK_EQ(b.plan.log2_chunk, 0);
			all = malloc(b.plan.bytes_to_program);
			for (i = 0, used = 0; i < b.plan.segment_count; used += b.plan.segment_length[i++])
				memcpy(all + used, b.bytes + b.plan.segment_offset[i],
				       b.plan.segment_length[i]);
			CHECK_EQ(used, b.plan.bytes_to_program);
			image_sha256(all, used, digest);
			CHECK(!memcmp(digest, b.plan.segments_sha256, 32));
			free(all);
			/* one copy only, and the ids of manufacture differ */
			CHECK(!b.failsafe && strstr(b.window, "MFG_INFO"));
			CHECK(!strstr(b.window, "DEV_INFO") || formats[f] == SYNTHETIC_FS3);
			run_device(&b, formats[f] != SYNTHETIC_FS3);
			CHECK(formats[f] == SYNTHETIC_FS3 || valid_copies(&b) == 1);
			CHECK_EQ(-restore(&b, &backup), ENOENT);
			if (formats[f] == SYNTHETIC_FS3) {
				/* its CRC stands in the ITOC: the image comes next, with the backup's entries */
				CHECK(!b.failsafe || *b.window);
				REQUIRE(!look(&b));
				REQUIRE(!image_burn_bytes(&b.old.reader, &b.old.facts, &b.target, &b.state,
							  &b.bytes, &b.length, &b.error));
				REQUIRE(!image_plan_make(&b.target, &b.state, b.bytes, b.length, &b.old.facts,
							 &b.plan, &b.error));
				run(&b);
			}
			REQUIRE(!look(&b));
			CHECK_EQ(b.state.old_facts.base_guid.base, 0x0002c903aabbcc00);
			CHECK_EQ(b.state.old_facts.base_mac.base, 0x0002c9aabbcc);
			CHECK_STR(b.state.old_facts.device_vsd, "another");
			free(backup.bytes);
			bench_end(&b);
		}
}

/* Only DEV_INFO differs, and it has two copies: no instant without a valid one, and nothing to name. */
static void dev_info_is_failsafe(void)
{
	struct synthetic what = an_image(SYNTHETIC_FS4, "16.35.2000");
	struct file backup;
	struct bench b;

	bench_start(&b, SYNTHETIC_FS4, 0);
	what.device_vsd = "another";
	free(b.old.bytes);
	make(&b.old, &what);
	hold(&backup, synthetic_flash(b.old.bytes, b.old.length, &what, FLASH, 0), FLASH);
	REQUIRE(!restore(&b, &backup));
	CHECK(b.failsafe);
	CHECK_STR(b.window, "");
	CHECK_EQ(b.plan.bytes_to_program, 2 * SECTOR);
	run_device(&b, true);
	REQUIRE(!look(&b));
	CHECK_STR(b.state.old_facts.device_vsd, "another");
	free(backup.bytes);
	bench_end(&b);
}

/* The table itself is gone: all of it is written, the table last; and that is said. */
static void a_lost_table(void)
{
	struct bench b;
	struct file backup;
	uint8_t *copy = malloc(FLASH);

	bench_start(&b, SYNTHETIC_FS4, 0);
	memcpy(copy, b.flash.bytes, FLASH);
	hold(&backup, copy, FLASH);
	memset(b.flash.bytes + FLASH - 0x100000, 0xff, 0x100000);
	REQUIRE(!restore(&b, &backup));
	CHECK(!b.failsafe);
	CHECK(strstr(b.window, "DTOC"));
	CHECK_EQ(b.plan.target_address + b.plan.segment_offset[b.plan.segment_count - 1] +
		 b.plan.segment_length[b.plan.segment_count - 1], FLASH);
	run_device(&b, false);
	REQUIRE(!look(&b));
	CHECK_EQ(b.state.old_facts.base_guid.base, 0x0002c90300112230);
	free(copy);
	bench_end(&b);
}

static void another_geometry(void)
{
	struct bench b;
	struct file backup;
	uint8_t *copy = malloc(2 * FLASH);
	uint8_t *entry;

	bench_start(&b, SYNTHETIC_FS4, 0);
	memset(copy, 0xff, 2 * FLASH);
	memcpy(copy, b.flash.bytes, FLASH);
	hold(&backup, copy, 2 * FLASH);
	CHECK_EQ(-restore(&b, &backup), EINVAL);
	hold(&backup, copy, FLASH);
	/* the first entry moves: over the image, then only elsewhere */
	entry = copy + FLASH - 0x1000 + TOC_HEADER;
	put32(entry + 0x14, 0x2000);
	put32(entry + 0x1c, image_crc16(entry, 0x1c));
	CHECK_EQ(-restore(&b, &backup), EINVAL);
	memset(b.flash.bytes + FLASH - 0x1000, 0xff, 0x1000);
	CHECK_EQ(-restore(&b, &backup), EINVAL);
	CHECK(strstr(b.error.text, "the image that the card boots"));
	/* a DEV_INFO that lies nowhere */
	memcpy(copy + FLASH - 0x1000, b.old.bytes + FLASH - 0x1000, 0x1000);
	for (; entry[0] != SECTION_DEV_INFO; entry += TOC_ENTRY)
		;
	put32(entry + 0x14, 0x7ffff000);
	put32(entry + 0x1c, image_crc16(entry, 0x1c));
	CHECK_EQ(-restore(&b, &backup), EINVAL);
	CHECK(strstr(b.error.text, "DEV_INFO of two copies"));
	free(copy);
	bench_end(&b);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(the_other_slot),
	KTAP_TEST(back_and_forth),
	KTAP_TEST(two_whole_images),
	KTAP_TEST(recovery),
	KTAP_TEST(device_data_apart),
	KTAP_TEST(device_data_limit_the_slot),
	KTAP_TEST(other_slot_sizes),
	KTAP_TEST(another_format),
	KTAP_TEST(gaps_are_ones),
	KTAP_TEST(fs3_keeps_the_entries),
	KTAP_TEST(fs3_stripped),
	KTAP_TEST(component_bytes),
	KTAP_TEST(nothing_differs),
	KTAP_TEST(a_backup_comes_back),
	KTAP_TEST(dev_info_is_failsafe),
	KTAP_TEST(a_lost_table),
	KTAP_TEST(another_geometry),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
