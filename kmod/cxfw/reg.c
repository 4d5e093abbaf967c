// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>

#include <asm/byteorder.h>

#include "device.h"
#include "icmd.h"
#include "registers.h"

/* The packet around a register: device-access.md 3.2. */
#define OPERATION_TLV		0x08040000U	/* type 1, 4 dwords */
#define OPERATION_TYPE(dword)	((dword) >> 27)
#define OPERATION_STATUS(dword)	((dword) >> 8 & 0x7f)
#define CLASS_REGISTER		1U
#define REGISTER_TLV		0x18000000U	/* type 3 */
#define REGISTER_OFFSET		0x14
#define HEADER_DWORDS		(REGISTER_OFFSET / 4)

#define WORDS_MAX 64		/* 256 bytes: struct cxfw_register */

struct cxfw_register_fact {
	u16 id;
	u16 bytes;		/* as the firmware expects it; 0: as long as the caller says */
	bool readable;		/* a GET changes nothing, and tells nothing secret */
};

static const struct cxfw_register_fact facts[] = {
	{ 0x402d, 0x10, true },			/* MLOCK */
	{ CXFW_REG_MFPA, 0x20, true },
	{ CXFW_REG_MFBE, 0x0c, false },
	{ 0x9013, 0x1c, true },			/* MFMC */
	{ CXFW_REG_MGIR, 0xa0, true },
	{ 0x9024, 0, true },			/* MNVDA */
	{ CXFW_REG_MFRL, 0x08, true },
	{ 0x902c, 0x14, true },			/* MVTS */
	{ 0x902f, 0x20, true },			/* MROQ */
	{ 0x9030, 0x08, true },			/* MNVQC */
	{ CXFW_REG_MPIR, 0x10, true },
	{ CXFW_REG_MCQS, 0x10, true },
	{ CXFW_REG_MCQI, 0x94, true },
	{ CXFW_REG_MCC, 0x20, false },
	{ CXFW_REG_MCDA, 0x90, false },
	{ CXFW_REG_MQIS, 0x18, true },
	{ CXFW_REG_MCAM, 0x48, true },
	{ 0x9115, 0x30, true },			/* MFSV */
	{ 0x911a, 0x40, true },			/* MDIR */
	{ 0x912a, 0x40, true },			/* MRSI */
};

static const struct cxfw_register_fact *find_fact(u16 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(facts); i++)
		if (facts[i].id == id)
			return &facts[i];
	return NULL;
}

bool cxfw_reg_readable(u16 id)
{
	const struct cxfw_register_fact *fact = find_fact(id);

	return fact && fact->readable;
}

static const char *status_name(u32 status)
{
	static const char *const names[] = {
		[0x00] = "ok",
		[0x01] = "device busy",
		[0x02] = "version not supported",
		[0x03] = "unknown TLV",
		[0x04] = "register not supported",
		[0x05] = "class not supported",
		[0x06] = "method not supported",
		[0x07] = "bad parameter",
		[0x08] = "resource not available",
		[0x09] = "message receipt acknowledged",
		[0x20] = "bad configuration",
		[0x21] = "erase count exceeded",
		[0x22] = "configuration corrupt",
		[0x24] = "length too small",
		[0x70] = "internal error",
	};

	return status < ARRAY_SIZE(names) && names[status] ? names[status] : "unknown";
}

static int write_mailbox(struct cxfw_device *device, u32 offset, const u32 *words, unsigned int count)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < count && !error; i++)
		error = cxfw_gateway_write(device, CXFW_SPACE_ICMD, CXFW_ICMD_MAILBOX + offset + 4 * i, words[i]);
	return error;
}

int cxfw_reg_receive(struct cxfw_device *device, u32 offset, u32 *words, unsigned int count)
{
	return cxfw_gateway_read_block(device, CXFW_SPACE_ICMD, CXFW_ICMD_MAILBOX + REGISTER_OFFSET + offset, words,
				       count);
}

int cxfw_reg_send(struct cxfw_device *device, u16 id, u8 method, u32 length, const u32 *words,
		  unsigned int count, struct cxfw_reg_status *status)
{
	const u32 header[HEADER_DWORDS] = {
		OPERATION_TLV,
		(u32)id << 16 | (u32)method << 8 | CLASS_REGISTER,
		0,
		0,
		REGISTER_TLV | ((length + 4) / 4) << 16,
	};
	u32 answer;
	int error;

	if (REGISTER_OFFSET + length > device->icmd_mailbox_bytes)
		return cxfw_fail(device, -EMSGSIZE, "register %#x of %u bytes does not fit the mailbox of %u", id, length,
				 device->icmd_mailbox_bytes);
	error = write_mailbox(device, 0, header, HEADER_DWORDS);
	if (!error)
		error = write_mailbox(device, REGISTER_OFFSET, words, count);
	if (!error)
		error = cxfw_icmd_run(device, CXFW_ICMD_REGISTER, &status->icmd);
	if (!error)
		error = cxfw_gateway_read(device, CXFW_SPACE_ICMD, CXFW_ICMD_MAILBOX, &answer);
	if (error)
		return error;
	if (OPERATION_TYPE(answer) != OPERATION_TYPE(OPERATION_TLV))
		return cxfw_fail(device, -EIO, "the answer to register %#x begins with %#x, which is no operation TLV", id,
				 answer);
	status->reg = OPERATION_STATUS(answer);
	if (!status->reg)
		return 0;
	return cxfw_fail(device, -EIO, "the firmware refused register %#x: status %#x (%s)", id, status->reg,
			 status_name(status->reg));
}

int cxfw_reg(struct cxfw_device *device, u16 id, u8 method, __be32 *data, size_t send, size_t receive,
	     struct cxfw_reg_status *status)
{
	const struct cxfw_register_fact *fact = find_fact(id);
	struct cxfw_reg_status own = { 0 };
	u32 words[WORDS_MAX];
	size_t length = max(send, receive);
	unsigned int i;
	int error;

	if (!status)
		status = &own;
	*status = own;
	if (fact && fact->bytes > length)
		length = fact->bytes;
	if (send % 4 || receive % 4 || length > sizeof(words) || (fact && fact->bytes && length > fact->bytes))
		return cxfw_fail(device, -EINVAL, "register %#x does not have %zu bytes", id, max(send, receive));
	for (i = 0; i < send / 4; i++)
		words[i] = be32_to_cpu(data[i]);
	error = cxfw_icmd_enter(device);
	if (error)
		return error;
	error = cxfw_reg_send(device, id, method, length, words, send / 4, status);
	if (!error)
		error = cxfw_reg_receive(device, 0, words, receive / 4);
	error = cxfw_icmd_leave(device, error);
	for (i = 0; !error && i < receive / 4; i++)
		data[i] = cpu_to_be32(words[i]);
	return error;
}
