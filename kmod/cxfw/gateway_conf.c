// SPDX-License-Identifier: GPL-2.0-only
/*
 * The legacy gateway: an address at 0x58, data at 0x5c (device-access.md 2.2.1).
 *
 * User-space tools write 0x58 and use 0x5c in two system calls with nothing that keeps
 * us out between them, so 0x58 is given back as it was found.
 */
#include <linux/errno.h>
#include <linux/ktime.h>

#include "device.h"

#define ADDRESS 0x58
#define DATA 0x5c
#define ALL_ONES 0xffffffffU
#define WRITE_ONLY 0xbadacce5U	/* what an address register reads that cannot be read */
#define IDENTITY 0xf0014
#define LOCK_RETRY_US 500

static int lock_config(struct cxfw_device *device)
{
	u64 start = ktime_get_ns();
	int error;

	while (!pci_cfg_access_trylock(device->pdev)) {
		if (ktime_get_ns() - start > CXFW_BEGIN_TIMEOUT_MS * 1000000ULL)
			return cxfw_fail(device, -EBUSY,
					 "timed out after %u ms waiting for configuration space, which a reset or another driver locks",
					 CXFW_BEGIN_TIMEOUT_MS);
		error = cxfw_sleep(device, LOCK_RETRY_US);
		if (error)
			return error;
	}
	return 0;
}

static int conf_begin(struct cxfw_device *device)
{
	struct cxfw_gateway *gateway = &device->gateway;
	int error = lock_config(device);

	if (error)
		return error;
	cxfw_config_read(device, ADDRESS, &gateway->saved_address);
	gateway->address = gateway->saved_address;
	if (gateway->saved_address == ALL_ONES) {
		error = cxfw_device_present(device);
		if (error)
			pci_cfg_access_unlock(device->pdev);
	}
	return error;
}

static void conf_end(struct cxfw_device *device)
{
	struct cxfw_gateway *gateway = &device->gateway;

	if (!gateway->write_only_address && gateway->address != gateway->saved_address)
		cxfw_config_write(device, ADDRESS, gateway->saved_address);
	pci_cfg_access_unlock(device->pdev);
}

static int set_address(struct cxfw_device *device, u32 address)
{
	device->gateway.address = address;
	return cxfw_config_write(device, ADDRESS, address);
}

static int check_space(struct cxfw_device *device, u32 space)
{
	if (space == CXFW_SPACE_CR)
		return 0;
	return cxfw_fail(device, -EOPNOTSUPP, "the gateway at 0x58 has no space %#x", space);
}

static int conf_read(struct cxfw_device *device, u32 space, u32 address, u32 *value)
{
	struct cxfw_gateway *gateway = &device->gateway;
	int error = check_space(device, space);

	if (!error && gateway->write_only_address)
		error = set_address(device, address | 1);
	else if (!error && gateway->address != address)
		error = set_address(device, address);
	return error ? error : cxfw_config_read(device, DATA, value);
}

/* Always with its address: after a reset under our feet 0x58 is not what we think. */
static int conf_write(struct cxfw_device *device, u32 space, u32 address, u32 value)
{
	bool data_first = device->gateway.write_only_address;
	int error = check_space(device, space);

	if (!error && data_first)
		error = cxfw_config_write(device, DATA, value);
	if (!error)
		error = set_address(device, address);
	if (!error && !data_first)
		error = cxfw_config_write(device, DATA, value);
	return error;
}

static int conf_check(struct cxfw_device *device)
{
	u32 echo;

	if (device->gateway.write_only_address)
		return cxfw_device_present(device);
	cxfw_config_read(device, ADDRESS, &echo);
	if (echo == device->gateway.address)
		return 0;
	if (echo == ALL_ONES)
		return cxfw_device_present(device);
	return cxfw_fail(device, -EIO, "the gateway at 0x58 holds %#x, expected %#x: the card was reset meanwhile",
			 echo, device->gateway.address);
}

int cxfw_gateway_conf_probe(struct cxfw_device *device)
{
	struct cxfw_gateway *gateway = &device->gateway;
	int error;
	u32 echo;

	gateway->ops = &cxfw_gateway_conf;
	gateway->vsc = 0;
	gateway->write_only_address = false;
	error = cxfw_gateway_begin(device);
	if (error)
		return error;
	set_address(device, IDENTITY);
	cxfw_config_read(device, ADDRESS, &echo);
	gateway->write_only_address = echo == WRITE_ONLY;
	if (echo == ALL_ONES)
		error = cxfw_device_present(device);
	if (!error && echo != IDENTITY && echo != WRITE_ONLY)
		error = cxfw_fail(device, -EIO, "the gateway at 0x58 holds %#x after writing %#x", echo, IDENTITY);
	cxfw_gateway_end(device);
	if (error)
		gateway->ops = NULL;
	return error;
}

const struct cxfw_gateway_ops cxfw_gateway_conf = {
	.kind = CXFW_GATEWAY_CONF,
	.begin = conf_begin,
	.end = conf_end,
	.read = conf_read,
	.write = conf_write,
	.check = conf_check,
};
