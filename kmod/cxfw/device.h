/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One card as the hardware floors see it: gateway, command, flash, burn.
 *
 * These floors know no netlink, no files and no other card. They compile in user space
 * as well (selftests/unit/shim), which is how they are tested against cxsim/model.
 * Whoever calls them holds the card's mutex; everything in here is guarded by it, but
 * for gone, which anybody may set.
 */
#ifndef CXFW_DEVICE_H
#define CXFW_DEVICE_H

#include <linux/compiler.h>
#include <linux/pci.h>
#include <linux/types.h>

#include "../uapi/cxfw.h"
#include "chips.h"
#include "flash.h"
#include "gateway.h"

/* What the firmware was asked about, once. */
enum cxfw_offer {
	CXFW_OFFER_UNKNOWN,
	CXFW_OFFER_NO,
	CXFW_OFFER_YES,
};

struct cxfw_device {
	const struct cxfw_chip *chip;	/* NULL: an id that the table does not have, reached by its VSC */
	struct cxfw_gateway gateway;
	struct cxfw_flash flash;
	u32 hw_id;			/* CR 0xf0014 bits 15:0 */
	u32 hw_revision;		/* CR 0xf0014 bits 23:16 */
	bool recovery;			/* booted without firmware */
	bool finishing;			/* locks are being given back: neither a signal nor gone keeps us from it */
	u32 owner;			/* what our semaphores of space 0xa hold; unique, never 0 */
	u32 icmd_mailbox_bytes;		/* 3:0x1000, read at first use */
	u32 icmd_pause_us;		/* how long the next command is slept for before the first look */
	u32 icmd_took_us, icmd_polls;	/* by the last one */
	enum cxfw_offer components;	/* does the firmware offer them: component.h */
	u32 mcc_error;			/* error code of MCC behind the last failure of an update; 0: none */
	u32 semaphore;			/* enum cxfw_semaphore that the last failure waited for, or NONE */
	u32 semaphore_value;
	char why[CXFW_WHY_LENGTH];	/* the last failure in words */
	/* Looked at, and set, by those who hold another lock: cxfw_device_open() leaves them as they are. */
	struct pci_dev *pdev;		/* function through which the card is reached; referenced by the owner */
	bool gone;			/* unplugged: every access fails with -ENODEV at once */
};

/*
 * Finds the way to the card and reads its identity. Writes to nothing but the card's own
 * gateway, and to that only on functions whose structure or listed id says that it is
 * one. Errors: -ENODEV not a card or absent, -EOPNOTSUPP a virtual function or no way in,
 * -EBUSY a semaphore, -EIO anything that does not answer as it should; why says which.
 */
int cxfw_device_open(struct cxfw_device *device, struct pci_dev *pdev);
void cxfw_device_close(struct cxfw_device *device);

/* Remembers the text and returns error, so that callers write return cxfw_fail(...). */
__printf(3, 4) int cxfw_fail(struct cxfw_device *device, int error, const char *format, ...);

/* The same, after a wait for a semaphore that held value. */
__printf(5, 6) int cxfw_fail_semaphore(struct cxfw_device *device, int error, enum cxfw_semaphore semaphore,
				       u32 value, const char *format, ...);

/* Sleeps about so long. -EINTR when a fatal signal is pending, -ENODEV when the card is gone. */
int cxfw_sleep(struct cxfw_device *device, unsigned int microseconds);

/* -ENODEV when the function reads all-ones, else 0. */
int cxfw_device_present(struct cxfw_device *device);

/* Clears one semaphore if it still holds value: -ESTALE when it does not. */
int cxfw_semaphore_clear(struct cxfw_device *device, enum cxfw_semaphore semaphore, u32 value);

/* Running firmware's version: CR 0x1f064 on mlx4, MGIR on mlx5. date is 0xYYYYMMDD in BCD or 0. */
int cxfw_running_version(struct cxfw_device *device, u32 version[3], u32 *date);

#endif /* CXFW_DEVICE_H */
