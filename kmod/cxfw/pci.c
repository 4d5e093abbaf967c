// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches PCI functions come and go, and finds out which of them lead to a card. The
 * driver binds to nothing: whoever is bound, or nobody, makes no difference.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "card.h"
#include "chips.h"

/* Identification waits for semaphores and firmware; a notifier must not. */
static struct workqueue_struct *identifiers;

/* Functions found at load whose first identification has not ended. */
static atomic_t unsettled = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(settled);

#define LOAD_WAIT	(15 * HZ)

static const char *const give_away_drivers[] = { "vfio", "pciback", "pci-stub" };

/* The name may change under us; it is good for a decision that is made again at every step. */
bool cxfw_pci_given_away(struct pci_dev *pdev)
{
	const char *driver = dev_driver_string(&pdev->dev);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(give_away_drivers); i++)
		if (strstr(driver, give_away_drivers[i]))
			return true;
	return false;
}

bool cxfw_pci_absent(struct pci_dev *pdev)
{
	u32 id = ~0;

	pci_read_config_dword(pdev, PCI_VENDOR_ID, &id);
	return id == (u32)~0;
}

/* A physical function of a vendor whose cards we may know. */
static bool is_candidate(struct pci_dev *pdev)
{
	return pdev->vendor == CXFW_VENDOR_MELLANOX && !pdev->is_virtfn && !cxfw_is_virtual_id(pdev->device);
}

/* What a function is that could not be opened. */
static enum cxfw_function_state judge(struct pci_dev *pdev, int error)
{
	if (cxfw_pci_given_away(pdev))
		return CXFW_FUNCTION_TROUBLED;
	if ((error == -EOPNOTSUPP || error == -ENODEV) && !cxfw_pci_absent(pdev))
		return CXFW_FUNCTION_REFUSED;
	return CXFW_FUNCTION_TROUBLED;
}

/* Functions of one card are looked for one at a time: of two at once neither would find the other. */
static DEFINE_MUTEX(joining);

static void join(struct cxfw_function *function, struct cxfw_card *card)
{
	struct cxfw_card *twin;

	mutex_lock(&joining);
	twin = cxfw_card_twin(card);
	if (twin && !cxfw_card_is_same(card, twin)) {
		cxfw_card_put(twin);
		twin = NULL;
	}
	if (!twin)
		cxfw_card_look_for_stale_locks(card);
	cxfw_function_end(function, card, twin, CXFW_FUNCTION_MANAGED, 0, NULL);
	mutex_unlock(&joining);
	cxfw_card_put(twin);
}

static void identify(struct work_struct *work)
{
	struct cxfw_function *function = container_of(to_delayed_work(work), struct cxfw_function, identify);
	char why[CXFW_WHY_LENGTH] = "";
	struct cxfw_card *card;
	int error;

	if (cxfw_function_begin(function, &card)) {
		error = cxfw_card_open(card, why);
		if (error)
			cxfw_function_end(function, card, NULL, judge(function->pdev, error), error, why);
		else
			join(function, card);
		cxfw_card_put(card);
	}
	if (!function->counted) {
		function->counted = true;
		if (atomic_dec_and_test(&unsettled))
			wake_up_all(&settled);
	}
}

void cxfw_pci_identify(struct cxfw_function *function, unsigned long delay)
{
	mod_delayed_work(identifiers, &function->identify, delay);
}

static void add(struct pci_dev *pdev)
{
	struct cxfw_function *function;

	if (!is_candidate(pdev))
		return;
	function = cxfw_function_add(pdev, identify);
	if (!function)
		return;
	atomic_inc(&unsettled);
	cxfw_function_retry(function);
}

static void forget(struct cxfw_function *function)
{
	cxfw_function_leave(function);
	if (cancel_delayed_work_sync(&function->identify) && !function->counted) {
		function->counted = true;
		if (atomic_dec_and_test(&unsettled))
			wake_up_all(&settled);
	}
	cxfw_function_left(function);
}

