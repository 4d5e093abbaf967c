// SPDX-License-Identifier: GPL-2.0-only
/* FS2: the chain of sections and the facts. firmware-images.md 2. */
#include <errno.h>
#include <stdlib.h>

#include "fs2.h"

#define BOOT2_WORDS_LEAST 4
#define BOOT2_WORDS_MOST 1048576
#define SECTIONS_MOST 256	/* real images have 17 */
#define GUIDS_MOST 32
#define INFO_MOST 0x4000		/* real ones have some 400 bytes */

static const char *const type_names[FS2_TYPES] = {
	"BOOT2",      "DDR",      "Configuration", "Jump addresses",   "EMT Service", "ROM",   "GUID",
	"Board ID",   "User Data", "FW Configuration", "Image Info", "DDRZ",	     "Hash File",
};

const char *fs2_type_name(uint32_t type)
{
	return type < FS2_TYPES ? type_names[type] : "unknown section";
}

uint64_t fs2_mac_of_guid(uint64_t guid)
{
	return (guid >> 40) << 24 | (guid & 0xffffff);
}

void fs2_chain_start(struct fs2_chain *chain, const struct image_view *view)
{
	memset(chain, 0, sizeof(*chain));
	chain->view = view;
	chain->position = FS2_BOOT2;
}

static int boot2_block(struct fs2_chain *chain, const uint8_t *header, struct fs2_section *section,
		       struct image_error *error)
{
	uint32_t words = get32(header + 4);
	uint64_t end = chain->position + 4 * (words + 4ULL);

	if (words < BOOT2_WORDS_LEAST || words > BOOT2_WORDS_MOST)
		return image_fail(error, -EBADMSG, chain->position + 4,
				  _("BOOT2 at 0x%x claims 0x%x words, %d to %d are possible"),
				  chain->position, words, BOOT2_WORDS_LEAST, BOOT2_WORDS_MOST);
	if (end > view_size(chain->view))
		return image_fail(error, -EBADMSG, chain->position,
				  _("BOOT2 at 0x%x would end at 0x%llx, the image's place ends at 0x%llx"),
				  chain->position, (unsigned long long)end,
				  (unsigned long long)view_size(chain->view));
	section->type = 0;
	section->offset = chain->position;
	section->body = chain->position;
	section->end = end;
	section->size = section->end - 4 - section->offset;
	section->parameter = get32(header);
	section->next = section->end;
	section->last = false;
	return 0;
}

static int generic_section(struct fs2_chain *chain, const uint8_t *header, struct fs2_section *section,
			   struct image_error *error)
{
	uint64_t size = get32(header + 4), end;

	section->type = get32(header);
	section->offset = chain->position;
	section->body = chain->position + FS2_SECTION_HEADER;
	section->parameter = get32(header + 8);
	section->next = get32(header + 12);
	section->last = !section->next || section->next == FS2_LAST;
	size = section->type == FS2_EMT ? (size + 3) & ~3ULL : size * 4;
	end = section->body + size + 4;
	if (size > FS2_SECTION_MOST || end > view_size(chain->view))
		return image_fail(error, -EBADMSG, section->offset + 4,
				  _("section %s at 0x%x claims 0x%llx bytes, it may have 0x%x in a place of 0x%llx"),
				  fs2_type_name(section->type), section->offset, (unsigned long long)size,
				  FS2_SECTION_MOST, (unsigned long long)view_size(chain->view));
	section->size = size;
	section->end = end;
	if (!section->last && (section->next & 3 || section->next < section->end))
		return image_fail(error, -EBADMSG, section->offset + 12,
				  _("section %s at 0x%x ends at 0x%x but says that the next begins at 0x%x"),
				  fs2_type_name(section->type), section->offset, section->end, section->next);
	return 0;
}

