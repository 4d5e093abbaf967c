// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flash through running firmware: MFPA, MFBA, MFBE over ICMD (device-access.md 4.3).
 * Many blocks share one session; it ends at least every CXFW_HOLD_NS.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "device.h"
#include "flash_backend.h"
#include "flash_chips.h"
#include "icmd.h"
#include "registers.h"

#define MFPA_BYTES 0x20
#define MFPA_FLASH_NUM(words) ((words)[0x10 / 4] & 0xf)
#define MFPA_WIP(words) ((words)[0x10 / 4] >> 31)
#define MFPA_JEDEC(words) ((words)[0x14 / 4] & 0xffffff)

#define MFBA_DATA 0xc
#define MFBA_BLOCK 128
#define MFBA_BATCH 4096

#define MFBE_BYTES 0xc
#define MFBE_64K (1U << 29)

#define BANK_SHIFT 4		/* field fs of dword 0 */
#define BANKS_MOST 4

#define REGISTER_BUSY 1
#define COMMAND_BUSY 5
#define BUSY_TIMEOUT_MS 3000
#define BUSY_RETRY_US 2000
#define ERASE_TIMEOUT_MS 10000

static bool firmware_busy(const struct cxfw_reg_status *status)
{
	return status->reg == REGISTER_BUSY || status->icmd == COMMAND_BUSY;
}

/* Leaves the session, lets others in, and enters again. After an error nobody is inside. */
static int session_break(struct cxfw_device *device, unsigned int microseconds)
{
	int error = cxfw_icmd_leave(device, 0);

	if (!error)
		error = cxfw_sleep(device, microseconds);
	return error ? error : cxfw_icmd_enter(device);
}

/*
 * A register within a session, again and again while the firmware is busy. *entered
 * tells whether the session still stands afterwards.
 */
static int session_send(struct cxfw_device *device, u16 id, u8 method, u32 length, const u32 *words,
			unsigned int count, bool *entered)
{
	u64 start = ktime_get_ns();
	struct cxfw_reg_status status;
	int error;

	for (;;) {
		memset(&status, 0, sizeof(status));
		error = cxfw_reg_send(device, id, method, length, words, count, &status);
		if (!error || !firmware_busy(&status) || ktime_get_ns() - start > BUSY_TIMEOUT_MS * 1000000ULL)
			return error;
		error = session_break(device, BUSY_RETRY_US);
		if (error) {
			*entered = false;
			return error;
		}
	}
}

static int session_end(struct cxfw_device *device, int error, bool entered)
{
	return entered ? cxfw_icmd_leave(device, error) : error;
}

static int read_mfpa(struct cxfw_device *device, u32 words[MFPA_BYTES / 4])
{
	u32 request[MFPA_BYTES / 4] = { 0 };
	bool entered = true;
	int error = cxfw_icmd_enter(device);

	if (error)
		return error;
	error = session_send(device, CXFW_REG_MFPA, CXFW_METHOD_GET, MFPA_BYTES, request, MFPA_BYTES / 4, &entered);
	if (!error)
		error = cxfw_reg_receive(device, 0, words, MFPA_BYTES / 4);
	return session_end(device, error, entered);
}

static int firmware_probe(struct cxfw_device *device)
{
	struct cxfw_flash *flash = &device->flash;
	u32 words[MFPA_BYTES / 4], reversed, bytes;
	int error = read_mfpa(device, words);

	if (error)
		return error;
	reversed = MFPA_JEDEC(words);
	flash->jedec = (reversed & 0xff) << 16 | (reversed & 0xff00) | reversed >> 16;
	flash->banks = MFPA_FLASH_NUM(words) ? MFPA_FLASH_NUM(words) : 1;
	if (flash->banks > BANKS_MOST)
		return cxfw_fail(device, -EIO, "MFPA claims %u flash chips, expected at most %u", flash->banks, BANKS_MOST);
	bytes = cxfw_flash_chip_bytes(flash->jedec);
	if (!bytes)
		return cxfw_fail(device, -EIO, "MFPA tells no flash id that has a size: %06x", flash->jedec);
	flash->size = bytes * flash->banks;
	return 0;
}

static u32 bank_field(const struct cxfw_device *device, u32 address)
{
	return address / cxfw_flash_bank_bytes(device) << BANK_SHIFT;
}

