// SPDX-License-Identifier: GPL-2.0-only
/* Files below the root of a host. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

#define LINKS_MOST	40	/* as Linux */

/* Puts what comes before the rest that is still to be walked. */
static void prepend(char pending[PATH_MAX], const char *target, const char *rest)
{
	char joined[PATH_MAX];

	snprintf(joined, sizeof(joined), "%.2047s/%.2047s", target, rest);
	memcpy(pending, joined, sizeof(joined));
}

static void step_up(char *done)
{
	char *slash = strrchr(done, '/');

	if (slash)
		*slash = '\0';
}

/* Walks name from the root; a link to / begins there again, and .. never leaves it. */
static void resolve(const char *root, const char *name, bool follow_last, char *path, size_t size)
{
	char pending[PATH_MAX], done[PATH_MAX] = "", target[PATH_MAX], full[2 * PATH_MAX];
	int links = 0;

	snprintf(pending, sizeof(pending), "%s", name);
	while (pending[0]) {
		char *rest = pending + strspn(pending, "/");
		size_t length = strcspn(rest, "/"), used = strlen(done);
		char part[NAME_MAX + 1];
		ssize_t got = -1;

		snprintf(part, sizeof(part), "%.*s", (int)length, rest);
		rest += length;
		if (!strcmp(part, "..")) {
			step_up(done);
		} else if (part[0] && strcmp(part, ".")) {
			snprintf(full, sizeof(full), "%s%s/%s", root, done, part);
			if ((follow_last || rest[strspn(rest, "/")]) && links < LINKS_MOST)
				got = readlink(full, target, sizeof(target) - 1);
			if (got < 0 && used + strlen(part) + 2 < sizeof(done))
				snprintf(done + used, sizeof(done) - used, "/%s", part);
		}
		if (got >= 0) {
			links++;
			target[got] = '\0';
			if (target[0] == '/')
				done[0] = '\0';
			prepend(pending, target, rest);
		} else {
			memmove(pending, rest, strlen(rest) + 1);
		}
	}
	snprintf(path, size, "%s%s", root, done);
}

static void make_path(const struct host *host, bool follow_last, char *path, size_t size, const char *format,
		      va_list arguments)
{
	char name[PATH_MAX];

	vsnprintf(name, sizeof(name), format, arguments);
	if (host->live)
		snprintf(path, size, "/%s", name + strspn(name, "/"));
	else
		resolve(host->root, name, follow_last, path, size);
}

#define MAKE_PATH(path, follow_last) do { \
	va_list arguments; \
	va_start(arguments, format); \
	make_path(host, follow_last, path, sizeof(path), format, arguments); \
	va_end(arguments); \
} while (0)

void host_path(const struct host *host, char *path, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	make_path(host, true, path, size, format, arguments);
	va_end(arguments);
}

/* A plain file only: a pipe or a device of a foreign root would keep us waiting. */
static int open_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

/* Reads until the room is full or the file ends; files of procfs come in pieces. */
static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, text + used, size - used);
		if (got < 0 && errno != EINTR)
			return -errno;
		used += got > 0 ? got : 0;
	} while (got && used < size);
	return used;
}

int host_file(const struct host *host, char *text, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	ssize_t length;
	int fd;

	MAKE_PATH(path, true);
	text[0] = '\0';
	fd = open_plain(path);
	if (fd < 0)
		return fd;
	length = read_all(fd, text, size - 1);
	close(fd);
	if (length < 0)
		return length;
	while (length && strchr(" \t\r\n", text[length - 1]))
		length--;
	text[length] = '\0';
	return length;
}

static char *read_whole(const char *path, size_t *length)
{
	char *bytes;
	ssize_t got;
	int fd = open_plain(path);

	*length = 0;
	if (fd < 0)
		return NULL;
	bytes = malloc(HOST_TEXT_MOST + 1);
	got = bytes ? read_all(fd, bytes, HOST_TEXT_MOST) : -ENOMEM;
	close(fd);
	if (got < 0) {
		free(bytes);
		return NULL;
	}
	bytes[got] = '\0';
	*length = got;
	return bytes;
}

char *host_bytes(const struct host *host, size_t *length, const char *format, ...)
{
	char path[PATH_MAX];

	MAKE_PATH(path, true);
	return read_whole(path, length);
}

char *host_text(const struct host *host, const char *format, ...)
{
	char path[PATH_MAX];
	size_t length;

	MAKE_PATH(path, true);
	return read_whole(path, &length);
}

bool host_has(const struct host *host, const char *format, ...)
{
	char path[PATH_MAX];
	struct stat status;

	MAKE_PATH(path, true);
	return !stat(path, &status);
}

bool host_has_any(const struct host *host, const char *const *paths)
{
	for (; *paths; paths++)
		if (host_has(host, "%s", *paths))
			return true;
	return false;
}

int host_link(const struct host *host, char *target, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	ssize_t length;

	MAKE_PATH(path, false);
	length = readlink(path, target, size - 1);
	if (length < 0) {
		target[0] = '\0';
		return -errno;
	}
	target[length] = '\0';
	return length;
}

bool host_has_program(const struct host *host, const char *program)
{
	static const char *const directories[] = { "usr/bin", "usr/sbin", "bin", "sbin", "usr/local/bin",
						   "usr/local/sbin" };
	size_t i;

	for (i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (host_has(host, "%s/%s", directories[i], program))
			return true;
	return false;
}

const char *host_program(const struct host *host, const char *const *programs)
{
	for (; *programs; programs++)
		if (host_has_program(host, *programs))
			return *programs;
	return NULL;
}
