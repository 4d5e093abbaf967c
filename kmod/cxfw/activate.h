/* SPDX-License-Identifier: GPL-2.0-only */
/* Resets that start a burned image: device-access.md 4.4, 7. */
#ifndef CXFW_ACTIVATE_H
#define CXFW_ACTIVATE_H

#include <linux/types.h>

struct cxfw_card;
struct cxfw_device;

/* Whether the card knows one of the resets of enum cxfw_reset_level at all. Asks no hardware. */
bool cxfw_activate_offered(const struct cxfw_device *device);

/*
 * Resets the card and waits until it answers again. Refuses with why: -EBUSY a bound
 * function or a job, -EOPNOTSUPP a level that card or slot do not offer, -EPERM a card
 * that others use as well.
 */
int cxfw_card_activate(struct cxfw_card *card, u32 level, char *why);

#endif /* CXFW_ACTIVATE_H */
