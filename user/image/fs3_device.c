// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device data of FS3, which the ITOC lists: firmware-images.md 3.6, 3.7. DEV_INFO has one
 * copy, its CRC stands in the ITOC's entry, and Connect-IB counts ids by port.
 */
#include <errno.h>

#include "fs3.h"

#define UID_ENTRY 0x10

static void take_uid(const uint8_t *entry, struct image_uids *uids)
{
	uids->count = (uint32_t)entry[1] << 8 | entry[3];
	uids->step = entry[2];
	uids->base = get64(entry + 8);
}

struct id_block {
	struct image_uids guid[2], mac[2];	/* by port; one of each when not by_port */
	bool by_port;
};

static void take_block(const uint8_t *bytes, bool by_port, struct id_block *block)
{
	memset(block, 0, sizeof(*block));
	block->by_port = by_port;
	take_uid(bytes, &block->guid[0]);
	if (!by_port) {
		take_uid(bytes + UID_ENTRY, &block->mac[0]);
		return;
	}
	take_uid(bytes + UID_ENTRY, &block->guid[1]);
	take_uid(bytes + 2 * UID_ENTRY, &block->mac[0]);
	take_uid(bytes + 3 * UID_ENTRY, &block->mac[1]);
}

static int read_mfg_info(const struct image_view *flash, const struct toc *itoc, struct id_block *ids,
			 struct image_facts *facts, struct image_error *error)
{
	const struct toc_section *section = toc_find(itoc, SECTION_MFG_INFO, 0);
	uint8_t info[MFG_INFO_LENGTH];
	int code;

	if (!section)
		return image_fail(error, -EBADMSG, itoc->address,
				  _("there is no MFG_INFO in the device data"));
	code = toc_read_section(flash, section, info, sizeof(info), error);
	if (code)
		return code;
	if (info[FS3_MFG_MAJOR] > 1)
		return image_fail(error, -EBADMSG, section->address + FS3_MFG_MAJOR,
				  _("MFG_INFO has major version %u, 0 and 1 are known"), info[FS3_MFG_MAJOR]);
	take_block(info + FS3_IDS, !info[FS3_MFG_MAJOR], ids);
	image_text(facts->original_psid, sizeof(facts->original_psid), info, 16);
	facts->guids_override = info[FS3_MFG_OVERRIDE] & 1;
	facts->original_guid = ids->guid[0];
	facts->original_mac = ids->mac[0];
	facts->has |= IMAGE_HAS_ORIGINAL;
	return 0;
}

static int read_dev_info(const struct image_view *flash, const struct toc *itoc, struct id_block *ids,
			 struct image_facts *facts, struct image_error *error)
{
	const struct toc_section *section = toc_find(itoc, SECTION_DEV_INFO, 0);
	uint8_t info[DEV_INFO_LENGTH], major;
	int code;

	if (!section)
		return image_fail(error, -EBADMSG, itoc->address,
				  _("there is no DEV_INFO in the device data"));
	code = toc_read_section(flash, section, info, sizeof(info), error);
	if (code)
		return code;
	if (!dev_info_signed(info))
		return image_fail(error, -EBADMSG, section->address,
				  _("DEV_INFO does not begin with its signature"));
	major = info[FS3_DEV_MAJOR];
	if (major != 1 && major != 2)
		return image_fail(error, -EBADMSG, section->address + FS3_DEV_MAJOR,
				  _("DEV_INFO has major version %u, 1 and 2 are known"), major);
	take_block(info + FS3_IDS, major == 1, ids);
	image_text(facts->device_vsd, sizeof(facts->device_vsd), info + 0x70, 208);
	facts->has |= IMAGE_HAS_DEVICE_VSD;
	return 0;
}

int fs3_device_data(const struct image_view *view, const struct toc *itoc, struct image_facts *facts,
		    struct image_error *error)
{
	struct image_view flash = fs3_flash_view(view);
	struct id_block made, ours, *ids;
	int code;

	code = read_mfg_info(&flash, itoc, &made, facts, error);
	if (!code)
		code = read_dev_info(&flash, itoc, &ours, facts, error);
	if (code)
		return code;
	ids = facts->guids_override ? &ours : &made;
	facts->uids_by_port = ids->by_port;
	facts->base_guid = ids->guid[0];
	facts->base_mac = ids->mac[0];
	facts->port2_guid = ids->guid[1];
	facts->port2_mac = ids->mac[1];
	facts->has |= IMAGE_HAS_GUIDS | IMAGE_HAS_MACS;
	return 0;
}
