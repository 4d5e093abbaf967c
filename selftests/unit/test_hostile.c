// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that means harm, or is broken: plans with wrong numbers, wrong images with
 * right digests, plans for another flash. Whatever the driver says, power may fail at any
 * moment of it, and the card still boots a whole image under every boot policy.
 */
#include "burning.h"

#define ROUNDS	1500

static u64 state;

static u32 pick(u32 below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return below ? (u32)(state >> 33) % below : 0;
}

static struct burning burning;
static const struct burning_kind *kind;		/* of the images */
static u8 *images[3];
static size_t lengths[3];

static void make_images_of(const struct burning_kind *of)
{
	const char *const versions[] = { of->old_version, of->new_version, of->third_version };
	struct cxsim_parameters parameters;
	int i;

	kind = of;
	state = ktap_seed();
	for (i = 0; i < 3; i++) {
		parameters = burning_parameters_of(of, versions[i], ktap_seed());
		images[i] = burning_image(&parameters, &lengths[i]);
	}
}

static void make_images(void)
{
	make_images_of(&burning_fs2);
}

/* Where slot 1 begins. */
static u32 second_slot(void)
{
	return 1U << burning_log2(images[0]);
}

static void drop_images(void)
{
	int i;

	for (i = 0; i < 3; i++)
		free(images[i]);
}

static u32 odd_number(void)
{
	static const u32 odd[] = {
		0, 1, 2, 3, 4, 15, 16, 17, 19, 23, 24, 31, 32, 64, 0x38, 0x80, 0xff, 0x100, 0x1000, 0x10000,
		0x80000, 0x100000, 0x1fffff, 0x200000, 0x400000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff,
	};

	return pick(3) ? odd[pick(ARRAY_SIZE(odd))] : pick(0xffffffff);
}

static void wrong_number(struct cxfw_stage *head)
{
	u32 *numbers[] = {
		&head->flags, &head->image_length, &head->segment_count, &head->format, &head->hw_id,
		&head->hw_revision, &head->flash_size, &head->log2_chunk, &head->target_slot,
		&head->window_length, &head->old_address, &head->target_address, &head->component,
	};
	u32 length = head->image_length, count = head->segment_count;

	*numbers[pick(ARRAY_SIZE(numbers))] = odd_number();
	/* What lies behind the pointers: UPPER's copy-in guarantees these. */
	if (head->image_length > length)
		head->image_length = length;
	if (head->segment_count > count)
		head->segment_count = count;
}

static void wrong_segment(struct burning *b)
{
	if (pick(2))
		b->segment.offset = odd_number();
	else
		b->segment.length = odd_number();
}

/* Damages the image and makes the digest right again, as somebody would who knows how. */
static void wrong_image(struct burning *b)
{
	u32 length = lengths[1], i, bytes = 1 + pick(64);

	for (i = 0; i < bytes; i++)
		b->plan.image[pick(2) ? pick(length) : pick(0x200)] ^= 1U << pick(8);
	burning_sha256(b->plan.image + 16, length - 16, b->plan.head.segments_sha256);
}

static void magic_inside(struct burning *b)
{
	u32 place = cxfw_magic_places[1 + pick(4)];

	if (place + 16 <= lengths[1])
		memcpy(b->plan.image + place, images[1], 16);
	burning_sha256(b->plan.image + 16, lengths[1] - 16, b->plan.head.segments_sha256);
}

static void mutate(struct burning *b)
{
	u32 i, changes = 1 + pick(3);

	for (i = 0; i < changes; i++) {
		switch (pick(6)) {
		case 0:
		case 1:
			wrong_number(&b->plan.head);
			break;
		case 2:
			wrong_segment(b);
			break;
		case 3:
			wrong_image(b);
			break;
		case 4:
			magic_inside(b);
			break;
		case 5:
			b->plan.head.target_slot ^= 1;
			b->plan.head.old_address = b->plan.head.target_slot ? 0 : second_slot();
			break;
		}
	}
}

/*
 * One or two whole images, sometimes a damaged one beside a whole one, sometimes scribbles.
 * Device data is as it was.
 */
