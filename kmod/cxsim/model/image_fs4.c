// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic FS4 images (ConnectX-5): firmware-images.md 4. A file is the whole flash. */
#include "card.h"
#include "image_toc.h"

#define FS4_POINTERS		0x18
#define FS4_BOOT_RECORD		0x100
#define FS4_TOOLS		0x500
#define FS4_BOOT2		0x1000
#define FS4_ITOC		0x5000
#define FS4_FIRST_SECTION	0x7000		/* a second place for the ITOC stays free before it */
#define FS4_DEVICE_AREA		0x70000		/* from the first device section to the end of the flash */
#define FS4_LOG2_MOST		0x18

static void put_fixed_parts(const struct cxsim_toc_builder *builder)
{
	u32 pointers[16] = { FS4_BOOT_RECORD, FS4_BOOT2, FS4_ITOC, FS4_TOOLS }, i;
	struct cxsim_writer writer = { .data = builder->flash + FS4_BOOT_RECORD, .room = 0x400 };
	u8 *flash = builder->flash, *tools = flash + FS4_TOOLS;

	memcpy(flash, cxsim_magic_fs4, CXSIM_MAGIC_BYTES);
	cxsim_put_be32(flash + 0x10, 0x01000100);
	pointers[10] = builder->info;
	for (i = 0; i < ARRAY_SIZE(pointers); i++) {
		cxsim_put_be32(flash + FS4_POINTERS + 8 * i, pointers[i]);
		cxsim_put_be32(flash + FS4_POINTERS + 8 * i + 4, cxsim_pointer_crc(pointers[i]));
	}
	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, 0x4001), 0x400);
	memset(tools, 0, 0x40);
	cxsim_put_be32(tools + 4, builder->log2_slot << 16 | 0x0100);
	cxsim_put_be32(tools + 0x3c, cxsim_crc16(tools, 0x3c));
	cxsim_toc_put_boot2(builder, FS4_BOOT2);
}

static void put_device_data(struct cxsim_toc_builder *builder)
{
	const struct cxsim_image_plan *plan = builder->plan;
	u32 end = plan->flash_size, vpd;

	cxsim_device_put_nv(cxsim_device_add(builder, CXSIM_FW_NV_LOG, end - 0x70000, 0x20000, CXSIM_CRC_NONE),
			    plan, 0x4200);
	cxsim_device_put_nv(cxsim_device_add(builder, CXSIM_NV_DATA0, end - 0x50000, 0x10000, CXSIM_CRC_NONE),
			    plan, 0x4201);
	cxsim_device_put_nv(cxsim_device_add(builder, CXSIM_NV_DATA2, end - 0x40000, 0x10000, CXSIM_CRC_NONE),
			    plan, 0x4202);
	cxsim_device_put_info(cxsim_device_add(builder, CXSIM_DEV_INFO, end - 0x30000, 0x200, CXSIM_CRC_IN_SECTION),
			      plan, true, true);
	cxsim_device_put_info(cxsim_device_add(builder, CXSIM_DEV_INFO, end - 0x20000, 0x200, CXSIM_CRC_IN_SECTION),
			      plan, false, true);
	cxsim_device_put_mfg(cxsim_device_add(builder, CXSIM_MFG_INFO, end - 0x8000, 0x140, CXSIM_CRC_IN_ENTRY), plan);
	vpd = cxsim_device_put_vpd(builder->flash + end - 0x7000, plan);
	cxsim_device_add(builder, CXSIM_VPD_R0, end - 0x7000, vpd, CXSIM_CRC_IN_ENTRY);
	cxsim_toc_put_dtoc(builder, end - 0x1000);
}

static bool place_slots(struct cxsim_toc_builder *builder, char *why)
{
	u32 size = builder->plan->flash_size, log2 = builder->plan->log2_chunk, slot;

	if (!log2)
		log2 = cxsim_half_log2(size);
	if (log2 > FS4_LOG2_MOST || log2 < 16) {
		snprintf(why, CXSIM_WHY, "slots of 2^%u bytes: FS4 has 2^16 to 2^24", log2);
		return false;
	}
	slot = 1U << log2;
	if (size < slot || size - slot <= FS4_DEVICE_AREA) {
		snprintf(why, CXSIM_WHY, "two slots of %u bytes and device data do not fit into a flash of %u", slot, size);
		return false;
	}
	builder->log2_slot = log2;
	/* The second slot holds the device area where it reaches to the end of the flash. */
	builder->limit = slot;
	if (size - FS4_DEVICE_AREA - slot < slot)
		builder->limit = size - FS4_DEVICE_AREA - slot;
	return true;
}

