// SPDX-License-Identifier: GPL-2.0-only
/* The flash chip behind the SPI gateway: device-access.md 5.4. */
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
#include "spi_private.h"

#define WRITE_ENABLE	0x06
#define READ_STATUS2	0x35
#define READ_STATUS3	0x15
#define WRITE_STATUS	0x01
#define STATUS_VOLATILE	0x03	/* busy, write enabled */
#define READ_JEDEC	0x9f

struct opcodes {
	u8 read, program, erase_4k, erase_64k;
};

static const struct opcodes three_bytes = { 0x03, 0x02, 0x20, 0xd8 };
static const struct opcodes four_bytes = { 0x13, 0x12, 0x21, 0xdc };

#define CHUNK 16
#define ERASE_4K_US 20000
#define ERASE_64K_US 50000
#define WRITE_STATUS_US 10000
#define PROGRAM_POLL_US 30
#define SPI_BATCH 4096
#define THREE_BYTE_MOST (1U << 24)

#define LIVEFISH 0x41270		/* generation 4, more than LIVEFISH_ABOVE without firmware: 5.3 */
#define LIVEFISH_ABOVE 0xfff00000U
#define LIVEFISH_PINS 0xf3834
#define LIVEFISH_PINS_MASK 0x18000000U
#define LIVEFISH_PINS_VALUE 0x10000000U

/* Probe */

static bool is_chip(u32 jedec)
{
	return jedec && jedec != 0xffffff;
}

static int read_jedec(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank,
		      u32 *jedec)
{
	u32 value;
	int error = cxfw_spi_read_register(device, layout, bank, READ_JEDEC, &value);

	if (!error)
		*jedec = value >> 8;
	return error;
}

static int read_chunk(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u32 address,
		      const struct opcodes *opcodes, u32 first, u32 count, u32 *words);

/*
 * A second bank answers with the same id; so does the first one where chip select does
 * nothing. Only different content tells them apart; two empty chips count as one.
 */
