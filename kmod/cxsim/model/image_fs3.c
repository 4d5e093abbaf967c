// SPDX-License-Identifier: GPL-2.0-only
/*
 * Synthetic FS3 images (ConnectX-4 Lx): firmware-images.md 3. A file ends with the card's
 * own data near the end of the first 16 MiB, which the one table of contents names too.
 */
#include "card.h"
#include "image_toc.h"

#define FS3_VERSION		0x24
#define FS3_HEADER_CRC		0x34
#define FS3_BOOT2		0x38
#define FS3_UNIT		0x1000U
#define FS3_DEVICE_AREA		0x60000
#define FS3_REACH		0x1000000U	/* device data lies below this */
#define FS3_LOG2_MOST		0x18
#define DEVICE_ENTRY		0x02		/* byte 0x19 of an entry */

/* Where the slots and device data end on a flash of that size. */
static u32 device_end(u32 flash_size)
{
	return flash_size < FS3_REACH ? flash_size : FS3_REACH;
}

static void put_header(const struct cxsim_toc_builder *builder)
{
	u8 *flash = builder->flash;
	struct cxsim_writer writer = { .data = flash + CXSIM_MAGIC_BYTES, .room = 0x14 };

	memset(flash, 0, FS3_BOOT2);
	memcpy(flash, cxsim_magic_fs2, CXSIM_MAGIC_BYTES);
	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, 0x4001), 0x14);
	cxsim_put_be32(flash + FS3_VERSION, 0x03000101 | builder->log2_slot << 16);
	cxsim_put_be32(flash + FS3_HEADER_CRC, cxsim_crc16(flash, FS3_HEADER_CRC));
}

/* Returns where the file ends. */
static u32 put_device_data(struct cxsim_toc_builder *builder)
{
	const struct cxsim_image_plan *plan = builder->plan;
	u32 end = device_end(plan->flash_size), vpd;

	cxsim_device_put_nv(cxsim_device_add(builder, CXSIM_NV_DATA0, end - 0x60000, 0x10000, CXSIM_CRC_NONE),
			    plan, 0x4201);
	cxsim_device_put_nv(cxsim_device_add(builder, CXSIM_NV_DATA2, end - 0x50000, 0x10000, CXSIM_CRC_NONE),
			    plan, 0x4202);
	cxsim_device_put_info(cxsim_device_add(builder, CXSIM_DEV_INFO, end - 0x12000, 0x200, CXSIM_CRC_IN_ENTRY),
			      plan, true, false);
	cxsim_device_put_mfg(cxsim_device_add(builder, CXSIM_MFG_INFO, end - 0x8000, 0x140, CXSIM_CRC_IN_ENTRY), plan);
	vpd = cxsim_device_put_vpd(builder->flash + end - 0x7000, plan);
	cxsim_device_add(builder, CXSIM_VPD_R0, end - 0x7000, vpd, CXSIM_CRC_IN_ENTRY);
	return end - 0x7000 + vpd;
}

static bool place_slots(struct cxsim_toc_builder *builder, char *why)
{
	u32 end = device_end(builder->plan->flash_size), log2 = builder->plan->log2_chunk, slot;

	if (!log2)
		log2 = cxsim_half_log2(end);
	if (log2 > FS3_LOG2_MOST || log2 < 16) {
		snprintf(why, CXSIM_WHY, "slots of 2^%u bytes: FS3 has 2^16 to 2^24", log2);
		return false;
	}
	slot = 1U << log2;
	if (end < slot || end - slot <= FS3_DEVICE_AREA) {
		snprintf(why, CXSIM_WHY, "two slots of %u bytes and device data do not fit into %u", slot, end);
		return false;
	}
	builder->log2_slot = log2;
	builder->limit = slot;
	if (end - FS3_DEVICE_AREA - slot < slot)
		builder->limit = end - FS3_DEVICE_AREA - slot;
	return true;
}

