/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan of flash writes, checked and run. The grammar keeps one promise against a buggy
 * or malicious client: there is a whole bootable image at every instant.
 */
#ifndef CXFW_PLAN_H
#define CXFW_PLAN_H

#include <linux/types.h>

#include "../uapi/cxfw.h"

struct cxfw_device;

struct cxfw_plan {
	struct cxfw_stage head;		/* pointers in it are not used */
	struct cxfw_segment *segments;
	u8 *image;
};

/* How a running plan talks to its job. Called with the card's mutex held. */
struct cxfw_plan_watch {
	/*
	 * Progress of a phase in bytes. May drop and take the card's mutex. At a safe boundary
	 * (may_stop) a nonzero answer (-ECANCELED, -ESHUTDOWN) ends the plan with it.
	 */
	int (*progress)(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
			bool may_stop);
	u64 skipped;			/* bytes that already were right */
};

/* CXFW_CAP_BURN_FS* and CXFW_CAP_DEVICE_DATA: what this card's chip takes. Asks no hardware. */
u64 cxfw_plan_capabilities(const struct cxfw_device *device);

/* The grammar, without the card: -EINVAL with why (CXFW_WHY_LENGTH bytes). */
int cxfw_plan_check(const struct cxfw_plan *plan, char *why);

/* Runs it; takes and gives back the flash lock. device->why says what went wrong. */
int cxfw_plan_run(struct cxfw_device *device, const struct cxfw_plan *plan, struct cxfw_plan_watch *watch);

#endif /* CXFW_PLAN_H */
