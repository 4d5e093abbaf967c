// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vendor's tool as referee: its verify accepts what ours accepts, and its sg and sv make
 * byte for byte what fs2_edit() makes. With CXCTL_REAL_IMAGE naming the public image of
 * firmware-images.md 12 the values of that chapter are checked too.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/image/sha256.h"
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
	KTAP_TEST(the_real_image),
};

int main(int argc, char **argv)
{
	int fd = mkstemp(path), result;

	if (fd < 0)
		return 1;
	close(fd);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	unlink(path);
	return result;
}
