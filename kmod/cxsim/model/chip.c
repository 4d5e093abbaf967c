// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SPI NOR chip: commands as bytes between chip select low and high, cells that a
 * program only clears, time that an operation takes, and what a power cut leaves.
 */
#include "card.h"

#define STATUS_BUSY		0x01
#define STATUS_WRITE_ENABLED	0x02

enum chip_command {
	COMMAND_READ,
	COMMAND_PROGRAM,
	COMMAND_ERASE_SECTOR,
	COMMAND_ERASE_HALF,
	COMMAND_ERASE_BLOCK,
	COMMAND_STATUS1,
	COMMAND_STATUS2,
	COMMAND_STATUS3,
	COMMAND_WRITE_STATUS,
	COMMAND_WRITE_ENABLE,
	COMMAND_WRITE_DISABLE,
	COMMAND_IDENTIFY,
	COMMAND_SIGNATURE,
	COMMAND_FOUR_BYTE_ON,
	COMMAND_FOUR_BYTE_OFF,
	COMMAND_NONE,
};

/* Address bytes: 3 turns into 4 after 0xb7; 4 only where the chip is larger than 16 MiB. */
static const struct chip_opcode {
	u8 opcode;
	u8 command;
	u8 address_bytes, dummy_bytes;
} chip_opcodes[] = {
	{ 0x03, COMMAND_READ, 3, 0 },
	{ 0x0b, COMMAND_READ, 3, 1 },
	{ 0x13, COMMAND_READ, 4, 0 },
	{ 0x0c, COMMAND_READ, 4, 1 },
	{ 0x02, COMMAND_PROGRAM, 3, 0 },
	{ 0x12, COMMAND_PROGRAM, 4, 0 },
	{ 0x20, COMMAND_ERASE_SECTOR, 3, 0 },
	{ 0x21, COMMAND_ERASE_SECTOR, 4, 0 },
	{ 0x52, COMMAND_ERASE_HALF, 3, 0 },
	{ 0x5c, COMMAND_ERASE_HALF, 4, 0 },
	{ 0xd8, COMMAND_ERASE_BLOCK, 3, 0 },
	{ 0xdc, COMMAND_ERASE_BLOCK, 4, 0 },
	{ 0x05, COMMAND_STATUS1, 0, 0 },
	{ 0x35, COMMAND_STATUS2, 0, 0 },
	{ 0x15, COMMAND_STATUS3, 0, 0 },
	{ 0x01, COMMAND_WRITE_STATUS, 0, 0 },
	{ 0x06, COMMAND_WRITE_ENABLE, 0, 0 },
	{ 0x04, COMMAND_WRITE_DISABLE, 0, 0 },
	{ 0x9f, COMMAND_IDENTIFY, 0, 0 },
	{ 0xab, COMMAND_SIGNATURE, 0, 3 },
	{ 0xb7, COMMAND_FOUR_BYTE_ON, 0, 0 },
	{ 0xe9, COMMAND_FOUR_BYTE_OFF, 0, 0 },
};

static const struct chip_opcode *chip_find_opcode(u8 opcode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chip_opcodes); i++)
		if (chip_opcodes[i].opcode == opcode)
			return &chip_opcodes[i];
	return NULL;
}

static u32 mix(u32 x)
{
	x ^= x >> 16;
	x *= 0x7feb352dU;
	x ^= x >> 15;
	x *= 0x846ca68bU;
	return x ^ x >> 16;
}

static u32 chip_random(struct cxsim_chip *chip)
{
	chip->random += 0x9e3779b9U;
	return mix(chip->random);
}