static void random_flash(u8 *flash, u32 low)
{
	u32 slot = pick(2), other = slot ? 0 : second_slot(), i;

	memset(flash, 0xff, low);
	burning_place(kind, images[0], lengths[0], flash, slot);
	if (pick(2)) {
		burning_place(kind, images[2], lengths[2], flash, !slot);
		if (pick(2))
			flash[other + 0x40 + pick(0x2000)] ^= 1 << pick(8);
	}
	for (i = pick(4); i; i--)
		memset(flash + other + 0x40000 + pick(0x30000), pick(256), 0x100);
}

static bool boots_everywhere(const bool *could, u32 round)
{
	int policy;

	for (policy = 0; policy < CXSIM_BOOT_POLICIES; policy++) {
		if (!could[policy])
			continue;
		cxsim_set(burning.card, CXSIM_BOOT_POLICY, policy);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (cxsim_booted(burning.card)->recovery || !cxsim_booted(burning.card)->whole) {
			ktap_fail(__FILE__, __LINE__, "round %u: no whole image boots under policy %d", round, policy);
			return false;
		}
	}
	return true;
}

static void power_on(bool *could)
{
	int policy;

	for (policy = 0; policy < CXSIM_BOOT_POLICIES; policy++) {
		cxsim_set(burning.card, CXSIM_BOOT_POLICY, policy);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		could[policy] = !cxsim_booted(burning.card)->recovery && cxsim_booted(burning.card)->whole;
	}
	cxsim_set(burning.card, CXSIM_BOOT_POLICY, CXSIM_BOOT_CHECKED_FIRST);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
}

/* What the client has seen of the flash it plans for. */
static void plan_something(u8 *flash)
{
	u32 slot = pick(2), old = slot ? 0 : second_slot();

	/* Where no image is, there is nothing to make the numbers from. */
	if (kind->format == CXFW_FORMAT_FS3 && !cxfw_is_magic(flash + old))
		slot = !slot;
	burning_plan(&burning, images[1], lengths[1], slot, flash);
}

static void hostile(const struct burning_kind *of, bool over_spi, u32 rounds)
{
	struct cxsim_parameters parameters = burning_parameters_of(of, of->old_version, ktap_seed());
	u32 round, size, low, ran = 0, refused = 0;
	bool could[CXSIM_BOOT_POLICIES];
	u8 *flash, *device;

	shim_reset(ktap_seed());
	make_images_of(of);
	REQUIRE(burning_start(&burning, &parameters));
	cxsim_set(burning.card, CXSIM_GUARD_OFF, over_spi);
	flash = cxsim_flash(burning.card, &size);
	low = of->format == CXFW_FORMAT_FS2 ? size : burning_device_data(flash, size, 0);
	device = malloc(size);
	memcpy(device, flash, size);
	for (round = 0; round < rounds && !ktap_failed(); round++) {
		random_flash(flash, low);
		power_on(could);
		if (burning_open(&burning)) {
			ktap_fail(__FILE__, __LINE__, "round %u: open: %s", round, burning.device.why);
			break;
		}
		plan_something(flash);
		if (pick(8))
			mutate(&burning);
		if (pick(2)) {
			cxsim_set(burning.card, CXSIM_CUT_TORN, pick(2));
			cxsim_set(burning.card, CXSIM_CUT_AFTER, 1 + pick(100));
		}
		if (burning_run(&burning))
			refused++;
		else
			ran++;
		cxsim_set(burning.card, CXSIM_CUT_AFTER, 0);
		boots_everywhere(could, round);
		CHECK_EQ(cxsim_count(burning.card, CXSIM_FOUL), 0);
		CHECK(!memcmp(flash + low, device + low, size - low));
	}
	ktap_note("FS%u: %u rounds: %u ran, %u were refused or cut", of->format, round, ran, refused);
	CHECK(ran > 0 && refused > 0);
	free(device);
	burning_end(&burning);
	drop_images();
}

static void hostile_plans(void)
{
	hostile(&burning_fs2, true, ROUNDS);
}

static void hostile_plans_fs3(void)
{
	hostile(&burning_fs3, false, ROUNDS / 8);
	hostile(&burning_fs3, true, ROUNDS / 8);
}

static void hostile_plans_fs4(void)
{
	hostile(&burning_fs4, false, ROUNDS / 8);
	hostile(&burning_fs4, true, ROUNDS / 8);
}

/*
 * The driver is at least as strict as a boot ROM: an image with any one damage that it takes for
 * whole boots under the ROM that checks everything.
 */
