// SPDX-License-Identifier: GPL-2.0-only
/* What stands inside FS2's sections: firmware-images.md 2.3, 2.4, 8.4. */
#include <errno.h>
#include <stdlib.h>

#include "fs2_verify.h"

#define RECORD 12		/* address, data, mask */
#define JUMP 8			/* address, entry */
#define PACKED_HEADER 8
#define UNPACKED_MOST 0x1000000
#define LZMA_PROPERTIES 225	/* 9 * 5 * 5 ways to combine lc, lp and pb */

uint32_t fs2_word(const struct fs2_verification *v, uint32_t at)
{
	uint8_t bytes[4] = { 0 };

	view_read(&v->image, at, bytes, sizeof(bytes), NULL);
	return get32(bytes);
}

static uint32_t little32(uint32_t word)
{
	return __builtin_bswap32(word);
}

/* Records for the CR-space, in rising order, no bit outside their masks. */
static void check_records(struct fs2_verification *v, const struct fs2_section *section)
{
	const char *name = fs2_type_name(section->type);
	uint32_t at, address, before = 0;

	if (section->size % RECORD)
		check_compared(v->check, IMAGE_UNUSUAL, name, section->offset + 4, 0, section->size % RECORD,
			       _("the section does not hold whole records"));
	for (at = section->body; at + RECORD <= section->body + section->size; at += RECORD) {
		address = fs2_word(v, at);
		if (at != section->body && address <= before) {
			check_compared(v->check, IMAGE_UNUSUAL, name, at, before, address,
				       _("the address of a record is not above that of the record before it"));
			return;
		}
		if (fs2_word(v, at + 4) & ~fs2_word(v, at + 8)) {
			check_compared(v->check, IMAGE_UNUSUAL, name, at + 4, fs2_word(v, at + 8),
				       fs2_word(v, at + 4), _("a record sets bits outside its mask"));
			return;
		}
		before = address;
	}
}

/* Where code is loaded, and the header of packed code. */
static void check_code(struct fs2_verification *v, const struct fs2_section *section)
{
	const char *name = fs2_type_name(section->type);
	uint32_t length = section->size, properties = 0, dictionary = 1;

	if (section->parameter & FS2_PACKED && section->size >= PACKED_HEADER) {
		properties = fs2_word(v, section->body) >> 24;
		dictionary = little32(fs2_word(v, section->body)) >> 8;
		length = little32(fs2_word(v, section->body + 4));
	}
	if (section->parameter & FS2_PACKED &&
	    (section->size < PACKED_HEADER || properties >= LZMA_PROPERTIES || !dictionary || !length ||
	     length > UNPACKED_MOST))
		check_finding(v->check, IMAGE_UNUSUAL, name, section->body,
			      _("the section is packed, but does not begin as packed code does"));
	if (v->code_count < FS2_CODES) {
		v->codes[v->code_count].load = section->parameter & ~FS2_PACKED;
		v->codes[v->code_count].length = length;
	}
	v->code_count++;
}

void fs2_check_body(struct fs2_verification *v, const struct fs2_section *section)
{
	switch (section->type) {
	case FS2_CONFIGURATION:
		check_records(v, section);
		break;
	case FS2_DDR:
		check_code(v, section);
		break;
	case FS2_EMT:
	case FS2_DDRZ:
		v->other_code = true;
		break;
	case FS2_JUMP:
		v->jump_body = section->body;
		v->jump_size = section->size;
		break;
	}
}

/*
 * One record for each section of code, in the same order, with an entry inside it. How images with other
 * kinds of code have it is not known.
 */
void fs2_check_jumps(struct fs2_verification *v)
{
	const char *name = fs2_type_name(FS2_JUMP);
	uint32_t entry, i;

	if (!v->jump_body || v->other_code || v->code_count > FS2_CODES)
		return;
	if (v->jump_size != v->code_count * JUMP) {
		check_compared(v->check, IMAGE_UNUSUAL, name, v->jump_body - 12, v->code_count * JUMP,
			       v->jump_size,
			       _("the table does not have one record for each section of code"));
		return;
	}
	for (i = 0; i < v->code_count; i++) {
		entry = fs2_word(v, v->jump_body + i * JUMP + 4);
		if (entry < v->codes[i].load || entry - v->codes[i].load > v->codes[i].length)
			check_compared(v->check, IMAGE_UNUSUAL, name, v->jump_body + i * JUMP + 4,
				       v->codes[i].load, entry, _("the entry address is outside its code"));
	}
}

/* ---- image information ---- */

/* Payloads whose length is fixed. */
static const struct {
	uint8_t id;
	uint32_t length;
} fixed[] = {
	{ FS2_TLV_FORMAT, 4 },	{ FS2_TLV_VERSION, 8 },	   { FS2_TLV_TIME, 8 }, { FS2_TLV_DEVICE, 4 },
	{ FS2_TLV_PSID, 16 },	{ FS2_TLV_VSD, FS2_VSD_LENGTH }, { FS2_TLV_PRODUCT, 16 },
	{ FS2_TLV_VSD_VENDOR, 4 }, { FS2_TLV_MIC, 8 },	   { FS2_TLV_END, 0 },
};

