// SPDX-License-Identifier: GPL-2.0-only
/* The driver over generic netlink: cards, the commands burn and activate, semaphores. */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "../base/message.h"
#include "../host/machine.h"
#include "../host/module.h"
#include "../host/sysfs.h"
#include "private.h"

static unsigned int timeout_seconds;

void device_set_timeout(unsigned int seconds)
{
	timeout_seconds = seconds;
}

unsigned int device_timeout(void)
{
	return timeout_seconds ? timeout_seconds : 30;
}

static bool takes_signed_only(const struct machine *machine)
{
	char enforced[8] = "";

	sysfs_read(enforced, sizeof(enforced), "module/module/parameters/sig_enforce");
	return enforced[0] == 'Y' || machine->lockdown >= LOCKDOWN_INTEGRITY || machine->secure_boot == 1;
}

/* Why the kernel does not know the family. */
static int no_family(struct cxctl_error *error)
{
	struct module_status module;
	struct machine machine;

	module_query("cxfw", &module);
	machine_query(&machine);
	switch (module.state) {
	case MODULE_NOT_INSTALLED:
		error_set(error, CXCTL_NO_ACCESS, "module-not-installed",
			  _("the driver cxfw is not installed on this machine"));
		error_expected(error, _("module cxfw for kernel %s"), machine.release);
		error_next(error, _("build it with 'make modules' and load it with 'modprobe cxfw'; without it only sysfs and devlink facts are known"));
		return -1;
	case MODULE_OTHER_KERNEL:
		error_set(error, CXCTL_NO_ACCESS, "module-other-kernel",
			  _("the driver cxfw is installed, but for another kernel"));
		error_found(error, _("kernel %s (%s)"), module.kernel, module.path);
		error_expected(error, _("kernel %s, which is running"), machine.release);
		error_next(error, _("build cxfw for the running kernel, or boot the kernel that it was built for"));
		return -1;
	case MODULE_NOT_LOADED:
		error_set(error, CXCTL_NO_ACCESS, "module-not-loaded", _("the driver cxfw is not loaded"));
		error_found(error, _("installed at %s"), module.path);
		error_next(error, takes_signed_only(&machine) ?
			   _("run 'modprobe cxfw' as root; this machine loads signed modules only, so the module must be signed with an enrolled key") :
			   _("run 'modprobe cxfw' as root"));
		return -1;
	case MODULE_LOADED:
		break;
	}
	error_set(error, CXCTL_NO_ACCESS, "other-network-namespace",
		  _("the driver cxfw is loaded, but its netlink interface cannot be seen from here"));
	error_rule(error, _("cxfw answers in the initial network namespace only"));
	error_next(error, machine.container ?
		   _("run cxctl on the host, not in the container, or give the container the host's network") :
		   _("run cxctl in the initial network namespace"));
	return -1;
}

int cxfw_open(struct genl *genl, const char *group, struct cxctl_error *error)
{
	int result = genl_open(genl, CXFW_GENL_NAME, CXFW_GENL_VERSION, group);

	if (!result)
		return 0;
	if (result == -ENOENT)
		return no_family(error);
	return error_set(error, CXCTL_NO_ACCESS, "netlink", _("cannot use netlink: %s"), strerror(-result));
}

static int no_permission(struct cxctl_error *error, const char *words)
{
	struct machine machine;

	machine_query(&machine);
	error_set(error, CXCTL_NO_ACCESS, "no-permission", _("the driver cxfw does not answer this user"));
	if (*words)
		error_found(error, "%s", words);
	else if (machine.root && !machine.initial_user_namespace)
		error_found(error, _("root of a user namespace"));
	else if (machine.root)
		error_found(error, _("root without the capability CAP_SYS_ADMIN"));
	else
		error_found(error, _("a user without the capability CAP_SYS_ADMIN"));
	error_rule(error, _("cxfw asks for CAP_SYS_ADMIN in the initial user namespace"));
	error_next(error, _("run cxctl as root"));
	return -1;
}

