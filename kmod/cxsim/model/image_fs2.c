// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic FS2 images (ConnectX-2, -3, -3 Pro): firmware-images.md 2. */
#include "card.h"
#include "image.h"

#define FS2_HEADER		0x38
#define FS2_CRC			0x22
#define FS2_FAILSAFE		0x28
#define FS2_INFO		0x2c
#define FS2_SIZE		0x30
#define FS2_GUIDS		0x34
#define FS2_LAST		0xff000000U

enum fs2_section {
	FS2_DDR = 1,
	FS2_CONFIGURATION = 2,
	FS2_JUMP = 3,
	FS2_ROM = 5,
	FS2_GUID = 6,
	FS2_FW_CONFIGURATION = 9,
	FS2_IMAGE_INFO = 10,
};

#define DDR_MOST	12U

/* Bits 31:24 make the four bytes add up to 0. */
static u32 with_byte_sum(u32 value)
{
	u32 sum = (value >> 16) + (value >> 8) + value;

	return (value & 0xffffff) | ((0U - sum) & 0xff) << 24;
}

static u32 fs2_hash(const struct cxsim_image_plan *plan, u32 purpose)
{
	return cxsim_plan_random(plan, 0x1000 + purpose);
}

static void write_header(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	u32 revision = plan->model->hw_revision >= 0xa0 ? plan->model->hw_revision : 0;

	cxsim_write(writer, cxsim_magic_fs2, CXSIM_MAGIC_BYTES);
	cxsim_write_code(writer, cxsim_derive(plan->seed, 0x1001), 16);
	cxsim_write_be32(writer, revision << 24 | 0xffff);
	cxsim_write_be32(writer, 0x00000004);
	cxsim_write_be32(writer, with_byte_sum(8 | (plan->model->log2_chunk - 16)));
	cxsim_write_fill(writer, 0, 12);		/* pointers and size, patched later */
}

static void write_boot2(struct cxsim_writer *writer, const struct cxsim_image_plan *plan, u32 load, u32 dwords)
{
	size_t start = writer->at;

	cxsim_write_be32(writer, load);
	cxsim_write_be32(writer, dwords);
	cxsim_write_code(writer, cxsim_derive(plan->seed, load), dwords * 4);
	cxsim_write_be32(writer, load + 4);
	cxsim_write_be32(writer, cxsim_written_crc16(writer, start, writer->at));
}

static size_t begin_section(struct cxsim_writer *writer, enum fs2_section type, u32 parameter)
{
	size_t start = writer->at;

	cxsim_write_be32(writer, type);
	cxsim_write_be32(writer, 0);
	cxsim_write_be32(writer, parameter);
	cxsim_write_be32(writer, 0);
	return start;
}

static void end_section(struct cxsim_writer *writer, size_t start, bool last)
{
	size_t body = writer->at - start - 16;

	cxsim_patch_be32(writer, start + 4, (u32)(body / 4));
	cxsim_patch_be32(writer, start + 12, last ? FS2_LAST : (u32)writer->at + 4);
	cxsim_write_be32(writer, cxsim_written_crc16(writer, start, writer->at));
}

static void write_record(struct cxsim_writer *writer, u32 address, u32 data, u32 mask)
{
	cxsim_write_be32(writer, address);
	cxsim_write_be32(writer, data & mask);
	cxsim_write_be32(writer, mask);
}

/* Register settings without meaning, addresses rising from one to the other. */
static void write_records(struct cxsim_writer *writer, const struct cxsim_image_plan *plan, u32 from, u32 to)
{
	u32 address = from, n;

	for (n = 0; n < 60; n++) {
		u32 random = fs2_hash(plan, from + n);

		address += 4 + (random & 0x3c);
		if (address >= to)
			break;
		write_record(writer, address, ~random * 0x10001, random | 0xff);
	}
}

/* The version registers of device-access.md 6.2 are filled from here. */
static void write_configuration1(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	size_t start = begin_section(writer, FS2_CONFIGURATION, 0);
	u32 time = plan->time;

	write_record(writer, 0x1f064, plan->version[0] << 16, 0xffffffff);
	write_record(writer, 0x1f068, plan->version[1] << 16 | plan->version[2], 0xffffffff);
	write_record(writer, 0x1f06c, (time & 0xff) << 24 | (time & 0xff00) << 8 | (time >> 8 & 0xff00),
		     0xffffff00);
	write_record(writer, 0x1f070, plan->date, 0xffffffff);
	write_records(writer, plan, 0x1f200, 0x1fb00);
	write_record(writer, 0x1fd00, (u32)plan->model->pci_id << 16 | 0x15b3, 0xffffffff);
	write_record(writer, 0x1fd08, plan->model->class_code << 8, 0xffffff00);
	write_record(writer, 0x1fd2c, (u32)plan->model->subsystem_id << 16 | 0x15b3, 0xffffffff);
	write_records(writer, plan, 0x20000, 0xf0594);
	end_section(writer, start, false);
}

