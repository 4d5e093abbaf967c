/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_PRINTK_H
#define SHIM_PRINTK_H
#include <linux/compiler.h>
/* Kernel messages are silent, but their formats are checked. */
__printf(1, 2) static inline void shim_quiet(const char *format, ...)
{
	(void)format;
}
#define pr_err(...) shim_quiet(__VA_ARGS__)
#define pr_warn(...) shim_quiet(__VA_ARGS__)
#define pr_info(...) shim_quiet(__VA_ARGS__)
#define pr_debug(...) shim_quiet(__VA_ARGS__)
#endif
