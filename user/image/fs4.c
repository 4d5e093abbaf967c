// SPDX-License-Identifier: GPL-2.0-only
/* FS4: pointers, tables of contents and the facts. firmware-images.md 3.2-3.6, 4. */
#include <errno.h>
#include <stdio.h>

#include "fs4.h"

#define ENTRIES_AT_ONCE 4

static const uint8_t toc_signature[12] = {
	0x04, 0x08, 0x15, 0x16, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static const uint8_t dev_info_signature[16] = {
	0x6d, 0x44, 0x65, 0x76, 0x49, 0x6e, 0x66, 0x6f, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

static const struct {
	uint8_t type;
	const char *name;
} type_names[] = {
	{ 0x01, "BOOT_CODE" },	       { 0x02, "PCI_CODE" },
	{ 0x03, "MAIN_CODE" },	       { 0x04, "PCIE_LINK_CODE" },
	{ 0x05, "IRON_PREP_CODE" },    { 0x06, "POST_IRON_BOOT_CODE" },
	{ 0x07, "UPGRADE_CODE" },      { 0x08, "HW_BOOT_CFG" },
	{ 0x09, "HW_MAIN_CFG" },       { 0x0a, "PHY_UC_CODE" },
	{ 0x0b, "PHY_UC_CONSTS" },     { 0x0c, "PCIE_PHY_UC_CODE" },
	{ 0x0d, "CCIR_INFRA_CODE" },   { 0x0e, "CCIR_ALGO_CODE" },
	{ 0x0f, "BOOT3_CODE" },	       { 0x10, "IMAGE_INFO" },
	{ 0x11, "FW_BOOT_CFG" },       { 0x12, "FW_MAIN_CFG" },
	{ 0x14, "APU_KERNEL" },	       { 0x15, "ACE_CODE" },
	{ 0x18, "ROM_CODE" },	       { 0x20, "RESET_INFO" },
	{ 0x30, "DBG_FW_INI" },	       { 0x32, "DBG_FW_PARAMS" },
	{ 0x33, "FW_ADB" },	       { 0xa0, "IMAGE_SIGNATURE_256" },
	{ 0xa1, "PUBLIC_KEYS_2048" },  { 0xa2, "FORBIDDEN_VERSIONS" },
	{ 0xa3, "IMAGE_SIGNATURE_512" }, { 0xa4, "PUBLIC_KEYS_4096" },
	{ 0xa5, "HMAC_DIGEST" },       { 0xa6, "RSA_PUBLIC_KEY" },
	{ 0xa7, "RSA_4096_SIGNATURES" }, { 0xe0, "MFG_INFO" },
	{ 0xe1, "DEV_INFO" },	       { 0xe2, "NV_DATA1" },
	{ 0xe3, "VPD_R0" },	       { 0xe4, "NV_DATA2" },
	{ 0xe5, "FW_NV_LOG" },	       { 0xe6, "NV_DATA0" },
	{ 0xe7, "DEV_INFO1" },	       { 0xe8, "DEV_INFO2" },
	{ 0xe9, "CRDUMP_MASK_DATA" },  { 0xea, "FW_INTERNAL_USAGE" },
	{ 0xeb, "PROGRAMMABLE_HW_FW1" }, { 0xec, "PROGRAMMABLE_HW_FW2" },
	{ 0xed, "DIGITAL_CERT_PTR" },  { 0xee, "DIGITAL_CERT_RW" },
	{ 0xf2, "CERT_CHAIN_0" },      { 0xf3, "DIGITAL_CACERT_RW" },
};

const char *fs4_type_name(uint32_t type)
{
	size_t i;

	for (i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (type_names[i].type == type)
			return type_names[i].name;
	return "unknown section";
}

/* The vendor's tool takes a plain CRC16 too: firmware-images.md 0.2. */
static bool pointer_good(const uint8_t *entry)
{
	uint32_t pointer = get32(entry), crc = get32(entry + 4);

	if (pointer == UINT32_MAX)
		return true;
	return crc == image_pointer_crc(pointer) || crc == image_crc16(entry, 4);
}

int fs4_pointers(const struct image_view *view, uint32_t pointers[FS4_POINTER_COUNT],
		 struct image_error *error)
{
	uint8_t bytes[FS4_POINTERS_END - FS4_POINTERS];
	unsigned int i;
	int code;

	code = view_read(view, FS4_POINTERS, bytes, sizeof(bytes), error);
	if (code)
		return code;
	for (i = 0; i < FS4_POINTER_COUNT; i++) {
		pointers[i] = get32(bytes + 8 * i);
		if (!pointer_good(bytes + 8 * i))
			return image_fail(error, -EBADMSG, FS4_POINTERS + 8 * i,
					  _("hardware pointer %u is 0x%x: its CRC should be 0x%04x, is 0x%08x"), i,
					  pointers[i], image_pointer_crc(pointers[i]),
					  get32(bytes + 8 * i + 4));
		if (pointers[i] == UINT32_MAX)
			pointers[i] = 0;
	}
	return 0;
}

static void parse_entry(const uint8_t *bytes, struct fs4_section *section)
{
	uint32_t word = get32(bytes + 0x18);

	section->type = bytes[0];
	section->size = get32(bytes) & 0xfffffc;
	section->zipped = bytes[4] & 0x80;
	section->cache_line_crc = bytes[4] & 0x40;
	section->address = get32(bytes + 0x14) & 0x7ffffffc;
	section->encrypted = word >> 31;
	section->crc_mode = word >> 16 & 7;
	section->crc = word & 0xffff;
	section->stored_crc = get32(bytes + 0x1c);
	section->computed_crc = image_crc16(bytes, 0x1c);
}

static int toc_entries(const struct image_view *view, struct fs4_toc *toc, struct image_error *error)
{
	uint8_t bytes[FS4_TOC_ENTRY * ENTRIES_AT_ONCE];
	uint32_t where;
	unsigned int i;
	int code;

	while (toc->count < FS4_TOC_ENTRIES) {
		where = toc->address + FS4_TOC_HEADER + toc->count * FS4_TOC_ENTRY;
		code = view_read(view, where, bytes, sizeof(bytes), error);
		if (code)
			return code;
		for (i = 0; i < ENTRIES_AT_ONCE; i++) {
			if (bytes[i * FS4_TOC_ENTRY] == FS4_TOC_END) {
				toc->ended = true;
				return 0;
			}
			toc->sections[toc->count].where = where + i * FS4_TOC_ENTRY;
			parse_entry(bytes + i * FS4_TOC_ENTRY, &toc->sections[toc->count++]);
		}
	}
	return 0;
}

int fs4_toc(const struct image_view *view, uint32_t address, const char name[4], struct fs4_toc *toc,
	    struct image_error *error)
{
	uint8_t header[FS4_TOC_HEADER];
	int code;

	memset(toc, 0, sizeof(*toc));
	toc->address = address;
	if (address & 3 || (uint64_t)address + FS4_TOC_HEADER > view_size(view))
		return 0;
	code = view_read(view, address, header, sizeof(header), error);
	if (code)
		return code;
	if (memcmp(header, name, 4) || memcmp(header + 4, toc_signature, sizeof(toc_signature)))
		return 0;
	toc->present = true;
	toc->stored_crc = get32(header + 0x1c);
	toc->computed_crc = image_crc16(header, 0x1c);
	return toc_entries(view, toc, error);
}

int fs4_itoc(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT], struct fs4_toc *toc,
	     struct image_error *error)
{
	int code = fs4_toc(view, pointers[FS4_ITOC], "ITOC", toc, error);

	if (code || toc->present)
		return code;
	return fs4_toc(view, pointers[FS4_ITOC] + FS4_TOC_SECOND, "ITOC", toc, error);
}

uint32_t fs4_toc_end(const struct fs4_toc *toc)
{
	uint32_t end = 0;
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].address + toc->sections[i].size > end)
			end = toc->sections[i].address + toc->sections[i].size;
	return end;
}

