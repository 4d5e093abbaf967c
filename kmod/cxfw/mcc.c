// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware answers a step at once or late: by its state, by "busy" in the register's
 * status (then the same order is given again), or both. Errors stand in an answer, or
 * come with a refused register.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "device.h"
#include "icmd.h"
#include "mcc.h"
#include "registers.h"

#define REGISTER_BUSY		1
#define REGISTER_BAD_PARAMETER	7
#define REGISTER_NOT_NOW	8
#define COMMAND_BUSY		5

#define FIRST_SLEEP_US		1000
#define LONGEST_SLEEP_US	64000
#define QUERY_TIMEOUT_MS	8000	/* mstflint: 100 tries of 80 ms */
#define BLOCK_TIMEOUT_MS	30000

static bool busy(const struct cxfw_reg_status *status)
{
	return status->reg == REGISTER_BUSY || status->reg == REGISTER_NOT_NOW || status->icmd == COMMAND_BUSY;
}

/* ---- components ---- */

#define MCQS_SEND	0x10
#define MCQS_BYTES	0xc
#define MCQS_LAST	(1U << 31)
#define MCQS_MISSING	(1U << 30)
#define COMPONENTS_MAX	64

#define MCQI_SEND	0x18
#define MCQI_DATA	0x18
#define MCQI_CAPABILITIES 0x14		/* bytes of that kind of information */
#define READABLE	(1U << 31)
#define SIGNED_ONLY	(1U << 30)

#define BLOCK_MOST	256		/* bytes of MCDA data that any tool or driver sends */
#define BLOCK_COMMON	128		/* what every tool sends over ICMD */

static u32 block_of(u32 dword)
{
	u32 most = dword & 0xffff, word = 1U << min_t(u32, dword >> 28, 8);

	if (!most)
		most = BLOCK_COMMON;
	word = max_t(u32, word, 4);
	return max_t(u32, min_t(u32, most, BLOCK_MOST) & ~(word - 1), 4);
}

static int read_capabilities(struct cxfw_device *device, struct cxfw_component_facts *facts)
{
	__be32 data[(MCQI_DATA + MCQI_CAPABILITIES) / 4] = { cpu_to_be32(facts->index) };
	int error;
	u32 flags;

	data[5] = cpu_to_be32(MCQI_CAPABILITIES);
	error = cxfw_reg(device, CXFW_REG_MCQI, CXFW_METHOD_GET, data, MCQI_SEND, sizeof(data), NULL);
	if (error)
		return error;
	facts->size = be32_to_cpu(data[MCQI_DATA / 4 + 1]);
	facts->most = be32_to_cpu(data[MCQI_DATA / 4 + 2]);
	facts->block = block_of(be32_to_cpu(data[MCQI_DATA / 4 + 3]));
	flags = be32_to_cpu(data[MCQI_DATA / 4 + 4]);
	facts->may_read = flags & READABLE;
	facts->signed_only = flags & SIGNED_ONLY;
	return 0;
}

int cxfw_component_find(struct cxfw_device *device, u32 identifier, struct cxfw_component_facts *facts)
{
	__be32 data[MCQS_SEND / 4];
	u32 index;
	int error;

	memset(facts, 0, sizeof(*facts));
	for (index = 0; index < COMPONENTS_MAX; index++) {
		memset(data, 0, sizeof(data));
		data[0] = cpu_to_be32(index);
		error = cxfw_reg(device, CXFW_REG_MCQS, CXFW_METHOD_GET, data, MCQS_SEND, MCQS_BYTES, NULL);
		if (error)
			return error;
		if ((be32_to_cpu(data[1]) & 0xffff) == identifier && !(be32_to_cpu(data[0]) & MCQS_MISSING)) {
			facts->index = index;
			return read_capabilities(device, facts);
		}
		if (be32_to_cpu(data[0]) & MCQS_LAST)
			break;
	}
	return cxfw_fail(device, -ENOENT, "the firmware lists no component %u", identifier);
}

/* ---- error codes ---- */

