// SPDX-License-Identifier: GPL-2.0-only
/* FS4 and FS5: pointers, tables of contents and the facts. firmware-images.md 3.2-3.6, 4. */
#include <errno.h>
#include <stdio.h>

#include "fs4.h"

#define TOC_DISTANCE 16		/* bits of a signature that may be wrong until it is none */

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
					  _("hardware pointer %u is 0x%x: its CRC should be 0x%04x, is 0x%08x"),
					  i, pointers[i], image_pointer_crc(pointers[i]),
					  get32(bytes + 8 * i + 4));
		if (pointers[i] == UINT32_MAX)
			pointers[i] = 0;
	}
	return 0;
}

int fs4_itoc(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT], struct toc *toc,
	     struct image_error *error)
{
	uint32_t first = pointers[FS4_ITOC], second = first + FS4_TOC_SECOND;
	unsigned int bits, other;
	int code = toc_read(view, first, "ITOC", toc, error);

	if (code || toc->present)
		return code;
	if (second > first)
		code = toc_read(view, second, "ITOC", toc, error);
	if (code || toc->present)
		return code;
	code = toc_distance(view, first, "ITOC", &bits, error);
	if (!code)
		code = toc_distance(view, second, "ITOC", &other, error);
	/* Ciphertext differs in about half of the bits. */
	if (!code && (bits <= TOC_DISTANCE || other <= TOC_DISTANCE))
		code = image_fail(error, -EBADMSG, bits <= other ? first : second,
				  _("the signature of the ITOC at 0x%x has %u wrong bits"),
				  bits <= other ? first : second, bits <= other ? bits : other);
	return code;
}

int fs4_flash_size(const struct image_reader *reader, enum image_format format, uint64_t *size,
		   struct image_error *error)
{
	uint8_t magic[4];
	int code;

	*size = reader->size & ~3ULL;
	if (format != IMAGE_FS5 || !(*size % FS5_FLASH_UNIT) || *size < FS5_BCH_LENGTH)
		return 0;
	code = reader_read(reader, *size - FS5_BCH_LENGTH, magic, sizeof(magic), error);
	if (!code && !memcmp(magic, "NVDA", 4))
		*size -= FS5_BCH_LENGTH;
	return code;
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

static int read_device_data(const struct image_view *view, struct image_facts *facts,
			    struct image_error *error)
{
	struct image_view flash = fs4_flash_view(view);
	uint32_t address = facts->dtoc_address;
	struct toc dtoc;
	int code;

	code = toc_read(&flash, address, "DTOC", &dtoc, error);
	if (code)
		return code;
	if (!dtoc.present)
		return image_fail(error, -EBADMSG, address, _("there is no table of the device data at 0x%x"),
				  address);
	code = mfg_info_take(&flash, &dtoc, facts, error);
	if (!code)
		code = dev_info_take(&flash, &dtoc, facts, error);
	if (!code && !facts->guids_override) {
		facts->base_guid = facts->original_guid;
		facts->base_mac = facts->original_mac;
	}
	return code;
}

/* A card that lost its device data still has an image to tell of. */
static int device_data(const struct image_view *view, struct image_facts *facts, struct image_error *error)
{
	struct image_error why = { 0 };
	int code = read_device_data(view, facts, &why);

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

/* An encrypted image shows its IMAGE_INFO through a pointer; its sections are not to be seen. */
static int encrypted_facts(const struct image_view *view, const uint32_t pointers[FS4_POINTER_COUNT],
			   uint8_t info[IMAGE_INFO_LENGTH], struct image_facts *facts,
			   struct image_error *error)
{
	int code;

	if (!pointers[FS4_IMAGE_INFO_POINTER] || pointers[FS4_IMAGE_INFO_POINTER] & 3)
		return image_fail(error, -EBADMSG, pointers[FS4_ITOC],
				  _("there is no table at 0x%x or 0x%x, and no pointer that can be IMAGE_INFO's"),
				  pointers[FS4_ITOC], pointers[FS4_ITOC] + FS4_TOC_SECOND);
	code = view_read(view, pointers[FS4_IMAGE_INFO_POINTER], info, IMAGE_INFO_LENGTH, error);
	if (code)
		return code;
	facts->encrypted = true;
	facts->security_keys = true;	/* not to be seen, but nobody encrypts without signing */
	code = image_info_take(info, pointers[FS4_IMAGE_INFO_POINTER], facts, error);
	facts->length = facts->burn_size;
	return code;
}

static int plain_facts(const struct image_view *view, const struct toc *itoc, unsigned int flags,
		       uint8_t info[IMAGE_INFO_LENGTH], struct image_facts *facts, struct image_error *error)
{
	const struct toc_section *section;
	int code;

	code = toc_check(itoc, "ITOC", error);
	if (code)
		return code;
	section = toc_find(itoc, SECTION_IMAGE_INFO, 0);
	if (!section)
		return image_fail(error, -EBADMSG, itoc->address, _("there is no IMAGE_INFO in the ITOC"));
	code = toc_read_section(view, section, info, IMAGE_INFO_LENGTH, error);
	if (!code)
		code = image_info_take(info, section->address, facts, error);
	/* FS5 copies what IMAGE_INFO says: it may go beyond the last section. */
	facts->length = toc_end(itoc);
	if (view->place.format == IMAGE_FS5 && facts->burn_size > facts->length)
		facts->length = facts->burn_size;
	if (!code)
		code = toc_security(view, itoc, facts, error);
	return code ? code : toc_rom(view, itoc, flags, facts, error);
}

int fs4_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
	      struct image_facts *facts, struct image_error *error)
{
	struct image_view view = { reader, *place };
	uint32_t pointers[FS4_POINTER_COUNT];
	uint8_t info[IMAGE_INFO_LENGTH];
	uint64_t flash_size;
	struct toc itoc;
	int code;

	if (place->generation > 2)
		return image_fail(error, -EOPNOTSUPP, place->address + FS4_VERSION,
				  _("an image of generation %u, which this version does not know"),
				  place->generation);
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
	if (!code && facts->length & 3)
		code = image_fail(error, -EBADMSG, 0,
				  _("the image claims 0x%x bytes, which are not whole dwords"),
				  facts->length);
	if (!code && facts->length > view_size(&view))
		code = image_fail(error, -EBADMSG, 0, _("the image claims 0x%x bytes, its place has 0x%llx"),
				  facts->length, (unsigned long long)view_size(&view));
	if (code)
		return code;
	code = fs4_flash_size(reader, place->format, &flash_size, error);
	if (code)
		return code;
	if (flash_size <= (uint64_t)place->address + facts->length) {
		facts->stripped = true;
		return 0;
	}
	facts->dtoc_address = fs4_dtoc_address(flash_size, info[0x112]);
	return device_data(&view, facts, error);
}
