// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "card.h"
#include "component.h"
#include "job.h"
#include "semaphore.h"

/* ---- lifetime ---- */

struct cxfw_card *cxfw_card_new(struct pci_dev *pdev)
{
	struct cxfw_card *card = kzalloc(sizeof(*card), GFP_KERNEL);

	if (!card)
		return NULL;
	kref_init(&card->kref);
	mutex_init(&card->lock);
	INIT_LIST_HEAD(&card->node);
	INIT_LIST_HEAD(&card->functions);
	card->device.pdev = pci_dev_get(pdev);
	strscpy(card->address, pci_name(pdev), sizeof(card->address));
	card->open_error = -ENODEV;
	card->index = cxfw_card_next_index();
	return card;
}

struct cxfw_card *cxfw_card_get(struct cxfw_card *card)
{
	kref_get(&card->kref);
	return card;
}

/* Nobody else knows the card any more: neither the registry nor a file nor a job. */
static void card_release(struct kref *kref)
{
	struct cxfw_card *card = container_of(kref, struct cxfw_card, kref);

	if (card->opened)
		cxfw_device_close(&card->device);
	pci_dev_put(card->device.pdev);
	mutex_destroy(&card->lock);
	kfree(card);
}

void cxfw_card_put(struct cxfw_card *card)
{
	if (card)
		kref_put(&card->kref, card_release);
}

/* ---- talking to a card ---- */

/* Is the function still the one that was opened? One configuration access. */
static int check_presence(struct cxfw_card *card)
{
	struct pci_dev *pdev = card->device.pdev;
	u32 id = ~0;

	cxfw_config_read(&card->device, PCI_VENDOR_ID, &id);
	if (id == (u32)~0)
		return cxfw_fail(&card->device, -ENODEV,
				 "%s does not answer: it is in reset, powered off or unplugged", card->address);
	if (id != ((u32)pdev->device << 16 | pdev->vendor))
		return cxfw_fail(&card->device, -ESTALE,
				 "%s was %04x:%04x and now is %04x:%04x: the card changed its state; remove it and rescan the PCI bus",
				 card->address, pdev->vendor, pdev->device, id & 0xffff, id >> 16);
	return 0;
}

static int wake(struct cxfw_card *card)
{
	struct device *device = &card->device.pdev->dev;
	int error = pm_runtime_get_sync(device);

	/* Not under runtime power management, as a function is while the PCI core adds it: it is awake. */
	if (error < 0 && error != -EACCES) {
		pm_runtime_put_noidle(device);
		return cxfw_fail(&card->device, -EIO, "%s does not leave its sleep state (error %d)",
				 card->address, error);
	}
	error = check_presence(card);
	if (error)
		pm_runtime_put(device);
	return error;
}

/* The same for callers that hold card->lock already, and go on to hold it when it fails. */
int cxfw_card_enter_locked(struct cxfw_card *card)
{
	char why[CXFW_WHY_LENGTH];

	if (READ_ONCE(card->device.gone))
		return cxfw_fail(&card->device, -ENODEV, "%s was unplugged", card->address);
	if (card->resetting)
		return cxfw_fail(&card->device, -EBUSY,
				 "%s is being reset, to start the firmware that was burned",
				 card->address);
	if (!card->opened)
		return card->open_error;	/* device.why still says why */
	if (cxfw_card_given_away(card, why))
		return cxfw_fail(&card->device, -EOPNOTSUPP, "%s", why);
	return wake(card);
}

int cxfw_card_enter(struct cxfw_card *card, char *why)
{
	int error;

	if (why)
		why[0] = '\0';
	if (mutex_lock_killable(&card->lock))
		return -EINTR;
	error = cxfw_card_enter_locked(card);
	if (error) {
		if (why)
			strscpy(why, card->device.why, CXFW_WHY_LENGTH);
		mutex_unlock(&card->lock);
	}
	return error;
}

void cxfw_card_leave(struct cxfw_card *card)
{
	pm_runtime_put(&card->device.pdev->dev);
	mutex_unlock(&card->lock);
}

/* ---- stale locks ---- */

/* How a semaphore is tried at load: short, since nobody may be there who gives it back. */
struct look {
	struct cxfw_wait wait;
	u32 address;
	bool latch;	/* in CR-space, taken by a read; else in the semaphore space */
};

#define BRIEFLY(which)	{ .semaphore = (which), .timeout_ms = 500, .interval_us = 20000 }

static const struct look look_icmd = { BRIEFLY(CXFW_SEMAPHORE_ICMD), CXFW_ICMD_SEMAPHORE, false };

static const struct look looks_vsc[] = {
	{ BRIEFLY(CXFW_SEMAPHORE_FLASH_ICMD), CXFW_FLASH_ICMD_SEMAPHORE, false },
	{ },
};

static const struct look looks_mlx4[] = {
	{ BRIEFLY(CXFW_SEMAPHORE_FLASH_HCR), CXFW_FLASH_HCR_SEMAPHORE, true },
	{ BRIEFLY(CXFW_SEMAPHORE_FLASH_GATEWAY), CXFW_FLASH_GATEWAY_SEMAPHORE, true },
	{ },
};

static const struct look *looks_at(const struct cxfw_device *device)
{
	static const struct look none = { };

	if (device->chip && device->chip->family == CXFW_FAMILY_MLX4)
		return looks_mlx4;
	return device->gateway.vsc ? looks_vsc : &none;
}

