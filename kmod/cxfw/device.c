// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "device.h"
#include "reg.h"
#include "semaphore.h"

#define IDENTITY 0xf0014
#define CLASS_INFINIBAND 0x0c06
#define CR_SECURE_HOST 0xbad0cafeU
#define RUNNING_VERSION 0x1f064	/* mlx4: 6.2 */
#define OWNER_MARK 0xcf000001U	/* no process id looks like this */

__printf(4, 0) static void remember(struct cxfw_device *device, enum cxfw_semaphore semaphore, u32 value,
				   const char *format, va_list arguments)
{
	device->semaphore = semaphore;
	device->semaphore_value = value;
	vscnprintf(device->why, sizeof(device->why), format, arguments);
}

int cxfw_fail(struct cxfw_device *device, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	remember(device, CXFW_SEMAPHORE_NONE, 0, format, arguments);
	va_end(arguments);
	return error;
}

int cxfw_fail_semaphore(struct cxfw_device *device, int error, enum cxfw_semaphore semaphore, u32 value,
			const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	remember(device, semaphore, value, format, arguments);
	va_end(arguments);
	return error;
}

int cxfw_sleep(struct cxfw_device *device, unsigned int microseconds)
{
	if (microseconds < 10000)
		usleep_range(microseconds, microseconds + microseconds / 2);
	else if (device->finishing)
		msleep(microseconds / 1000);
	else
		schedule_timeout_killable(msecs_to_jiffies(microseconds / 1000) + 1);
	if (device->finishing)
		return 0;
	if (READ_ONCE(device->gone))
		return cxfw_fail(device, -ENODEV, "the card was unplugged");
	if (fatal_signal_pending(current))
		return cxfw_fail(device, -EINTR, "interrupted by a signal");
	return 0;
}

int cxfw_device_present(struct cxfw_device *device)
{
	u32 ids;

	cxfw_config_read(device, PCI_VENDOR_ID, &ids);
	if ((ids & 0xffff) == CXFW_VENDOR_MELLANOX)
		return 0;
	return cxfw_fail(device, -ENODEV, "the function does not answer (configuration space reads %#x): unplugged, in reset or without power",
			 ids);
}

static int refuse_virtual(struct cxfw_device *device, struct pci_dev *pdev)
{
	if (pdev->is_virtfn)
		return cxfw_fail(device, -EOPNOTSUPP,
				 "this is a virtual function; firmware operations belong to its physical function %s",
				 pci_name(pci_physfn(pdev)));
	return cxfw_fail(device, -EOPNOTSUPP,
			 "this is a virtual function; firmware operations belong to its physical function, which this machine does not have");
}

static bool may_have_vsc(const struct pci_dev *pdev)
{
	u32 class = pdev->class >> 8;

	return pdev->hdr_type == PCI_HEADER_TYPE_NORMAL &&
	       (class >> 8 == PCI_BASE_CLASS_NETWORK || class == CLASS_INFINIBAND);
}

/* -EOPNOTSUPP: none of the capabilities is one, and why tells about the last. */
static int find_vsc(struct cxfw_device *device, struct pci_dev *pdev)
{
	int error = cxfw_fail(device, -EOPNOTSUPP, "no vendor specific capability");
	int capability;

	if (!may_have_vsc(pdev))
		return cxfw_fail(device, -EOPNOTSUPP, "class %06x, header type %u is no network adapter's",
				 pdev->class, pdev->hdr_type);
	for (capability = pci_find_capability(pdev, PCI_CAP_ID_VNDR); capability;
	     capability = pci_find_next_capability(pdev, capability, PCI_CAP_ID_VNDR)) {
		error = cxfw_gateway_vsc_probe(device, capability);
		if (error != -EOPNOTSUPP)
			break;
	}
	return error;
}

static int find_gateway(struct cxfw_device *device, struct pci_dev *pdev, const struct cxfw_chip *chip,
			bool recovery)
{
	int error = find_vsc(device, pdev);

	/* mlx4's VSC, where there is one, is not a way in: whatever it answered does not count. */
	if (chip && chip->conf_gateway && error && error != -ENODEV && error != -EINTR)
		return cxfw_gateway_conf_probe(device);
	if (error == -EOPNOTSUPP && recovery)
		return cxfw_gateway_conf_probe(device);
	if (error == -EOPNOTSUPP && !chip) {
		char what[CXFW_WHY_LENGTH / 2];

		strscpy(what, device->why, sizeof(what));
		return cxfw_fail(device, error, "device id %04x is not known, and is left alone: %s", pdev->device, what);
	}
	return error;
}

