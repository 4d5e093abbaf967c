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
	CHECK(!memcmp(before + 4, flash + 4, (1U << burning_log2(images[1])) - 4));
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

/* A generation of the gateway of its own, and a flash of 32 MiB with addresses of four bytes. */
static void large_flash_over_spi(void)
{
	unsigned int way;

	for (way = 0; way < WAYS && !ktap_failed(); way++)
		there_and_back(&burning_fs4_large, way);
}

static u64 operations(void)
{
	return cxsim_count(burning.card, CXSIM_FLASH_OPERATIONS);
}

/* Every combination, in a card with the old image in slot 0. */
static void each(void (*test)(const struct burning_kind *kind, enum way way))
{
	unsigned int kind, way;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (way = 0; way < WAYS && !ktap_failed(); way++) {
			if (!begin(kinds[kind], way))
				return;
			test(kinds[kind], way);
			if (ktap_failed())
				ktap_note("that was FS%u over %s", kinds[kind]->format, way_names[way]);
			end();
		}
}

/* ---- device data ---- */

static void long_window(const struct burning_kind *kind, enum way way)
{
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	burning.plan.head.window_length += 0x1000;
	REFUSES(&burning, -EINVAL, "device data");
	CHECK_EQ(operations(), 0);
}

static void window_ends_before_device_data(void)
{
	each(long_window);
}

/* The table that tells where it lies is damaged: the upper half is left alone, the lower may be written. */
static void damaged_table(const struct burning_kind *kind, enum way way)
{
	u32 old = 1U << burning_log2(images[0]);

	if (kind->format != CXFW_FORMAT_FS4)
		return;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	flash[kind->flash - 0x1000 + 0x25] ^= 1;
	REFUSES(&burning, -EINVAL, "missing or damaged");
	CHECK_EQ(operations(), 0);
	flash[kind->flash - 0x1000 + 0x25] ^= 1;
	burning_place(kind, images[0], lengths[0], flash, 1);
	memset(flash, 0, 4);
	burning_plan(&burning, images[1], lengths[1], 0, flash);
	flash[kind->flash - 0x1000 + 0x25] ^= 1;
	BURNS(&burning);
	CHECK(!memcmp(flash, images[1], lengths[1]) && !flash[old]);
}

static void damaged_table_keeps_the_upper_half(void)
{
	each(damaged_table);
}

/* An entry of the table of contents that is neither the card's nor true: whole by its checksums. */
static void foreign_entry(const struct burning_kind *kind, enum way way)
{
	u8 *entry;
	u16 crc;

	if (kind->format != CXFW_FORMAT_FS3)
		return;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	entry = burning.plan.image + burning_toc(burning.plan.image) + 0x20;
	while (entry[0] != 0xe1)
		entry += 0x20;
	entry[0x1b] ^= 1;
	crc = cxfw_image_crc16_end(cxfw_image_crc16(CXFW_CRC16_START, entry, 0x1c));
	entry[0x1e] = crc >> 8;
	entry[0x1f] = (u8)crc;
	burning_sha256(burning.plan.image + 16, lengths[1] - 16, burning.plan.head.segments_sha256);
	REFUSES(&burning, -EINVAL, "device data 0xe1");
	CHECK_EQ(operations(), 0);
}

static void foreign_device_data_is_refused(void)
{
	each(foreign_entry);
}

#define SECTOR 0x1000

/* Plans sectors of device data from address on; segments in the order given. */
static struct cxfw_segment parts[4];

static void device_plan(const struct burning_kind *kind, u32 address, u32 length, unsigned int count)
{
	struct cxfw_plan *plan = &burning.plan;
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	unsigned int i;

	free(plan->image);
	memset(plan, 0, sizeof(*plan));
	plan->image = malloc(length);
	memcpy(plan->image, flash + address, length);
	plan->segments = parts;
	plan->head.size = sizeof(plan->head);
	plan->head.flags = CXFW_PLAN_DEVICE_DATA;
	plan->head.format = kind->format;
	plan->head.hw_id = burning.device.hw_id;
	plan->head.hw_revision = burning.device.hw_revision;
	plan->head.flash_size = kind->flash;
	plan->head.image_length = length;
	plan->head.window_length = length;
	plan->head.target_address = address;
	plan->head.segment_count = count;
	for (i = 0; i < count; i++)
		if (cxfw_sha256_update(hash, plan->image + parts[i].offset, parts[i].length))
			abort();
	cxfw_sha256_finish(hash, plan->head.segments_sha256);
}

