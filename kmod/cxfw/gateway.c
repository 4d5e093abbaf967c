// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/ktime.h>

#include "device.h"

#define ALL_ONES 0xffffffffU

int cxfw_config_read(struct cxfw_device *device, int where, u32 *value)
{
	device->gateway.reads++;
	if (pci_read_config_dword(device->pdev, where, value))
		*value = ALL_ONES;
	return 0;
}

int cxfw_config_write(struct cxfw_device *device, int where, u32 value)
{
	device->gateway.writes++;
	if (pci_write_config_dword(device->pdev, where, value))
		return cxfw_device_present(device);
	return 0;
}

static int usable(struct cxfw_device *device)
{
	/* Removed by software it is still there, and must not keep our locks. */
	if (READ_ONCE(device->gone) && !device->finishing)
		return cxfw_fail(device, -ENODEV, "the card was unplugged");
	if (!device->gateway.ops)
		return cxfw_fail(device, -EOPNOTSUPP, "no way in to this card");
	return 0;
}

int cxfw_gateway_begin(struct cxfw_device *device)
{
	struct cxfw_gateway *gateway = &device->gateway;
	int error = usable(device);

	if (error)
		return error;
	if (gateway->inside)
		return cxfw_fail(device, -EDEADLK, "the gateway was entered twice");
	error = gateway->ops->begin(device);
	if (error)
		return error;
	gateway->inside = true;
	gateway->since = ktime_get_ns();
	return 0;
}

void cxfw_gateway_end(struct cxfw_device *device)
{
	struct cxfw_gateway *gateway = &device->gateway;

	if (!gateway->inside)
		return;
	gateway->ops->end(device);
	gateway->inside = false;
}

bool cxfw_gateway_due(const struct cxfw_device *device)
{
	return ktime_get_ns() - device->gateway.since >= CXFW_HOLD_NS;
}

int cxfw_gateway_pause(struct cxfw_device *device)
{
	int error;

	if (device->gateway.inside && !cxfw_gateway_due(device))
		return 0;
	cxfw_gateway_end(device);
	error = cxfw_sleep(device, CXFW_BREAK_US);
	if (error)
		return error;
	return cxfw_gateway_begin(device);
}

static int may_access(struct cxfw_device *device)
{
	int error = usable(device);

	if (!error && !device->gateway.inside)
		error = cxfw_fail(device, -EPERM, "the gateway was used without being entered");
	return error;
}

int cxfw_gateway_check(struct cxfw_device *device)
{
	int error = may_access(device);

	return error ? error : device->gateway.ops->check(device);
}

int cxfw_gateway_read_unchecked(struct cxfw_device *device, u32 space, u32 address, u32 *value)
{
	int error = may_access(device);

	return error ? error : device->gateway.ops->read(device, space, address, value);
}

int cxfw_gateway_read_block(struct cxfw_device *device, u32 space, u32 address, u32 *values,
			    unsigned int count)
{
	bool doubt = false;
	unsigned int i;
	int error;

	for (i = 0; i < count; i++) {
		error = cxfw_gateway_read_unchecked(device, space, address + 4 * i, &values[i]);
		if (error)
			return error;
		doubt |= values[i] == ALL_ONES;
	}
	return doubt ? cxfw_gateway_check(device) : 0;
}

int cxfw_gateway_read(struct cxfw_device *device, u32 space, u32 address, u32 *value)
{
	return cxfw_gateway_read_block(device, space, address, value, 1);
}

int cxfw_gateway_write(struct cxfw_device *device, u32 space, u32 address, u32 value)
{
	int error = may_access(device);

	return error ? error : device->gateway.ops->write(device, space, address, value);
}

int cxfw_cr_read(struct cxfw_device *device, u32 address, u32 *value)
{
	bool inside = device->gateway.inside;
	int error = 0;

	if (!inside)
		error = cxfw_gateway_begin(device);
	if (!error)
		error = cxfw_gateway_read(device, CXFW_SPACE_CR, address, value);
	if (!inside)
		cxfw_gateway_end(device);
	return error;
}

int cxfw_cr_write(struct cxfw_device *device, u32 address, u32 value)
{
	bool inside = device->gateway.inside;
	int error = 0;

	if (!inside)
		error = cxfw_gateway_begin(device);
	if (!error)
		error = cxfw_gateway_write(device, CXFW_SPACE_CR, address, value);
	if (!inside)
		cxfw_gateway_end(device);
	return error;
}
