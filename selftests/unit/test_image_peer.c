// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vendor's tool as referee: its verify accepts what ours accepts; its sg, sv, brom and drom make
 * byte for byte what fs2_edit() and image_edit() make. With CXCTL_REAL_IMAGE naming the public image of
 * firmware-images.md 12 the values of that chapter are checked too.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/image/edit.h"
#include "../../user/image/sha256.h"
#include "../lib/synthetic.h"
#include "image_fixture.h"

extern char **environ;

static char path[] = "/tmp/cxctl-test-XXXXXX";

/* Exit status of mstflint with these arguments; -1: it is not there. */
static int mstflint(const char *const *arguments)
{
	posix_spawn_file_actions_t actions;
	int status = 0, code;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	code = posix_spawnp(&child, "mstflint", &actions, NULL, (char *const *)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		return -1;
	return WEXITSTATUS(status);
}

static bool have_mstflint(void)
{
	const char *const version[] = { "mstflint", "-v", NULL };

	if (mstflint(version) == 0)
		return true;
	ktap_skip("mstflint is not installed");
	return false;
}

static void save(const struct fixture *image)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(image->bytes, 1, image->length, file) != image->length || fclose(file))
		abort();
}

static void load(struct fixture *image)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(1 << 22);

	if (!file || !bytes)
		abort();
	fixture_hold(image, bytes, fread(bytes, 1, 1 << 22, file));
	fclose(file);
}

static void make(struct fixture *image, const char *model, uint64_t seed)
{
	struct cxsim_parameters parameters = fixture_parameters(model);

	parameters.seed = seed;
	parameters.rom_size = seed & 1 ? 0x2000 : 0;
	fixture_make(image, &parameters);
}

static void verify_agrees(void)
{
	static const char *const models[] = { "connectx3", "connectx3pro" };
	const char *const verify[] = { "mstflint", "-i", path, "verify", NULL };
	struct fixture image;
	unsigned int i;

	if (!have_mstflint())
		return;
	for (i = 0; i < 6; i++) {
		make(&image, models[i % 2], i);
		save(&image);
		CHECK_EQ(mstflint(verify), 0);
		CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
		fixture_free(&image);
	}
}

static void same_bytes(const char *what, const struct fixture *image, const struct fs2_edit *edit)
{
	struct image_error error = { 0 };
	struct fixture theirs;
	uint8_t *ours;
	size_t length, i;

	load(&theirs);
	if (fs2_edit(image->bytes, image->length, edit, &ours, &length, &error)) {
		ktap_fail(__FILE__, __LINE__, "%s: %s", what, error.text);
	} else {
		for (i = 0; i < length && i < theirs.length && ours[i] == theirs.bytes[i]; i++)
			;
		if (i < length || i < theirs.length)
			ktap_fail(__FILE__, __LINE__, "%s: byte %#zx differs", what, i);
		free(ours);
	}
	fixture_free(&theirs);
}

static void sg_and_sv(void)
{
	static const char *const models[] = { "connectx3", "connectx3pro", "connectx3pro" };
	const char *const sg[] = { "mstflint", "-y", "-i", path, "-guid", "0x0002c903000a0b00", "-mac",
				   "0x0002c90a0b00", "sg", NULL };
	const char *const sv[] = { "mstflint", "-y", "-i", path, "-vsd", "of mstflint", "sv", NULL };
	struct fs2_edit ids = { .set_guids = true, .set_macs = true };
	struct fs2_edit vsd = { .vsd = "of mstflint", .vsd_length = 11 };
	struct fixture image;
	unsigned int i;

	if (!have_mstflint())
		return;
	for (i = 0; i < 4; i++)
		ids.guid[i] = 0x0002c903000a0b00 + i;
	for (i = 0; i < 2; i++)
		ids.mac[i] = 0x0002c90a0b00 + i;
	for (i = 0; i < 3; i++) {
		make(&image, models[i], i);
		save(&image);
		CHECK_EQ(mstflint(sg), 0);
		same_bytes("sg", &image, &ids);
		save(&image);
		CHECK_EQ(mstflint(sv), 0);
		same_bytes("sv", &image, &vsd);
		fixture_free(&image);
	}
}

/* ---- all formats ---- */

