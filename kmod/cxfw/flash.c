// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "device.h"
#include "flash_backend.h"
#include "flash_chips.h"
#include "semaphore.h"

#define PROGRAM_LONGEST_US 5000	/* that a page is slept for before the first look */

/* mstflint's own patience: 40 tries every 500 ms, and 256 tries of 25 ms on average (3.1, 5.3). */
static const struct cxfw_wait wait_hcr = {
	.semaphore = CXFW_SEMAPHORE_FLASH_HCR,
	.timeout_ms = 20000,
	.interval_us = 20000,
};

static const struct cxfw_wait wait_icmd = {
	.semaphore = CXFW_SEMAPHORE_FLASH_ICMD,
	.timeout_ms = 20000,
	.interval_us = 5000,
};

/*
 * Who reads a whole flash in pieces locks again at once, and another tool that looks
 * for the semaphore now and then would never meet it free. So after a while of such use
 * the next lock waits for longer than others sleep between their looks.
 */
struct fairness {
	u64 use_ns;
	unsigned int room_us;
};

static const struct fairness fair_hcr = { .use_ns = 6000000000ULL, .room_us = 550000 };
static const struct fairness fair_icmd = { .use_ns = 200000000ULL, .room_us = 100000 };

static bool is_mlx4(const struct cxfw_device *device)
{
	return device->chip && device->chip->family == CXFW_FAMILY_MLX4;
}

static int give_room(struct cxfw_device *device, const struct fairness *fairness)
{
	struct cxfw_flash *flash = &device->flash;
	u64 now = ktime_get_ns();
	int error = 0;

	if (!flash->busy_since || now - flash->unlocked_at > fairness->room_us * 1000ULL) {
		flash->busy_since = now;
	} else if (now - flash->busy_since > fairness->use_ns) {
		error = cxfw_sleep(device, fairness->room_us);
		flash->busy_since = ktime_get_ns();
	}
	return error;
}

int cxfw_flash_lock(struct cxfw_device *device)
{
	int error;

	if (device->flash.locked)
		return cxfw_fail(device, -EDEADLK, "the flash was locked twice");
	error = give_room(device, is_mlx4(device) ? &fair_hcr : &fair_icmd);
	if (error)
		return error;
	if (is_mlx4(device))
		error = cxfw_latch_take(device, CXFW_FLASH_HCR_SEMAPHORE, 0xffffffff, &wait_hcr);
	else if (device->gateway.vsc)
		error = cxfw_owner_take(device, CXFW_FLASH_ICMD_SEMAPHORE, &wait_icmd);
	/* else recovery without a VSC: only the gateway's own lock bit exists */
	cxfw_gateway_end(device);
	device->flash.locked = !error;
	return error;
}

void cxfw_flash_unlock(struct cxfw_device *device)
{
	char why[CXFW_WHY_LENGTH];
	u32 semaphore = device->semaphore, value = device->semaphore_value;

	if (!device->flash.locked)
		return;
	/* What made the caller give up is worth more than what happens here. */
	memcpy(why, device->why, sizeof(why));
	device->flash.locked = false;
	device->flash.unlocked_at = ktime_get_ns();
	device->finishing = true;
	if (!device->gateway.inside && cxfw_gateway_begin(device)) {
		pci_warn(device->pdev, "cxfw: flash lock not given back: %s\n", device->why);
	} else {
		if (is_mlx4(device))
			cxfw_gateway_write(device, CXFW_SPACE_CR, CXFW_FLASH_HCR_SEMAPHORE, 0);
		else if (device->gateway.vsc)
			cxfw_owner_give(device, CXFW_FLASH_ICMD_SEMAPHORE);
		cxfw_gateway_end(device);
	}
	device->finishing = false;
	memcpy(device->why, why, sizeof(why));
	device->semaphore = semaphore;
	device->semaphore_value = value;
}

