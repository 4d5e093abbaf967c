/* SPDX-License-Identifier: GPL-2.0-only */
/* A file where the kernel looks for firmware, for as long as somebody needs it. */
#ifndef CXCTL_FIRMWARE_FILE_H
#define CXCTL_FIRMWARE_FILE_H

#include <limits.h>
#include <stddef.h>

#include "../base/error.h"

struct firmware_file {
	char name[64];			/* as the kernel is told: below its firmware directory */
	char path[PATH_MAX];
	int fd;				/* open for writing until firmware_file_ready() */
};

/*
 * Makes an empty file in the first of the kernel's directories that can be written: the one that the
 * parameter path of firmware_class names, then /lib/firmware. Files that dead runs left there go.
 * 0, or -1 with *error: "firmware-directory" says which directory and why.
 */
int firmware_file_make(struct firmware_file *file, struct cxctl_error *error);
/* All is written: onto the disk with it. */
int firmware_file_ready(struct firmware_file *file, struct cxctl_error *error);
/* Away with it; also after a failure of the two above. */
void firmware_file_remove(struct firmware_file *file);

#endif /* CXCTL_FIRMWARE_FILE_H */
