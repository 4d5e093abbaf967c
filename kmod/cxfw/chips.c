// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>

#include "chips.h"

static const u16 ids_connectx2[] = {
	0x6340, 0x634a, 0x6354, 0x6368, 0x6372, 0x6732, 0x673c, 0x6746, 0x6750, 0x675a, 0x6764, 0x676e, 0
};
static const u16 ids_connectx3[] = { 0x1003, 0 };
static const u16 ids_connectx3pro[] = { 0x1007, 0 };
static const u16 ids_connectib[] = { 0x1011, 0 };
static const u16 ids_connectx4[] = { 0x1013, 0 };
static const u16 ids_connectx4lx[] = { 0x1015, 0 };
static const u16 ids_connectx5[] = { 0x1017, 0x1019, 0 };
static const u16 ids_connectx6[] = { 0x101b, 0 };
static const u16 ids_connectx6dx[] = { 0x101d, 0 };
static const u16 ids_connectx6lx[] = { 0x101f, 0 };
static const u16 ids_connectx7[] = { 0x1021, 0 };
static const u16 ids_connectx8[] = { 0x1023, 0 };
static const u16 ids_connectx9[] = { 0x1025, 0 };
static const u16 ids_bluefield[] = { 0xa2d2, 0xa2d0, 0xa2d1, 0 };
static const u16 ids_bluefield2[] = { 0xa2d6, 0xa2d4, 0xa2d5, 0 };
static const u16 ids_bluefield3[] = { 0xa2dc, 0xa2da, 0xa2db, 0 };

static const u16 virtual_ids[] = {
	0x1002, 0x1004, 0x1012, 0x1014, 0x1016, 0x1018, 0x101a, 0x101c, 0x101e, 0xa2d3
};

/* Ready register 3.1, generation 5.1, guard 5.7, boot register and warm reset 5.8. */

#define MLX4_BOOT .boot_address = 0xf0000, .boot_shift = 8
#define MLX4 \
	.family = CXFW_FAMILY_MLX4, .format = CXFW_FORMAT_FS2, .flash_generation = 4, \
	.conf_gateway = true

#define GUARD_5 \
	.guard_offset = 0xf0408, .guard_offset_mask = 0x03ffffff, \
	.guard_command = 0xf040c, .guard_command_mask = 0x00ff0000

#define GUARD_6 \
	.guard_offset = 0xf0444, .guard_offset_mask = 0xffffffff, \
	.guard_command = 0xf0448, .guard_command_mask = 0x00ff0000

#define GUARD_7 \
	.guard_offset = 0xf0484, .guard_offset_mask = 0xffffffff, \
	.guard_command = 0xf0488, .guard_command_mask = 0xff000000

#define GUARD_8 \
	.guard_offset = 0x8a1204, .guard_offset_mask = 0xffffffff, \
	.guard_command = 0x8a1208, .guard_command_mask = 0xff000000

#define WARM_RESET_5 .warm_reset_address = 0xf0204, .warm_reset_bit = 0x2

#define MLX5_4 \
	.family = CXFW_FAMILY_MLX5, .format = CXFW_FORMAT_FS3, .flash_generation = 5, \
	.ready_address = 0xb0004, GUARD_5, \
	.boot_address = 0xf0000, .boot_shift = 8

#define MLX5_5 \
	.family = CXFW_FAMILY_MLX5, .format = CXFW_FORMAT_FS4, .flash_generation = 5, .ready_address = 0xb5e04, GUARD_5, \
	.boot_address = 0xf00c0, WARM_RESET_5

#define MLX5_6 \
	.family = CXFW_FAMILY_MLX5, .format = CXFW_FORMAT_FS4, .flash_generation = 5, .ready_address = 0xb5f04, GUARD_6, \
	.boot_address = 0xf0080, .four_byte_address = true, \
	.warm_reset_address = 0xf0c28, .warm_reset_bit = 0x4

#define MLX5_7 \
	.family = CXFW_FAMILY_MLX5, .format = CXFW_FORMAT_FS4, .flash_generation = 6, .ready_address = 0xb5f04, GUARD_7, \
	.boot_address = 0xf2000, .four_byte_address = true

