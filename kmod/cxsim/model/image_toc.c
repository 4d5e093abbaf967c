// SPDX-License-Identifier: GPL-2.0-only
/* Sections of the firmware, their table and digest, as FS3 and FS4 have them: firmware-images.md 3.2 - 3.5, 4.7. */
#include "card.h"
#include "image_toc.h"

#define INFO_BYTES	0x400
#define FS3_UNIT	0x1000U		/* FS3 sections begin on such boundaries */
#define RELATIVE	0x80000000U	/* FS3: the address counts from the image's start */
#define DEVICE_DATA	0x00020000U

const u8 cxsim_toc_signature[12] = {
	0x04, 0x08, 0x15, 0x16, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

u32 cxsim_toc_random(const struct cxsim_toc_builder *builder, u32 purpose)
{
	return cxsim_plan_random(builder->plan, 0x4000 + purpose);
}

void cxsim_put_text(u8 *to, const char *text, size_t width)
{
	size_t length = strlen(text);

	memset(to, 0, width);
	memcpy(to, text, length < width ? length : width);
}

/* A length that varies from image to image: less so in images that are made to be small. */
static u32 uneven(const struct cxsim_toc_builder *builder, u32 purpose, u32 mask)
{
	if (builder->plan->code_size <= CXSIM_SMALL_CODE)
		mask = 0x7c;
	return cxsim_toc_random(builder, purpose) & mask;
}

/* A section that begins behind the last one. The writer covers its bytes only. */
static struct cxsim_toc_entry *begin_section(struct cxsim_toc_builder *builder, u8 type, struct cxsim_writer *writer)
{
	struct cxsim_toc_entry *entry = &builder->sections[builder->count];

	/* What follows IMAGE_INFO does so without a gap. */
	if (builder->fs3 && type != CXSIM_FW_ADB && type != CXSIM_DBG_FW_INI)
		builder->at = (builder->at + FS3_UNIT - 1) & ~(FS3_UNIT - 1);
	memset(entry, 0, sizeof(*entry));
	entry->type = type;
	entry->address = builder->at;
	memset(writer, 0, sizeof(*writer));
	writer->data = builder->flash + builder->at;
	writer->room = builder->at < builder->limit ? builder->limit - builder->at : 0;
	return entry;
}

static bool end_section(struct cxsim_toc_builder *builder, struct cxsim_toc_entry *entry, const struct cxsim_writer *writer)
{
	if (writer->overflow)
		return false;
	entry->size = (u32)writer->at;
	builder->at += entry->size;
	builder->count++;
	return true;
}

static bool add_code(struct cxsim_toc_builder *builder, u8 type, u32 length, u32 load)
{
	struct cxsim_writer writer;
	struct cxsim_toc_entry *entry = begin_section(builder, type, &writer);

	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, 0x4100U + type), length & ~3U);
	entry->load = load;
	entry->entry = load ? load + (cxsim_toc_random(builder, type) & 0x7ffc) : 0;
	return end_section(builder, entry, &writer);
}