static void device_hash(void)
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	unsigned int i;

	for (i = 0; i < burning.plan.head.segment_count; i++)
		if (cxfw_sha256_update(hash, burning.plan.image + parts[i].offset, parts[i].length))
			abort();
	cxfw_sha256_finish(hash, burning.plan.head.segments_sha256);
}

static void restore_sector(const struct burning_kind *kind, enum way way)
{
	u32 low = burning_device_data(flash, kind->flash, 0), at;
	u8 *before = malloc(kind->flash);

	parts[0] = (struct cxfw_segment){ SECTOR, SECTOR };
	device_plan(kind, low, 4 * SECTOR, 1);
	memset(burning.plan.image, 0x77, SECTOR);		/* no segment covers it */
	memset(burning.plan.image + SECTOR, 0x5a, 64);
	device_hash();
	memcpy(before, flash, kind->flash);
	BURNS(&burning);
	memset(before + low + SECTOR, 0x5a, 64);
	for (at = 0; at < kind->flash && flash[at] == before[at]; at++)
		;
	CHECK_EQ(at, kind->flash);
	/* Once more it costs nothing. */
	cxsim_counters_clear(burning.card);
	BURNS(&burning);
	CHECK_EQ(operations(), 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->old_version));
	free(before);
}

static void device_data_is_restored(void)
{
	each(restore_sector);
}

static void wrong_device_plans(const struct burning_kind *kind, enum way way)
{
	u32 low = burning_device_data(flash, kind->flash, 0);

	parts[0] = (struct cxfw_segment){ 0, SECTOR };
	device_plan(kind, 0x1000, SECTOR, 1);
	REFUSES(&burning, -EINVAL, "in the image at 0");
	device_plan(kind, 0, SECTOR, 1);
	REFUSES(&burning, -EINVAL, "boot ROM");
	device_plan(kind, 0x80000, SECTOR, 1);
	REFUSES(&burning, -EINVAL, "boot ROM");
	device_plan(kind, low, SECTOR, 1);
	burning.plan.head.old_address = 0x100000;
	REFUSES(&burning, -EINVAL, "no slot");
	device_plan(kind, low, SECTOR, 1);
	burning.plan.head.window_length += SECTOR;
	REFUSES(&burning, -EINVAL, "whole sectors");
	device_plan(kind, low, SECTOR, 1);
	burning.plan.head.hw_id++;
	REFUSES(&burning, -ESTALE, "hardware id");
	device_plan(kind, low, SECTOR, 1);
	burning.plan.image[0] ^= 1;
	REFUSES(&burning, -EINVAL, "sha256");
	parts[0] = (struct cxfw_segment){ 0x10, SECTOR };
	device_plan(kind, low, 2 * SECTOR, 1);
	REFUSES(&burning, -EINVAL, "whole sectors");
	parts[0] = (struct cxfw_segment){ 0, 2 * SECTOR };
	parts[1] = (struct cxfw_segment){ SECTOR, SECTOR };
	device_plan(kind, low, 4 * SECTOR, 2);
	REFUSES(&burning, -EINVAL, "overlap");
	parts[0] = (struct cxfw_segment){ 0, 2 * SECTOR };
	device_plan(kind, low, SECTOR, 1);
	REFUSES(&burning, -EINVAL, "whole sectors");
	CHECK_EQ(operations(), 0);
}

static void device_data_stays_in_its_place(void)
{
	each(wrong_device_plans);
}

