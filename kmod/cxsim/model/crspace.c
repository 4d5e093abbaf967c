// SPDX-License-Identifier: GPL-2.0-only
/* CR-space: the registers of the chip, by address [1.1, 3.1, 5, 6.2]. */
#include "card.h"

#define HW_ID		0xf0014
#define CHIP_RESET	0xf0010		/* mlx4 [7.1] */
#define BIN		0xf0c0c		/* ConnectX-5 */
#define CONNECTX5	0x20d
#define LIVEFISH	0x41270		/* mlx4: above 0xfff00000 when booted without firmware */
#define RUNNING		0x1f064		/* mlx4: version and build time of what runs */
#define RUNNING_END	0x1f074
#define FLASH_GATEWAY	0xf03fc
#define FLASH_PROGRAM	0xf03a0
#define TOOLS_HCR	0xf03bc
#define ICMD_POINTER	0x01002000	/* mlx5, CR dword 0: interface version 1, pointer 0x2000 */
#define READY		0x3fffffff
#define NOT_READY	0x80000000

void cxsim_cr_reset(struct cxsim_card *card, bool power)
{
	if (power)
		card->boot_register = 0;
	card->memory_used = 0;
	card->semaphore_gateway = 0;
	card->semaphore_flash = 0;
	card->semaphore_hcr = 0;
	card->firmware_busy_until = 0;
	card->reset_trigger = 0;
	card->reset_sync = 0;
	card->reset_state = 0;
}

/* A dword that is just memory; what was never written reads 0. */
static u32 memory_read(const struct cxsim_card *card, u32 address)
{
	u32 i;

	for (i = 0; i < card->memory_used; i++)
		if (card->memory[i].address == address)
			return card->memory[i].value;
	return 0;
}

static void memory_write(struct cxsim_card *card, u32 address, u32 value)
{
	u32 i;

	for (i = 0; i < card->memory_used; i++)
		if (card->memory[i].address == address)
			break;
	if (i == CXSIM_MEMORY)
		return;
	if (i == card->memory_used)
		card->memory_used++;
	card->memory[i].address = address;
	card->memory[i].value = value;
}

/* Reading a free one takes it [5.3]. */
static u32 read_to_lock(struct cxsim_card *card, u32 *semaphore)
{
	u32 old = *semaphore;

	*semaphore = 1;
	if (!old && semaphore == &card->semaphore_gateway) {
		card->gateway_since = cxsim_time(card);
		cxsim_add(card, CXSIM_SEMAPHORE_HOLDS, 1);
	}
	return old;
}

static u32 *read_to_lock_semaphore(struct cxsim_card *card, u32 address)
{
	if (card->model->family != CXSIM_MLX4)
		return NULL;
	switch (address) {
	case FLASH_GATEWAY:
		return &card->semaphore_gateway;
	case FLASH_PROGRAM:
		return &card->semaphore_flash;
	case TOOLS_HCR:
		return &card->semaphore_hcr;
	}
	return NULL;
}

static void write_read_to_lock(struct cxsim_card *card, u32 *semaphore, u32 value)
{
	if (semaphore == &card->semaphore_gateway && *semaphore && !value)
		cxsim_hold_ends(card, card->gateway_since);
	if (cxsim_actor_holds(card, semaphore))
		cxsim_foul(card);
	*semaphore = value;
}

static u32 running_version(const struct cxsim_card *card, u32 address)
{
	const struct cxsim_boot *boot = &card->boot;

	if (boot->recovery)
		return 0;
	switch (address - RUNNING) {
	case 0:
		return boot->version[0] << 16;
	case 4:
		return boot->version[1] << 16 | (boot->version[2] & 0xffff);
	case 8:
		/* 00hhmmss becomes seconds, minutes, hours, 0 */
		return (card->facts.time & 0xff) << 24 | (card->facts.time & 0xff00) << 8 |
		       (card->facts.time & 0xff0000) >> 8;
	}
	return card->facts.date;
}

static bool mlx4_read(const struct cxsim_card *card, u32 address, u32 *value)
{
	if (address >= RUNNING && address < RUNNING_END)
		*value = running_version(card, address);
	else if (address == LIVEFISH)
		*value = card->boot.recovery ? 0xfffffff0 : 0;
	else
		return false;
	return true;
}

static bool guard_read(const struct cxsim_card *card, u32 address, u32 *value)
{
	const struct cxsim_cr_value *guard;

	for (guard = card->model->guards; guard->address; guard++) {
		if (guard->address != address)
			continue;
		*value = cxsim_guarded(card) ? guard->value : 0;
		return true;
	}
	return false;
}

static bool mlx5_read(const struct cxsim_card *card, u32 address, u32 *value)
{
	if (guard_read(card, address, value))
		return true;
	if (card->model->life_cycle_address && address == card->model->life_cycle_address)
		*value = (u32)card->model->life_cycle << card->model->life_cycle_shift;
	else if (card->model->ready_address && address == card->model->ready_address)
		*value = cxsim_firmware_runs(card) ? READY : NOT_READY;
	else if (address == BIN && card->model->hw_id == CONNECTX5)
		*value = card->settings[CXSIM_HIGH_BIN] ? 0x40000000 : 0;
	else if (!address && cxsim_firmware_runs(card))
		*value = ICMD_POINTER;
	else
		return false;
	return true;
}

static bool fixed_read(const struct cxsim_card *card, u32 address, u32 *value)
{
	if (address == HW_ID) {
		*value = (u32)card->model->hw_revision << 16 | card->model->hw_id;
		return true;
	}
	if (address == card->model->boot_address) {
		*value = card->boot_register;
		return true;
	}
	return card->model->family == CXSIM_MLX4 ? mlx4_read(card, address, value) :
						    mlx5_read(card, address, value);
}

u32 cxsim_cr_read(struct cxsim_card *card, u32 address)
{
	u32 *semaphore, value;
	bool mine = false;

	if (card->settings[CXSIM_ACCESS_DENIED])
		return card->settings[CXSIM_ACCESS_DENIED] == 1 ? CXSIM_DENIED : CXSIM_LOCKED;
	semaphore = read_to_lock_semaphore(card, address);
	if (semaphore)
		return read_to_lock(card, semaphore);
	if (fixed_read(card, address, &value))
		return value;
	value = cxsim_spi_cr_read(card, address, &mine);
	if (mine || cxsim_hcr_read(card, address, &value))
		return value;
	return memory_read(card, address);
}

void cxsim_cr_write(struct cxsim_card *card, u32 address, u32 value)
{
	u32 *semaphore, ignored;
	bool mine = false;

	if (card->settings[CXSIM_ACCESS_DENIED])
		return;
	semaphore = read_to_lock_semaphore(card, address);
	if (semaphore) {
		write_read_to_lock(card, semaphore, value);
		return;
	}
	if (address == card->model->boot_address) {
		card->boot_register = value;
		return;
	}
	if (address == CHIP_RESET && card->model->family == CXSIM_MLX4) {
		if (value & 1)
			cxsim_reset(card, CXSIM_RESET_CHIP);
		return;
	}
	if (fixed_read(card, address, &ignored))
		return;		/* read-only */
	cxsim_spi_cr_write(card, address, value, &mine);
	if (!mine && !cxsim_hcr_write(card, address, value))
		memory_write(card, address, value);
}
