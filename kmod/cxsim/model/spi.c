// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SPI gateway in CR-space: registers that make the chip's bus run. One layout a
 * generation, device-access.md 5.1 - 5.3; later generations are further rows.
 */
#include "card.h"

/* Where the fields of the command register stand; a mask of 0 is a field that is not there. */
struct spi_layout {
	u32 command, address, data;	/* CR addresses */
	u32 enable;			/* cache replacement enable, bit 0; 0: none */
	u32 gcm;			/* must be off (bit 0) before the gateway is used; 0: none */
	u32 read, has_opcode, has_address, has_data, hold;
	u32 four_byte, chip_select, flash_enable, lock;
	unsigned int size_shift;
	u32 size_mask;
	bool size_is_log2;
};

#define SPI_GO			(1U << 30)
#define SPI_OPCODE_SHIFT	16
#define SPI_DATA_BYTES		16U

static const struct spi_layout spi_generation4 = {
	.command = 0xf0400, .address = 0xf0404, .data = 0xf0410,
	.read = 1U << 0, .has_opcode = 1U << 2, .has_address = 1U << 3, .has_data = 1U << 4, .hold = 1U << 5,
	.four_byte = 1U << 14, .chip_select = 1U << 11, .flash_enable = 1U << 13,
	.size_shift = 8, .size_mask = 0x7, .size_is_log2 = true,
};

static const struct spi_layout spi_generation5 = {
	.command = 0xf0400, .address = 0xf0404, .data = 0xf0410, .enable = 0xf0420,
	.read = 1U << 0, .has_opcode = 1U << 2, .has_address = 1U << 3, .has_data = 1U << 4, .hold = 1U << 5,
	.four_byte = 1U << 14, .chip_select = 1U << 11, .lock = 1U << 31,
	.size_shift = 8, .size_mask = 0x7, .size_is_log2 = true,
};

static const struct spi_layout spi_generation6 = {
	.command = 0xf0400, .address = 0xf0420, .data = 0xf0410, .enable = 0xf0480, .gcm = 0xf0440,
	.read = 1U << 0, .has_opcode = 1U << 2, .has_address = 1U << 3, .has_data = 1U << 4, .hold = 1U << 5,
	.four_byte = 1U << 15, .chip_select = 1U << 13, .lock = 1U << 31,
	.size_shift = 8, .size_mask = 0x1f,
};

static const struct spi_layout *spi_layout(const struct cxsim_card *card)
{
	switch (card->model->spi_generation) {
	case 4:
		return &spi_generation4;
	case 5:
		return &spi_generation5;
	}
	return &spi_generation6;
}

void cxsim_spi_reset(struct cxsim_card *card)
{
	if (card->gateway.hold)
		cxsim_chip_deselect(card);
	memset(&card->gateway, 0, sizeof(card->gateway));
	card->gateway.cache_replacement = cxsim_guarded(card);
	card->gateway.gcm = cxsim_guarded(card);
}

/* Another owner has the lock of generation 5; that of generation 4 is a semaphore, and not ours. */
static bool other_owner(const struct cxsim_card *card)
{
	return card->actor.holds == CXSIM_SEMAPHORE_FLASH_GATEWAY;
}

static bool is_locked(const struct cxsim_card *card, const struct spi_layout *layout)
{
	if (layout->lock)
		return card->gateway.command & layout->lock;
	return card->semaphore_gateway != 0;
}

static u32 transfer_size(const struct spi_layout *layout, u32 command)
{
	u32 size = command >> layout->size_shift & layout->size_mask;

	if (layout->size_is_log2)
		size = 1U << size;
	return size < SPI_DATA_BYTES ? size : SPI_DATA_BYTES;
}

/* Byte n of the data registers; the first flash byte is the highest of the first. */
static u8 data_byte(const struct cxsim_card *card, u32 n)
{
	return (u8)(card->gateway.data[n / 4] >> (24 - 8 * (n & 3)));
}

static void set_data_byte(struct cxsim_card *card, u32 n, u8 value)
{
	u32 shift = 24 - 8 * (n & 3);
	u32 *data = &card->gateway.data[n / 4];

	*data = (*data & ~(0xffU << shift)) | (u32)value << shift;
}

/* Only chip select 0 has a chip; the others' line is pulled up. */
static u8 transfer(struct cxsim_card *card, bool present, u8 out)
{
	return present ? cxsim_chip_transfer(card, out) : 0xff;
}

