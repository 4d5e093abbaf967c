/* SPDX-License-Identifier: GPL-2.0-only */
/* The boot ROM: finds an image in the flash, checks it, and says what its firmware is. */
#ifndef CXSIM_BOOT_H
#define CXSIM_BOOT_H

#include "os.h"
#include "model.h"

struct cxsim_facts;

/*
 * Boots by CXSIM_BOOT_POLICY: fills card->boot and card->facts. The boot address register
 * is taken from cxsim_boot_register_address(), so power-on clears it before.
 */
void cxsim_boot_run(struct cxsim_card *card);

/*
 * The image at a physical address: true when every CRC is right. magic_hidden takes its
 * first 16 bytes as the magic although they are still 0xff. boot and facts hold what
 * could be read even when it is not whole.
 */
bool cxsim_image_look(struct cxsim_card *card, u32 address, bool magic_hidden, struct cxsim_boot *boot,
		      struct cxsim_facts *facts);

/* The same, and the first thing that is wrong (160 bytes; "" when nothing is; NULL: not asked). */
bool cxsim_image_check(struct cxsim_card *card, u32 address, bool magic_hidden, struct cxsim_boot *boot,
		       struct cxsim_facts *facts, char *why);

/* Physical address of slot 0 or 1, by the geometry of what runs, else the model's. */
u32 cxsim_image_slot(struct cxsim_card *card, unsigned int slot);

/*
 * FS3's table names the card's own data: in the image at that address, the entries of what
 * runs. Other formats need nothing. False: power is gone.
 */
bool cxsim_image_adopt(struct cxsim_card *card, u32 address);

/* Magic on, the other one off, as firmware does at the end of an update. False: power is gone. */
bool cxsim_image_activate(struct cxsim_card *card, u32 address);

#endif /* CXSIM_BOOT_H */
