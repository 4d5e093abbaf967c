/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BUG_H
#define SHIM_BUG_H
#include <stdbool.h>
/* A warning of the kernel is a failed test here. */
bool shim_warn(const char *file, int line, const char *condition);
#define WARN_ON(condition) ((condition) ? shim_warn(__FILE__, __LINE__, #condition) : false)
#define WARN_ON_ONCE(condition) WARN_ON(condition)
#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#endif