int fs2_chain_next(struct fs2_chain *chain, struct fs2_section *section, struct image_error *error)
{
	uint8_t header[FS2_SECTION_HEADER];
	bool boot2;
	int code;

	if (chain->done)
		return 0;
	if (chain->count == SECTIONS_MOST)
		return image_fail(error, -EBADMSG, chain->position, _("there are more than %d sections"),
				  SECTIONS_MOST);
	code = view_read(chain->view, chain->position, header, sizeof(header), error);
	if (code)
		return code;
	/* What follows the first BOOT2 is a second one unless its first word is a known type. */
	boot2 = !chain->count ||
		(chain->count == 1 && (!get32(header) || get32(header) >= FS2_TYPES));
	if (boot2)
		code = boot2_block(chain, header, section, error);
	else
		code = generic_section(chain, header, section, error);
	if (code)
		return code;
	chain->generic = !boot2;
	chain->done = section->last;
	chain->position = section->next;
	chain->count++;
	return 1;
}

int fs2_chain_end(const struct image_view *view, uint32_t *end, struct image_error *error)
{
	struct fs2_section section = { 0 };
	struct fs2_chain chain;
	int code;

	fs2_chain_start(&chain, view);
	while ((code = fs2_chain_next(&chain, &section, error)) > 0)
		;
	if (end)
		*end = section.end;
	return code;
}

int fs2_tlv_next(const uint8_t *info, uint32_t length, uint32_t *position, struct fs2_tlv_view *tlv)
{
	uint32_t word, payload;

	if (*position == length)
		return 0;
	if (length - *position < 4)
		return -EBADMSG;
	word = get32(info + *position);
	payload = word & 0xffffff;
	if (payload & 3 || payload > length - *position - 4)
		return -EBADMSG;
	tlv->id = word >> 24;
	tlv->length = payload;
	tlv->payload = info + *position + 4;
	*position += 4 + payload;
	return tlv->id != FS2_TLV_END;
}

/* d1 31:16 major; d2 31:16 minor, 15:0 subminor */
static void version_words(const uint8_t *payload, uint32_t version[3])
{
	version[0] = get32(payload) >> 16;
	version[1] = get32(payload + 4) >> 16;
	version[2] = get32(payload + 4) & 0xffff;
}

static void tlv_version(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	version_words(tlv->payload, facts->version);
	facts->has |= IMAGE_HAS_VERSION;
}

static void tlv_time(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	facts->time = get32(tlv->payload) & 0xffffff;
	facts->date = get32(tlv->payload + 4);
	facts->has |= IMAGE_HAS_DATE;
}

static void tlv_device(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	facts->pci_device = get32(tlv->payload);
	facts->has |= IMAGE_HAS_DEVICE_ID;
}

static void tlv_psid(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	image_text(facts->psid, sizeof(facts->psid), tlv->payload, 16);
	facts->has |= IMAGE_HAS_PSID;
}

static void tlv_vsd(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	image_text(facts->vsd, sizeof(facts->vsd), tlv->payload, FS2_VSD_LENGTH);
	memcpy(facts->vsd_bytes, tlv->payload, FS2_VSD_LENGTH);
	facts->has |= IMAGE_HAS_VSD;
}

static void tlv_product(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	image_text(facts->product_version, sizeof(facts->product_version), tlv->payload, 16);
	facts->has |= IMAGE_HAS_PRODUCT;
}

static void tlv_vsd_vendor(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	facts->vsd_vendor = get32(tlv->payload);
}

static void tlv_hw_ids(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	uint32_t i, word;

	facts->hw_id_count = 0;
	for (i = 0; i < tlv->length && facts->hw_id_count < IMAGE_HW_IDS; i += 4) {
		word = get32(tlv->payload + i);
		if (!word)
			break;
		facts->hw_ids[facts->hw_id_count].id = word;
		facts->hw_ids[facts->hw_id_count++].revision = word >> 16;
	}
	facts->has |= IMAGE_HAS_HW_IDS;
}

static void tlv_mic(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	version_words(tlv->payload, facts->mic);
	facts->has |= IMAGE_HAS_MIC | IMAGE_HAS_FULL_CRC;
}

/* The third dword, log2 of the sector size in KiB, is absent in older images. */
static void tlv_config(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	uint32_t log2;

	facts->config_sectors = get32(tlv->payload);
	facts->config_pad = get32(tlv->payload + 4);
	facts->config_sector = 0;
	if (tlv->length >= 12) {
		log2 = get32(tlv->payload + 8);
		facts->config_sector = log2 < 16 ? 1024U << log2 : 0;
	}
	facts->has |= IMAGE_HAS_CONFIG;
}