static void write_configuration2(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	size_t start = begin_section(writer, FS2_CONFIGURATION, 0);

	write_records(writer, plan, 0x12d50, 0x1e000);
	write_record(writer, 0x1f0b8, 0x15b30000, 0xffff00ff);
	write_record(writer, 0x1f0bc, plan->model->pci_id, 0x0000ffff);
	write_records(writer, plan, 0x21000, 0x5cf28);
	end_section(writer, start, false);
}

static void write_guids(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	size_t start = begin_section(writer, FS2_GUID, 0);
	unsigned int i;

	cxsim_patch_be32(writer, FS2_GUIDS, (u32)start + 16);
	for (i = 0; i < 4; i++)
		cxsim_write_be64(writer, plan->guid + i);
	for (i = 0; i < 2; i++)
		cxsim_write_be64(writer, plan->mac + i);
	end_section(writer, start, false);
}

static void write_tlv(struct cxsim_writer *writer, u32 id, u32 length)
{
	cxsim_write_be32(writer, id << 24 | length);
}

static void write_hw_ids(struct cxsim_writer *writer, const struct cxsim_model *model)
{
	bool also_first = model->hw_revision && model->hw_revision < 0x10;

	/* Early boards of a chip with a revision of 1 carry 0: the same image serves both. */
	write_tlv(writer, 10, also_first ? 12 : 8);
	if (also_first)
		cxsim_write_be32(writer, model->hw_id);
	cxsim_write_be32(writer, (u32)model->hw_revision << 16 | model->hw_id);
	cxsim_write_be32(writer, 0);
}

static void write_config_area(struct cxsim_writer *writer, const struct cxsim_model *model)
{
	bool sector_known = model->hw_id != 0x190;

	write_tlv(writer, 19, sector_known ? 12 : 8);
	cxsim_write_be32(writer, 2);
	cxsim_write_be32(writer, 0);
	if (sector_known)
		cxsim_write_be32(writer, 2);	/* 4 KiB */
}

static void write_prs_name(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	size_t at = writer->at;

	write_tlv(writer, 20, 0);
	cxsim_write_format(writer, "sim_%s.prs", plan->model->part_number);
	cxsim_write_fill(writer, 0, 4 - (writer->at & 3));
	cxsim_patch_be32(writer, at, 20U << 24 | (u32)(writer->at - at - 4));
}

static void write_product_version(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	char text[40];

	snprintf(text, sizeof(text), "%02u.%02u.%02u.%02u", plan->version[0], plan->version[1],
		 plan->version[2] / 100, plan->version[2] % 100);
	write_tlv(writer, 7, 16);
	cxsim_write_text(writer, text, 16);
}

static void write_image_info(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	size_t start = begin_section(writer, FS2_IMAGE_INFO, 0);

	cxsim_patch_be32(writer, FS2_INFO, with_byte_sum((u32)start + 16));
	write_tlv(writer, 0, 4);
	cxsim_write_be32(writer, 1);
	write_tlv(writer, 1, 8);
	cxsim_write_be32(writer, plan->version[0] << 16);
	cxsim_write_be32(writer, plan->version[1] << 16 | plan->version[2]);
	write_tlv(writer, 2, 8);
	cxsim_write_be32(writer, plan->time);
	cxsim_write_be32(writer, plan->date);
	write_tlv(writer, 3, 4);
	cxsim_write_be32(writer, plan->model->device_type);
	write_hw_ids(writer, plan->model);
	write_tlv(writer, 8, 4);
	cxsim_write_be32(writer, 0x15b3);
	write_tlv(writer, 4, 16);
	cxsim_write_text(writer, plan->psid, 16);
	write_tlv(writer, 5, 208);
	cxsim_write_text(writer, plan->vsd, 208);
	/* With a product version the vendor's tool refuses to exchange the ROM. */
	if (!(fs2_hash(plan, 0) & 3))
		write_product_version(writer, plan);
	write_tlv(writer, 11, 8);			/* asks for the check of the full CRC */
	cxsim_write_be32(writer, 2 << 16);
	cxsim_write_be32(writer, 0);
	write_config_area(writer, plan->model);
	write_prs_name(writer, plan);
	write_tlv(writer, 0xff, 0);
	end_section(writer, start, false);
}

struct ddr_part {
	u32 load, length;
};

/* Splits the code into sections of uneven length, one after the other in memory. */
static unsigned int split_code(const struct cxsim_image_plan *plan, struct ddr_part *parts)
{
	unsigned int count = 3 + fs2_hash(plan, 1) % (DDR_MOST - 2), i;
	u32 left = plan->code_size, load = 0x00102968;

	for (i = 0; i < count; i++) {
		u32 share = left / (count - i);
		u32 length = (share / 2 + fs2_hash(plan, 2 + i) % (share + 1)) & ~3U;

		if (i == count - 1)
			length = left;
		parts[i].load = load;
		parts[i].length = length;
		left -= length;
		load += (length + 0xfff) & ~0xfffU;
	}
	return count;
}