/* DEV_INFO of FS4 exists twice, one copy valid: the other is written first, or nothing is. */
static void only_copy(const struct burning_kind *kind, enum way way)
{
	u32 valid = kind->flash - 0x30000, other = kind->flash - 0x20000, length = other + SECTOR - valid;

	if (kind->format != CXFW_FORMAT_FS4)
		return;
	parts[0] = (struct cxfw_segment){ 0, SECTOR };
	device_plan(kind, valid, length, 1);
	burning.plan.image[0x80] ^= 1;
	device_hash();
	REFUSES(&burning, -EINVAL, "only valid DEV_INFO");
	CHECK_EQ(operations(), 0);
	/* In the wrong order. */
	parts[1] = (struct cxfw_segment){ other - valid, SECTOR };
	device_plan(kind, valid, length, 2);
	memcpy(burning.plan.image + (other - valid), flash + valid, 0x200);
	memset(burning.plan.image, 0, 4);
	device_hash();
	REFUSES(&burning, -EINVAL, "only valid DEV_INFO");
	CHECK_EQ(operations(), 0);
	/* In the right one. */
	parts[0] = (struct cxfw_segment){ other - valid, SECTOR };
	parts[1] = (struct cxfw_segment){ 0, SECTOR };
	device_plan(kind, valid, length, 2);
	memcpy(burning.plan.image + (other - valid), flash + valid, 0x200);
	memset(burning.plan.image, 0, 4);
	device_hash();
	BURNS(&burning);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->old_version));
}

static void other_copy_goes_first(void)
{
	each(only_copy);
}

/* ---- what stands on the flash ---- */

/* An earlier burn was cut between commit and invalidation. */
static void two_whole(const struct burning_kind *kind, enum way way)
{
	burning_place(kind, images[2], lengths[2], flash, 1);
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	BURNS(&burning);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->new_version));
}

static void two_images_are_no_trouble(void)
{
	each(two_whole);
}

/* The first byte of the last section that has a CRC. */
static u32 last_section(const u8 *image)
{
	const u8 *entry = image + burning_toc(image) + 0x20;
	u32 last = 0, address;

	for (; entry[0] != 0xff; entry += 0x20) {
		address = burning_dword(entry + 0x14) & 0x7ffffffc;
		if (!(entry[0x19] & 3) && burning_dword(entry) & 0xfffffc && address > last)
			last = address;
	}
	return last;
}

static void damaged_kept(const struct burning_kind *kind, enum way way)
{
	burning_place(kind, images[2], lengths[2], flash, 1);
	flash[last_section(images[0]) + 5] ^= 1;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	REFUSES(&burning, -EINVAL, "damaged");
	CHECK_EQ(operations(), 0);
	burning_plan(&burning, images[1], lengths[1], 0, flash);
	BURNS(&burning);
}

static void whole_one_is_kept(void)
{
	each(damaged_kept);
}

static void strays(const struct burning_kind *kind, enum way way)
{
	u32 low = burning_device_data(flash, kind->flash, 0);
	int i;

	for (i = 1; i < CXFW_MAGIC_PLACES; i++)
		if (cxfw_magic_places[i] > lengths[0] && cxfw_magic_places[i] < low)
			memcpy(flash + cxfw_magic_places[i], images[0], CXFW_MAGIC_BYTES);
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	BURNS(&burning);
	cxsim_set(burning.card, CXSIM_BOOT_POLICY, CXSIM_BOOT_MAGIC_FIRST);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->new_version));
	cxsim_set(burning.card, CXSIM_BOOT_POLICY, CXSIM_BOOT_MAGIC_LAST);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->new_version));
}

static void stale_magics_go(void)
{
	each(strays);
}

static void nothing_there(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct cxsim_parameters parameters = burning_parameters_of(kinds[i], kinds[i]->old_version, ktap_seed());
		u32 size, low;

		shim_reset(ktap_seed());
		make_images(kinds[i]);
		REQUIRE(burning_start(&burning, &parameters));
		flash = cxsim_flash(burning.card, &size);
		/* Its device data is still there. */
		low = burning_device_data(flash, size, 0);
		memset(flash, 0xff, low);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		REQUIRE(!burning_open(&burning) && CHECK(burning.device.recovery));
		burning_plan_recovery(&burning, images[1], lengths[1]);
		BURNS(&burning);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		CHECK(runs(kinds[i]->new_version));
		end();
	}
}

/* ---- trouble ---- */

