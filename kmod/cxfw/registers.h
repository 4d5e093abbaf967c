/* SPDX-License-Identifier: GPL-2.0-only */
/* Access registers inside of an ICMD session (icmd.h): several in one hold. */
#ifndef CXFW_REGISTERS_H
#define CXFW_REGISTERS_H

#include <linux/types.h>

#include "reg.h"

/* Sends words of a register of length bytes. The answer stands in the mailbox. */
int cxfw_reg_send(struct cxfw_device *device, u16 id, u8 method, u32 length, const u32 *words,
		  unsigned int count, struct cxfw_reg_status *status);
/* Words of the answer, from byte offset of the register on. */
int cxfw_reg_receive(struct cxfw_device *device, u32 offset, u32 *words, unsigned int count);

#endif /* CXFW_REGISTERS_H */
