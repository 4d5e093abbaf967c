// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which image the next reset shall take. Without it the next power cycle finds the image by
 * itself, so that a failure here is only a note: device-access.md 4.3, 4.4, 5.8.
 */
#include <linux/errno.h>

#include <asm/byteorder.h>

#include "plan_private.h"
#include "reg.h"

#define MFAI			0x9029
#define MFAI_BYTES		16
#define MFAI_USE_ADDRESS	0x40000000U
#define MFAI_ADDRESS_MOST	0xffffffU
#define MFRL			0x9028
#define MFRL_BYTES		8
#define MFRL_WARM_REBOOT	0x40U

/* Through firmware that runs: its own registers are not ours to write. */
static int name_to_firmware(struct cxfw_run *run)
{
	__be32 mfai[MFAI_BYTES / 4] = { cpu_to_be32(MFAI_USE_ADDRESS | run->start), 0, 0, 0 };
	__be32 mfrl[MFRL_BYTES / 4] = { 0, cpu_to_be32(MFRL_WARM_REBOOT) };
	int error;

	/* Its field has 24 bits: of a farther image it would name another place. */
	if (run->start > MFAI_ADDRESS_MOST)
		return cxfw_fail(run->device, -ERANGE, "MFAI cannot name %#x", run->start);
	error = cxfw_reg(run->device, MFAI, CXFW_METHOD_SET, mfai, sizeof(mfai), 0, NULL);

	return error ? error : cxfw_reg(run->device, MFRL, CXFW_METHOD_SET, mfrl, sizeof(mfrl), 0, NULL);
}

static int set_bit_of(struct cxfw_device *device, u32 address, u32 bit)
{
	u32 value;
	int error = cxfw_cr_read(device, address, &value);

	return error ? error : cxfw_cr_write(device, address, value | bit);
}

static int name_to_chip(struct cxfw_run *run)
{
	const struct cxfw_chip *chip = run->device->chip;
	int error = 0;

	if (chip->boot_address)
		error = cxfw_cr_write(run->device, chip->boot_address, run->start << chip->boot_shift);
	if (!error && chip->warm_reset_address)
		error = set_bit_of(run->device, chip->warm_reset_address, chip->warm_reset_bit);
	if (!error && chip->livefish_address && run->device->recovery)
		error = cxfw_cr_write(run->device, chip->livefish_address, 0);
	return error;
}

void cxfw_plan_name_image(struct cxfw_run *run)
{
	struct cxfw_device *device = run->device;
	int error;

	error = device->flash.access == CXFW_FLASH_ACCESS_MFBA ? name_to_firmware(run) : name_to_chip(run);
	if (error)
		pci_info(device->pdev, "cxfw: the next reset may not take the new image, a power cycle will: %s\n",
			 device->why);
	device->why[0] = '\0';
}