int cxfw_flash_check_lock(struct cxfw_device *device)
{
	bool mlx4 = is_mlx4(device);
	u32 value;
	int error;

	if (!mlx4 && !device->gateway.vsc)
		return 0;
	error = cxfw_gateway_begin(device);
	if (error)
		return error;
	/* mlx4: a free one is ours again by this read, and is given back with the rest. */
	if (mlx4)
		error = cxfw_gateway_read(device, CXFW_SPACE_CR, CXFW_FLASH_HCR_SEMAPHORE, &value);
	else
		error = cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, CXFW_FLASH_ICMD_SEMAPHORE, &value);
	cxfw_gateway_end(device);
	if (error || (mlx4 ? value : value == device->owner))
		return error;
	return cxfw_fail(device, -EIO, "the card was reset meanwhile, or another program cleared %s",
			 cxfw_semaphore_name(mlx4 ? CXFW_SEMAPHORE_FLASH_HCR : CXFW_SEMAPHORE_FLASH_ICMD));
}

/* Firmware that runs from flash says so in its guard: 5.7. */
static int choose_backend(struct cxfw_device *device)
{
	const struct cxfw_chip *chip = device->chip;
	u32 offset = 0, command = 0;
	int error;

	device->flash.backend = &cxfw_flash_firmware;
	if (!chip)
		return 0;
	if (chip->guard_offset) {
		error = cxfw_gateway_begin(device);
		if (error)
			return error;
		error = cxfw_gateway_read(device, CXFW_SPACE_CR, chip->guard_offset, &offset);
		if (!error)
			error = cxfw_gateway_read(device, CXFW_SPACE_CR, chip->guard_command, &command);
		cxfw_gateway_end(device);
		if (error)
			return error;
	}
	if ((offset & chip->guard_offset_mask) || (command & chip->guard_command_mask))
		return 0;
	device->flash.backend = &cxfw_flash_spi;
	return 0;
}

static int finish_probe(struct cxfw_device *device)
{
	struct cxfw_flash *flash = &device->flash;

	flash->access = flash->backend->access;
	flash->chip = cxfw_flash_chip_find(flash->jedec);
	flash->sector = CXFW_BLOCK_64K;
	flash->block = CXFW_BLOCK_64K;
	if (flash->chip && flash->chip->flags & CXFW_CHIP_4K)
		flash->sector = CXFW_SECTOR_4K;
	if (flash->chip && !(flash->chip->flags & CXFW_CHIP_64K))
		flash->block = flash->sector;
	if (!flash->size || !flash->banks || flash->size % flash->banks)
		return cxfw_fail(device, -EIO, "flash id %06x in %u banks gives no size", flash->jedec, flash->banks);
	flash->probed = true;
	return 0;
}

int cxfw_flash_probe(struct cxfw_device *device)
{
	struct cxfw_flash *flash = &device->flash;
	bool own_lock = !flash->locked;
	int error;

	if (flash->probed)
		return 0;
	error = choose_backend(device);
	if (!error && own_lock)
		error = cxfw_flash_lock(device);
	if (error)
		return error;
	error = flash->backend->probe(device);
	if (!error)
		error = finish_probe(device);
	if (own_lock)
		cxfw_flash_unlock(device);
	return error;
}

u32 cxfw_flash_bank_bytes(const struct cxfw_device *device)
{
	return device->flash.size / device->flash.banks;
}

void cxfw_flash_learn_time(struct cxfw_device *device, u32 took_us, bool at_first_look)
{
	u32 *expected = &device->flash.program_us;

	/* Found done by the first look it may have been done for long: a little less the next time. */
	if (at_first_look)
		*expected -= *expected / 32;
	else
		*expected = min_t(u32, took_us + took_us / 32, PROGRAM_LONGEST_US);
}

static int check_range(struct cxfw_device *device, u32 address, size_t length)
{
	const struct cxfw_flash *flash = &device->flash;

	if (!flash->probed || !flash->locked)
		return cxfw_fail(device, -EPERM, "the flash was used without being probed and locked");
	if (address > flash->size || length > flash->size - address)
		return cxfw_fail(device, -EINVAL, "flash %#x + %#zx is outside of %#x bytes", address, length, flash->size);
	return 0;
}

int cxfw_flash_read(struct cxfw_device *device, u32 address, void *buffer, size_t length)
{
	int error = check_range(device, address, length);

	if (!error && fatal_signal_pending(current))
		error = cxfw_fail(device, -EINTR, "interrupted by a signal");
	if (error || !length)
		return error;
	return device->flash.backend->read(device, address, buffer, length);
}

