// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SPI gateway: device-access.md 5.1 - 5.4. Generations differ by the table below.
 *
 * A hold goes from enter to leave: the gateway's lock is ours and the chip is ready. It
 * lasts CXFW_HOLD_NS at most, never while the chip erases. leave looks whether the lock
 * still is ours; without that, nothing that was read in the hold is believed.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "device.h"
#include "flash_backend.h"
#include "flash_chips.h"
#include "semaphore.h"
#include "spi_gateway.h"

struct layout {
	u32 generation;
	u32 command, address, data;	/* CR addresses */
	u32 semaphore;			/* generation 4: read to lock; 0: CXFW_SPI_LOCK of command */
	u32 cache;			/* cache replacement: CACHE_ENABLE; 0: none */
	u32 decrypt;			/* decryption of what is read: CACHE_ENABLE; 0: none */
	bool byte_sizes;		/* generation 6 has its own places for bank, size and address width */
	u32 always;			/* bits that every command carries */
	u32 banks;
};

/* Bits of the command register as generations 4 and 5 have them. */
#define GO		0x40000000U
#define FROM_CHIP	0x00000001U
#define PHASE_COMMAND	0x00000004U
#define PHASE_ADDRESS	0x00000008U
#define PHASE_DATA	0x00000010U
#define HOLD_SELECT	0x00000020U
#define SIZE_4		0x00000200U	/* log2 of the bytes at 10:8 */
#define SIZE_16		0x00000400U
#define SIZE_SHIFT	8
#define SIZE_MASK	0x7U
#define FOUR_BYTES_6	0x00008000U
#define BANK_SHIFT_6	13
#define BANK_SHIFT	11
#define FLASH_ENABLE	0x00002000U
#define FOUR_BYTES	0x00004000U
#define OPCODE(opcode)	((u32)(opcode) << 16)
#define CACHE_ENABLE	0x00000001U

static const struct layout layouts[] = {
	{
		.generation = 4, .command = 0xf0400, .address = 0xf0404, .data = 0xf0410,
		.semaphore = CXFW_FLASH_GATEWAY_SEMAPHORE, .always = FLASH_ENABLE, .banks = 2,
	},
	{
		.generation = 5, .command = 0xf0400, .address = 0xf0404, .data = 0xf0410,
		.cache = 0xf0420, .always = CXFW_SPI_LOCK, .banks = 2,
	},
	{
		.generation = 6, .command = 0xf0400, .address = 0xf0420, .data = 0xf0410,
		.cache = 0xf0480, .decrypt = 0xf0440, .byte_sizes = true, .always = CXFW_SPI_LOCK, .banks = 2,
	},
};

/* SPI opcodes */
#define WRITE_ENABLE	0x06
#define READ_STATUS	0x05
#define READ_STATUS2	0x35
#define READ_STATUS3	0x15
#define READ_JEDEC	0x9f
#define STATUS_BUSY	0x01

struct opcodes {
	u8 read, program, erase_4k, erase_64k;
};

static const struct opcodes three_bytes = { 0x03, 0x02, 0x20, 0xd8 };
static const struct opcodes four_bytes = { 0x13, 0x12, 0x21, 0xdc };

#define CHUNK 16
#define COMMAND_POLLS 5000
#define READY_TIMEOUT_MS 10000
#define READY_RETRY_US 3000
#define ERASE_4K_US 20000
#define ERASE_64K_US 50000
#define PROGRAM_POLL_US 30
#define SPI_BATCH 4096
#define THREE_BYTE_MOST (1U << 24)

#define LIVEFISH 0x41270		/* generation 4, more than LIVEFISH_ABOVE without firmware: 5.3 */
#define LIVEFISH_ABOVE 0xfff00000U
#define LIVEFISH_PINS 0xf3834
#define LIVEFISH_PINS_MASK 0x18000000U
#define LIVEFISH_PINS_VALUE 0x10000000U

static const struct cxfw_wait wait_gateway = {
	.semaphore = CXFW_SEMAPHORE_FLASH_GATEWAY,
	.timeout_ms = 10000,
	.interval_us = 1000,
};

static const struct layout *find_layout(const struct cxfw_device *device)
{
	unsigned int i;

	for (i = 0; device->chip && i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].generation == device->chip->flash_generation)
			return &layouts[i];
	return NULL;
}

