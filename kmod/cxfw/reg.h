/* SPDX-License-Identifier: GPL-2.0-only */
/* Access registers over ICMD: device-access.md 3.1, 3.2, 4. */
#ifndef CXFW_REG_H
#define CXFW_REG_H

#include <linux/types.h>

struct cxfw_device;

#define CXFW_REG_MFPA	0x9010
#define CXFW_REG_MFBA	0x9011
#define CXFW_REG_MFBE	0x9012
#define CXFW_REG_MGIR	0x9020
#define CXFW_REG_MCQS	0x9060
#define CXFW_REG_MCQI	0x9061
#define CXFW_REG_MCC	0x9062
#define CXFW_REG_MCDA	0x9063
#define CXFW_REG_MQIS	0x9064
#define CXFW_REG_MFRL	0x9028
#define CXFW_REG_MPIR	0x9059
#define CXFW_REG_MCAM	0x907f

#define CXFW_METHOD_GET	1
#define CXFW_METHOD_SET	2

/* What the firmware said, beside the errno. */
struct cxfw_reg_status {
	u32 icmd;	/* ICMD status, 0 ok */
	u32 reg;	/* register status, 0 ok */
};

/*
 * One register. data is big-endian dwords, request in and answer out; send and receive
 * are how many of its bytes go each way, multiples of 4. status may be NULL.
 * Errors: -EOPNOTSUPP no ICMD here, -EBUSY semaphore, -ETIMEDOUT, -EIO refused.
 */
int cxfw_reg(struct cxfw_device *device, u16 id, u8 method, __be32 *data, size_t send, size_t receive,
	     struct cxfw_reg_status *status);

/* Registers that user space may read through CXFW_IOC_REGISTER. */
bool cxfw_reg_readable(u16 id);

#endif /* CXFW_REG_H */
