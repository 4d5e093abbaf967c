// SPDX-License-Identifier: GPL-2.0-only
/* The tools' command interface of ConnectX-3 and Pro [3.3]. */
#include "card.h"

#define HCR		0x80780
#define MAILBOX		0xe0000

#define GO		0x00800000U
#define OPCODE_MASK	0xfffU
#define STATUS_SHIFT	24

#define MBOX_WRITE	0x70
#define MBOX_READ	0x71
#define ACCESS_REG	0x3b

#define BAD_OPCODE	2
#define BAD_PARAMETER	3

enum { IN_HIGH, IN_LOW, MODIFIER, OUT_HIGH, OUT_LOW, TOKEN, COMMAND };

void cxsim_hcr_reset(struct cxsim_card *card)
{
	memset(&card->hcr, 0, sizeof(card->hcr));
}

static bool present(const struct cxsim_card *card)
{
	return card->model->tools_hcr && cxsim_firmware_runs(card);
}

static bool index_of(u32 address, u32 base, size_t count, u32 *index)
{
	if (address < base || address >= base + 4 * count || address & 3)
		return false;
	*index = (address - base) / 4;
	return true;
}

static u32 execute(struct cxsim_card *card)
{
	struct cxsim_hcr *hcr = &card->hcr;
	u32 offset = hcr->dword[MODIFIER], status = 0;

	switch (hcr->dword[COMMAND] & OPCODE_MASK) {
	case MBOX_WRITE:
		if (offset > ARRAY_SIZE(hcr->internal) - 2)
			return BAD_PARAMETER;
		hcr->internal[offset] = hcr->dword[IN_LOW];
		hcr->internal[offset + 1] = hcr->dword[IN_HIGH];
		return 0;
	case MBOX_READ:
		if (offset > ARRAY_SIZE(hcr->internal) - 2)
			return BAD_PARAMETER;
		hcr->dword[OUT_LOW] = hcr->internal[offset];
		hcr->dword[OUT_HIGH] = hcr->internal[offset + 1];
		return 0;
	case ACCESS_REG:
		if (!cxsim_register_packet(card, offset == 1 ? hcr->mailbox : hcr->internal,
					   ARRAY_SIZE(hcr->mailbox), &status))
			return BAD_PARAMETER;
		return 0;
	}
	return BAD_OPCODE;
}

static void write_command(struct cxsim_card *card, u32 value)
{
	struct cxsim_hcr *hcr = &card->hcr;

	if (hcr->dword[COMMAND] & GO) {
		cxsim_foul(card);
		return;
	}
	hcr->dword[COMMAND] = value;
	if (!(value & GO))
		return;
	if (!card->semaphore_hcr)
		cxsim_foul(card);
	hcr->status = execute(card);
	hcr->polls = (u32)card->settings[CXSIM_FIRMWARE_DELAY];
	hcr->done_at = cxsim_chip_busy_until(card);
}

static u32 read_command(struct cxsim_card *card)
{
	struct cxsim_hcr *hcr = &card->hcr;

	if (!(hcr->dword[COMMAND] & GO) || card->settings[CXSIM_ICMD_TIMEOUT] ||
	    cxsim_time(card) < hcr->done_at)
		return hcr->dword[COMMAND];
	if (hcr->polls) {
		hcr->polls--;
		return hcr->dword[COMMAND];
	}
	hcr->dword[COMMAND] = (hcr->dword[COMMAND] & 0x007fffff & ~GO) | hcr->status << STATUS_SHIFT;
	return hcr->dword[COMMAND];
}

bool cxsim_hcr_read(struct cxsim_card *card, u32 address, u32 *value)
{
	u32 index;

	if (!present(card))
		return false;
	if (index_of(address, HCR, ARRAY_SIZE(card->hcr.dword), &index))
		*value = index == COMMAND ? read_command(card) : card->hcr.dword[index];
	else if (index_of(address, MAILBOX, ARRAY_SIZE(card->hcr.mailbox), &index))
		*value = card->hcr.mailbox[index];
	else
		return false;
	return true;
}

bool cxsim_hcr_write(struct cxsim_card *card, u32 address, u32 value)
{
	u32 index;

	if (!present(card))
		return false;
	if (index_of(address, HCR, ARRAY_SIZE(card->hcr.dword), &index)) {
		if (index == COMMAND)
			write_command(card, value);
		else
			card->hcr.dword[index] = value;
		return true;
	}
	if (!index_of(address, MAILBOX, ARRAY_SIZE(card->hcr.mailbox), &index))
		return false;
	card->hcr.mailbox[index] = value;
	return true;
}
