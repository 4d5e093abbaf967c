// SPDX-License-Identifier: GPL-2.0-only
/* What a card's registers tell: device-access.md 4.1, 4.2. */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "activate.h"
#include "card.h"
#include "job.h"
#include "netlink.h"
#include "reg.h"

bool cxfw_card_has_registers(const struct cxfw_card *card)
{
	const struct cxfw_device *device = &card->device;

	return device->gateway.vsc && !device->recovery &&
	       !(device->chip && device->chip->family == CXFW_FAMILY_MLX4);
}

/* Only as much of each register as is wanted goes over the gateway. */
#define MGIR_SEND	4
#define MGIR_BYTES	0x50
#define MCQS_SEND	0x10
#define MCQS_BYTES	0xc
#define MCQI_SEND	0x18
#define MCQI_BYTES	0x20
#define COMPONENTS_MAX	64
#define BOOT_IMG	1
#define UPDATE_PENDING	4	/* ACTIVE_PENDING_RESET */

static u32 dword(const __be32 *data, unsigned int offset)
{
	return be32_to_cpu(data[offset / 4]);
}

static void copy_psid(char *psid, const __be32 *data)
{
	const char *text = (const char *)data;
	unsigned int i;

	for (i = 0; i < 16 && text[i] > ' ' && text[i] < 0x7f; i++)
		psid[i] = text[i];
	psid[i] = '\0';
}

/* Documentation/reference/device-access.md 4.1: the extended triple, else the legacy bytes. */
static void copy_version(u32 *version, const __be32 *data)
{
	u32 legacy = dword(data, 0x20);

	version[0] = dword(data, 0x44);
	version[1] = dword(data, 0x48);
	version[2] = dword(data, 0x4c);
	if (version[0] || version[1] || version[2])
		return;
	version[0] = legacy >> 16 & 0xff;
	version[1] = legacy >> 8 & 0xff;
	version[2] = legacy & 0xff;
}

static int read_mgir(struct cxfw_card *card, __be32 *data)
{
	memset(data, 0, MGIR_BYTES);
	return cxfw_reg(&card->device, CXFW_REG_MGIR, CXFW_METHOD_GET, data, MGIR_SEND, MGIR_BYTES, NULL);
}

static int read_mcqs(struct cxfw_card *card, u32 index, __be32 *data)
{
	memset(data, 0, MCQS_BYTES);
	data[0] = cpu_to_be32(index);
	return cxfw_reg(&card->device, CXFW_REG_MCQS, CXFW_METHOD_GET, data, MCQS_SEND, MCQS_BYTES, NULL);
}

/* The answer for BOOT_IMG; finds its index first, once. -ENOENT: no such component. */
static int read_boot_component(struct cxfw_card *card, __be32 *data)
{
	u32 index;
	int error;

	if (card->boot_component)
		return read_mcqs(card, card->boot_component - 1, data);
	for (index = 0; index < COMPONENTS_MAX; index++) {
		error = read_mcqs(card, index, data);
		if (error)
			return error;
		if ((dword(data, 4) & 0xffff) == BOOT_IMG) {
			card->boot_component = 1 + index;
			return 0;
		}
		if (dword(data, 0) & BIT(31))
			break;
	}
	return -ENOENT;
}

static void read_stored(struct cxfw_card *card, struct cxfw_card_facts *facts, __be32 *data)
{
	u32 version;

	if (read_boot_component(card, data) || (dword(data, 8) & 0xf) != UPDATE_PENDING)
		return;
	memset(data, 0, MCQI_BYTES);
	data[0] = cpu_to_be32(BIT(31) | (card->boot_component - 1));
	data[2] = cpu_to_be32(1);	/* VERSION */
	data[5] = cpu_to_be32(MCQI_BYTES - MCQI_SEND);
	if (cxfw_reg(&card->device, CXFW_REG_MCQI, CXFW_METHOD_GET, data, MCQI_SEND, MCQI_BYTES, NULL))
		return;
	version = dword(data, 0x18 + 4);
	facts->stored[0] = version >> 24;
	facts->stored[1] = version >> 16 & 0xff;
	facts->stored[2] = version & 0xffff;
	facts->stored_valid = true;
}

static void complain(struct cxfw_card_facts *facts, const char *why)
{
	if (!facts->trouble[0])
		strscpy(facts->trouble, why, sizeof(facts->trouble));
}

