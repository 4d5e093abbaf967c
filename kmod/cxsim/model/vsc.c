// SPDX-License-Identifier: GPL-2.0-only
/* The vendor specific capability: the gateway of mlx5 [2.2.2 - 2.2.5]. */
#include "card.h"

#define CONTROL		0x04
#define COUNTER		0x08
#define SEMAPHORE	0x0c
#define ADDRESS		0x10
#define DATA		0x14

#define FLAG		0x80000000U
#define STATUS_OK	0x20000000U
#define SIZE_VALID	0x10000000U
#define ADDRESS_MASK	0x3fffffffU

#define SPACE_CR	0x2
#define SPACE_ICMD	0x3
#define SPACE_ND_CR	0x6
#define SPACE_SCAN	0x7
#define SPACE_SEMAPHORE	0xa
#define SPACE_RECOVERY	0xc
#define SPACES		16

/* Spaces with bit 28 tell their highest address when they are selected. */
#define SCAN_HIGHEST	0x000ffffcU

/* What each kind of capability has: bit n is space n. */
static const u32 spaces_proper = 0x84fe;	/* 1 ... 7, 0xa, 0xf */
static const u32 spaces_useless = 0x0030;	/* not the minimum that a tool needs */

static bool has_space(const struct cxsim_card *card, u32 space)
{
	u32 spaces = card->model->vsc == CXSIM_VSC_PROPER ? spaces_proper : spaces_useless;

	if (space == SPACE_RECOVERY)
		return card->settings[CXSIM_RECOVERY_SPACE];
	return space < SPACES && spaces >> space & 1;
}

static u32 space_read(struct cxsim_card *card, u32 space, u32 address)
{
	cxsim_add(card, CXSIM_GATEWAY_READS, 1);
	if (!has_space(card, space))
		return CXSIM_POISON;
	switch (space) {
	case SPACE_CR:
	case SPACE_ND_CR:
	case SPACE_SCAN:
		return cxsim_cr_read(card, address);
	case SPACE_ICMD:
		return cxsim_icmd_read(card, address);
	case SPACE_SEMAPHORE:
		return cxsim_semaphore_read(card, address);
	}
	return 0;
}

static void space_write(struct cxsim_card *card, u32 space, u32 address, u32 value)
{
	cxsim_add(card, CXSIM_GATEWAY_WRITES, 1);
	if (!has_space(card, space))
		return;
	switch (space) {
	case SPACE_CR:
		cxsim_cr_write(card, address, value);
		break;
	case SPACE_ICMD:
		cxsim_icmd_write(card, address, value);
		break;
	case SPACE_SEMAPHORE:
		cxsim_semaphore_write(card, address, value);
		break;
	}
}

void cxsim_vsc_reset(struct cxsim_vsc *vsc)
{
	memset(vsc, 0, sizeof(*vsc));
}

/* Only the low 8 bits of the space are kept; the rest of the write is ignored. */
static void select_space(struct cxsim_card *card, struct cxsim_vsc *vsc, u32 value, u32 mask)
{
	u32 space = ((vsc->control & ~mask) | (value & mask)) & 0xff;

	if (!(mask & 0xffff))
		return;
	vsc->control = space;
	if (!has_space(card, space))
		return;
	vsc->control |= STATUS_OK;
	if (space == SPACE_ND_CR || space == SPACE_SCAN) {
		vsc->control |= SIZE_VALID;
		vsc->address = SCAN_HIGHEST;
	}
}

static void flag_turns(struct cxsim_vsc *vsc)
{
	vsc->address ^= FLAG;
	if (vsc->address & FLAG)
		vsc->data = vsc->result;
}

static void start_transfer(struct cxsim_card *card, struct cxsim_vsc *vsc, u32 value)
{
	u32 space = vsc->control & 0xff, address = value & ADDRESS_MASK;

	vsc->address = address | (value & FLAG);
	if (value & FLAG)
		space_write(card, space, address, vsc->data);
	else
		vsc->result = space_read(card, space, address);
	vsc->polls = cxsim_random_below(card, (u32)card->settings[CXSIM_FLAG_POLLS] + 1);
	if (vsc->polls && !(value & FLAG))
		vsc->data = CXSIM_POISON;
	vsc->transfer = true;
	if (!vsc->polls) {
		vsc->transfer = false;
		flag_turns(vsc);
	}
}

static u32 read_address(struct cxsim_vsc *vsc)
{
	if (vsc->transfer) {
		if (vsc->polls) {
			vsc->polls--;
			return vsc->address;
		}
		vsc->transfer = false;
		flag_turns(vsc);
	}
	return vsc->address;
}

/* The scan space goes on by itself: the address shows the next one once the data was taken. */
static u32 read_data(struct cxsim_vsc *vsc)
{
	u32 data = vsc->data, address = vsc->address & ADDRESS_MASK;

	if ((vsc->control & 0xff) == SPACE_SCAN && vsc->address & FLAG && address < SCAN_HIGHEST)
		vsc->address = FLAG | (address + 4);
	return data;
}

u32 cxsim_vsc_read(struct cxsim_card *card, struct cxsim_function *function, unsigned int offset)
{
	struct cxsim_vsc *vsc = &function->vsc;

	switch (offset) {
	case CONTROL:
		return vsc->control;
	case COUNTER:
		if (!++vsc->counter)
			vsc->counter = 1;
		return vsc->counter;
	case SEMAPHORE:
		return vsc->semaphore;
	case ADDRESS:
		return read_address(vsc);
	case DATA:
		return read_data(vsc);
	}
	(void)card;
	return 0;
}

static void write_semaphore(struct cxsim_card *card, struct cxsim_function *function, u32 value)
{
	struct cxsim_vsc *vsc = &function->vsc;

	if (!value) {
		if (vsc->semaphore)
			cxsim_hold_ends(card, vsc->since);
		if (cxsim_actor_holds_vsc(card, function))
			cxsim_foul(card);
		vsc->semaphore = 0;
		return;
	}
	if (vsc->semaphore && !card->settings[CXSIM_TICKET_OVERWRITE])
		return;
	if (vsc->semaphore)
		cxsim_foul(card);	/* it was seen as free by nobody */
	cxsim_add(card, CXSIM_SEMAPHORE_HOLDS, 1);
	vsc->semaphore = value;
	vsc->since = cxsim_time(card);
}

void cxsim_vsc_write(struct cxsim_card *card, struct cxsim_function *function, unsigned int offset,
		     u32 value, u32 mask)
{
	struct cxsim_vsc *vsc = &function->vsc;

	if (offset == SEMAPHORE) {
		write_semaphore(card, function, (vsc->semaphore & ~mask) | (value & mask));
		return;
	}
	if (offset == COUNTER)
		return;
	/* Everything else belongs to whoever holds the semaphore. */
	if (!vsc->semaphore || cxsim_actor_holds_vsc(card, function))
		cxsim_foul(card);
	switch (offset) {
	case CONTROL:
		select_space(card, vsc, value, mask);
		break;
	case ADDRESS:
		start_transfer(card, vsc, (vsc->address & ~mask) | (value & mask));
		break;
	case DATA:
		vsc->data = (vsc->data & ~mask) | (value & mask);
		break;
	}
}