static void protected_chip(const struct burning_kind *kind, enum way way)
{
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	cxsim_set(burning.card, CXSIM_WRITE_PROTECT, 0x1c);	/* all of it */
	/* Firmware of that age has no register that tells. */
	if (kind != &burning_fs4_newer && way == OVER_FIRMWARE)
		REFUSES(&burning, -EIO, "write protection");
	else
		REFUSES(&burning, -EROFS, "block protect bits");
	cxsim_set(burning.card, CXSIM_WRITE_PROTECT, 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->old_version));
}

/* All bits but the protection are as before, and the next burn needs no flag any more. */
static void protected_by_name(const struct burning_kind *kind, enum way way)
{
	u8 before[3];

	if (way == OVER_FIRMWARE) {
		burning_plan(&burning, images[1], lengths[1], 1, flash);
		burning.plan.head.flags = CXFW_PLAN_CLEAR_PROTECTION;
		CHECK(!cxfw_flash_can_unprotect(&burning.device));
		REFUSES(&burning, -EOPNOTSUPP, "through the firmware");
		return;
	}
	cxsim_set(burning.card, CXSIM_WRITE_PROTECT, 0x0c);
	REQUIRE(!burning_open(&burning) && !cxfw_flash_probe(&burning.device));
	memcpy(before, burning.device.flash.status, 3);
	CHECK_EQ(before[0] & 0x1c, 0x0c);
	CHECK(before[1] & 2);		/* quad enable */
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	burning.plan.head.flags = CXFW_PLAN_CLEAR_PROTECTION;
	CHECK(cxfw_flash_can_unprotect(&burning.device));
	BURNS(&burning);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->new_version));
	REQUIRE(!burning_open(&burning) && !cxfw_flash_probe(&burning.device));
	CHECK_EQ(burning.device.flash.status[0], before[0] & ~0x0c);
	CHECK_EQ(burning.device.flash.status[1], before[1]);
	CHECK_EQ(burning.device.flash.status[2], before[2]);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_FOUL), 0);
}

static void protection_is_cleared_by_name(void)
{
	each(protected_by_name);
}

/* The status register is written first, and power may fail there: the old image boots, and the burn goes on. */
static void cut_at_the_bits(const struct burning_kind *kind, enum way way)
{
	int torn;

	for (torn = 0; torn < 2 && way == OVER_SPI; torn++) {
		cxsim_set(burning.card, CXSIM_WRITE_PROTECT, torn ? 0x08 : 0x0c);
		REQUIRE(!burning_open(&burning) && !cxfw_flash_probe(&burning.device));
		burning_plan(&burning, images[1], lengths[1], 1, flash);
		burning.plan.head.flags = CXFW_PLAN_CLEAR_PROTECTION;
		cxsim_set(burning.card, CXSIM_CUT_TORN, torn);
		cxsim_set(burning.card, CXSIM_CUT_AFTER, 1);
		CHECK(burning_run(&burning) != 0);
		cxsim_set(burning.card, CXSIM_CUT_AFTER, 0);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		CHECK(runs(kind->old_version));
	}
	if (way != OVER_SPI)
		return;
	REQUIRE(!burning_open(&burning) && !cxfw_flash_probe(&burning.device));
	BURNS(&burning);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->new_version));
}

static void power_fails_at_the_status_register(void)
{
	each(cut_at_the_bits);
}

/* From the bottom on: the target is free, the old image is not, and could not be invalidated. */
static void protected_old(const struct burning_kind *kind, enum way way)
{
	(void)kind;
	if (way == OVER_FIRMWARE)
		return;
	cxsim_set(burning.card, CXSIM_WRITE_PROTECT, 0x24);
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	cxsim_counters_clear(burning.card);
	REFUSES(&burning, -EROFS, "could not be invalidated");
	CHECK_EQ(operations(), 0);
}

static void protected_old_image_is_told_before(void)
{
	each(protected_old);
}

static void protection_is_named(void)
{
	each(protected_chip);
	REQUIRE(begin(&burning_fs4_newer, OVER_FIRMWARE));
	protected_chip(&burning_fs4_newer, OVER_FIRMWARE);
	end();
}

