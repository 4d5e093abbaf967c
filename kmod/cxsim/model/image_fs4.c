// SPDX-License-Identifier: GPL-2.0-only
/* Synthetic FS4 images (ConnectX-5): firmware-images.md 4. A file is the whole flash. */
#include "card.h"
#include "image.h"

#define FS4_POINTERS		0x18
#define FS4_BOOT_RECORD		0x100
#define FS4_TOOLS		0x500
#define FS4_BOOT2		0x1000
#define FS4_ITOC		0x5000
#define FS4_FIRST_SECTION	0x7000		/* a second place for the ITOC stays free before it */
#define FS4_DEVICE_AREA		0x70000		/* from the first device section to the end of the flash */
#define TOC_ENTRY		0x20
#define SECTIONS_MOST		20
#define DEVICE_SECTIONS_MOST	8
#define INFO_BYTES		0x400
#define DEV_INFO_BYTES		0x200
#define MFG_INFO_BYTES		0x140

enum fs4_section {
	FS4_PCI_CODE = 0x02,
	FS4_MAIN_CODE = 0x03,
	FS4_PCIE_LINK_CODE = 0x04,
	FS4_IRON_PREP_CODE = 0x05,
	FS4_HW_BOOT_CFG = 0x08,
	FS4_HW_MAIN_CFG = 0x09,
	FS4_PHY_UC_CODE = 0x0a,
	FS4_IMAGE_INFO = 0x10,
	FS4_FW_BOOT_CFG = 0x11,
	FS4_FW_MAIN_CFG = 0x12,
	FS4_ROM_CODE = 0x18,
	FS4_DBG_FW_INI = 0x30,
	FS4_FW_ADB = 0x33,
	FS4_SIGNATURE_256 = 0xa0,
	FS4_PUBLIC_KEYS_2048 = 0xa1,
	FS4_MFG_INFO = 0xe0,
	FS4_DEV_INFO = 0xe1,
	FS4_VPD_R0 = 0xe3,
	FS4_NV_DATA2 = 0xe4,
	FS4_FW_NV_LOG = 0xe5,
	FS4_NV_DATA0 = 0xe6,
	FS4_END = 0xff,
};

enum crc_mode { CRC_IN_ENTRY, CRC_NONE, CRC_IN_SECTION };

struct toc_entry {
	u8 type;
	enum crc_mode mode;
	u32 address, size;
	u32 load, entry;
};

struct fs4_builder {
	const struct cxsim_image_plan *plan;
	u8 *flash;
	u32 log2_slot;
	u32 limit;			/* where sections must end */
	u32 at;				/* next section */
	unsigned int count, device_count;
	struct toc_entry sections[SECTIONS_MOST], device[DEVICE_SECTIONS_MOST];
	u32 info;			/* address of IMAGE_INFO */
	bool signature;
};

static const u8 toc_signature[12] = {
	0x04, 0x08, 0x15, 0x16, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static const u8 dev_info_signature[16] = {
	0x6d, 0x44, 0x65, 0x76, 0x49, 0x6e, 0x66, 0x6f, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static u32 fs4_hash(const struct fs4_builder *builder, u32 purpose)
{
	return cxsim_plan_random(builder->plan, 0x4000 + purpose);
}

static void put_text(u8 *to, const char *text, size_t width)
{
	size_t length = strlen(text);

	memset(to, 0, width);
	memcpy(to, text, length < width ? length : width);
}

/* A section that begins where the last one ended. The writer covers its bytes only. */
static struct toc_entry *begin_section(struct fs4_builder *builder, u8 type, struct cxsim_writer *writer)
{
	struct toc_entry *entry = &builder->sections[builder->count];

	memset(entry, 0, sizeof(*entry));
	entry->type = type;
	entry->address = builder->at;
	memset(writer, 0, sizeof(*writer));
	writer->data = builder->flash + builder->at;
	writer->room = builder->limit - builder->at;
	return entry;
}

static bool end_section(struct fs4_builder *builder, struct toc_entry *entry, const struct cxsim_writer *writer)
{
	if (writer->overflow)
		return false;
	entry->size = (u32)writer->at;
	builder->at += entry->size;
	builder->count++;
	return true;
}

static bool add_code(struct fs4_builder *builder, u8 type, u32 length, u32 load)
{
	struct cxsim_writer writer;
	struct toc_entry *entry = begin_section(builder, type, &writer);

	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, 0x4100U + type), length & ~3U);
	entry->load = load;
	entry->entry = load ? load + (fs4_hash(builder, type) & 0x7ffc) : 0;
	return end_section(builder, entry, &writer);
}

