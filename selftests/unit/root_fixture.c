// SPDX-License-Identifier: GPL-2.0-only
#include "root_fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/ktap.h"

char fixture_root[64];

void root_make(void)
{
	snprintf(fixture_root, sizeof(fixture_root), "%s/cxctl-root-XXXXXX",
		 getenv("TMPDIR") && strlen(getenv("TMPDIR")) < 40 ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(fixture_root))
		exit(1);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	return remove(path);
}

void root_remove(void)
{
	if (fixture_root[0])
		nftw(fixture_root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	fixture_root[0] = '\0';
}

static void make_path(char *path, size_t size, const char *name)
{
	char *slash;

	snprintf(path, size, "%s/%s", fixture_root, name);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

void root_put_bytes(const char *name, const void *bytes, size_t length)
{
	char path[512];
	FILE *file;

	make_path(path, sizeof(path), name);
	file = fopen(path, "w");
	REQUIRE(file);
	fwrite(bytes, 1, length, file);
	fclose(file);
}

void root_put(const char *name, const char *text)
{
	root_put_bytes(name, text, strlen(text));
}

void root_link(const char *name, const char *target)
{
	char path[512];

	make_path(path, sizeof(path), name);
	unlink(path);
	CHECK(!symlink(target, path));
}

void root_directory(const char *name)
{
	char path[512];

	make_path(path, sizeof(path), name);
	mkdir(path, 0755);
}

void root_unlink(const char *name)
{
	char path[512];

	make_path(path, sizeof(path), name);
	CHECK(!remove(path));
}

void root_copy(const char *name, const char *source)
{
	char text[8192];
	FILE *file = fopen(source, "r");
	size_t length;

	if (!file) {
		ktap_fail(__FILE__, __LINE__, "cannot open %s", source);
		return;
	}
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	root_put_bytes(name, text, length);
}

void root_read(struct host *host, const char *release)
{
	struct cxctl_error error;

	if (host_read(host, fixture_root, release, &error))
		ktap_fail(__FILE__, __LINE__, "host_read: %s", error.text);
}
