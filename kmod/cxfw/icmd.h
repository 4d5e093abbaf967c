/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The firmware's command mailbox: device-access.md 3.1.
 *
 * enter takes the ICMD semaphore and returns inside of the gateway; any number of
 * commands may follow until leave, with a look at cxfw_gateway_due() between them.
 */
#ifndef CXFW_ICMD_H
#define CXFW_ICMD_H

#include <linux/types.h>

struct cxfw_device;

#define CXFW_ICMD_MAILBOX	0x100000	/* space 3 */
#define CXFW_ICMD_REGISTER	0x9001		/* opcode: access register */

int cxfw_icmd_enter(struct cxfw_device *device);
/* error is what happened between: it is returned, else what leaving says. */
int cxfw_icmd_leave(struct cxfw_device *device, int error);

/* Runs what stands in the mailbox. *status: the command's status, valid when the answer is 0 or -EIO. */
int cxfw_icmd_run(struct cxfw_device *device, u16 opcode, u32 *status);

#endif /* CXFW_ICMD_H */
