// SPDX-License-Identifier: GPL-2.0-only
/* What the makers of synthetic images share: parameters, a writer, option ROM and ini text. */
#include "card.h"
#include "image.h"

const u8 cxsim_magic_fs2[CXSIM_MAGIC_BYTES] = {
	0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00, 0xde, 0xad, 0x92, 0x70, 0x41, 0x54, 0xbe, 0xef,
};

const u8 cxsim_magic_fs4[CXSIM_MAGIC_BYTES] = {
	0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00, 0xfa, 0xde, 0x12, 0x34, 0x56, 0x78, 0xde, 0xad,
};

u32 cxsim_half_log2(u32 flash_size)
{
	u32 log2 = 0;

	for (; flash_size > 2; flash_size >>= 1)
		log2++;
	return log2 < 0x18 ? log2 : 0x18;
}

u32 cxsim_plan_random(const struct cxsim_image_plan *plan, u32 purpose)
{
	return (u32)cxsim_derive(plan->seed, purpose);
}

void cxsim_write(struct cxsim_writer *writer, const void *data, size_t length)
{
	if (writer->data && writer->room - writer->at < length)
		writer->overflow = true;
	if (writer->data && !writer->overflow)
		memcpy(writer->data + writer->at, data, length);
	if (!writer->overflow)
		writer->at += length;
}

void cxsim_write_fill(struct cxsim_writer *writer, u8 value, size_t length)
{
	while (length--)
		cxsim_write(writer, &value, 1);
}

void cxsim_write_be32(struct cxsim_writer *writer, u32 value)
{
	u8 bytes[4];

	cxsim_put_be32(bytes, value);
	cxsim_write(writer, bytes, sizeof(bytes));
}

void cxsim_write_be64(struct cxsim_writer *writer, u64 value)
{
	cxsim_write_be32(writer, (u32)(value >> 32));
	cxsim_write_be32(writer, (u32)value);
}

void cxsim_write_text(struct cxsim_writer *writer, const char *text, size_t width)
{
	size_t length = strlen(text);

	if (length > width)
		length = width;
	cxsim_write(writer, text, length);
	cxsim_write_fill(writer, 0, width - length);
}

void cxsim_write_code(struct cxsim_writer *writer, u64 seed, size_t length)
{
	size_t i;

	for (i = 0; i + 4 <= length; i += 4)
		cxsim_write_be32(writer, (u32)cxsim_derive(seed, (u32)i));
	cxsim_write_fill(writer, 0, length - i);
}

void cxsim_write_format(struct cxsim_writer *writer, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	cxsim_write(writer, text, strlen(text));
}

void cxsim_patch_be32(struct cxsim_writer *writer, size_t at, u32 value)
{
	if (writer->data && !writer->overflow)
		cxsim_put_be32(writer->data + at, value);
}

u16 cxsim_written_crc16(const struct cxsim_writer *writer, size_t from, size_t to)
{
	return writer->data && !writer->overflow ? cxsim_crc16(writer->data + from, to - from) : 0;
}

/* ---- option ROM ---- */

#define ROM_UNIT		512U
#define ROM_TRAILER		20U
#define ROM_SMALLEST		(2 * ROM_UNIT + ROM_TRAILER)
#define PCIR_OFFSET		0x1c

enum { ROM_PXE = 0x10, ROM_UEFI = 0x11 };

/* Whole units for the chain, then the trailers; the tool looks for them anywhere. */
u32 cxsim_rom_length(const struct cxsim_image_plan *plan)
{
	u32 length = (plan->rom_size + 3) & ~3U;

	if (!length)
		return 0;
	return length < ROM_SMALLEST ? ROM_SMALLEST : length;
}

static bool has_uefi(const struct cxsim_image_plan *plan)
{
	return cxsim_rom_length(plan) >= 8192 && cxsim_plan_random(plan, 0x201) & 1;
}

static void put_le16(u8 *p, u32 value)
{
	p[0] = (u8)value;
	p[1] = (u8)(value >> 8);
}

static void write_le32(struct cxsim_writer *writer, u32 value)
{
	u8 bytes[4];

	put_le16(bytes, value);
	put_le16(bytes + 2, value >> 16);
	cxsim_write(writer, bytes, sizeof(bytes));
}

