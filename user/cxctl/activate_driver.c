// SPDX-License-Identifier: GPL-2.0-only
/* The driver off before a reset, and back: after it, or by the next cxctl activate when this one was killed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "../host/sysfs.h"
#include "activate.h"
#include "driver_off.h"
#include "journal.h"

/* 0, or -errno. */
static int write_driver(const char *driver, const char *file, const char *address)
{
	char path[PATH_MAX];
	ssize_t length;
	int fd, number;

	sysfs_path(path, sizeof(path), "bus/pci/drivers/%s/%s", driver, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = write(fd, address, strlen(address));
	number = length < 0 ? errno : 0;
	close(fd);
	return -number;
}

int activate_driver_off(struct activate *activate, struct cxctl_error *error)
{
	size_t i = activate->function_count;

	/* Last function first: the first one is the others' master on some cards. */
	while (i--) {
		const struct pci_function *function = &activate->functions[i];
		int result = driver_off_ours(function->driver) ?
			     write_driver(function->driver, "unbind", function->address) : 0;

		if (!result)
			continue;
		error_set(error, result == -EACCES || result == -EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "unbind",
			  _("%s: %s cannot be taken off: %s"), function->address, function->driver, strerror(-result));
		error_next(error, _("the card was not reset; reboot the machine to start the new firmware"));
		return -1;
	}
	return 0;
}

static int bind(const char *address, const char *driver, struct cxctl_error *error)
{
	int result = write_driver(driver, "bind", address);

	if (!result)
		return 0;
	error_set(error, result == -EACCES || result == -EPERM ? CXCTL_NO_ACCESS : CXCTL_CARD_ERROR,
		  "driver-not-back", _("%s: %s does not take the card back: %s"), address, driver, strerror(-result));
	error_next(error, _("dmesg tells the driver's reason; once more: echo %s > /sys/bus/pci/drivers/%s/bind; else reboot"),
		   address, driver);
	return -1;
}

int activate_driver_back(struct activate *activate, struct cxctl_error *error)
{
	struct cxctl_error further;
	int failed = 0;
	size_t i;

	for (i = 0; i < activate->function_count; i++) {
		const struct pci_function *function = &activate->functions[i];
		struct pci_function now;

		if (driver_off_ours(function->driver) && (pci_read(function->address, &now) || !*now.driver) &&
		    bind(function->address, function->driver, failed ? &further : error))
			failed = -1;
	}
	return failed;
}

/* ---- what an activate that was killed left ---- */

/* Of this pair of entries the card is the function. */
static struct journal_entry *journal_bind(const char *event, const struct driver_off *left)
{
	struct journal_entry *entry = journal_begin(event);

	journal_string(entry, "card", left->address);
	journal_string(entry, "driver", left->driver);
	return entry;
}

static int mend(const struct activate *activate, const struct driver_off *left, struct cxctl_error *error)
{
	struct journal_entry *entry = journal_bind("bind-begin", left);
	struct cxctl_error not_written;
	int result;

	journal_string(entry, "reason", activate->request->reason);
	if (journal_write(entry, error))
		return -1;
	result = bind(left->address, left->driver, error);
	entry = journal_bind("bind-end", left);
	journal_string(entry, "result", result ? "failed" : "done");
	journal_string(entry, "message", result ? error->text : NULL);
	if (journal_write(entry, &not_written))
		error_print(&not_written);
	return result;
}

int activate_driver_mend(struct activate *activate, struct cxctl_error *error)
{
	const struct activate_request *request = activate->request;
	bool look = request->dry_run || request->status || request->resume;
	struct driver_off left[DRIVER_OFF_MOST];
	size_t count = driver_off_left(activate->address, left), i, k;

	for (i = 0; i < count; i++) {
		say(activate->options, look ?
		    _("%s: cxctl activate took %s off and was stopped before it put it back; cxctl activate %s puts it back") :
		    _("%s: cxctl activate took %s off and was stopped before it put it back; putting it back ..."),
		    left[i].address, left[i].driver, activate->address);
		if (look)
			continue;
		if (mend(activate, &left[i], error))
			return -1;
		output_bool(activate->output, "changed", true);
		for (k = 0; k < activate->function_count; k++)
			if (!strcmp(activate->functions[k].address, left[i].address))
				pci_read(left[i].address, &activate->functions[k]);
	}
	if (count && !look)
		driver_off_forget(activate->address);
	return 0;
}