int cxsim_chip_init(struct cxsim_card *card, const char *chip_name, u32 flash_size, char *why)
{
	struct cxsim_chip *chip = &card->chip;
	const struct cxsim_chip_type *type;

	type = cxsim_chip_find(chip_name, &flash_size, why);
	if (!type)
		return -1;
	memset(chip, 0, sizeof(*chip));
	chip->cells = card->host.alloc(flash_size);
	if (!chip->cells) {
		snprintf(why, CXSIM_WHY, "no memory for a flash of %u MiB", flash_size >> 20);
		return -1;
	}
	memset(chip->cells, 0xff, flash_size);
	chip->type = type;
	chip->size = flash_size;
	chip->jedec = (u32)type->manufacturer << 16 | (u32)type->type << 8 | cxsim_chip_capacity(type, flash_size);
	chip->random = mix((u32)card->parameters.seed ^ mix((u32)(card->parameters.seed >> 32)));
	if (type->quad == CXSIM_QUAD_STATUS2)
		chip->status[1] = 0x02;
	if (type->quad == CXSIM_QUAD_STATUS1)
		chip->status[0] = 0x40;
	cxsim_chip_power(card);
	return 0;
}

void cxsim_chip_free(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;

	if (chip->cells)
		card->host.free(chip->cells);
	chip->cells = NULL;
	chip->size = 0;
}

u64 cxsim_chip_busy_until(const struct cxsim_card *card)
{
	return card->chip.busy_until;
}

u32 cxsim_chip_jedec(const struct cxsim_card *card)
{
	return card->chip.jedec;
}

/* ---- cells between 0 and 1 ---- */

static u16 cells_sum(const struct cxsim_chip *chip, const struct cxsim_unstable *unstable)
{
	u32 i, sum = 0;

	for (i = 0; i < unstable->length; i++)
		sum = mix(sum ^ chip->cells[unstable->start + i]) + i;
	return (u16)(sum ^ sum >> 16);
}

static bool overlaps(const struct cxsim_unstable *unstable, u32 start, u32 length)
{
	return unstable->length && start < unstable->start + unstable->length && unstable->start < start + length;
}

/* Bits of the byte at address that may read as 0 although stored as 1. */
static u8 unstable_bits(const struct cxsim_unstable *unstable, u32 address)
{
	u32 hash;

	if (unstable->masked)
		return unstable->mask[address - unstable->start];
	hash = mix(unstable->seed ^ address);
	return (u8)(hash & (hash >> 8) & (unstable->sparse ? (hash >> 16) & (hash >> 24) : 0xff));
}

static u8 cell_read(struct cxsim_chip *chip, u32 address)
{
	u8 value = chip->cells[address];
	unsigned int i;

	if (!chip->unstable_count)
		return value;
	for (i = 0; i < CXSIM_UNSTABLE; i++)
		if (overlaps(&chip->unstable[i], address, 1))
			value &= (u8)~(unstable_bits(&chip->unstable[i], address) & chip_random(chip));
	return value;
}

void cxsim_chip_peek(struct cxsim_card *card, u32 address, u8 *buffer, u32 length)
{
	u32 i;

	for (i = 0; i < length; i++)
		buffer[i] = cell_read(&card->chip, (address + i) & (card->chip.size - 1));
}

static struct cxsim_unstable *unstable_free(struct cxsim_chip *chip)
{
	unsigned int i;

	for (i = 0; i < CXSIM_UNSTABLE; i++)
		if (!chip->unstable[i].length) {
			chip->unstable_count++;
			return &chip->unstable[i];
		}
	return NULL;
}

/* A free record, else the oldest one's. */
static struct cxsim_unstable *unstable_new(struct cxsim_chip *chip)
{
	struct cxsim_unstable *unstable = unstable_free(chip);

	if (unstable)
		return unstable;
	memmove(&chip->unstable[0], &chip->unstable[1], sizeof(chip->unstable[0]) * (CXSIM_UNSTABLE - 1));
	return &chip->unstable[CXSIM_UNSTABLE - 1];
}

static void unstable_drop(struct cxsim_chip *chip, struct cxsim_unstable *unstable)
{
	unstable->length = 0;
	chip->unstable_count--;
}

/* Someone rewrote the cells from outside, as a programmer would: then they are sound again. */
static void unstable_recheck(struct cxsim_chip *chip)
{
	unsigned int i;

	for (i = 0; i < CXSIM_UNSTABLE; i++)
		if (chip->unstable[i].length && chip->unstable[i].sum != cells_sum(chip, &chip->unstable[i]))
			unstable_drop(chip, &chip->unstable[i]);
}

