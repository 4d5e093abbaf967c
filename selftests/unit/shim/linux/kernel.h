/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/types.h>
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define min(a, b) ({ __typeof__(a) shim_a = (a); __typeof__(b) shim_b = (b); shim_a < shim_b ? shim_a : shim_b; })
#define max(a, b) ({ __typeof__(a) shim_a = (a); __typeof__(b) shim_b = (b); shim_a > shim_b ? shim_a : shim_b; })
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp_t(type, x, low, high) min_t(type, max_t(type, x, low), high)
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define ALIGN(x, a) (((x) + (__typeof__(x))(a) - 1) & ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a) ((x) & ~((__typeof__(x))(a) - 1))
#define IS_ALIGNED(x, a) (((x) & ((__typeof__(x))(a) - 1)) == 0)
#define round_up(x, a) ALIGN(x, a)
#define round_down(x, a) ALIGN_DOWN(x, a)
#define __ALIGN_KERNEL(x, a) ALIGN(x, a)
#ifndef scnprintf		/* the model's os.h has its own */
int scnprintf(char *buffer, size_t room, const char *format, ...) __printf(3, 4);
#endif
int vscnprintf(char *buffer, size_t room, const char *format, va_list arguments) __printf(3, 0);
#endif
