// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "device.h"
#include "icmd.h"
#include "semaphore.h"

#define CONTROL 0x0
#define CONTROL_GO 1U
#define MAILBOX_BYTES 0x1000
#define SYNDROME 0x1008
#define NOT_READY 0x80000000U

#define READY_TIMEOUT_MS 1000
#define READY_RETRY_US 10000
#define COMMAND_TIMEOUT_MS 10000
#define QUICK_POLLS 16		/* real firmware has most answers before the first */
#define LONGEST_SLEEP_US 8000

/* mstflint needs at least 0x24 bytes and knows no mailbox larger than this. */
#define MAILBOX_LEAST 0x24
#define MAILBOX_MOST 0x1000

static const struct cxfw_wait icmd_wait = {
	.semaphore = CXFW_SEMAPHORE_ICMD,
	.timeout_ms = 10000,
	.interval_us = 3000,
};

static int possible(struct cxfw_device *device)
{
	if (device->recovery)
		return cxfw_fail(device, -EOPNOTSUPP, "no firmware runs (recovery mode), so there is no command interface");
	if (!device->gateway.vsc)
		return cxfw_fail(device, -EOPNOTSUPP, "the firmware's command interface is reached through a VSC only");
	return 0;
}

/* Inside; may leave and enter again. */
static int wait_ready(struct cxfw_device *device)
{
	u64 start = ktime_get_ns();
	u32 address = device->chip ? device->chip->ready_address : 0;
	u32 value;
	int error;

	if (!address)
		return 0;
	for (;;) {
		error = cxfw_gateway_read(device, CXFW_SPACE_CR, address, &value);
		if (error || !(value & NOT_READY))
			return error;
		if (ktime_get_ns() - start > READY_TIMEOUT_MS * 1000000ULL)
			return cxfw_fail(device, -ETIMEDOUT, "firmware is not ready after %u ms: CR %#x reads %#x",
					 READY_TIMEOUT_MS, address, value);
		cxfw_gateway_end(device);
		error = cxfw_sleep(device, READY_RETRY_US);
		if (!error)
			error = cxfw_gateway_begin(device);
		if (error)
			return error;
	}
}

/*
 * Inside; may leave and enter again, since nobody else writes the mailbox while the
 * semaphore is ours, and drivers must not wait for the gateway as long as firmware works.
 */
static int wait_idle(struct cxfw_device *device, const char *what, u32 *control, u32 *looks)
{
	u64 start = ktime_get_ns();
	unsigned int polls, sleep_us = 500;
	int error;

	for (polls = 1;; polls++) {
		*looks = polls;
		error = cxfw_gateway_read(device, CXFW_SPACE_ICMD, CONTROL, control);
		if (error || !(*control & CONTROL_GO))
			return error;
		if (polls <= QUICK_POLLS)
			continue;
		if (ktime_get_ns() - start > COMMAND_TIMEOUT_MS * 1000000ULL)
			return cxfw_fail(device, -ETIMEDOUT, "timed out after %u ms waiting for %s (ICMD control %#x)",
					 COMMAND_TIMEOUT_MS, what, *control);
		cxfw_gateway_end(device);
		error = cxfw_sleep(device, sleep_us);
		if (!error)
			error = cxfw_gateway_begin(device);
		if (error)
			return error;
		sleep_us = min_t(unsigned int, sleep_us * 2, LONGEST_SLEEP_US);
	}
}

static int read_mailbox_size(struct cxfw_device *device)
{
	u32 bytes;
	int error;

	if (device->icmd_mailbox_bytes)
		return 0;
	error = cxfw_gateway_read(device, CXFW_SPACE_ICMD, MAILBOX_BYTES, &bytes);
	if (error)
		return error;
	if (bytes < MAILBOX_LEAST || bytes > MAILBOX_MOST)
		return cxfw_fail(device, -EIO, "the ICMD mailbox claims %#x bytes, expected %#x to %#x", bytes,
				 MAILBOX_LEAST, MAILBOX_MOST);
	device->icmd_mailbox_bytes = bytes;
	return 0;
}

int cxfw_icmd_enter(struct cxfw_device *device)
{
	u32 control, looks;
	int error = possible(device);

	if (!error)
		error = cxfw_owner_take(device, CXFW_ICMD_SEMAPHORE, &icmd_wait);
	if (error)
		return error;
	error = wait_ready(device);
	if (!error)
		error = read_mailbox_size(device);
	if (!error)
		error = wait_idle(device, "the command of somebody else to finish", &control, &looks);
	return error ? cxfw_icmd_leave(device, error) : 0;
}

int cxfw_icmd_leave(struct cxfw_device *device, int error)
{
	char why[CXFW_WHY_LENGTH];
	int leaving = 0;

	memcpy(why, device->why, sizeof(why));
	device->finishing = true;
	if (!device->gateway.inside)
		leaving = cxfw_gateway_begin(device);
	if (!leaving)
		leaving = cxfw_owner_give(device, CXFW_ICMD_SEMAPHORE);
	cxfw_gateway_end(device);
	device->finishing = false;
	if (error && error != leaving)
		memcpy(device->why, why, sizeof(why));
	return error ? error : leaving;
}

static const char *status_name(u32 status)
{
	static const char *const names[] = {
		"ok", "invalid opcode", "invalid command", "operational error",
		"bad parameter, or this function may not use commands", "busy", "ICM not available", "write protected",
	};

	return status < ARRAY_SIZE(names) ? names[status] : "unknown";
}

int cxfw_icmd_run(struct cxfw_device *device, u16 opcode, u32 *status)
{
	u32 control, syndrome = 0, pause = device->icmd_pause_us;
	u64 start = ktime_get_ns();
	int error = cxfw_gateway_write(device, CXFW_SPACE_ICMD, CONTROL, (u32)opcode << 16 | CONTROL_GO);

	if (!error && pause)
		usleep_range(pause, pause + pause / 32);
	if (!error)
		error = wait_idle(device, "the firmware to answer a command", &control, &device->icmd_polls);
	device->icmd_took_us = (u32)((ktime_get_ns() - start) >> 10);
	if (error)
		return error;
	if (control >> 16 != opcode)
		return cxfw_fail(device, -ENODEV, "the firmware lost a command (ICMD control %#x, sent opcode %#x): the card was reset meanwhile",
				 control, opcode);
	*status = control >> 8 & 0xff;
	if (!*status)
		return 0;
	cxfw_gateway_read(device, CXFW_SPACE_ICMD, SYNDROME, &syndrome);
	return cxfw_fail(device, -EIO, "the firmware refused a command: ICMD status %#x (%s), syndrome %#x", *status,
			 status_name(*status), syndrome & 0xffffff);
}