static int identify(struct cxfw_device *device)
{
	u32 identity;
	int error = cxfw_cr_read(device, IDENTITY, &identity);

	if (error)
		return error;
	if (identity == CR_SECURE_HOST)
		return cxfw_fail(device, -EACCES, "CR-space is locked (secure host): CR %#x reads %#x", IDENTITY, identity);
	if (identity == CXFW_CR_DENIED)
		return cxfw_fail(device, -EACCES, "CR-space is not accessible: CR %#x reads %#x", IDENTITY, identity);
	device->hw_id = identity & 0xffff;
	device->hw_revision = identity >> 16 & 0xff;
	if (!device->hw_id || device->hw_id == 0xffff)
		return cxfw_fail(device, -EIO, "CR %#x reads %#x, which is no hardware id", IDENTITY, identity);
	if (device->chip && device->chip->hw_id != device->hw_id)
		return cxfw_fail(device, -EIO, "hardware id %#x, expected %#x of a %s", device->hw_id,
				 device->chip->hw_id, device->chip->name);
	return 0;
}

int cxfw_device_open(struct cxfw_device *device, struct pci_dev *pdev)
{
	int error;

	memset(device, 0, offsetof(struct cxfw_device, pdev));
	device->pdev = pdev;
	device->owner = OWNER_MARK | (get_random_u32() & 0xffffff);
	if (pdev->vendor != CXFW_VENDOR_MELLANOX)
		return cxfw_fail(device, -ENODEV, "vendor %04x is not %04x", pdev->vendor, CXFW_VENDOR_MELLANOX);
	if (pdev->is_virtfn || cxfw_is_virtual_id(pdev->device))
		return refuse_virtual(device, pdev);
	error = cxfw_device_present(device);
	if (error)
		return error;
	device->chip = cxfw_chip_by_pci_id(pdev->device, &device->recovery);
	error = find_gateway(device, pdev, device->chip, device->recovery);
	if (!error)
		error = identify(device);
	if (error)
		device->gateway.ops = NULL;
	else
		device->why[0] = '\0';
	return error;
}

void cxfw_device_close(struct cxfw_device *device)
{
	if (device->flash.locked)
		cxfw_flash_unlock(device);
	cxfw_gateway_end(device);
	device->gateway.ops = NULL;
}

static int mlx4_version(struct cxfw_device *device, u32 version[3], u32 *date)
{
	u32 words[4];
	int error = cxfw_gateway_begin(device);

	if (error)
		return error;
	error = cxfw_gateway_read_block(device, CXFW_SPACE_CR, RUNNING_VERSION, words, ARRAY_SIZE(words));
	cxfw_gateway_end(device);
	if (error)
		return error;
	version[0] = words[0] >> 16;
	version[1] = words[1] >> 16;
	version[2] = words[1] & 0xffff;
	*date = words[3];
	return 0;
}

#define MGIR_SEND 4
#define MGIR_RECEIVE 0x50

static int mlx5_version(struct cxfw_device *device, u32 version[3], u32 *date)
{
	__be32 mgir[MGIR_RECEIVE / 4] = { 0 };
	u32 legacy, day;
	int error = cxfw_reg(device, CXFW_REG_MGIR, CXFW_METHOD_GET, mgir, MGIR_SEND, MGIR_RECEIVE, NULL);

	if (error)
		return error;
	version[0] = be32_to_cpu(mgir[0x44 / 4]);
	version[1] = be32_to_cpu(mgir[0x48 / 4]);
	version[2] = be32_to_cpu(mgir[0x4c / 4]);
	if (!version[0] && !version[1] && !version[2]) {
		legacy = be32_to_cpu(mgir[0x20 / 4]);
		version[0] = legacy >> 16 & 0xff;
		version[1] = legacy >> 8 & 0xff;
		version[2] = legacy & 0xff;
	}
	day = be32_to_cpu(mgir[0x28 / 4]);	/* month, day, year */
	*date = day << 16 | (day >> 24) << 8 | (day >> 16 & 0xff);
	return 0;
}

int cxfw_running_version(struct cxfw_device *device, u32 version[3], u32 *date)
{
	if (device->recovery)
		return cxfw_fail(device, -ENODATA, "no firmware runs: the card is in recovery mode");
	if (device->chip && device->chip->family == CXFW_FAMILY_MLX4)
		return mlx4_version(device, version, date);
	return mlx5_version(device, version, date);
}