static void write_code(struct cxsim_writer *writer, const struct cxsim_image_plan *plan,
		       const struct ddr_part *parts, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		size_t start = begin_section(writer, FS2_DDR, parts[i].load);

		cxsim_write_code(writer, cxsim_derive(plan->seed, parts[i].load), parts[i].length);
		end_section(writer, start, false);
	}
}

static void write_jump(struct cxsim_writer *writer, const struct ddr_part *parts, unsigned int count)
{
	size_t start = begin_section(writer, FS2_JUMP, 0);
	unsigned int i;

	for (i = 0; i < count; i++) {
		cxsim_write_be32(writer, 0x1fb3c + 8 * i);
		cxsim_write_be32(writer, parts[i].load);
	}
	end_section(writer, start, false);
}

static void write_ini_text(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	const struct cxsim_model *model = plan->model;
	u32 size = plan->flash_size, log2 = 0;

	for (; size > 1; size >>= 1)
		log2++;
	cxsim_write_format(writer, ";; Simulated board, from ./sim_%s.prs\n\n[PS_INFO]\n", model->part_number);
	cxsim_write_format(writer, "Name = %s\nDescription = %s; simulated\nPRS_name = sim_%s.prs\n\n", model->part_number,
			   model->description, model->part_number);
	cxsim_write_format(writer, "[ADAPTER]\nPSID = %s\nadapter_dev_id = 0x%x\nsilicon_rev = 0x%x\n", plan->psid,
			   model->pci_id, model->hw_revision);
	cxsim_write_format(writer, "nv_config_sectors = 2\n\n[HCA]\nhca_header_device_id = 0x%x\n"
			   "hca_header_subsystem_id = 0x%04x\n\n", model->pci_id, model->subsystem_id);
	cxsim_write_format(writer, "[IB]\nnum_of_ports = Two_Ports\n\n[FW]\nlog_flashdev_size = %u\n"
			   "log_flash_sector_size = 2\n", log2);
}

static void write_fw_configuration(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	size_t start = begin_section(writer, FS2_FW_CONFIGURATION, 0);

	cxsim_write_ini(writer, plan, write_ini_text);
	end_section(writer, start, true);
}

size_t cxsim_fs2_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why)
{
	struct cxsim_writer writer = { .data = buffer, .room = room };
	u32 first = 100 + fs2_hash(plan, 0x50) % 100, second = 400 + fs2_hash(plan, 0x51) % 2000;
	struct ddr_part parts[DDR_MOST];
	unsigned int count = split_code(plan, parts);

	if (plan->code_size / count > 0x300000) {
		snprintf(why, CXSIM_WHY, "code of %u bytes does not fit into %u sections of at most 4 MiB",
			 plan->code_size, count);
		return 0;
	}
	if (plan->code_size <= CXSIM_SMALL_CODE)
		second = first;
	write_header(&writer, plan);
	write_boot2(&writer, plan, 0x00100040, first);
	if (plan->model->hw_id != 0x190)
		write_boot2(&writer, plan, 0x00100040 + 4 * first, second);
	write_configuration1(&writer, plan);
	if (plan->rom_size) {
		size_t start = begin_section(&writer, FS2_ROM, 0);

		cxsim_write_rom(&writer, plan);
		end_section(&writer, start, false);
	}
	write_guids(&writer, plan);
	write_image_info(&writer, plan);
	write_code(&writer, plan, parts, count);
	write_configuration2(&writer, plan);
	write_jump(&writer, parts, count);
	write_fw_configuration(&writer, plan);
	cxsim_patch_be32(&writer, FS2_SIZE, (u32)writer.at);
	if (writer.overflow) {
		snprintf(why, CXSIM_WHY, "the image does not fit into a buffer of %lu bytes", (unsigned long)room);
		return 0;
	}
	if (buffer)
		cxsim_put_be32(buffer + FS2_CRC - 2, (cxsim_get_be32(buffer + FS2_CRC - 2) & 0xffff0000) |
			       cxsim_crc16(buffer, writer.at));
	return writer.at;
}

bool cxsim_fs2_place(const u8 *image, size_t length, u8 *flash, size_t flash_size, unsigned int slot)
{
	u32 failsafe, log2, chunk;
	size_t at;

	if (length < FS2_HEADER || length > flash_size)
		return false;
	failsafe = cxsim_get_be32(image + FS2_FAILSAFE);
	if (!(failsafe & 8)) {
		if (slot)
			return false;
		memcpy(flash, image, length);
		return true;
	}
	log2 = 16 + (failsafe & 7);
	chunk = 1U << log2;
	for (at = 0; at < length; at += chunk) {
		size_t part = length - at < chunk ? length - at : chunk;
		u32 to = cxsim_slot_address((u32)at, log2, slot);

		if (to > flash_size || part > flash_size - to)
			return false;
	}
	for (at = 0; at < length; at += chunk)
		memcpy(flash + cxsim_slot_address((u32)at, log2, slot), image + at,
		       length - at < chunk ? length - at : chunk);
	return true;
}
