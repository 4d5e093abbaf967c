// SPDX-License-Identifier: GPL-2.0-only
/* One open card: what netlink tells of it and its character device. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../base/message.h"
#include "../host/machine.h"
#include "private.h"

#define RETRY_NS		20000000	/* between two tries of a busy card */
#define SEMAPHORE_SECONDS	10		/* a semaphore that is held so long has lost its owner */

static const char *device_directory(void)
{
	const char *directory = getenv("CXCTL_DEV");

	return directory && *directory ? directory : "/dev/cxfw";
}

static int explain_node(const char *path, int number, struct cxctl_error *error)
{
	struct machine machine;

	machine_query(&machine);
	if (number == EACCES || number == EPERM) {
		error_set(error, CXCTL_NO_ACCESS, "no-permission", _("cannot open %s: %s"), path, strerror(number));
		error_rule(error, _("the driver's character device asks for CAP_SYS_ADMIN in the initial user namespace"));
		error_next(error, _("run cxctl as root"));
	} else if (number == ENOENT && machine.container) {
		error_set(error, CXCTL_NO_ACCESS, "no-device-node", _("%s is not there: this is a container"), path);
		error_next(error, _("give the container the directory %s, or run cxctl on the host"),
			   device_directory());
	} else if (number == ENOENT) {
		error_set(error, CXCTL_NO_ACCESS, "no-device-node", _("%s is not there"), path);
		error_found(error, _("the driver knows the card but its device node is missing"));
		error_next(error, _("mount devtmpfs on /dev or start udev"));
	} else {
		error_set(error, CXCTL_NO_ACCESS, "open", _("cannot open %s: %s"), path, strerror(number));
	}
	return -1;
}

/* A card that the driver does not have, though it is loaded. */
static void explain_unknown(const struct pci_function *pci, struct cxctl_error *error)
{
	char words[sizeof(error->found)];

	memcpy(words, error->found, sizeof(words));
	error_set(error, CXCTL_NO_ACCESS, "unknown-to-driver",
		  _("%s: the driver cxfw does not handle this function"), pci->address);
	if (*words)
		error_found(error, "%s", words);
	else
		error_found(error, _("PCI device %04x:%04x"), pci->vendor, pci->device);
	error_rule(error, _("cxfw takes listed ids, and unknown ones that have a proper vendor specific capability"));
	error_next(error, _("cxctl access %s tells which ways there are; the kernel log tells why cxfw left it alone"),
		   pci->address);
}

