/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Burning without the driver cxfw: the driver that is bound (mlx5_core) does it through devlink and the
 * firmware's own update.
 */
#ifndef CXCTL_BURN_DEVLINK_H
#define CXCTL_BURN_DEVLINK_H

#include "burn.h"

/* The card's driver offers devlink and tells a PSID: then device gets what guards need, PSID and version. */
bool burn_devlink_device(struct cxctl_card *card, struct image_facts *device);

/*
 * Packs the image (whole or stripped, FS3 or later) into an MFA2 where the kernel looks for firmware, has
 * the driver burn it, and takes the file away again. order->plan and ->info are not used. It cannot be
 * stopped once it began. 0, or -1 with *error; *begun tells whether the driver was asked.
 */
int burn_devlink(const struct burn_work_order *order, const struct image_reader *image,
		 const struct image_facts *facts, bool *begun, struct cxctl_error *error);

#endif /* CXCTL_BURN_DEVLINK_H */