const struct fs4_section *fs4_find(const struct fs4_toc *toc, uint32_t type, unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].type == type && !nth--)
			return &toc->sections[i];
	return NULL;
}

uint64_t fs4_dtoc_address(uint64_t flash_size, uint32_t divisor)
{
	uint64_t end = divisor ? flash_size / (2 * divisor) : flash_size;

	return end > FS4_DTOC_BELOW_END ? (end - FS4_DTOC_BELOW_END) & ~3ULL : 0;
}

struct image_view fs4_flash_view(const struct image_view *view)
{
	struct image_view flash = *view;

	flash.place.address = 0;
	return flash;
}

bool fs4_dev_info_signed(const uint8_t info[FS4_DEV_INFO_LENGTH])
{
	return !memcmp(info, dev_info_signature, sizeof(dev_info_signature));
}

bool fs4_dev_info_valid(const uint8_t info[FS4_DEV_INFO_LENGTH])
{
	return fs4_dev_info_signed(info) && get32(info + 0x1fc) == image_crc16(info, 0x1fc);
}

/* The size of a section is known; its CRC stands in its entry. */
static int read_section(const struct image_view *view, const struct fs4_section *section, uint8_t *bytes,
			uint32_t length, struct image_error *error)
{
	uint32_t computed;
	int code;

	if (section->size < length)
		return image_fail(error, -EBADMSG, section->where,
				  _("section %s has 0x%x bytes, 0x%x are needed"), fs4_type_name(section->type),
				  section->size, length);
	code = view_read(view, section->address, bytes, length, error);
	if (code || section->crc_mode != FS4_CRC_IN_ENTRY || section->size != length)
		return code;
	computed = image_crc16(bytes, length);
	if (computed != section->crc)
		return image_fail(error, -EBADMSG, section->address,
				  _("section %s at 0x%x: CRC should be 0x%04x, is 0x%04x"),
				  fs4_type_name(section->type), section->address, section->crc, computed);
	return 0;
}

