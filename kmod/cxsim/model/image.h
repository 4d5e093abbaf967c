/* SPDX-License-Identifier: GPL-2.0-only */
/* Firmware images: checksums and byte order, and the makers of synthetic ones. */
#ifndef CXSIM_IMAGE_H
#define CXSIM_IMAGE_H

#include "os.h"
#include "model.h"

struct cxsim_model;

#if !defined(__KERNEL__) && !defined(__printf)
#define __printf(format, first)		/* the kernel's build checks it */
#endif

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
	p[0] = value >> 24 & 0xff;
	p[1] = value >> 16 & 0xff;
	p[2] = value >> 8 & 0xff;
	p[3] = value & 0xff;
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

/* log2 of half of a flash of that size, as slots of FS3 and FS4 are made; at most 0x18. */
u32 cxsim_half_log2(u32 flash_size);

/* SHA-256, for the plain digest of FS3 and FS4 images. */
struct cxsim_sha256 {
	u32 state[8];
	u8 block[64];
	u64 length;
};
void cxsim_sha256_begin(struct cxsim_sha256 *sha);
void cxsim_sha256_add(struct cxsim_sha256 *sha, const u8 *data, size_t length);
void cxsim_sha256_end(struct cxsim_sha256 *sha, u8 digest[32]);

/* What the makers work from: every default filled in. */
struct cxsim_image_plan {
	const struct cxsim_model *model;
	const char *psid, *vsd;
	u32 version[3];
	u32 date, time;			/* packed BCD yyyymmdd, 00hhmmss; they belong to the version */
	u64 guid, mac;
	u32 rom_size, code_size, flash_size;
	u32 log2_chunk;			/* FS3, FS4: slots of that size; 0: half of the flash */
	u32 signature;			/* 0 as the model has it, 1 none, 2 plain digest */
	u64 seed;
};
#define CXSIM_SMALL_CODE	2048U	/* up to here the other parts are made small as well */
u32 cxsim_plan_random(const struct cxsim_image_plan *plan, u32 purpose);

/*
 * A buffer that is written from its start on. Without data it only counts, so that the
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
void cxsim_write_be64(struct cxsim_writer *writer, u64 value);
void cxsim_write_text(struct cxsim_writer *writer, const char *text, size_t width);	/* NUL padded */
void cxsim_write_code(struct cxsim_writer *writer, u64 seed, size_t length);	/* bytes that look like code */
/* At most 255 characters. */
__printf(2, 3)
void cxsim_write_format(struct cxsim_writer *writer, const char *format, ...);
void cxsim_patch_be32(struct cxsim_writer *writer, size_t at, u32 value);
u16 cxsim_written_crc16(const struct cxsim_writer *writer, size_t from, size_t to);

/* An option ROM: PCI image chain and version trailers, firmware-images.md 6.2. */
u32 cxsim_rom_length(const struct cxsim_image_plan *plan);
void cxsim_write_rom(struct cxsim_writer *writer, const struct cxsim_image_plan *plan);
/* The board's ini text as a zlib stream of stored blocks, zero padded to a dword. */
void cxsim_write_ini(struct cxsim_writer *writer, const struct cxsim_image_plan *plan,
		     void (*text)(struct cxsim_writer *writer, const struct cxsim_image_plan *plan));

/* 0 with why filled when it cannot be; buffer NULL asks for the length. */
size_t cxsim_fs2_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);
size_t cxsim_fs3_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);
size_t cxsim_fs4_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why);
bool cxsim_fs2_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot);
bool cxsim_fs3_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot);
bool cxsim_fs4_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot);

#endif /* CXSIM_IMAGE_H */
