// SPDX-License-Identifier: GPL-2.0-only
/* user/image/file.c: what can be mapped, and what is said of the rest. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/image/file.h"
#include "../lib/ktap.h"

static char directory[] = "/tmp/cxctl-test-XXXXXX", path[64];

static bool make_file(const void *bytes, size_t length, off_t size)
{
	int file;

	if (!strchr(directory, 'X') || mkdtemp(directory))
		snprintf(path, sizeof(path), "%s/file", directory);
	file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (file < 0 || write(file, bytes, length) != (ssize_t)length || ftruncate(file, size) || close(file))
		return CHECK(!"no temporary file");
	return true;
}

static void clean(void)
{
	unlink(path);
	rmdir(directory);
	strcpy(directory, "/tmp/cxctl-test-XXXXXX");
}

static void a_file(void)
{
	struct image_error error = { 0 };
	struct image_file file;
	char text[8] = "";

	REQUIRE(make_file("0123456789abcdef", 16, 16));
	REQUIRE(!image_file_open(path, &file, &error));
	CHECK_EQ(file.reader.size, 16);
	CHECK(file.reader.bytes && !memcmp(file.reader.bytes, "0123", 4));
	CHECK_EQ(file.reader.read(file.reader.context, 4, text, 4), 0);
	CHECK_STR(text, "4567");
	image_file_close(&file);
	image_file_close(&file);	/* harmless */
	clean();
}

static void an_empty_file(void)
{
	struct image_error error = { 0 };
	struct image_file file;
	struct image_facts facts;

	REQUIRE(make_file("", 0, 0));
	REQUIRE(!image_file_open(path, &file, &error));
	CHECK_EQ(file.reader.size, 0);
	CHECK_EQ(-image_query(&file.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), ENOENT);
	image_file_close(&file);
	clean();
}

static void refused(const char *name, int code, const char *word)
{
	struct image_error error = { 0 };
	struct image_file file;

	CHECK_EQ(-image_file_open(name, &file, &error), code);
	if (!strstr(error.text, name) || !strstr(error.text, word))
		ktap_fail(__FILE__, __LINE__, "\"%s\" does not say %s and %s", error.text, name, word);
	image_file_close(&file);
}

static void what_is_no_file(void)
{
	REQUIRE(make_file("", 0, 0));
	unlink(path);
	refused(path, ENOENT, "No such file");
	refused(directory, EISDIR, "directory");
	REQUIRE(!mkfifo(path, 0600));
	refused(path, EINVAL, "pipe");		/* and does not wait for a writer */
	clean();
	refused("/dev/null", EINVAL, "device");
}

/* A sparse file costs address space only; one beyond all reason is refused. */
static void a_sparse_file(void)
{
	struct image_error error = { 0 };
	struct image_facts facts;
	struct image_file file;

	REQUIRE(make_file("", 0, 4LL << 30));
	REQUIRE(!image_file_open(path, &file, &error));
	CHECK_EQ(file.reader.size, 4ULL << 30);
	CHECK_EQ(-image_query(&file.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error), ENOENT);
	image_file_close(&file);
	REQUIRE(make_file("", 0, (16LL << 30) + 4));
	refused(path, EFBIG, "no firmware file");
	clean();
}

static void read_shrunk(void)
{
	struct image_error error = { 0 };
	struct image_file file;
	volatile uint8_t byte;
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	if (image_file_open(path, &file, &error) || truncate(path, 0))
		_exit(99);
	byte = file.reader.bytes[100000];
	_exit(byte ? 98 : 97);
}

/* A line and exit code 6 in place of a bus error. */
static void a_file_that_shrinks(void)
{
	char said[128] = "";
	int status = 0, pipes[2];
	pid_t child;

	REQUIRE(make_file("", 0, 200000) && !pipe(pipes));
	child = fork();
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		read_shrunk();
	}
	close(pipes[1]);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(read(pipes[0], said, sizeof(said) - 1) > 0);
	close(pipes[0]);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6);
	CHECK(strstr(said, path) && strstr(said, "shorter"));
	clean();
}

static const struct ktap_test tests[] = {
	KTAP_TEST(a_file),
	KTAP_TEST(an_empty_file),
	KTAP_TEST(what_is_no_file),
	KTAP_TEST(a_sparse_file),
	KTAP_TEST(a_file_that_shrinks),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
