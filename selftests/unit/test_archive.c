// SPDX-License-Identifier: GPL-2.0-only
/* The archive of a backup, and VPD: what is written is read back by others, what is read may be anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../user/base/archive.h"
#include "../../user/host/vpd.h"
#include "../lib/ktap.h"

#define ROOM (16 * ARCHIVE_BLOCK)

/* Two members and the end. Gives the length. */
static size_t make(uint8_t *bytes, const char *first, size_t first_length)
{
	size_t used = archive_room(first_length);

	memset(bytes, 0, ROOM);
	archive_header(bytes, first, first_length, 1000000000);
	memset(bytes + ARCHIVE_BLOCK, 'a', first_length);
	archive_header(bytes + used, "second", 3, 0);
	memcpy(bytes + used + ARCHIVE_BLOCK, "abc", 3);
	return used + archive_room(3) + ARCHIVE_END;
}

static void members_come_back(void)
{
	static const size_t lengths[] = { 0, 1, 511, 512, 513, 1024 };
	struct archive_member member;
	uint8_t bytes[ROOM];
	size_t i, offset, length;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		length = make(bytes, "first.bin", lengths[i]);
		offset = 0;
		CHECK(archive_begins(bytes, length));
		CHECK_EQ(archive_next(bytes, length, &offset, &member), 1);
		CHECK_STR(member.name, "first.bin");
		CHECK_EQ(member.length, lengths[i]);
		CHECK_EQ(archive_next(bytes, length, &offset, &member), 1);
		CHECK_STR(member.name, "second");
		CHECK(member.length == 3 && !memcmp(member.bytes, "abc", 3));
		CHECK_EQ(archive_next(bytes, length, &offset, &member), 0);
	}
}

static void tar_reads_it(void)
{
	char path[] = "/tmp/archive-XXXXXX", command[128], line[64] = "";
	uint8_t bytes[ROOM];
	size_t length = make(bytes, "first.bin", 700);
	int fd = mkstemp(path);
	FILE *listing;

	REQUIRE(fd >= 0);
	CHECK(write(fd, bytes, length) == (ssize_t)length);
	close(fd);
	snprintf(command, sizeof(command), "tar xOf %s second", path);
	listing = popen(command, "r");
	REQUIRE(listing);
	CHECK(fgets(line, sizeof(line), listing) != NULL);
	CHECK_STR(line, "abc");
	CHECK(!pclose(listing));
	unlink(path);
}

/* A torn file never looks whole: the end is missing, or the last member is. */
static void a_cut_is_seen(void)
{
	struct archive_member member;
	uint8_t bytes[ROOM], *copy;
	size_t length = make(bytes, "first.bin", 600), cut, offset;
	unsigned int found;
	int more;

	for (cut = 0; cut < length - ARCHIVE_END; cut++) {
		/* Of its own size, so that the sanitizer sees every byte too many. */
		copy = malloc(cut ? cut : 1);
		memcpy(copy, bytes, cut);
		for (offset = found = 0; (more = archive_next(copy, cut, &offset, &member)) > 0; found++)
			CHECK(member.bytes >= copy && member.bytes + member.length <= copy + cut);
		if (more == 0 || (found == 2 && cut < length - ARCHIVE_END - ARCHIVE_BLOCK + 3))
			ktap_fail(__FILE__, __LINE__, "cut at %zu: %u members and an end", cut, found);
		free(copy);
	}
}

static int first_of(const uint8_t *bytes, size_t length)
{
	struct archive_member member;
	size_t offset = 0;

	return archive_next(bytes, length, &offset, &member);
}

static void what_it_does_not_make_it_does_not_take(void)
{
	static const char *const names[] = { "../up", "/etc/passwd", ".hidden", "a/b", "", "a b" };
	uint8_t bytes[ROOM], good[ROOM];
	size_t length = make(good, "first.bin", 5), i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		make(bytes, names[i], 5);
		if (first_of(bytes, length) != -1)
			ktap_fail(__FILE__, __LINE__, "the name \"%s\" was taken", names[i]);
	}
	/* Any single wrong bit of the header, but where the checksum's own end may be written in two ways. */
	for (i = 0; i < 345; i++) {
		memcpy(bytes, good, sizeof(bytes));
		bytes[i] ^= 1;
		if ((i < 154 || i > 155) && first_of(bytes, length) != -1)
			ktap_fail(__FILE__, __LINE__, "a wrong bit at %zu was taken", i);
	}
	archive_header(bytes, "first.bin", 077777777777ULL, 0);
	CHECK_EQ(first_of(bytes, length), -1);
}

/* ---- VPD ---- */

static char root[64];

static int vpd_of(const void *content, size_t length, uint8_t *bytes)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/0000:03:00.0/vpd", root);
	file = fopen(path, "w");
	if (!file || fwrite(content, 1, length, file) != length || fclose(file))
		return -1;
	return vpd_read("0000:03:00.0", bytes, VPD_MOST);
}

static const uint8_t vpd[] = {
	0x82, 4, 0, 'C', 'a', 'r', 'd', 0x90, 15, 0, 'P', 'N', 4, 'M', 'C', 'X', ' ', 'S', 'N', 5, 'M', 'T', '1', '2', ' ',
	0x78, 0xff, 0xff,
};

static void vpd_is_read_to_its_end_tag(void)
{
	uint8_t bytes[VPD_MOST];
	char text[16];

	CHECK_EQ(vpd_of(vpd, sizeof(vpd), bytes), sizeof(vpd) - 2);
	CHECK(vpd_keyword(bytes, sizeof(vpd) - 2, "SN", text, sizeof(text)));
	CHECK_STR(text, "MT12");
	CHECK(vpd_keyword(bytes, sizeof(vpd) - 2, "PN", text, 3));
	CHECK_STR(text, "MC");
	CHECK(!vpd_keyword(bytes, sizeof(vpd) - 2, "V3", text, sizeof(text)));
}

static void what_is_no_vpd_is_none(void)
{
	uint8_t bytes[VPD_MOST], nothing[64];
	size_t length;
	char text[16];

	for (length = 0; length < sizeof(vpd) - 2; length++)
		CHECK(vpd_of(vpd, length, bytes) < 0);
	memset(nothing, 0xff, sizeof(nothing));
	CHECK(vpd_of(nothing, sizeof(nothing), bytes) < 0);
	memset(nothing, 0, sizeof(nothing));
	CHECK(vpd_of(nothing, sizeof(nothing), bytes) < 0);
	for (length = 0; length < sizeof(vpd) - 2; length++) {
		uint8_t *copy = malloc(length ? length : 1);

		memcpy(copy, vpd, length);
		vpd_keyword(copy, length, "SN", text, sizeof(text));
		free(copy);
	}
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(members_come_back),
		KTAP_TEST(tar_reads_it),
		KTAP_TEST(a_cut_is_seen),
		KTAP_TEST(what_it_does_not_make_it_does_not_take),
		KTAP_TEST(vpd_is_read_to_its_end_tag),
		KTAP_TEST(what_is_no_vpd_is_none),
	};
	char command[160];
	int result;

	snprintf(root, sizeof(root), "/tmp/vpd-test-%d", (int)getpid());
	snprintf(command, sizeof(command), "mkdir -p %s/bus/pci/devices/0000:03:00.0", root);
	if (system(command))
		return 1;
	setenv("CXCTL_SYSFS", root, 1);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command) ? 1 : result;
}
