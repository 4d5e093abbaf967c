/* SPDX-License-Identifier: GPL-2.0-only */
/* What the makers of images with a table of contents (FS3, FS4) share: firmware-images.md 3.2 - 3.6, 4.7. */
#ifndef CXSIM_IMAGE_TOC_H
#define CXSIM_IMAGE_TOC_H

#include "image.h"

#define CXSIM_TOC_ENTRY			0x20
#define CXSIM_SECTIONS_MOST		20
#define CXSIM_DEVICE_SECTIONS_MOST	8

enum cxsim_toc_section {
	CXSIM_PCI_CODE = 0x02,
	CXSIM_MAIN_CODE = 0x03,
	CXSIM_PCIE_LINK_CODE = 0x04,
	CXSIM_IRON_PREP_CODE = 0x05,
	CXSIM_HW_BOOT_CFG = 0x08,
	CXSIM_HW_MAIN_CFG = 0x09,
	CXSIM_PHY_UC_CODE = 0x0a,
	CXSIM_IMAGE_INFO = 0x10,
	CXSIM_FW_BOOT_CFG = 0x11,
	CXSIM_FW_MAIN_CFG = 0x12,
	CXSIM_ROM_CODE = 0x18,
	CXSIM_DBG_FW_INI = 0x30,
	CXSIM_FW_ADB = 0x33,
	CXSIM_SIGNATURE_256 = 0xa0,
	CXSIM_PUBLIC_KEYS_2048 = 0xa1,
	CXSIM_MFG_INFO = 0xe0,
	CXSIM_DEV_INFO = 0xe1,
	CXSIM_VPD_R0 = 0xe3,
	CXSIM_NV_DATA2 = 0xe4,
	CXSIM_FW_NV_LOG = 0xe5,
	CXSIM_NV_DATA0 = 0xe6,
	CXSIM_SECTION_END = 0xff,
};

enum cxsim_crc_mode { CXSIM_CRC_IN_ENTRY, CXSIM_CRC_NONE, CXSIM_CRC_IN_SECTION };

struct cxsim_toc_entry {
	u8 type;
	u8 mode;			/* enum cxsim_crc_mode */
	bool device;			/* belongs to the card, not to its firmware */
	u32 address, size;
	u32 load, entry;
};

/* sections[] are the firmware's, in the order of their addresses; device[] the card's own. */
struct cxsim_toc_builder {
	const struct cxsim_image_plan *plan;
	u8 *flash;
	bool fs3;
	u32 log2_slot;
	u32 limit;			/* where sections must end */
	u32 itoc;
	u32 at;				/* next section */
	unsigned int count, device_count;
	struct cxsim_toc_entry sections[CXSIM_SECTIONS_MOST], device[CXSIM_DEVICE_SECTIONS_MOST];
	u32 info;			/* address of IMAGE_INFO */
	bool signature;
};

extern const u8 cxsim_toc_signature[12];
extern const u8 cxsim_dev_info_signature[16];

u32 cxsim_toc_random(const struct cxsim_toc_builder *builder, u32 purpose);
/* Every section of the firmware, from builder->at on. False: they do not fit. */
bool cxsim_toc_add_firmware(struct cxsim_toc_builder *builder);
/* BOOT2 at an offset; returns the offset behind it. */
u32 cxsim_toc_put_boot2(const struct cxsim_toc_builder *builder, u32 at);
/* A table at an address: FS3's has all entries, FS4's ITOC the firmware's. */
void cxsim_toc_put_itoc(const struct cxsim_toc_builder *builder);
void cxsim_toc_put_dtoc(const struct cxsim_toc_builder *builder, u32 at);
/* Digest into its section; the table is to be put again. */
void cxsim_toc_put_digest(struct cxsim_toc_builder *builder);

/* image_device.c: bytes of the card's own data; each returns where they go or how long they are. */
u8 *cxsim_device_add(struct cxsim_toc_builder *builder, u8 type, u32 address, u32 size, enum cxsim_crc_mode mode);
void cxsim_device_put_info(u8 *to, const struct cxsim_image_plan *plan, bool valid, bool crc_inside);
void cxsim_device_put_mfg(u8 *to, const struct cxsim_image_plan *plan);
u32 cxsim_device_put_vpd(u8 *to, const struct cxsim_image_plan *plan);
void cxsim_device_put_nv(u8 *to, const struct cxsim_image_plan *plan, u32 purpose);

void cxsim_put_text(u8 *to, const char *text, size_t width);	/* NUL padded */

#endif /* CXSIM_IMAGE_TOC_H */
