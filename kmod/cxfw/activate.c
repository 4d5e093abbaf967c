// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resets that start what was burned: device-access.md 4.4, 7.1, 7.2.
 *
 * The functions' device locks are held from the check that none is bound to the end, so
 * that no driver comes in between. The card's own lock is not held while it resets: who
 * asks meanwhile is told so, by cxfw_card.resetting.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/string.h>

#include "activate.h"
#include "card.h"
#include "component.h"
#include "job.h"
#include "reg.h"
#include "semaphore.h"

#define LINK_DOWN_MS		1250	/* mstflint; Linux waits 500 ms */
#define LINK_UP_MS		2000
#define LINK_SETTLE_MS		100
#define CHIP_DOWN_MS		1000	/* mlx4_reset() */
#define PRESENT_MS		10000	/* mlx4 and mlx5 wait 2 s for the vendor id */
#define READY_MS		120000	/* firmware before its initialization: device-access.md 6.1 */
#define LOOK_MS			20
#define ANSWER_MS		200

#define MFRL_BYTES		8
#define MFRL_LIVE_PATCH		(1U << 0)
#define MFRL_LINK		(1U << 3)
#define MFRL_TYPES(dword)	((dword) >> 8 & 0xff)
#define MFRL_TYPE_SHIFT		24
#define TYPE_FULL_CHIP		0
#define TYPE_NIC_ONLY		2

#define MPIR_BYTES		0x10
#define MPIR_HOST_BUSES(dword)	((dword) & 0xf)
#define MPIR_SOCKET_DIRECT	(1U << 31)

#define MLX4_RESET		0xf0010
#define MLX4_RESET_VALUE	1U

struct reset {
	struct cxfw_card *card;
	char *why;
	struct pci_dev *functions[CXFW_FUNCTIONS_MAX];	/* referenced */
	unsigned int count;
	struct pci_dev *bridge;		/* above all of them; LINK only */
};

#define refuse(reset, error, ...) (snprintf((reset)->why, CXFW_WHY_LENGTH, __VA_ARGS__), (error))

static bool is_mlx4(const struct cxfw_device *device)
{
	return device->chip && device->chip->family == CXFW_FAMILY_MLX4;
}

/* What a DPU's network side resets would take its own computer along. */
static bool is_dpu(const struct cxfw_device *device)
{
	return device->hw_id == 0x211 || device->hw_id == 0x214 || device->hw_id == 0x21c;
}

bool cxfw_activate_offered(const struct cxfw_device *device)
{
	if (device->recovery || is_dpu(device))
		return false;
	return is_mlx4(device) || device->gateway.vsc;
}

/* ---- who uses the card ---- */

/* Called with the function's device lock. */
static int check_function(struct reset *reset, struct pci_dev *pdev)
{
	if (pdev->dev.driver)
		return refuse(reset, -EBUSY,
			      "%s is bound to %s: unbind it first, or let that driver reset the card", pci_name(pdev),
			      dev_driver_string(&pdev->dev));
	if (pci_num_vf(pdev))
		return refuse(reset, -EBUSY, "%s has %d virtual functions", pci_name(pdev), pci_num_vf(pdev));
	return 0;
}

static void unlock_functions(struct reset *reset, unsigned int count)
{
	while (count--) {
		pm_runtime_put(&reset->functions[count]->dev);
		device_unlock(&reset->functions[count]->dev);
	}
}

static int lock_functions(struct reset *reset)
{
	unsigned int i;
	int error;

	for (i = 0; i < reset->count; i++) {
		device_lock(&reset->functions[i]->dev);
		pm_runtime_get_sync(&reset->functions[i]->dev);
		error = check_function(reset, reset->functions[i]);
		if (error) {
			unlock_functions(reset, i + 1);
			return error;
		}
	}
	return 0;
}

static bool is_ours(const struct reset *reset, const struct pci_dev *pdev)
{
	unsigned int i;

	for (i = 0; i < reset->count; i++)
		if (reset->functions[i] == pdev)
			return true;
	return false;
}

struct strangers {
	const struct reset *reset;
	struct pci_dev *stranger;
};

static int look_for_stranger(struct pci_dev *pdev, void *data)
{
	struct strangers *strangers = data;

	if (is_ours(strangers->reset, pdev))
		return 0;
	strangers->stranger = pdev;
	return 1;
}