static u32 vpd_length(const struct cxsim_image_plan *plan)
{
	u8 vpd[0x400];

	return cxsim_device_put_vpd(vpd, plan);
}

size_t cxsim_fs3_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why)
{
	struct cxsim_toc_builder builder = { .plan = plan, .flash = buffer, .fs3 = true };
	size_t length;

	if (plan->flash_size < 1U << 21 || plan->flash_size & (plan->flash_size - 1)) {
		snprintf(why, CXSIM_WHY, "flash size %u: expected a power of two from 2 MiB on", plan->flash_size);
		return 0;
	}
	length = device_end(plan->flash_size) - 0x7000 + vpd_length(plan);
	if (!buffer)
		return length;
	if (room < length) {
		snprintf(why, CXSIM_WHY, "the image does not fit into a buffer of %lu bytes", (unsigned long)room);
		return 0;
	}
	memset(buffer, 0xff, length);
	if (!place_slots(&builder, why))
		return 0;
	put_header(&builder);
	builder.itoc = (cxsim_toc_put_boot2(&builder, FS3_BOOT2) + FS3_UNIT - 1) & ~(FS3_UNIT - 1);
	builder.at = builder.itoc + 2 * FS3_UNIT;
	if (!cxsim_toc_add_firmware(&builder)) {
		snprintf(why, CXSIM_WHY, "code of %u and ROM of %u bytes do not fit into a slot of %u",
			 plan->code_size, plan->rom_size, builder.limit);
		return 0;
	}
	put_device_data(&builder);
	cxsim_toc_put_itoc(&builder);
	if (builder.signature) {
		cxsim_toc_put_digest(&builder);
		cxsim_toc_put_itoc(&builder);
	}
	return length;
}

/* From the first boundary behind BOOT2 on; 0 when there is none. */
static u32 find_itoc(const u8 *image, size_t length)
{
	size_t at = FS3_UNIT;

	for (; at < length && length - at >= FS3_UNIT && at <= 0x10000; at += FS3_UNIT)
		if (!memcmp(image + at, "ITOC", 4) && !memcmp(image + at + 4, cxsim_toc_signature, 12))
			return (u32)at;
	return 0;
}

/*
 * Walks the table: *end becomes the firmware's, flash (when not NULL) gets what belongs to
 * the card. False when an entry does not make sense.
 */
static bool walk(const u8 *image, size_t length, u32 itoc, u32 *end, u8 *flash, size_t flash_size)
{
	const u8 *entry = image + itoc + CXSIM_TOC_ENTRY;
	unsigned int i;

	*end = itoc + 2 * FS3_UNIT;
	for (i = 1; i < 64; i++, entry += CXSIM_TOC_ENTRY) {
		u32 size = cxsim_get_be32(entry) & 0xfffffc, address = cxsim_get_be32(entry + 0x14) & 0x7ffffffc;
		bool device = entry[0x19] & DEVICE_ENTRY;

		if (entry[0] == CXSIM_SECTION_END)
			return true;
		if (address > length || size > length - address)
			return false;
		if (device && (address > flash_size || size > flash_size - address))
			return false;
		if (device && flash)
			memcpy(flash + address, image + address, size);
		if (!device && address + size > *end)
			*end = address + size;
	}
	return false;
}

bool cxsim_fs3_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot)
{
	u32 itoc, end, start;

	if (length < 2 * FS3_UNIT || memcmp(image, cxsim_magic_fs2, CXSIM_MAGIC_BYTES) || image[FS3_VERSION] != 3)
		return false;
	itoc = find_itoc(image, length);
	if (!itoc || !walk(image, length, itoc, &end, NULL, flash_size))
		return false;
	start = slot ? 1U << (image[FS3_VERSION + 1] & 0x1f) : 0;
	if (start > flash_size || end > flash_size - start || end > length)
		return false;
	walk(image, length, itoc, &end, flash, flash_size);
	memcpy(flash + start, image, end);
	return true;
}
