// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "card.h"
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
		return cxfw_fail(&card->device, -ENODEV, "%s does not answer: it is in reset, powered off or unplugged",
				 card->address);
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

	if (error < 0) {
		pm_runtime_put_noidle(device);
		return cxfw_fail(&card->device, -EIO, "%s does not leave its sleep state (error %d)", card->address, error);
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
	if (!card->opened)
		return card->open_error;	/* device.why still says why */
	if (cxfw_card_given_away(card, why))
		return cxfw_fail(&card->device, -EBUSY, "%s", why);
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

/* ---- opening ---- */

/*
 * A dead tool, or a kernel that crashed, leaves semaphores taken; so does a running tool.
 * Taking and giving back the flash lock shows it before somebody needs it.
 */
static void look_for_stale_locks(struct cxfw_card *card)
{
	struct cxfw_device *device = &card->device;

	if (!cxfw_flash_lock(device)) {
		cxfw_flash_unlock(device);
		return;
	}
	if (device->semaphore == CXFW_SEMAPHORE_NONE)
		return;
	strscpy(card->stale, device->why, sizeof(card->stale));
	pci_warn(device->pdev, "cxfw: found at load: %s\n", card->stale);
}

static int open_awake(struct cxfw_card *card)
{
	int error = cxfw_device_open(&card->device, card->device.pdev);

	if (error)
		return error;
	card->opened = true;
	cxfw_card_read_identity(card);
	look_for_stale_locks(card);
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
			error = cxfw_fail(&card->device, -EBUSY, CXFW_GIVEN_AWAY, pci_name(pdev),
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
