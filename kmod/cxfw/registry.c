// SPDX-License-Identifier: GPL-2.0-only
/* Which PCI functions and which cards there are. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "card.h"
#include "job.h"
#include "netlink.h"

/* Guards the lists of functions and cards, their links to each other, and the next index. */
static DEFINE_MUTEX(registry_lock);
static LIST_HEAD(functions);
static LIST_HEAD(cards);
static u32 next_index = 1;

#define RETRY_AFTER	HZ	/* a troubled function is asked again at most so often */

u32 cxfw_card_next_index(void)
{
	u32 index;

	mutex_lock(&registry_lock);
	index = next_index++;
	mutex_unlock(&registry_lock);
	return index;
}

/* ---- functions ---- */

static void function_release(struct kref *kref)
{
	struct cxfw_function *function = container_of(kref, struct cxfw_function, kref);

	pci_dev_put(function->pdev);
	kfree(function);
}

void cxfw_function_put(struct cxfw_function *function)
{
	if (function)
		kref_put(&function->kref, function_release);
}


static struct cxfw_function *find_function(const struct pci_dev *pdev)
{
	struct cxfw_function *function;

	list_for_each_entry(function, &functions, node)
		if (function->pdev == pdev)
			return function;
	return NULL;
}

struct cxfw_function *cxfw_function_of(const struct pci_dev *pdev)
{
	struct cxfw_function *function;

	mutex_lock(&registry_lock);
	function = find_function(pdev);
	if (function)
		kref_get(&function->kref);
	mutex_unlock(&registry_lock);
	return function;
}

struct cxfw_function *cxfw_function_any(void)
{
	struct cxfw_function *function;

	mutex_lock(&registry_lock);
	function = list_first_entry_or_null(&functions, struct cxfw_function, node);
	if (function)
		kref_get(&function->kref);
	mutex_unlock(&registry_lock);
	return function;
}

/* A new function in the registry, or NULL: no memory, or it is there already. */
struct cxfw_function *cxfw_function_add(struct pci_dev *pdev, work_func_t identify)
{
	struct cxfw_function *function = kzalloc(sizeof(*function), GFP_KERNEL);

	if (!function)
		return NULL;
	kref_init(&function->kref);
	INIT_DELAYED_WORK(&function->identify, identify);
	INIT_LIST_HEAD(&function->sibling);
	function->state = CXFW_FUNCTION_WAITING;
	function->minor = -1;
	mutex_lock(&registry_lock);
	if (find_function(pdev)) {
		mutex_unlock(&registry_lock);
		kfree(function);
		return NULL;
	}
	function->pdev = pci_dev_get(pdev);
	list_add_tail(&function->node, &functions);
	mutex_unlock(&registry_lock);
	return function;
}

/* Called with the registry locked: nothing is queued once a function leaves. */
static void identify_again(struct cxfw_function *function, unsigned long delay)
{
	lockdep_assert_held(&registry_lock);
	if (!function->leaving)
		cxfw_pci_identify(function, delay);
}

void cxfw_function_retry(struct cxfw_function *function)
{
	mutex_lock(&registry_lock);
	identify_again(function, 0);
	mutex_unlock(&registry_lock);
}

/*
 * Gives the card that identification shall open: a new one, or the one that did not
 * answer last time. False: there is nothing to do (any more).
 */
bool cxfw_function_begin(struct cxfw_function *function, struct cxfw_card **card)
{
	struct cxfw_card *fresh = cxfw_card_new(function->pdev);
	bool wanted;

	mutex_lock(&registry_lock);
	wanted = fresh && !function->leaving && function->state != CXFW_FUNCTION_MANAGED;
	if (wanted && !function->card) {
		function->card = fresh;
		fresh = NULL;
	}
	*card = wanted ? cxfw_card_get(function->card) : NULL;
	mutex_unlock(&registry_lock);
	cxfw_card_put(fresh);
	return wanted;
}

/* A listed card of the same identity. Cloned flashes have one too: cxfw_card_is_same() tells. */
struct cxfw_card *cxfw_card_twin(const struct cxfw_card *card)
{
	struct cxfw_card *other, *found = NULL;

	if (!card->base_mac)
		return NULL;
	mutex_lock(&registry_lock);
	list_for_each_entry(other, &cards, node)
		if (other != card && other->base_mac == card->base_mac &&
		    other->identity_hw_id == card->identity_hw_id && !READ_ONCE(other->device.gone)) {
			found = cxfw_card_get(other);
			break;
		}
	mutex_unlock(&registry_lock);
	return found;
}

static void list_card(struct cxfw_card *card)
{
	struct cxfw_card *other;

	if (!list_empty(&card->node))
		return;
	list_for_each_entry(other, &cards, node)
		if (other->index > card->index)
			break;
	list_add_tail(&card->node, &other->node);
	cxfw_card_get(card);
}

