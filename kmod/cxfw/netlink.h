/* SPDX-License-Identifier: GPL-2.0-only */
/* The front: generic netlink, its events, the character device and staging. */
#ifndef CXFW_NETLINK_H
#define CXFW_NETLINK_H

#include <linux/fs.h>
#include <net/genetlink.h>

#include "card.h"
#include "job.h"

/* Module parameter burn. May a plan of these flags (CXFW_PLAN_*) be run? -EPERM with why. */
int cxfw_burn_allowed(u32 flags, char *why);
/* A component is updated only where the firmware insists on a signature. */
bool cxfw_burn_signed_only(void);

/* netlink.c */
extern struct genl_family cxfw_family;
int cxfw_netlink_start(void);
void cxfw_netlink_stop(void);
int cxfw_put_job(struct sk_buff *skb, const struct cxfw_job_facts *facts);

/* event.c. Nothing secret goes in: old kernels let anybody listen. */
void cxfw_event_card(enum cxfw_event_kind kind, const struct cxfw_card *card);
void cxfw_event_job(enum cxfw_event_kind kind, const struct cxfw_job_facts *facts);

/* chardev.c */
int cxfw_chardev_start(void);
void cxfw_chardev_stop(void);
int cxfw_chardev_add(struct pci_dev *pdev, int minor);
void cxfw_chardev_remove(int minor);
/* Starts the burn that the caller's open file holds staged: its process, this card, this digest. */
int cxfw_chardev_burn(u32 descriptor, struct cxfw_card *card, const u8 digest[32], u64 *id, char *why);

/* stage.c */
struct cxfw_held_stage *cxfw_stage_make(const struct cxfw_stage *head, u32 room, char *why);
void cxfw_stage_free(struct cxfw_held_stage *stage);

/* lockdown.c */
int cxfw_flash_content_allowed(char *why);

#endif /* CXFW_NETLINK_H */