static void open_driver(struct cxctl_card *card)
{
	char path[PATH_MAX];

	if (cxfw_card_get(card->pci.address, &card->facts, &card->access)) {
		if (!strcmp(card->access.id, "unknown-to-driver") || !strcmp(card->access.id, "not-supported"))
			explain_unknown(&card->pci, &card->access);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", device_directory(), card->pci.address);
	card->fd = open(path, O_RDWR | O_CLOEXEC);
	if (card->fd < 0 && (errno == EACCES || errno == EROFS))
		card->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (card->fd < 0)
		explain_node(path, errno, &card->access);
}

struct cxctl_card *card_open(const char *name, struct cxctl_error *error)
{
	struct cxctl_card *card = calloc(1, sizeof(*card));

	if (!card) {
		error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
		return NULL;
	}
	card->fd = -1;
	if (name_resolve(name, &card->pci, error)) {
		free(card);
		return NULL;
	}
	open_driver(card);
	return card;
}

void card_close(struct cxctl_card *card)
{
	if (!card)
		return;
	if (card->fd >= 0)
		close(card->fd);
	free(card);
}

const char *card_address(const struct cxctl_card *card)
{
	return card->pci.address;
}

const struct pci_function *card_pci(const struct cxctl_card *card)
{
	return &card->pci;
}

const struct cxctl_card_facts *card_facts(const struct cxctl_card *card)
{
	return &card->facts;
}

const struct cxctl_devlink_facts *card_devlink(struct cxctl_card *card)
{
	if (!card->devlink_asked)
		devlink_get(card->pci.address, &card->devlink);
	card->devlink_asked = true;
	return &card->devlink;
}

int card_access(const struct cxctl_card *card, struct cxctl_error *error)
{
	if (card->fd >= 0)
		return 0;
	*error = card->access;
	return -1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static int ask_info(struct cxctl_card *card, struct cxfw_card_info *info)
{
	int result;

	do {
		memset(info, 0, sizeof(*info));
		info->size = sizeof(*info);
		result = ioctl(card->fd, CXFW_IOC_CARD_INFO, info);
	} while (result && errno == EINTR);
	info->why[sizeof(info->why) - 1] = '\0';
	info->flash_name[sizeof(info->flash_name) - 1] = '\0';
	return result ? -errno : 0;
}

static int stuck_semaphore(struct cxctl_card *card, const struct cxfw_card_info *info, struct cxctl_error *error)
{
	const char *name = semaphore_name(info->semaphore);

	error_set(error, CXCTL_CARD_ERROR, "semaphore-stuck", _("%s: semaphore %s stays locked"),
		  card->pci.address, name);
	error_found(error, _("semaphore %s holds 0x%x%s%s"), name, info->semaphore_value, *info->why ? "; " : "",
		    info->why);
	error_expected(error, _("0: free"));
	error_rule(error, _("whoever uses the card holds this semaphore; clearing it under a live user can corrupt what that one does"));
	error_next(error, _("if no other tool uses the card (a dead one left it locked): cxctl access %s --clear-semaphore %s=0x%x"),
		   card->pci.address, name, info->semaphore_value);
	return -1;
}

static int gone(struct cxctl_card *card, const char *doing, struct cxctl_error *error)
{
	error_set(error, CXCTL_CARD_ERROR, "card-gone", _("%s: the card is gone (%s)"), card->pci.address, doing);
	error_found(error, _("it was unplugged, switched off or reset while it was in use"));
	error_next(error, _("check the card with cxctl list; after a reset wait some seconds and try again"));
	return -1;
}

static int job_runs(struct cxctl_card *card, const char *doing, uint64_t id, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "job-running", _("%s: a job is running on this card (%s)"),
		  card->pci.address, doing);
	error_found(error, _("job %llu"), (unsigned long long)id);
	error_rule(error, _("while a job writes the flash nobody else reads it"));
	error_next(error, _("cxctl monitor shows the job; try again when it has ended"));
	return -1;
}

int card_no_flash(struct cxctl_card *card, const struct cxfw_card_info *info, struct cxctl_error *error)
{
	uint64_t job;

	if (info->state == CXFW_STATE_ABSENT)
		return gone(card, _("looking for its flash"), error);
	if (cxfw_job_on(card->pci.address, &job))
		return job_runs(card, _("looking for its flash"), job, error);
	if (info->semaphore != CXFW_SEMAPHORE_NONE)
		return stuck_semaphore(card, info, error);
	error_set(error, CXCTL_CARD_ERROR, "no-flash", _("%s: the flash cannot be read"), card->pci.address);
	error_found(error, "%s", *info->why ? info->why : _("no flash chip was recognised"));
	error_next(error, _("cxctl access %s tells which ways to the card work"), card->pci.address);
	return -1;
}

/* An errno of the character device in words. info tells what the driver remembers of the failure. */
static int device_error(struct cxctl_card *card, int number, const char *doing, struct cxctl_error *error)
{
	struct cxfw_card_info info;
	uint64_t job;
	int asked = number == ENODEV ? -ENODEV : ask_info(card, &info);

	if (asked)
		memset(&info, 0, sizeof(info));
	if (number == ENODEV || number == ENXIO || asked == -ENODEV || info.state == CXFW_STATE_ABSENT)
		return gone(card, doing, error);
	if (number == EBUSY && cxfw_job_on(card->pci.address, &job))
		return job_runs(card, doing, job, error);
	if (number == EBUSY && info.semaphore != CXFW_SEMAPHORE_NONE)
		return stuck_semaphore(card, &info, error);
	if (number == EPERM || number == EACCES) {
		error_set(error, CXCTL_NO_ACCESS, "no-permission", _("%s: not permitted (%s)"), card->pci.address,
			  doing);
		/* The driver has reasons of its own, lockdown for one: root does not help then. */
		if (*info.why)
			error_found(error, "%s", info.why);
		else
			error_next(error, _("run cxctl as root in the initial user namespace"));
		return -1;
	}
	if (number == EOPNOTSUPP)
		error_set(error, CXCTL_REFUSED, "not-supported", _("%s: not possible on this card (%s)"),
			  card->pci.address, doing);
	else if (number == EBUSY)
		error_set(error, CXCTL_CARD_ERROR, "busy", _("%s: busy (%s)"), card->pci.address, doing);
	else if (number == ETIMEDOUT)
		error_set(error, CXCTL_CARD_ERROR, "timeout", _("%s: the card did not answer in time (%s)"),
			  card->pci.address, doing);
	else
		error_set(error, CXCTL_CARD_ERROR, "card-error", "%s: %s (%s)", card->pci.address,
			  strerror(number), doing);
	if (*info.why)
		error_found(error, "%s", info.why);
	return -1;
}

/*
 * Whether a busy card is worth another try. A semaphore may be let go, but its holder gets
 * less patience, since its owner may be dead. A job takes minutes: nobody waits for it here.
 */
static bool again(struct cxctl_card *card, double since)
{
	struct timespec pause = { .tv_nsec = RETRY_NS };
	double waited = now() - since;
	struct cxfw_card_info info;
	uint64_t job;

	if (waited > device_timeout() || cxfw_job_on(card->pci.address, &job))
		return false;
	if (waited > SEMAPHORE_SECONDS && !ask_info(card, &info) && info.semaphore != CXFW_SEMAPHORE_NONE)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

int card_info(struct cxctl_card *card, struct cxfw_card_info *info, struct cxctl_error *error)
{
	double since = now();
	int result;

	memset(info, 0, sizeof(*info));
	if (card_access(card, error))
		return -1;
	while ((result = ask_info(card, info)) == -EBUSY && again(card, since))
		;
	if (result)
		return device_error(card, -result, _("reading the card's state"), error);
	return 0;
}

int card_read(struct cxctl_card *card, uint64_t offset, void *buffer, size_t length, struct cxctl_error *error)
{
	double since = now();
	size_t done = 0;

	if (card_access(card, error))
		return -1;
	while (done < length) {
		ssize_t got = pread(card->fd, (char *)buffer + done, length - done, offset + done);

		if (got > 0) {
			done += got;
			since = now();
		} else if (got == 0) {
			error_set(error, CXCTL_CARD_ERROR, "end-of-flash", _("%s: the flash ends at byte %llu"),
				  card->pci.address, (unsigned long long)(offset + done));
			error_expected(error, _("%zu bytes at 0x%llx"), length, (unsigned long long)offset);
			return -1;
		} else if (errno != EINTR && !(errno == EBUSY && again(card, since))) {
			return device_error(card, errno, _("reading the flash"), error);
		}
	}
	return 0;
}

/* device-access.md 3.2 */
static const char *register_status(uint32_t status)
{
	static const struct {
		uint32_t status;
		const char *text;
	} texts[] = {
		{ 1, N_("device busy") }, { 2, N_("version not supported") }, { 3, N_("unknown TLV") },
		{ 4, N_("register not supported") }, { 5, N_("class not supported") },
		{ 6, N_("method not supported") }, { 7, N_("bad parameter") },
		{ 8, N_("resource not available") }, { 0x20, N_("bad configuration") },
		{ 0x21, N_("erase count exceeded") }, { 0x22, N_("configuration corrupt") },
		{ 0x24, N_("length too small") }, { 0x70, N_("internal error") },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].status == status)
			return _(texts[i].text);
	return _("unknown status");
}

int card_register(struct cxctl_card *card, uint16_t id, void *data, size_t length, uint32_t *status,
		  struct cxctl_error *error)
{
	struct cxfw_register request;
	double since = now();
	char doing[64];
	int result, number;

	if (status)
		*status = 0;
	if (card_access(card, error))
		return -1;
	do {
		memset(&request, 0, sizeof(request));
		request.size = sizeof(request);
		request.id = id;
		request.length = length;
		request.data = (uintptr_t)data;
		result = ioctl(card->fd, CXFW_IOC_REGISTER, &request);
		number = result ? errno : 0;
	} while (number == EINTR || (number == EBUSY && again(card, since)));
	if (status)
		*status = request.status;
	if (!number)
		return 0;
	snprintf(doing, sizeof(doing), _("access register 0x%04x"), id);
	if (number == EIO && request.status) {
		error_set(error, CXCTL_CARD_ERROR, "register-status", _("%s: the firmware refused %s"),
			  card->pci.address, doing);
		error_found(error, _("register status 0x%x, %s"), request.status, register_status(request.status));
		return -1;
	}
	if (number == EIO && request.icmd_status) {
		error_set(error, CXCTL_CARD_ERROR, "icmd-status", _("%s: the firmware refused the command for %s"),
			  card->pci.address, doing);
		error_found(error, _("command status 0x%x%s"), request.icmd_status,
			    request.icmd_status == 4 ?
			    _(" (bad parameter: some functions of a card are not allowed to ask; try its other function)") : "");
		return -1;
	}
	return device_error(card, number, doing, error);
}

int card_stage(struct cxctl_card *card, struct cxfw_stage *stage, struct cxctl_error *error)
{
	int result;

	if (card_access(card, error))
		return -1;
	stage->size = sizeof(*stage);
	do {
		result = ioctl(card->fd, CXFW_IOC_STAGE, stage);
	} while (result && errno == EINTR);
	if (result)
		return device_error(card, errno, _("handing over the image and its plan"), error);
	return 0;
}

int card_component_read(struct cxctl_card *card, uint32_t component, bool pending, uint32_t offset, void *buffer,
			uint32_t length, uint32_t *got, uint32_t *total, struct cxctl_error *error)
{
	const char *doing = _("reading the firmware's component");
	struct cxfw_component_read request;
	double since = now();
	int result, number;

	*got = 0;
	*total = 0;
	if (card_access(card, error))
		return -1;
	do {
		memset(&request, 0, sizeof(request));
		request.size = sizeof(request);
		request.flags = pending ? CXFW_COMPONENT_PENDING : 0;
		request.component = component;
		request.offset = offset;
		request.length = length;
		request.data = (uintptr_t)buffer;
		result = ioctl(card->fd, CXFW_IOC_COMPONENT_READ, &request);
		number = result ? errno : 0;
	} while (number == EINTR || (number == EBUSY && again(card, since)));
	if (number == EOPNOTSUPP) {
		device_error(card, number, doing, error);
		error->exit = CXCTL_CARD_ERROR;
		return -1;
	}
	if (number)
		return device_error(card, number, doing, error);
	*got = request.length;
	*total = request.total;
	return 0;
}
