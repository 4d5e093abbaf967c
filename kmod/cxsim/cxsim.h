/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Linux side of the simulated cards: each card sits in a slot of its own, below a
 * host bridge of its own, so that cards come and go without touching each other.
 */
#ifndef CXSIM_H
#define CXSIM_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "model/model.h"

#define CXSIM_FUNCTIONS		8
#define CXSIM_WHY		160	/* room that the model wants for a reason */

/* One number that debugfs shows as a file: a setting or a counter of a slot. */
struct cxsim_value {
	struct cxsim_slot *slot;
	unsigned int index;
};

/* What user space asks for: a card, and how it is plugged in. */
struct cxsim_wanted {
	struct cxsim_parameters card;
	bool root_port;			/* a root port above the card, which is on bus 1 then */
	const char *twin;		/* number of the slot whose card this second host shares; NULL: none */
};

/*
 * Locks, outermost first: slot->lock (the owner's, then the second host's),
 * pci_lock_rescan_remove(), the PCI core's pci_lock, the owner's slot->access. The last one
 * guards the model in configuration accesses, which come with interrupts off. What takes
 * the model longer (a power cycle, which checks images) runs without it, while the
 * owner's slot->away keeps accesses out: they see no card.
 */
struct cxsim_slot {
	struct list_head list;		/* under cxsim_slots_lock */
	unsigned int number;
	struct cxsim_slot *owner;	/* whose card it is: this slot itself, or the first host's */
	struct cxsim_slot *second;	/* the second host's slot, or NULL; of an owner, under its lock */
	bool root_port;
	struct mutex lock;		/* what happens to the slot, one thing at a time */
	bool gone;			/* taken off the list; under lock */
	struct cxsim_value settings[CXSIM_SETTINGS];
	struct cxsim_value counters[CXSIM_COUNTERS];
	struct dentry *directory;

	struct cxsim_card *card;	/* the owner's */
	raw_spinlock_t access;		/* use that of the owner; away too */
	bool away;
	u32 generation;			/* of the functions that the bus shows */
	bool pulled;			/* by a hand or by unplug_after: the bus shows no function */

	struct work_struct follow;	/* the bus follows the model */

	/* bridge.c */
	struct pci_host_bridge *bridge;
	bool keep_empty;		/* the buses are made: there is no card on them yet */
	struct pci_bus *root;
	struct pci_bus *bus;		/* that the card is on: the root bus, or the one below the root port */
	struct pci_sysdata sysdata;
	struct resource bus_numbers;
	struct pci_dev *physical;	/* what virtual functions belong to */
	struct completion released;	/* nobody can reach the bus any more */
};

/* main.c */
extern struct workqueue_struct *cxsim_queue;
extern struct device *cxsim_root;

/* slot.c */
extern struct mutex cxsim_slots_lock;
extern struct list_head cxsim_slots;

struct cxsim_slot *cxsim_slot_create(const struct cxsim_wanted *wanted, char *why);
int cxsim_slot_remove(unsigned int number);
void cxsim_slot_remove_all(void);
int cxsim_slot_power(struct cxsim_slot *slot);
int cxsim_slot_reset(struct cxsim_slot *slot, enum cxsim_reset kind);
int cxsim_slot_unplug(struct cxsim_slot *slot, unsigned int milliseconds);
int cxsim_slot_plug(struct cxsim_slot *slot);
unsigned int cxsim_slot_domain(const struct cxsim_slot *slot);
unsigned int cxsim_slot_bus(const struct cxsim_slot *slot);	/* number of the card's bus */
unsigned int cxsim_slot_host(const struct cxsim_slot *slot);	/* 0, or 1: the second */

/* bridge.c: all under slot->lock */
int cxsim_bridge_register(struct cxsim_slot *slot);
void cxsim_bridge_unregister(struct cxsim_slot *slot);
void cxsim_bridge_populate(struct cxsim_slot *slot);
void cxsim_bridge_empty(struct cxsim_slot *slot, bool surprise);
int cxsim_bridge_init(void);
void cxsim_bridge_exit(void);

/* parameters.c: text is cut into pieces, what is wanted points into it */
int cxsim_parameters_parse(char *text, struct cxsim_wanted *wanted, char *why);

/* control.c */
void cxsim_control_init(void);
void cxsim_control_exit(void);
void cxsim_control_add(struct cxsim_slot *slot);
void cxsim_control_remove(struct cxsim_slot *slot);

#endif /* CXSIM_H */
