// SPDX-License-Identifier: GPL-2.0-only
#include "procfs.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *proc_root(void)
{
	const char *root = getenv("CXCTL_PROC");

	return root && *root ? root : "/proc";
}

void proc_path(char *path, size_t size, const char *format, ...)
{
	int used = snprintf(path, size, "%s/", proc_root());
	va_list arguments;

	va_start(arguments, format);
	if (used > 0 && (size_t)used < size)
		vsnprintf(path + used, size - used, format, arguments);
	va_end(arguments);
}

void boot_id(char *text, size_t size)
{
	char path[PATH_MAX];

	proc_path(path, sizeof(path), "sys/kernel/random/boot_id");
	if (file_read(text, size, path) < 0)
		text[0] = '\0';
}