static bool add_rom(struct fs4_builder *builder)
{
	struct cxsim_writer writer;
	struct toc_entry *entry = begin_section(builder, FS4_ROM_CODE, &writer);

	cxsim_write_rom(&writer, builder->plan);
	return end_section(builder, entry, &writer);
}

static void write_ini_text(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	cxsim_write_format(writer, ";; Simulated board\n\n[image_info]\npsid = %s\nname = %s\n", plan->psid,
			   plan->model->part_number);
	cxsim_write_format(writer, "description = %s; simulated\nprs_name = sim_%s.prs\n", plan->model->description,
			   plan->model->part_number);
	cxsim_write_format(writer, "\n[mfg_info]\norig_prs_name = sim_%s.prs\n", plan->model->part_number);
}

static bool add_ini(struct fs4_builder *builder)
{
	struct cxsim_writer writer;
	struct toc_entry *entry = begin_section(builder, FS4_DBG_FW_INI, &writer);

	cxsim_write_ini(&writer, builder->plan, write_ini_text);
	return end_section(builder, entry, &writer);
}

static void put_image_info(struct fs4_builder *builder, u8 *info)
{
	const struct cxsim_image_plan *plan = builder->plan;
	u32 mcc = builder->signature ? 0x100 : 0;
	u32 time = plan->time;

	cxsim_put_be32(info, 0x00030000 | mcc);
	cxsim_put_be32(info + 0x04, plan->version[0] << 16);
	cxsim_put_be32(info + 0x08, plan->version[1] << 16 | plan->version[2]);
	cxsim_put_be32(info + 0x0c, (time & 0xff) << 24 | (time & 0xff00) << 8 | (time >> 8 & 0xff00));
	cxsim_put_be32(info + 0x10, plan->date);
	cxsim_put_be32(info + 0x14, 2 << 16);
	cxsim_put_be32(info + 0x1c, (u32)plan->model->device_type << 16 | 0x15b3);
	cxsim_put_be32(info + 0x20, (u32)plan->model->subsystem_id << 16 | 0x15b3);
	put_text(info + 0x24, plan->psid, 16);
	cxsim_put_be32(info + 0x34, 0x15b3);
	put_text(info + 0x38, plan->vsd, 208);
	cxsim_put_be32(info + 0x108, builder->log2_slot);
	cxsim_put_be32(info + 0x10c, builder->limit);
	cxsim_put_be32(info + 0x118, (u32)plan->model->hw_revision << 16 | plan->model->hw_id);
	if (!(fs4_hash(builder, 1) & 3)) {
		char text[40];

		snprintf(text, sizeof(text), "%u.%u.%u", plan->version[0], plan->version[1], plan->version[2]);
		put_text(info + 0x1c0, text, 16);
	}
	put_text(info + 0x1d0, plan->model->description, 256);
	cxsim_put_be32(info + 0x314, 1 << 20);
	put_text(info + 0x340, plan->model->part_number, 64);
	snprintf((char *)info + 0x380, 96, "sim_%s.prs", plan->model->part_number);
}

static bool add_image_info(struct fs4_builder *builder)
{
	struct cxsim_writer writer;
	struct toc_entry *entry = begin_section(builder, FS4_IMAGE_INFO, &writer);

	builder->info = entry->address;
	cxsim_write_fill(&writer, 0, INFO_BYTES);
	if (!writer.overflow)
		put_image_info(builder, writer.data);
	return end_section(builder, entry, &writer);
}