static void no_laxer_than_a_boot_rom(const struct burning_kind *of)
{
	struct cxsim_parameters parameters = burning_parameters_of(of, of->old_version, ktap_seed());
	char why[CXFW_WHY_LENGTH];
	u32 round, size, at, taken = 0;
	u8 *flash, *copy;

	shim_reset(ktap_seed());
	make_images_of(of);
	REQUIRE(burning_start(&burning, &parameters));
	flash = cxsim_flash(burning.card, &size);
	copy = malloc(size);
	memcpy(copy, flash, size);
	for (round = 0; round < 2000 && !ktap_failed(); round++) {
		burning_plan(&burning, images[0], lengths[0], 1, copy);
		at = 16 + pick(pick(2) ? lengths[0] - 16 : min_t(u32, lengths[0] - 16, 0x6000));
		burning.plan.image[at] ^= 1U << pick(8);
		burning_sha256(burning.plan.image + 16, lengths[0] - 16, burning.plan.head.segments_sha256);
		if (cxfw_plan_check(&burning.plan, why))
			continue;
		taken++;
		memcpy(flash, burning.plan.image, lengths[0]);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (cxsim_booted(burning.card)->recovery || !cxsim_booted(burning.card)->whole)
			ktap_fail(__FILE__, __LINE__, "FS%u: a damage at %#x was taken, and does not boot", of->format,
				  at);
		memcpy(flash, copy, size);
	}
	ktap_note("FS%u: %u of %u damages lie where nothing looks", of->format, taken, round);
	/* Small sections on boundaries of 4 KiB leave wide gaps. */
	CHECK(taken < round / 10 * 9);
	free(copy);
	burning_end(&burning);
	drop_images();
}

static void damages_are_seen(void)
{
	no_laxer_than_a_boot_rom(&burning_fs2);
	no_laxer_than_a_boot_rom(&burning_fs3);
	no_laxer_than_a_boot_rom(&burning_fs4);
}

/* The image that the plan would keep is damaged, the one that it would overwrite is whole. */
static void keeps_the_whole_one(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	u8 *flash;
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	REQUIRE(burning_start(&burning, &parameters));
	flash = cxsim_flash(burning.card, &size);
	memset(flash, 0xff, size);
	cxsim_image_place("connectx3pro", images[0], lengths[0], flash, size, 0);
	cxsim_image_place("connectx3pro", images[2], lengths[2], flash, size, 1);
	flash[0x200] ^= 1;
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	cxsim_counters_clear(burning.card);
	CHECK_EQ(burning_run(&burning), -EINVAL);
	CHECK(strstr(burning.device.why, "damaged") != NULL);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS), 0);
	/* The other way round it goes. */
	burning_plan(&burning, images[1], lengths[1], 0, flash);
	CHECK_EQ(burning_run(&burning), 0);
	burning_end(&burning);
	drop_images();
}

static u32 be32(const u8 *bytes)
{
	return (u32)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Gives the chain of sections right CRCs again. */
static void repair_sections(u8 *image)
{
	u32 offset = CXFW_FS2_HEADER_BYTES, length, type;
	u16 crc;

	do {	/* BOOT2 blocks */
		length = 4 * (be32(image + offset + 4) + 4);
		offset += length;
		type = be32(image + offset);
	} while (type < 1 || type > 12);
	for (;;) {
		length = 16 + 4 * be32(image + offset + 4);
		crc = cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, image + offset, length));
		image[offset + length + 2] = crc >> 8;
		image[offset + length + 3] = (u8)crc;
		if (be32(image + offset + 12) >= 0xff000000)
			break;
		offset = be32(image + offset + 12);
	}
}

static void put32(u8 *bytes, u32 value)
{
	bytes[0] = value >> 24;
	bytes[1] = (u8)(value >> 16);
	bytes[2] = (u8)(value >> 8);
	bytes[3] = (u8)value;
}

static void repair_full_crc(u8 *image, size_t length)
{
	u16 crc;

	memset(image + 0x22, 0xff, 2);
	crc = cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, image, length));
	image[0x22] = crc >> 8;
	image[0x23] = (u8)crc;
}

/* A cell of the kept magic that reads now so, now so. */
static void flicker(void *context)
{
	static u32 accesses;
	u8 *flash = context;

	if (!(++accesses % 37))
		flash[3] ^= 1;
}