int cxfw_error(const struct genl *genl, int number, const char *what, struct cxctl_error *error)
{
	const char *words = genl->message;

	switch (number) {
	case EPERM:
	case EACCES:
		return no_permission(error, words);
	case ENODEV:
	case ENOENT:
		error_set(error, CXCTL_NO_CARD, "unknown-to-driver", _("%s: the driver cxfw does not know it"), what);
		break;
	case EBUSY:
		error_set(error, CXCTL_CARD_ERROR, "busy", _("%s: busy"), what);
		error_next(error, _("wait for what is going on (cxctl monitor shows it) and try again"));
		break;
	case ESTALE:
		error_set(error, CXCTL_REFUSED, "changed", _("%s: it is not as it was any more"), what);
		break;
	case ETIMEDOUT:
		error_set(error, CXCTL_CARD_ERROR, "timeout", _("%s: no answer from the driver within %u seconds"),
			  what, device_timeout());
		break;
	case EOPNOTSUPP:
		error_set(error, CXCTL_REFUSED, "not-supported", _("%s: the driver or the card cannot do this"), what);
		break;
	case EINVAL:
	case ERANGE:
		error_set(error, CXCTL_REFUSED, "refused", _("%s: refused by the driver"), what);
		break;
	default:
		error_set(error, CXCTL_CARD_ERROR, "driver", "%s: %s", what, strerror(number));
		break;
	}
	if (*words)
		error_found(error, "%s", words);
	return -1;
}

static void take_version(const struct nlattr *nest, struct cxctl_version *version)
{
	const struct nlattr *table[CXFW_A_MAX + 1];

	if (!nest)
		return;
	genl_nested(nest, table, CXFW_A_MAX);
	version->valid = table[CXFW_A_VERSION_MAJOR] != NULL;
	version->major = genl_number(table[CXFW_A_VERSION_MAJOR]);
	version->minor = genl_number(table[CXFW_A_VERSION_MINOR]);
	version->subminor = genl_number(table[CXFW_A_VERSION_SUBMINOR]);
}

void cxfw_take_card(const struct nlattr **table, struct cxctl_card_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->valid = true;
	genl_string(facts->address, sizeof(facts->address), table[CXFW_A_ADDRESS]);
	facts->capabilities = genl_number(table[CXFW_A_CAPABILITIES]);
	facts->card_index = genl_number(table[CXFW_A_CARD_INDEX]);
	facts->pci_device = genl_number(table[CXFW_A_PCI_DEVICE]);
	facts->hw_id_valid = table[CXFW_A_HW_ID] != NULL;
	facts->hw_id = genl_number(table[CXFW_A_HW_ID]);
	facts->hw_revision = genl_number(table[CXFW_A_HW_REVISION]);
	facts->family = genl_number(table[CXFW_A_FAMILY]);
	facts->gateway = genl_number(table[CXFW_A_GATEWAY]);
	facts->state = genl_number(table[CXFW_A_STATE]);
	facts->generic = table[CXFW_A_GENERIC] != NULL;
	genl_string(facts->psid, sizeof(facts->psid), table[CXFW_A_PSID]);
	take_version(table[CXFW_A_RUNNING], &facts->running);
	take_version(table[CXFW_A_STORED], &facts->stored);
	genl_string(facts->trouble, sizeof(facts->trouble), table[CXFW_A_TROUBLE]);
}

static void take_function(const struct nlattr *nest, struct cxctl_card_facts *facts)
{
	const struct nlattr *table[CXFW_A_MAX + 1];

	if (facts->function_count >= sizeof(facts->functions) / sizeof(facts->functions[0]))
		return;
	genl_nested(nest, table, CXFW_A_MAX);
	genl_string(facts->functions[facts->function_count].address,
		    sizeof(facts->functions[0].address), table[CXFW_A_ADDRESS]);
	facts->functions[facts->function_count++].pci_device = genl_number(table[CXFW_A_PCI_DEVICE]);
}

