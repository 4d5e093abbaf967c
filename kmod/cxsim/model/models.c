// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of models. Configuration space as real functions show it [10.2]; a further
 * model is a row here, and code only where it really differs.
 */
#include "card.h"

#define CAP_POWER	0x01
#define CAP_VPD		0x03
#define CAP_VENDOR	0x09
#define CAP_PCIE	0x10
#define CAP_MSIX	0x11

static const struct cxsim_capability connectx2_chain[] = {
	{ 0x40, CAP_POWER }, { 0x48, CAP_VPD }, { 0x9c, CAP_MSIX }, { 0x60, CAP_PCIE }, { 0, 0 },
};

static const struct cxsim_capability connectx3_chain[] = {
	{ 0x40, CAP_POWER }, { 0x48, CAP_VPD }, { 0x9c, CAP_MSIX }, { 0x60, CAP_PCIE }, { 0, 0 },
};

static const struct cxsim_capability connectx3_vsc_chain[] = {
	{ 0x40, CAP_POWER }, { 0x48, CAP_VPD }, { 0x9c, CAP_MSIX }, { 0x60, CAP_PCIE }, { 0xc0, CAP_VENDOR },
	{ 0, 0 },
};

static const struct cxsim_capability connectx5_chain[] = {
	{ 0x60, CAP_PCIE }, { 0x48, CAP_VPD }, { 0x9c, CAP_MSIX }, { 0xc0, CAP_VENDOR }, { 0x40, CAP_POWER },
	{ 0, 0 },
};

static const struct cxsim_capability unknown_chain[] = {
	{ 0x60, CAP_PCIE }, { 0x48, CAP_VPD }, { 0x9c, CAP_MSIX }, { 0x40, CAP_POWER }, { 0, 0 },
};

static const struct cxsim_capability recovery_chain[] = {
	{ 0x40, CAP_POWER }, { 0x60, CAP_PCIE }, { 0, 0 },
};

static const struct cxsim_capability virtual_chain[] = {
	{ 0x60, CAP_PCIE }, { 0x9c, CAP_MSIX }, { 0, 0 },
};

static const struct cxsim_extended connectx2_extended[] = {
	{ 0x100, 0x0e, 1 }, { 0x148, 0x03, 1 }, { 0, 0, 0 },
};

static const struct cxsim_extended connectx3_extended[] = {
	{ 0x100, 0x0e, 1 }, { 0x148, 0x03, 1 }, { 0x154, 0x01, 2 }, { 0x18c, 0x19, 1 }, { 0, 0, 0 },
};

static const struct cxsim_extended connectx5_extended[] = {
	{ 0x100, 0x01, 2 }, { 0x150, 0x0e, 1 }, { 0x1c0, 0x19, 1 }, { 0x230, 0x0d, 1 }, { 0, 0, 0 },
};

/* PCIe generation 4 brings 0x320 and on. */
static const struct cxsim_extended connectx6_extended[] = {
	{ 0x100, 0x01, 2 }, { 0x150, 0x0e, 1 }, { 0x1c0, 0x19, 1 }, { 0x230, 0x0d, 1 }, { 0x320, 0x27, 1 },
	{ 0x370, 0x26, 1 }, { 0x420, 0x25, 1 }, { 0, 0, 0 },
};

static const struct cxsim_extended connectx7_extended[] = {
	{ 0x100, 0x01, 2 }, { 0x150, 0x0e, 1 }, { 0x1c0, 0x19, 1 }, { 0x230, 0x0d, 1 }, { 0x320, 0x27, 1 },
	{ 0x370, 0x26, 1 }, { 0x3b0, 0x2a, 1 }, { 0x420, 0x25, 1 }, { 0, 0, 0 },
};

static const struct cxsim_layout connectx2_layout = {
	.capabilities = connectx2_chain,
	.power = 0x0003,
	.msix_count = 128,
	.msix_table = 0x7c000,
	.msix_pba = 0x7d000,
	.device_capabilities = 0x17e88fc2,
	.device_control = 0x2810,
	.link_capabilities = 0x00000482,
	.link_status = 0x1082,
	.extended = connectx2_extended,
};

