/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry: PCI functions that may lead to a card, and the cards behind them.
 *
 * Functions that share a flash are one card, told by device identity (hardware id and
 * manufacturing base MAC of MGIR), not by slot.
 *
 * Locks, outermost first; none is taken while holding one that stands further down:
 *   cxfw_file.lock	guards an open file's stage (chardev.c)
 *   cxfw_card.lock	guards the card's device and everything marked so below
 *   registry lock	guards which functions and cards there are (card.c)
 *   jobs lock		guards jobs and cxfw_card.job (job.c)
 *   events lock	orders events (event.c)
 * The PCI bus notifier takes no card lock but when a device goes away, to wait until
 * nobody talks to it any more; that wait is short, since gone fails every access at once.
 */
#ifndef CXFW_CARD_H
#define CXFW_CARD_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "device.h"

#define CXFW_ADDRESS_LENGTH	24	/* bytes of a PCI address as text, NUL included */
#define CXFW_FUNCTIONS_MAX	16	/* of one card, as reported */
#define CXFW_MINORS		1024

#define CXFW_GIVEN_AWAY	"%s is bound to %s: it belongs to a virtual machine or another program, and is left alone"

struct cxfw_job;

struct cxfw_card {
	struct kref kref;
	u32 index;			/* rises with every card; never reused while the module is loaded */
	char address[CXFW_ADDRESS_LENGTH];	/* of the function through which it is reached */
	u32 identity_hw_id;		/* with base_mac what tells cards apart; set before the card is listed */
	u64 base_mac;			/* 0: unknown */
	bool announced;			/* registry lock: CARD_ADDED was sent */
	struct list_head node;		/* registry lock: listed cards, by rising index */
	struct list_head functions;	/* registry lock: struct cxfw_function.sibling */
	struct cxfw_job *job;		/* jobs lock: the running one */

	struct mutex lock;		/* guards all that follows */
	struct cxfw_device device;	/* its pdev is NULL once the card has gone */
	bool opened;
	bool resetting;			/* by CXFW_CMD_ACTIVATE, which does not hold the lock meanwhile */
	int open_error;
	u32 boot_component;		/* 1 + index of BOOT_IMG among the components; 0: not looked for yet */
	char stale[CXFW_WHY_LENGTH];	/* a semaphore found taken when the card was found; empty when none */
};

enum cxfw_function_state {
	CXFW_FUNCTION_WAITING,		/* identification has not ended yet */
	CXFW_FUNCTION_MANAGED,
	CXFW_FUNCTION_TROUBLED,		/* may be a card, but does not answer as one now */
	CXFW_FUNCTION_REFUSED,		/* left alone, for good reasons */
};

struct cxfw_function {
	struct kref kref;
	struct pci_dev *pdev;		/* referenced */
	struct delayed_work identify;
	/* the registry lock guards what follows */
	struct list_head node;
	struct list_head sibling;	/* in cxfw_card.functions */
	struct cxfw_card *card;		/* referenced; being opened while the state is WAITING */
	enum cxfw_function_state state;
	bool leaving;			/* its PCI device goes away */
	int error;			/* TROUBLED, REFUSED */
	char why[CXFW_WHY_LENGTH];
	unsigned long tried;		/* jiffies when identification last ended */
	int minor;			/* -1: no device node */
	/* pci.c: identification itself, and whoever has cancelled it */
	bool counted;			/* the first one has ended */
};

/* What CARD_GET tells. No flash access. */
struct cxfw_card_facts {
	u64 capabilities;
	u32 index;
	u32 state, family, gateway;
	u32 hw_id, hw_revision;
	bool identified, generic;
	char psid[17];
	bool running_valid, stored_valid;
	u32 running[3], stored[3];
	char trouble[CXFW_WHY_LENGTH];
	unsigned int function_count;
	struct {
		char address[CXFW_ADDRESS_LENGTH];
		u32 pci_device;
	} functions[CXFW_FUNCTIONS_MAX];
};

struct cxfw_card *cxfw_card_get(struct cxfw_card *card);
void cxfw_card_put(struct cxfw_card *card);

/*
 * The card behind a PCI address, referenced; an ERR_PTR with why (CXFW_WHY_LENGTH bytes)
 * when there is none. May wait for an identification.
 */
struct cxfw_card *cxfw_card_find(const char *address, char *why);
struct cxfw_card *cxfw_card_by_minor(int minor);
/* The listed card with the smallest index that is at least this; NULL at the end. */
struct cxfw_card *cxfw_card_from(u32 index);
unsigned int cxfw_card_function_count(struct cxfw_card *card);

/*
 * Between enter and leave the caller holds card->lock and may talk to the card: it is
 * there, opened, awake, and not given to a virtual machine. why may be NULL.
 */
int cxfw_card_enter(struct cxfw_card *card, char *why);
int cxfw_card_enter_locked(struct cxfw_card *card);
void cxfw_card_leave(struct cxfw_card *card);
/* Do two cards share their flash? Asked of the hardware. */
bool cxfw_card_is_same(struct cxfw_card *card, struct cxfw_card *twin);
/* Is one of its functions bound to vfio-pci or its like? Names it in why. */
bool cxfw_card_given_away(struct cxfw_card *card, char *why);

int cxfw_card_facts(struct cxfw_card *card, struct cxfw_card_facts *facts);
u64 cxfw_card_capabilities(const struct cxfw_card *card);
int cxfw_card_semaphore_clear(struct cxfw_card *card, enum cxfw_semaphore semaphore, u32 value, char *why);

struct cxfw_card *cxfw_card_new(struct pci_dev *pdev);
int cxfw_card_open(struct cxfw_card *card, char *why);
void cxfw_card_look_for_stale_locks(struct cxfw_card *card);
void cxfw_card_read_identity(struct cxfw_card *card);
bool cxfw_card_has_registers(const struct cxfw_card *card);

/* registry.c */
u32 cxfw_card_next_index(void);
void cxfw_card_list_functions(struct cxfw_card *card, struct cxfw_card_facts *facts);
/* PCI devices of its functions, referenced; how many. */
unsigned int cxfw_card_pci_functions(struct cxfw_card *card, struct pci_dev **functions, unsigned int most);
void cxfw_card_retry(struct cxfw_card *card);
struct cxfw_card *cxfw_card_twin(const struct cxfw_card *card);		/* referenced, or NULL */
struct cxfw_function *cxfw_function_add(struct pci_dev *pdev, work_func_t identify);
void cxfw_function_retry(struct cxfw_function *function);
struct cxfw_function *cxfw_function_of(const struct pci_dev *pdev);	/* referenced, or NULL */
struct cxfw_function *cxfw_function_any(void);				/* the same */
void cxfw_function_put(struct cxfw_function *function);
bool cxfw_function_begin(struct cxfw_function *function, struct cxfw_card **card);
void cxfw_function_end(struct cxfw_function *function, struct cxfw_card *card, struct cxfw_card *twin,
		       enum cxfw_function_state state, int error, const char *why);
void cxfw_function_leave(struct cxfw_function *function);
void cxfw_function_left(struct cxfw_function *function);

/* pci.c */
int cxfw_pci_start(void);
void cxfw_pci_stop(void);
void cxfw_pci_identify(struct cxfw_function *function, unsigned long delay);
/* Why a PCI address has no managed card: an errno, with why. */
int cxfw_pci_refusal(const char *address, char *why);
bool cxfw_pci_given_away(struct pci_dev *pdev);
bool cxfw_pci_absent(struct pci_dev *pdev);

#endif /* CXFW_CARD_H */
