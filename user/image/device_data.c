// SPDX-License-Identifier: GPL-2.0-only
/* DEV_INFO and MFG_INFO, the identity of one card: firmware-images.md 3.6. */
#include <errno.h>

#include "toc.h"

static const uint8_t dev_info_signature[16] = {
	0x6d, 0x44, 0x65, 0x76, 0x49, 0x6e, 0x66, 0x6f, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

bool dev_info_signed(const uint8_t info[DEV_INFO_LENGTH])
{
	return !memcmp(info, dev_info_signature, sizeof(dev_info_signature));
}

bool dev_info_valid(const uint8_t info[DEV_INFO_LENGTH])
{
	return dev_info_signed(info) && get32(info + 0x1fc) == image_crc16(info, 0x1fc);
}

static void take_uids(const uint8_t *block, struct image_uids *guid, struct image_uids *mac)
{
	guid->count = (uint32_t)block[0x01] << 8 | block[0x03];
	guid->step = block[0x02];
	guid->base = get64(block + 0x08);
	mac->count = (uint32_t)block[0x11] << 8 | block[0x13];
	mac->step = block[0x12];
	mac->base = get64(block + 0x18);
}

int mfg_info_take(const struct image_view *flash, const struct toc *table, struct image_facts *facts,
		  struct image_error *error)
{
	const struct toc_section *section = toc_find(table, SECTION_MFG_INFO, 0);
	uint8_t info[MFG_INFO_LENGTH];
	int code;

	if (!section)
		return image_fail(error, -EBADMSG, table->address,
				  _("there is no MFG_INFO in the device data"));
	code = toc_read_section(flash, section, info, sizeof(info), error);
	if (code)
		return code;
	image_text(facts->original_psid, sizeof(facts->original_psid), info, 16);
	facts->guids_override = info[0x1f] & 1;
	take_uids(info + 0x20, &facts->original_guid, &facts->original_mac);
	facts->has |= IMAGE_HAS_ORIGINAL;
	return 0;
}

int dev_info_take(const struct image_view *flash, const struct toc *table, struct image_facts *facts,
		  struct image_error *error)
{
	const struct toc_section *section;
	uint8_t info[DEV_INFO_LENGTH];
	unsigned int nth, valid = 0;
	int code;

	for (nth = 0; (section = toc_find(table, SECTION_DEV_INFO, nth)); nth++) {
		if (section->size < sizeof(info))
			continue;
		code = view_read(flash, section->address, info, sizeof(info), error);
		if (code)
			return code;
		if (!dev_info_valid(info))
			continue;
		if (valid++)
			return image_fail(error, -EBADMSG, section->address,
					  _("two copies of DEV_INFO are valid, one is expected"));
		take_uids(info + 0x20, &facts->base_guid, &facts->base_mac);
		image_text(facts->device_vsd, sizeof(facts->device_vsd), info + 0x70, 208);
		facts->has |= IMAGE_HAS_GUIDS | IMAGE_HAS_MACS | IMAGE_HAS_DEVICE_VSD;
	}
	if (!valid)
		return image_fail(error, -EBADMSG, table->address, _("no copy of DEV_INFO is valid"));
	return 0;
}