static void take_card_message(const struct nlmsghdr *message, struct cxctl_card_facts *facts)
{
	const struct nlattr *table[CXFW_A_MAX + 1], *attribute;
	unsigned int i;

	genl_attributes(message, table, CXFW_A_MAX);
	cxfw_take_card(table, facts);
	/* FUNCTION stands there once for each function, so the table has only the last one. */
	mnl_attr_for_each(attribute, message, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attribute) == CXFW_A_FUNCTION)
			take_function(attribute, facts);
	if (!facts->address[0] && facts->function_count)
		memcpy(facts->address, facts->functions[0].address, sizeof(facts->address));
	for (i = 0; !facts->pci_device && i < facts->function_count; i++)
		if (!strcmp(facts->functions[i].address, facts->address))
			facts->pci_device = facts->functions[i].pci_device;
}

static int take_one_card(const struct nlmsghdr *message, void *data)
{
	take_card_message(message, data);
	return MNL_CB_OK;
}

int cxfw_card_get(const char *address, struct cxctl_card_facts *facts, struct cxctl_error *error)
{
	struct nlmsghdr *request;
	struct genl genl;
	int result;

	memset(facts, 0, sizeof(*facts));
	if (cxfw_open(&genl, NULL, error))
		return -1;
	request = genl_request(&genl, CXFW_CMD_CARD_GET, false);
	mnl_attr_put_strz(request, CXFW_A_ADDRESS, address);
	result = genl_run(&genl, request, take_one_card, facts);
	if (result)
		cxfw_error(&genl, -result, address, error);
	genl_close(&genl);
	return result ? -1 : 0;
}

/* A dump is gathered first: one that was interrupted by a hotplug is asked for again. */
struct gathered {
	struct cxctl_card_facts *cards;
	size_t count;
};

static int gather(const struct nlmsghdr *message, void *data)
{
	struct gathered *gathered = data;
	struct cxctl_card_facts *grown = realloc(gathered->cards, (gathered->count + 1) * sizeof(*grown));

	if (!grown) {
		errno = ENOMEM;
		return MNL_CB_ERROR;
	}
	gathered->cards = grown;
	take_card_message(message, &grown[gathered->count++]);
	return MNL_CB_OK;
}

int cards_each(int (*callback)(const struct cxctl_card_facts *facts, void *data), void *data,
	       struct cxctl_error *error)
{
	struct gathered gathered = { NULL, 0 };
	struct genl genl;
	int result, tries = 5;
	size_t i;

	if (cxfw_open(&genl, NULL, error))
		return -1;
	do {
		gathered.count = 0;
		result = genl_run(&genl, genl_request(&genl, CXFW_CMD_CARD_GET, true), gather, &gathered);
	} while (result == -EINTR && --tries);
	if (result)
		cxfw_error(&genl, -result, _("the list of cards"), error);
	for (i = 0; !result && i < gathered.count; i++)
		if (callback(&gathered.cards[i], data))
			break;
	free(gathered.cards);
	genl_close(&genl);
	return result ? -1 : 0;
}

static int take_job_id(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[CXFW_A_MAX + 1];

	genl_attributes(message, table, CXFW_A_MAX);
	*(uint64_t *)data = genl_number(table[CXFW_A_JOB_ID]);
	return MNL_CB_OK;
}

int card_burn(struct cxctl_card *card, const uint8_t stage_sha256[32], uint64_t *job, struct cxctl_error *error)
{
	struct nlmsghdr *request;
	struct genl genl;
	int result;

	*job = 0;
	if (card_access(card, error) || cxfw_open(&genl, NULL, error))
		return -1;
	request = genl_request(&genl, CXFW_CMD_BURN, false);
	mnl_attr_put_strz(request, CXFW_A_ADDRESS, card->pci.address);
	mnl_attr_put_u32(request, CXFW_A_STAGE_FD, card->fd);
	mnl_attr_put(request, CXFW_A_STAGE_SHA256, 32, stage_sha256);
	result = genl_run(&genl, request, take_job_id, job);
	if (result)
		cxfw_error(&genl, -result, card->pci.address, error);
	genl_close(&genl);
	return result ? -1 : 0;
}

int card_semaphore_clear(struct cxctl_card *card, enum cxfw_semaphore semaphore, uint32_t value,
			 struct cxctl_error *error)
{
	struct nlmsghdr *request;
	struct genl genl;
	int result;

