// SPDX-License-Identifier: GPL-2.0-only
/* Who a card is: backup and restore ask it in the same way, so that answers compare. */
#include <stdio.h>
#include <string.h>

#include "../device/registers.h"
#include "../host/vpd.h"
#include "backup.h"

static void take_facts(const struct image_facts *facts, struct backup_identity *identity)
{
	bool fs2 = facts->place.format == IMAGE_FS2;
	uint64_t guid = fs2 ? facts->guid[0] : facts->base_guid.base;
	uint64_t mac = fs2 ? facts->mac[0] : facts->base_mac.base;

	snprintf(identity->psid, sizeof(identity->psid), "%s", facts->psid);
	identity->has_guid = facts->has & IMAGE_HAS_GUIDS && !facts->blank_guids &&
			     !image_guid_is_dummy(guid);
	identity->has_mac = facts->has & IMAGE_HAS_MACS && !image_mac_is_dummy(mac) &&
			    (!facts->macs_derived || identity->has_guid);
	identity->guid = identity->has_guid ? guid : 0;
	identity->mac = identity->has_mac ? mac : 0;
}

void backup_identify_image(const struct image_reader *flash, struct backup_identity *identity)
{
	struct image_facts facts;

	if (!image_query(flash, IMAGE_LAYOUT_FLASH, IMAGE_NO_ROM, &facts, NULL))
		take_facts(&facts, identity);
}

/* TLV 2 of the NV configuration: base MAC and base GUID. device-access.md 4.5. */
static void ask_registers(struct cxctl_card *card, struct backup_identity *identity)
{
	uint8_t bytes[MNVDA_BYTES];
	struct cxctl_error error;
	uint32_t status;

	mnvda_request(bytes, 2);
	if (card_register(card, REGISTER_MNVDA, bytes, sizeof(bytes), &status, &error) || status ||
	    mnvda_length(bytes) < 16)
		return;
	identity->mac = (uint64_t)(be32_at(bytes, 0x0c) & 0xffff) << 32 | be32_at(bytes, 0x10);
	identity->guid = (uint64_t)be32_at(bytes, 0x14) << 32 | be32_at(bytes, 0x18);
	identity->has_mac = !image_mac_is_dummy(identity->mac);
	identity->has_guid = !image_guid_is_dummy(identity->guid);
}

static void version_text(char text[48], const struct cxctl_version *version)
{
	if (version->valid)
		snprintf(text, 48, "%u.%u.%u", version->major, version->minor, version->subminor);
}

static void read_vpd(struct cxctl_card *card, struct backup_identity *identity, uint8_t *vpd, int *vpd_length)
{
	static uint8_t own[VPD_MOST];
	uint8_t *bytes = vpd ? vpd : own;
	int length = vpd_read(card_address(card), bytes, VPD_MOST);

	if (length > 0) {
		vpd_keyword(bytes, length, "SN", identity->serial, sizeof(identity->serial));
		vpd_keyword(bytes, length, "PN", identity->part, sizeof(identity->part));
	}
	if (vpd_length)
		*vpd_length = length;
}

void backup_identify(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		     struct backup_identity *identity, uint8_t *vpd, int *vpd_length)
{
	const struct cxctl_card_facts *facts = card_facts(card);

	memset(identity, 0, sizeof(*identity));
	identity->hw_id = info->hw_id;
	identity->hw_revision = info->hw_revision;
	identity->flash_size = info->flash_size;
	identity->flash_jedec = info->flash_jedec;
	version_text(identity->running, &facts->running);
	version_text(identity->stored, &facts->stored);
	if (!*identity->running && info->running_valid)
		snprintf(identity->running, sizeof(identity->running), "%u.%u.%u", info->running[0],
			 info->running[1], info->running[2]);
	if (flash && flash->reader.size)
		backup_identify_image(&flash->reader, identity);
	if (!*identity->psid)
		snprintf(identity->psid, sizeof(identity->psid), "%s", facts->psid);
	if (!identity->has_guid && !identity->has_mac && info->family == CXFW_FAMILY_MLX5 &&
	    info->state == CXFW_STATE_RUNNING)
		ask_registers(card, identity);
	read_vpd(card, identity, vpd, vpd_length);
}
