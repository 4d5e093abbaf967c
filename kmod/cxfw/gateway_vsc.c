// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vendor specific capability: device-access.md 2.2.2 - 2.2.5.
 *
 * mlx5_core waits for the semaphore while it holds the configuration access lock. Who
 * waited for the lock while holding the semaphore, or the other way round, would meet it
 * there; so begin takes the lock, looks at the semaphore once, and leaves when it is not free.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

#include "device.h"

#define HEADER 0x0
#define HEADER_LENGTH 0x18
#define CONTROL 0x4
#define CONTROL_SPACE 0xffffU
#define CONTROL_STATUS 0xe0000000U
#define COUNTER 0x8
#define SEMAPHORE 0xc
#define ADDRESS 0x10
#define ADDRESS_FLAG 0x80000000U
#define ADDRESS_SYNDROME 0x40000000U
#define ADDRESS_MASK 0x3fffffffU
#define DATA 0x14
#define ALL_ONES 0xffffffffU

#define FLAG_POLLS 4096
#define FLAG_POLLS_BUSY 64	/* so many without a sleep: real cards need one */
#define RETRY_US 1000

static int vsc_read(struct cxfw_device *device, int offset, u32 *value)
{
	cxfw_config_read(device, device->gateway.vsc + offset, value);
	return *value == ALL_ONES ? cxfw_device_present(device) : 0;
}

static int vsc_write(struct cxfw_device *device, int offset, u32 value)
{
	return cxfw_config_write(device, device->gateway.vsc + offset, value);
}

/* 0 taken, 1 somebody has it, else an error. *value: who. */
static int try_semaphore(struct cxfw_device *device, u32 *value)
{
	struct cxfw_gateway *gateway = &device->gateway;
	int error = vsc_read(device, SEMAPHORE, value);

	if (error)
		return error;
	if (*value)
		return 1;
	error = vsc_read(device, COUNTER, &gateway->ticket);
	if (error)
		return error;
	if (!gateway->ticket || gateway->ticket == ALL_ONES)
		return cxfw_fail(device, -EIO, "the VSC's counter reads %#x", gateway->ticket);
	error = vsc_write(device, SEMAPHORE, gateway->ticket);
	if (!error)
		error = vsc_read(device, SEMAPHORE, value);
	if (error)
		return error;
	return *value == gateway->ticket ? 0 : 1;
}

static int try_begin(struct cxfw_device *device, bool *locked, u32 *value)
{
	int answer;

	*locked = pci_cfg_access_trylock(device->pdev);
	if (!*locked)
		return 1;
	answer = try_semaphore(device, value);
	if (answer)
		pci_cfg_access_unlock(device->pdev);
	return answer;
}

static int vsc_begin(struct cxfw_device *device)
{
	u64 start = ktime_get_ns();
	u32 value = 0;
	bool locked;
	int answer;

	device->gateway.space = 0;
	for (;;) {
		answer = try_begin(device, &locked, &value);
		if (answer <= 0)
			return answer;
		if (ktime_get_ns() - start > CXFW_BEGIN_TIMEOUT_MS * 1000000ULL)
			break;
		answer = cxfw_sleep(device, RETRY_US);
		if (answer)
			return answer;
	}
	if (!locked)
		return cxfw_fail(device, -EBUSY,
				 "timed out after %u ms waiting for configuration space, which a reset or another driver locks",
				 CXFW_BEGIN_TIMEOUT_MS);
	return cxfw_fail_semaphore(device, -EBUSY, CXFW_SEMAPHORE_VSC, value,
				   "timed out after %u ms waiting for the VSC semaphore (configuration %#x), held by %#x",
				   CXFW_BEGIN_TIMEOUT_MS, device->gateway.vsc + SEMAPHORE, value);
}

static void vsc_end(struct cxfw_device *device)
{
	struct cxfw_gateway *gateway = &device->gateway;
	u32 value;

	/* After a reset under our feet the semaphore may be somebody else's. */
	cxfw_config_read(device, gateway->vsc + SEMAPHORE, &value);
	if (value == gateway->ticket)
		vsc_write(device, SEMAPHORE, 0);
	gateway->space = 0;
	pci_cfg_access_unlock(device->pdev);
}

/* 0 selected, 1 the space is not supported, else an error. */
static int try_space(struct cxfw_device *device, u32 space)
{
	struct cxfw_gateway *gateway = &device->gateway;
	u32 control;
	int error;

	if (gateway->space == space)
		return 0;
	gateway->space = 0;
	gateway->writes++;
	if (pci_write_config_word(device->pdev, gateway->vsc + CONTROL, (u16)space))
		return cxfw_device_present(device);
	error = vsc_read(device, CONTROL, &control);
	if (error)
		return error;
	if ((control & CONTROL_SPACE) != space || !(control & CONTROL_STATUS))
		return 1;
	gateway->space = space;
	return 0;
}

