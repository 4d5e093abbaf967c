/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firmware that was burned and does not run yet: one small file a card, pending/ADDRESS.json in the state
 * directory. It outlives a reboot, so that what a reset or a reboot was to bring can be compared with what
 * it brought.
 */
#ifndef CXCTL_PENDING_H
#define CXCTL_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/error.h"

struct options;

/* How deep a restart goes, from the mildest on. */
enum activate_level {
	LEVEL_NONE,
	LEVEL_LIVE_PATCH,	/* MFRL level 0: nothing goes down */
	LEVEL_DEVLINK,		/* the bound driver does it: devlink reload, action fw_activate */
	LEVEL_LINK,		/* MFRL level 3 and the PCIe link above the card */
	LEVEL_CHIP,		/* mlx4: the chip's reset register */
	LEVEL_REBOOT,
	LEVEL_POWER_CYCLE,	/* the slot loses its power */
	LEVELS,
};

struct pending {
	char card[16];		/* "0000:03:00.0": any function of the card */
	char psid[17];		/* of the new firmware; may be empty */
	char from_psid[17];	/* of the old, where the burn changes it; else empty */
	uint32_t hw_id;		/* of the chip; 0: unknown */
	char serial[64];	/* of the card's VPD; may be empty */
	char from[24], to[24];	/* versions, "2.9.1000": what ran, what was burned; from may be empty */
	char boot_id[40];	/* of the boot in which this was written */
	char time[32];
	uint32_t tried;		/* bit n: level n was done and changed nothing */
	enum activate_level waits;	/* what the user was asked for; LEVEL_NONE: nothing yet */
};

/*
 * After a burn that ended well: remembers what shall run, as the members from card to to say; the serial
 * number is asked of the card. Never fails a burn: -1 with *error is for a warning. Whatever stood there
 * before is replaced.
 */
int pending_burned(const struct pending *burned, struct cxctl_error *error);

/* 1: there is one; 0: none, or it cannot be read; -1 with *error: the file is damaged. */
int pending_read(const char *card, struct pending *pending, struct cxctl_error *error);
/*
 * The same of the card that stands there now, psid NULL and hw_id 0: unknown. The record of another card is
 * none, and -v says so. Reads the VPD where the record has a serial number.
 */
int pending_read_of(const char *card, const char *psid, uint32_t hw_id, const struct options *options,
		    struct pending *pending, struct cxctl_error *error);
/* Nothing that is known of both is against it. */
bool pending_is_of(const struct pending *pending, const char *psid, uint32_t hw_id, const char *serial);
/* The serial number in the card's VPD; empty: it has none, or it cannot be read. */
void pending_serial(const char *card, char *text, size_t room);
int pending_write(struct pending *pending, struct cxctl_error *error);	/* boot_id and time become now's */
void pending_forget(const char *card);
/* Each record that there is, in order of address. The callback returns 0 to go on. */
void pending_each(int (*callback)(const struct pending *pending, void *data), void *data);

/*
 * Does it still wait? running is what the card says, NULL: unknown. With the same version before and after,
 * only a restart of the machine tells.
 */
bool pending_waits(const struct pending *pending, const char *running);
/* "16.35.4030" and "16.35.04030" are one version. */
bool version_same(const char *a, const char *b);
/* The machine was started again since. */
bool pending_rebooted(const struct pending *pending);

/* The value of "pending_action": "activate", "reboot", "power-cycle". */
const char *pending_action(const struct pending *pending);

const char *activate_level_name(enum activate_level level);	/* "link-toggle": stable, English */
int activate_level_by_name(const char *name);			/* -1: none of that name */

#endif /* CXCTL_PENDING_H */
