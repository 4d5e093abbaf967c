// SPDX-License-Identifier: GPL-2.0-only
/*
 * A software PCI host bridge: one domain a card, the card at device 0 of bus 1 below a
 * root port at device 0 of bus 0; or of bus 0, without the port.
 */
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

/* Called with the access lock held after every access: has the model moved? */
static void notice_one(struct cxsim_slot *slot)
{
	if (cxsim_generation(slot->card) != slot->generation ||
	    cxsim_is_unplugged(slot->card) != slot->pulled)
		queue_work(cxsim_queue, &slot->follow);
}

static void notice(struct cxsim_slot *slot)
{
	notice_one(slot->owner);
	if (slot->owner->second)
		notice_one(slot->owner->second);
}

static bool is_root_port(const struct cxsim_slot *slot, const struct pci_bus *bus, unsigned int devfn)
{
	return slot->root_port && !bus->number && !devfn;
}

static unsigned int function_count(const struct cxsim_slot *slot)
{
	return cxsim_slot_host(slot) ? cxsim_second_functions(slot->card) : cxsim_functions(slot->card);
}

static bool function_exists(const struct cxsim_slot *slot, const struct pci_bus *bus, unsigned int devfn)
{
	return bus->number == cxsim_slot_bus(slot) && !PCI_SLOT(devfn) && !slot->owner->away &&
	       !slot->keep_empty && PCI_FUNC(devfn) < function_count(slot);
}

/* As the model names it. */
static unsigned int function_number(const struct cxsim_slot *slot, unsigned int devfn)
{
	return PCI_FUNC(devfn) + (cxsim_slot_host(slot) ? CXSIM_SECOND_HOST : 0);
}

static int config_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	struct cxsim_slot *slot = slot_of(bus);
	unsigned long flags;
	int ret = PCIBIOS_SUCCESSFUL;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	if (is_root_port(slot, bus, devfn)) {
		*value = cxsim_port_read(slot->card, cxsim_slot_host(slot), where, size);
	} else if (function_exists(slot, bus, devfn)) {
		*value = cxsim_config_read(slot->card, function_number(slot, devfn), where, size);
		notice(slot);
	} else {
		*value = ~0U;
		ret = PCIBIOS_DEVICE_NOT_FOUND;
	}
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
	return ret;
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct cxsim_slot *slot = slot_of(bus);
	unsigned long flags;
	int ret = PCIBIOS_SUCCESSFUL;

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	if (is_root_port(slot, bus, devfn)) {
		cxsim_port_write(slot->card, cxsim_slot_host(slot), where, size, value);
		notice(slot);
	} else if (function_exists(slot, bus, devfn)) {
		cxsim_config_write(slot->card, function_number(slot, devfn), where, size, value);
		notice(slot);
	} else {
		ret = PCIBIOS_DEVICE_NOT_FOUND;
	}
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
	return ret;
}

static struct pci_ops cxsim_pci_ops = { .read = config_read, .write = config_write };

/* The last reference to the bus is gone, and with it the last caller of the accessors. */
static void released(struct pci_host_bridge *bridge)
{
	struct cxsim_slot *slot = bridge->release_data;

	complete(&slot->released);
}

/* The bus behind the root port, which the scan has made. NULL: it has not. */
static struct pci_bus *bus_below(struct pci_bus *root)
{
	return list_first_entry_or_null(&root->children, struct pci_bus, node);
}

/* Registers the buses without a card on them; cxsim_bridge_populate() does the rest. */
int cxsim_bridge_register(struct cxsim_slot *slot)
{
	struct pci_host_bridge *bridge = pci_alloc_host_bridge(0);
	int ret;

	if (!bridge)
		return -ENOMEM;
	init_completion(&slot->released);
	slot->bus_numbers.name = "cxsim bus number";
	slot->bus_numbers.end = cxsim_slot_bus(slot);
	slot->bus_numbers.flags = IORESOURCE_BUS | IORESOURCE_PCI_FIXED;
	pci_add_resource(&bridge->windows, &slot->bus_numbers);
	slot->sysdata.domain = cxsim_slot_domain(slot);
	slot->sysdata.node = NUMA_NO_NODE;
	bridge->sysdata = &slot->sysdata;
	bridge->dev.parent = cxsim_root;
	bridge->ops = &cxsim_pci_ops;
	pci_set_host_bridge_release(bridge, released, slot);

	slot->keep_empty = true;
	ret = pci_scan_root_bus_bridge(bridge);
	slot->keep_empty = false;
	if (ret) {
		pci_free_host_bridge(bridge);
		wait_for_completion(&slot->released);
		return ret;
	}
	slot->bridge = bridge;
	slot->root = bridge->bus;
	slot->bus = slot->root_port ? bus_below(slot->root) : slot->root;
	if (!slot->bus) {
		cxsim_bridge_unregister(slot);
		return -ENODEV;
	}
	pci_lock_rescan_remove();
	pci_bus_add_devices(slot->root);
	pci_unlock_rescan_remove();
	return 0;
}

void cxsim_bridge_unregister(struct cxsim_slot *slot)
{
	if (slot->bus)
		cxsim_bridge_empty(slot, false);
	pci_lock_rescan_remove();
	pci_stop_root_bus(slot->root);
	pci_remove_root_bus(slot->root);
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

	raw_spin_lock_irqsave(&slot->owner->access, flags);
	slot->generation = cxsim_generation(slot->card);
	raw_spin_unlock_irqrestore(&slot->owner->access, flags);
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
	if (function->bus != slot->bus || cxsim_slot_host(slot))
		return NOTIFY_DONE;
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
