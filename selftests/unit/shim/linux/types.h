/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_TYPES_H
#define SHIM_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include_next <linux/types.h>
#include <linux/compiler.h>
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;
typedef unsigned int gfp_t;
#ifndef __force
#define __force
#endif
#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#endif