/* The image at a new place, and which one the next reset takes without a power cycle. */
static void named(const struct burning_kind *kind, enum way way)
{
	u32 start = 1U << burning_log2(images[1]);

	burning_plan(&burning, images[1], lengths[1], 1, flash);
	BURNS(&burning);
	if (way == OVER_SPI) {
		CHECK_EQ(cxsim_cr_read(burning.card, burning.device.chip->boot_address),
			 start << burning.device.chip->boot_shift);
		CHECK(cxsim_cr_read(burning.card, 0xf0204) & 2);
	}
	cxsim_set(burning.card, CXSIM_BOOT_POLICY, CXSIM_BOOT_REGISTER);
	cxsim_reset(burning.card, CXSIM_RESET_CHIP);
	CHECK(runs(kind->new_version));
}

static void next_reset_takes_the_new_image(void)
{
	each(named);
}

/* Firmware that loses itself while the old image is invalidated: tried again, and told when it does not help. */
static void lost_in_thought(const struct burning_kind *kind, enum way way)
{
	if (way != OVER_FIRMWARE)
		return;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	cxsim_set(burning.card, CXSIM_INVALIDATE_TIMEOUT, 1);
	BURNS(&burning);
	CHECK(!flash[0] && !flash[1] && !flash[2] && !flash[3]);
}

static void lost_for_good(const struct burning_kind *kind, enum way way)
{
	if (way != OVER_FIRMWARE)
		return;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	cxsim_set(burning.card, CXSIM_INVALIDATE_TIMEOUT, cxsim_settings[CXSIM_INVALIDATE_TIMEOUT].maximum);
	REFUSES(&burning, -ETIMEDOUT, "power-cycle, then burn again");
	CHECK(strstr(burning.device.why, "whole and committed") != NULL);
	cxsim_set(burning.card, CXSIM_INVALIDATE_TIMEOUT, 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(cxsim_booted(burning.card)->whole && !cxsim_booted(burning.card)->recovery);
	/* And again, as told. */
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	BURNS(&burning);
}

static void invalidation_is_tried_again(void)
{
	each(lost_in_thought);
	each(lost_for_good);
}

/* A chip reset at any access: the burn ends in words, and a whole image boots. */
static void reset_under_feet(const struct burning_kind *kind, enum way way)
{
	u64 at, step = 9001;
	u8 *before = malloc(kind->flash);

	memcpy(before, flash, kind->flash);
	for (at = 1; at < 200000 && !ktap_failed(); at += step) {
		memcpy(flash, before, kind->flash);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		REQUIRE(!burning_open(&burning));
		burning_plan(&burning, images[1], lengths[1], 1, flash);
		cxsim_set(burning.card, CXSIM_RESET_AFTER, at);
		if (burning_run(&burning))
			CHECK(burning.device.why[0]);
		cxsim_set(burning.card, CXSIM_RESET_AFTER, 0);
		CHECK_EQ(cxsim_count(burning.card, CXSIM_FOUL), 0);
		cxsim_reset(burning.card, CXSIM_RESET_POWER);
		CHECK(cxsim_booted(burning.card)->whole && !cxsim_booted(burning.card)->recovery);
	}
	free(before);
}

static void reset_leaves_a_whole_image(void)
{
	each(reset_under_feet);
}

/* ---- the whole window again ---- */

static u32 to_spoil;		/* address of a byte; 0: nothing more */

static int spoil_before_verify(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
			       bool may_stop)
{
	if (phase == CXFW_PHASE_VERIFY && to_spoil) {
		flash[to_spoil] ^= 1;
		to_spoil = 0;
	}
	return burning_progress(watch, phase, done, total, may_stop);
}

/* A byte that was right when it was written, and is another when all is read again. */
static void spoiled(const struct burning_kind *kind, enum way way)
{
	u8 old[CXFW_MAGIC_BYTES];

	memcpy(old, flash, sizeof(old));
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	burning.watch.progress = spoil_before_verify;
	to_spoil = (1U << burning_log2(images[1])) + lengths[1] - 0x100;
	REFUSES(&burning, -EIO, "does not read back");
	CHECK_EQ(to_spoil, 0);
	CHECK(!memcmp(old, flash, sizeof(old)));
	CHECK_EQ(burning.commits, 0);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->old_version));
}

static void nothing_is_committed_that_reads_otherwise(void)
{
	each(spoiled);
}