static void unsteady_magic_is_not_kept(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	u8 *flash;
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	REQUIRE(burning_start(&burning, &parameters));
	flash = cxsim_flash(burning.card, &size);
	cxsim_image_place("connectx3pro", images[2], lengths[2], flash, size, 1);
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	cxsim_counters_clear(burning.card);
	shim.context = flash;
	shim.at_access = flicker;
	CHECK_EQ(burning_run(&burning), -ESTALE);
	CHECK(strstr(burning.device.why, "steady") != NULL);
	shim.at_access = NULL;
	CHECK_EQ(cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS), 0);
	burning_end(&burning);
	drop_images();
}

/* A whole image whose code would put a magic where a boot ROM may look. */
static void second_magic_inside(void)
{
	struct cxsim_parameters parameters = burning_parameters(NEW_VERSION, ktap_seed());
	size_t length;
	u8 *image;
	u32 size;

	shim_reset(ktap_seed());
	parameters.code_size = 0x20000;
	image = burning_image(&parameters, &length);
	parameters.version = OLD_VERSION;
	REQUIRE(burning_start(&burning, &parameters));
	REQUIRE(length > 0x10100);
	repair_sections(image);
	burning_plan(&burning, image, length, 0, cxsim_flash(burning.card, &size));
	CHECK_EQ(cxfw_plan_check(&burning.plan, burning.device.why), 0);
	memcpy(image + 0x10000, cxfw_fs2_magic, CXFW_MAGIC_BYTES);
	repair_sections(image);
	repair_full_crc(image, length);
	burning_plan(&burning, image, length, 0, cxsim_flash(burning.card, &size));
	CHECK_EQ(cxfw_plan_check(&burning.plan, burning.device.why), -EINVAL);
	CHECK(strstr(burning.device.why, "second magic") != NULL);
	burning_end(&burning);
	free(image);
}

/* Each is right for the chain of sections; a boot ROM that checks more would not take it. */
static void break_full_crc(u8 *image, size_t *length)
{
	(void)length;
	image[0x23] ^= 1;
}

static void break_info_pointer(u8 *image, size_t *length)
{
	image[0x2f] += 4;
	image[0x2c] -= 4;
	repair_full_crc(image, *length);
}

static void break_info_checksum(u8 *image, size_t *length)
{
	image[0x2c] ^= 1;
	repair_full_crc(image, *length);
}

static void break_guid_pointer(u8 *image, size_t *length)
{
	image[0x37] += 4;
	repair_full_crc(image, *length);
}

static void break_length(u8 *image, size_t *length)
{
	put32(image + 0x30, *length += 4);
	repair_full_crc(image, *length);
}

static void break_guids(u8 *image, size_t *length)
{
	u32 body = be32(image + 0x34);

	put32(image + body + 4 * be32(image + body - 12), 0xffff);
	repair_full_crc(image, *length);
}

static void break_tags(u8 *image, size_t *length)
{
	u32 body = be32(image + 0x2c) & 0xffffff;

	put32(image + body, 0x00fffffc);
	repair_sections(image);
	repair_full_crc(image, *length);
}

static const struct {
	const char *name;
	void (*spoil)(u8 *image, size_t *length);
} almost[] = {
	{ "full CRC", break_full_crc },
	{ "information pointer", break_info_pointer },
	{ "information checksum", break_info_checksum },
	{ "GUID pointer", break_guid_pointer },
	{ "image length", break_length },
	{ "GUIDs", break_guids },
	{ "information tags", break_tags },
};

static void almost_whole_is_refused(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t length, i;
	u8 *image;
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	image = calloc(1, lengths[1] + 4);
	for (i = 0; i < ARRAY_SIZE(almost); i++) {
		REQUIRE(burning_start(&burning, &parameters));
		length = lengths[1];
		memcpy(image, images[1], length);
		almost[i].spoil(image, &length);
		burning_plan(&burning, image, length, 1, cxsim_flash(burning.card, &size));
		if (burning_run(&burning) != -EINVAL)
			ktap_fail(__FILE__, __LINE__, "%s: was burned", almost[i].name);
		cxsim_set(burning.card, CXSIM_BOOT_POLICY, CXSIM_BOOT_CHECKED_LAST);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		if (cxsim_booted(burning.card)->recovery)
			ktap_fail(__FILE__, __LINE__, "%s: nothing boots any more", almost[i].name);
		burning_end(&burning);
	}
	/* Undamaged it goes, or none of this tells anything. */
	REQUIRE(burning_start(&burning, &parameters));
	memcpy(image, images[1], lengths[1]);
	repair_sections(image);
	repair_full_crc(image, lengths[1]);
	burning_plan(&burning, image, lengths[1], 1, cxsim_flash(burning.card, &size));
	CHECK_EQ(burning_run(&burning), 0);
	burning_end(&burning);
	free(image);
	drop_images();
}

