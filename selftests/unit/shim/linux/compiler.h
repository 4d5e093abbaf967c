/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_COMPILER_H
#define SHIM_COMPILER_H
#define __printf(a, b) __attribute__((format(printf, a, b)))
#define __must_check __attribute__((warn_unused_result))
#define __maybe_unused __attribute__((unused))
#define __always_unused __attribute__((unused))
#define __user
#define __iomem
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define barrier() __asm__ volatile("" ::: "memory")
#endif
