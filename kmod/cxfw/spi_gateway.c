// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SPI gateway: device-access.md 5.1 - 5.4. Generations differ by the table below.
 *
 * A hold goes from enter to leave: the gateway's lock is ours and the chip is ready. It
 * lasts CXFW_HOLD_NS at most, never while the chip erases. leave looks whether the lock
 * still is ours; without that, nothing that was read in the hold is believed.
 */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "device.h"
#include "semaphore.h"
#include "spi_gateway.h"
#include "spi_private.h"

#define GO		0x40000000U
#define SIZE_SHIFT	8
#define SIZE_MASK	0x7U
#define FOUR_BYTES_6	0x00008000U
#define BANK_SHIFT_6	13
#define BANK_SHIFT	11
#define FLASH_ENABLE	0x00002000U
#define CACHE_ENABLE	0x00000001U

#define COMMAND_POLLS 5000
#define READY_TIMEOUT_MS 10000
#define READY_RETRY_US 3000

static const struct cxfw_spi_layout layouts[] = {
	{
		.generation = 4, .command = 0xf0400, .address = 0xf0404, .data = 0xf0410,
		.semaphore = CXFW_FLASH_GATEWAY_SEMAPHORE, .always = FLASH_ENABLE, .banks = 2,
	},
	{
		.generation = 5, .command = 0xf0400, .address = 0xf0404, .data = 0xf0410,
		.cache = 0xf0420, .always = CXFW_SPI_LOCK, .banks = 2,
	},
	{
		.generation = 6, .command = 0xf0400, .address = 0xf0420, .data = 0xf0410,
		.cache = 0xf0480, .decrypt = 0xf0440, .byte_sizes = true, .always = CXFW_SPI_LOCK, .banks = 2,
	},
};

static const struct cxfw_wait wait_gateway = {
	.semaphore = CXFW_SEMAPHORE_FLASH_GATEWAY,
	.timeout_ms = 10000,
	.interval_us = 1000,
};

const struct cxfw_spi_layout *cxfw_spi_layout(const struct cxfw_device *device)
{
	unsigned int i;

	for (i = 0; device->chip && i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].generation == device->chip->flash_generation)
			return &layouts[i];
	return NULL;
}

u32 cxfw_spi_command_register(const struct cxfw_device *device)
{
	const struct cxfw_spi_layout *layout = cxfw_spi_layout(device);

	return layout ? layout->command : 0;
}

int cxfw_spi_lock_lost(struct cxfw_device *device, u32 value)
{
	return cxfw_fail(device, -EIO, "the lock of the flash gateway was lost (%#x): the card was reset meanwhile", value);
}

/* Waits until the gateway has done its command, not until the chip has. */
static int wait_gateway_idle(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	u32 value = 0;
	int error, polls;

	for (polls = 0; polls < COMMAND_POLLS; polls++) {
		error = cxfw_spi_cr_read(device, layout->command, &value);
		if (error)
			return error;
		if (!(value & GO))
			return !layout->semaphore && !(value & CXFW_SPI_LOCK) ? cxfw_spi_lock_lost(device, value) : 0;
	}
	return cxfw_fail(device, -ETIMEDOUT, "the flash gateway is busy after %d polls (%#x)", COMMAND_POLLS, value);
}

/* Sizes in bytes at 12:8, bank at 13, address width at 15: device-access.md 5.2. */
static u32 generation_6(u32 bank, u32 command)
{
	u32 size = 1U << (command >> SIZE_SHIFT & SIZE_MASK);
	u32 wide = command & SPI_FOUR_BYTES ? FOUR_BYTES_6 : 0;

	command &= ~(SPI_FOUR_BYTES | SIZE_MASK << SIZE_SHIFT);
	if (command & SPI_PHASE_DATA)
		command |= size << SIZE_SHIFT;
	return command | wide | bank << BANK_SHIFT_6;
}

int cxfw_spi_run(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u32 command)
{
	u32 placed = layout->byte_sizes ? generation_6(bank, command) : bank << BANK_SHIFT | command;
	int error = cxfw_spi_cr_write(device, layout->command, layout->always | GO | placed);

	return error ? error : wait_gateway_idle(device, layout);
}

int cxfw_spi_read_register(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u8 opcode,
			   u32 *value)
{
	int error = cxfw_spi_run(device, layout, bank,
				 SPI_OPCODE(opcode) | SPI_SIZE_4 | SPI_PHASE_DATA | SPI_PHASE_COMMAND | SPI_FROM_CHIP);

	return error ? error : cxfw_spi_cr_read(device, layout->data, value);
}

int cxfw_spi_read_status(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u8 opcode,
			 u8 *status)
{
	u32 value;
	int error = cxfw_spi_read_register(device, layout, bank, opcode, &value);

	if (!error)
		*status = value >> 24;
	return error;
}

/* Locks */