static bool add_rom(struct cxsim_toc_builder *builder)
{
	struct cxsim_writer writer;
	struct cxsim_toc_entry *entry = begin_section(builder, CXSIM_ROM_CODE, &writer);

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

static bool add_ini(struct cxsim_toc_builder *builder)
{
	struct cxsim_writer writer;
	struct cxsim_toc_entry *entry = begin_section(builder, CXSIM_DBG_FW_INI, &writer);

	cxsim_write_ini(&writer, builder->plan, write_ini_text);
	return end_section(builder, entry, &writer);
}

static void put_image_info(struct cxsim_toc_builder *builder, u8 *info)
{
	const struct cxsim_image_plan *plan = builder->plan;
	u32 mcc = builder->signature ? 0x100 : 0, secure = plan->model->secure ? 0xc000 : 0;
	u32 time = plan->time;

	cxsim_put_be32(info, (builder->fs3 ? 0x00020000 : 0x00030000) | secure | mcc);
	cxsim_put_be32(info + 0x04, plan->version[0] << 16);
	cxsim_put_be32(info + 0x08, plan->version[1] << 16 | plan->version[2]);
	cxsim_put_be32(info + 0x0c, (time & 0xff) << 24 | (time & 0xff00) << 8 | (time >> 8 & 0xff00));
	cxsim_put_be32(info + 0x10, plan->date);
	cxsim_put_be32(info + 0x14, 2 << 16);
	cxsim_put_be32(info + 0x1c, (u32)plan->model->device_type << 16 | 0x15b3);
	cxsim_put_be32(info + 0x20, (u32)plan->model->subsystem_id << 16 | 0x15b3);
	cxsim_put_text(info + 0x24, plan->psid, 16);
	cxsim_put_be32(info + 0x34, 0x15b3);
	cxsim_put_text(info + 0x38, plan->vsd, 208);
	cxsim_put_be32(info + 0x108, builder->log2_slot);
	cxsim_put_be32(info + 0x10c, builder->limit);
	cxsim_put_be32(info + 0x118, (u32)plan->model->hw_revision << 16 | plan->model->hw_id);
	if (!(cxsim_toc_random(builder, 1) & 3)) {
		char text[40];

		snprintf(text, sizeof(text), "%u.%u.%u", plan->version[0], plan->version[1], plan->version[2]);
		cxsim_put_text(info + 0x1c0, text, 16);
	}
	cxsim_put_text(info + 0x1d0, plan->model->description, 256);
	cxsim_put_be32(info + 0x314, 1 << 20);
	cxsim_put_text(info + 0x340, plan->model->part_number, 64);
	snprintf((char *)info + 0x380, 96, "sim_%s.prs", plan->model->part_number);
}

static bool add_image_info(struct cxsim_toc_builder *builder)
{
	struct cxsim_writer writer;
	struct cxsim_toc_entry *entry = begin_section(builder, CXSIM_IMAGE_INFO, &writer);

	builder->info = entry->address;
	cxsim_write_fill(&writer, 0, INFO_BYTES);
	if (!writer.overflow)
		put_image_info(builder, writer.data);
	return end_section(builder, entry, &writer);
}

/* Neither signed nor encrypted: the digest is put in at the end, the keys are empty ones. */
static bool add_signature(struct cxsim_toc_builder *builder)
{
	struct cxsim_writer writer;
	struct cxsim_toc_entry *entry = begin_section(builder, CXSIM_SIGNATURE_256, &writer);
	unsigned int i;

	cxsim_write_fill(&writer, 0, 0x140);
	if (!end_section(builder, entry, &writer))
		return false;
	entry = begin_section(builder, CXSIM_PUBLIC_KEYS_2048, &writer);
	for (i = 0; i < 8; i++) {
		cxsim_write_fill(&writer, 0, 0x0c);
		cxsim_write_be32(&writer, 0x00010001);
		cxsim_write_fill(&writer, 0, 0x110);
	}
	return end_section(builder, entry, &writer);
}

/* On FS3 what may lie anywhere comes last, behind IMAGE_INFO. */
static bool add_board(struct cxsim_toc_builder *builder, u32 small)
{
	return (builder->fs3 || add_image_info(builder)) &&
	       add_code(builder, CXSIM_FW_BOOT_CFG, 0x100 + uneven(builder, 3, 0x3fc), 0) &&
	       add_code(builder, CXSIM_FW_MAIN_CFG, small, 0) &&
	       (!builder->plan->rom_size || add_rom(builder));
}

static bool add_descriptions(struct cxsim_toc_builder *builder)
{
	if (builder->fs3 && ((builder->signature && !add_signature(builder)) || !add_image_info(builder)))
		return false;
	return add_code(builder, CXSIM_FW_ADB, 0x400 + uneven(builder, 4, 0xffc), 0) &&
	       add_ini(builder) &&
	       (builder->fs3 || !builder->signature || add_signature(builder));
}

static bool has_signature(const struct cxsim_toc_builder *builder)
{
	if (builder->plan->signature)
		return builder->plan->signature == 2;
	return builder->plan->model->secure || cxsim_toc_random(builder, 0) & 1;
}

bool cxsim_toc_add_firmware(struct cxsim_toc_builder *builder)
{
	u32 code = builder->plan->code_size, small = code / 32;

	builder->signature = has_signature(builder);
	return add_code(builder, CXSIM_IRON_PREP_CODE, small, 0x10a00000) &&
	       add_code(builder, CXSIM_PCI_CODE, small, 0x10c00000) &&
	       add_code(builder, CXSIM_MAIN_CODE, code - 6 * small, 0x10200000) &&
	       add_code(builder, CXSIM_PCIE_LINK_CODE, small, 0x10d00000) &&
	       add_code(builder, CXSIM_PHY_UC_CODE, small, 0) &&
	       add_code(builder, CXSIM_HW_BOOT_CFG, 0x200 + uneven(builder, 2, 0x7fc), 0) &&
	       add_code(builder, CXSIM_HW_MAIN_CFG, small, 0) &&
	       add_board(builder, small) &&
	       add_descriptions(builder);
}

u32 cxsim_toc_put_boot2(const struct cxsim_toc_builder *builder, u32 at)
{
	u8 *boot2 = builder->flash + at;
	u32 most = builder->plan->code_size <= CXSIM_SMALL_CODE ? 0x40 : 0x600;
	u32 dwords = 0x80 + cxsim_toc_random(builder, 5) % most;
	struct cxsim_writer writer = { .data = boot2, .room = dwords * 4 + 16 };

	cxsim_write_be32(&writer, 0x10000040);
	cxsim_write_be32(&writer, dwords);
	cxsim_write_code(&writer, cxsim_derive(builder->plan->seed, 0x4002), dwords * 4);
	cxsim_write_be32(&writer, 0x10000044);
	cxsim_write_be32(&writer, cxsim_crc16(boot2, writer.at));
	return at + (u32)writer.at;
}

/* ---- tables ---- */

static void put_toc_header(u8 *to, const char *name)
{
	memset(to, 0, CXSIM_TOC_ENTRY);
	memcpy(to, name, 4);
	memcpy(to + 4, cxsim_toc_signature, sizeof(cxsim_toc_signature));
	cxsim_put_be32(to + 0x10, 1);
	cxsim_put_be32(to + 0x1c, cxsim_crc16(to, 0x1c));
}

static void put_toc_entry(const struct cxsim_toc_builder *builder, u8 *to, const struct cxsim_toc_entry *entry)
{
	u32 relative = builder->fs3 && !entry->device ? RELATIVE : 0;
	u32 crc = builder->fs3 && entry->device ? DEVICE_DATA : 0;

	crc |= (u32)entry->mode << 16;
	if (entry->mode == CXSIM_CRC_IN_ENTRY)
		crc |= cxsim_crc16(builder->flash + entry->address, entry->size);
	memset(to, 0, CXSIM_TOC_ENTRY);
	cxsim_put_be32(to, (u32)entry->type << 24 | entry->size);
	cxsim_put_be32(to + 0x04, entry->load);
	cxsim_put_be32(to + 0x08, entry->entry);
	cxsim_put_be32(to + 0x14, entry->address | relative);
	cxsim_put_be32(to + 0x18, crc);
	cxsim_put_be32(to + 0x1c, cxsim_crc16(to, 0x1c));
}

/* Returns the place of the next entry. */
static u8 *put_entries(const struct cxsim_toc_builder *builder, u8 *to, const struct cxsim_toc_entry *entries,
		       unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++, to += CXSIM_TOC_ENTRY)
		put_toc_entry(builder, to, &entries[i]);
	return to;
}