static int may_write(struct cxfw_device *device, u32 address, size_t length)
{
	const struct cxfw_flash *flash = &device->flash;
	int error = check_range(device, address, length);

	if (error)
		return error;
	if (!device->chip)
		return cxfw_fail(device, -EOPNOTSUPP, "hardware id %#x is not in the table: read, never written", device->hw_id);
	if (!flash->chip)
		return cxfw_fail(device, -EOPNOTSUPP, "flash chip %06x is not in the table: read, never written", flash->jedec);
	if (flash->chip->flags & CXFW_CHIP_SPECIAL)
		return cxfw_fail(device, -EOPNOTSUPP, "flash chip %s needs status writes that this driver does not do: read, never written",
				 flash->chip->name);
	return 0;
}

int cxfw_flash_erase(struct cxfw_device *device, u32 address, u32 length)
{
	struct cxfw_flash *flash = &device->flash;
	int error = may_write(device, address, length);

	if (error)
		return error;
	if ((length != flash->sector && length != flash->block) || address % length)
		return cxfw_fail(device, -EINVAL, "erase of %#x at %#x: units are %#x and %#x", length, address, flash->sector,
				 flash->block);
	error = flash->backend->erase(device, address, length);
	if (!error)
		flash->erased += length;
	return error;
}

bool cxfw_flash_is_protected(const struct cxfw_device *device, u32 address, u32 length)
{
	const struct cxfw_flash *flash = &device->flash;
	u32 bank_bytes = cxfw_flash_bank_bytes(device);

	return flash->status_valid & 1 &&
	       cxfw_flash_protected(flash->chip, flash->status, bank_bytes, address % bank_bytes, length);
}

bool cxfw_flash_can_unprotect(const struct cxfw_device *device)
{
	const struct cxfw_flash *flash = &device->flash;

	return flash->probed && device->chip && flash->chip && !(flash->chip->flags & CXFW_CHIP_SPECIAL) &&
	       flash->backend->unprotect;
}

int cxfw_flash_unprotect(struct cxfw_device *device)
{
	u32 bank;
	int error = may_write(device, 0, 0);

	if (!error && !cxfw_flash_can_unprotect(device))
		error = cxfw_fail(device, -EOPNOTSUPP,
				  "write protection is not cleared through the firmware: its register is not confirmed");
	for (bank = 0; bank < device->flash.banks && !error; bank++)
		error = device->flash.backend->unprotect(device, bank);
	return error;
}

static bool is_blank(const u8 *data, u32 length)
{
	return !memchr_inv(data, 0xff, length);
}

/* Granules of one batch; those that are blank are left out. */
static int program_granules(struct cxfw_device *device, u32 address, const u8 *data, u32 length)
{
	struct cxfw_flash *flash = &device->flash;
	u32 granule = flash->backend->granule, from, to;
	int error;

	for (from = 0; from < length; from = to) {
		to = from + granule;
		if (is_blank(data + from, granule))
			continue;
		while (to < length && !is_blank(data + to, granule))
			to += granule;
		error = flash->backend->program(device, address + from, data + from, to - from);
		if (error)
			return error;
		flash->programmed += to - from;
	}
	return 0;
}

/* A part of a granule, 0xff around what is asked for: that leaves cells as they are. */
static int program_part(struct cxfw_device *device, u32 address, const u8 *data, u32 length)
{
	u32 granule = device->flash.backend->granule, start = address % granule;
	u8 whole[CXFW_PAGE];

	memset(whole, 0xff, sizeof(whole));
	memcpy(whole + start, data, length);
	return program_granules(device, address - start, whole, granule);
}

int cxfw_flash_program(struct cxfw_device *device, u32 address, const void *buffer, size_t length)
{
	const u8 *from = buffer;
	u32 granule, part;
	int error = may_write(device, address, length);

	while (!error && length) {
		granule = device->flash.backend->granule;
		if (address % granule || length < granule) {
			part = min_t(size_t, length, granule - address % granule);
			error = program_part(device, address, from, part);
		} else {
			part = device->flash.backend->batch - address % device->flash.backend->batch;
			part = min_t(size_t, part, length - length % granule);
			error = program_granules(device, address, from, part);
		}
		address += part;
		from += part;
		length -= part;
	}
	return error;
}

const char *cxfw_flash_name(const struct cxfw_device *device)
{
	const struct cxfw_flash *flash = &device->flash;

	return flash->chip ? flash->chip->name : "";
}
