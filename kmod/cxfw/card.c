// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "card.h"
#include "job.h"
#include "netlink.h"
#include "reg.h"

/* Guards the lists of functions and cards, their links to each other, and the next index. */
static DEFINE_MUTEX(registry_lock);
static LIST_HEAD(functions);
static LIST_HEAD(cards);
static u32 next_index = 1;

#define RETRY_AFTER	HZ	/* a troubled function is asked again at most so often */

#define GIVEN_AWAY	"%s is bound to %s: it belongs to a virtual machine or another program, and is left alone"

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
	mutex_lock(&registry_lock);
	card->index = next_index++;
	mutex_unlock(&registry_lock);
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

/* ---- the registry ---- */

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

/* A listed card with the same flash. */
static struct cxfw_card *find_twin(const struct cxfw_card *card)
{
	struct cxfw_card *other;

	if (!card->base_mac)
		return NULL;
	list_for_each_entry(other, &cards, node)
		if (other != card && other->base_mac == card->base_mac &&
		    other->identity_hw_id == card->identity_hw_id && !READ_ONCE(other->device.gone))
			return other;
	return NULL;
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

	cxfw_job_wait(card);
	mutex_lock(&card->lock);
	mutex_lock(&registry_lock);
	card->device.pdev = NULL;
	mutex_unlock(&registry_lock);
	mutex_unlock(&card->lock);
	pci_dev_put(pdev);
}

/* Settles what a function is: joins it to the card, or records why there is none. */
void cxfw_function_end(struct cxfw_function *function, struct cxfw_card *card,
		       enum cxfw_function_state state, int error, const char *why)
{
	struct cxfw_card *twin = NULL, *joined = NULL;
	int add = -1, remove = -1;
	bool announce = false;

