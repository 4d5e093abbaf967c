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

/* Between these two the functions answer all-ones and the model is the caller's alone. */
static void keep_away(struct cxsim_slot *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->access, flags);
	slot->away = true;
	raw_spin_unlock_irqrestore(&slot->access, flags);
}

static void let_in(struct cxsim_slot *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->access, flags);
	slot->away = false;
	raw_spin_unlock_irqrestore(&slot->access, flags);
}

/* The bus shows what the model has become. */
static void follow_model(struct cxsim_slot *slot)
{
	unsigned long flags;
	bool moved, pulled_now;

	raw_spin_lock_irqsave(&slot->access, flags);
	pulled_now = cxsim_is_unplugged(slot->card) && !slot->pulled;
	slot->pulled = cxsim_is_unplugged(slot->card);
	moved = cxsim_generation(slot->card) != slot->generation;
	slot->generation = cxsim_generation(slot->card);
	raw_spin_unlock_irqrestore(&slot->access, flags);

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
	if (!slot->gone)
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

static struct cxsim_slot *create_locked(const struct cxsim_parameters *wanted, char *why)
{
	struct cxsim_parameters parameters = *wanted;
	struct cxsim_slot *slot = slot_alloc();
	int ret = -EINVAL;

	if (!slot)
		return ERR_PTR(-ENOMEM);
	/* GUIDs follow from the seed: cards that name neither must still be different cards. */
	if (!parameters.seed)
		parameters.seed = slot->number + 1;
	if (cxsim_slot_domain(slot) > DOMAIN_MAX) {
		scnprintf(why, CXSIM_WHY,
			  "no PCI domain left: card %u would be domain 0x%x, the last is 0x%x",
			  slot->number, cxsim_slot_domain(slot), DOMAIN_MAX);
		goto free;
	}
	slot->card = cxsim_card_create(&parameters, &model_host, why);
	if (!slot->card)
		goto free;
	ret = cxsim_bridge_register(slot);
	if (ret) {
		scnprintf(why, CXSIM_WHY, "the PCI core refused domain %04x (error %d)",
			  cxsim_slot_domain(slot), ret);
		goto destroy;
	}
	mutex_lock(&slot->lock);
	cxsim_bridge_populate(slot);
	mutex_unlock(&slot->lock);
	list_add_tail(&slot->list, &cxsim_slots);
	cxsim_control_add(slot);
	return slot;

destroy:
	cancel_work_sync(&slot->follow);
	cxsim_card_destroy(slot->card);
free:
	kfree(slot);
	return ERR_PTR(ret);
}

struct cxsim_slot *cxsim_slot_create(const struct cxsim_parameters *parameters, char *why)
{
	struct cxsim_slot *slot;

	mutex_lock(&cxsim_slots_lock);
	slot = create_locked(parameters, why);
	mutex_unlock(&cxsim_slots_lock);
	return slot;
}

static void remove_locked(struct cxsim_slot *slot)
{
	list_del(&slot->list);
	cxsim_control_remove(slot);
	mutex_lock(&slot->lock);
	slot->gone = true;
	cxsim_bridge_unregister(slot);
	mutex_unlock(&slot->lock);
	/* Nobody can access the card and so queue it once more. */
	cancel_work_sync(&slot->follow);
	cxsim_card_destroy(slot->card);
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
	list_for_each_entry_safe(slot, next, &cxsim_slots, list)
		remove_locked(slot);
	mutex_unlock(&cxsim_slots_lock);
}

/* As a machine that is switched off and on: functions go, the card boots, functions come. */
int cxsim_slot_power(struct cxsim_slot *slot)
{
	int ret = 0;

	mutex_lock(&slot->lock);
	if (slot->pulled) {
		ret = -ENODEV;
	} else {
		cxsim_bridge_empty(slot, false);
		keep_away(slot);
		cxsim_reset(slot->card, CXSIM_RESET_POWER);
		let_in(slot);
		cxsim_bridge_populate(slot);
	}
	mutex_unlock(&slot->lock);
	return ret;
}

/* A reset behind the system's back. The bus changes only if the card becomes another. */
int cxsim_slot_reset(struct cxsim_slot *slot, enum cxsim_reset kind)
{
	int ret = 0;

	mutex_lock(&slot->lock);
	if (slot->pulled) {
		ret = -ENODEV;
	} else {
		keep_away(slot);
		cxsim_reset(slot->card, kind);
		let_in(slot);
		follow_model(slot);
	}
	mutex_unlock(&slot->lock);
	return ret;
}

/* The card is pulled: it answers all-ones at once, and the system notices after a while. */
int cxsim_slot_unplug(struct cxsim_slot *slot, unsigned int milliseconds)
{
	unsigned long flags;
	int ret = 0;

	mutex_lock(&slot->lock);
	if (slot->pulled) {
		ret = -ENODEV;
	} else {
		raw_spin_lock_irqsave(&slot->access, flags);
		cxsim_unplug(slot->card, true);
		slot->pulled = true;
		raw_spin_unlock_irqrestore(&slot->access, flags);
		if (milliseconds)
			msleep(milliseconds);
		cxsim_bridge_empty(slot, true);
	}
	mutex_unlock(&slot->lock);
	return ret;
}

/* The pulled card comes back, and boots. */
int cxsim_slot_plug(struct cxsim_slot *slot)
{
	int ret = 0;

	mutex_lock(&slot->lock);
	if (!slot->pulled) {
		ret = -EBUSY;
	} else {
		keep_away(slot);
		cxsim_unplug(slot->card, false);
		slot->pulled = false;
		let_in(slot);
		cxsim_bridge_populate(slot);
	}
	mutex_unlock(&slot->lock);
	return ret;
}