/* The bridge whose link carries this card and nothing else. */
static int find_bridge(struct reset *reset)
{
	struct strangers strangers = { .reset = reset };
	struct pci_dev *bridge = pci_upstream_bridge(reset->functions[0]);
	unsigned int i;

	for (i = 1; i < reset->count; i++)
		if (reset->functions[i]->bus != reset->functions[0]->bus)
			return refuse(reset, -EPERM,
				      "%s and %s are one card in two places: its reset is one of the other side as well",
				      pci_name(reset->functions[0]), pci_name(reset->functions[i]));
	if (!bridge || !pci_is_pcie(bridge))
		return refuse(reset, -EOPNOTSUPP,
			      "there is no PCIe bridge above %s whose link could be toggled",
			      pci_name(reset->functions[0]));
	/* Hot-plug would take the card for pulled out when its link goes. */
	if (bridge->is_hotplug_bridge)
		return refuse(reset, -EOPNOTSUPP,
			      "the bridge above, %s, is a hot-plug slot, which takes a link that goes down for a card that was pulled out",
			      pci_name(bridge));
	pci_walk_bus(bridge->subordinate, look_for_stranger, &strangers);
	if (strangers.stranger)
		return refuse(reset, -EBUSY, "%s hangs below the same bridge as the card, %s",
			      pci_name(strangers.stranger),
			      pci_name(bridge));
	reset->bridge = bridge;
	return 0;
}

/* Socket direct and multi-host cards say so themselves; one that cannot say it is taken for ours. */
static int check_hosts(struct reset *reset)
{
	struct cxfw_device *device = &reset->card->device;
	__be32 data[MPIR_BYTES / 4] = { 0 };
	u32 dword;

	if (is_dpu(device))
		return refuse(reset, -EPERM,
			      "%s carries a computer of its own, which a reset would take down", device->chip->name);
	if (is_mlx4(device) ||
	    cxfw_reg(device, CXFW_REG_MPIR, CXFW_METHOD_GET, data, sizeof(data), sizeof(data), NULL))
		return 0;
	dword = be32_to_cpu(data[0]);
	if (dword & MPIR_SOCKET_DIRECT || MPIR_HOST_BUSES(dword) > 1)
		return refuse(reset, -EPERM,
			      "the card serves more than one host or socket (MPIR %#x), and its reset would be theirs as well", dword);
	return 0;
}

/* ---- the orders; called inside of the card ---- */

static int say(struct reset *reset, int error)
{
	if (error)
		strscpy(reset->why, reset->card->device.why, CXFW_WHY_LENGTH);
	return error;
}

static int order_mlx5(struct reset *reset, u32 level)
{
	struct cxfw_device *device = &reset->card->device;
	__be32 data[MFRL_BYTES / 4] = { 0 };
	u32 offered, type = TYPE_FULL_CHIP;
	int tries, error;

	error = cxfw_reg(device, CXFW_REG_MFRL, CXFW_METHOD_GET, data, sizeof(data), sizeof(data), NULL);
	if (error)
		return say(reset, error == -EIO ? -EOPNOTSUPP : error);
	offered = be32_to_cpu(data[1]);
	if (!(offered & level))
		return refuse(reset, -EOPNOTSUPP,
			      "the firmware does not offer this reset (MFRL offers levels %#x)",
			      offered & 0xff);
	if (MFRL_TYPES(offered) & 1U << TYPE_NIC_ONLY)
		type = TYPE_NIC_ONLY;
	/* One more try, as the vendor's tool has it. */
	for (tries = 0; tries < 2; tries++) {
		memset(data, 0, sizeof(data));
		data[1] = cpu_to_be32(level | type << MFRL_TYPE_SHIFT);
		error = cxfw_reg(device, CXFW_REG_MFRL, CXFW_METHOD_SET, data, sizeof(data), sizeof(data),
				 NULL);
		if (!error)
			break;
	}
	return say(reset, error);
}

/* mlx4_reset(): the semaphore keeps its driver out; the reset gives it back. */
static int order_mlx4(struct reset *reset)
{
	const struct cxfw_wait wait = {
		.semaphore = CXFW_SEMAPHORE_FLASH_GATEWAY, .timeout_ms = 10000, .interval_us = 5000,
	};
	struct cxfw_device *device = &reset->card->device;
	int error = cxfw_latch_take(device, CXFW_FLASH_GATEWAY_SEMAPHORE, 0xffffffff, &wait);

	if (error)
		return say(reset, error);
	/* The card is away before the write is answered: what is said about that is no news. */
	cxfw_gateway_write(device, CXFW_SPACE_CR, MLX4_RESET, MLX4_RESET_VALUE);
	cxfw_gateway_end(device);
	return 0;
}

static int order(struct reset *reset, u32 level)
{
	if (level == CXFW_RESET_CHIP)
		return order_mlx4(reset);
	return order_mlx5(reset, level == CXFW_RESET_LINK ? MFRL_LINK : MFRL_LIVE_PATCH);
}

/* ---- down and up again; called with the functions locked, the card's lock not held ---- */

static void toggle_link(struct pci_dev *bridge)
{
	u64 start;
	u32 capabilities = 0;
	u16 status = 0;

	pcie_capability_read_dword(bridge, PCI_EXP_LNKCAP, &capabilities);
	pcie_capability_set_word(bridge, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_LD);
	msleep(LINK_DOWN_MS);
	pcie_capability_clear_word(bridge, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_LD);
	start = ktime_get_ns();
	do {
		msleep(LOOK_MS);
		pcie_capability_read_word(bridge, PCI_EXP_LNKSTA, &status);
		if (capabilities & PCI_EXP_LNKCAP_DLLLARC && status & PCI_EXP_LNKSTA_DLLLA)
			break;
	} while (ktime_get_ns() - start < LINK_UP_MS * 1000000ULL);
	msleep(LINK_SETTLE_MS);
}

