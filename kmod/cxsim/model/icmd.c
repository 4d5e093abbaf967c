// SPDX-License-Identifier: GPL-2.0-only
/* The firmware's command mailbox and the semaphores around it: spaces 3 and 0xa [3.1]. */
#include "card.h"

#define CONTROL		0x0
#define CONTROL_AGAIN	0x4		/* repeats the control dword */
#define MAILBOX_SIZE	0x1000
#define SYNDROME	0x1008
#define MAILBOX		0x100000

#define GO		1U
#define STATUS_SHIFT	8
#define STATUS_MASK	0xff00U
#define REGISTER_ACCESS	0x9001

#define BAD_OPCODE	1

#define SEMAPHORE_ICMD		0x0
#define SEMAPHORE_PROGRAM	0x10
#define SEMAPHORE_RESET		0x20

void cxsim_icmd_reset(struct cxsim_card *card)
{
	unsigned int i;

	memset(&card->icmd, 0, sizeof(card->icmd));
	for (i = 0; i < ARRAY_SIZE(card->icmd.mailbox); i++)
		card->icmd.mailbox[i] = CXSIM_POISON;
	card->semaphore_icmd = 0;
	card->semaphore_program = 0;
	card->semaphore_reset = 0;
}

static bool mailbox_index(u32 address, u32 *index)
{
	if (address < MAILBOX || address >= MAILBOX + CXSIM_MAILBOX || address & 3)
		return false;
	*index = (address - MAILBOX) / 4;
	return true;
}

static u32 execute(struct cxsim_card *card, u32 opcode)
{
	u32 status = 0;

	if (card->settings[CXSIM_ICMD_STATUS])
		return (u32)card->settings[CXSIM_ICMD_STATUS];
	if (opcode != REGISTER_ACCESS)
		return BAD_OPCODE;
	cxsim_register_packet(card, card->icmd.mailbox, ARRAY_SIZE(card->icmd.mailbox), &status);
	return status;
}

/* The work is done at once; that it is done shows when the polls and the flash's time are over. */
static void start(struct cxsim_card *card)
{
	struct cxsim_icmd *icmd = &card->icmd;

	cxsim_add(card, CXSIM_ICMD_COMMANDS, 1);
	if (!card->semaphore_icmd || cxsim_actor_holds(card, &card->semaphore_icmd))
		cxsim_foul(card);
	icmd->running = true;
	icmd->polls = (u32)card->settings[CXSIM_FIRMWARE_DELAY];
	icmd->done_at = 0;
	if (card->settings[CXSIM_ICMD_TIMEOUT])
		return;
	icmd->status = execute(card, icmd->control >> 16);
	icmd->syndrome = icmd->status;
	icmd->done_at = cxsim_chip_busy_until(card);
	if (icmd->done_at < card->firmware_busy_until)
		icmd->done_at = card->firmware_busy_until;
}

static u32 read_control(struct cxsim_card *card)
{
	struct cxsim_icmd *icmd = &card->icmd;

	if (!icmd->running)
		return icmd->control;
	if (card->settings[CXSIM_ICMD_TIMEOUT] || cxsim_time(card) < icmd->done_at)
		return icmd->control;
	if (icmd->polls) {
		icmd->polls--;
		return icmd->control;
	}
	icmd->running = false;
	icmd->control = (icmd->control & ~(STATUS_MASK | GO)) | icmd->status << STATUS_SHIFT;
	return icmd->control;
}

static void write_control(struct cxsim_card *card, u32 value)
{
	struct cxsim_icmd *icmd = &card->icmd;

	if (icmd->running) {
		cxsim_foul(card);
		return;
	}
	icmd->control = value;
	if (value & GO)
		start(card);
}

u32 cxsim_icmd_read(struct cxsim_card *card, u32 address)
{
	u32 index;

	if (!cxsim_firmware_runs(card))
		return CXSIM_POISON;
	if (mailbox_index(address, &index))
		return card->icmd.running ? CXSIM_POISON : card->icmd.mailbox[index];
	switch (address) {
	case CONTROL:
	case CONTROL_AGAIN:
		return read_control(card);
	case MAILBOX_SIZE:
		return CXSIM_MAILBOX;
	case SYNDROME:
		return card->icmd.syndrome;
	}
	return 0;
}

void cxsim_icmd_write(struct cxsim_card *card, u32 address, u32 value)
{
	u32 index;

	if (!cxsim_firmware_runs(card))
		return;
	if (address == CONTROL) {
		write_control(card, value);
	} else if (mailbox_index(address, &index)) {
		if (card->icmd.running || !card->semaphore_icmd)
			cxsim_foul(card);
		if (!card->icmd.running)
			card->icmd.mailbox[index] = value;
	}
}

static u32 *semaphore_at(struct cxsim_card *card, u32 address)
{
	switch (address) {
	case SEMAPHORE_ICMD:
		return &card->semaphore_icmd;
	case SEMAPHORE_PROGRAM:
		return &card->semaphore_program;
	case SEMAPHORE_RESET:
		return &card->semaphore_reset;
	}
	return NULL;
}

u32 cxsim_semaphore_read(struct cxsim_card *card, u32 address)
{
	u32 *semaphore = semaphore_at(card, address);

	return semaphore ? *semaphore : 0;
}

/* Taken only when free or given back [3.1]. Whoever comes next finds no answer of ours. */
void cxsim_semaphore_write(struct cxsim_card *card, u32 address, u32 value)
{
	u32 *semaphore = semaphore_at(card, address);
	unsigned int i;

	if (!semaphore || (*semaphore && value))
		return;
	if (cxsim_actor_holds(card, semaphore))
		cxsim_foul(card);
	*semaphore = value;
	if (semaphore == &card->semaphore_icmd && !value && !card->icmd.running)
		for (i = 0; i < ARRAY_SIZE(card->icmd.mailbox); i++)
			card->icmd.mailbox[i] = CXSIM_POISON;
}