static const char *const error_texts[] = {
	[0x00] = "no error",
	[0x01] = "general error",
	[0x02] = "the image's digest is wrong: it is damaged (REJECTED_DIGEST_ERR)",
	[0x03] = "the image is not for this card, or has another PSID (REJECTED_NOT_APPLICABLE)",
	[0x04] = "the image is signed with a key that this card does not know (REJECTED_UNKNOWN_KEY)",
	[0x05] = "the image's signature is wrong (REJECTED_AUTH_FAILED)",
	[0x06] = "the image is not signed, and this card takes signed ones only (REJECTED_UNSIGNED)",
	[0x07] = "the key that the image is signed with is not one for this card (REJECTED_KEY_NOT_APPLICABLE)",
	[0x08] = "the image has a wrong format (REJECTED_BAD_FORMAT)",
	[0x09] = "an earlier update waits for a reset of the card (BLOCKED_PENDING_RESET)",
	[0x0a] = "the image is not one for secure firmware (REJECTED_NOT_A_SECURED_FW)",
	[0x0b] = "the image is for cards with other base MACs (REJECTED_MFG_BASE_MAC_NOT_LISTED)",
	[0x0c] = "the image needs a debug token that the card does not have (REJECTED_NO_DEBUG_TOKEN)",
	[0x0d] = "the version does not match (REJECTED_VERSION_NUM_MISMATCH)",
	[0x0e] = "the image's timestamp is older than the one set by the user (REJECTED_USER_TIMESTAMP_MISMATCH)",
	[0x0f] = "this version is forbidden on this card (REJECTED_FORBIDDEN_VERSION)",
	[0x10] = "the firmware could not erase the flash (FLASH_ERASE_ERROR)",
	[0x11] = "the running image is being burned again; try once more (REJECTED_REBURN_RUNNING_AND_RETRY)",
	[0x12] = "this kind of cable or module is not supported (REJECTED_LINKX_TYPE_NOT_SUPPORTED)",
	[0x13] = "the host uses the storage (REJECTED_HOST_STORAGE_IN_USE)",
	[0x14] = "the transfer to the cable or module failed (REJECTED_LINKX_TRANSFER)",
	[0x15] = "the cable or module was not activated (REJECTED_LINKX_ACTIVATE)",
	[0x16] = "the image does not know this card's flash chip (REJECTED_INCOMPATIBLE_FLASH)",
	[0x17] = "the token is applied already (REJECTED_TOKEN_ALREADY_APPLIED)",
	[0x18] = "the card's memory is not available (REJECTED_DRAM_NOT_AVAILABLE)",
	[0x19] = "the image's security version is lower than the card's (REJECTED_INVALID_SECURITY_VERSION)",
	[0x1a] = "the certificate is not one of CER509 (CERT_CER509)",
	[0x1b] = "the certificate's signature is wrong (CERT_SIGNATURE)",
	[0x1c] = "the certificate's metadata is wrong (CERT_METADATA)",
	[0x1d] = "internal error 0 of the firmware",
	[0x1e] = "there is no place for it (NO_PLACE)",
	[0x1f] = "nothing to remove has this id (REMOVAL_NO_MATCH_UIDD)",
	[0x20] = "internal error 1 of the firmware",
	[0x21] = "internal error 2 of the firmware",
	[0x22] = "wrong number of swaps (NUM_OF_SWAP)",
	[0x23] = "internal error 3 of the firmware",
	[0x24] = "internal error 4 of the firmware",
	[0x25] = "the same id is not allowed again (NOT_ALLOWED_SAME_UIDD)",
	[0x26] = "internal error 5 of the firmware",
	[0x27] = "internal error 6 of the firmware",
	[0x28] = "the flash is write protected (FLASH_WRITE_PROTECTED)",
	[0x29] = "internal error 7 of the firmware",
	[0x2a] = "internal error 8 of the firmware",
	[0x2b] = "internal error 9 of the firmware",
	[0x2c] = "the DPA application's ELF file is wrong",
	[0x2d] = "the DPA application's crypto data is wrong",
	[0x2e] = "the DPA application's metadata is wrong",
	[0x2f] = "the removal's signature is wrong",
	[0x30] = "the container does not verify",
	[0x31] = "internal error 10 of the firmware",
	[0x32] = "this is a device image, and the card is a production part",
};