u32 cxfw_spi_command_register(const struct cxfw_device *device)
{
	const struct layout *layout = find_layout(device);

	return layout ? layout->command : 0;
}

static int cr_read(struct cxfw_device *device, u32 address, u32 *value)
{
	return cxfw_gateway_read(device, CXFW_SPACE_CR, address, value);
}

static int cr_write(struct cxfw_device *device, u32 address, u32 value)
{
	return cxfw_gateway_write(device, CXFW_SPACE_CR, address, value);
}

static int lock_lost(struct cxfw_device *device, u32 value)
{
	return cxfw_fail(device, -EIO, "the lock of the flash gateway was lost (%#x): the card was reset meanwhile", value);
}

/* Waits until the gateway has done its command, not until the chip has. */
static int wait_gateway_idle(struct cxfw_device *device, const struct layout *layout)
{
	u32 value = 0;
	int error, polls;

	for (polls = 0; polls < COMMAND_POLLS; polls++) {
		error = cr_read(device, layout->command, &value);
		if (error)
			return error;
		if (!(value & GO))
			return !layout->semaphore && !(value & CXFW_SPI_LOCK) ? lock_lost(device, value) : 0;
	}
	return cxfw_fail(device, -ETIMEDOUT, "the flash gateway is busy after %d polls (%#x)", COMMAND_POLLS, value);
}

/* Sizes in bytes at 12:8, bank at 13, address width at 15: device-access.md 5.2. */
static u32 generation_6(u32 bank, u32 command)
{
	u32 size = 1U << (command >> SIZE_SHIFT & SIZE_MASK);
	u32 wide = command & FOUR_BYTES ? FOUR_BYTES_6 : 0;

	command &= ~(FOUR_BYTES | SIZE_MASK << SIZE_SHIFT);
	if (command & PHASE_DATA)
		command |= size << SIZE_SHIFT;
	return command | wide | bank << BANK_SHIFT_6;
}

static int run_command(struct cxfw_device *device, const struct layout *layout, u32 bank, u32 command)
{
	u32 placed = layout->byte_sizes ? generation_6(bank, command) : bank << BANK_SHIFT | command;
	int error = cr_write(device, layout->command, layout->always | GO | placed);

	return error ? error : wait_gateway_idle(device, layout);
}

static int read_register(struct cxfw_device *device, const struct layout *layout, u32 bank, u8 opcode, u32 *value)
{
	int error = run_command(device, layout, bank, OPCODE(opcode) | SIZE_4 | PHASE_DATA | PHASE_COMMAND | FROM_CHIP);

	return error ? error : cr_read(device, layout->data, value);
}

static int read_status(struct cxfw_device *device, const struct layout *layout, u32 bank, u8 opcode, u8 *status)
{
	u32 value;
	int error = read_register(device, layout, bank, opcode, &value);

	if (!error)
		*status = value >> 24;
	return error;
}

/* Locks */

static int stop_decrypt(struct cxfw_device *device, const struct layout *layout)
{
	u32 value;
	int error;

	device->flash.decrypts = false;
	if (!layout->decrypt)
		return 0;
	error = cr_read(device, layout->decrypt, &value);
	if (error || !(value & CACHE_ENABLE))
		return error;
	device->flash.decrypts = true;
	return cr_write(device, layout->decrypt, value & ~CACHE_ENABLE);
}

static int start_decrypt(struct cxfw_device *device, const struct layout *layout)
{
	u32 value;
	int error;

	if (!device->flash.decrypts)
		return 0;
	device->flash.decrypts = false;
	error = cr_read(device, layout->decrypt, &value);
	return error ? error : cr_write(device, layout->decrypt, value | CACHE_ENABLE);
}

static int stop_cache(struct cxfw_device *device, const struct layout *layout)
{
	u32 value;
	int error = stop_decrypt(device, layout);

	if (error || !layout->cache)
		return error;
	error = cr_read(device, layout->cache, &value);
	return error ? error : cr_write(device, layout->cache, value & ~CACHE_ENABLE);
}

/* Nobody but a reset can have started it again. */
static int start_cache(struct cxfw_device *device, const struct layout *layout)
{
	u32 value;
	int error;

	if (!layout->cache)
		return 0;
	error = cr_read(device, layout->cache, &value);
	if (!error && value & CACHE_ENABLE)
		return lock_lost(device, value);
	if (!error)
		error = cr_write(device, layout->cache, value | CACHE_ENABLE);
	return error ? error : start_decrypt(device, layout);
}