/* Takes it and gives it back. */
static int try_semaphore(struct cxfw_device *device, const struct look *look)
{
	int error;

	if (look->latch)
		error = cxfw_latch_take(device, look->address, 0xffffffff, &look->wait);
	else
		error = cxfw_owner_take(device, look->address, &look->wait);
	if (error)
		return error;
	device->finishing = true;
	if (look->latch)
		error = cxfw_gateway_write(device, CXFW_SPACE_CR, look->address, 0);
	else
		error = cxfw_owner_give(device, look->address);
	cxfw_gateway_end(device);
	device->finishing = false;
	return error;
}

/*
 * A dead tool, or a kernel that crashed, leaves semaphores taken; so does a running tool.
 * Trying them shows it before somebody needs them.
 */
void cxfw_card_look_for_stale_locks(struct cxfw_card *card)
{
	const struct look *look;

	mutex_lock(&card->lock);
	for (look = looks_at(&card->device); look->wait.semaphore && !card->stale[0]; look++) {
		if (cxfw_card_enter_locked(card))
			break;
		if (try_semaphore(&card->device, look) == -EBUSY) {
			strscpy(card->stale, card->device.why, sizeof(card->stale));
			pci_warn(card->device.pdev, "cxfw: found at load: %s\n", card->stale);
		}
		pm_runtime_put(&card->device.pdev->dev);
	}
	mutex_unlock(&card->lock);
}

/* ---- opening ---- */

static int open_awake(struct cxfw_card *card)
{
	int error = cxfw_device_open(&card->device, card->device.pdev);

	/* Without commands a card of two functions cannot be told from two cards. */
	if (!error && cxfw_card_has_registers(card))
		error = try_semaphore(&card->device, &look_icmd);
	if (error)
		return error;
	card->opened = true;
	cxfw_card_read_identity(card);
	cxfw_has_components(&card->device);
	return 0;
}

/* Opens the card, once; why tells what is wrong when it does not work. */
int cxfw_card_open(struct cxfw_card *card, char *why)
{
	struct pci_dev *pdev = card->device.pdev;
	int error = 0;

	mutex_lock(&card->lock);
	if (!card->opened) {
		if (READ_ONCE(card->device.gone))
			error = cxfw_fail(&card->device, -ENODEV, "%s was unplugged", card->address);
		else if (cxfw_pci_given_away(pdev))
			error = cxfw_fail(&card->device, -EOPNOTSUPP, CXFW_GIVEN_AWAY, pci_name(pdev),
					  dev_driver_string(&pdev->dev));
		else
			error = wake(card);
		if (!error) {
			error = open_awake(card);
			pm_runtime_put(&pdev->dev);
		}
		card->open_error = error;
	}
	if (error)
		strscpy(why, card->device.why, CXFW_WHY_LENGTH);
	mutex_unlock(&card->lock);
	return error;
}

/* ---- one card or two ---- */

static bool same_slot(const struct cxfw_card *card, const struct cxfw_card *twin)
{
	size_t length = strcspn(card->address, ".");

	return !strncmp(card->address, twin->address, length + 1);
}

/* Does the card see what its twin wrote into the flash programming semaphore? */
static bool sees_lock_of(struct cxfw_card *card, const struct cxfw_card *twin)
{
	struct cxfw_device *device = &card->device;
	u32 value = 0;
	bool sees;

	/* The only place where two cards are locked: the listed one first, then the one that is not yet. */
	mutex_lock_nested(&card->lock, SINGLE_DEPTH_NESTING);
	sees = !cxfw_card_enter_locked(card);
	if (!sees) {
		mutex_unlock(&card->lock);
		return false;
	}
	sees = !cxfw_gateway_begin(device);
	if (sees) {
		sees = !cxfw_gateway_read(device, CXFW_SPACE_SEMAPHORE, CXFW_FLASH_ICMD_SEMAPHORE, &value) &&
		       value == twin->device.owner;
		cxfw_gateway_end(device);
	}
	cxfw_card_leave(card);
	return sees;
}

/*
 * Functions in one slot with one identity are one card. In two slots they are a
 * socket-direct card, or two cards one of which got the other's flash content.
 */
bool cxfw_card_is_same(struct cxfw_card *card, struct cxfw_card *twin)
{
	struct cxfw_device *device = &twin->device;
	bool locked_by_job, same;

	if (same_slot(card, twin))
		return true;
	if (cxfw_card_enter(twin, NULL))
		return false;
	locked_by_job = device->flash.locked;
	same = locked_by_job || !cxfw_flash_lock(device);
	if (same)
		same = sees_lock_of(card, twin);
	if (device->flash.locked && !locked_by_job)
		cxfw_flash_unlock(device);
	cxfw_card_leave(twin);
	return same;
}

/* ---- clearing a semaphore ---- */

int cxfw_card_semaphore_clear(struct cxfw_card *card, enum cxfw_semaphore semaphore, u32 value, char *why)
{
	int error;

	why[0] = '\0';
	if (mutex_lock_killable(&card->lock))
		return -EINTR;
	if (cxfw_job_runs(card, why)) {
		mutex_unlock(&card->lock);
		return -EBUSY;
	}
	/* A card that could not be opened because of that very semaphore is cleared as well. */
	if (card->opened)
		error = cxfw_card_enter_locked(card);
	else if (READ_ONCE(card->device.gone) || !card->device.gateway.vsc)
		error = card->open_error;
	else
		error = wake(card);
	if (error) {
		strscpy(why, card->device.why, CXFW_WHY_LENGTH);
		mutex_unlock(&card->lock);
		return error;
	}
	error = cxfw_semaphore_clear(&card->device, semaphore, value);
	if (error)
		strscpy(why, card->device.why, CXFW_WHY_LENGTH);
	else
		card->stale[0] = '\0';
	cxfw_card_leave(card);
	if (error || card->opened)
		return error;

	cxfw_card_retry(card);
	return 0;
}
