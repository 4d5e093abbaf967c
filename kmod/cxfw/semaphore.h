/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The card's semaphores: device-access.md 3.1 (owner value in space 0xa) and 3.3, 5.3
 * (a read of a free one takes it).
 *
 * take is called outside of the gateway and returns inside of it when it succeeds.
 * Nothing is held while it waits.
 */
#ifndef CXFW_SEMAPHORE_H
#define CXFW_SEMAPHORE_H

#include <linux/types.h>

#include "../uapi/cxfw.h"

struct cxfw_device;

#define CXFW_ICMD_SEMAPHORE		0x0	/* space 0xa */
#define CXFW_FLASH_ICMD_SEMAPHORE	0x10	/* space 0xa */
#define CXFW_FLASH_HCR_SEMAPHORE	0xf03a0	/* CR, mlx4 */
#define CXFW_FLASH_GATEWAY_SEMAPHORE	0xf03fc	/* CR, mlx4 */

struct cxfw_wait {
	enum cxfw_semaphore semaphore;
	unsigned int timeout_ms;
	unsigned int interval_us;
};

int cxfw_owner_take(struct cxfw_device *device, u32 address, const struct cxfw_wait *wait);
/* Inside of the gateway. Gives back only what is ours. */
int cxfw_owner_give(struct cxfw_device *device, u32 address);

/* A CR dword whose read sets the bits of mask, and that was free when they read 0. */
int cxfw_latch_take(struct cxfw_device *device, u32 address, u32 mask, const struct cxfw_wait *wait);

const char *cxfw_semaphore_name(enum cxfw_semaphore semaphore);

#endif /* CXFW_SEMAPHORE_H */