static int lock_gateway(struct cxfw_device *device, const struct layout *layout)
{
	int error;

	if (layout->semaphore)
		return cxfw_latch_take(device, layout->semaphore, 0xffffffff, &wait_gateway);
	error = cxfw_latch_take(device, layout->command, CXFW_SPI_LOCK, &wait_gateway);
	if (error)
		return error;
	error = stop_cache(device, layout);
	return error ? error : wait_gateway_idle(device, layout);
}

static int still_locked(struct cxfw_device *device, const struct layout *layout)
{
	u32 value;
	int error = cr_read(device, layout->semaphore ? layout->semaphore : layout->command, &value);

	if (error)
		return error;
	if (layout->semaphore ? value : value & CXFW_SPI_LOCK)
		return 0;
	return lock_lost(device, value);
}

/*
 * error is what happened in the hold. A lock that was lost explains it, and counts more:
 * a card that was reset looks busy, refuses, or reads as anything.
 */
static int leave(struct cxfw_device *device, const struct layout *layout, int error)
{
	char why[CXFW_WHY_LENGTH];
	int lost, release;

	if (!device->gateway.inside)
		return error;
	device->finishing = true;
	memcpy(why, device->why, sizeof(why));
	lost = cxfw_gateway_check(device);
	if (!lost)
		lost = still_locked(device, layout);
	if (!lost)
		lost = start_cache(device, layout);
	/* Where it was going to stop the cache, that it runs tells nothing of a reset. */
	if (lost && READ_ONCE(device->gone))
		lost = cxfw_fail(device, -ENODEV, "the card was unplugged");
	if (lost)
		memcpy(why, device->why, sizeof(why));
	release = cr_write(device, layout->semaphore ? layout->semaphore : layout->command, 0);
	cxfw_gateway_end(device);
	device->finishing = false;
	if (lost || error)
		memcpy(device->why, why, sizeof(why));
	return lost ? lost : error ? error : release;
}

/* On failure nobody is inside. */
static int enter(struct cxfw_device *device, const struct layout *layout, u32 bank)
{
	u8 *status = &device->flash.status[0];
	u64 start = ktime_get_ns();
	int error;

	for (;;) {
		error = lock_gateway(device, layout);
		if (!error)
			error = read_status(device, layout, bank, READ_STATUS, status);
		if (error)
			return leave(device, layout, error);
		if (!(*status & STATUS_BUSY))
			return 0;
		error = leave(device, layout, 0);
		if (error)
			return error;
		if (ktime_get_ns() - start > READY_TIMEOUT_MS * 1000000ULL)
			return cxfw_fail(device, -ETIMEDOUT, "timed out after %u ms waiting for the flash chip (status %#x)",
					 READY_TIMEOUT_MS, *status);
		error = cxfw_sleep(device, READY_RETRY_US);
		if (error)
			return error;
	}
}

/* Lets others in when it is time. On failure nobody is inside. */
static int breathe(struct cxfw_device *device, const struct layout *layout, u32 bank)
{
	int error;

	if (!cxfw_gateway_due(device))
		return 0;
	error = leave(device, layout, 0);
	if (!error)
		error = cxfw_sleep(device, CXFW_BREAK_US);
	return error ? error : enter(device, layout, bank);
}

/* Probe */

static bool is_chip(u32 jedec)
{
	return jedec && jedec != 0xffffff;
}

static int read_jedec(struct cxfw_device *device, const struct layout *layout, u32 bank, u32 *jedec)
{
	u32 value;
	int error = read_register(device, layout, bank, READ_JEDEC, &value);

	if (!error)
		*jedec = value >> 8;
	return error;
}

static int read_chunk(struct cxfw_device *device, const struct layout *layout, u32 bank, u32 address,
		      const struct opcodes *opcodes, u32 first, u32 count, u32 *words);

/*
 * A second bank answers with the same id; so does the first one where chip select does
 * nothing. Only different content tells them apart; two empty chips count as one.
 */