struct tlv_check {
	struct fs2_verification *v;
	const char *name;
	uint32_t seen;			/* bit by id */
	uint16_t pci_device;
	uint16_t hw_ids[IMAGE_HW_IDS];
	unsigned int hw_id_count;
};

static void check_length(struct tlv_check *check, const struct fs2_tlv_view *tlv, uint32_t where)
{
	enum image_verdict verdict;
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (fixed[i].id != tlv->id || fixed[i].length == tlv->length)
			continue;
		verdict = tlv->length < fixed[i].length ? IMAGE_DAMAGED : IMAGE_UNUSUAL;
		check_compared(check->v->check, verdict, check->name, where, fixed[i].length, tlv->length,
			       _("item %u has a wrong length"), tlv->id);
	}
	if (tlv->id == FS2_TLV_CONFIG && tlv->length < 8)
		check_compared(check->v->check, IMAGE_DAMAGED, check->name, where, 8, tlv->length,
			       _("item %u has a wrong length"), tlv->id);
}

static void take_hw_ids(struct tlv_check *check, const struct fs2_tlv_view *tlv)
{
	uint32_t at, word;

	for (at = 0; at < tlv->length && check->hw_id_count < IMAGE_HW_IDS; at += 4) {
		word = get32(tlv->payload + at);
		if (!word)
			break;
		check->hw_ids[check->hw_id_count++] = word;
	}
}

static void check_tlv(struct tlv_check *check, const struct fs2_tlv_view *tlv, uint32_t where)
{
	check_length(check, tlv, where);
	if (tlv->id < 32 && check->seen & 1U << tlv->id)
		check_finding(check->v->check, IMAGE_UNUSUAL, check->name, where, _("item %u is there twice"),
			      tlv->id);
	if (tlv->id > FS2_TLV_PRS && tlv->id != FS2_TLV_END)
		check_finding(check->v->check, IMAGE_UNUSUAL, check->name, where, _("item %u is not known"),
			      tlv->id);
	if (tlv->id < 32)
		check->seen |= 1U << tlv->id;
	if (tlv->id == FS2_TLV_PSID && tlv->length >= 16)
		image_text(check->v->psid, sizeof(check->v->psid), tlv->payload, 16);
	if (tlv->id == FS2_TLV_DEVICE && tlv->length >= 4)
		check->pci_device = get32(tlv->payload);
	if (tlv->id == FS2_TLV_HW_IDS)
		take_hw_ids(check, tlv);
}

/* The chip of the PCI id is one that the list of hardware ids names. */
static void check_chip(const struct tlv_check *check)
{
	uint32_t chip = fs2_hw_id_of_pci(check->pci_device);
	unsigned int i;

	if (!chip || !check->hw_id_count)
		return;
	for (i = 0; i < check->hw_id_count; i++)
		if (check->hw_ids[i] == chip)
			return;
	check_compared(check->v->check, IMAGE_UNUSUAL, check->name, check->v->info_body, chip,
		       check->hw_ids[0], _("PCI device id and hardware ids are those of different chips"));
}

static void check_list(struct tlv_check *check, const uint8_t *info, uint32_t length)
{
	const uint32_t needed = 1U << FS2_TLV_VERSION | 1U << FS2_TLV_PSID;
	struct fs2_verification *v = check->v;
	uint32_t position = 0, before = 0;
	struct fs2_tlv_view tlv = { 0 };
	int code;

	while ((code = fs2_tlv_next(info, length, &position, &tlv)) > 0) {
		check_tlv(check, &tlv, v->info_body + before);
		before = position;
	}
	v->has_mic = check->seen & 1U << FS2_TLV_MIC;
	if (code < 0)
		check_finding(v->check, IMAGE_DAMAGED, check->name, v->info_body + before,
			      _("what stands here is not an item of the list"));
	else if (tlv.id != FS2_TLV_END || position != length)
		check_compared(v->check, IMAGE_UNUSUAL, check->name, v->info_body + before, length, position,
			       _("the list does not end where the section ends"));
	else
		check_length(check, &tlv, v->info_body + before);
	if ((check->seen & needed) != needed)
		check_compared(v->check, IMAGE_DAMAGED, check->name, v->info_body, needed,
			       check->seen & needed, _("version or PSID is missing"));
	check_chip(check);
}

void fs2_check_tlvs(struct fs2_verification *v)
{
	struct tlv_check check = { .v = v, .name = fs2_type_name(FS2_IMAGE_INFO) };
	const uint8_t *info = view_bytes(&v->image, v->info_body, v->info_size);
	uint8_t *copy;

	if (info) {
		check_list(&check, info, v->info_size);
		return;
	}
	/* It crosses the end of a chunk. */
	copy = malloc(v->info_size + 1);
	if (copy && !view_read(&v->image, v->info_body, copy, v->info_size, NULL))
		check_list(&check, copy, v->info_size);
	else
		check_finding(v->check, IMAGE_DAMAGED, check.name, v->info_body, _("it cannot be read"));
	free(copy);
}