static int vsc_check(struct cxfw_device *device)
{
	u32 value;
	int error = vsc_read(device, SEMAPHORE, &value);

	if (error || value == device->gateway.ticket)
		return error;
	return cxfw_fail(device, -EIO, "the VSC semaphore holds %#x instead of our %#x: the card was reset meanwhile",
			 value, device->gateway.ticket);
}

static int select_space(struct cxfw_device *device, u32 space)
{
	int answer = try_space(device, space);

	if (answer <= 0)
		return answer;
	answer = vsc_check(device);
	if (answer)
		return answer;
	return cxfw_fail(device, -EOPNOTSUPP, "the VSC has no space %#x", space);
}

static int wait_flag(struct cxfw_device *device, u32 address, u32 expected)
{
	unsigned int polls;
	u32 value = 0;
	int error;

	for (polls = 1; polls <= FLAG_POLLS; polls++) {
		cxfw_config_read(device, device->gateway.vsc + ADDRESS, &value);
		if (value == ALL_ONES) {
			error = cxfw_device_present(device);
			if (error)
				return error;
		} else if ((value & ADDRESS_FLAG) == expected) {
			if (!(value & ADDRESS_SYNDROME))
				return 0;
			return cxfw_fail(device, -EIO, "space %#x refuses address %#x", device->gateway.space, address);
		}
		if (polls >= FLAG_POLLS_BUSY && polls % 16 == 0)
			usleep_range(10, 20);
	}
	error = vsc_check(device);
	if (error)
		return error;
	return cxfw_fail(device, -ETIMEDOUT, "the VSC's flag did not turn at %#x:%#x in %u polls (last %#x)",
			 device->gateway.space, address, FLAG_POLLS, value);
}

static int start(struct cxfw_device *device, u32 space, u32 address)
{
	if (address & ~ADDRESS_MASK)
		return cxfw_fail(device, -EINVAL, "address %#x is more than the VSC takes", address);
	return select_space(device, space);
}

static int vsc_space_read(struct cxfw_device *device, u32 space, u32 address, u32 *value)
{
	int error = start(device, space, address);

	if (!error)
		error = vsc_write(device, ADDRESS, address);
	if (!error)
		error = wait_flag(device, address, ADDRESS_FLAG);
	return error ? error : cxfw_config_read(device, device->gateway.vsc + DATA, value);
}

static int vsc_space_write(struct cxfw_device *device, u32 space, u32 address, u32 value)
{
	int error = start(device, space, address);

	if (!error)
		error = vsc_write(device, DATA, value);
	if (!error)
		error = vsc_write(device, ADDRESS, address | ADDRESS_FLAG);
	return error ? error : wait_flag(device, address, 0);
}

static int probe_spaces(struct cxfw_device *device)
{
	/* One of the first two is needed (mstflint's minimum and that of its module), and both others. */
	static const u32 spaces[] = { 0x1, CXFW_SPACE_ICMD, CXFW_SPACE_CR, CXFW_SPACE_SEMAPHORE };
	bool has[ARRAY_SIZE(spaces)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		int answer = try_space(device, spaces[i]);

		if (answer < 0)
			return answer;
		has[i] = !answer;
	}
	if ((has[0] || has[1]) && has[2] && has[3])
		return 0;
	return cxfw_fail(device, -EOPNOTSUPP, "the VSC at %#x lacks address spaces: CR %s, ICMD %s, semaphore %s",
			 device->gateway.vsc, has[2] ? "yes" : "no", has[0] || has[1] ? "yes" : "no",
			 has[3] ? "yes" : "no");
}

int cxfw_gateway_vsc_probe(struct cxfw_device *device, int capability)
{
	struct cxfw_gateway *gateway = &device->gateway;
	u32 header;
	int error;

	cxfw_config_read(device, capability + HEADER, &header);
	if (header == ALL_ONES) {
		error = cxfw_device_present(device);
		if (error)
			return error;
	}
	if ((header >> 16 & 0xff) != HEADER_LENGTH || header >> 24)
		return cxfw_fail(device, -EOPNOTSUPP, "the capability at %#x has length %#x and type %#x, expected %#x and 0",
				 capability, header >> 16 & 0xff, header >> 24, HEADER_LENGTH);
	gateway->ops = &cxfw_gateway_vsc;
	gateway->vsc = capability;
	error = cxfw_gateway_begin(device);
	if (!error) {
		error = probe_spaces(device);
		cxfw_gateway_end(device);
	}
	if (error) {
		gateway->ops = NULL;
		/* Held by a dead tool, its semaphore can still be cleared: cxfw_semaphore_clear(). */
		if (error != -EBUSY || device->semaphore != CXFW_SEMAPHORE_VSC)
			gateway->vsc = 0;
	}
	return error;
}

const struct cxfw_gateway_ops cxfw_gateway_vsc = {
	.kind = CXFW_GATEWAY_VSC,
	.begin = vsc_begin,
	.end = vsc_end,
	.read = vsc_space_read,
	.write = vsc_space_write,
	.check = vsc_check,
};