static int count_banks(struct cxfw_device *device, const struct layout *layout)
{
	struct cxfw_flash *flash = &device->flash;
	u32 first[CHUNK / 4], second[CHUNK / 4], jedec;
	int error;

	flash->banks = 1;
	if (layout->banks < 2)
		return 0;
	error = read_jedec(device, layout, 1, &jedec);
	if (error || jedec != flash->jedec)
		return error;
	error = read_chunk(device, layout, 0, 0, &three_bytes, 0, CHUNK / 4, first);
	if (!error)
		error = read_chunk(device, layout, 1, 0, &three_bytes, 0, CHUNK / 4, second);
	if (!error && memcmp(first, second, sizeof(first)))
		flash->banks = 2;
	return error;
}

/* Whether a card keeps its address register over a command is not known of every one. */
static int look_at_address(struct cxfw_device *device, const struct layout *layout)
{
	static const u32 address = 0x1230;
	u32 words[CHUNK / 4], value;
	int error = read_chunk(device, layout, 0, address, &three_bytes, 0, CHUNK / 4, words);

	if (!error)
		error = cr_read(device, layout->address, &value);
	if (!error)
		device->flash.address_stays = value == address;
	return error;
}

static int read_more_status(struct cxfw_device *device, const struct layout *layout)
{
	struct cxfw_flash *flash = &device->flash;
	const struct cxfw_flash_chip *chip = cxfw_flash_chip_find(flash->jedec);
	int error = 0;

	flash->status_valid = BIT(0);
	if (chip && chip->flags & CXFW_CHIP_STATUS2) {
		error = read_status(device, layout, 0, READ_STATUS2, &flash->status[1]);
		flash->status_valid |= BIT(1);
	}
	if (!error && chip && chip->flags & CXFW_CHIP_STATUS3) {
		error = read_status(device, layout, 0, READ_STATUS3, &flash->status[2]);
		flash->status_valid |= BIT(2);
	}
	return error;
}

static int probe_chip(struct cxfw_device *device, const struct layout *layout)
{
	struct cxfw_flash *flash = &device->flash;
	u32 bytes;
	int error = read_jedec(device, layout, 0, &flash->jedec);

	if (error)
		return error;
	if (!is_chip(flash->jedec))
		return cxfw_fail(device, -ENXIO, "no flash chip answers (id %06x)", flash->jedec);
	error = read_more_status(device, layout);
	if (!error)
		error = count_banks(device, layout);
	if (!error)
		error = look_at_address(device, layout);
	if (error)
		return error;
	bytes = cxfw_flash_chip_bytes(flash->jedec);
	if (!bytes)
		return cxfw_fail(device, -EIO, "flash id %06x has no size that is known", flash->jedec);
	if (!device->chip->four_byte_address)
		bytes = min(bytes, THREE_BYTE_MOST);
	flash->size = bytes * flash->banks;
	return 0;
}

/* A ConnectX-2 or -3 without firmware has the chip's pins switched elsewhere. */
static int switch_pins(struct cxfw_device *device)
{
	u32 value;
	int error;

	if (device->chip->flash_generation != 4)
		return 0;
	error = cxfw_cr_read(device, LIVEFISH, &value);
	if (error || value <= LIVEFISH_ABOVE)
		return error;
	error = cxfw_cr_read(device, LIVEFISH_PINS, &value);
	if (error)
		return error;
	return cxfw_cr_write(device, LIVEFISH_PINS, (value & ~LIVEFISH_PINS_MASK) | LIVEFISH_PINS_VALUE);
}

static int spi_probe(struct cxfw_device *device)
{
	const struct layout *layout = find_layout(device);
	int error;

	if (!layout)
		return cxfw_fail(device, -EOPNOTSUPP, "the flash gateway of a %s is not known to this driver", device->chip->name);
	error = switch_pins(device);
	if (!error)
		error = enter(device, layout, 0);
	return error ? error : leave(device, layout, probe_chip(device, layout));
}

/* Read, erase, program */

static const struct opcodes *opcodes_of(const struct cxfw_device *device, u32 *flag)
{
	bool four = device->chip->four_byte_address && cxfw_flash_bank_bytes(device) > THREE_BYTE_MOST;

	*flag = four ? FOUR_BYTES : 0;
	return four ? &four_bytes : &three_bytes;
}

/*
 * Where every command sets the lock anew and no VSC semaphore stands around it, leave()
 * would not learn of a reset before the last command. A reset clears lock and address.
 */