size_t cxsim_fs4_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why)
{
	struct cxsim_toc_builder builder = {
		.plan = plan, .flash = buffer, .itoc = FS4_ITOC, .at = FS4_FIRST_SECTION,
	};

	if (plan->flash_size < 1U << 21 || plan->flash_size & (plan->flash_size - 1)) {
		snprintf(why, CXSIM_WHY, "flash size %u: expected a power of two from 2 MiB on", plan->flash_size);
		return 0;
	}
	if (!buffer)
		return plan->flash_size;
	if (room < plan->flash_size) {
		snprintf(why, CXSIM_WHY, "the image does not fit into a buffer of %lu bytes", (unsigned long)room);
		return 0;
	}
	memset(buffer, 0xff, plan->flash_size);
	if (!place_slots(&builder, why))
		return 0;
	if (!cxsim_toc_add_firmware(&builder)) {
		snprintf(why, CXSIM_WHY, "code of %u and ROM of %u bytes do not fit into a slot of %u",
			 plan->code_size, plan->rom_size, builder.limit);
		return 0;
	}
	if (cxsim_toc_random(&builder, 6) & 1)
		cxsim_put_be32(buffer + builder.info + 0x12c, builder.at);
	put_fixed_parts(&builder);
	cxsim_toc_put_itoc(&builder);
	if (builder.signature) {
		cxsim_toc_put_digest(&builder);
		cxsim_toc_put_itoc(&builder);
	}
	put_device_data(&builder);
	return plan->flash_size;
}

/* End of the last section, 0 when the ITOC does not make sense. */
static u32 image_end(const u8 *image, size_t length)
{
	u32 itoc, i, end = 0;

	if (length < 0x1000 || memcmp(image, cxsim_magic_fs4, CXSIM_MAGIC_BYTES))
		return 0;
	itoc = cxsim_get_be32(image + FS4_POINTERS + 8 * 2);
	/* The second place of the table. */
	if (itoc < length && length - itoc >= 0x2000 && memcmp(image + itoc, "ITOC", 4))
		itoc += 0x1000;
	if (itoc > length || length - itoc < 0x1000 || memcmp(image + itoc, "ITOC", 4))
		return 0;
	for (i = 1; i < 64; i++) {
		const u8 *entry = image + itoc + CXSIM_TOC_ENTRY * i;
		u32 size = cxsim_get_be32(entry) & 0xfffffc, address = cxsim_get_be32(entry + 0x14) & 0x7ffffffc;

		if (entry[0] == CXSIM_SECTION_END)
			return end;
		if (address > length || size > length - address)
			return 0;
		if (address + size > end)
			end = address + size;
	}
	return 0;
}

static bool place_device_data(const u8 *image, size_t length, u8 *flash)
{
	const u8 *dtoc = image + length - 0x1000;
	u32 i;

	if (memcmp(dtoc, "DTOC", 4))
		return false;
	memcpy(flash + length - 0x1000, dtoc, 0x1000);
	for (i = 1; i < 64; i++) {
		const u8 *entry = dtoc + CXSIM_TOC_ENTRY * i;
		u32 size = cxsim_get_be32(entry) & 0xfffffc, address = cxsim_get_be32(entry + 0x14) & 0x7ffffffc;

		if (entry[0] == CXSIM_SECTION_END)
			return true;
		if (address > length || size > length - address)
			return false;
		memcpy(flash + address, image + address, size);
	}
	return false;
}

bool cxsim_fs4_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot)
{
	u32 end = image_end(image, length), start, tools;

	if (!end)
		return false;
	tools = cxsim_get_be32(image + FS4_POINTERS + 8 * 3);
	if (tools > length || length - tools < 0x40)
		return false;
	start = slot ? 1U << (cxsim_get_be32(image + tools + 4) >> 16 & 0x1f) : 0;
	if (start > flash_size || end > flash_size - start)
		return false;
	/* A file that ends with its last section carries no device data. */
	if (length != end && (length != flash_size || !place_device_data(image, length, flash)))
		return false;
	memcpy(flash + start, image, end);
	return true;
}