static const struct cxsim_layout connectx3_layout = {
	.capabilities = connectx3_chain,
	.power = 0x0003,
	.msix_count = 128,
	.msix_table = 0x7c000,
	.msix_pba = 0x7d000,
	.device_capabilities = 0x17e88fc2,
	.device_control = 0x2810,
	.link_capabilities = 0x00000483,
	.link_status = 0x1083,
	.extended = connectx3_extended,
};

static const struct cxsim_layout connectx3_vsc_layout = {
	.capabilities = connectx3_vsc_chain,
	.power = 0x0003,
	.msix_count = 128,
	.msix_table = 0x7c000,
	.msix_pba = 0x7d000,
	.device_capabilities = 0x17e88fc2,
	.device_control = 0x2810,
	.link_capabilities = 0x00000483,
	.link_status = 0x1083,
	.extended = connectx3_extended,
};

static const struct cxsim_layout connectx5_layout = {
	.capabilities = connectx5_chain,
	.power = 0x81c3,
	.msix_count = 64,
	.msix_table = 0x2000,
	.msix_pba = 0x3000,
	.device_capabilities = 0x11e08fe2,
	.device_control = 0x2910,
	.link_capabilities = 0x00417103,
	.link_status = 0x1103,
	.extended = connectx5_extended,
};

static const struct cxsim_layout connectx6_layout = {
	.capabilities = connectx5_chain,
	.power = 0x81c3,
	.msix_count = 64,
	.msix_table = 0x2000,
	.msix_pba = 0x3000,
	.device_capabilities = 0x11e08fe2,
	.device_control = 0x2910,
	.link_capabilities = 0x00417104,
	.link_status = 0x1104,
	.extended = connectx6_extended,
};

static const struct cxsim_layout connectx7_layout = {
	.capabilities = connectx5_chain,
	.power = 0x81c3,
	.msix_count = 64,
	.msix_table = 0x2000,
	.msix_pba = 0x3000,
	.device_capabilities = 0x11e08fe2,
	.device_control = 0x2910,
	.link_capabilities = 0x00417105,
	.link_status = 0x1105,
	.extended = connectx7_extended,
};

static const struct cxsim_layout connectx4_layout = {
	.capabilities = connectx5_chain,
	.power = 0x81c3,
	.msix_count = 64,
	.msix_table = 0x2000,
	.msix_pba = 0x3000,
	.device_capabilities = 0x11e08fe2,
	.device_control = 0x2910,
	.link_capabilities = 0x00417083,
	.link_status = 0x1083,
	.extended = connectx5_extended,
};

static const struct cxsim_layout unknown_layout = {
	.capabilities = unknown_chain,
	.power = 0x81c3,
	.msix_count = 64,
	.msix_table = 0x2000,
	.msix_pba = 0x3000,
	.device_capabilities = 0x11e08fe2,
	.device_control = 0x2910,
	.link_capabilities = 0x00417103,
	.link_status = 0x1103,
	.extended = connectx5_extended,
};

static const struct cxsim_layout recovery_layout = {
	.capabilities = recovery_chain,
	.power = 0x0002,
	.device_capabilities = 0x00008fe2,
	.device_control = 0x2810,
	.link_capabilities = 0x00417103,
	.link_status = 0x1103,
};

static const struct cxsim_layout virtual_layout = {
	.capabilities = virtual_chain,
	.msix_count = 12,
	.msix_table = 0x2000,
	.msix_pba = 0x3000,
	.device_capabilities = 0x10008fe2,
};

/* Where running firmware of these chips shows that it fetches from flash; both mstflint generations. */
static const struct cxsim_cr_value connectx5_guards[] = {
	{ 0xf0408, 0x00123400 }, { 0xf040c, 0x00030000 }, { 0, 0 },
};

static const struct cxsim_cr_value connectx6_guards[] = {
	{ 0xf0444, 0x00123400 }, { 0xf0448, 0x00030000 }, { 0xf0408, 0x00123400 }, { 0xf040c, 0x00030000 }, { 0, 0 },
};

static const struct cxsim_cr_value connectx7_guards[] = {
	{ 0xf0484, 0x00123400 }, { 0xf0488, 0x03000000 }, { 0, 0 },
};