struct refusal {
	const char *name;
	void (*spoil)(struct burning *burning);
	const char *word;	/* in why */
};

static void spoil_hw_id(struct burning *b) { b->plan.head.hw_id = 0x1f5; }
static void spoil_revision(struct burning *b) { b->plan.head.hw_revision++; }
static void spoil_flash_size(struct burning *b) { b->plan.head.flash_size *= 2; }
static void spoil_chunk(struct burning *b) { b->plan.head.log2_chunk--; b->plan.head.old_address /= 2; }
static void spoil_old(struct burning *b) { b->plan.head.old_sha256[5] ^= 1; }
static void spoil_digest(struct burning *b) { b->plan.head.segments_sha256[31] ^= 1; }
static void spoil_magic(struct burning *b) { b->plan.image[3] ^= 1; }
static void spoil_format(struct burning *b) { b->plan.head.format = 7; }
static void spoil_flags(struct burning *b) { b->plan.head.flags = 0x80; }
static void spoil_window(struct burning *b) { b->plan.head.window_length = BURNING_FLASH; }
static void spoil_recovery(struct burning *b)
{
	b->plan.head.flags = CXFW_PLAN_RECOVERY;
	b->plan.head.old_address = CXFW_NO_ADDRESS;
}
static void spoil_segment(struct burning *b) { b->segment.length -= 4; }
static void spoil_magic_segment(struct burning *b) { b->segment.offset = 0; b->segment.length += 16; }
static void spoil_section(struct burning *b) { wrong_image(b); b->plan.image[0x60] ^= 0x55; }

static const struct refusal refusals[] = {
	{ "hardware id", spoil_hw_id, "hardware id" },
	{ "revision", spoil_revision, "revision" },
	{ "flash size", spoil_flash_size, "flash" },
	{ "chunk size", spoil_chunk, "layout" },
	{ "kept image changed", spoil_old, "changed" },
	{ "digest", spoil_digest, "sha256" },
	{ "magic", spoil_magic, "magic" },
	{ "format", spoil_format, "format" },
	{ "flags", spoil_flags, "flags" },
	{ "window", spoil_window, "window" },
	{ "recovery of a running card", spoil_recovery, "recovery" },
	{ "segment", spoil_segment, "segment" },
	{ "magic inside a segment", spoil_magic_segment, "segment" },
	{ "damaged image", spoil_section, "boot" },
};

/* Each is refused with the reason and before the first write. */
static void refused_in_words(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	size_t i;
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	REQUIRE(burning_start(&burning, &parameters));
	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		burning_plan(&burning, images[1], lengths[1], 1, cxsim_flash(burning.card, &size));
		refusals[i].spoil(&burning);
		cxsim_counters_clear(burning.card);
		if (!burning_run(&burning))
			ktap_fail(__FILE__, __LINE__, "%s: was burned", refusals[i].name);
		else if (!strstr(burning.device.why, refusals[i].word))
			ktap_fail(__FILE__, __LINE__, "%s: \"%s\" does not speak of \"%s\"", refusals[i].name,
				  burning.device.why, refusals[i].word);
		CHECK_EQ(cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS), 0);
	}
	burning_end(&burning);
	drop_images();
}

