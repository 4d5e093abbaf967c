// SPDX-License-Identifier: GPL-2.0-only
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FILL(field) do { \
	va_list arguments; \
	va_start(arguments, format); \
	vsnprintf(error->field, sizeof(error->field), format, arguments); \
	va_end(arguments); \
} while (0)

void error_clear(struct cxctl_error *error)
{
	memset(error, 0, sizeof(*error));
}

int error_set(struct cxctl_error *error, enum cxctl_exit exit, const char *id, const char *format, ...)
{
	error_clear(error);
	error->exit = exit;
	error->id = id;
	FILL(text);
	return -1;
}

void error_found(struct cxctl_error *error, const char *format, ...)
{
	FILL(found);
}

void error_expected(struct cxctl_error *error, const char *format, ...)
{
	FILL(expected);
}

void error_rule(struct cxctl_error *error, const char *format, ...)
{
	FILL(rule);
}

void error_next(struct cxctl_error *error, const char *format, ...)
{
	FILL(next);
}
