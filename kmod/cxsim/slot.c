// SPDX-License-Identifier: GPL-2.0-only
/* Slots: where cards are plugged in, powered, reset and pulled out. */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "cxsim.h"

static unsigned int domain = 0x1000;
module_param(domain, uint, 0444);
MODULE_PARM_DESC(domain, "PCI domain of card 0; card N has domain + N (default 0x1000)");

/* mstflint finds no device above this. */
#define DOMAIN_MAX	0xffff

/* One card is made or removed at a time. */
DEFINE_MUTEX(cxsim_slots_lock);
LIST_HEAD(cxsim_slots);

static void *model_alloc(size_t bytes)
{
	return kvzalloc(bytes, GFP_KERNEL);
}

static void model_free(void *memory)
{
	kvfree(memory);
}

static u64 model_now(void *context)
{
	return ktime_get_ns();
}

static const struct cxsim_host model_host = {
	.alloc = model_alloc,
	.free = model_free,
	.now = model_now,
};

unsigned int cxsim_slot_domain(const struct cxsim_slot *slot)
{
	return domain + slot->number;
}

unsigned int cxsim_slot_bus(const struct cxsim_slot *slot)
{
	return slot->root_port;
}

unsigned int cxsim_slot_host(const struct cxsim_slot *slot)
{
	return slot->owner != slot;
}

/* Between these two the functions answer all-ones and the model is the caller's alone. */
static void keep_away(struct cxsim_slot *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	slot->owner->away = true;
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
}

static void let_in(struct cxsim_slot *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	slot->owner->away = false;
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
}

/* The bus shows what the model has become. */
static void follow_model(struct cxsim_slot *slot)
{
	unsigned long flags;
	bool moved, pulled_now;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	pulled_now = cxsim_is_unplugged(slot->card) && !slot->pulled;
	slot->pulled = cxsim_is_unplugged(slot->card);
	moved = cxsim_generation(slot->card) != slot->generation;
	slot->generation = cxsim_generation(slot->card);
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);

	if (pulled_now) {
		cxsim_bridge_empty(slot, true);
	} else if (moved && !slot->pulled) {
		cxsim_bridge_empty(slot, false);
		cxsim_bridge_populate(slot);
	}
}

static void follow_work(struct work_struct *work)
{
	struct cxsim_slot *slot = container_of(work, struct cxsim_slot, follow);

	mutex_lock(&slot->lock);
	if (!slot->gone && slot->bus)
		follow_model(slot);
	mutex_unlock(&slot->lock);
}

static struct cxsim_slot *find_slot(unsigned int number)
{
	struct cxsim_slot *slot;

	list_for_each_entry(slot, &cxsim_slots, list)
		if (slot->number == number)
			return slot;
	return NULL;
}

static struct cxsim_slot *slot_alloc(void)
{
	struct cxsim_slot *slot = kzalloc(sizeof(*slot), GFP_KERNEL);

	if (!slot)
		return NULL;
	while (find_slot(slot->number))
		slot->number++;
	mutex_init(&slot->lock);
	raw_spin_lock_init(&slot->access);
	INIT_WORK(&slot->follow, follow_work);
	return slot;
}

/* The card of a slot of its own. */
static int make_card(struct cxsim_slot *slot, const struct cxsim_parameters *wanted, char *why)
{
	struct cxsim_parameters parameters = *wanted;

	/* GUIDs follow from the seed: cards that name neither must still be different cards. */
	if (!parameters.seed)
		parameters.seed = slot->number + 1;
	slot->owner = slot;
	slot->card = cxsim_card_create(&parameters, &model_host, why);
	return slot->card ? 0 : -EINVAL;
}

/* The second host of a card that is there: the same flash, the same firmware. */
static int share_card(struct cxsim_slot *slot, const char *twin, char *why)
{
	struct cxsim_slot *owner = NULL;
	unsigned int number;

	if (!kstrtouint(twin, 0, &number))
		owner = find_slot(number);
	if (!owner || owner->owner != owner || owner->second) {
		scnprintf(why, CXSIM_WHY, "twin=%.20s: no card there that could have a second host", twin);
		return -EINVAL;
	}
	slot->owner = owner;
	slot->card = owner->card;
	mutex_lock(&owner->lock);
	keep_away(owner);
	cxsim_second_host(owner->card, true);
	slot->generation = cxsim_generation(slot->card);
	slot->pulled = owner->pulled;
	owner->second = slot;
	let_in(owner);
	mutex_unlock(&owner->lock);
	return 0;
}

/* The opposite of both. Nobody accesses the slot's bus any more. */
static void leave_card(struct cxsim_slot *slot)
{
	struct cxsim_slot *owner = slot->owner;

	if (owner == slot) {
		cxsim_card_destroy(slot->card);
		return;
	}
	mutex_lock(&owner->lock);
	keep_away(owner);
	owner->second = NULL;
	cxsim_second_host(owner->card, false);
	let_in(owner);
	mutex_unlock(&owner->lock);
	cancel_work_sync(&slot->follow);
}

static struct cxsim_slot *create_locked(const struct cxsim_wanted *wanted, char *why)
{
	struct cxsim_slot *slot = slot_alloc();
	int ret = -EINVAL;

