// SPDX-License-Identifier: GPL-2.0-only
/* What belongs to the card and not to its firmware, on FS3 and FS4: firmware-images.md 3.6, 3.7, 4.4. */
#include "card.h"
#include "image_toc.h"

#define DEV_INFO_BYTES	0x200
#define MFG_INFO_BYTES	0x140

const u8 cxsim_dev_info_signature[16] = {
	0x6d, 0x44, 0x65, 0x76, 0x49, 0x6e, 0x66, 0x6f, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

u8 *cxsim_device_add(struct cxsim_toc_builder *builder, u8 type, u32 address, u32 size, enum cxsim_crc_mode mode)
{
	struct cxsim_toc_entry *entry = &builder->device[builder->device_count++];

	memset(entry, 0, sizeof(*entry));
	entry->type = type;
	entry->address = address;
	entry->size = size;
	entry->mode = mode;
	entry->device = true;
	return builder->flash + address;
}

static void put_ids(u8 *to, const struct cxsim_image_plan *plan)
{
	cxsim_put_be32(to, 0x00000108);			/* 8 of them, one apart */
	cxsim_put_be64(to + 0x08, plan->guid);
	cxsim_put_be32(to + 0x10, 0x00000108);
	cxsim_put_be64(to + 0x18, plan->mac);
}

void cxsim_device_put_info(u8 *to, const struct cxsim_image_plan *plan, bool valid, bool crc_inside)
{
	memset(to, 0, DEV_INFO_BYTES);
	if (valid)
		memcpy(to, cxsim_dev_info_signature, sizeof(cxsim_dev_info_signature));
	cxsim_put_be32(to + 0x10, 0x00000200);
	put_ids(to + 0x20, plan);
	cxsim_put_be32(to + 0x6c, 0x15b3);
	cxsim_put_text(to + 0x70, plan->vsd, 208);
	if (crc_inside)
		cxsim_put_be32(to + 0x1fc, cxsim_crc16(to, 0x1fc));
}

void cxsim_device_put_mfg(u8 *to, const struct cxsim_image_plan *plan)
{
	memset(to, 0, MFG_INFO_BYTES);
	cxsim_put_text(to, plan->psid, 16);
	cxsim_put_be32(to + 0x1c, 0x01010001);
	put_ids(to + 0x20, plan);
	snprintf((char *)to + 0x60, 96, "sim_%s.prs", plan->model->part_number);
}

u32 cxsim_device_put_vpd(u8 *to, const struct cxsim_image_plan *plan)
{
	size_t name = strlen(plan->model->description), part = strlen(plan->model->part_number);
	struct cxsim_writer writer = { .data = to, .room = 0x400 };
	u8 head[3] = { 0x82, (u8)name, 0 };

	cxsim_write(&writer, head, 3);
	cxsim_write(&writer, plan->model->description, name);
	head[0] = 0x90;
	head[1] = (u8)(3 + part + 4);
	cxsim_write(&writer, head, 3);
	cxsim_write_format(&writer, "PN%c%s", (int)part, plan->model->part_number);
	cxsim_write(&writer, "RV\x01", 3);
	cxsim_write_fill(&writer, 0, 1);
	cxsim_write_fill(&writer, 0x78, 1);
	cxsim_write_fill(&writer, 0, -writer.at & 3);
	return (u32)writer.at;
}

/* Something that a careless burn would lose. */
void cxsim_device_put_nv(u8 *to, const struct cxsim_image_plan *plan, u32 purpose)
{
	struct cxsim_writer writer = { .data = to, .room = 64 };

	cxsim_write_code(&writer, cxsim_derive(plan->seed, purpose), 64);
}
