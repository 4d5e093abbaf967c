// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another host, a management controller or a driver, that takes semaphores, uses what
 * they guard, and gives them back, between two accesses of ours. It keeps the rules.
 */
#include "card.h"

#define ODDS		8	/* one access in so many brings a new hold */
#define LOCK_BIT	0x80000000U
#define LONGEST		24	/* accesses that a hold lasts */

enum { NOTHING, VSC, ICMD, PROGRAM, GATEWAY, FLASH };	/* as enum cxfw_semaphore numbers them */

static u32 *semaphore_of(struct cxsim_card *card, u32 number)
{
	bool mlx4 = card->model->family == CXSIM_MLX4;

	switch (number) {
	case VSC:
		return card->functions[card->actor.function].vsc_offset ?
		       &card->functions[card->actor.function].vsc.semaphore : NULL;
	case ICMD:
		return mlx4 ? NULL : &card->semaphore_icmd;
	case PROGRAM:
		return mlx4 ? NULL : &card->semaphore_program;
	case GATEWAY:
		return mlx4 ? &card->semaphore_gateway : NULL;
	case FLASH:
		return mlx4 ? &card->semaphore_flash : NULL;
	}
	return NULL;
}

/* What it leaves behind in the registers that it may use while it holds. */
static void uses(struct cxsim_card *card)
{
	struct cxsim_vsc *vsc = &card->functions[card->actor.function].vsc;
	unsigned int i;

	switch (card->actor.holds) {
	case VSC:
		vsc->control = cxsim_random(card) & 1 ? 0x2000000a : 0x0000000c;
		vsc->address = 0x80000000 | (cxsim_random(card) & 0xffc);
		vsc->data = cxsim_random(card);
		vsc->transfer = false;
		break;
	case ICMD:
		for (i = 0; i < ARRAY_SIZE(card->icmd.mailbox); i++)
			card->icmd.mailbox[i] = CXSIM_POISON;
		card->icmd.control = 0x90010400;
		break;
	case GATEWAY:
		card->gateway.address = cxsim_random(card);
		for (i = 0; i < ARRAY_SIZE(card->gateway.data); i++)
			card->gateway.data[i] = cxsim_random(card);
		break;
	}
}

static void gives_back(struct cxsim_card *card)
{
	u32 *semaphore = semaphore_of(card, card->actor.holds);

	if (semaphore && *semaphore == card->actor.ticket)
		*semaphore = 0;
	card->actor.holds = NOTHING;
}

static void takes(struct cxsim_card *card)
{
	static const u8 mlx4[] = { GATEWAY, FLASH };
	static const u8 mlx5[] = { VSC, VSC, ICMD, PROGRAM, GATEWAY };
	u32 number = card->model->family == CXSIM_MLX4 ? mlx4[cxsim_random_below(card, ARRAY_SIZE(mlx4))] :
							  mlx5[cxsim_random_below(card, ARRAY_SIZE(mlx5))];
	u32 *semaphore;

	card->actor.function = cxsim_random_below(card, card->function_count);
	/* mlx5's gateway has a lock bit instead, which spi.c shows as set while the actor holds. */
	if (number == GATEWAY && card->model->family == CXSIM_MLX5) {
		if (!(card->gateway.command & LOCK_BIT) && !card->gateway.busy_polls) {
			card->actor.holds = number;
			card->actor.accesses = 1 + cxsim_random_below(card, LONGEST);
		}
		return;
	}
	semaphore = semaphore_of(card, number);
	if (!semaphore || *semaphore || (number == ICMD && card->icmd.running))
		return;
	card->actor.holds = number;
	card->actor.accesses = 1 + cxsim_random_below(card, LONGEST);
	card->actor.ticket = 1;
	if (number == VSC)
		card->actor.ticket = ++card->functions[card->actor.function].vsc.counter;
	else if (number == ICMD || number == PROGRAM)
		card->actor.ticket = 0x40000000 | cxsim_random(card);
	*semaphore = card->actor.ticket;
	uses(card);
}

void cxsim_actor_acts(struct cxsim_card *card)
{
	if (!card->settings[CXSIM_SECOND_ACTOR] && !card->actor.holds)
		return;
	if (!card->powered || !card->function_count)
		return;
	if (card->actor.holds) {
		if (!--card->actor.accesses)
			gives_back(card);
	} else if (!cxsim_random_below(card, ODDS)) {
		takes(card);
	}
}

bool cxsim_actor_holds(struct cxsim_card *card, const u32 *semaphore)
{
	return card->actor.holds && semaphore_of(card, card->actor.holds) == semaphore;
}

bool cxsim_actor_holds_vsc(struct cxsim_card *card, const struct cxsim_function *function)
{
	return card->actor.holds == VSC && &card->functions[card->actor.function] == function &&
	       function->vsc.semaphore == card->actor.ticket;
}