const char *cxfw_mcc_error_text(u32 code)
{
	return code < ARRAY_SIZE(error_texts) && error_texts[code] ? error_texts[code] :
	       "an error code that this driver does not know";
}

/* As Linux maps them (mlxfw_fsm.c), for who looks at the errno only. */
static int error_number(u32 code)
{
	static const int numbers[] = {
		0, -EIO, -EBADMSG, -ENOENT, -ENOKEY, -EACCES, -EKEYREVOKED, -EKEYREJECTED, -ENOEXEC, -EBUSY,
	};

	return code < ARRAY_SIZE(numbers) ? numbers[code] : -EINVAL;
}

static int fail_with(struct cxfw_device *device, u32 code, const char *doing)
{
	device->mcc_error = code;
	return cxfw_fail(device, error_number(code), "the firmware refused while %s: %s, MCC error %#x",
			 doing,
			 cxfw_mcc_error_text(code), code);
}

/* ---- MCC ---- */

#define MCC_WORDS	8

static void take_answer(const u32 *words, struct cxfw_mcc *mcc)
{
	mcc->handle = words[2] & 0xffffff;
	mcc->state = words[3] & 0xf;
	mcc->error = words[3] >> 8 & 0xff;
	mcc->progress = words[3] >> 16 & 0x7f;
	mcc->owner_host = words[3] >> 24 & 0xf;
	mcc->owner_type = words[3] >> 28;
	mcc->size = words[4];
}

/* One go. A refused register may tell an error code all the same; else mcc->error is 0. */
static int exchange(struct cxfw_device *device, u8 method, const struct cxfw_mcc_order *order,
		    struct cxfw_mcc *mcc,
		    struct cxfw_reg_status *status)
{
	u32 words[MCC_WORDS] = { order->instruction, order->index, order->handle, 0, order->size };
	int error, sent;

	memset(mcc, 0, sizeof(*mcc));
	memset(status, 0, sizeof(*status));
	error = cxfw_icmd_enter(device);
	if (error)
		return error;
	sent = cxfw_reg_send(device, CXFW_REG_MCC, method, sizeof(words), words, ARRAY_SIZE(words), status);
	error = sent;
	if (!sent || status->reg) {
		char why[CXFW_WHY_LENGTH];

		memcpy(why, device->why, sizeof(why));
		error = cxfw_reg_receive(device, 0, words, ARRAY_SIZE(words));
		if (!error) {
			take_answer(words, mcc);
			error = sent;
			memcpy(device->why, why, sizeof(why));
		}
	}
	return cxfw_icmd_leave(device, error);
}

struct clock {
	u64 start;
	unsigned int sleep_us;
};

static void clock_start(struct clock *clock)
{
	clock->start = ktime_get_ns();
	clock->sleep_us = FIRST_SLEEP_US;
}

/* Between two looks. -ETIMEDOUT, without words, when it is over. */
static int clock_wait(struct cxfw_device *device, struct clock *clock,
		      const struct cxfw_mcc_patience *patience,
		      const struct cxfw_mcc *mcc)
{
	bool finishing = device->finishing;
	int error;

	if (ktime_get_ns() - clock->start > patience->timeout_ms * 1000000ULL)
		return -ETIMEDOUT;
	error = cxfw_sleep(device, clock->sleep_us);
	clock->sleep_us = min_t(unsigned int, clock->sleep_us * 2, LONGEST_SLEEP_US);
	if (!error && patience->pause)
		error = patience->pause(patience->context, mcc);
	device->finishing = finishing;
	return error;
}

static int lost(struct cxfw_device *device, u32 handle, const char *doing)
{
	return cxfw_fail(device, -ESTALE,
			 "while %s: update handle %#x is not ours any more; the card was reset, or somebody else took it",
			 doing, handle);
}

static const char *const looking = "asking for the state of the update";