static void unlist_card(struct cxfw_card *card)
{
	if (list_empty(&card->node))
		return;
	list_del_init(&card->node);
	cxfw_card_put(card);
}

/* The lowest device node number that no function has, or -1. */
static int free_minor(void)
{
	struct cxfw_function *function;
	int minor = 0;

again:
	list_for_each_entry(function, &functions, node)
		if (function->minor == minor) {
			minor++;
			goto again;
		}
	return minor < CXFW_MINORS ? minor : -1;
}

/*
 * Waits until nobody is inside the card: not long, since every access fails at once. Open
 * files and finished jobs may keep the card, but not its PCI device, whose bus may vanish.
 */
static void let_go(struct cxfw_card *card)
{
	struct pci_dev *pdev = card->device.pdev;

	/* Whoever entered before the card was marked as gone may start a job until the lock is ours. */
	mutex_lock(&card->lock);
	while (cxfw_job_runs(card, NULL)) {
		mutex_unlock(&card->lock);
		cxfw_job_wait(card);
		mutex_lock(&card->lock);
	}
	mutex_lock(&registry_lock);
	card->device.pdev = NULL;
	mutex_unlock(&registry_lock);
	mutex_unlock(&card->lock);
	pci_dev_put(pdev);
}

/*
 * Settles what a function is: joins it to the card, or to the one that shares its flash
 * (twin, may be NULL), or records why there is none.
 */
void cxfw_function_end(struct cxfw_function *function, struct cxfw_card *card, struct cxfw_card *twin,
		       enum cxfw_function_state state, int error, const char *why)
{
	struct cxfw_card *joined;
	int add = -1, remove = -1;
	bool announce = false;

	mutex_lock(&registry_lock);
	if (function->leaving || function->card != card) {
		mutex_unlock(&registry_lock);
		return;
	}
	/* It may have gone meanwhile: then this function carries a card of its own again. */
	if (twin && list_empty(&twin->node))
		twin = NULL;
	list_del_init(&function->sibling);
	if (twin || state == CXFW_FUNCTION_REFUSED) {
		unlist_card(card);
		function->card = twin ? cxfw_card_get(twin) : NULL;
		/* For files that were opened while it was in trouble. */
		WRITE_ONCE(card->device.gone, true);
		cxfw_card_put(card);	/* the function's; the caller has its own */
	}
	joined = function->card;
	if (joined) {
		list_card(joined);
		list_add_tail(&function->sibling, &joined->functions);
		announce = state == CXFW_FUNCTION_MANAGED && !joined->announced;
		joined->announced |= announce;
		cxfw_card_get(joined);
	}
	function->state = state;
	function->error = error;
	strscpy(function->why, why ? why : "", sizeof(function->why));
	function->tried = jiffies;
	if (joined && function->minor < 0) {
		add = free_minor();
		function->minor = add;
	} else if (!joined && function->minor >= 0) {
		remove = function->minor;
	}
	mutex_unlock(&registry_lock);

	if (joined != card)
		let_go(card);
	if (remove >= 0)
		cxfw_chardev_remove(remove);
	if (add >= 0 && cxfw_chardev_add(function->pdev, add))
		remove = add;
	if (remove >= 0) {
		mutex_lock(&registry_lock);
		function->minor = -1;
		mutex_unlock(&registry_lock);
	}
	if (announce)
		cxfw_event_card(CXFW_EVENT_CARD_ADDED, joined);
	cxfw_card_put(joined);
}

/* First half of going away: no new user finds the device, and those who talk to it fail. */
void cxfw_function_leave(struct cxfw_function *function)
{
	struct cxfw_card *card;

	mutex_lock(&registry_lock);
	function->leaving = true;
	card = function->card;
	if (card && card->device.pdev == function->pdev)
		WRITE_ONCE(card->device.gone, true);
	mutex_unlock(&registry_lock);
}

/*
 * Second half, when its identification does not run any more. A card that was reached
 * through another function stays; one that was reached through this goes, and its other
 * functions are identified anew.
 */
void cxfw_function_left(struct cxfw_function *function)
{
	struct cxfw_function *other, *next;
	struct cxfw_card *card;
	bool gone, announced = false;

	/* The number is free for others only when the node is gone. Nobody changes it any more. */
	if (function->minor >= 0)
		cxfw_chardev_remove(function->minor);
	mutex_lock(&registry_lock);
	list_del_init(&function->sibling);
	list_del_init(&function->node);
	card = function->card;
	function->card = NULL;
	gone = card && card->device.pdev == function->pdev;
	if (gone) {
		WRITE_ONCE(card->device.gone, true);
		unlist_card(card);
		announced = card->announced;
		list_for_each_entry_safe(other, next, &card->functions, sibling) {
			list_del_init(&other->sibling);
			other->card = NULL;
			other->state = CXFW_FUNCTION_WAITING;
			cxfw_card_put(card);
			identify_again(other, HZ / 5);
		}
	}
	mutex_unlock(&registry_lock);

	if (gone)
		let_go(card);
	if (announced)
		cxfw_event_card(CXFW_EVENT_CARD_REMOVED, card);
	cxfw_card_put(card);
	cxfw_function_put(function);	/* the registry's */
}