/* One image of the chain: 55 AA, its PCIR, code. The first one's bytes add up to 0. */
static void write_rom_image(struct cxsim_writer *writer, const struct cxsim_image_plan *plan, u32 units,
			    u8 code_type, bool first, bool last)
{
	u8 head[64] = { 0x55, 0xaa };
	size_t start = writer->at, i;
	u8 sum = 0;

	head[2] = first ? (u8)units : 1;
	put_le16(head + 0x18, PCIR_OFFSET);
	memcpy(head + PCIR_OFFSET, "PCIR", 4);
	put_le16(head + PCIR_OFFSET + 0x04, 0x15b3);
	put_le16(head + PCIR_OFFSET + 0x06, plan->model->pci_id);
	put_le16(head + PCIR_OFFSET + 0x0a, 0x18);
	head[PCIR_OFFSET + 0x0f] = 0x02;
	put_le16(head + PCIR_OFFSET + 0x10, units);
	head[PCIR_OFFSET + 0x14] = code_type;
	head[PCIR_OFFSET + 0x15] = last ? 0x80 : 0;
	cxsim_write(writer, head, sizeof(head));
	cxsim_write_code(writer, cxsim_derive(plan->seed, 0x210 + code_type), units * ROM_UNIT - sizeof(head));
	if (!first || !writer->data || writer->overflow)
		return;
	for (i = start; i < writer->at; i++)
		sum += writer->data[i];
	writer->data[writer->at - 1] -= sum;
}

static void write_rom_trailer(struct cxsim_writer *writer, const struct cxsim_image_plan *plan, u32 product)
{
	u32 random = cxsim_plan_random(plan, 0x220 + product);
	u32 major = product == ROM_UEFI ? 14 : 3;
	u32 where = product == ROM_UEFI ? 0x01ff : 0x00ff;	/* AMD64 or not said; protocol not said */

	cxsim_write(writer, "mlxsign:", 8);
	write_le32(writer, product << 16 | major);
	write_le32(writer, random % 30 << 16 | (random >> 8) % 1000);
	write_le32(writer, (u32)plan->model->pci_id << 16 | where);
}

void cxsim_write_rom(struct cxsim_writer *writer, const struct cxsim_image_plan *plan)
{
	u32 length = cxsim_rom_length(plan);
	u32 trailers = has_uefi(plan) ? 2 : 1;
	u32 units = (length - trailers * ROM_TRAILER) / ROM_UNIT;
	u32 first = units / 4 ? units / 4 : 1;
	size_t end = writer->at + length;

	if (first > 200)
		first = 200;			/* its length in units is one byte */
	write_rom_image(writer, plan, first, 0x00, true, false);
	write_rom_image(writer, plan, units - first, has_uefi(plan) ? 0x03 : 0xff, false, true);
	write_rom_trailer(writer, plan, ROM_PXE);
	if (has_uefi(plan))
		write_rom_trailer(writer, plan, ROM_UEFI);
	cxsim_write_fill(writer, 0, end - writer->at);
}

/* ---- ini ---- */