static int stop_decrypt(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	u32 value;
	int error;

	device->flash.decrypts = false;
	if (!layout->decrypt)
		return 0;
	error = cxfw_spi_cr_read(device, layout->decrypt, &value);
	if (error || !(value & CACHE_ENABLE))
		return error;
	device->flash.decrypts = true;
	return cxfw_spi_cr_write(device, layout->decrypt, value & ~CACHE_ENABLE);
}

static int start_decrypt(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	u32 value;
	int error;

	if (!device->flash.decrypts)
		return 0;
	device->flash.decrypts = false;
	error = cxfw_spi_cr_read(device, layout->decrypt, &value);
	return error ? error : cxfw_spi_cr_write(device, layout->decrypt, value | CACHE_ENABLE);
}

static int stop_cache(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	u32 value;
	int error = stop_decrypt(device, layout);

	if (error || !layout->cache)
		return error;
	error = cxfw_spi_cr_read(device, layout->cache, &value);
	return error ? error : cxfw_spi_cr_write(device, layout->cache, value & ~CACHE_ENABLE);
}

/* Nobody but a reset can have started it again. */
static int start_cache(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	u32 value;
	int error;

	if (!layout->cache)
		return 0;
	error = cxfw_spi_cr_read(device, layout->cache, &value);
	if (!error && value & CACHE_ENABLE)
		return cxfw_spi_lock_lost(device, value);
	if (!error)
		error = cxfw_spi_cr_write(device, layout->cache, value | CACHE_ENABLE);
	return error ? error : start_decrypt(device, layout);
}

static int lock_gateway(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	int error;

	if (layout->semaphore)
		return cxfw_latch_take(device, layout->semaphore, 0xffffffff, &wait_gateway);
	error = cxfw_latch_take(device, layout->command, CXFW_SPI_LOCK, &wait_gateway);
	if (error)
		return error;
	error = stop_cache(device, layout);
	return error ? error : wait_gateway_idle(device, layout);
}

int cxfw_spi_still_locked(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	u32 value;
	int error = cxfw_spi_cr_read(device, layout->semaphore ? layout->semaphore : layout->command, &value);

	if (error)
		return error;
	if (layout->semaphore ? value : value & CXFW_SPI_LOCK)
		return 0;
	return cxfw_spi_lock_lost(device, value);
}

/*
 * error is what happened in the hold. A lock that was lost explains it, and counts more:
 * a card that was reset looks busy, refuses, or reads as anything.
 */
int cxfw_spi_leave(struct cxfw_device *device, const struct cxfw_spi_layout *layout, int error)
{
	char why[CXFW_WHY_LENGTH];
	int lost, release;

	if (!device->gateway.inside)
		return error;
	device->finishing = true;
	memcpy(why, device->why, sizeof(why));
	lost = cxfw_gateway_check(device);
	if (!lost)
		lost = cxfw_spi_still_locked(device, layout);
	if (!lost)
		lost = start_cache(device, layout);
	/* Where it was going to stop the cache, that it runs tells nothing of a reset. */
	if (lost && READ_ONCE(device->gone))
		lost = cxfw_fail(device, -ENODEV, "the card was unplugged");
	if (lost)
		memcpy(why, device->why, sizeof(why));
	release = cxfw_spi_cr_write(device, layout->semaphore ? layout->semaphore : layout->command, 0);
	cxfw_gateway_end(device);
	device->finishing = false;
	if (lost || error)
		memcpy(device->why, why, sizeof(why));
	return lost ? lost : error ? error : release;
}

/* On failure nobody is inside. */
int cxfw_spi_enter(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank)
{
	u8 *status = &device->flash.status[0];
	u64 start = ktime_get_ns();
	int error;

	for (;;) {
		error = lock_gateway(device, layout);
		if (!error)
			error = cxfw_spi_read_status(device, layout, bank, SPI_READ_STATUS, status);
		if (error)
			return cxfw_spi_leave(device, layout, error);
		if (!(*status & SPI_STATUS_BUSY))
			return 0;
		error = cxfw_spi_leave(device, layout, 0);
		if (error)
			return error;
		if (ktime_get_ns() - start > READY_TIMEOUT_MS * 1000000ULL)
			return cxfw_fail(device, -ETIMEDOUT, "timed out after %u ms waiting for the flash chip (status %#x)",
					 READY_TIMEOUT_MS, *status);
		error = cxfw_sleep(device, READY_RETRY_US);
		if (error)
			return error;
	}
}

/* Lets others in when it is time. On failure nobody is inside. */
int cxfw_spi_breathe(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank)
{
	int error;

	if (!cxfw_gateway_due(device))
		return 0;
	error = cxfw_spi_leave(device, layout, 0);
	if (!error)
		error = cxfw_sleep(device, CXFW_BREAK_US);
	return error ? error : cxfw_spi_enter(device, layout, bank);
}