/* Neither signed nor encrypted: the digest is put in at the end, the keys are empty ones. */
static bool add_signature(struct fs4_builder *builder)
{
	struct cxsim_writer writer;
	struct toc_entry *entry = begin_section(builder, FS4_SIGNATURE_256, &writer);
	unsigned int i;

	cxsim_write_fill(&writer, 0, 0x140);
	if (!end_section(builder, entry, &writer))
		return false;
	entry = begin_section(builder, FS4_PUBLIC_KEYS_2048, &writer);
	for (i = 0; i < 8; i++) {
		cxsim_write_fill(&writer, 0, 0x0c);
		cxsim_write_be32(&writer, 0x00010001);
		cxsim_write_fill(&writer, 0, 0x110);
	}
	return end_section(builder, entry, &writer);
}

static bool add_sections(struct fs4_builder *builder)
{
	const struct cxsim_image_plan *plan = builder->plan;
	u32 code = plan->code_size, small = code / 32;

	return add_code(builder, FS4_IRON_PREP_CODE, small, 0x10a00000) &&
	       add_code(builder, FS4_PCI_CODE, small, 0x10c00000) &&
	       add_code(builder, FS4_MAIN_CODE, code - 6 * small, 0x10200000) &&
	       add_code(builder, FS4_PCIE_LINK_CODE, small, 0x10d00000) &&
	       add_code(builder, FS4_PHY_UC_CODE, small, 0) &&
	       add_code(builder, FS4_HW_BOOT_CFG, 0x200 + (fs4_hash(builder, 2) & 0x7fc), 0) &&
	       add_code(builder, FS4_HW_MAIN_CFG, small, 0) &&
	       add_image_info(builder) &&
	       add_code(builder, FS4_FW_BOOT_CFG, 0x100 + (fs4_hash(builder, 3) & 0x3fc), 0) &&
	       add_code(builder, FS4_FW_MAIN_CFG, small, 0) &&
	       (!plan->rom_size || add_rom(builder)) &&
	       add_code(builder, FS4_FW_ADB, 0x400 + (fs4_hash(builder, 4) & 0xffc), 0) &&
	       add_ini(builder) &&
	       (!builder->signature || add_signature(builder));
}

static void put_toc_header(u8 *to, const char *name)
{
	memset(to, 0, TOC_ENTRY);
	memcpy(to, name, 4);
	memcpy(to + 4, toc_signature, sizeof(toc_signature));
	cxsim_put_be32(to + 0x10, 1);
	cxsim_put_be32(to + 0x1c, cxsim_crc16(to, 0x1c));
}

static void put_toc_entry(const struct fs4_builder *builder, u8 *to, const struct toc_entry *entry)
{
	u32 crc = 0;

	if (entry->mode == CRC_IN_ENTRY)
		crc = cxsim_crc16(builder->flash + entry->address, entry->size);
	memset(to, 0, TOC_ENTRY);
	cxsim_put_be32(to, (u32)entry->type << 24 | entry->size);
	cxsim_put_be32(to + 0x04, entry->load);
	cxsim_put_be32(to + 0x08, entry->entry);
	cxsim_put_be32(to + 0x14, entry->address);
	cxsim_put_be32(to + 0x18, (u32)entry->mode << 16 | crc);
	cxsim_put_be32(to + 0x1c, cxsim_crc16(to, 0x1c));
}

static void put_toc(const struct fs4_builder *builder, u32 at, const char *name, const struct toc_entry *entries,
		    unsigned int count)
{
	unsigned int i;

	put_toc_header(builder->flash + at, name);
	for (i = 0; i < count; i++)
		put_toc_entry(builder, builder->flash + at + TOC_ENTRY * (i + 1), &entries[i]);
	memset(builder->flash + at + TOC_ENTRY * (count + 1), 0xff, TOC_ENTRY);
}

