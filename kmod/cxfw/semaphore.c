// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

#include "component.h"
#include "device.h"
#include "semaphore.h"
#include "spi_gateway.h"

const char *cxfw_semaphore_name(enum cxfw_semaphore semaphore)
{
	static const char *const names[] = {
		[CXFW_SEMAPHORE_NONE] = "no semaphore",
		[CXFW_SEMAPHORE_VSC] = "the VSC semaphore",
		[CXFW_SEMAPHORE_ICMD] = "the ICMD semaphore (0xa:0x0)",
		[CXFW_SEMAPHORE_FLASH_ICMD] = "the flash programming semaphore (0xa:0x10)",
		[CXFW_SEMAPHORE_FLASH_GATEWAY] = "the lock of the flash gateway",
		[CXFW_SEMAPHORE_FLASH_HCR] = "the flash programming semaphore (CR 0xf03a0)",
		[CXFW_SEMAPHORE_UPDATE_HANDLE] = "the firmware's update handle (MCC)",
	};

	return semaphore < ARRAY_SIZE(names) ? names[semaphore] : "an unknown semaphore";
}

/* 0 taken, 1 somebody has it, else an error. */
typedef int (*try_function)(struct cxfw_device *device, u32 address, u32 mask, u32 *value);

static int take(struct cxfw_device *device, u32 address, u32 mask, const struct cxfw_wait *wait,
		try_function try_take)
{
	u64 start = ktime_get_ns();
	u32 value = 0;
	int answer;

	for (;;) {
		answer = cxfw_gateway_begin(device);
		if (answer)
			return answer;
		answer = try_take(device, address, mask, &value);
		if (!answer)
			return 0;
		cxfw_gateway_end(device);
		if (answer < 0)
			return answer;
		if (ktime_get_ns() - start > wait->timeout_ms * 1000000ULL)
			break;
		answer = cxfw_sleep(device, wait->interval_us);
		if (answer)
			return answer;
	}
	return cxfw_fail_semaphore(device, -EBUSY, wait->semaphore, value,
				   "timed out after %u ms waiting for %s, which holds %#x",
				   wait->timeout_ms, cxfw_semaphore_name(wait->semaphore), value);
}

/*
 * The card takes a write only while the semaphore is free. Looking first costs one read
 * and does not lean on that.
 */
static int try_owner(struct cxfw_device *device, u32 address, u32 mask __always_unused, u32 *value)
{
	int error = cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, address, value);

	if (error || *value == device->owner)
		return error;
	if (*value)
		return 1;
	/* An end between the two would leave it taken. */
	device->finishing = true;
	error = cxfw_gateway_write(device, CXFW_SPACE_SEMAPHORE, address, device->owner);
	if (!error)
		error = cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, address, value);
	device->finishing = false;
	if (error)
		return error;
	return *value == device->owner ? 0 : 1;
}

int cxfw_owner_take(struct cxfw_device *device, u32 address, const struct cxfw_wait *wait)
{
	return take(device, address, 0, wait, try_owner);
}

int cxfw_owner_give(struct cxfw_device *device, u32 address)
{
	u32 value;
	int error = cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, address, &value);

	if (error)
		return error;
	if (value != device->owner)
		return cxfw_fail(device, -EIO, "semaphore 0xa:%#x holds %#x instead of our %#x: the card was reset meanwhile",
				 address, value, device->owner);
	return cxfw_gateway_write(device, CXFW_SPACE_SEMAPHORE, address, 0);
}

static int try_latch(struct cxfw_device *device, u32 address, u32 mask, u32 *value)
{
	int error = cxfw_gateway_read(device, CXFW_SPACE_CR, address, value);

	if (error)
		return error;
	if (*value == CXFW_SPI_NO_FLASH || *value == CXFW_CR_DENIED)
		return cxfw_fail(device, -EIO, "CR %#x reads %#x: %s", address, *value,
				 *value == CXFW_CR_DENIED ? "access is denied" : "there is no flash");
	return *value & mask ? 1 : 0;
}

int cxfw_latch_take(struct cxfw_device *device, u32 address, u32 mask, const struct cxfw_wait *wait)
{
	return take(device, address, mask, wait, try_latch);
}

