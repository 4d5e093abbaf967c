/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SCHED_H
#define SHIM_SCHED_H
#include <linux/jiffies.h>
#include <stdbool.h>
struct task_struct;
#define current ((struct task_struct *)0)
bool fatal_signal_pending(struct task_struct *task);
long schedule_timeout_killable(long jiffies);
#define cond_resched() do { } while (0)
#define might_sleep() do { } while (0)
#endif