static void read_firmware_facts(struct cxfw_card *card, struct cxfw_card_facts *facts, __be32 *data)
{
	struct cxfw_device *device = &card->device;
	u32 date;

	if (device->recovery)
		return;
	if (!cxfw_card_has_registers(card)) {
		facts->running_valid = !cxfw_running_version(device, facts->running, &date);
		if (!facts->running_valid)
			complain(facts, device->why);
		return;
	}
	if (read_mgir(card, data)) {
		complain(facts, device->why);
		return;
	}
	copy_psid(facts->psid, data + 0x30 / 4);
	copy_version(facts->running, data);
	facts->running_valid = true;
	read_stored(card, facts, data);
}

static void copy_identity(const struct cxfw_card *card, struct cxfw_card_facts *facts)
{
	const struct cxfw_device *device = &card->device;

	facts->index = card->index;
	facts->identified = card->opened;
	if (device->chip)
		facts->family = device->chip->family;
	if (device->gateway.ops)
		facts->gateway = device->gateway.ops->kind;
	facts->capabilities = cxfw_card_capabilities(card);
	if (!card->opened)
		return;
	facts->generic = !device->chip;
	facts->hw_id = device->hw_id;
	facts->hw_revision = device->hw_revision;
}

u64 cxfw_card_capabilities(const struct cxfw_card *card)
{
	const struct cxfw_device *device = &card->device;
	char why[CXFW_WHY_LENGTH];
	u64 capabilities = CXFW_CAP_SEMAPHORE_CLEAR, burns = 0;

	if (!card->opened)
		return capabilities;
	if (!cxfw_flash_content_allowed(NULL))
		capabilities |= CXFW_CAP_FLASH_READ;
	if (cxfw_card_has_registers(card))
		capabilities |= CXFW_CAP_REGISTERS;
	if (!cxfw_burn_allowed(0, why))
		burns |= cxfw_plan_capabilities(device);
	if (burns && cxfw_flash_can_unprotect(device))
		burns |= CXFW_CAP_CLEAR_PROTECTION;
	if (device->components == CXFW_OFFER_YES && !cxfw_burn_allowed(CXFW_PLAN_COMPONENT, why))
		burns |= CXFW_CAP_COMPONENT;
	if (burns)
		capabilities |= burns | CXFW_CAP_BURN_PLAN;
	if (device->components == CXFW_OFFER_YES && !cxfw_flash_content_allowed(NULL))
		capabilities |= CXFW_CAP_COMPONENT_READ;
	if (cxfw_activate_offered(device))
		capabilities |= CXFW_CAP_ACTIVATE;
	return capabilities;
}

/* Everything that the card's registers tell; only a killed caller gets an error. */
int cxfw_card_facts(struct cxfw_card *card, struct cxfw_card_facts *facts)
{
	__be32 *data;
	int error;

	memset(facts, 0, sizeof(*facts));
	data = kmalloc(MGIR_BYTES, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	cxfw_card_list_functions(card, facts);
	if (mutex_lock_killable(&card->lock)) {
		kfree(data);
		return -EINTR;
	}
	error = cxfw_card_enter_locked(card);
	copy_identity(card, facts);
	if (error) {
		facts->state = error == -ENODEV ? CXFW_STATE_ABSENT : CXFW_STATE_UNKNOWN;
		facts->capabilities &= CXFW_CAP_SEMAPHORE_CLEAR;
		complain(facts, card->device.why);
		mutex_unlock(&card->lock);
	} else {
		facts->state = card->device.recovery ? CXFW_STATE_RECOVERY : CXFW_STATE_RUNNING;
		read_firmware_facts(card, facts, data);
		complain(facts, card->stale);
		cxfw_card_leave(card);
	}
	kfree(data);
	return 0;
}

/* What tells cards apart. A card whose MGIR cannot be read is one by itself. */
void cxfw_card_read_identity(struct cxfw_card *card)
{
	__be32 *data;

	card->identity_hw_id = card->device.hw_id;
	if (!cxfw_card_has_registers(card))
		return;
	data = kmalloc(MGIR_BYTES, GFP_KERNEL);
	if (data && !read_mgir(card, data))
		card->base_mac = (u64)(dword(data, 0x10) & 0xffff) << 32 | dword(data, 0x14);
	kfree(data);
}
