// SPDX-License-Identifier: GPL-2.0-only
/* Files for devlink: cards that are burned together do not take each other's, and dead runs leave nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/host/firmware_file.h"
#include "../lib/ktap.h"

static char root[64], directory[96];

static void put(const char *path, const char *text)
{
	FILE *stream = fopen(path, "w");

	fputs(text, stream);
	fclose(stream);
}

static void make_tree(void)
{
	char path[256];

	snprintf(root, sizeof(root), "/tmp/cxctl-firmware-XXXXXX");
	if (!mkdtemp(root))
		exit(1);
	snprintf(directory, sizeof(directory), "%s/firmware", root);
	mkdir(directory, 0755);
	snprintf(path, sizeof(path), "mkdir -p %s/module/firmware_class/parameters", root);
	if (system(path))
		exit(1);
	snprintf(path, sizeof(path), "%s/module/firmware_class/parameters/path", root);
	put(path, directory);
	setenv("CXCTL_SYSFS", root, 1);
}

/* Two threads of one cxctl, each with a card. */
static void two_at_once_are_two_files(void)
{
	struct firmware_file one, two;
	struct cxctl_error error;
	char text[16] = "";
	FILE *stream;

	CHECK_EQ(firmware_file_make(&one, &error), 0);
	CHECK_EQ(write(one.fd, "one", 3), 3);
	CHECK_EQ(firmware_file_make(&two, &error), 0);
	CHECK_EQ(write(two.fd, "two", 3), 3);
	CHECK_EQ(firmware_file_ready(&one, &error), 0);
	CHECK_EQ(firmware_file_ready(&two, &error), 0);
	CHECK(strcmp(one.name, two.name));
	stream = fopen(one.path, "r");
	if (stream) {
		CHECK(fgets(text, sizeof(text), stream));
		fclose(stream);
	}
	CHECK(!strcmp(text, "one"));
	firmware_file_remove(&two);
	CHECK(!access(one.path, F_OK));
	firmware_file_remove(&one);
}

static void files_of_dead_runs_go(void)
{
	char old[160], numbered[160], strange[160];
	struct firmware_file file;
	struct cxctl_error error;
	pid_t dead = fork();

	if (!dead)
		_exit(0);
	waitpid(dead, NULL, 0);
	snprintf(old, sizeof(old), "%s/cxctl-%ld.mfa2", directory, (long)dead);
	snprintf(numbered, sizeof(numbered), "%s/cxctl-%ld-7.mfa2", directory, (long)dead);
	snprintf(strange, sizeof(strange), "%s/cxctl-%ld-x.mfa2", directory, (long)dead);
	put(old, "");
	put(numbered, "");
	put(strange, "");
	CHECK_EQ(firmware_file_make(&file, &error), 0);
	CHECK(access(old, F_OK));
	CHECK(access(numbered, F_OK));
	CHECK(!access(strange, F_OK));
	firmware_file_remove(&file);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(two_at_once_are_two_files),
		KTAP_TEST(files_of_dead_runs_go),
	};
	char path[96];
	int result;

	make_tree();
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(path, sizeof(path), "rm -rf %s", root);
	return system(path) ? 1 : result;
}
