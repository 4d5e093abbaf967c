/* SPDX-License-Identifier: GPL-2.0-only */
/* devlink reload, action fw_activate: the bound driver resets its card. */
#ifndef CXCTL_DEVLINK_RELOAD_H
#define CXCTL_DEVLINK_RELOAD_H

#include "../base/error.h"

/*
 * Answers when the driver is back, which takes seconds. 0, or -1 with *error: exit 4 where the kernel or the
 * firmware does not offer it, with the driver's own words.
 */
int devlink_reload(const char *address, struct cxctl_error *error);

#endif /* CXCTL_DEVLINK_RELOAD_H */