static const struct synthetic kinds[] = {
	{ .format = SYNTHETIC_FS2 },
	{ .format = SYNTHETIC_FS2, .rom_size = 0x1000 },
	{ .format = SYNTHETIC_FS3 },
	{ .format = SYNTHETIC_FS3, .digest = true },
	{ .format = SYNTHETIC_FS3, .connect_ib = true },
	{ .format = SYNTHETIC_FS4 },
	{ .format = SYNTHETIC_FS4, .digest = true },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool make_kind(struct fixture *image, size_t kind)
{
	size_t length = 0;
	uint8_t *bytes = synthetic_image(&kinds[kind], &length);

	if (!CHECK(bytes))
		return false;
	fixture_hold(image, bytes, length);
	return true;
}

/* Ours in place of image, after it was compared with what mstflint left in the file. */
static void step(const char *what, struct fixture *image, const struct image_edit *edit,
		 void (*even)(struct fixture *theirs))
{
	struct image_edit_result result;
	struct image_error error = { 0 };
	struct fixture theirs;
	size_t i;

	load(&theirs);
	if (even)
		even(&theirs);
	if (image_edit(image->bytes, image->length, edit, &result, &error)) {
		ktap_fail(__FILE__, __LINE__, "%s: %s", what, error.text);
	} else {
		for (i = 0; i < result.length && i < theirs.length && result.bytes[i] == theirs.bytes[i]; i++)
			;
		if (i < result.length || i < theirs.length)
			ktap_fail(__FILE__, __LINE__, "%s: byte %#zx differs", what, i);
		fixture_free(image);
		fixture_hold(image, result.bytes, result.length);
	}
	fixture_free(&theirs);
}

static void ids_and_vsd_of_all(void)
{
	const char *const guid[] = { "mstflint", "-y", "-i", path, "-guid", "0x0002c903000a0b00", "sg",
				     NULL };
	const char *const mac[] = { "mstflint", "-y", "-i", path, "-mac", "0x0002c90a0b00", "sg", NULL };
	const char *const both[] = { "mstflint", "-y", "-i", path, "-guid", "0x0002c903000c0d00", "-mac",
				     "0x0002c90c0d00", "sg", NULL };
	const char *const sv[] = { "mstflint", "-y", "-i", path, "-vsd", "of mstflint", "sv", NULL };
	struct image_edit set_guid = { .set_guids = true }, set_mac = { .set_macs = true };
	struct image_edit set_both = { .set_guids = true, .set_macs = true }, vsd = { .vsd = "of mstflint" };
	struct fixture image;
	size_t i;

	if (!have_mstflint())
		return;
	for (i = 0; i < 4; i++) {
		set_guid.guid[i] = 0x0002c903000a0b00 + i;
		set_both.guid[i] = 0x0002c903000c0d00 + i;
	}
	for (i = 0; i < 2; i++) {
		set_mac.mac[i] = 0x0002c90a0b00 + i;
		set_both.mac[i] = 0x0002c90c0d00 + i;
	}
	for (i = 0; i < KINDS && !ktap_failed(); i++) {
		/* mstflint sets ids by port with -uid only. */
		if (kinds[i].connect_ib)
			continue;
		if (!make_kind(&image, i))
			return;
		save(&image);
		CHECK_EQ(mstflint(guid), 0);
		step("sg -guid", &image, &set_guid, NULL);
		CHECK_EQ(mstflint(mac), 0);
		step("sg -mac", &image, &set_mac, NULL);
		CHECK_EQ(mstflint(sv), 0);
		step("sv", &image, &vsd, NULL);
		CHECK_EQ(mstflint(both), 0);
		step("sg", &image, &set_both, NULL);
		if (ktap_failed())
			ktap_note("kind %zu", i);
		fixture_free(&image);
	}
}

static void uid_of_later(void)
{
	const char *const sg[] = { "mstflint", "-y", "-i", path, "-uid", "0x0002c903000a0b00", "sg", NULL };
	const char *const counted[] = { "mstflint", "-y", "-i", path, "-uid", "0x0002c903000a0c00", "sg",
					"guids_num=4", "step_size=2", NULL };
	struct image_edit plain = { .set_guids = true, .set_macs = true, .guid = { 0x0002c903000a0b00 },
				    .mac = { 0x0002c90a0b00 } };
	struct image_edit numbers = { .set_guids = true, .set_macs = true, .guid = { 0x0002c903000a0c00 },
				      .mac = { 0x0002c90a0c00 }, .uid_count = 4, .uid_step = 2 };
	struct fixture image;
	size_t i;

	if (!have_mstflint())
		return;
	for (i = 2; i < KINDS && !ktap_failed(); i++) {
		if (!make_kind(&image, i))
			return;
		save(&image);
		CHECK_EQ(mstflint(sg), 0);
		step("sg -uid", &image, &plain, NULL);
		CHECK_EQ(mstflint(counted), 0);
		step("sg -uid guids_num step_size", &image, &numbers, NULL);
		if (ktap_failed())
			ktap_note("kind %zu", i);
		fixture_free(&image);
	}
}

/* ---- ROMs: mstflint leaves old bytes in gaps, image_edit() makes them blank ---- */

struct span {
	uint64_t start, end;
};

struct spans {
	struct span span[80];
	size_t count;
	uint64_t device;		/* where device data starts */
};

static int note_span(void *context, const struct image_section *section)
{
	struct spans *spans = context;

	if (!section->device_data && section->type && spans->count < 80)
		spans->span[spans->count++] = (struct span){
			section->start, section->start + section->length
		};
	if (section->device_data && section->start < spans->device)
		spans->device = section->start;
	return 0;
}

static int by_start(const void *one, const void *other)
{
	const struct span *a = one, *b = other;

	return (a->start > b->start) - (a->start < b->start);
}

/* Between the sections that the table lists, and behind them. */
static void blank_gaps(struct fixture *theirs)
{
	struct spans spans = { .device = theirs->length };
	struct image_error error = { 0 };
	struct image_facts facts;
	uint64_t end, next;
	size_t i;

	if (image_query(&theirs->reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error) ||
	    image_sections(&theirs->reader, &facts.place, note_span, &spans, &error)) {
		ktap_fail(__FILE__, __LINE__, "mstflint's image cannot be read: %s", error.text);
		return;
	}
	qsort(spans.span, spans.count, sizeof(spans.span[0]), by_start);
	/* FS3's table has the two sectors from 0x1000. */
	if (facts.place.format == IMAGE_FS3 && spans.span[0].start > 0x3000)
		memset(theirs->bytes + 0x3000, 0xff, spans.span[0].start - 0x3000);
	for (i = 0; i < spans.count; i++) {
		end = spans.span[i].end;
		next = i + 1 < spans.count ? spans.span[i + 1].start : spans.device;
		if (end < next)
			memset(theirs->bytes + end, 0xff, next - end);
	}
}

static char rom_path[] = "/tmp/cxctl-test-XXXXXX";

static uint8_t *make_rom(uint32_t size, uint32_t pci, size_t *length)
{
	struct synthetic what = {
		.format = SYNTHETIC_FS2, .rom_size = size, .pci_device = pci, .seed = size,
	};
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	uint8_t *rom = NULL;
	FILE *file;

	fixture_hold(&image, synthetic_image(&what, length), 0);
	fixture_hold(&image, image.bytes, *length);
	if (image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error) ||
	    image_rom_read(&image.reader, &facts, &rom, length, &error))
		abort();
	file = fopen(rom_path, "wb");
	if (!file || fwrite(rom, 1, *length, file) != *length || fclose(file))
		abort();
	fixture_free(&image);
	return rom;
}

