/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few words of kernel that the driver's lower floors use, over kmod/cxsim/model.
 *
 * Time is the card's virtual clock: sleeps only move it. Two actors may share a card:
 * shim_actors() runs both and changes between them at every sleep and, by the seed, at
 * configuration accesses, so that every interleaving can come up and comes up again.
 */
#ifndef SHIM_H
#define SHIM_H

#include <linux/pci.h>
#include <linux/types.h>

#include "../../../kmod/cxsim/model/model.h"

struct shim {
	u64 seed;
	bool fatal_signal;		/* fatal_signal_pending() says so */
	void (*at_sleep)(void *context);	/* somebody else's turn; NULL: nobody */
	void (*at_access)(void *context);	/* before every configuration access of the driver */
	void *context;
	/* counted */
	u64 sleeps, slept;		/* ns */
	u64 config_locks;
	u64 longest_config_lock;	/* ns */
	u64 refused_config_locks;
};

extern struct shim shim;

void shim_reset(u64 seed);	/* counters, hooks and actors as at the start */

/* A card whose memory is the process's. The last one made gives the clock. NULL: why says. */
struct cxsim_card *shim_card(const struct cxsim_parameters *parameters, char *why);
/* One of several that live by one clock, which only sleeps and waits move: no other kind may be there. */
struct cxsim_card *shim_card_beside(const struct cxsim_parameters *parameters, char *why);
void shim_card_free(struct cxsim_card *card);

/* A function as the PCI core would have found it. */
struct pci_dev *shim_pci_dev(struct cxsim_card *card, unsigned int function);
void shim_pci_dev_free(struct pci_dev *pdev);

/* Runs both to their end. The calls below may come from either. */
void shim_actors(u64 seed, void (*first)(void *context), void *first_context,
		 void (*second)(void *context), void *second_context);
/* The same for up to so many. */
#define SHIM_ACTORS 8
struct shim_actor {
	void (*run)(void *context);
	void *context;
};
void shim_act(u64 seed, const struct shim_actor *who, int count);
void shim_yield(void);		/* the other actor's turn, if it wants one */

/* Configuration access of a user-space tool: waits while the driver holds the access lock. */
u32 shim_user_read(struct pci_dev *pdev, unsigned int where, unsigned int bytes);
void shim_user_write(struct pci_dev *pdev, unsigned int where, unsigned int bytes, u32 value);
void shim_user_sleep(u64 nanoseconds);

#endif /* SHIM_H */