static void tlv_prs(struct image_facts *facts, const struct fs2_tlv_view *tlv)
{
	image_text(facts->prs_name, sizeof(facts->prs_name), tlv->payload, tlv->length);
}

static const struct {
	uint8_t id;
	uint32_t least;		/* bytes of payload */
	void (*read)(struct image_facts *facts, const struct fs2_tlv_view *tlv);
} tlv_readers[] = {
	{ FS2_TLV_VERSION, 8, tlv_version },
	{ FS2_TLV_TIME, 8, tlv_time },
	{ FS2_TLV_DEVICE, 4, tlv_device },
	{ FS2_TLV_PSID, 16, tlv_psid },
	{ FS2_TLV_VSD, FS2_VSD_LENGTH, tlv_vsd },
	{ FS2_TLV_PRODUCT, 16, tlv_product },
	{ FS2_TLV_VSD_VENDOR, 4, tlv_vsd_vendor },
	{ FS2_TLV_HW_IDS, 0, tlv_hw_ids },
	{ FS2_TLV_MIC, 8, tlv_mic },
	{ FS2_TLV_CONFIG, 8, tlv_config },
	{ FS2_TLV_PRS, 0, tlv_prs },
};

static int read_tlv(struct image_facts *facts, const struct fs2_tlv_view *tlv, uint32_t where,
		    struct image_error *error)
{
	size_t i;

	for (i = 0; i < sizeof(tlv_readers) / sizeof(tlv_readers[0]); i++) {
		if (tlv_readers[i].id != tlv->id)
			continue;
		if (tlv->length < tlv_readers[i].least)
			return image_fail(error, -EBADMSG, where,
					  _("item %u of the image information has %u bytes, %u are needed"),
					  tlv->id, tlv->length, tlv_readers[i].least);
		tlv_readers[i].read(facts, tlv);
	}
	return 0;
}

static int read_tlvs(struct image_facts *facts, const uint8_t *info, uint32_t length,
		     struct image_error *error)
{
	uint32_t position = 0, before;
	struct fs2_tlv_view tlv;
	int code;

	for (;;) {
		before = position;
		code = fs2_tlv_next(info, length, &position, &tlv);
		if (code < 0)
			return image_fail(error, code, facts->info_offset + before,
					  _("the image information at 0x%x is not a list of items"),
					  facts->info_offset + before);
		if (!code)
			return 0;
		if (tlv.id == FS2_TLV_VSD)
			facts->vsd_offset = facts->info_offset + before + 4;
		code = read_tlv(facts, &tlv, facts->info_offset + before, error);
		if (code)
			return code;
	}
}

/* Reads a section whose body the header points to, and checks its CRC unless crc is given. */
static int read_section(const struct image_view *view, uint32_t body, uint32_t type, uint8_t *bytes,
			uint32_t room, uint32_t *size, uint32_t *crc, struct image_error *error)
{
	uint32_t offset = body - FS2_SECTION_HEADER, stored;
	uint16_t computed;
	int code;

	if (body < FS2_BOOT2 + FS2_SECTION_HEADER || body & 3)
		return image_fail(error, -EBADMSG, type == FS2_GUID ? FS2_GUIDS : FS2_INFO,
				  _("the pointer to section %s, 0x%x, is impossible"),
				  fs2_type_name(type), body);
	code = view_read(view, offset, bytes, FS2_SECTION_HEADER, error);
	if (code)
		return code;
	*size = get32(bytes + 4);
	if (get32(bytes) != type || !*size || *size > (room - FS2_SECTION_HEADER - 4) / 4)
		return image_fail(error, -EBADMSG, offset,
				  _("no section %s at 0x%x: type %u, 0x%x words"),
				  fs2_type_name(type), offset, get32(bytes), *size);
	*size *= 4;
	code = view_read(view, body, bytes + FS2_SECTION_HEADER, *size + 4, error);
	if (code)
		return code;
	stored = get32(bytes + FS2_SECTION_HEADER + *size);
	computed = image_crc16(bytes, FS2_SECTION_HEADER + *size);
	if (crc)
		*crc = stored;
	if (!crc && stored != computed)
		return image_fail(error, -EBADMSG, body + *size,
				  _("section %s at 0x%x: CRC should be 0x%04x, is 0x%08x"),
				  fs2_type_name(type), offset, computed, stored);
	return 0;
}