static const struct cxsim_cr_value no_guards[] = {
	{ 0, 0 },
};

#define CONNECTX2_COMMON \
	.family = CXSIM_MLX4, .format = CXSIM_FS2, \
	.functions = 1, .virtual_id = 0x1002, .virtual = &virtual_layout, .recovery = &recovery_layout, \
	.spi_generation = 4, .guards = no_guards, \
	.boot_address = 0xf0000, .boot_shift = 8, \
	.chip = "W25QxxBV", .log2_chunk = 19, .oui = 0x0002c9

#define CONNECTX3_COMMON \
	.hw_id = 0x1f5, .hw_revision = 1, .pci_id = 0x1003, .recovery_id = 0x1f6, .device_type = 0x1003, \
	.class_code = 0x028000, .subsystem_id = 0x0050, .tools_hcr = true, \
	.family = CXSIM_MLX4, .format = CXSIM_FS2, \
	.functions = 1, .virtual_id = 0x1004, .virtual = &virtual_layout, .recovery = &recovery_layout, \
	.spi_generation = 4, .guards = no_guards, \
	.boot_address = 0xf0000, .boot_shift = 8, \
	.chip = "W25QxxBV", .flash_size = 0x200000, .log2_chunk = 19, .oui = 0x0002c9, \
	.psid = "MT_1090120019", .version = "2.42.5000", .part_number = "MCX354A-FCBT", \
	.board = "CX354A - ConnectX-3 QSFP", .pcie_text = "PCIeGen3 x8", .engineering = "A3", \
	.description = "ConnectX-3 VPI adapter card; dual-port QSFP; FDR IB and 40GigE; PCIe3.0 x8"

#define CONNECTX3PRO_COMMON \
	.hw_id = 0x1f7, .hw_revision = 0, .pci_id = 0x1007, .recovery_id = 0x1f8, .device_type = 0x1007, \
	.class_code = 0x020000, .subsystem_id = 0x0079, .tools_hcr = true, \
	.family = CXSIM_MLX4, .format = CXSIM_FS2, \
	.functions = 1, .virtual_id = 0x1004, .virtual = &virtual_layout, .recovery = &recovery_layout, \
	.spi_generation = 4, .guards = no_guards, \
	.boot_address = 0xf0000, .boot_shift = 8, \
	.chip = "W25QxxBV", .flash_size = 0x200000, .log2_chunk = 19, .oui = 0x0002c9, \
	.psid = "MT_1200111023", .version = "2.42.5000", .part_number = "MCX312B-XCCT", \
	.board = "CX312B - ConnectX-3 Pro SFP+", .pcie_text = "PCIeGen3 x8", .engineering = "A4", \
	.description = "ConnectX-3 Pro EN adapter card; dual-port SFP+; 10GigE; PCIe3.0 x8"

#define CONNECTX5_COMMON \
	.family = CXSIM_MLX5, .format = CXSIM_FS4, \
	.spi_generation = 5, .guards = connectx5_guards, .boot_address = 0xf00c0, \
	.recovery = &recovery_layout, .virtual = &virtual_layout, \
	.class_code = 0x020000, .chip = "W25QxxBV", .flash_size = 0x1000000, .log2_chunk = 23, .oui = 0xec0d9a, \
	.pcie_text = "PCIeGen3 x16", .engineering = "A5"

#define CONNECTX6_COMMON \
	.family = CXSIM_MLX5, .format = CXSIM_FS4, .vsc = CXSIM_VSC_PROPER, \
	.hw_id = 0x20f, .pci_id = 0x101b, .recovery_id = 0x20f, .virtual_id = 0x101c, .device_type = 0x101b, \
	.functions = 2, .subsystem_id = 0x0007, .class_code = 0x020700, \
	.ready_address = 0xb5f04, .spi_generation = 5, .guards = connectx6_guards, .boot_address = 0xf0080, \
	.life_cycle_address = 0xf0060, \
	.running = &connectx6_layout, .recovery = &recovery_layout, .virtual = &virtual_layout, \
	.chip = "W25Qxxx", .flash_size = 0x2000000, .log2_chunk = 24, .oui = 0xb8cef6, \
	.psid = "MT_0000000223", .version = "20.39.1002", .part_number = "MCX653106A-HDAT", \
	.board = "ConnectX-6 VPI adapter card, H200Gb/s, dual-port QSFP56, PCIe4.0 x16", \
	.description = "ConnectX-6 VPI adapter card; HDR IB (200Gb/s) and 200GbE; dual-port QSFP56; PCIe4.0 x16", \
	.pcie_text = "PCIeGen4 x16", .engineering = "AF"

