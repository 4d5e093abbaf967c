/* SPDX-License-Identifier: GPL-2.0-only */
/* Components of running firmware: status, information, update [4.2]. Register statuses are [3.2]. */
#ifndef CXSIM_MCC_H
#define CXSIM_MCC_H

#include "os.h"

struct cxsim_card;

#define CXSIM_REG_UNSUPPORTED	4
#define CXSIM_REG_CLASS		5
#define CXSIM_REG_METHOD	6
#define CXSIM_REG_BAD_PARAMETER	7
#define CXSIM_REG_NOT_AVAILABLE	8
#define CXSIM_REG_TOO_SMALL	0x24

#define CXSIM_BOOT_IMAGE	0	/* index of the component */
/* Bytes of the largest boot image that the firmware takes. */
u32 cxsim_component_most(struct cxsim_card *card);

/* Each turns the register into its answer and gives the register status. */
u32 cxsim_mcqs(struct cxsim_card *card, u32 *reg);
u32 cxsim_mcqi(struct cxsim_card *card, u32 *reg);
u32 cxsim_mcc(struct cxsim_card *card, u32 *reg, bool set);
u32 cxsim_mcda(struct cxsim_card *card, u32 *reg, u32 room, bool set);	/* room: dwords behind reg */

/* CXSIM_MCC_OWNER was set: another owner comes, or goes. */
void cxsim_mcc_owner_changes(struct cxsim_card *card);

/* The image at a flash address is what the next reset starts. */
void cxsim_mcc_pends(struct cxsim_card *card, u32 address);

#endif /* CXSIM_MCC_H */