/* A cell that will not program, or a protected chip: the burn ends, the old image boots. */
static void flash_that_fails(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	u32 size, at;

	shim_reset(ktap_seed());
	make_images();
	REQUIRE(burning_start(&burning, &parameters));
	for (at = 0x80000 + 0x800; at < 0x80000 + lengths[1]; at += 0x1100) {
		burning_open(&burning);
		burning_plan(&burning, images[1], lengths[1], 1, cxsim_flash(burning.card, &size));
		/* a bit that is to become 0 */
		while (burning.plan.image[at - 0x80000] == 0xff)
			at++;
		cxsim_set(burning.card, CXSIM_BAD_BIT,
			  1 + at * 8ULL + __builtin_ctz(~burning.plan.image[at - 0x80000]));
		CHECK_EQ(burning_run(&burning), -EIO);
		CHECK(strstr(burning.device.why, "bad cell") != NULL);
		cxsim_set(burning.card, CXSIM_BAD_BIT, 0);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		CHECK(cxsim_booted(burning.card)->whole && !cxsim_booted(burning.card)->recovery);
	}
	burning_open(&burning);
	burning_plan(&burning, images[1], lengths[1], 1, cxsim_flash(burning.card, &size));
	cxsim_set(burning.card, CXSIM_WRITE_PROTECT, cxsim_settings[CXSIM_WRITE_PROTECT].maximum);
	CHECK_EQ(burning_run(&burning), -EROFS);
	if (!CHECK(strstr(burning.device.why, "protect") != NULL))
		ktap_note("%s", burning.device.why);
	cxsim_set(burning.card, CXSIM_WRITE_PROTECT, 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(cxsim_booted(burning.card)->whole && !cxsim_booted(burning.card)->recovery);
	burning_end(&burning);
	drop_images();
}

/* Others use the card between two steps, and what fails for them is not why the burn failed. */
static int others_fail(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
		       bool may_stop)
{
	cxfw_fail(&burning.device, -EIO, "somebody else's trouble");
	return burning_progress(watch, phase, done, total, may_stop);
}

static void failure_is_its_own(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	REQUIRE(burning_start(&burning, &parameters));
	burning.watch.progress = others_fail;
	burning_plan(&burning, images[1], lengths[1], 1, cxsim_flash(burning.card, &size));
	cxsim_set(burning.card, CXSIM_BAD_BIT, 1);	/* of the old magic, which will not go */
	CHECK_EQ(burning_run(&burning), -EIO);
	CHECK(strstr(burning.device.why, "is not cleared") && strstr(burning.device.why, "does not read back"));
	burning_end(&burning);
	drop_images();
}

static int stop_in_check(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
			 bool may_stop)
{
	burning_progress(watch, phase, done, total, may_stop);
	return phase == CXFW_PHASE_CHECK && done > 0x1000 && may_stop ? -ECANCELED : 0;
}

/* With two magics a whole image is read before the first write: a job ends within that, too. */
static void long_check_can_be_stopped(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	u8 *flash;
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	REQUIRE(burning_start(&burning, &parameters));
	flash = cxsim_flash(burning.card, &size);
	cxsim_image_place("connectx3pro", images[2], lengths[2], flash, size, 1);
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	burning.watch.progress = stop_in_check;
	CHECK_EQ(burning_run(&burning), -ECANCELED);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS), 0);
	burning_end(&burning);
	drop_images();
}

/* Nothing bootable: there is nothing to keep, and afterwards there is an image. */
static void recovery(void)
{
	struct cxsim_parameters parameters = burning_parameters(OLD_VERSION, ktap_seed());
	u8 *flash;
	u32 size;

	shim_reset(ktap_seed());
	make_images();
	parameters.empty = true;
	REQUIRE(burning_start(&burning, &parameters));
	CHECK(burning.device.recovery);
	flash = cxsim_flash(burning.card, &size);
	burning_plan(&burning, images[1], lengths[1], 0, flash);
	spoil_recovery(&burning);
	CHECK_EQ(burning_run(&burning), 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(cxsim_booted(burning.card)->whole && !cxsim_booted(burning.card)->recovery);
	burning_end(&burning);
	drop_images();
}

static const struct ktap_test tests[] = {
	KTAP_TEST(refused_in_words),
	KTAP_TEST(keeps_the_whole_one),
	KTAP_TEST(second_magic_inside),
	KTAP_TEST(almost_whole_is_refused),
	KTAP_TEST(unsteady_magic_is_not_kept),
	KTAP_TEST(flash_that_fails),
	KTAP_TEST(failure_is_its_own),
	KTAP_TEST(long_check_can_be_stopped),
	KTAP_TEST(recovery),
	KTAP_TEST(hostile_plans),
	KTAP_TEST(hostile_plans_fs3),
	KTAP_TEST(hostile_plans_fs4),
	KTAP_TEST(damages_are_seen),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
