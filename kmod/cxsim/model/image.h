/* SPDX-License-Identifier: GPL-2.0-only */
/* Firmware images: checksums and byte order, and the makers of synthetic ones. */
#ifndef CXSIM_IMAGE_H
#define CXSIM_IMAGE_H

#include "os.h"
#include "model.h"

struct cxsim_model;

#define CXSIM_MAGIC_BYTES	16
extern const u8 cxsim_magic_fs2[CXSIM_MAGIC_BYTES];
extern const u8 cxsim_magic_fs4[CXSIM_MAGIC_BYTES];

/* firmware-images.md 0.1: begin with CXSIM_CRC16_START, add pieces, end. */
#define CXSIM_CRC16_START	0xffff
u16 cxsim_crc16_add(u16 crc, const u8 *data, size_t length);
u16 cxsim_crc16_end(u16 crc);
u16 cxsim_crc16(const u8 *data, size_t length);
u16 cxsim_pointer_crc(u32 pointer);	/* firmware-images.md 0.2 */

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

/* From a slot's logical address to the flash's: firmware-images.md 0.4 */
u32 cxsim_slot_address(u32 logical, u32 log2_chunk, unsigned int slot);

/* Parameters with every default filled in, for the makers. */
struct cxsim_image_plan {
	const struct cxsim_model *model;
	const char *psid, *vsd;
	u32 version[3];
	u64 guid, mac;
	u32 rom_size, code_size, flash_size;
	u32 log2_chunk;
	u64 seed;
};

/*
 * A buffer that is written from its start on; with data NULL it only counts, so that the
 * length can be asked for before there is room.
 */
struct cxsim_writer {
	u8 *data;
	size_t room, at;
	bool overflow;
};
void cxsim_write(struct cxsim_writer *writer, const void *data, size_t length);
void cxsim_write_fill(struct cxsim_writer *writer, u8 value, size_t length);
void cxsim_write_be32(struct cxsim_writer *writer, u32 value);
void cxsim_write_text(struct cxsim_writer *writer, const char *text, size_t width);	/* NUL padded */
void cxsim_write_code(struct cxsim_writer *writer, u64 seed, size_t length);	/* bytes that look like code */
/* An option ROM: PCI image chain and version trailer, firmware-images.md 6.2. length is a multiple of 4. */
void cxsim_write_rom(struct cxsim_writer *writer, const struct cxsim_image_plan *plan, size_t length);
/* A zlib stream of stored blocks, zero padded to a dword. */
void cxsim_write_zlib(struct cxsim_writer *writer, const char *text, size_t length);
u32 cxsim_zlib_length(size_t length);

size_t cxsim_fs2_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);
size_t cxsim_fs4_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);

#endif /* CXSIM_IMAGE_H */
