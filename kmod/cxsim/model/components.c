// SPDX-License-Identifier: GPL-2.0-only
/* Which components the firmware has, and what it tells of them: MCQS and MCQI [4.2]. */
#include "card.h"
#include "boot.h"
#include "mcc.h"

#define PENDING		0x80000000U	/* MCQI: the pending component is asked for */
#define LAST		0x80000000U	/* MCQS */
#define SIGNED_ONLY	0x40000000U	/* MCQI capabilities */
#define IMAGE_MOST	0x700000U

enum { INFO_CAPABILITIES, INFO_VERSION, INFO_ACTIVATION = 5 };

/* Index is the order in which real firmware lists them. */
static const struct {
	u16 id;
	u32 info;		/* supported_info_bitmask */
	u32 largest;
	u32 flags;
} components[] = {
	{ 1, 0x26, IMAGE_MOST, 0x90000000 },
	{ 7, 0x24, 0x10000, 0x54000000 },
	{ 6, 0x20, 0x10000, 0x54000000 },
	{ 3, 0x20, 0x10000, 0x54000000 },
	{ 5, 0x20, 0x10000, 0x54000000 },
	{ 4, 0x20, 0x10000, 0x54000000 },
	{ 2, 0x26, IMAGE_MOST, 0x90000000 },
	{ 8, 0x20, 0, 0x54000000 },
	{ 9, 0x20, 0, 0x54000000 },
	{ 0xb, 0x20, 0x20000, 0x54000000 },
};

/* What fits between the slots, as real firmware leaves room behind the image. */
u32 cxsim_component_most(struct cxsim_card *card)
{
	u32 slot = cxsim_image_slot(card, 1), room = slot - slot / 8;

	/* Slots of 16 MiB hold more than the ones where the figure was seen. */
	return room < IMAGE_MOST || slot > 0x800000 ? room : IMAGE_MOST;
}

u32 cxsim_mcqs(struct cxsim_card *card, u32 *reg)
{
	u32 index = reg[0] & 0xffff;

	if (index >= ARRAY_SIZE(components) || reg[0] & 0x0fff0000)
		return CXSIM_REG_BAD_PARAMETER;
	reg[0] = index | (index == ARRAY_SIZE(components) - 1 ? LAST : 0);
	reg[1] = components[index].id;
	reg[2] = index == CXSIM_BOOT_IMAGE ? 0x10 | card->mcc.update_state : 0;
	reg[3] = 0;
	return 0;
}

static u32 capabilities(struct cxsim_card *card, u32 index, const struct cxsim_facts *facts, u32 *data)
{
	data[0] = components[index].info;
	data[1] = index == CXSIM_BOOT_IMAGE ? facts->length : 0;
	data[2] = components[index].largest;
	if (data[2] == IMAGE_MOST)
		data[2] = cxsim_component_most(card);
	data[3] = 0x20000100;		/* dwords, at most 256 bytes */
	data[4] = components[index].flags;
	if (index == CXSIM_BOOT_IMAGE && card->model->secure)
		data[4] |= SIGNED_ONLY;
	return 0x14;
}

static u32 version(const struct cxsim_boot *boot, const struct cxsim_facts *facts, u32 *data)
{
	u8 text[20] = { 0 };
	u32 i;

	data[0] = 0x20000010;		/* build time valid, 16 characters of text */
	data[1] = boot->version[0] << 24 | (boot->version[1] & 0xff) << 16 | (boot->version[2] & 0xffff);
	data[2] = (facts->time & 0xff) << 24 | (facts->time & 0xff00) << 8 | (facts->time & 0xff0000) >> 8;
	data[3] = facts->date;
	scnprintf((char *)text, 16, "%u.%u.%04u", boot->version[0], boot->version[1], boot->version[2]);
	for (i = 0; i < 4; i++)
		data[8 + i] = (u32)text[4 * i] << 24 | (u32)text[4 * i + 1] << 16 | (u32)text[4 * i + 2] << 8 |
			      text[4 * i + 3];
	return 0x34;
}

/* A new image waits for a reset of the firmware. */
static u32 activation(u32 *data)
{
	data[0] = 0x4;
	return 4;
}

u32 cxsim_mcqi(struct cxsim_card *card, u32 *reg)
{
	bool pending = reg[0] & PENDING;
	const struct cxsim_boot *boot = pending ? &card->mcc.pending_boot : &card->boot;
	const struct cxsim_facts *facts = pending ? &card->mcc.pending_facts : &card->facts;
	u32 index = reg[0] & 0xffff, type = reg[2] & 0x1f, offset = reg[4], wanted = reg[5] & 0xffff;
	u32 data[0x7c / 4] = { 0 }, size, i;

	if (index >= ARRAY_SIZE(components) || (pending && (index != CXSIM_BOOT_IMAGE || !card->mcc.pending)))
		return CXSIM_REG_BAD_PARAMETER;
	if (type == INFO_CAPABILITIES)
		size = capabilities(card, index, facts, data);
	else if (type == INFO_VERSION && index == CXSIM_BOOT_IMAGE)
		size = version(boot, facts, data);
	else if (type == INFO_ACTIVATION)
		size = activation(data);
	else
		return CXSIM_REG_BAD_PARAMETER;
	if (offset & 3 || offset >= size)
		return CXSIM_REG_BAD_PARAMETER;
	reg[3] = size;
	if (wanted > size - offset)
		wanted = size - offset;
	reg[5] = wanted;
	for (i = 0; i < 0x7c / 4; i++)
		reg[6 + i] = offset / 4 + i < size / 4 && 4 * i < wanted ? data[offset / 4 + i] : 0;
	return 0;
}
