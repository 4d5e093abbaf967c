/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_LOG2_H
#define SHIM_LOG2_H
#define is_power_of_2(n) ((n) != 0 && ((n) & ((n) - 1)) == 0)
#define ilog2(n) (63 - __builtin_clzll((unsigned long long)(n)))
#endif