static void take_version(const uint8_t *info, struct image_facts *facts)
{
	facts->version[0] = get32(info + 0x04) >> 16;
	facts->version[1] = get32(info + 0x08) >> 16;
	facts->version[2] = get32(info + 0x08) & 0xffff;
	/* seconds, minutes, hours: the reverse of FS2 */
	facts->time = (uint32_t)info[0x0e] << 16 | info[0x0d] << 8 | info[0x0c];
	facts->date = get32(info + 0x10);
	facts->mic[0] = get32(info + 0x14) >> 16;
	facts->mic[1] = get32(info + 0x18) >> 16;
	facts->mic[2] = get32(info + 0x18) & 0xffff;
	facts->issu_version = get32(info + 0x314) >> 20;
	facts->has |= IMAGE_HAS_VERSION | IMAGE_HAS_DATE | IMAGE_HAS_MIC;
}

static void take_texts(const uint8_t *info, struct image_facts *facts)
{
	image_text(facts->psid, sizeof(facts->psid), info + 0x24, 16);
	image_text(facts->vsd, sizeof(facts->vsd), info + 0x38, 208);
	image_text(facts->product_version, sizeof(facts->product_version), info + 0x1c0, 16);
	image_text(facts->description, sizeof(facts->description), info + 0x1d0, 256);
	image_text(facts->name, sizeof(facts->name), info + 0x340, 64);
	image_text(facts->prs_name, sizeof(facts->prs_name), info + 0x380, 128);
	facts->has |= IMAGE_HAS_PSID | IMAGE_HAS_VSD;
	if (facts->product_version[0])
		facts->has |= IMAGE_HAS_PRODUCT;
}

static void take_ids(const uint8_t *info, struct image_facts *facts)
{
	uint32_t word;
	unsigned int i;

	facts->pci_device = get32(info + 0x1c) >> 16;
	facts->pci_vendor = get32(info + 0x1c);
	facts->subsystem = get32(info + 0x20) >> 16;
	facts->subsystem_vendor = get32(info + 0x20);
	facts->vsd_vendor = get32(info + 0x34);
	facts->security_flags = get32(info) & 0xffff;
	facts->has |= IMAGE_HAS_DEVICE_ID | IMAGE_HAS_HW_IDS;
	for (i = 0; i < 4; i++) {
		word = get32(info + 0x118 + 4 * i);
		if (!word)
			break;
		facts->hw_ids[i].id = word;
		facts->hw_ids[i].revision = word >> 16;
		facts->hw_id_count++;
	}
}

static int take_info(const uint8_t *info, uint32_t where, struct image_facts *facts,
		     struct image_error *error)
{
	if (info[0])
		return image_fail(error, -EBADMSG, where, _("IMAGE_INFO has major version %u, 0 is known"),
				  info[0]);
	take_version(info, facts);
	take_texts(info, facts);
	take_ids(info, facts);
	return 0;
}

static void take_uids(const uint8_t *block, struct image_uids *guid, struct image_uids *mac)
{
	guid->count = block[0x03];
	guid->step = block[0x02];
	guid->base = get64(block + 0x08);
	mac->count = block[0x13];
	mac->step = block[0x12];
	mac->base = get64(block + 0x18);
}