	mutex_lock(&registry_lock);
	if (function->leaving || function->card != card) {
		mutex_unlock(&registry_lock);
		return;
	}
	if (state == CXFW_FUNCTION_MANAGED)
		twin = find_twin(card);
	list_del_init(&function->sibling);
	if (twin || state == CXFW_FUNCTION_REFUSED) {
		unlist_card(card);
		function->card = twin ? cxfw_card_get(twin) : NULL;
		WRITE_ONCE(card->device.gone, true);	/* for files that were opened while it was in trouble */
		cxfw_card_put(card);			/* the function's; the caller has its own */
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
			snprintf(why, CXFW_WHY_LENGTH, GIVEN_AWAY, pci_name(function->pdev), dev_driver_string(&function->pdev->dev));
		break;
	}
	mutex_unlock(&registry_lock);
	return given;
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

static int enter_locked(struct cxfw_card *card)
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
	error = enter_locked(card);
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

/* ---- facts ---- */

static bool has_registers(const struct cxfw_device *device)
{
	return device->gateway.vsc && !device->recovery &&
	       !(device->chip && device->chip->family == CXFW_FAMILY_MLX4);
}

/* Only as much of each register as is wanted goes over the gateway. */
#define MGIR_SEND	4
#define MGIR_BYTES	0x50
#define MCQS_SEND	4
#define MCQS_BYTES	0xc
#define MCQI_SEND	0x18
#define MCQI_BYTES	0x20
#define COMPONENTS_MAX	64
#define BOOT_IMG	1
#define UPDATE_PENDING	4	/* ACTIVE_PENDING_RESET */

static u32 dword(const __be32 *data, unsigned int offset)
{
	return be32_to_cpu(data[offset / 4]);
}

static void copy_psid(char *psid, const __be32 *data)
{
	const char *text = (const char *)data;
	unsigned int i;

	for (i = 0; i < 16 && text[i] > ' ' && text[i] < 0x7f; i++)
		psid[i] = text[i];
	psid[i] = '\0';
}

/* Documentation/reference/device-access.md 4.1: the extended triple, else the legacy bytes. */
static void copy_version(u32 *version, const __be32 *data)
{
	u32 legacy = dword(data, 0x20);

	version[0] = dword(data, 0x44);
	version[1] = dword(data, 0x48);
	version[2] = dword(data, 0x4c);
	if (version[0] || version[1] || version[2])
		return;
	version[0] = legacy >> 16 & 0xff;
	version[1] = legacy >> 8 & 0xff;
	version[2] = legacy & 0xff;
}

static int read_mgir(struct cxfw_card *card, __be32 *data)
{
	memset(data, 0, MGIR_BYTES);
	return cxfw_reg(&card->device, CXFW_REG_MGIR, CXFW_METHOD_GET, data, MGIR_SEND, MGIR_BYTES, NULL);
}

static int read_mcqs(struct cxfw_card *card, u32 index, __be32 *data)
{
	memset(data, 0, MCQS_BYTES);
	data[0] = cpu_to_be32(index);
	return cxfw_reg(&card->device, CXFW_REG_MCQS, CXFW_METHOD_GET, data, MCQS_SEND, MCQS_BYTES, NULL);
}

/* The answer for BOOT_IMG; finds its index first, once. -ENOENT: no such component. */
static int read_boot_component(struct cxfw_card *card, __be32 *data)
{
	u32 index;
	int error;

	if (card->boot_component)
		return read_mcqs(card, card->boot_component - 1, data);
	for (index = 0; index < COMPONENTS_MAX; index++) {
		error = read_mcqs(card, index, data);
		if (error)
			return error;
		if ((dword(data, 4) & 0xffff) == BOOT_IMG) {
			card->boot_component = 1 + index;
			return 0;
		}
		if (dword(data, 0) & BIT(31))
			break;
	}
	return -ENOENT;
}

static void read_stored(struct cxfw_card *card, struct cxfw_card_facts *facts, __be32 *data)
{
	u32 version;

	if (read_boot_component(card, data) || (dword(data, 8) & 0xf) != UPDATE_PENDING)
		return;
	memset(data, 0, MCQI_BYTES);
	data[0] = cpu_to_be32(BIT(31) | (card->boot_component - 1));
	data[2] = cpu_to_be32(1);	/* VERSION */
	data[5] = cpu_to_be32(MCQI_BYTES - MCQI_SEND);
	if (cxfw_reg(&card->device, CXFW_REG_MCQI, CXFW_METHOD_GET, data, MCQI_SEND, MCQI_BYTES, NULL))
		return;
	version = dword(data, 0x18 + 4);
	facts->stored[0] = version >> 24;
	facts->stored[1] = version >> 16 & 0xff;
	facts->stored[2] = version & 0xffff;
	facts->stored_valid = true;
}

static void complain(struct cxfw_card_facts *facts, const char *why)
{
	if (!facts->trouble[0])
		strscpy(facts->trouble, why, sizeof(facts->trouble));
}

static void read_firmware_facts(struct cxfw_card *card, struct cxfw_card_facts *facts, __be32 *data)
{
	struct cxfw_device *device = &card->device;
	u32 date;

	if (device->recovery)
		return;
	if (!has_registers(device)) {
		facts->running_valid = !cxfw_running_version(device, facts->running, &date);
		if (!facts->running_valid)
			complain(facts, device->why);
		return;
	}
	if (read_mgir(card, data)) {
		complain(facts, device->why);
		return;
	}
	copy_psid(facts->psid, data + 0x30 / 4);
	copy_version(facts->running, data);
	facts->running_valid = true;
	read_stored(card, facts, data);
}

static void copy_identity(const struct cxfw_card *card, struct cxfw_card_facts *facts)
{
	const struct cxfw_device *device = &card->device;

	facts->index = card->index;
	facts->identified = card->opened;
	if (device->chip)
		facts->family = device->chip->family;
	if (device->gateway.ops)
		facts->gateway = device->gateway.ops->kind;
	if (!card->opened)
		return;
	facts->generic = !device->chip;
	facts->hw_id = device->hw_id;
	facts->hw_revision = device->hw_revision;
	facts->capabilities = cxfw_card_capabilities(card);
}

static void copy_functions(struct cxfw_card *card, struct cxfw_card_facts *facts)
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

u64 cxfw_card_capabilities(const struct cxfw_card *card)
{
	const struct cxfw_device *device = &card->device;
	char why[CXFW_WHY_LENGTH];
	u64 capabilities = CXFW_CAP_SEMAPHORE_CLEAR;

	if (!cxfw_flash_content_allowed(NULL))
		capabilities |= CXFW_CAP_FLASH_READ;
	if (has_registers(device))
		capabilities |= CXFW_CAP_REGISTERS;
	if (device->chip && device->chip->family == CXFW_FAMILY_MLX4 &&
	    !cxfw_burn_allowed(CXFW_FORMAT_FS2, why))
		capabilities |= CXFW_CAP_BURN_PLAN | CXFW_CAP_BURN_FS2;
	return capabilities;
}

/* Everything that the card's registers tell; only a killed caller gets an error. */
int cxfw_card_facts(struct cxfw_card *card, struct cxfw_card_facts *facts)
{
	__be32 *data;
	int error;

	memset(facts, 0, sizeof(*facts));
	data = kmalloc(MGIR_BYTES, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	copy_functions(card, facts);
	if (mutex_lock_killable(&card->lock)) {
		kfree(data);
		return -EINTR;
	}
	error = enter_locked(card);
	copy_identity(card, facts);
	if (error) {
		facts->state = error == -ENODEV ? CXFW_STATE_ABSENT : CXFW_STATE_UNKNOWN;
		complain(facts, card->device.why);
		mutex_unlock(&card->lock);
	} else {
		facts->state = card->device.recovery ? CXFW_STATE_RECOVERY : CXFW_STATE_RUNNING;
		read_firmware_facts(card, facts, data);
		complain(facts, card->stale);
		cxfw_card_leave(card);
	}
	kfree(data);
	return 0;
}

/* ---- opening ---- */

static void read_identity(struct cxfw_card *card)
{
	__be32 *data;

	card->identity_hw_id = card->device.hw_id;
	if (!has_registers(&card->device))
		return;
	data = kmalloc(MGIR_BYTES, GFP_KERNEL);
	if (data && !read_mgir(card, data))
		card->base_mac = (u64)(dword(data, 0x10) & 0xffff) << 32 | dword(data, 0x14);
	kfree(data);
}

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
	read_identity(card);
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
			error = cxfw_fail(&card->device, -EBUSY, GIVEN_AWAY, pci_name(pdev),
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

/* ---- clearing a semaphore ---- */

int cxfw_card_semaphore_clear(struct cxfw_card *card, enum cxfw_semaphore semaphore, u32 value, char *why)
{
	struct cxfw_function *function;
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
		error = enter_locked(card);
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

	mutex_lock(&registry_lock);
	list_for_each_entry(function, &card->functions, sibling)
		identify_again(function, 0);
	mutex_unlock(&registry_lock);
	return 0;
}