static int check_chunk(struct cxfw_device *device, const struct layout *layout, u32 address)
{
	u32 value;
	int error;

	if (layout->semaphore || device->gateway.vsc)
		return 0;
	error = still_locked(device, layout);
	if (error || !device->flash.address_stays)
		return error;
	error = cr_read(device, layout->address, &value);
	if (!error && value != address)
		return lock_lost(device, value);
	return error;
}

static int read_chunk(struct cxfw_device *device, const struct layout *layout, u32 bank, u32 address,
		      const struct opcodes *opcodes, u32 first, u32 count, u32 *words)
{
	u32 wide = opcodes == &four_bytes ? FOUR_BYTES : 0;
	u32 i;
	int error = cr_write(device, layout->address, address);

	if (!error)
		error = run_command(device, layout, bank, OPCODE(opcodes->read) | wide | SIZE_16 | PHASE_DATA |
				    PHASE_ADDRESS | PHASE_COMMAND | FROM_CHIP);
	/* All-ones is believed after leave() has found the lock still there. */
	for (i = 0; i < count && !error; i++)
		error = cxfw_gateway_read_unchecked(device, CXFW_SPACE_CR, layout->data + 4 * (first + i), &words[i]);
	return error ? error : check_chunk(device, layout, address);
}

static int read_part(struct cxfw_device *device, const struct layout *layout, u32 address, u8 *buffer, u32 length)
{
	u32 start = address % CHUNK, first = start / 4, flag;
	u32 count = DIV_ROUND_UP(start + length, 4) - first;
	u32 bank_bytes = cxfw_flash_bank_bytes(device);
	u32 words[CHUNK / 4];
	__be32 bytes[CHUNK / 4];
	u32 i;
	int error;

	error = read_chunk(device, layout, address / bank_bytes, (address - start) % bank_bytes,
			   opcodes_of(device, &flag), first, count, words);
	if (error)
		return error;
	for (i = 0; i < count; i++)
		bytes[i] = cpu_to_be32(words[i]);
	memcpy(buffer, (u8 *)bytes + start % 4, length);
	return 0;
}

static int spi_read(struct cxfw_device *device, u32 address, u8 *buffer, size_t length)
{
	const struct layout *layout = find_layout(device);
	u32 bank_bytes = cxfw_flash_bank_bytes(device);
	int error = enter(device, layout, address / bank_bytes);

	if (error)
		return error;
	while (length && !error) {
		u32 part = min_t(size_t, length, CHUNK - address % CHUNK);

		error = read_part(device, layout, address, buffer, part);
		address += part;
		buffer += part;
		length -= part;
		if (!error && length)
			error = breathe(device, layout, address / bank_bytes);
	}
	return leave(device, layout, error);
}

static int check_protection(struct cxfw_device *device, u32 address, u32 length)
{
	struct cxfw_flash *flash = &device->flash;
	u32 bank_bytes = cxfw_flash_bank_bytes(device);

	if (!cxfw_flash_protected(flash->chip, flash->status, bank_bytes, address % bank_bytes, length))
		return 0;
	return cxfw_fail(device, -EROFS, "flash %#x + %#x is write protected by the chip (status register %#x, block protect bits)",
			 address, length, flash->status[0]);
}

static int write_enable(struct cxfw_device *device, const struct layout *layout, u32 bank)
{
	return run_command(device, layout, bank, OPCODE(WRITE_ENABLE) | PHASE_COMMAND);
}

static int start_erase(struct cxfw_device *device, const struct layout *layout, u32 address, u32 length)
{
	u32 bank_bytes = cxfw_flash_bank_bytes(device), bank = address / bank_bytes, flag;
	const struct opcodes *opcodes = opcodes_of(device, &flag);
	u8 opcode = length == CXFW_SECTOR_4K ? opcodes->erase_4k : opcodes->erase_64k;
	int error = check_protection(device, address, length);

	if (!error)
		error = write_enable(device, layout, bank);
	if (!error)
		error = cr_write(device, layout->address, address % bank_bytes);
	if (!error)
		error = run_command(device, layout, bank, OPCODE(opcode) | flag | PHASE_ADDRESS | PHASE_COMMAND);
	return error;
}

