/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BITS_H
#define SHIM_BITS_H
#define BIT(n) (1UL << (n))
#define GENMASK(high, low) (((~0UL) << (low)) & (~0UL >> (63 - (high))))
#endif