const struct cxsim_model cxsim_models[] = {
	{
		.name = "connectx2", CONNECTX2_COMMON,
		.hw_id = 0x190, .hw_revision = 0xb0, .pci_id = 0x673c, .recovery_id = 0x191, .device_type = 26428,
		.class_code = 0x0c0600, .subsystem_id = 0x0002, .pci_revision = 0xb0,
		.running = &connectx2_layout, .flash_size = 0x200000,
		.psid = "MT_0D81120009", .version = "2.9.1000", .part_number = "MHQH29C-XTR",
		.board = "MHQH29C - ConnectX-2 VPI", .pcie_text = "PCIe Gen2 x8", .engineering = "A2",
		.description = "ConnectX-2 VPI adapter card; dual-port QSFP; QDR IB; PCIe2.0 x8",
	},
	{
		.name = "connectx3", CONNECTX3_COMMON, .running = &connectx3_layout,
	},
	{
		.name = "connectx3-vsc", CONNECTX3_COMMON, .running = &connectx3_vsc_layout,
		.vsc = CXSIM_VSC_USELESS,
	},
	{
		.name = "connectx3pro", CONNECTX3PRO_COMMON, .running = &connectx3_layout,
	},
	{
		.name = "connectx3pro-vsc", CONNECTX3PRO_COMMON, .running = &connectx3_vsc_layout,
		.vsc = CXSIM_VSC_USELESS,
	},
	{
		.name = "connectx4lx", .family = CXSIM_MLX5, .format = CXSIM_FS3,
		.hw_id = 0x20b, .pci_id = 0x1015, .recovery_id = 0x20b, .virtual_id = 0x1016, .device_type = 0x1015,
		.class_code = 0x020000, .functions = 2, .subsystem_id = 0x0003,
		.vsc = CXSIM_VSC_PROPER, .ready_address = 0xb0004,
		.running = &connectx4_layout, .recovery = &recovery_layout, .virtual = &virtual_layout,
		.spi_generation = 5, .guards = connectx5_guards, .boot_address = 0xf0000, .boot_shift = 8,
		.chip = "W25QxxBV", .flash_size = 0x1000000, .log2_chunk = 23, .oui = 0x248a07,
		.psid = "MT_2420110034", .version = "14.32.1010", .part_number = "MCX4121A-ACAT",
		.board = "CX4121A - ConnectX-4 LX SFP28", .pcie_text = "PCIeGen3 x8", .engineering = "A9",
		.description = "ConnectX-4 Lx EN network interface card; 25GbE dual-port SFP28; PCIe3.0 x8; ROHS R6",
	},
	{
		.name = "connectx5", CONNECTX5_COMMON,
		.hw_id = 0x20d, .pci_id = 0x1017, .recovery_id = 0x20d, .virtual_id = 0x1018, .device_type = 0x1017,
		.functions = 2, .subsystem_id = 0x0008, .ready_address = 0xb5e04, .vsc = CXSIM_VSC_PROPER,
		.running = &connectx5_layout,
		.psid = "MT_0000000011", .version = "16.32.1010", .part_number = "MCX516A-CCAT",
		.board = "ConnectX-5 EN network interface card, 100GbE dual-port QSFP28, PCIe3.0 x16",
		.description = "ConnectX-5 EN network interface card; 100GbE dual-port QSFP28; PCIe3.0 x16",
	},
	{
		.name = "connectx6", CONNECTX6_COMMON, .secure = true, .life_cycle = CXSIM_GA_SECURED,
	},
	{
		.name = "connectx6-open", CONNECTX6_COMMON, .life_cycle = CXSIM_GA_NON_SECURED,
	},
	{
		.name = "connectx7",
		.family = CXSIM_MLX5, .format = CXSIM_FS4, .vsc = CXSIM_VSC_PROPER,
		.hw_id = 0x218, .pci_id = 0x1021, .recovery_id = 0x218, .virtual_id = 0x101e, .device_type = 0x1021,
		.functions = 2, .subsystem_id = 0x0041, .class_code = 0x020000,
		.ready_address = 0xb5f04, .spi_generation = 6, .guards = connectx7_guards, .boot_address = 0xf2000,
		.life_cycle_address = 0xf0000, .life_cycle_shift = 4, .life_cycle = CXSIM_GA_NON_SECURED,
		.running = &connectx7_layout, .recovery = &recovery_layout, .virtual = &virtual_layout,
		.chip = "W25Qxxx", .flash_size = 0x2000000, .log2_chunk = 24, .oui = 0x946dae,
		.psid = "MT_0000000838", .version = "28.39.1002", .part_number = "MCX755106AS-HEAT",
		.board = "NVIDIA ConnectX-7 adapter card, 200GbE dual-port QSFP112, PCIe5.0 x16",
		.description = "NVIDIA ConnectX-7 adapter card; 200GbE / NDR200 IB; dual-port QSFP112; PCIe5.0 x16",
		.pcie_text = "PCIeGen5 x16", .engineering = "A8",
	},
	{
		.name = "unknown-vsc", CONNECTX5_COMMON,
		.hw_id = 0x2f9, .pci_id = 0x10f9, .recovery_id = 0x2f9, .virtual_id = 0x101e, .device_type = 0x10f9,
		.functions = 1, .subsystem_id = 0x0099, .vsc = CXSIM_VSC_PROPER,
		.running = &connectx5_layout,
		.psid = "MT_0000009999", .version = "99.1.1000", .part_number = "MCX999999A",
		.board = "Adapter of a family to come", .description = "Adapter of a family to come",
	},
	{
		.name = "unknown", CONNECTX5_COMMON,
		.hw_id = 0x2fb, .pci_id = 0x10fb, .recovery_id = 0x2fb, .virtual_id = 0x101e, .device_type = 0x10fb,
		.functions = 1, .subsystem_id = 0x009a,
		.running = &unknown_layout,
		.psid = "MT_0000009998", .version = "98.1.1000", .part_number = "MCX999998A",
		.board = "Adapter without a gateway", .description = "Adapter without a gateway",
	},
	{ .name = NULL },
};