static int spi_erase(struct cxfw_device *device, u32 address, u32 length)
{
	const struct layout *layout = find_layout(device);
	u32 bank = address / cxfw_flash_bank_bytes(device);
	int error = enter(device, layout, bank);

	if (error)
		return error;
	error = leave(device, layout, start_erase(device, layout, address, length));
	if (!error)
		error = cxfw_sleep(device, length == CXFW_SECTOR_4K ? ERASE_4K_US : ERASE_64K_US);
	if (!error)
		error = enter(device, layout, bank);	/* waits until the chip is ready */
	return error ? error : leave(device, layout, 0);
}

/* One run of chunks within a page; chip select is held from the first to the last. */
static int program_run(struct cxfw_device *device, const struct layout *layout, u32 address, const u8 *data,
		       u32 length)
{
	u32 bank_bytes = cxfw_flash_bank_bytes(device), bank = address / bank_bytes, flag, at, i;
	const struct opcodes *opcodes = opcodes_of(device, &flag);
	int error = write_enable(device, layout, bank);

	if (!error)
		error = cr_write(device, layout->address, address % bank_bytes);
	for (at = 0; at < length && !error; at += CHUNK) {
		u32 command = OPCODE(opcodes->program) | flag | SIZE_16 | PHASE_DATA;
		__be32 bytes[CHUNK / 4];

		memcpy(bytes, data + at, sizeof(bytes));
		for (i = 0; i < ARRAY_SIZE(bytes) && !error; i++)
			error = cr_write(device, layout->data + 4 * i, be32_to_cpu(bytes[i]));
		if (!at)
			command |= PHASE_COMMAND | PHASE_ADDRESS;
		if (at + CHUNK < length)
			command |= HOLD_SELECT;
		if (!error)
			error = run_command(device, layout, bank, command);
	}
	return error;
}

/* Within the hold as long as it may last; enter() waits for the rest. On failure nobody is inside. */
static int wait_programmed(struct cxfw_device *device, const struct layout *layout, u32 bank)
{
	u64 start = ktime_get_ns();
	u32 expected = device->flash.program_us;
	bool first = true;
	u8 status;
	int error;

	if (expected > PROGRAM_POLL_US)
		usleep_range(expected, expected + PROGRAM_POLL_US);
	for (; !cxfw_gateway_due(device); first = false) {
		error = read_status(device, layout, bank, READ_STATUS, &status);
		if (error)
			return leave(device, layout, error);
		if (!(status & STATUS_BUSY)) {
			cxfw_flash_learn_time(device, (ktime_get_ns() - start) >> 10, first);
			return 0;
		}
		usleep_range(PROGRAM_POLL_US, 2 * PROGRAM_POLL_US);
	}
	error = leave(device, layout, 0);
	if (!error)
		error = cxfw_sleep(device, CXFW_BREAK_US);
	return error ? error : enter(device, layout, bank);
}

/* Pages, one after the other. On failure nobody is inside. */
static int program_pages(struct cxfw_device *device, const struct layout *layout, u32 address, const u8 *data,
			 size_t length)
{
	u32 bank = address / cxfw_flash_bank_bytes(device), part;
	int error;

	for (; length; address += part, data += part, length -= part) {
		part = min_t(size_t, length, CXFW_PAGE - address % CXFW_PAGE);
		error = program_run(device, layout, address, data, part);
		if (error)
			return leave(device, layout, error);
		error = wait_programmed(device, layout, bank);
		if (!error && length > part)
			error = breathe(device, layout, bank);
		if (error)
			return error;
	}
	return 0;
}

static int spi_program(struct cxfw_device *device, u32 address, const u8 *data, size_t length)
{
	const struct layout *layout = find_layout(device);
	int error = enter(device, layout, address / cxfw_flash_bank_bytes(device));

	if (error)
		return error;
	error = check_protection(device, address, length);
	if (error)
		return leave(device, layout, error);
	error = program_pages(device, layout, address, data, length);
	return error ? error : leave(device, layout, 0);
}

const struct cxfw_flash_backend cxfw_flash_spi = {
	.access = CXFW_FLASH_ACCESS_SPI,
	.granule = CHUNK,
	.batch = SPI_BATCH,
	.probe = spi_probe,
	.read = spi_read,
	.erase = spi_erase,
	.program = spi_program,
};