static void unstable_touched(struct cxsim_chip *chip, u32 start, u32 length)
{
	unsigned int i;

	for (i = 0; i < CXSIM_UNSTABLE && chip->unstable_count; i++)
		if (overlaps(&chip->unstable[i], start, length))
			chip->unstable[i].sum = cells_sum(chip, &chip->unstable[i]);
}

/* What lies behind an erased middle gets a record of its own; without room for one it heals early. */
static void unstable_split(struct cxsim_chip *chip, const struct cxsim_unstable *whole, u32 from, u32 end)
{
	struct cxsim_unstable *rest = from < end ? unstable_free(chip) : NULL;

	if (!rest)
		return;
	rest->masked = false;
	rest->sparse = whole->sparse;
	rest->seed = whole->seed;
	rest->start = from;
	rest->length = end - from;
	rest->sum = cells_sum(chip, rest);
}

/* The range was erased in full: cut it out of every unstable range. */
static void unstable_erased(struct cxsim_chip *chip, u32 start, u32 length)
{
	unsigned int i;

	for (i = 0; i < CXSIM_UNSTABLE && chip->unstable_count; i++) {
		struct cxsim_unstable *unstable = &chip->unstable[i];
		u32 end = unstable->start + unstable->length;

		if (!overlaps(unstable, start, length))
			continue;
		if (start <= unstable->start && end <= start + length) {
			unstable_drop(chip, unstable);
			continue;
		}
		if (start <= unstable->start) {
			unstable->start = start + length;
			unstable->length = end - unstable->start;
		} else {
			unstable->length = start - unstable->start;
			unstable_split(chip, unstable, start + length, end);
		}
		unstable->sum = cells_sum(chip, unstable);
	}
}

/* ---- operations ---- */

static void apply_protect_setting(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;
	u64 wanted = card->settings[CXSIM_WRITE_PROTECT];
	u8 bits = chip->type->quad == CXSIM_QUAD_STATUS1 ? 0x3c : 0x7c;

	if (wanted == chip->protect_seen)
		return;
	chip->protect_seen = wanted;
	chip->status[0] = (u8)((chip->status[0] & ~bits) | ((u8)wanted & bits));
}

/* device-access.md 5.6 */
static void protected_range(const struct cxsim_chip *chip, u32 *start, u32 *length)
{
	u8 status = chip->status[0];
	u32 unit = CXSIM_BLOCK, level;
	bool bottom;

	switch (chip->type->protect) {
	case CXSIM_PROTECT_ALL:
		*start = 0;
		*length = status & 0x3c ? chip->size : 0;
		return;
	case CXSIM_PROTECT_4:
		level = status >> 2 & 0xf;
		bottom = status & 0x40;
		break;
	case CXSIM_PROTECT_4_CONFIG:
		level = status >> 2 & 0xf;
		bottom = chip->status[2] & 0x08;
		break;
	default:
		level = status >> 2 & 0x7;
		bottom = status & 0x20;
		if (status & 0x40)
			unit = CXSIM_SECTOR;
		else if (chip->type->protect == CXSIM_PROTECT_3_LARGE)
			unit = CXSIM_BLOCK * 4;
		break;
	}
	*length = level ? unit << (level - 1) : 0;
	if (*length > chip->size)
		*length = chip->size;
	*start = bottom ? 0 : chip->size - *length;
}

static bool is_protected(struct cxsim_card *card, u32 address, u32 length)
{
	u32 start, size;

	apply_protect_setting(card);
	protected_range(&card->chip, &start, &size);
	return size && address < start + size && start < address + length;
}

/* Counts an operation, begins its time, and tells whether power is cut at it. */
static bool operation_cut(struct cxsim_card *card, const u32 us[2], u64 start)
{
	u64 time = card->settings[CXSIM_FLASH_TIME];
	u64 needs = time >= 2 ? 0 : (u64)us[time] * 1000;

	cxsim_add(card, CXSIM_FLASH_OPERATIONS, 1);
	cxsim_add(card, CXSIM_CHIP_TIME, needs);
	card->chip.busy_until = start + needs;
	if (!card->settings[CXSIM_CUT_AFTER])
		return false;
	return !--card->settings[CXSIM_CUT_AFTER];
}