/* Clearing */

static int not_held(struct cxfw_device *device, enum cxfw_semaphore semaphore, u32 held, u32 value)
{
	return cxfw_fail_semaphore(device, -ESTALE, semaphore, held, "%s holds %#x, no longer %#x: not cleared",
				   cxfw_semaphore_name(semaphore), held, value);
}

static int clear_vsc(struct cxfw_device *device, u32 value)
{
	int where = device->gateway.vsc + 0xc;
	int error = -EBUSY;
	u32 held;

	if (!device->gateway.vsc)
		return cxfw_fail(device, -EOPNOTSUPP, "this card is not reached through a VSC");
	if (!pci_cfg_access_trylock(device->pdev))
		return cxfw_fail(device, -EBUSY, "configuration space is locked by a reset or another driver");
	cxfw_config_read(device, where, &held);
	if (held == 0xffffffff && cxfw_device_present(device))
		error = -ENODEV;
	else if (held != value || !held)
		error = not_held(device, CXFW_SEMAPHORE_VSC, held, value);
	else
		error = cxfw_config_write(device, where, 0);
	pci_cfg_access_unlock(device->pdev);
	return error;
}

static int clear_owner(struct cxfw_device *device, enum cxfw_semaphore semaphore, u32 address, u32 value)
{
	u32 held;
	int error = cxfw_gateway_begin(device);

	if (error)
		return error;
	error = cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, address, &held);
	if (!error && (held != value || !held))
		error = not_held(device, semaphore, held, value);
	else if (!error)
		error = cxfw_gateway_write(device, CXFW_SPACE_SEMAPHORE, address, 0);
	cxfw_gateway_end(device);
	return error;
}

/* Reading a free one takes it: then it is given back at once. */
static int clear_latch(struct cxfw_device *device, enum cxfw_semaphore semaphore, u32 address, u32 mask, u32 value)
{
	u32 held;
	int error = cxfw_gateway_begin(device);

	if (error)
		return error;
	error = cxfw_gateway_read(device, CXFW_SPACE_CR, address, &held);
	if (!error && (held & mask) && held != value)
		error = not_held(device, semaphore, held, value);
	else if (!error)
		error = cxfw_gateway_write(device, CXFW_SPACE_CR, address, 0);
	cxfw_gateway_end(device);
	if (!error && !(held & mask))
		error = not_held(device, semaphore, 0, value);
	return error;
}

int cxfw_semaphore_clear(struct cxfw_device *device, enum cxfw_semaphore semaphore, u32 value)
{
	bool mlx4 = device->chip && device->chip->family == CXFW_FAMILY_MLX4;
	u32 command;

	if (device->flash.locked)
		return cxfw_fail(device, -EBUSY, "the flash is in use by this driver: not cleared");
	switch (semaphore) {
	case CXFW_SEMAPHORE_VSC:
		return clear_vsc(device, value);
	case CXFW_SEMAPHORE_ICMD:
	case CXFW_SEMAPHORE_FLASH_ICMD:
		if (!device->gateway.vsc)
			break;
		return clear_owner(device, semaphore, semaphore == CXFW_SEMAPHORE_ICMD ? CXFW_ICMD_SEMAPHORE :
				   CXFW_FLASH_ICMD_SEMAPHORE, value);
	case CXFW_SEMAPHORE_FLASH_GATEWAY:
		if (mlx4)
			return clear_latch(device, semaphore, CXFW_FLASH_GATEWAY_SEMAPHORE, 0xffffffff, value);
		command = cxfw_spi_command_register(device);
		if (!command)
			break;
		return clear_latch(device, semaphore, command, CXFW_SPI_LOCK, value);
	case CXFW_SEMAPHORE_UPDATE_HANDLE:
		if (!cxfw_has_components(device))
			break;
		return cxfw_update_handle_clear(device, value);
	case CXFW_SEMAPHORE_FLASH_HCR:
		if (!mlx4)
			break;
		return clear_latch(device, semaphore, CXFW_FLASH_HCR_SEMAPHORE, 0xffffffff, value);
	default:
		break;
	}
	return cxfw_fail(device, -EOPNOTSUPP, "this card does not have %s", cxfw_semaphore_name(semaphore));
}