static int read_mfg_info(const struct image_view *flash, const struct fs4_toc *dtoc,
			 struct image_facts *facts, struct image_error *error)
{
	const struct fs4_section *section = fs4_find(dtoc, FS4_MFG_INFO, 0);
	uint8_t info[FS4_MFG_INFO_LENGTH];
	int code;

	if (!section)
		return image_fail(error, -EBADMSG, dtoc->address, _("there is no MFG_INFO in the device data"));
	code = read_section(flash, section, info, sizeof(info), error);
	if (code)
		return code;
	image_text(facts->original_psid, sizeof(facts->original_psid), info, 16);
	facts->guids_override = info[0x1f] & 1;
	take_uids(info + 0x20, &facts->original_guid, &facts->original_mac);
	facts->has |= IMAGE_HAS_ORIGINAL;
	return 0;
}

static int read_dev_info(const struct image_view *flash, const struct fs4_toc *dtoc,
			 struct image_facts *facts, struct image_error *error)
{
	const struct fs4_section *section;
	uint8_t info[FS4_DEV_INFO_LENGTH];
	unsigned int nth, valid = 0;
	int code;

	for (nth = 0; (section = fs4_find(dtoc, FS4_DEV_INFO, nth)); nth++) {
		if (section->size < sizeof(info))
			continue;
		code = view_read(flash, section->address, info, sizeof(info), error);
		if (code)
			return code;
		if (!fs4_dev_info_valid(info))
			continue;
		if (valid++)
			return image_fail(error, -EBADMSG, section->address,
					  _("two copies of DEV_INFO are valid, one is expected"));
		take_uids(info + 0x20, &facts->base_guid, &facts->base_mac);
		image_text(facts->device_vsd, sizeof(facts->device_vsd), info + 0x70, 208);
		facts->has |= IMAGE_HAS_GUIDS | IMAGE_HAS_MACS | IMAGE_HAS_DEVICE_VSD;
	}
	if (!valid)
		return image_fail(error, -EBADMSG, dtoc->address, _("no copy of DEV_INFO is valid"));
	return 0;
}

static int read_device_data(const struct image_view *view, uint32_t divisor, struct image_facts *facts,
			    struct image_error *error)
{
	struct image_view flash = fs4_flash_view(view);
	uint64_t address = fs4_dtoc_address(view->reader->size, divisor);
	struct fs4_toc dtoc;
	int code;

	code = fs4_toc(&flash, address, "DTOC", &dtoc, error);
	if (code)
		return code;
	if (!dtoc.present)
		return image_fail(error, -EBADMSG, address, _("there is no table of the device data at 0x%llx"),
				  (unsigned long long)address);
	code = read_mfg_info(&flash, &dtoc, facts, error);
	if (!code)
		code = read_dev_info(&flash, &dtoc, facts, error);
	if (!code && !facts->guids_override) {
		facts->base_guid = facts->original_guid;
		facts->base_mac = facts->original_mac;
	}
	return code;
}

/* A card that lost its device data still has an image to tell of. */
static int device_data(const struct image_view *view, uint32_t divisor, struct image_facts *facts,
		       struct image_error *error)
{
	struct image_error why = { 0 };
	int code = read_device_data(view, divisor, facts, &why);

	if (code == -EBADMSG) {
		facts->has &= ~(IMAGE_HAS_GUIDS | IMAGE_HAS_MACS | IMAGE_HAS_DEVICE_VSD);
		memset(&facts->base_guid, 0, sizeof(facts->base_guid));
		memset(&facts->base_mac, 0, sizeof(facts->base_mac));
		snprintf(facts->device_data_trouble, sizeof(facts->device_data_trouble), "%.150s", why.text);
		return 0;
	}
	if (code && error)
		*error = why;
	return code;
}

static int read_rom(const struct image_view *view, const struct fs4_toc *itoc, unsigned int flags,
		    struct image_facts *facts, struct image_error *error)
{
	const struct fs4_section *rom = fs4_find(itoc, FS4_ROM_CODE, 0);

	if (!rom || !rom->size) {
		facts->rom_complete = true;
		return 0;
	}
	facts->has |= IMAGE_HAS_ROM;
	facts->rom_offset = rom->address;
	facts->rom_length = rom->size;
	if (flags & IMAGE_NO_ROM)
		return 0;
	return rom_look(view, rom->address, rom->size, flags & IMAGE_QUICK_ROM, facts, error);
}