static int count_banks(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
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
static int look_at_address(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	static const u32 address = 0x1230;
	u32 words[CHUNK / 4], value;
	int error = read_chunk(device, layout, 0, address, &three_bytes, 0, CHUNK / 4, words);

	if (!error)
		error = cxfw_spi_cr_read(device, layout->address, &value);
	if (!error)
		device->flash.address_stays = value == address;
	return error;
}

static int read_more_status(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
{
	struct cxfw_flash *flash = &device->flash;
	const struct cxfw_flash_chip *chip = cxfw_flash_chip_find(flash->jedec);
	int error = 0;

	flash->status_valid = BIT(0);
	if (chip && chip->flags & CXFW_CHIP_STATUS2) {
		error = cxfw_spi_read_status(device, layout, 0, READ_STATUS2, &flash->status[1]);
		flash->status_valid |= BIT(1);
	}
	if (!error && chip && chip->flags & CXFW_CHIP_STATUS3) {
		error = cxfw_spi_read_status(device, layout, 0, READ_STATUS3, &flash->status[2]);
		flash->status_valid |= BIT(2);
	}
	return error;
}

static int probe_chip(struct cxfw_device *device, const struct cxfw_spi_layout *layout)
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
	const struct cxfw_spi_layout *layout = cxfw_spi_layout(device);
	int error;

	if (!layout)
		return cxfw_fail(device, -EOPNOTSUPP, "the flash gateway of a %s is not known to this driver", device->chip->name);
	error = switch_pins(device);
	if (!error)
		error = cxfw_spi_enter(device, layout, 0);
	return error ? error : cxfw_spi_leave(device, layout, probe_chip(device, layout));
}

/* Read, erase, program */

static const struct opcodes *opcodes_of(const struct cxfw_device *device, u32 *flag)
{
	bool four = device->chip->four_byte_address && cxfw_flash_bank_bytes(device) > THREE_BYTE_MOST;

	*flag = four ? SPI_FOUR_BYTES : 0;
	return four ? &four_bytes : &three_bytes;
}

/*
 * Where every command sets the lock anew and no VSC semaphore stands around it, cxfw_spi_leave()
 * would not learn of a reset before the last command. A reset clears lock and address.
 */
static int check_chunk(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 address)
{
	u32 value;
	int error;

	if (layout->semaphore || device->gateway.vsc)
		return 0;
	error = cxfw_spi_still_locked(device, layout);
	if (error || !device->flash.address_stays)
		return error;
	error = cxfw_spi_cr_read(device, layout->address, &value);
	if (!error && value != address)
		return cxfw_spi_lock_lost(device, value);
	return error;
}

static int read_chunk(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u32 address,
		      const struct opcodes *opcodes, u32 first, u32 count, u32 *words)
{
	u32 wide = opcodes == &four_bytes ? SPI_FOUR_BYTES : 0;
	u32 i;
	int error = cxfw_spi_cr_write(device, layout->address, address);

	if (!error)
		error = cxfw_spi_run(device, layout, bank,
				     SPI_OPCODE(opcodes->read) | wide | SPI_SIZE_16 | SPI_PHASE_DATA |
				     SPI_PHASE_ADDRESS | SPI_PHASE_COMMAND | SPI_FROM_CHIP);
	/* All-ones is believed after cxfw_spi_leave() has found the lock still there. */
	for (i = 0; i < count && !error; i++)
		error = cxfw_gateway_read_unchecked(device, CXFW_SPACE_CR, layout->data + 4 * (first + i), &words[i]);
	return error ? error : check_chunk(device, layout, address);
}

static int read_part(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 address, u8 *buffer,
		     u32 length)
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
	const struct cxfw_spi_layout *layout = cxfw_spi_layout(device);
	u32 bank_bytes = cxfw_flash_bank_bytes(device);
	int error = cxfw_spi_enter(device, layout, address / bank_bytes);

	if (error)
		return error;
	while (length && !error) {
		u32 part = min_t(size_t, length, CHUNK - address % CHUNK);

		error = read_part(device, layout, address, buffer, part);
		address += part;
		buffer += part;
		length -= part;
		if (!error && length)
			error = cxfw_spi_breathe(device, layout, address / bank_bytes);
	}
	return cxfw_spi_leave(device, layout, error);
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

static int write_enable(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank)
{
	return cxfw_spi_run(device, layout, bank, SPI_OPCODE(WRITE_ENABLE) | SPI_PHASE_COMMAND);
}

/*
 * A short write clears the second register of some chips, and with it the bit that lets firmware
 * read four lines at once: so both go, the second as it is.
 */
static int write_status(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank, u8 first)
{
	bool two = device->flash.chip->flags & CXFW_CHIP_STATUS2;
	u8 second = 0;
	int error = 0;

	if (two)
		error = cxfw_spi_read_status(device, layout, bank, READ_STATUS2, &second);
	if (!error)
		error = write_enable(device, layout, bank);
	if (!error)
		error = cxfw_spi_cr_write(device, layout->data, (u32)first << 24 | (u32)second << 16);
	return error ? error : cxfw_spi_run(device, layout, bank, SPI_OPCODE(WRITE_STATUS) |
					    (two ? SPI_SIZE_2 : SPI_SIZE_1) | SPI_PHASE_DATA | SPI_PHASE_COMMAND);
}

static int spi_unprotect(struct cxfw_device *device, u32 bank)
{
	const struct cxfw_spi_layout *layout = cxfw_spi_layout(device);
	u8 bits = cxfw_flash_protect_bits(device->flash.chip, cxfw_flash_bank_bytes(device));
	u8 *status = &device->flash.status[0];
	int error = cxfw_spi_enter(device, layout, bank);	/* reads the status */

	if (error)
		return error;
	if (!(*status & bits))
		return cxfw_spi_leave(device, layout, 0);
	error = cxfw_spi_leave(device, layout, write_status(device, layout, bank, *status & ~bits & ~STATUS_VOLATILE));
	if (!error)
		error = cxfw_sleep(device, WRITE_STATUS_US);
	if (!error)
		error = cxfw_spi_enter(device, layout, bank);
	if (!error)
		error = cxfw_spi_leave(device, layout, 0);
	if (!error && *status & bits)
		error = cxfw_fail(device, -EROFS,
				  "the flash chip keeps its block protect bits (status register %#x): its WP pin holds them",
				  *status);
	return error;
}

static int start_erase(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 address,
		       u32 length)
{
	u32 bank_bytes = cxfw_flash_bank_bytes(device), bank = address / bank_bytes, flag;
	const struct opcodes *opcodes = opcodes_of(device, &flag);
	u8 opcode = length == CXFW_SECTOR_4K ? opcodes->erase_4k : opcodes->erase_64k;
	int error = check_protection(device, address, length);

	if (!error)
		error = write_enable(device, layout, bank);
	if (!error)
		error = cxfw_spi_cr_write(device, layout->address, address % bank_bytes);
	if (!error)
		error = cxfw_spi_run(device, layout, bank,
				     SPI_OPCODE(opcode) | flag | SPI_PHASE_ADDRESS | SPI_PHASE_COMMAND);
	return error;
}

static int spi_erase(struct cxfw_device *device, u32 address, u32 length)
{
	const struct cxfw_spi_layout *layout = cxfw_spi_layout(device);
	u32 bank = address / cxfw_flash_bank_bytes(device);
	int error = cxfw_spi_enter(device, layout, bank);

	if (error)
		return error;
	error = cxfw_spi_leave(device, layout, start_erase(device, layout, address, length));
	if (!error)
		error = cxfw_sleep(device, length == CXFW_SECTOR_4K ? ERASE_4K_US : ERASE_64K_US);
	if (!error)
		error = cxfw_spi_enter(device, layout, bank);	/* waits until the chip is ready */
	return error ? error : cxfw_spi_leave(device, layout, 0);
}

/* One run of chunks within a page; chip select is held from the first to the last. */
static int program_run(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 address, const u8 *data,
		       u32 length)
{
	u32 bank_bytes = cxfw_flash_bank_bytes(device), bank = address / bank_bytes, flag, at, i;
	const struct opcodes *opcodes = opcodes_of(device, &flag);
	int error = write_enable(device, layout, bank);

	if (!error)
		error = cxfw_spi_cr_write(device, layout->address, address % bank_bytes);
	for (at = 0; at < length && !error; at += CHUNK) {
		u32 command = SPI_OPCODE(opcodes->program) | flag | SPI_SIZE_16 | SPI_PHASE_DATA;
		__be32 bytes[CHUNK / 4];

		memcpy(bytes, data + at, sizeof(bytes));
		for (i = 0; i < ARRAY_SIZE(bytes) && !error; i++)
			error = cxfw_spi_cr_write(device, layout->data + 4 * i, be32_to_cpu(bytes[i]));
		if (!at)
			command |= SPI_PHASE_COMMAND | SPI_PHASE_ADDRESS;
		if (at + CHUNK < length)
			command |= SPI_HOLD_SELECT;
		if (!error)
			error = cxfw_spi_run(device, layout, bank, command);
	}
	return error;
}

/* Within the hold as long as it may last; cxfw_spi_enter() waits for the rest. On failure nobody is inside. */
static int wait_programmed(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 bank)
{
	u64 start = ktime_get_ns();
	u32 expected = device->flash.program_us;
	bool first = true;
	u8 status;
	int error;

	if (expected > PROGRAM_POLL_US)
		usleep_range(expected, expected + PROGRAM_POLL_US);
	for (; !cxfw_gateway_due(device); first = false) {
		error = cxfw_spi_read_status(device, layout, bank, SPI_READ_STATUS, &status);
		if (error)
			return cxfw_spi_leave(device, layout, error);
		if (!(status & SPI_STATUS_BUSY)) {
			cxfw_flash_learn_time(device, (ktime_get_ns() - start) >> 10, first);
			return 0;
		}
		usleep_range(PROGRAM_POLL_US, 2 * PROGRAM_POLL_US);
	}
	error = cxfw_spi_leave(device, layout, 0);
	if (!error)
		error = cxfw_sleep(device, CXFW_BREAK_US);
	return error ? error : cxfw_spi_enter(device, layout, bank);
}

/* Pages, one after the other. On failure nobody is inside. */
static int program_pages(struct cxfw_device *device, const struct cxfw_spi_layout *layout, u32 address, const u8 *data,
			 size_t length)
{
	u32 bank = address / cxfw_flash_bank_bytes(device), part;
	int error;

	for (; length; address += part, data += part, length -= part) {
		part = min_t(size_t, length, CXFW_PAGE - address % CXFW_PAGE);
		error = program_run(device, layout, address, data, part);
		if (error)
			return cxfw_spi_leave(device, layout, error);
		error = wait_programmed(device, layout, bank);
		if (!error && length > part)
			error = cxfw_spi_breathe(device, layout, bank);
		if (error)
			return error;
	}
	return 0;
}

static int spi_program(struct cxfw_device *device, u32 address, const u8 *data, size_t length)
{
	const struct cxfw_spi_layout *layout = cxfw_spi_layout(device);
	int error = cxfw_spi_enter(device, layout, address / cxfw_flash_bank_bytes(device));

	if (error)
		return error;
	error = check_protection(device, address, length);
	if (error)
		return cxfw_spi_leave(device, layout, error);
	error = program_pages(device, layout, address, data, length);
	return error ? error : cxfw_spi_leave(device, layout, 0);
}

const struct cxfw_flash_backend cxfw_flash_spi = {
	.access = CXFW_FLASH_ACCESS_SPI,
	.granule = CHUNK,
	.batch = SPI_BATCH,
	.probe = spi_probe,
	.read = spi_read,
	.erase = spi_erase,
	.unprotect = spi_unprotect,
	.program = spi_program,
};