#define MLX5_8 \
	.family = CXFW_FAMILY_MLX5, .format = CXFW_FORMAT_FS5, .flash_generation = 7, .ready_address = 0xa0304, GUARD_8, \
	.boot_address = 0xf8008, .four_byte_address = true, .livefish_address = 0xf813c

static const struct cxfw_chip chips[] = {
	/* 5.8 lists no boot register of ConnectX-2, and what is not known is not written. */
	{ .name = "ConnectX-2", .hw_id = 0x190, .recovery_id = 0x191, .pci_ids = ids_connectx2, MLX4 },
	{ .name = "ConnectX-3", .hw_id = 0x1f5, .recovery_id = 0x1f6, .pci_ids = ids_connectx3, MLX4,
	  MLX4_BOOT },
	{ .name = "ConnectX-3 Pro", .hw_id = 0x1f7, .recovery_id = 0x1f8, .pci_ids = ids_connectx3pro, MLX4,
	  MLX4_BOOT },
	{ .name = "Connect-IB", .hw_id = 0x1ff, .recovery_id = 0x1ff, .pci_ids = ids_connectib, MLX5_4 },
	{ .name = "ConnectX-4", .hw_id = 0x209, .recovery_id = 0x209, .pci_ids = ids_connectx4, MLX5_4,
	  WARM_RESET_5 },
	{ .name = "ConnectX-4 Lx", .hw_id = 0x20b, .recovery_id = 0x20b, .pci_ids = ids_connectx4lx, MLX5_4,
	  WARM_RESET_5 },
	{ .name = "ConnectX-5", .hw_id = 0x20d, .recovery_id = 0x20d, .pci_ids = ids_connectx5, MLX5_5 },
	{ .name = "ConnectX-6", .hw_id = 0x20f, .recovery_id = 0x20f, .pci_ids = ids_connectx6, MLX5_6 },
	{ .name = "ConnectX-6 Dx", .hw_id = 0x212, .recovery_id = 0x212, .pci_ids = ids_connectx6dx, MLX5_6 },
	{ .name = "ConnectX-6 Lx", .hw_id = 0x216, .recovery_id = 0x216, .pci_ids = ids_connectx6lx, MLX5_6 },
	{ .name = "ConnectX-7", .hw_id = 0x218, .recovery_id = 0x218, .pci_ids = ids_connectx7, MLX5_7 },
	{ .name = "ConnectX-8", .hw_id = 0x21e, .recovery_id = 0x21e, .pci_ids = ids_connectx8, MLX5_8 },
	{ .name = "ConnectX-9", .hw_id = 0x224, .recovery_id = 0x224, .pci_ids = ids_connectx9, MLX5_8 },
	{ .name = "BlueField", .hw_id = 0x211, .recovery_id = 0x211, .pci_ids = ids_bluefield, MLX5_5 },
	{ .name = "BlueField-2", .hw_id = 0x214, .recovery_id = 0x214, .pci_ids = ids_bluefield2, MLX5_6 },
	{ .name = "BlueField-3", .hw_id = 0x21c, .recovery_id = 0x21c, .pci_ids = ids_bluefield3, MLX5_7 },
};

static bool has_pci_id(const struct cxfw_chip *chip, u16 pci_id)
{
	const u16 *id;

	for (id = chip->pci_ids; *id; id++)
		if (*id == pci_id)
			return true;
	return false;
}

const struct cxfw_chip *cxfw_chip_by_pci_id(u16 pci_id, bool *recovery)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++) {
		*recovery = chips[i].recovery_id == pci_id;
		if (*recovery || has_pci_id(&chips[i], pci_id))
			return &chips[i];
	}
	*recovery = false;
	return NULL;
}

const struct cxfw_chip *cxfw_chip_by_hw_id(u32 hw_id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (chips[i].hw_id == hw_id)
			return &chips[i];
	return NULL;
}

bool cxfw_is_virtual_id(u16 pci_id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(virtual_ids); i++)
		if (virtual_ids[i] == pci_id)
			return true;
	return false;
}
