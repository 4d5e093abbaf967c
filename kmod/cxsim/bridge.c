// SPDX-License-Identifier: GPL-2.0-only
/* A software PCI host bridge: one domain and one bus a card, the card at device 0. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/numa.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "cxsim.h"

/* Absence after a reset is a setting; the longest sensible one is far below this. */
#define APPEAR_SECONDS	30

static struct cxsim_slot *slot_of(const struct pci_bus *bus)
{
	return container_of((struct pci_sysdata *)bus->sysdata, struct cxsim_slot, sysdata);
}

/* Called with slot->access held after every access: has the model moved? */
static void notice(struct cxsim_slot *slot)
{
	if (cxsim_generation(slot->card) != slot->generation ||
	    cxsim_is_unplugged(slot->card) != slot->pulled)
		queue_work(cxsim_queue, &slot->follow);
}

static bool function_exists(const struct cxsim_slot *slot, const struct pci_bus *bus, unsigned int devfn)
{
	return !bus->number && !PCI_SLOT(devfn) && !slot->away &&
	       PCI_FUNC(devfn) < cxsim_functions(slot->card);
}

static int config_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	struct cxsim_slot *slot = slot_of(bus);
	unsigned long flags;
	bool exists;

	raw_spin_lock_irqsave(&slot->access, flags);
	exists = function_exists(slot, bus, devfn);
	if (exists) {
		*value = cxsim_config_read(slot->card, PCI_FUNC(devfn), where, size);
		notice(slot);
	}
	raw_spin_unlock_irqrestore(&slot->access, flags);
	if (exists)
		return PCIBIOS_SUCCESSFUL;
	*value = ~0U;
	return PCIBIOS_DEVICE_NOT_FOUND;
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct cxsim_slot *slot = slot_of(bus);
	unsigned long flags;
	bool exists;

	raw_spin_lock_irqsave(&slot->access, flags);
	exists = function_exists(slot, bus, devfn);
	if (exists) {
		cxsim_config_write(slot->card, PCI_FUNC(devfn), where, size, value);
		notice(slot);
	}
	raw_spin_unlock_irqrestore(&slot->access, flags);
	return exists ? PCIBIOS_SUCCESSFUL : PCIBIOS_DEVICE_NOT_FOUND;
}

static struct pci_ops cxsim_pci_ops = { .read = config_read, .write = config_write };

/* The last reference to the bus is gone, and with it the last caller of the accessors. */
static void released(struct pci_host_bridge *bridge)
{
	struct cxsim_slot *slot = bridge->release_data;

	complete(&slot->released);
}

/* Registers the bus with nothing on it; cxsim_bridge_populate() does the rest. */
int cxsim_bridge_register(struct cxsim_slot *slot)
{
	struct pci_host_bridge *bridge = pci_alloc_host_bridge(0);
	int ret;

	if (!bridge)
		return -ENOMEM;
	init_completion(&slot->released);
	slot->bus_numbers.name = "cxsim bus number";
	slot->bus_numbers.flags = IORESOURCE_BUS | IORESOURCE_PCI_FIXED;
	pci_add_resource(&bridge->windows, &slot->bus_numbers);
	slot->sysdata.domain = cxsim_slot_domain(slot);
	slot->sysdata.node = NUMA_NO_NODE;
	bridge->sysdata = &slot->sysdata;
	bridge->dev.parent = cxsim_root;
	bridge->ops = &cxsim_pci_ops;
	pci_set_host_bridge_release(bridge, released, slot);

	slot->away = true;
	ret = pci_scan_root_bus_bridge(bridge);
	slot->away = false;
	if (ret) {
		pci_free_host_bridge(bridge);
		wait_for_completion(&slot->released);
		return ret;
	}
	slot->bridge = bridge;
	slot->bus = bridge->bus;
	return 0;
}

void cxsim_bridge_unregister(struct cxsim_slot *slot)
{
	cxsim_bridge_empty(slot, false);
	pci_lock_rescan_remove();
	pci_stop_root_bus(slot->bus);
	pci_remove_root_bus(slot->bus);
	pci_unlock_rescan_remove();
	pci_free_host_bridge(slot->bridge);
	/*
	 * Whoever still holds a function may read its config space, which calls into this
	 * module: there is no way but to wait. Say for what.
	 */
	while (!wait_for_completion_timeout(&slot->released, 10 * HZ))
		pr_warn("cxsim: still waiting for a holder of a removed function of domain %04x\n",
			cxsim_slot_domain(slot));
}