	if (cxfw_open(&genl, NULL, error))
		return -1;
	request = genl_request(&genl, CXFW_CMD_SEMAPHORE_CLEAR, false);
	mnl_attr_put_strz(request, CXFW_A_ADDRESS, card->pci.address);
	mnl_attr_put_u32(request, CXFW_A_SEMAPHORE, semaphore);
	mnl_attr_put_u32(request, CXFW_A_SEMAPHORE_VALUE, value);
	result = genl_run(&genl, request, NULL, NULL);
	if (result == -ESTALE) {
		error_set(error, CXCTL_REFUSED, "semaphore-changed",
			  _("%s: semaphore %s does not hold 0x%x any more, so somebody is using it"),
			  card->pci.address, semaphore_name(semaphore), value);
		if (*genl.message)
			error_found(error, "%s", genl.message);
		error_rule(error, _("a semaphore is cleared only while it holds the value that was seen stuck"));
		error_next(error, _("try the command again that was refused"));
	} else if (result) {
		cxfw_error(&genl, -result, card->pci.address, error);
	}
	genl_close(&genl);
	return result ? -1 : 0;
}

static const char *const semaphore_names[] = {
	[CXFW_SEMAPHORE_VSC] = "vsc",
	[CXFW_SEMAPHORE_ICMD] = "icmd",
	[CXFW_SEMAPHORE_FLASH_ICMD] = "flash-icmd",
	[CXFW_SEMAPHORE_FLASH_GATEWAY] = "flash-gateway",
	[CXFW_SEMAPHORE_FLASH_HCR] = "flash-hcr",
	[CXFW_SEMAPHORE_UPDATE_HANDLE] = "update-handle",
};

#define SEMAPHORES (sizeof(semaphore_names) / sizeof(semaphore_names[0]))

const char *semaphore_name(uint32_t semaphore)
{
	return semaphore < SEMAPHORES && semaphore_names[semaphore] ? semaphore_names[semaphore] : "unknown";
}

int semaphore_by_name(const char *name)
{
	size_t i;

	for (i = 1; i < SEMAPHORES; i++)
		if (!strcmp(semaphore_names[i], name))
			return i;
	return -1;
}

#define ACTIVATE_SECONDS	180	/* the driver gives up long before: a card boots for up to 120 s */

static int activate_error(struct cxctl_card *card, const struct genl *genl, int number, struct cxctl_error *error)
{
	const char *address = card->pci.address;

	switch (number) {
	case EBUSY:
		error_set(error, CXCTL_REFUSED, "card-in-use", _("%s: the card cannot be reset now, since it is in use"), address);
		break;
	case EPERM:
		if (!*genl->message || strstr(genl->message, "CAP_SYS_ADMIN"))
			return cxfw_error(genl, number, address, error);
		error_set(error, CXCTL_REFUSED, "card-shared", _("%s: the card is not this machine's alone"), address);
		break;
	case EOPNOTSUPP:
		error_set(error, CXCTL_REFUSED, "reset-not-offered", _("%s: the card or its slot does not offer this reset"),
			  address);
		break;
	default:
		return cxfw_error(genl, number, address, error);
	}
	if (*genl->message)
		error_found(error, "%s", genl->message);
	return -1;
}

int card_activate(struct cxctl_card *card, enum cxfw_reset_level level, struct cxctl_error *error)
{
	struct timeval wait = { .tv_sec = ACTIVATE_SECONDS };
	struct nlmsghdr *request;
	struct genl genl;
	int result;

	if (cxfw_open(&genl, NULL, error))
		return -1;
	setsockopt(mnl_socket_get_fd(genl.socket), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	request = genl_request(&genl, CXFW_CMD_ACTIVATE, false);
	mnl_attr_put_strz(request, CXFW_A_ADDRESS, card->pci.address);
	mnl_attr_put_u32(request, CXFW_A_RESET_LEVEL, level);
	result = genl_run(&genl, request, NULL, NULL);
	if (result)
		activate_error(card, &genl, -result, error);
	genl_close(&genl);
	return result ? -1 : 0;
}