static int wait_present(struct reset *reset)
{
	u64 start = ktime_get_ns();
	unsigned int i = 0;

	while (i < reset->count) {
		if (!cxfw_pci_absent(reset->functions[i]))
			i++;
		else if (ktime_get_ns() - start > PRESENT_MS * 1000000ULL)
			return refuse(reset, -EIO, "%s has not come back %u s after the reset",
				      pci_name(reset->functions[i]),
				      PRESENT_MS / 1000);
		else
			msleep(LOOK_MS);
	}
	return 0;
}

static int go_down(struct reset *reset, u32 level)
{
	unsigned int i;
	int error;

	if (level == CXFW_RESET_LIVE_PATCH)
		return 0;
	if (level == CXFW_RESET_LINK)
		toggle_link(reset->bridge);
	else
		msleep(CHIP_DOWN_MS);
	error = wait_present(reset);
	if (error)
		return error;
	for (i = 0; i < reset->count; i++)
		pci_restore_state(reset->functions[i]);
	return 0;
}

/* What was learned of the card before the reset does not hold any more. */
static int open_again(struct reset *reset)
{
	struct cxfw_card *card = reset->card;
	struct cxfw_device *device = &card->device;
	u32 version[3], date;
	int error;

	mutex_lock(&card->lock);
	card->resetting = false;
	error = cxfw_card_enter_locked(card);
	card->resetting = true;
	if (error) {
		say(reset, error);
		mutex_unlock(&card->lock);
		return error;
	}
	error = cxfw_device_open(device, device->pdev);
	if (!error)
		error = cxfw_running_version(device, version, &date);
	if (!error) {
		card->boot_component = 0;
		card->stale[0] = '\0';
		cxfw_has_components(device);
	}
	say(reset, error);
	cxfw_card_leave(card);
	return error;
}

static int come_up(struct reset *reset)
{
	u64 start = ktime_get_ns();
	int error;

	for (;;) {
		error = open_again(reset);
		/* Another device id: it woke up without firmware. */
		if (!error || error == -ESTALE || READ_ONCE(reset->card->device.gone) ||
		    ktime_get_ns() - start > READY_MS * 1000000ULL)
			return error;
		msleep(ANSWER_MS);
	}
}

/* ---- all together ---- */

static int begin(struct reset *reset, u32 level)
{
	struct cxfw_card *card = reset->card;
	unsigned int i;
	int error = cxfw_card_enter(card, reset->why);

	if (error)
		return error;
	if (!cxfw_activate_offered(&card->device) && !is_dpu(&card->device))
		error = refuse(reset, -EOPNOTSUPP,
			       "a card without running firmware is reset by a cold power cycle only");
	else if (is_mlx4(&card->device) != (level == CXFW_RESET_CHIP))
		error = refuse(reset, -EOPNOTSUPP, "%s does not have this kind of reset",
			       card->device.chip ? card->device.chip->name : "this card");
	else
		error = cxfw_job_runs(card, reset->why) ? -EBUSY : 0;
	if (!error)
		error = check_hosts(reset);
	for (i = 0; !error && i < reset->count; i++)
		pci_save_state(reset->functions[i]);
	if (!error)
		error = order(reset, level);
	card->resetting = !error;
	cxfw_card_leave(card);
	return error;
}

static int reset_locked(struct reset *reset, u32 level)
{
	int error = level == CXFW_RESET_LINK ? find_bridge(reset) : 0;

	if (!error)
		error = begin(reset, level);
	if (error)
		return error;
	error = go_down(reset, level);
	if (!error)
		error = come_up(reset);
	mutex_lock(&reset->card->lock);
	reset->card->resetting = false;
	mutex_unlock(&reset->card->lock);
	return error;
}

int cxfw_card_activate(struct cxfw_card *card, u32 level, char *why)
{
	struct reset reset = { .card = card, .why = why };
	unsigned int i;
	int error;

	if (level != CXFW_RESET_CHIP && level != CXFW_RESET_LIVE_PATCH && level != CXFW_RESET_LINK)
		return refuse(&reset, -EINVAL, "there is no reset level %u", level);
	reset.count = cxfw_card_pci_functions(card, reset.functions, ARRAY_SIZE(reset.functions));
	if (!reset.count)
		return refuse(&reset, -ENODEV, "%s was unplugged", card->address);
	error = lock_functions(&reset);
	if (!error) {
		error = reset_locked(&reset, level);
		unlock_functions(&reset, reset.count);
	}
	for (i = 0; i < reset.count; i++)
		pci_dev_put(reset.functions[i]);
	if (!error)
		pr_info("cxfw: %s: reset, and answers again\n", card->address);
	return error;
}
