// SPDX-License-Identifier: GPL-2.0-only
/* IMAGE_INFO, the section that says what an image is: firmware-images.md 3.5. */
#include <errno.h>

#include "toc.h"

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
	image_text(facts->board_name, sizeof(facts->board_name), info + 0x2d2, 46);
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

int image_info_take(const uint8_t info[IMAGE_INFO_LENGTH], uint32_t where, struct image_facts *facts,
		    struct image_error *error)
{
	if (info[0])
		return image_fail(error, -EBADMSG, where, _("IMAGE_INFO has major version %u, 0 is known"),
				  info[0]);
	take_version(info, facts);
	take_texts(info, facts);
	take_ids(info, facts);
	facts->burn_size = get32(info + 0x12c);
	facts->max_size = get32(info + 0x10c);
	facts->ini_number = get32(info + 0x128);
	return 0;
}