static u32 adler32(const u8 *data, size_t length)
{
	u32 a = 1, b = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		a = (a + data[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

void cxsim_write_ini(struct cxsim_writer *writer, const struct cxsim_image_plan *plan,
		     void (*text)(struct cxsim_writer *writer, const struct cxsim_image_plan *plan))
{
	struct cxsim_writer counter = { 0 };
	u8 head[7] = { 0x78, 0x01, 0x01 };	/* zlib, then one last block, stored */
	size_t start;

	text(&counter, plan);
	put_le16(head + 3, (u32)counter.at);
	put_le16(head + 5, ~(u32)counter.at);
	cxsim_write(writer, head, sizeof(head));
	start = writer->at;
	text(writer, plan);
	cxsim_write_be32(writer, writer->data && !writer->overflow ?
			 adler32(writer->data + start, counter.at) : 0);
	cxsim_write_fill(writer, 0, -(sizeof(head) + counter.at + 4) & 3);
}

/* ---- the way in ---- */

#define DEFAULT_CODE	(160U << 10)	/* many sectors, and quick to burn */
#define SMALLEST_CODE	1024U		/* less would leave empty sections */

static bool parse_version(const char *text, u32 version[3])
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		u32 value = 0;
		unsigned int digits = 0;

		for (; *text >= '0' && *text <= '9' && digits < 6; text++, digits++)
			value = value * 10 + (u32)(*text - '0');
		if (!digits || value > 0xffff || *text != (i < 2 ? '.' : '\0'))
			return false;
		version[i] = value;
		text++;
	}
	return true;
}

static u32 bcd(u32 value)
{
	return value / 10 << 4 | value % 10;
}

/* A release date that goes with the version, so that every board's image of it agrees. */
static void set_date(struct cxsim_image_plan *plan)
{
	u32 random = (u32)cxsim_derive((u64)plan->version[0] << 32 | plan->version[1] << 16 | plan->version[2], 0x100);
	u32 year = 9 + random % 15;

	plan->date = 0x20000000 | bcd(year) << 16 | bcd(1 + (random >> 8) % 12) << 8 | bcd(1 + (random >> 12) % 28);
	plan->time = bcd((random >> 17) % 24) << 16 | bcd((random >> 22) % 60) << 8 | bcd((random >> 26) % 60);
}

static bool make_plan(const struct cxsim_parameters *given, struct cxsim_image_plan *plan, char *why)
{
	struct cxsim_parameters complete;

	memset(plan, 0, sizeof(*plan));
	if (!cxsim_parameters_complete(given, &complete, &plan->model, why))
		return false;
	if (!parse_version(complete.version, plan->version)) {
		snprintf(why, CXSIM_WHY, "firmware version \"%.40s\": expected three numbers up to 65535, as 2.42.5000",
			 complete.version);
		return false;
	}
	if (strlen(complete.psid) > 16) {
		snprintf(why, CXSIM_WHY, "PSID \"%.40s\" is longer than 16 characters", complete.psid);
		return false;
	}
	if (strlen(complete.vsd) > 208) {
		snprintf(why, CXSIM_WHY, "VSD is longer than 208 characters");
		return false;
	}
	if (complete.mac >> 40) {
		/* Above 48 bits, or a multicast address. */
		if (complete.mac >> 48 || complete.mac >> 40 & 1) {
			snprintf(why, CXSIM_WHY, "MAC 0x%llx is no unicast address", (unsigned long long)complete.mac);
			return false;
		}
	}
	plan->psid = complete.psid;
	plan->vsd = complete.vsd;
	plan->guid = complete.guid;
	plan->mac = complete.mac;
	plan->rom_size = complete.rom_size;
	plan->code_size = complete.code_size ? complete.code_size : plan->model->code_size;
	if (!plan->code_size)
		plan->code_size = DEFAULT_CODE;
	if (plan->code_size < SMALLEST_CODE)
		plan->code_size = SMALLEST_CODE;
	plan->code_size &= ~3U;
	plan->flash_size = complete.flash_size ? complete.flash_size : plan->model->flash_size;
	if (!plan->flash_size)
		plan->flash_size = 1U << 24;
	plan->log2_chunk = complete.log2_chunk;
	plan->signature = complete.signature;
	plan->seed = complete.seed;
	if (plan->code_size > 32U << 20 || plan->rom_size > 4U << 20) {
		snprintf(why, CXSIM_WHY, "code of %u or expansion ROM of %u bytes: at most 32 MiB and 4 MiB",
			 plan->code_size, plan->rom_size);
		return false;
	}
	set_date(plan);
	return true;
}

size_t cxsim_image_make(const struct cxsim_parameters *parameters, u8 *buffer, size_t room, char *why)
{
	struct cxsim_image_plan plan;

	if (!make_plan(parameters, &plan, why))
		return 0;
	switch (plan.model->format) {
	case CXSIM_FS3:
		return cxsim_fs3_make(&plan, buffer, room, why);
	case CXSIM_FS4:
		return cxsim_fs4_make(&plan, buffer, room, why);
	default:
		return cxsim_fs2_make(&plan, buffer, room, why);
	}
}

bool cxsim_image_place(const char *model, const u8 *image, size_t length, u8 *flash, size_t flash_size,
		       unsigned int slot)
{
	const struct cxsim_model *found = cxsim_model_find(model);

	if (!found || slot > 1)
		return false;
	switch (found->format) {
	case CXSIM_FS3:
		return cxsim_fs3_place(image, length, flash, flash_size, slot);
	case CXSIM_FS4:
		return cxsim_fs4_place(image, length, flash, flash_size, slot);
	default:
		return cxsim_fs2_place(image, length, flash, flash_size, slot);
	}
}
