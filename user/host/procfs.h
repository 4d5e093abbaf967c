/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of /proc. Paths are below proc_root(). */
#ifndef CXCTL_PROCFS_H
#define CXCTL_PROCFS_H

#include <stddef.h>

#include "sysfs.h"

/* Directory of procfs: "/proc", or the environment's CXCTL_PROC (for tests). */
const char *proc_root(void);

__attribute__((format(printf, 3, 4)))
void proc_path(char *path, size_t size, const char *format, ...);

/* This boot of the machine: another one has another. Empty when the kernel does not tell. */
void boot_id(char *text, size_t size);

#endif /* CXCTL_PROCFS_H */