static bool torn(const struct cxsim_card *card)
{
	return card->settings[CXSIM_CUT_TORN] != 0;
}

/*
 * How far a cut operation came. The masks say which bits had changed: few, half or nearly
 * all, so that no order of events is spared.
 */
static u8 torn_mask(struct cxsim_chip *chip, unsigned int progress)
{
	u32 r = chip_random(chip);

	switch (progress) {
	case 0:
		return (u8)(r & (r >> 8) & (r >> 16) & (r >> 24));
	case 1:
		return (u8)r;
	default:
		return (u8)(r | (r >> 8) | (r >> 16) | (r >> 24));
	}
}

static unsigned int bits_set(u8 value)
{
	unsigned int count = 0;

	for (; value; value &= (u8)(value - 1))
		count++;
	return count;
}

static void torn_program(struct cxsim_chip *chip, u32 page, const u8 *data)
{
	unsigned int progress = chip_random(chip) % 3, i, unstable_count = 0;
	bool weak = chip_random(chip) & 1;
	u8 mask[CXSIM_PAGE];

	for (i = 0; i < CXSIM_PAGE; i++) {
		u8 clear = chip->cells[page + i] & (u8)~data[i];
		u8 cleared = clear & torn_mask(chip, progress);

		mask[i] = weak ? clear & (u8)~cleared : 0;
		unstable_count += bits_set(mask[i]);
		chip->cells[page + i] &= (u8)~cleared;
	}
	/* A handful of cells on the edge would pass for good ones by luck too often to test anything. */
	if (unstable_count >= 8) {
		struct cxsim_unstable *unstable = unstable_new(chip);

		unstable->masked = true;
		unstable->start = page;
		unstable->length = CXSIM_PAGE;
		memcpy(unstable->mask, mask, sizeof(mask));
	}
	unstable_touched(chip, page, CXSIM_PAGE);
}

static void torn_erase(struct cxsim_chip *chip, u32 start, u32 length)
{
	unsigned int progress = chip_random(chip) & 3;
	struct cxsim_unstable *unstable;
	u32 i;

	unstable_erased(chip, start, length);
	if (progress == 3) {
		/* Chips program all cells before they erase them: the cut came there. */
		for (i = 0; i < length; i++)
			chip->cells[start + i] &= torn_mask(chip, 1);
		return;
	}
	for (i = 0; i < length; i++)
		chip->cells[start + i] |= torn_mask(chip, progress);
	unstable = unstable_new(chip);
	unstable->masked = false;
	unstable->sparse = chip_random(chip) & 1;
	unstable->seed = chip_random(chip);
	unstable->start = start;
	unstable->length = length;
	unstable->sum = cells_sum(chip, unstable);
}

/* data is a whole page; 0xff leaves a cell alone. */
static void program_page(struct cxsim_card *card, u32 page, const u8 *data, u32 length, u64 start)
{
	struct cxsim_chip *chip = &card->chip;
	u64 bad = card->settings[CXSIM_BAD_BIT];
	bool cut;
	u32 i;

	cut = operation_cut(card, chip->type->program_us, start);
	cxsim_add(card, CXSIM_SPI_PROGRAMS, 1);
	cxsim_add(card, CXSIM_SPI_PROGRAMMED_BYTES, length);
	if (cut) {
		if (torn(card))
			torn_program(chip, page, data);
		cxsim_power_cut(card);
		return;
	}
	for (i = 0; i < CXSIM_PAGE; i++) {
		u8 keep = 0;

		if (bad && (bad - 1) >> 3 == page + i)
			keep = chip->cells[page + i] & (u8)(1U << ((bad - 1) & 7));
		chip->cells[page + i] = (chip->cells[page + i] & data[i]) | keep;
	}
	unstable_touched(chip, page, CXSIM_PAGE);
}