void cxsim_toc_put_itoc(const struct cxsim_toc_builder *builder)
{
	u8 *to = builder->flash + builder->itoc;

	put_toc_header(to, "ITOC");
	to = put_entries(builder, to + CXSIM_TOC_ENTRY, builder->sections, builder->count);
	if (builder->fs3)
		to = put_entries(builder, to, builder->device, builder->device_count);
	memset(to, 0xff, CXSIM_TOC_ENTRY);
}

void cxsim_toc_put_dtoc(const struct cxsim_toc_builder *builder, u32 at)
{
	u8 *to = builder->flash + at;

	put_toc_header(to, "DTOC");
	to = put_entries(builder, to + CXSIM_TOC_ENTRY, builder->device, builder->device_count);
	memset(to, 0xff, CXSIM_TOC_ENTRY);
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

void cxsim_toc_put_digest(struct cxsim_toc_builder *builder)
{
	u32 first = builder->itoc + CXSIM_TOC_ENTRY, at = 0, section = 0, i;
	struct { u32 start, length; } masked[4] = { { 0, CXSIM_MAGIC_BYTES } };
	struct cxsim_sha256 sha;
	u8 digest[32];

	for (i = 0; i < builder->count; i++)
		if (builder->sections[i].type == CXSIM_SIGNATURE_256) {
			masked[1].start = first + CXSIM_TOC_ENTRY * i;
			masked[1].length = CXSIM_TOC_ENTRY;
			section = builder->sections[i].address;
		}
	masked[2].start = first + CXSIM_TOC_ENTRY * builder->count;
	masked[2].length = builder->fs3 ? CXSIM_TOC_ENTRY * builder->device_count : 0;
	masked[3].start = section;
	masked[3].length = 0x140;
	cxsim_sha256_begin(&sha);
	for (i = 0; i < ARRAY_SIZE(masked); i++) {
		cxsim_sha256_add(&sha, builder->flash + at, masked[i].start - at);
		digest_masked(&sha, masked[i].length);
		at = masked[i].start + masked[i].length;
	}
	cxsim_sha256_add(&sha, builder->flash + at, builder->at - at);
	cxsim_sha256_end(&sha, digest);
	memcpy(builder->flash + section + 0x20, digest, sizeof(digest));
}