static int look(struct cxfw_device *device, u32 handle, const char *doing, struct cxfw_mcc *mcc)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = QUERY_TIMEOUT_MS };
	const struct cxfw_mcc_order order = { .handle = handle };
	struct cxfw_reg_status status;
	bool finishing = device->finishing;
	struct clock clock;
	int error, waited;

	clock_start(&clock);
	for (;;) {
		device->finishing = finishing;
		error = exchange(device, CXFW_METHOD_GET, &order, mcc, &status);
		if (!error || !busy(&status))
			break;
		waited = clock_wait(device, &clock, &patience, mcc);
		if (waited)
			return waited == -ETIMEDOUT ? error : waited;
	}
	if (error == -EIO && handle && status.reg == REGISTER_BAD_PARAMETER)
		return lost(device, handle, doing);
	return error;
}

int cxfw_mcc_query(struct cxfw_device *device, u32 handle, struct cxfw_mcc *mcc)
{
	return look(device, handle, looking, mcc);
}

/* A refused order: the answer or the next look tells which error it was, else the register's status does. */
static int refused(struct cxfw_device *device, const struct cxfw_mcc_order *order, int error,
		   struct cxfw_mcc *mcc)
{
	char why[CXFW_WHY_LENGTH];

	if (error != -EIO)
		return error;
	memcpy(why, device->why, sizeof(why));
	if (!mcc->error) {
		int looked = look(device, order->handle, order->doing, mcc);

		if (looked == -ESTALE || looked == -ENODEV)
			return looked;
		if (looked)
			mcc->error = 0;
		/* After a reset the firmware may offer the very same handle again. */
		else if (!mcc->error && mcc->state == CXFW_MCC_IDLE && order->instruction != CXFW_MCC_LOCK)
			return lost(device, order->handle, order->doing);
	}
	if (mcc->error)
		return fail_with(device, mcc->error, order->doing);
	return cxfw_fail(device, error, "%s failed: %.140s", order->doing, why);
}

static int give_order(struct cxfw_device *device, const struct cxfw_mcc_order *order,
		      const struct cxfw_mcc_patience *patience, struct clock *clock, struct cxfw_mcc *mcc)
{
	bool finishing = device->finishing;
	struct cxfw_reg_status status;
	int error, waited;

	for (;;) {
		device->finishing = finishing;
		error = exchange(device, CXFW_METHOD_SET, order, mcc, &status);
		if (!error || !busy(&status))
			break;
		waited = clock_wait(device, clock, patience, mcc);
		if (waited == -ETIMEDOUT)
			return cxfw_fail(device, -ETIMEDOUT,
					 "the firmware still is busy after %u ms of %s (register status %#x)",
					 patience->timeout_ms, order->doing, status.reg);
		if (waited)
			return waited;
	}
	device->finishing = finishing;
	return error ? refused(device, order, error, mcc) : 0;
}

int cxfw_mcc_order(struct cxfw_device *device, const struct cxfw_mcc_order *order, u32 wanted,
		   const struct cxfw_mcc_patience *patience, struct cxfw_mcc *mcc)
{
	struct clock clock;
	int error;

	clock_start(&clock);
	error = give_order(device, order, patience, &clock, mcc);
	if (error || wanted == CXFW_MCC_ANY)
		return error;
	for (;;) {
		if (mcc->error)
			return fail_with(device, mcc->error, order->doing);
		if (mcc->state == wanted)
			return 0;
		if (mcc->state == CXFW_MCC_IDLE && order->instruction != CXFW_MCC_LOCK)
			return lost(device, order->handle, order->doing);
		error = clock_wait(device, &clock, patience, mcc);
		if (error == -ETIMEDOUT)
			return cxfw_fail(device, -ETIMEDOUT,
					 "%s takes longer than %u ms: state %u, expected %u",
					 order->doing, patience->timeout_ms, mcc->state, wanted);
		if (!error)
			error = look(device, order->handle, order->doing, mcc);
		if (error)
			return error;
	}
}

/* ---- MCDA ---- */

#define MCDA_DATA	0x10
#define MCDA_LEAST	0x90	/* tools never send a shorter one: the last block is filled up */