static int read_info(const struct image_view *view, struct image_facts *facts, struct image_error *error)
{
	uint8_t bytes[FS2_SECTION_HEADER + INFO_MOST + 4];
	uint32_t size;
	int code;

	code = read_section(view, facts->info_offset, FS2_IMAGE_INFO, bytes, sizeof(bytes), &size, NULL,
			    error);
	if (code)
		return code;
	facts->info_length = size;
	return read_tlvs(facts, bytes + FS2_SECTION_HEADER, size, error);
}

static void take_macs(struct image_facts *facts, const uint8_t *body)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		facts->mac[i] = facts->guid_entries >= 6 ? get64(body + 32 + 8 * i) : UINT64_MAX;
	if (facts->mac[0] == UINT64_MAX && facts->mac[1] == UINT64_MAX) {
		/* 2.5: both all ones, or no place for them: derived from the port GUIDs */
		facts->macs_derived = true;
		for (i = 0; i < 2; i++)
			facts->mac[i] = fs2_mac_of_guid(facts->guid[1 + i]);
	}
	facts->has |= IMAGE_HAS_MACS;
}

static int read_guids(const struct image_view *view, struct image_facts *facts, struct image_error *error)
{
	uint8_t bytes[FS2_SECTION_HEADER + 8 * GUIDS_MOST + 4], *body = bytes + FS2_SECTION_HEADER;
	uint32_t size, crc;
	uint16_t computed;
	unsigned int i;
	int code;

	code = read_section(view, facts->guid_offset, FS2_GUID, bytes, sizeof(bytes), &size, &crc, error);
	if (code)
		return code;
	facts->guid_entries = size / 8;
	if (size & 7 || facts->guid_entries < 4)
		return image_fail(error, -EBADMSG, facts->guid_offset,
				  _("the GUID section has 0x%x bytes, at least 0x20 in steps of 8 are needed"),
				  size);
	if (crc == 0xffff && get64(body) == UINT64_MAX) {
		facts->blank_guids = true;
		return 0;
	}
	computed = image_crc16(bytes, FS2_SECTION_HEADER + size);
	if (crc != computed)
		return image_fail(error, -EBADMSG, facts->guid_offset + size,
				  _("section GUID at 0x%x: CRC should be 0x%04x, is 0x%08x"),
				  facts->guid_offset - FS2_SECTION_HEADER, computed, crc);
	for (i = 0; i < 4; i++)
		facts->guid[i] = get64(body + 8 * i);
	facts->has |= IMAGE_HAS_GUIDS;
	take_macs(facts, body);
	return 0;
}

/* The ROM section, wherever in the chain it is. */
static int read_rom(const struct image_view *view, unsigned int flags, struct image_facts *facts,
		    struct image_error *error)
{
	struct fs2_section section;
	struct fs2_chain chain;
	int code;

	fs2_chain_start(&chain, view);
	while ((code = fs2_chain_next(&chain, &section, error)) > 0) {
		/* 2.3: in every known image a ROM stands before the GUID section, if at all. */
		if (flags & IMAGE_QUICK_ROM && section.type == FS2_GUID)
			return 0;
		if (section.type != FS2_ROM || !section.size)
			continue;
		facts->has |= IMAGE_HAS_ROM;
		facts->rom_offset = section.body;
		facts->rom_length = section.size;
		if (flags & IMAGE_NO_ROM)
			return 0;
		return rom_look(view, section.body, section.size, flags & IMAGE_QUICK_ROM, facts, error);
	}
	facts->rom_complete = !code;
	/* Who does not care for the ROM gets the other facts of an image whose chain is broken. */
	return code == -EBADMSG && flags & IMAGE_NO_ROM ? 0 : code;
}

