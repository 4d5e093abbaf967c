// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>

#include "component.h"
#include "device.h"

bool cxfw_has_components(struct cxfw_device *device)
{
	return false;
}

int cxfw_update_handle_take(struct cxfw_device *device, u32 *handle)
{
	*handle = 0;
	return 0;
}

void cxfw_update_handle_give(struct cxfw_device *device, u32 handle)
{
}

int cxfw_component_check(const struct cxfw_plan *plan, char *why)
{
	return -EOPNOTSUPP;
}

int cxfw_component_run(struct cxfw_device *device, const struct cxfw_plan *plan, struct cxfw_plan_watch *watch,
		       bool signed_only)
{
	return -EOPNOTSUPP;
}

int cxfw_component_read(struct cxfw_device *device, u32 component, bool pending, u32 offset, u8 *buffer,
			u32 *length, u32 *total)
{
	return -EOPNOTSUPP;
}