const struct cxsim_model *cxsim_model_find(const char *name)
{
	const struct cxsim_model *model;

	for (model = cxsim_models; model->name; model++)
		if (!strcmp(model->name, name))
			return model;
	return NULL;
}

u64 cxsim_derive(u64 seed, u32 purpose)
{
	u64 x = seed + 0x9e3779b97f4a7c15ULL * (purpose + 1);

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static const char *text_or(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

bool cxsim_parameters_complete(const struct cxsim_parameters *given, struct cxsim_parameters *complete,
			       const struct cxsim_model **model_found, char *why)
{
	const char *name = text_or(given->model, "connectx5");
	const struct cxsim_model *model = cxsim_model_find(name);
	u64 low = cxsim_derive(given->seed, 1) & 0xfffff0;
	bool usual;

	if (!model) {
		scnprintf(why, CXSIM_WHY, "no such model: %.40s", name);
		return false;
	}
	*complete = *given;
	complete->model = model->name;
	complete->psid = text_or(given->psid, model->psid);
	complete->version = text_or(given->version, model->version);
	complete->vsd = given->vsd ? given->vsd : "";
	/* The model's usual part, else whatever is made in that size. */
	usual = !given->flash_size || cxsim_chip_is_made(model->chip, given->flash_size);
	complete->chip = text_or(given->chip, usual ? model->chip : "");
	/* A base GUID is the MAC with 16 bits between vendor and number. */
	if (!complete->guid)
		complete->guid = model->oui << 40 | 0x0300000000ULL | low;
	if (!complete->mac)
		complete->mac = model->oui << 24 | low;
	if (!complete->flash_size && (!given->chip || !*given->chip))
		complete->flash_size = model->flash_size;
	*model_found = model;
	return true;
}