/* Does function 0 answer? Not after a reset, until its absence is over. */
static bool function_answers(struct cxsim_slot *slot)
{
	u32 id;

	return !config_read(slot->bus, 0, PCI_VENDOR_ID, 4, &id) && id != ~0U;
}

static bool wait_for_function(struct cxsim_slot *slot)
{
	unsigned long end = jiffies + APPEAR_SECONDS * HZ;

	while (!function_answers(slot)) {
		if (time_after(jiffies, end))
			return false;
		msleep(20);
	}
	return true;
}

/* Scans the functions of the card and hands them to the drivers. */
void cxsim_bridge_populate(struct cxsim_slot *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->access, flags);
	slot->generation = cxsim_generation(slot->card);
	raw_spin_unlock_irqrestore(&slot->access, flags);
	if (!wait_for_function(slot)) {
		pr_warn("cxsim: card %u does not answer %u s after its reset\n", slot->number,
			APPEAR_SECONDS);
		return;
	}
	pci_lock_rescan_remove();
	pci_scan_slot(slot->bus, PCI_DEVFN(0, 0));
	pci_bus_add_devices(slot->bus);
	pci_unlock_rescan_remove();
}

/*
 * Takes all functions off the bus, virtual ones first. Surprise: as the hotplug driver
 * does it for a card that was pulled, so that nobody tries to talk to it any more.
 */
void cxsim_bridge_empty(struct cxsim_slot *slot, bool surprise)
{
	struct pci_dev *function, *next;

	pci_lock_rescan_remove();
	if (surprise)
		list_for_each_entry(function, &slot->bus->devices, bus_list)
			function->error_state = pci_channel_io_perm_failure;
	list_for_each_entry_safe_reverse(function, next, &slot->bus->devices, bus_list)
		pci_stop_and_remove_bus_device(function);
	pci_unlock_rescan_remove();
	pci_dev_put(slot->physical);
	slot->physical = NULL;
}

/*
 * Virtual functions are told from others by what the PCI core notes when it makes them
 * from the SR-IOV capability. Here they are scanned like any function, so it is
 * noted in the notifier, before any other listener, driver or user program sees them.
 */
static void mark_virtual(struct cxsim_slot *slot, struct pci_dev *function)
{
	char name[16];

	if (!slot->physical)
		slot->physical = pci_get_slot(slot->bus, PCI_DEVFN(0, 0));
	if (!slot->physical)
		return;
	function->is_virtfn = 1;
	function->physfn = slot->physical;
	scnprintf(name, sizeof(name), "virtfn%u", PCI_FUNC(function->devfn));
	if (sysfs_create_link(&function->dev.kobj, &slot->physical->dev.kobj, "physfn") ||
	    sysfs_create_link(&slot->physical->dev.kobj, &function->dev.kobj, name))
		pci_warn(function, "cxsim: no link to the physical function\n");
}

static void unmark_virtual(struct cxsim_slot *slot, struct pci_dev *function)
{
	char name[16];

	scnprintf(name, sizeof(name), "virtfn%u", PCI_FUNC(function->devfn));
	if (device_is_registered(&slot->physical->dev))
		sysfs_remove_link(&slot->physical->dev.kobj, name);
	sysfs_remove_link(&function->dev.kobj, "physfn");
}

static int on_bus_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct pci_dev *function = to_pci_dev(data);
	struct cxsim_slot *slot;

	if (function->bus->ops != &cxsim_pci_ops)
		return NOTIFY_DONE;
	slot = slot_of(function->bus);
	if (event == BUS_NOTIFY_ADD_DEVICE && cxsim_is_virtual(slot->card, PCI_FUNC(function->devfn)))
		mark_virtual(slot, function);
	if (event == BUS_NOTIFY_DEL_DEVICE && function->is_virtfn)
		unmark_virtual(slot, function);
	return NOTIFY_DONE;
}

static struct notifier_block bus_block = { .notifier_call = on_bus_event, .priority = INT_MAX };

int cxsim_bridge_init(void)
{
	return bus_register_notifier(&pci_bus_type, &bus_block);
}

void cxsim_bridge_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &bus_block);
}