	if (!slot)
		return ERR_PTR(-ENOMEM);
	slot->root_port = wanted->root_port;
	if (cxsim_slot_domain(slot) > DOMAIN_MAX) {
		scnprintf(why, CXSIM_WHY,
			  "no PCI domain left: card %u would be domain 0x%x, the last is 0x%x",
			  slot->number, cxsim_slot_domain(slot), DOMAIN_MAX);
		goto free;
	}
	ret = wanted->twin ? share_card(slot, wanted->twin, why) : make_card(slot, &wanted->card, why);
	if (ret)
		goto free;
	ret = cxsim_bridge_register(slot);
	if (ret) {
		scnprintf(why, CXSIM_WHY, "the PCI core refused domain %04x (error %d)",
			  cxsim_slot_domain(slot), ret);
		goto leave;
	}
	mutex_lock(&slot->lock);
	cxsim_bridge_populate(slot);
	mutex_unlock(&slot->lock);
	list_add_tail(&slot->list, &cxsim_slots);
	cxsim_control_add(slot);
	return slot;

leave:
	cancel_work_sync(&slot->follow);
	leave_card(slot);
free:
	kfree(slot);
	return ERR_PTR(ret);
}

struct cxsim_slot *cxsim_slot_create(const struct cxsim_wanted *wanted, char *why)
{
	struct cxsim_slot *slot;

	mutex_lock(&cxsim_slots_lock);
	slot = create_locked(wanted, why);
	mutex_unlock(&cxsim_slots_lock);
	return slot;
}

static void remove_locked(struct cxsim_slot *slot)
{
	if (slot->second)
		remove_locked(slot->second);
	list_del(&slot->list);
	cxsim_control_remove(slot);
	mutex_lock(&slot->lock);
	slot->gone = true;
	cxsim_bridge_unregister(slot);
	mutex_unlock(&slot->lock);
	/* Nobody can access the card and so queue it once more. */
	cancel_work_sync(&slot->follow);
	leave_card(slot);
	kfree(slot);
}

int cxsim_slot_remove(unsigned int number)
{
	struct cxsim_slot *slot;

	mutex_lock(&cxsim_slots_lock);
	slot = find_slot(number);
	if (slot)
		remove_locked(slot);
	mutex_unlock(&cxsim_slots_lock);
	return slot ? 0 : -ENODEV;
}

void cxsim_slot_remove_all(void)
{
	struct cxsim_slot *slot, *next;

	mutex_lock(&cxsim_slots_lock);
	/* From the end: a second host is always behind the first. */
	list_for_each_entry_safe_reverse(slot, next, &cxsim_slots, list)
		remove_locked(slot);
	mutex_unlock(&cxsim_slots_lock);
}

/* Every slot that shows the card: the owner's, then the second host's, if there is one. */
static void lock_hosts(struct cxsim_slot *owner)
{
	mutex_lock(&owner->lock);
	if (owner->second)
		mutex_lock_nested(&owner->second->lock, SINGLE_DEPTH_NESTING);
}

static void unlock_hosts(struct cxsim_slot *owner)
{
	if (owner->second)
		mutex_unlock(&owner->second->lock);
	mutex_unlock(&owner->lock);
}

static void empty_hosts(struct cxsim_slot *owner, bool surprise)
{
	cxsim_bridge_empty(owner, surprise);
	if (owner->second)
		cxsim_bridge_empty(owner->second, surprise);
}

static void follow_hosts(struct cxsim_slot *owner)
{
	follow_model(owner);
	if (owner->second)
		follow_model(owner->second);
}

static void set_pulled(struct cxsim_slot *owner, bool pulled)
{
	owner->pulled = pulled;
	if (owner->second)
		owner->second->pulled = pulled;
}

static void populate_hosts(struct cxsim_slot *owner)
{
	cxsim_bridge_populate(owner);
	if (owner->second)
		cxsim_bridge_populate(owner->second);
}

/* As a machine that is switched off and on: functions go, the card boots, functions come. */
int cxsim_slot_power(struct cxsim_slot *slot)
{
	int ret = 0;

	slot = slot->owner;
	lock_hosts(slot);
	if (slot->pulled) {
		ret = -ENODEV;
	} else {
		empty_hosts(slot, false);
		keep_away(slot);
		cxsim_reset(slot->card, CXSIM_RESET_POWER);
		let_in(slot);
		populate_hosts(slot);
	}
	unlock_hosts(slot);
	return ret;
}

/* A reset behind the system's back. The bus changes only if the card becomes another. */
int cxsim_slot_reset(struct cxsim_slot *slot, enum cxsim_reset kind)
{
	int ret = 0;

	slot = slot->owner;
	lock_hosts(slot);
	if (slot->pulled) {
		ret = -ENODEV;
	} else {
		keep_away(slot);
		cxsim_reset(slot->card, kind);
		let_in(slot);
		follow_hosts(slot);
	}
	unlock_hosts(slot);
	return ret;
}

/* The card is pulled: it answers all-ones at once, and the system notices after a while. */
int cxsim_slot_unplug(struct cxsim_slot *slot, unsigned int milliseconds)
{
	unsigned long flags;
	int ret = 0;

	slot = slot->owner;
	lock_hosts(slot);
	if (slot->pulled) {
		ret = -ENODEV;
	} else {
		raw_spin_lock_irqsave(&slot->owner->access, flags);
		cxsim_unplug(slot->card, true);
		set_pulled(slot, true);
		raw_spin_unlock_irqrestore(&slot->owner->access, flags);
		if (milliseconds)
			msleep(milliseconds);
		empty_hosts(slot, true);
	}
	unlock_hosts(slot);
	return ret;
}

/* The pulled card comes back, and boots. */
int cxsim_slot_plug(struct cxsim_slot *slot)
{
	int ret = 0;

	slot = slot->owner;
	lock_hosts(slot);
	if (!slot->pulled) {
		ret = -EBUSY;
	} else {
		keep_away(slot);
		cxsim_unplug(slot->card, false);
		set_pulled(slot, false);
		let_in(slot);
		populate_hosts(slot);
	}
	unlock_hosts(slot);
	return ret;
}