static void erase_range(struct cxsim_card *card, u32 address, u32 length, u64 start)
{
	struct cxsim_chip *chip = &card->chip;
	bool cut;

	cut = operation_cut(card, length == CXSIM_SECTOR ? chip->type->sector_us : chip->type->block_us, start);
	cxsim_add(card, CXSIM_SPI_ERASES, 1);
	cxsim_add(card, CXSIM_SPI_ERASED_BYTES, length);
	if (cut) {
		if (torn(card))
			torn_erase(chip, address, length);
		cxsim_power_cut(card);
		return;
	}
	memset(chip->cells + address, 0xff, length);
	unstable_erased(chip, address, length);
}

static void write_status(struct cxsim_card *card, const u8 *values, unsigned int count, u64 start)
{
	struct cxsim_chip *chip = &card->chip;
	u8 mask = 0xff;
	bool cut;

	apply_protect_setting(card);
	cut = operation_cut(card, chip->type->status_us, start);
	if (cut)
		mask = torn(card) ? (u8)chip_random(chip) : 0;
	chip->status[0] = (u8)((chip->status[0] & ~mask) | (values[0] & 0xfc & mask));
	if (chip->type->registers & 2) {
		if (count > 1)
			chip->status[1] = (u8)((chip->status[1] & ~mask) | (values[1] & mask));
		else if (chip->type->short_write_clears)
			chip->status[1] &= (u8)~mask;
	} else if (count > 1 && chip->type->protect == CXSIM_PROTECT_4_CONFIG) {
		chip->status[2] = (u8)((chip->status[2] & ~mask) | (values[1] & mask));
	}
	if (cut)
		cxsim_power_cut(card);
}

void cxsim_chip_power(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;

	chip->write_enabled = false;
	chip->four_byte = false;
	chip->selected = false;
	chip->busy_until = 0;
	if (chip->type)
		chip->status[0] |= chip->type->power_on_status;
	unstable_recheck(chip);
}

/* ---- the bus ---- */

static bool is_busy(struct cxsim_card *card)
{
	return cxsim_time(card) < card->chip.busy_until;
}

static bool reads_status(enum chip_command command)
{
	return command == COMMAND_STATUS1 || command == COMMAND_STATUS2 || command == COMMAND_STATUS3;
}

static bool command_exists(const struct cxsim_chip *chip, const struct chip_opcode *opcode)
{
	switch (opcode->command) {
	case COMMAND_ERASE_SECTOR:
		if (!chip->type->sector_erase)
			return false;
		break;
	case COMMAND_ERASE_HALF:
		if (!chip->type->half_erase)
			return false;
		break;
	case COMMAND_ERASE_BLOCK:
		if (!chip->type->block_erase)
			return false;
		break;
	case COMMAND_STATUS2:
		return chip->type->registers & 2;
	case COMMAND_STATUS3:
		return chip->type->registers & 4;
	case COMMAND_FOUR_BYTE_ON:
	case COMMAND_FOUR_BYTE_OFF:
		return chip->size > 1U << 24;
	default:
		break;
	}
	return opcode->address_bytes != 4 || chip->size > 1U << 24;
}

void cxsim_chip_select(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;

	chip->selected = true;
	chip->ignored = false;
	chip->taken = 0;
	chip->address = 0;
	chip->data_count = 0;
	chip->opcode = NULL;
	memset(chip->page, 0xff, sizeof(chip->page));
}

static void take_opcode(struct cxsim_card *card, u8 value)
{
	struct cxsim_chip *chip = &card->chip;
	const struct chip_opcode *opcode = chip_find_opcode(value);

	chip->opcode = opcode;
	if (!opcode || !command_exists(chip, opcode)) {
		/* On parts without a second status register 0x35 is "enter quad mode": never send it. */
		if (value == 0x35)
			cxsim_foul(card);
		chip->ignored = true;
	} else if (is_busy(card) && !reads_status(opcode->command)) {
		cxsim_foul(card);
		chip->ignored = true;
	}
}