int fs2_read_rom(const struct image_reader *reader, const struct image_facts *facts, uint8_t **rom,
		 size_t *length, struct image_error *error)
{
	struct image_view view = { reader, facts->place };
	uint32_t header = FS2_SECTION_HEADER, size = header + facts->rom_length + 4;
	uint8_t *bytes;
	int code;

	*rom = NULL;
	if (!(facts->has & IMAGE_HAS_ROM))
		return image_fail(error, -ENOENT, 0, _("the image has no ROM"));
	bytes = malloc(size);
	if (!bytes)
		return image_fail(error, -ENOMEM, 0, _("no memory for a ROM of %u bytes"), facts->rom_length);
	code = view_read(&view, facts->rom_offset - header, bytes, size, error);
	if (!code && get32(bytes + size - 4) != image_crc16(bytes, size - 4))
		code = image_fail(error, -EBADMSG, facts->rom_offset, _("the ROM of the image is damaged"));
	if (code) {
		free(bytes);
		return code;
	}
	memmove(bytes, bytes + header, facts->rom_length);
	*rom = bytes;
	*length = facts->rom_length;
	return 0;
}

static int read_header(const struct image_view *view, struct image_facts *facts, struct image_error *error)
{
	uint8_t header[FS2_BOOT2 - 0x20];
	uint32_t failsafe, info;
	int code;

	code = view_read(view, 0x20, header, sizeof(header), error);
	if (code)
		return code;
	failsafe = get32(header + (FS2_FAILSAFE - 0x20));
	info = get32(header + (FS2_INFO - 0x20));
	if (byte_sum(failsafe))
		return image_fail(error, -EBADMSG, FS2_FAILSAFE,
				  _("the word of the chunk size, 0x%08x, does not add up to 0"), failsafe);
	if (byte_sum(info))
		return image_fail(error, -EBADMSG, FS2_INFO,
				  _("the pointer to the image information, 0x%08x, does not add up to 0"),
				  info);
	facts->silicon_revision = header[0];
	facts->failsafe = failsafe & 8;
	facts->info_offset = info & 0xffffff;
	facts->length = get32(header + (FS2_LENGTH - 0x20));
	facts->guid_offset = get32(header + (FS2_GUIDS - 0x20));
	if (facts->length < FS2_BOOT2 || facts->length & 3 || facts->length > view_size(view))
		return image_fail(error, -EBADMSG, FS2_LENGTH,
				  _("the image claims 0x%x bytes, its place has 0x%llx"), facts->length,
				  (unsigned long long)view_size(view));
	return 0;
}

int fs2_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	struct image_view view = { reader, *place };
	int code;

	code = read_header(&view, facts, error);
	if (!code)
		code = read_guids(&view, facts, error);
	if (!code)
		code = read_info(&view, facts, error);
	if (!code)
		code = read_rom(&view, flags, facts, error);
	return code;
}

static void describe(const struct fs2_section *section, bool generic, struct image_section *described)
{
	memset(described, 0, sizeof(*described));
	described->name = generic ? fs2_type_name(section->type) : "BOOT2";
	described->type = section->type;
	described->start = section->body;
	described->length = section->size;
	described->described_at = section->offset;
	described->crc_kind = IMAGE_CRC_STORED;
	described->load = section->parameter;
	if (section->type == FS2_DDR) {
		described->compressed = section->parameter & FS2_PACKED;
		described->load &= ~FS2_PACKED;
	}
	described->compressed |= section->type == FS2_INI || section->type == FS2_HASHES ||
				 section->type == FS2_DDRZ;
}

int fs2_sections(const struct image_view *view, section_visit visit, void *context, struct image_error *error)
{
	struct image_section described;
	struct fs2_section section;
	struct fs2_chain chain;
	uint8_t crc[4], entry[4];
	int code;

	fs2_chain_start(&chain, view);
	while ((code = fs2_chain_next(&chain, &section, error)) > 0) {
		describe(&section, chain.generic, &described);
		code = view_read(view, section.end - 4, crc, sizeof(crc), error);
		if (!code && !chain.generic)
			code = view_read(view, section.end - 8, entry, sizeof(entry), error);
		if (code)
			return code;
		described.crc = get32(crc);
		described.entry = chain.generic ? 0 : get32(entry);
		code = visit(context, &described);
		if (code)
			return code;
	}
	return code;
}