static void put_fixed_parts(const struct fs4_builder *builder)
{
	u8 *flash = builder->flash, *tools = flash + FS4_TOOLS, *boot2 = flash + FS4_BOOT2;
	u32 pointers[16] = { FS4_BOOT_RECORD, FS4_BOOT2, FS4_ITOC, FS4_TOOLS };
	u32 dwords = 0x80 + fs4_hash(builder, 5) % 0x600, i;
	struct cxsim_writer writer = { .data = flash + FS4_BOOT_RECORD, .room = 0x400 };

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

	memset(&writer, 0, sizeof(writer));
	writer.data = boot2;
	writer.room = FS4_ITOC - FS4_BOOT2;
	cxsim_write_be32(&writer, 0x10000040);
	cxsim_write_be32(&writer, dwords);
	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, 0x4002), dwords * 4);
	cxsim_write_be32(&writer, 0x10000044);
	cxsim_write_be32(&writer, cxsim_crc16(boot2, writer.at));
}

/* ---- the plain digest: firmware-images.md 4.7 ---- */

static void digest_masked(struct cxsim_sha256 *sha, size_t length)
{
	static const u8 ones[16] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};

	for (; length >= sizeof(ones); length -= sizeof(ones))
		cxsim_sha256_add(sha, ones, sizeof(ones));
	cxsim_sha256_add(sha, ones, length);
}

static void put_digest(struct fs4_builder *builder)
{
	struct cxsim_sha256 sha;
	u32 entry = 0, section = 0;
	unsigned int i;
	u8 digest[32];

	for (i = 0; i < builder->count; i++)
		if (builder->sections[i].type == FS4_SIGNATURE_256) {
			entry = FS4_ITOC + TOC_ENTRY * (i + 1);
			section = builder->sections[i].address;
		}
	cxsim_sha256_begin(&sha);
	digest_masked(&sha, CXSIM_MAGIC_BYTES);
	cxsim_sha256_add(&sha, builder->flash + CXSIM_MAGIC_BYTES, entry - CXSIM_MAGIC_BYTES);
	digest_masked(&sha, TOC_ENTRY);
	cxsim_sha256_add(&sha, builder->flash + entry + TOC_ENTRY, section - entry - TOC_ENTRY);
	digest_masked(&sha, 0x140);
	cxsim_sha256_add(&sha, builder->flash + section + 0x140, builder->at - section - 0x140);
	cxsim_sha256_end(&sha, digest);
	memcpy(builder->flash + section + 0x20, digest, sizeof(digest));
}

/* ---- device data: firmware-images.md 4.4, 3.6 ---- */

static u8 *add_device(struct fs4_builder *builder, u8 type, u32 address, u32 size, enum crc_mode mode)
{
	struct toc_entry *entry = &builder->device[builder->device_count++];

	memset(entry, 0, sizeof(*entry));
	entry->type = type;
	entry->address = address;
	entry->size = size;
	entry->mode = mode;
	return builder->flash + address;
}

static void put_ids(u8 *to, const struct cxsim_image_plan *plan)
{
	cxsim_put_be32(to, 0x00000108);			/* 8 of them, one apart */
	cxsim_put_be64(to + 0x08, plan->guid);
	cxsim_put_be32(to + 0x10, 0x00000108);
	cxsim_put_be64(to + 0x18, plan->mac);
}

static void put_dev_info(u8 *to, const struct cxsim_image_plan *plan, bool valid)
{
	memset(to, 0, DEV_INFO_BYTES);
	if (valid)
		memcpy(to, dev_info_signature, sizeof(dev_info_signature));
	cxsim_put_be32(to + 0x10, 0x00000200);
	put_ids(to + 0x20, plan);
	cxsim_put_be32(to + 0x6c, 0x15b3);
	put_text(to + 0x70, plan->vsd, 208);
	cxsim_put_be32(to + 0x1fc, cxsim_crc16(to, 0x1fc));
}

static void put_mfg_info(u8 *to, const struct cxsim_image_plan *plan)
{
	memset(to, 0, MFG_INFO_BYTES);
	put_text(to, plan->psid, 16);
	cxsim_put_be32(to + 0x1c, 0x01010001);
	put_ids(to + 0x20, plan);
	snprintf((char *)to + 0x60, 96, "sim_%s.prs", plan->model->part_number);
}

