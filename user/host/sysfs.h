/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of sysfs and of its like. Paths are below sysfs_root(). */
#ifndef CXCTL_SYSFS_H
#define CXCTL_SYSFS_H

#include <stddef.h>

const char *sysfs_root(void);

__attribute__((format(printf, 3, 4)))
void sysfs_path(char *path, size_t size, const char *format, ...);

/* The file's text without the line feed at its end. Gives its length, or -errno. */
__attribute__((format(printf, 3, 4)))
int sysfs_read(char *text, size_t size, const char *format, ...);

/* The last part of what a symbolic link points to. Gives its length, or -errno. */
__attribute__((format(printf, 3, 4)))
int sysfs_link(char *text, size_t size, const char *format, ...);

/* The same for any absolute path. */
int file_read(char *text, size_t size, const char *path);

#endif /* CXCTL_SYSFS_H */