static void roms_of_later(void)
{
	static const size_t with_roms[] = { 2, 3, 5, 6 };
	static const uint32_t sizes[] = { 0x1004, 0x3208, 0x2000, 0x2ffc, 0x400 };
	const char *const brom[] = { "mstflint", "-y", "-i", path, "brom", rom_path, NULL };
	const char *const drom[] = { "mstflint", "-y", "-i", path, "drom", NULL };
	struct image_edit put = { .rom_edit = IMAGE_ROM_REPLACE }, drop = { .rom_edit = IMAGE_ROM_REMOVE };
	struct fixture image;
	size_t i, j;
	uint8_t *rom;

	if (!have_mstflint())
		return;
	for (i = 0; i < 4 && !ktap_failed(); i++) {
		if (!make_kind(&image, with_roms[i]))
			return;
		save(&image);
		for (j = 0; j < sizeof(sizes) / sizeof(sizes[0]) && !ktap_failed(); j++) {
			rom = make_rom(sizes[j], 0x1003, &put.rom_length);
			put.rom = rom;
			CHECK_EQ(mstflint(brom), 0);
			step("brom", &image, &put, blank_gaps);
			free(rom);
		}
		CHECK_EQ(mstflint(drom), 0);
		step("drom", &image, &drop, blank_gaps);
		if (ktap_failed())
			ktap_note("kind %zu, ROM %zu", with_roms[i], j);
		fixture_free(&image);
	}
}