static void run_phases(struct cxsim_card *card, const struct spi_layout *layout, u32 command)
{
	bool present = !(command & layout->chip_select);
	u32 size = transfer_size(layout, command), i;
	int shift;

	if (layout->flash_enable && !(command & layout->flash_enable))
		present = false;
	if (present && !card->gateway.hold)
		cxsim_chip_select(card);
	if (command & layout->has_opcode)
		transfer(card, present, (u8)(command >> SPI_OPCODE_SHIFT));
	if (command & layout->has_address)
		for (shift = command & layout->four_byte ? 24 : 16; shift >= 0; shift -= 8)
			transfer(card, present, (u8)(card->gateway.address >> shift));
	if (command & layout->has_data)
		for (i = 0; i < size; i++) {
			u8 in = transfer(card, present, command & layout->read ? 0xff : data_byte(card, i));

			if (command & layout->read)
				set_data_byte(card, i, in);
		}
	card->gateway.hold = present && command & layout->hold;
	if (present && !card->gateway.hold)
		cxsim_chip_deselect(card);
}

/*
 * Firmware fetches its code through the cache that this gateway feeds. With cache
 * replacement switched off it waits; with it on, two masters pull at one chip
 * (device-access.md 5.3, 5.7).
 */
static bool disturbs_firmware(struct cxsim_card *card, const struct spi_layout *layout)
{
	return layout->enable && cxsim_guarded(card) && card->gateway.cache_replacement & 1;
}

static void go(struct cxsim_card *card, const struct spi_layout *layout, u32 command)
{
	u64 polls = card->settings[CXSIM_FLAG_POLLS];

	if (!is_locked(card, layout) || (layout->lock && other_owner(card)))
		cxsim_foul(card);
	if (layout->gcm && card->gateway.gcm & 1)
		cxsim_foul(card);
	if (disturbs_firmware(card, layout)) {
		cxsim_foul(card);
		if (card->settings[CXSIM_GUARD_HANGS]) {
			cxsim_hang(card);
			return;
		}
	}
	run_phases(card, layout, command);
	card->gateway.busy_polls = cxsim_random_below(card, (u32)(polls ? polls : 1) + 1);
}

static u32 read_command(struct cxsim_card *card, const struct spi_layout *layout)
{
	u32 value = card->gateway.command & ~SPI_GO;

	if (card->gateway.busy_polls) {
		card->gateway.busy_polls--;
		value |= SPI_GO;
	}
	if (!layout->lock)
		return value;
	if (other_owner(card)) {
		/* It uses the gateway as well: what is in the registers is its business. */
		card->gateway.address = cxsim_random(card);
		card->gateway.data[0] = cxsim_random(card);
		return value | layout->lock;
	}
	card->gateway.command |= layout->lock;		/* the read takes the lock */
	return value;
}

static void write_command(struct cxsim_card *card, const struct spi_layout *layout, u32 value)
{
	if (card->gateway.busy_polls) {
		cxsim_foul(card);			/* not ready yet: the write is lost */
		return;
	}
	if (value & SPI_GO)
		go(card, layout, value);
	card->gateway.command = value & ~SPI_GO;
}

static bool is_data(const struct spi_layout *layout, u32 address)
{
	return address >= layout->data && address < layout->data + SPI_DATA_BYTES && !(address & 3);
}

/* Firmware that keeps its flash to itself shuts the gateway; the boot ROM does not. */
static bool is_shut(const struct cxsim_card *card)
{
	return card->model->secure && cxsim_firmware_runs(card);
}

static bool is_register(const struct spi_layout *layout, u32 address)
{
	return address == layout->command || address == layout->address || is_data(layout, address) ||
	       (layout->enable && address == layout->enable) || (layout->gcm && address == layout->gcm);
}

u32 cxsim_spi_cr_read(struct cxsim_card *card, u32 address, bool *mine)
{
	const struct spi_layout *layout = spi_layout(card);

	*mine = is_register(layout, address);
	if (*mine && is_shut(card))
		return CXSIM_DENIED;
	if (address == layout->command)
		return read_command(card, layout);
	if (address == layout->address)
		return card->gateway.address;
	if (layout->enable && address == layout->enable)
		return card->gateway.cache_replacement;
	if (layout->gcm && address == layout->gcm)
		return card->gateway.gcm;
	if (is_data(layout, address)) {
		if (!card->gateway.busy_polls)
			return card->gateway.data[(address - layout->data) / 4];
		cxsim_foul(card);
		return CXSIM_POISON;			/* not there yet */
	}
	return 0;
}

void cxsim_spi_cr_write(struct cxsim_card *card, u32 address, u32 value, bool *mine)
{
	const struct spi_layout *layout = spi_layout(card);

	*mine = is_register(layout, address);
	if (!*mine || is_shut(card))
		return;
	if (address == layout->command)
		write_command(card, layout, value);
	else if (address == layout->address)
		card->gateway.address = value;
	else if (layout->enable && address == layout->enable)
		card->gateway.cache_replacement = value;
	else if (layout->gcm && address == layout->gcm)
		card->gateway.gcm = value;
	else
		card->gateway.data[(address - layout->data) / 4] = value;
}
