/* SPDX-License-Identifier: GPL-2.0-only */
/* The chips that the driver knows: Documentation/reference/device-access.md 1.2. */
#ifndef CXFW_CHIPS_H
#define CXFW_CHIPS_H

#include <linux/types.h>

#include "../uapi/cxfw.h"

#define CXFW_VENDOR_MELLANOX 0x15b3

struct cxfw_chip {
	const char *name;		/* "ConnectX-3 Pro" */
	u32 hw_id;
	enum cxfw_family family;
	u32 format;			/* CXFW_FORMAT_* of its images: firmware-images.md 1.5 */
	u32 ready_address;		/* CR address whose bit 31 is 0 when firmware is ready; 0: none */
	u32 flash_generation;		/* 4 ... 7: device-access.md 5.1 */
	u32 guard_offset, guard_command;	/* CR addresses of the cache-replacement guard; 0: none */
	u32 guard_offset_mask, guard_command_mask;
	u32 boot_address;		/* CR address of the boot address register; 0: none */
	u32 boot_shift;			/* its value is the address shifted left by this */
	u32 warm_reset_address, warm_reset_bit;	/* CR register and bit that go with it; 0: none */
	u32 livefish_address;		/* CR word that says "booted without firmware"; 0: none */
	const u16 *pci_ids;		/* physical functions, 0 ends */
	u16 recovery_id;		/* PCI id when booted without firmware */
	bool conf_gateway;		/* 0x58/0x5c may be used on a running function */
	bool four_byte_address;		/* flash of 32 MiB and more is addressed with four bytes */
};

const struct cxfw_chip *cxfw_chip_by_pci_id(u16 pci_id, bool *recovery);
const struct cxfw_chip *cxfw_chip_by_hw_id(u32 hw_id);
bool cxfw_is_virtual_id(u16 pci_id);

#endif /* CXFW_CHIPS_H */
