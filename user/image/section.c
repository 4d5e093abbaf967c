// SPDX-License-Identifier: GPL-2.0-only
/* Names of the sections of FS3, FS4 and FS5: firmware-images.md 3.4. */
#include "toc.h"

static const struct {
	uint8_t type;
	const char *name;
} type_names[] = {
	{ 0x01, "BOOT_CODE" },	       { 0x02, "PCI_CODE" },
	{ 0x03, "MAIN_CODE" },	       { 0x04, "PCIE_LINK_CODE" },
	{ 0x05, "IRON_PREP_CODE" },    { 0x06, "POST_IRON_BOOT_CODE" },
	{ 0x07, "UPGRADE_CODE" },      { 0x08, "HW_BOOT_CFG" },
	{ 0x09, "HW_MAIN_CFG" },       { 0x0a, "PHY_UC_CODE" },
	{ 0x0b, "PHY_UC_CONSTS" },     { 0x0c, "PCIE_PHY_UC_CODE" },
	{ 0x0d, "CCIR_INFRA_CODE" },   { 0x0e, "CCIR_ALGO_CODE" },
	{ 0x0f, "BOOT3_CODE" },	       { 0x10, "IMAGE_INFO" },
	{ 0x11, "FW_BOOT_CFG" },       { 0x12, "FW_MAIN_CFG" },
	{ 0x14, "APU_KERNEL" },	       { 0x15, "ACE_CODE" },
	{ 0x18, "ROM_CODE" },	       { 0x20, "RESET_INFO" },
	{ 0x30, "DBG_FW_INI" },	       { 0x32, "DBG_FW_PARAMS" },
	{ 0x33, "FW_ADB" },	       { 0xa0, "IMAGE_SIGNATURE_256" },
	{ 0xa1, "PUBLIC_KEYS_2048" },  { 0xa2, "FORBIDDEN_VERSIONS" },
	{ 0xa3, "IMAGE_SIGNATURE_512" }, { 0xa4, "PUBLIC_KEYS_4096" },
	{ 0xa5, "HMAC_DIGEST" },       { 0xa6, "RSA_PUBLIC_KEY" },
	{ 0xa7, "RSA_4096_SIGNATURES" }, { 0xe0, "MFG_INFO" },
	{ 0xe1, "DEV_INFO" },	       { 0xe2, "NV_DATA1" },
	{ 0xe3, "VPD_R0" },	       { 0xe4, "NV_DATA2" },
	{ 0xe5, "FW_NV_LOG" },	       { 0xe6, "NV_DATA0" },
	{ 0xe7, "DEV_INFO1" },	       { 0xe8, "DEV_INFO2" },
	{ 0xe9, "CRDUMP_MASK_DATA" },  { 0xea, "FW_INTERNAL_USAGE" },
	{ 0xeb, "PROGRAMMABLE_HW_FW1" }, { 0xec, "PROGRAMMABLE_HW_FW2" },
	{ 0xed, "DIGITAL_CERT_PTR" },  { 0xee, "DIGITAL_CERT_RW" },
	{ 0xf2, "CERT_CHAIN_0" },      { 0xf3, "DIGITAL_CACERT_RW" },
};

const char *section_type_name(uint32_t type)
{
	size_t i;

	for (i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (type_names[i].type == type)
			return type_names[i].name;
	return "unknown section";
}
