/* SPDX-License-Identifier: GPL-2.0-only */
/* The few words of C that the model needs, for kernel and user space alike. */
#ifndef CXSIM_OS_H
#define CXSIM_OS_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;	/* %llu prints it in the kernel as well */
typedef int32_t s32;
typedef long long s64;
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define scnprintf(buffer, room, ...) snprintf(buffer, room, __VA_ARGS__)
#endif

#endif /* CXSIM_OS_H */