/* ---- finding a card ---- */

static struct cxfw_function *function_by_address(const char *address)
{
	struct cxfw_function *function;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &functions, node)
		if (!strcmp(pci_name(function->pdev), address)) {
			kref_get(&function->kref);
			mutex_unlock(&registry_lock);
			return function;
		}
	mutex_unlock(&registry_lock);
	return NULL;
}

/* An identification that has not ended, or ended in trouble some time ago, is waited for. */
static void settle(struct cxfw_function *function)
{
	bool ask_again, wait;

	mutex_lock(&registry_lock);
	ask_again = function->state == CXFW_FUNCTION_TROUBLED && !function->leaving &&
		    time_after(jiffies, function->tried + RETRY_AFTER);
	wait = ask_again || (function->state == CXFW_FUNCTION_WAITING && !function->leaving);
	if (ask_again)
		identify_again(function, 0);
	mutex_unlock(&registry_lock);
	if (wait)
		flush_delayed_work(&function->identify);
}

struct cxfw_card *cxfw_card_find(const char *address, char *why)
{
	struct cxfw_function *function = function_by_address(address);
	struct cxfw_card *card = NULL;
	int error = -ENODEV;

	if (!function)
		return ERR_PTR(cxfw_pci_refusal(address, why));
	settle(function);
	mutex_lock(&registry_lock);
	if (function->state == CXFW_FUNCTION_REFUSED) {
		error = function->error;
		strscpy(why, function->why, CXFW_WHY_LENGTH);
	} else if (function->leaving || !function->card || function->state == CXFW_FUNCTION_WAITING) {
		snprintf(why, CXFW_WHY_LENGTH, "%s has just been unplugged", address);
	} else {
		card = cxfw_card_get(function->card);
	}
	mutex_unlock(&registry_lock);
	cxfw_function_put(function);
	return card ? card : ERR_PTR(error);
}

struct cxfw_card *cxfw_card_by_minor(int minor)
{
	struct cxfw_function *function;
	struct cxfw_card *card = NULL;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &functions, node)
		if (function->minor == minor && function->card && !function->leaving)
			card = cxfw_card_get(function->card);
	mutex_unlock(&registry_lock);
	return card;
}

struct cxfw_card *cxfw_card_from(u32 index)
{
	struct cxfw_card *card, *found = NULL;

	mutex_lock(&registry_lock);
	list_for_each_entry(card, &cards, node)
		if (card->index >= index) {
			found = cxfw_card_get(card);
			break;
		}
	mutex_unlock(&registry_lock);
	return found;
}

unsigned int cxfw_card_function_count(struct cxfw_card *card)
{
	struct cxfw_function *function;
	unsigned int count = 0;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &card->functions, sibling)
		count++;
	mutex_unlock(&registry_lock);
	return count;
}

bool cxfw_card_given_away(struct cxfw_card *card, char *why)
{
	struct cxfw_function *function;
	bool given = false;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &card->functions, sibling) {
		given = cxfw_pci_given_away(function->pdev);
		if (!given)
			continue;
		if (why)
			snprintf(why, CXFW_WHY_LENGTH, CXFW_GIVEN_AWAY, pci_name(function->pdev),
				 dev_driver_string(&function->pdev->dev));
		break;
	}
	mutex_unlock(&registry_lock);
	return given;
}

void cxfw_card_list_functions(struct cxfw_card *card, struct cxfw_card_facts *facts)
{
	struct cxfw_function *function;
	unsigned int i = 0;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &card->functions, sibling) {
		if (i == CXFW_FUNCTIONS_MAX)
			break;
		strscpy(facts->functions[i].address, pci_name(function->pdev), CXFW_ADDRESS_LENGTH);
		facts->functions[i].pci_device = function->pdev->device;
		i++;
	}
	mutex_unlock(&registry_lock);
	facts->function_count = i;
}

unsigned int cxfw_card_pci_functions(struct cxfw_card *card, struct pci_dev **functions, unsigned int most)
{
	struct cxfw_function *function;
	unsigned int count = 0;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &card->functions, sibling)
		if (count < most)
			functions[count++] = pci_dev_get(function->pdev);
	mutex_unlock(&registry_lock);
	return count;
}

/* Its functions are identified anew. */
void cxfw_card_retry(struct cxfw_card *card)
{
	struct cxfw_function *function;

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &card->functions, sibling) {
		function->state = CXFW_FUNCTION_WAITING;	/* whoever asks next waits for the result */
		identify_again(function, 0);
	}
	mutex_unlock(&registry_lock);
}
