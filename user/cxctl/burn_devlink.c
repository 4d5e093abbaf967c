// SPDX-License-Identifier: GPL-2.0-only
#include "burn_devlink.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../container/container.h"
#include "../device/devlink_flash.h"
#include "../host/firmware_file.h"

bool burn_devlink_device(struct cxctl_card *card, struct image_facts *device)
{
	const struct cxctl_devlink_facts *facts = card_devlink(card);

	memset(device, 0, sizeof(*device));
	if (!facts->valid || !*facts->psid)
		return false;
	snprintf(device->psid, sizeof(device->psid), "%.16s", facts->psid);
	device->has = IMAGE_HAS_PSID;
	if (sscanf(facts->running, "%u.%u.%u", &device->version[0], &device->version[1], &device->version[2]) == 3)
		device->has |= IMAGE_HAS_VERSION;
	return true;
}

static int write_piece(void *context, const void *bytes, size_t length)
{
	const struct firmware_file *file = context;
	const char *at = bytes;
	ssize_t now;

	while (length) {
		now = write(file->fd, at, length);
		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -EIO;
		at += now;
		length -= now;
	}
	return 0;
}

static int pack(struct firmware_file *file, const struct image_reader *image, const struct image_facts *facts,
		struct cxctl_error *error)
{
	struct mfa2_source source = { image, facts };
	struct image_error why = { 0 };
	int code = mfa2_write(&source, 1, write_piece, file, &why);

	if (!code)
		return firmware_file_ready(file, error);
	error_set(error, CXCTL_FAILED, "pack", _("cannot pack the image for devlink: %s"),
		  *why.text ? why.text : strerror(-code));
	error_found(error, "%s", file->path);
	if (code == -ENOSPC || code == -EDQUOT)
		error_next(error, _("make room there"));
	return -1;
}

struct watch {
	const struct burn_work_order *order;
	char message[64];		/* of the step that is shown */
	uint64_t total;
};

/* The driver's words are steps of the table; words of its own language, so id and text are the same. */
static void show(void *context, const struct devlink_flash_status *status)
{
	struct watch *watch = context;
	const struct burn_work_order *order = watch->order;

	if (strncmp(status->message, watch->message, sizeof(watch->message) - 1) || status->total != watch->total) {
		snprintf(watch->message, sizeof(watch->message), "%s", status->message);
		watch->total = status->total;
		progress_table_step(order->progress, order->row, "driver", _("the driver burns"), status->total);
		if (*status->message)
			progress_table_say(order->progress, _("%s: the driver says: %s"), card_address(order->card),
					   status->message);
	}
	progress_table_show(order->progress, order->row, status->done);
}

int burn_devlink(const struct burn_work_order *order, const struct image_reader *image,
		 const struct image_facts *facts, bool *begun, struct cxctl_error *error)
{
	struct watch watch = { .order = order };
	struct firmware_file file;
	int result;

	*begun = false;
	if (burn_interrupts())
		return error_set(error, CXCTL_FAILED, "interrupted", _("interrupted; the card was not changed"));
	result = firmware_file_make(&file, error);
	if (!result)
		result = pack(&file, image, facts, error);
	if (!result)
		result = burn_journal_intent(order, error);
	if (!result) {
		*begun = true;
		result = devlink_flash("pci", card_address(order->card), file.name, show, &watch, error);
		burn_journal_result(order, NULL, result ? "failed" : "done", result ? error->found : "");
	}
	firmware_file_remove(&file);
	return result;
}