static void gone(struct pci_dev *pdev)
{
	struct cxfw_function *function = cxfw_function_of(pdev);

	if (!function)
		return;
	forget(function);
	cxfw_function_put(function);
}

/* vfio-pci let go of it: it may be looked at now. */
static void unbound(struct pci_dev *pdev)
{
	struct cxfw_function *function = cxfw_function_of(pdev);

	if (!function)
		return;
	cxfw_function_retry(function);
	cxfw_function_put(function);
}

static int notify(struct notifier_block *block, unsigned long action, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		add(pdev);
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		gone(pdev);
		break;
	case BUS_NOTIFY_UNBOUND_DRIVER:
		unbound(pdev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = notify };

/* ---- refusals ---- */

static int refuse_function(struct pci_dev *pdev, char *why)
{
	if (pdev->vendor != CXFW_VENDOR_MELLANOX) {
		snprintf(why, CXFW_WHY_LENGTH, "%s is %04x:%04x, not a Mellanox or NVIDIA network card (vendor 15b3)",
			 pci_name(pdev), pdev->vendor, pdev->device);
		return -ENODEV;
	}
	if (pdev->is_virtfn) {
		snprintf(why, CXFW_WHY_LENGTH,
			 "this is a virtual function; firmware operations belong to its physical function %s",
			 pci_name(pci_physfn(pdev)));
		return -EOPNOTSUPP;
	}
	if (cxfw_is_virtual_id(pdev->device)) {
		snprintf(why, CXFW_WHY_LENGTH,
			 "this is a virtual function; firmware operations belong to its physical function, on the host");
		return -EOPNOTSUPP;
	}
	snprintf(why, CXFW_WHY_LENGTH, "%s is just being plugged or unplugged", pci_name(pdev));
	return -ENODEV;
}

int cxfw_pci_refusal(const char *address, char *why)
{
	unsigned int domain, bus, slot, function;
	struct pci_dev *pdev;
	char rest;
	int error;

	if (sscanf(address, "%x:%x:%x.%x%c", &domain, &bus, &slot, &function, &rest) != 4 || bus > 0xff ||
	    slot > 0x1f || function > 7) {
		snprintf(why, CXFW_WHY_LENGTH, "\"%.30s\" is not a PCI address like 0000:03:00.0", address);
		return -EINVAL;
	}
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!pdev) {
		snprintf(why, CXFW_WHY_LENGTH, "there is no PCI function %.30s", address);
		return -ENODEV;
	}
	error = refuse_function(pdev, why);
	pci_dev_put(pdev);
	return error;
}

/* ---- start and stop ---- */

static void walk(void)
{
	struct pci_dev *pdev = NULL;

	/* No removal slips in between finding a device and listing it. */
	pci_lock_rescan_remove();
	for_each_pci_dev(pdev)
		add(pdev);
	pci_unlock_rescan_remove();
}

int cxfw_pci_start(void)
{
	int error;

	identifiers = alloc_workqueue("cxfw_identify", WQ_UNBOUND, 0);
	if (!identifiers)
		return -ENOMEM;
	error = bus_register_notifier(&pci_bus_type, &notifier);
	if (error) {
		destroy_workqueue(identifiers);
		return error;
	}
	walk();
	if (!wait_event_timeout(settled, !atomic_read(&unsettled), LOAD_WAIT))
		pr_info("cxfw: some cards do not answer yet; going on without waiting for them\n");
	return 0;
}

void cxfw_pci_stop(void)
{
	struct cxfw_function *function;

	/* A device that goes away now waits: without the notifier its node would outlive it. */
	pci_lock_rescan_remove();
	bus_unregister_notifier(&pci_bus_type, &notifier);
	while ((function = cxfw_function_any())) {
		forget(function);
		cxfw_function_put(function);
	}
	pci_unlock_rescan_remove();
	destroy_workqueue(identifiers);
}