static u32 put_vpd(u8 *to, const struct cxsim_image_plan *plan)
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
static void put_nv(struct fs4_builder *builder, u8 *to, u32 purpose)
{
	struct cxsim_writer writer = { .data = to, .room = 64 };

	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, purpose), 64);
}

static void put_device_data(struct fs4_builder *builder)
{
	u32 end = builder->plan->flash_size;
	u8 *vpd = builder->flash + end - 0x7000;
	u32 vpd_size = put_vpd(vpd, builder->plan);

	put_nv(builder, add_device(builder, FS4_FW_NV_LOG, end - 0x70000, 0x20000, CRC_NONE), 0x4200);
	put_nv(builder, add_device(builder, FS4_NV_DATA0, end - 0x50000, 0x10000, CRC_NONE), 0x4201);
	put_nv(builder, add_device(builder, FS4_NV_DATA2, end - 0x40000, 0x10000, CRC_NONE), 0x4202);
	put_dev_info(add_device(builder, FS4_DEV_INFO, end - 0x30000, DEV_INFO_BYTES, CRC_IN_SECTION),
		     builder->plan, true);
	put_dev_info(add_device(builder, FS4_DEV_INFO, end - 0x20000, DEV_INFO_BYTES, CRC_IN_SECTION),
		     builder->plan, false);
	put_mfg_info(add_device(builder, FS4_MFG_INFO, end - 0x8000, MFG_INFO_BYTES, CRC_IN_ENTRY), builder->plan);
	add_device(builder, FS4_VPD_R0, end - 0x7000, vpd_size, CRC_IN_ENTRY);
	put_toc(builder, end - 0x1000, "DTOC", builder->device, builder->device_count);
}

static u32 slot_log2(u32 flash_size)
{
	u32 log2 = 0;

	for (; flash_size > 2; flash_size >>= 1)
		log2++;
	return log2 < 0x18 ? log2 : 0x18;
}

size_t cxsim_fs4_make(const struct cxsim_image_plan *plan, u8 *buffer, size_t room, char *why)
{
	struct fs4_builder builder = { .plan = plan, .flash = buffer, .at = FS4_FIRST_SECTION };
	u32 slot;

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
	builder.log2_slot = slot_log2(plan->flash_size);
	slot = 1U << builder.log2_slot;
	/* The second slot holds the device area where it reaches to the end of the flash. */
	builder.limit = slot;
	if (plan->flash_size - FS4_DEVICE_AREA - slot < slot)
		builder.limit = plan->flash_size - FS4_DEVICE_AREA - slot;
	builder.signature = fs4_hash(&builder, 0) & 1;
	if (!add_sections(&builder)) {
		snprintf(why, CXSIM_WHY, "code of %u and ROM of %u bytes do not fit into a slot of %u",
			 plan->code_size, plan->rom_size, builder.limit);
		return 0;
	}
	if (fs4_hash(&builder, 6) & 1)
		cxsim_put_be32(buffer + builder.info + 0x12c, builder.at);
	put_fixed_parts(&builder);
	put_toc(&builder, FS4_ITOC, "ITOC", builder.sections, builder.count);
	if (builder.signature) {
		put_digest(&builder);
		put_toc(&builder, FS4_ITOC, "ITOC", builder.sections, builder.count);
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
	if (itoc > length || length - itoc < 0x1000 || memcmp(image + itoc, "ITOC", 4))
		return 0;
	for (i = 1; i < 64; i++) {
		const u8 *entry = image + itoc + TOC_ENTRY * i;
		u32 size = cxsim_get_be32(entry) & 0xfffffc, address = cxsim_get_be32(entry + 0x14) & 0x7ffffffc;

		if (entry[0] == FS4_END)
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
		const u8 *entry = dtoc + TOC_ENTRY * i;
		u32 size = cxsim_get_be32(entry) & 0xfffffc, address = cxsim_get_be32(entry + 0x14) & 0x7ffffffc;

		if (entry[0] == FS4_END)
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