static u8 status_byte(struct cxsim_card *card, enum chip_command command)
{
	struct cxsim_chip *chip = &card->chip;

	apply_protect_setting(card);
	if (command == COMMAND_STATUS2)
		return chip->status[1];
	if (command == COMMAND_STATUS3)
		return chip->status[2];
	return (u8)((chip->status[0] & 0xfc) | (is_busy(card) ? STATUS_BUSY : 0) |
		    (chip->write_enabled ? STATUS_WRITE_ENABLED : 0));
}

static u8 take_data(struct cxsim_card *card, u8 out)
{
	struct cxsim_chip *chip = &card->chip;
	u32 n = chip->data_count++;

	switch (chip->opcode->command) {
	case COMMAND_READ:
		return cell_read(chip, (chip->address + n) & (chip->size - 1));
	case COMMAND_PROGRAM:
		chip->page[(chip->address + n) & (CXSIM_PAGE - 1)] = out;
		return 0xff;
	case COMMAND_WRITE_STATUS:
		if (n < CXSIM_PAGE)
			chip->page[n] = out;
		return 0xff;
	case COMMAND_IDENTIFY:
		return n < 3 ? (u8)(chip->jedec >> (16 - 8 * n)) : 0;
	case COMMAND_SIGNATURE:
		return (u8)(chip->jedec - 1);
	case COMMAND_STATUS1:
	case COMMAND_STATUS2:
	case COMMAND_STATUS3:
		return status_byte(card, chip->opcode->command);
	default:
		return 0xff;
	}
}

static u32 head_bytes(const struct cxsim_chip *chip)
{
	u32 address_bytes = chip->opcode->address_bytes;

	if (address_bytes == 3 && chip->four_byte)
		address_bytes = 4;
	return 1 + address_bytes + chip->opcode->dummy_bytes;
}

/*
 * A chip that does not listen lets the line float: it reads as what was there before, or
 * as nothing.
 */
static u8 floating_line(struct cxsim_chip *chip)
{
	return chip_random(chip) & 1 ? chip->line : 0x00;
}

u8 cxsim_chip_transfer(struct cxsim_card *card, u8 out)
{
	struct cxsim_chip *chip = &card->chip;
	u32 n = chip->taken++;

	if (!chip->selected)
		return 0xff;
	if (!n) {
		take_opcode(card, out);
		return 0xff;
	}
	if (chip->ignored)
		return chip->opcode && command_exists(chip, chip->opcode) ? floating_line(chip) : 0xff;
	if (n < head_bytes(chip)) {
		if (n <= head_bytes(chip) - 1 - chip->opcode->dummy_bytes)
			chip->address = chip->address << 8 | out;
		return 0xff;
	}
	chip->line = take_data(card, out);
	return chip->line;
}

static void finish_program(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;
	u32 page = chip->address & (chip->size - 1) & ~(CXSIM_PAGE - 1);

	if (!chip->data_count)
		return;
	chip->write_enabled = false;
	if (!is_protected(card, page, CXSIM_PAGE))
		program_page(card, page, chip->page, chip->data_count, cxsim_time(card));
}

static void finish_erase(struct cxsim_card *card, u32 length)
{
	struct cxsim_chip *chip = &card->chip;
	u32 address = chip->address & (chip->size - 1) & ~(length - 1);

	chip->write_enabled = false;
	if (!is_protected(card, address, length))
		erase_range(card, address, length, cxsim_time(card));
}

static bool changes_cells(enum chip_command command)
{
	return command == COMMAND_PROGRAM || command == COMMAND_ERASE_SECTOR || command == COMMAND_ERASE_HALF ||
	       command == COMMAND_ERASE_BLOCK || command == COMMAND_WRITE_STATUS;
}

