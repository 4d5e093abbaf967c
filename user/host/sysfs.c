// SPDX-License-Identifier: GPL-2.0-only
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *sysfs_root(void)
{
	const char *root = getenv("CXCTL_SYSFS");

	return root && *root ? root : "/sys";
}

static void make_path(char *path, size_t size, const char *format, va_list arguments)
{
	int used = snprintf(path, size, "%s/", sysfs_root());

	if (used > 0 && (size_t)used < size)
		vsnprintf(path + used, size - used, format, arguments);
}

void sysfs_path(char *path, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	make_path(path, size, format, arguments);
	va_end(arguments);
}

int file_read(char *text, size_t size, const char *path)
{
	ssize_t length;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	if (length < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	close(fd);
	while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
		length--;
	text[length] = '\0';
	return length;
}

int sysfs_read(char *text, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	make_path(path, sizeof(path), format, arguments);
	va_end(arguments);
	return file_read(text, size, path);
}

int sysfs_link(char *text, size_t size, const char *format, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	va_list arguments;
	ssize_t length;

	va_start(arguments, format);
	make_path(path, sizeof(path), format, arguments);
	va_end(arguments);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	last = strrchr(target, '/');
	return snprintf(text, size, "%s", last ? last + 1 : target);
}
