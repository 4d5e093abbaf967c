/* SPDX-License-Identifier: GPL-2.0-only */
/* Firmware images: checksums, what a model's images look like, makers of synthetic ones. */
#ifndef CXSIM_IMAGE_H
#define CXSIM_IMAGE_H

#include "os.h"
#include "model.h"

/* firmware-images.md 0.1 and 0.2. length is a multiple of 4 for the image CRC. */
#define CXSIM_CRC16_START	0xffff
u16 cxsim_crc16_add(u16 crc, const u8 *data, size_t length);
u16 cxsim_crc16_end(u16 crc);
u16 cxsim_crc16(const u8 *data, size_t length);
u16 cxsim_pointer_crc(u32 pointer);

static inline u32 cxsim_get_be32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static inline void cxsim_put_be32(u8 *p, u32 value)
{
	p[0] = (u8)(value >> 24);
	p[1] = (u8)(value >> 16);
	p[2] = (u8)(value >> 8);
	p[3] = (u8)value;
}

static inline u64 cxsim_get_be64(const u8 *p)
{
	return (u64)cxsim_get_be32(p) << 32 | cxsim_get_be32(p + 4);
}

static inline void cxsim_put_be64(u8 *p, u64 value)
{
	cxsim_put_be32(p, (u32)(value >> 32));
	cxsim_put_be32(p + 4, (u32)value);
}

/* What firmware and boot ROM of a model look like. */
struct cxsim_image_kind {
	const char *model;		/* a name of struct cxsim_parameters.model */
	u32 format;			/* 2: FS2, 4: FS4 */
	u16 pci_id;			/* what the image says; TLV 3 of FS2, IMAGE_INFO of FS4 */
	u16 hw_id;
	u8 hw_revision;
	bool two_boot2;			/* FS2: two BOOT2 blocks */
	u32 spi_generation;
	u32 flash_size;			/* default */
	u32 log2_slot;			/* FS4: slot; FS2: chunk of flashes of 2 MiB and more */
	u32 boot_register;		/* CR address of the boot address register */
	u32 boot_shift;
	u32 code_size;			/* default */
	const char *chip, *version, *psid, *name, *description, *prs;
};
const struct cxsim_image_kind *cxsim_image_kind(const char *model);	/* NULL: no such model */

/* From the slot's logical address to the flash's: firmware-images.md 0.4 */
u32 cxsim_slot_address(u32 logical, u32 log2_chunk, unsigned int slot);

/* Where image_*.c stand between the caller's parameters and the bytes. */
struct cxsim_image_plan {
	const struct cxsim_image_kind *kind;
	const struct cxsim_parameters *parameters;
	u32 version[3];
	u64 guid, mac;
	const char *psid, *vsd;
	u32 rom_size, code_size, flash_size;
	u64 random;
};
size_t cxsim_fs2_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);
size_t cxsim_fs4_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);
bool cxsim_fs2_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot);
bool cxsim_fs4_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot);

#endif /* CXSIM_IMAGE_H */
