/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_JIFFIES_H
#define SHIM_JIFFIES_H
#define HZ 1000
#define msecs_to_jiffies(milliseconds) ((unsigned long)(milliseconds))
#endif
