/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The firmware's own update of its components: device-access.md 4.2.
 *
 * What it promises is weaker than what a plan of flash writes does: which instant of it
 * leaves the card with which image is the firmware's business, and nobody can read back
 * what it wrote. We keep the order, the bounds and the handle, and believe its answers.
 */
#ifndef CXFW_COMPONENT_H
#define CXFW_COMPONENT_H

#include <linux/types.h>

#include "plan.h"

struct cxfw_device;

/* Does running firmware offer MCQS, MCQI, MCC and MCDA? MCAM is asked once after an open. */
bool cxfw_has_components(struct cxfw_device *device);

/*
 * The update handle, which keeps devlink, other tools and a BMC from updating meanwhile.
 * Without MCC *handle is 0, and so is the answer: there is nobody to keep out. Taken
 * inside of the flash lock. -EBUSY: somebody else holds it, and why says who.
 */
int cxfw_update_handle_take(struct cxfw_device *device, u32 *handle);
/* Leaves device->why as it is. */
void cxfw_update_handle_give(struct cxfw_device *device, u32 handle);

/* Takes the handle away from whoever left it behind: -ESTALE unless it still is this one. */
int cxfw_update_handle_clear(struct cxfw_device *device, u32 handle);

/* What cxfw_plan_check() and cxfw_plan_run() are for plans of flash writes. */
int cxfw_component_check(const struct cxfw_plan *plan, char *why);
int cxfw_component_run(struct cxfw_device *device, const struct cxfw_plan *plan,
		       struct cxfw_plan_watch *watch,
		       bool signed_only);

/*
 * Reads up to *length bytes at offset, a multiple of 4 both; *length becomes what was read,
 * *total the component's size. Takes and gives back the flash lock and the handle.
 */
int cxfw_component_read(struct cxfw_device *device, u32 component, bool pending, u32 offset, u8 *buffer,
			u32 *length, u32 *total);

#endif /* CXFW_COMPONENT_H */
