/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of kernel modules below a host's root. */
#ifndef CXCTL_DOCTOR_MODULE_FILE_H
#define CXCTL_DOCTOR_MODULE_FILE_H

#include "host.h"

/* The file of a module for host->release, below the root: as depmod knows it, or where one is put by hand. */
bool module_file(const struct host *host, const char *name, char *path, size_t size);

#endif /* CXCTL_DOCTOR_MODULE_FILE_H */