/* The part of one block that lies in [address, address + length). */
static int read_block(struct cxfw_device *device, u32 address, u8 *buffer, u32 length, bool *entered)
{
	u32 start = address % MFBA_BLOCK, first = start / 4;
	u32 count = DIV_ROUND_UP(start + length, 4) - first;
	u32 request[MFBA_DATA / 4] = {
		bank_field(device, address), MFBA_BLOCK, (address - start) % cxfw_flash_bank_bytes(device)
	};
	u32 words[MFBA_BLOCK / 4];
	__le32 bytes[MFBA_BLOCK / 4];
	unsigned int i;
	int error;

	error = session_send(device, CXFW_REG_MFBA, CXFW_METHOD_GET, MFBA_DATA + MFBA_BLOCK, request,
			     ARRAY_SIZE(request), entered);
	if (!error)
		error = cxfw_reg_receive(device, MFBA_DATA + 4 * first, words, count);
	if (error)
		return error;
	for (i = 0; i < count; i++)
		bytes[i] = cpu_to_le32(words[i]);
	memcpy(buffer, (u8 *)bytes + start % 4, length);
	return 0;
}

static int firmware_read(struct cxfw_device *device, u32 address, u8 *buffer, size_t length)
{
	bool entered = true;
	int error = cxfw_icmd_enter(device);

	if (error)
		return error;
	while (length && !error) {
		u32 part = min_t(size_t, length, MFBA_BLOCK - address % MFBA_BLOCK);

		if (cxfw_gateway_due(device)) {
			error = session_break(device, CXFW_BREAK_US);
			entered = !error;
		}
		if (!error)
			error = read_block(device, address, buffer, part, &entered);
		address += part;
		buffer += part;
		length -= part;
	}
	return session_end(device, error, entered);
}

static int firmware_program(struct cxfw_device *device, u32 address, const u8 *data, size_t length)
{
	u32 words[(MFBA_DATA + MFBA_BLOCK) / 4];
	__le32 bytes[MFBA_BLOCK / 4];
	bool entered = true;
	unsigned int i;
	int error = cxfw_icmd_enter(device);

	if (error)
		return error;
	for (; length && !error; address += MFBA_BLOCK, data += MFBA_BLOCK, length -= MFBA_BLOCK) {
		if (cxfw_gateway_due(device)) {
			error = session_break(device, CXFW_BREAK_US);
			entered = !error;
			if (error)
				break;
		}
		words[0] = bank_field(device, address);
		words[1] = MFBA_BLOCK;
		words[2] = address % cxfw_flash_bank_bytes(device);
		memcpy(bytes, data, sizeof(bytes));
		for (i = 0; i < ARRAY_SIZE(bytes); i++)
			words[MFBA_DATA / 4 + i] = le32_to_cpu(bytes[i]);
		device->icmd_pause_us = device->flash.program_us;
		error = session_send(device, CXFW_REG_MFBA, CXFW_METHOD_SET, sizeof(words), words, ARRAY_SIZE(words),
				     &entered);
		device->icmd_pause_us = 0;
		cxfw_flash_learn_time(device, device->icmd_took_us, device->icmd_polls == 1);
	}
	return session_end(device, error, entered);
}

static int wait_erased(struct cxfw_device *device)
{
	u64 start = ktime_get_ns();
	u32 words[MFPA_BYTES / 4];
	int error;

	for (;;) {
		error = read_mfpa(device, words);
		if (error || !MFPA_WIP(words))
			return error;
		if (ktime_get_ns() - start > ERASE_TIMEOUT_MS * 1000000ULL)
			return cxfw_fail(device, -ETIMEDOUT, "timed out after %u ms waiting for a flash erase (MFPA %#x)",
					 ERASE_TIMEOUT_MS, words[0x10 / 4]);
		error = cxfw_sleep(device, BUSY_RETRY_US);
		if (error)
			return error;
	}
}

static int firmware_erase(struct cxfw_device *device, u32 address, u32 length)
{
	u32 request[MFBE_BYTES / 4] = {
		bank_field(device, address) | (length == CXFW_BLOCK_64K ? MFBE_64K : 0), 0,
		address % cxfw_flash_bank_bytes(device)
	};
	bool entered = true;
	int error = cxfw_icmd_enter(device);

	if (error)
		return error;
	error = session_send(device, CXFW_REG_MFBE, CXFW_METHOD_SET, MFBE_BYTES, request, ARRAY_SIZE(request), &entered);
	error = session_end(device, error, entered);
	return error ? error : wait_erased(device);
}

const struct cxfw_flash_backend cxfw_flash_firmware = {
	.access = CXFW_FLASH_ACCESS_MFBA,
	.granule = MFBA_BLOCK,
	.batch = MFBA_BATCH,
	.probe = firmware_probe,
	.read = firmware_read,
	.erase = firmware_erase,
	.program = firmware_program,
};