static int check_entries(const struct fs4_toc *toc, const char *name, struct image_error *error)
{
	unsigned int i;

	if (toc->stored_crc != toc->computed_crc)
		return image_fail(error, -EBADMSG, toc->address,
				  _("%s header at 0x%x: CRC should be 0x%04x, is 0x%08x"), name, toc->address,
				  toc->computed_crc, toc->stored_crc);
	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].stored_crc != toc->sections[i].computed_crc)
			return image_fail(error, -EBADMSG, toc->sections[i].where,
					  _("%s entry %u at 0x%x: CRC should be 0x%04x, is 0x%08x"), name, i,
					  toc->sections[i].where, toc->sections[i].computed_crc,
					  toc->sections[i].stored_crc);
	if (!toc->ended)
		return image_fail(error, -EBADMSG, toc->address, _("%s at 0x%x has no end"), name, toc->address);
	return 0;
}

/* An encrypted image shows its IMAGE_INFO through a pointer; its sections are not to be seen. */
static int encrypted_facts(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
			   uint8_t info[FS4_INFO_LENGTH], struct image_facts *facts,
			   struct image_error *error)
{
	int code;

	if (!pointers[FS4_IMAGE_INFO_POINTER])
		return image_fail(error, -EBADMSG, pointers[FS4_ITOC],
				  _("there is no table of contents at 0x%x or 0x%x, and no pointer to IMAGE_INFO"),
				  pointers[FS4_ITOC], pointers[FS4_ITOC] + FS4_TOC_SECOND);
	code = view_read(view, pointers[FS4_IMAGE_INFO_POINTER], info, FS4_INFO_LENGTH, error);
	if (code)
		return code;
	facts->encrypted = true;
	facts->length = get32(info + 0x12c);
	return take_info(info, pointers[FS4_IMAGE_INFO_POINTER], facts, error);
}

static bool has_either(const struct fs4_toc *toc, uint32_t type, uint32_t other)
{
	return fs4_find(toc, type, 0) || fs4_find(toc, other, 0);
}

static int plain_facts(const struct image_view *view, const struct fs4_toc *itoc, unsigned int flags,
		       uint8_t info[FS4_INFO_LENGTH], struct image_facts *facts, struct image_error *error)
{
	const struct fs4_section *section;
	int code;

	code = check_entries(itoc, "ITOC", error);
	if (code)
		return code;
	facts->length = fs4_toc_end(itoc);
	facts->security_keys = has_either(itoc, FS4_SIGNATURE_256, FS4_SIGNATURE_512) &&
			       has_either(itoc, FS4_PUBLIC_KEYS_2048, FS4_PUBLIC_KEYS_4096);
	section = fs4_find(itoc, FS4_IMAGE_INFO, 0);
	if (!section)
		return image_fail(error, -EBADMSG, itoc->address, _("there is no IMAGE_INFO in the ITOC"));
	code = read_section(view, section, info, FS4_INFO_LENGTH, error);
	if (!code)
		code = take_info(info, section->address, facts, error);
	if (!code)
		code = read_rom(view, itoc, flags, facts, error);
	return code;
}

int fs4_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	struct image_view view = { reader, *place };
	uint32_t pointers[FS4_POINTER_COUNT];
	uint8_t info[FS4_INFO_LENGTH];
	struct fs4_toc itoc;
	int code;

	facts->failsafe = true;
	code = fs4_pointers(&view, pointers, error);
	if (code)
		return code;
	facts->security_version = pointers[FS4_SECURITY_VERSION];
	code = fs4_itoc(&view, pointers, &itoc, error);
	if (code)
		return code;
	if (itoc.present)
		code = plain_facts(&view, &itoc, flags, info, facts, error);
	else
		code = encrypted_facts(&view, pointers, info, facts, error);
	if (!code && facts->length > view_size(&view))
		code = image_fail(error, -EBADMSG, 0, _("the image claims 0x%x bytes, its place has 0x%llx"),
				  facts->length, (unsigned long long)view_size(&view));
	if (code)
		return code;
	if (place->layout == IMAGE_LAYOUT_FILE && reader->size <= (uint64_t)place->address + facts->length) {
		facts->stripped = true;
		return 0;
	}
	return device_data(&view, info[0x112], facts, error);
}