static void finish_command(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;
	enum chip_command command = chip->opcode->command;

	if (changes_cells(command) && !chip->write_enabled) {
		cxsim_foul(card);
		return;
	}
	switch (command) {
	case COMMAND_READ:
		cxsim_add(card, CXSIM_SPI_READS, chip->data_count != 0);
		cxsim_add(card, CXSIM_SPI_READ_BYTES, chip->data_count);
		break;
	case COMMAND_PROGRAM:
		finish_program(card);
		break;
	case COMMAND_ERASE_SECTOR:
		finish_erase(card, CXSIM_SECTOR);
		break;
	case COMMAND_ERASE_HALF:
		finish_erase(card, CXSIM_BLOCK / 2);
		break;
	case COMMAND_ERASE_BLOCK:
		finish_erase(card, CXSIM_BLOCK);
		break;
	case COMMAND_WRITE_STATUS:
		chip->write_enabled = false;
		if (chip->data_count)
			write_status(card, chip->page, chip->data_count, cxsim_time(card));
		break;
	case COMMAND_WRITE_ENABLE:
		chip->write_enabled = true;
		break;
	case COMMAND_WRITE_DISABLE:
		chip->write_enabled = false;
		break;
	case COMMAND_FOUR_BYTE_ON:
		chip->four_byte = true;
		break;
	case COMMAND_FOUR_BYTE_OFF:
		chip->four_byte = false;
		break;
	default:
		break;
	}
}

void cxsim_chip_deselect(struct cxsim_card *card)
{
	struct cxsim_chip *chip = &card->chip;

	if (!chip->selected)
		return;
	chip->selected = false;
	/* A command that was cut short, or an erase with bytes behind its address, does nothing. */
	if (!chip->opcode || chip->ignored || chip->taken < head_bytes(chip))
		return;
	if (chip->opcode->command >= COMMAND_ERASE_SECTOR && chip->opcode->command <= COMMAND_ERASE_BLOCK &&
	    chip->taken != head_bytes(chip))
		return;
	finish_command(card);
}

/* ---- the firmware's way ---- */

static bool inside(const struct cxsim_card *card, u32 address, u32 length)
{
	const struct cxsim_chip *chip = &card->chip;

	return card->powered && chip->cells && address <= chip->size && length <= chip->size - address;
}

static u64 ready_at(struct cxsim_card *card)
{
	u64 now = cxsim_time(card);

	return now < card->chip.busy_until ? card->chip.busy_until : now;
}

bool cxsim_flash_firmware_read(struct cxsim_card *card, u32 address, u8 *buffer, u32 length)
{
	if (!inside(card, address, length))
		return false;
	cxsim_chip_peek(card, address, buffer, length);
	cxsim_add(card, CXSIM_SPI_READS, 1);
	cxsim_add(card, CXSIM_SPI_READ_BYTES, length);
	return true;
}

bool cxsim_flash_firmware_erase(struct cxsim_card *card, u32 address, u32 length)
{
	const struct cxsim_chip_type *type = card->chip.type;

	if (!inside(card, address, length) || address & (length - 1))
		return false;
	if (!(length == CXSIM_SECTOR && type->sector_erase) && !(length == CXSIM_BLOCK / 2 && type->half_erase) &&
	    !(length == CXSIM_BLOCK && type->block_erase))
		return false;
	if (!is_protected(card, address, length))
		erase_range(card, address, length, ready_at(card));
	return card->powered;
}

bool cxsim_flash_firmware_program(struct cxsim_card *card, u32 address, const u8 *buffer, u32 length)
{
	u8 page[CXSIM_PAGE];

	if (!inside(card, address, length))
		return false;
	while (length && card->powered) {
		u32 at = address & (CXSIM_PAGE - 1);
		u32 part = CXSIM_PAGE - at < length ? CXSIM_PAGE - at : length;

		memset(page, 0xff, sizeof(page));
		memcpy(page + at, buffer, part);
		if (!is_protected(card, address, part))
			program_page(card, address - at, page, part, ready_at(card));
		address += part;
		buffer += part;
		length -= part;
	}
	return card->powered;
}

u8 cxsim_flash_firmware_status(struct cxsim_card *card, unsigned int number)
{
	static const enum chip_command commands[] = { COMMAND_STATUS1, COMMAND_STATUS2, COMMAND_STATUS3 };

	return number < ARRAY_SIZE(commands) ? status_byte(card, commands[number]) : 0xff;
}

u8 *cxsim_flash(struct cxsim_card *card, u32 *size)
{
	struct cxsim_chip *chip = &card->chip;

	*size = chip->size;
	return chip->cells;
}
