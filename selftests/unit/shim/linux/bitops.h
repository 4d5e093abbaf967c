/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BITOPS_H
#define SHIM_BITOPS_H
#include <linux/bits.h>
#include <linux/types.h>
static inline unsigned int hweight8(u8 value)
{
	return (unsigned int)__builtin_popcount(value);
}

static inline int fls(unsigned int value)
{
	return value ? 32 - __builtin_clz(value) : 0;
}
#endif