/* One block inside of a session. -EAGAIN: the firmware is busy. */
static int send_block(struct cxfw_device *device, u32 handle, u32 offset, const u8 *bytes, u32 size)
{
	u32 words[(MCDA_DATA + BLOCK_MOST) / 4] = { handle, offset, size };
	u32 length = max_t(u32, MCDA_DATA + ALIGN(size, 4), MCDA_LEAST), i;
	struct cxfw_reg_status status = { 0 };
	__le32 word;
	int error;

	for (i = 0; i < size; i += 4) {
		word = 0;
		memcpy(&word, bytes + i, min_t(u32, 4, size - i));
		words[(MCDA_DATA + i) / 4] = le32_to_cpu(word);
	}
	error = cxfw_reg_send(device, CXFW_REG_MCDA, CXFW_METHOD_SET, length, words, length / 4, &status);
	return error && busy(&status) ? -EAGAIN : error;
}

/* As many blocks as fit between two breaks. */
static int send_blocks(struct cxfw_device *device, u32 handle, const u8 *image, u32 length, u32 block,
		       u32 *offset)
{
	int error = cxfw_icmd_enter(device);

	if (error)
		return error;
	while (*offset < length && !error) {
		u32 size = min_t(u32, block, length - *offset);

		error = send_block(device, handle, *offset, image + *offset, size);
		if (!error)
			*offset += size;
		if (cxfw_gateway_due(device))
			break;
	}
	return cxfw_icmd_leave(device, error);
}

int cxfw_mcda_write(struct cxfw_device *device, u32 handle, const u8 *image, u32 length, u32 block,
		    u32 *offset)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = BLOCK_TIMEOUT_MS };
	const char *doing = "taking the image in";
	struct cxfw_mcc mcc = { 0 };
	struct clock clock;
	u32 before = *offset;
	int error, waited;

	/* A mailbox that has no room for a long block takes one of the common size. */
	if (block > BLOCK_COMMON && device->icmd_mailbox_bytes && device->icmd_mailbox_bytes < BLOCK_MOST + 0x40)
		block = BLOCK_COMMON;
	clock_start(&clock);
	for (;;) {
		error = send_blocks(device, handle, image, length, block, offset);
		if (error != -EAGAIN || *offset != before)
			break;
		waited = clock_wait(device, &clock, &patience, &mcc);
		if (waited == -ETIMEDOUT)
			return cxfw_fail(device, -ETIMEDOUT,
					 "the firmware is busy for %u ms instead of taking byte %#x",
					 BLOCK_TIMEOUT_MS, *offset);
		if (waited)
			return waited;
	}
	if (!error || error == -EAGAIN)
		return 0;
	if (error == -EIO) {
		const struct cxfw_mcc_order order = { .handle = handle, .doing = doing };

		return refused(device, &order, error, &mcc);
	}
	return error;
}

int cxfw_mcda_read(struct cxfw_device *device, u32 handle, u32 offset, u8 *buffer, u32 length)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = QUERY_TIMEOUT_MS };
	u32 size = min_t(u32, length, BLOCK_COMMON), words[BLOCK_COMMON / 4], i;
	u32 request[MCDA_DATA / 4] = { handle, offset, size };
	struct cxfw_reg_status status;
	struct cxfw_mcc mcc = { 0 };
	struct clock clock;
	__le32 word;
	int error;

	clock_start(&clock);
	do {
		memset(&status, 0, sizeof(status));
		error = cxfw_icmd_enter(device);
		if (error)
			return error;
		error = cxfw_reg_send(device, CXFW_REG_MCDA, CXFW_METHOD_GET, MCDA_LEAST, request,
				      ARRAY_SIZE(request),
				      &status);
		if (!error)
			error = cxfw_reg_receive(device, MCDA_DATA, words, size / 4);
		error = cxfw_icmd_leave(device, error);
	} while (error && busy(&status) && !clock_wait(device, &clock, &patience, &mcc));
	for (i = 0; !error && i < size / 4; i++) {
		word = cpu_to_le32(words[i]);
		memcpy(buffer + 4 * i, &word, 4);
	}
	return error ? error : (int)size;
}