/* ---- firmware-images.md 12 ---- */

static bool real_image(struct fixture *image)
{
	const char *name = getenv("CXCTL_REAL_IMAGE");
	FILE *file = name ? fopen(name, "rb") : NULL;
	uint8_t *bytes;

	if (!file) {
		ktap_skip("CXCTL_REAL_IMAGE does not name the ConnectX-3 Pro image");
		return false;
	}
	bytes = malloc(1 << 22);
	fixture_hold(image, bytes, fread(bytes, 1, 1 << 22, file));
	fclose(file);
	return true;
}

static void check_digest(const uint8_t *bytes, size_t length, const char *expected)
{
	uint8_t digest[IMAGE_SHA256_LENGTH];
	char text[65];
	unsigned int i;

	image_sha256(bytes, length, digest);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
	CHECK_STR(text, expected);
}

static void the_real_image(void)
{
	static const char original[] = "b8e0a6b52fce9b305b9b136460845877f2ea9d264183a9be2078999695ff6369";
	struct fs2_edit ids = { .set_guids = true, .set_macs = true };
	struct fs2_edit vsd = { .vsd = "HELDOUT", .vsd_length = 7 };
	struct fs2_edit rom = { .rom_edit = FS2_ROM_REMOVE };
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	uint8_t *first, *second;
	size_t length, again;
	unsigned int i;

	if (!real_image(&image))
		return;
	check_digest(image.bytes, image.length, original);
	CHECK_EQ(verdict_of(&image, IMAGE_LAYOUT_AUTO).worst, IMAGE_GOOD);
	REQUIRE(!image_query(&image.reader, IMAGE_LAYOUT_AUTO, IMAGE_QUICK_ROM, &facts, &error));
	CHECK_STR(facts.psid, "MT_1200111023");
	CHECK_STR(facts.prs_name, "cx3pro_MCX312B_2mb.prs");
	CHECK_STR(facts.product_version, "02.42.50.00");
	CHECK_EQ(facts.length, 0xc405c);
	REQUIRE(facts.rom_count == 1);
	CHECK_EQ(facts.roms[0].version[2], 752);
	CHECK(image_guid_is_dummy(facts.guid[0]) && image_mac_is_dummy(facts.mac[0]));

	for (i = 0; i < 4; i++)
		ids.guid[i] = 0x0002c90300112230 + i;
	for (i = 0; i < 2; i++)
		ids.mac[i] = 0x0002c9112230 + i;
	REQUIRE(!fs2_edit(image.bytes, image.length, &ids, &first, &length, &error));
	check_digest(first, length, "077a8e278ba971f1451a5cf5e8a73a01163c7646c4c4de925f822fed04805858");
	REQUIRE(!fs2_edit(first, length, &vsd, &second, &again, &error));
	check_digest(second, again, "bdb864635c92718506cac5b5a1478bb4c6625ffc710f3bc35b6affef66b70d5c");
	free(first);
	free(second);

	REQUIRE(!fs2_edit(image.bytes, image.length, &rom, &first, &length, &error));
	CHECK_EQ(length, 0xaa834);
	rom.rom_edit = FS2_ROM_REPLACE;
	rom.rom = image.bytes + facts.rom_offset;
	rom.rom_length = facts.rom_length;
	REQUIRE(!fs2_edit(first, length, &rom, &second, &again, &error));
	check_digest(second, again, original);
	free(first);
	free(second);
	fixture_free(&image);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(verify_agrees),
	KTAP_TEST(sg_and_sv),
	KTAP_TEST(ids_and_vsd_of_all),
	KTAP_TEST(uid_of_later),
	KTAP_TEST(roms_of_later),
	KTAP_TEST(the_real_image),
};

int main(int argc, char **argv)
{
	int fd = mkstemp(path), rom_fd = mkstemp(rom_path), result;

	if (fd < 0 || rom_fd < 0)
		return 1;
	close(fd);
	close(rom_fd);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	unlink(path);
	unlink(rom_path);
	return result;
}
