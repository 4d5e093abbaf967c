/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KTIME_H
#define SHIM_KTIME_H
#include <linux/types.h>
typedef s64 ktime_t;
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_MSEC 1000L
#define MSEC_PER_SEC 1000L
u64 ktime_get_ns(void);		/* the card's virtual clock */
#define ktime_get() ((ktime_t)ktime_get_ns())
#endif