/* ---- only what differs ---- */

static int stop_before_commit(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
			      bool may_stop)
{
	return phase == CXFW_PHASE_COMMIT && may_stop ? -ECANCELED : 0;
}

/* A burn that was stopped at its end costs nothing but magic and invalidation the next time; one section differs: its sectors. */
static void resumed(const struct burning_kind *kind, enum way way)
{
	int (*usual)(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total, bool may_stop);

	usual = burning.watch.progress;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	burning.watch.progress = stop_before_commit;
	CHECK_EQ(burning_run(&burning), -ECANCELED);
	/* One word of a section is another now, as if the image were a little different. */
	flash[(1U << burning_log2(images[1])) + lengths[1] - 0x100] ^= 1;
	cxsim_counters_clear(burning.card);
	CHECK_EQ(burning_run(&burning), -ECANCELED);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_SPI_ERASED_BYTES), SECTOR);
	cxsim_counters_clear(burning.card);
	burning.watch.progress = usual;
	BURNS(&burning);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_SPI_ERASES), 0);
	CHECK_EQ(operations(), 2);
	CHECK_EQ(burning.watch.skipped, lengths[1]);
}

/* Back to the image that the other slot still holds: only the sector of its spent magic is erased, and once. */
static void back_again(const struct burning_kind *kind, enum way way)
{
	(void)way;
	burning_plan(&burning, images[1], lengths[1], 1, flash);
	BURNS(&burning);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	REQUIRE(!burning_open(&burning));
	burning_plan(&burning, images[0], lengths[0], 0, flash);
	cxsim_counters_clear(burning.card);
	BURNS(&burning);
	CHECK_EQ(cxsim_count(burning.card, CXSIM_SPI_ERASED_BYTES), SECTOR);
	cxsim_reset(burning.card, CXSIM_RESET_POWER);
	CHECK(runs(kind->old_version));
}

static void only_what_differs(void)
{
	each(resumed);
	each(back_again);
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
		    OLD_VERSION, NEW_VERSION, "2.40.7000" }, OVER_SPI, 2700 },
		{ { "connectx4lx", "MT_2420110034", "W25QxxBV", CXFW_FORMAT_FS3, 0x1000000, 0x70000,
		    "14.20.1010", "14.32.1010", "14.24.1000" }, OVER_SPI, 4500 },
		{ { "connectx5", "MT_0000000011", "W25QxxBV", CXFW_FORMAT_FS4, 0x1000000, 0x70000,
		    "16.32.1010", "16.35.2000", "16.33.1048" }, OVER_FIRMWARE, 3350 },
		{ { "connectx5", "MT_0000000011", "W25QxxBV", CXFW_FORMAT_FS4, 0x1000000, 0x70000,
		    "16.32.1010", "16.35.2000", "16.33.1048" }, OVER_SPI, 4500 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases) && !ktap_failed(); i++)
		CHECK(cost(&cases[i].kind, cases[i].way) <= cases[i].most);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_format_each_way),
	KTAP_TEST(large_flash_over_spi),
	KTAP_TEST(window_ends_before_device_data),
	KTAP_TEST(damaged_table_keeps_the_upper_half),
	KTAP_TEST(foreign_device_data_is_refused),
	KTAP_TEST(device_data_is_restored),
	KTAP_TEST(device_data_stays_in_its_place),
	KTAP_TEST(other_copy_goes_first),
	KTAP_TEST(two_images_are_no_trouble),
	KTAP_TEST(whole_one_is_kept),
	KTAP_TEST(stale_magics_go),
	KTAP_TEST(nothing_there),
	KTAP_TEST(protection_is_named),
	KTAP_TEST(protection_is_cleared_by_name),
	KTAP_TEST(power_fails_at_the_status_register),
	KTAP_TEST(protected_old_image_is_told_before),
	KTAP_TEST(next_reset_takes_the_new_image),
	KTAP_TEST(invalidation_is_tried_again),
	KTAP_TEST(reset_leaves_a_whole_image),
	KTAP_TEST(nothing_is_committed_that_reads_otherwise),
	KTAP_TEST(only_what_differs),
	KTAP_TEST(costs),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, ARRAY_SIZE(tests));
}
