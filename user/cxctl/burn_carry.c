// SPDX-License-Identifier: GPL-2.0-only
/* The deed of one card, in a thread of its own: backup, then the plan, then what is to be remembered. */
#include <stdio.h>
#include <string.h>

#include "burn.h"
#include "burn_devlink.h"
#include "pending.h"

static bool interrupted(void)
{
	return burn_interrupts() != 0;
}

static int save_backup(struct burn *burn, struct cxctl_error *error)
{
	struct backup_request request = { .file = burn->request->backup, .interrupted = interrupted };
	struct options quiet = *burn->options;
	int result;

	/* Its own bar would tear the table. */
	quiet.quiet = true;
	progress_table_step(burn->progress, burn->row, "backup", _("saving a backup"), 0);
	result = backup_save(burn->card.card, &burn->card.info, burn->card.has_flash ? &burn->card.flash : NULL,
			     &quiet, &request, &burn->backup, error);
	if (!result)
		return 0;
	*burn->backup.path = '\0';
	if (interrupted())
		return error_set(error, CXCTL_FAILED, "interrupted", _("interrupted; the card was not changed"));
	error_rule(error, _("no burn without a backup"));
	if (error->id && !strcmp(error->id, "file-exists"))
		error_next(error, _("name another file: a backup is never written over"));
	return -1;
}

static void version_text(const uint32_t version[3], char text[48])
{
	snprintf(text, 48, "%u.%u.%u", version[0], version[1], version[2]);
}

/* What runs now; of a card that does not tell, what its flash has. */
static const char *from_version(const struct burn *burn, char text[48])
{
	if (burn->card.info.running_valid)
		version_text(burn->card.info.running, text);
	else if (burn->card.has_device)
		version_text(burn->card.device.version, text);
	else
		return NULL;
	return text;
}

/* What waits is told by info, list and activate until it runs. */
static void remember(const struct burn *burn, const char *from, const char *to)
{
	const struct burn_card *card = &burn->card;
	const char *address = card_address(card->card);
	struct pending pending = { .hw_id = card->info.hw_id };
	struct cxctl_error none;

	snprintf(pending.card, sizeof(pending.card), "%s", address);
	snprintf(pending.psid, sizeof(pending.psid), "%s", burn->facts.psid);
	if (card->has_device && strcmp(card->device.psid, burn->facts.psid))
		snprintf(pending.from_psid, sizeof(pending.from_psid), "%s", card->device.psid);
	snprintf(pending.from, sizeof(pending.from), "%.23s", from);
	snprintf(pending.to, sizeof(pending.to), "%.23s", to);
	if (pending_burned(&pending, &none))
		progress_table_say(burn->progress, _("%s: that the new firmware waits could not be written down: %s"),
				   address, none.text);
}

static int run_plan(struct burn *burn, struct cxctl_error *error)
{
	const struct burn_card *card = &burn->card;
	char from[48] = "", to[48], stored[48];
	struct burn_record record = {
		.what = "burn", .psid = burn->facts.psid, .to = to, .method = burn_method_name(burn),
		.image = burn->image.path, .image_sha256 = burn->image.sha256,
		.backup = *burn->backup.path ? burn->backup.path : NULL,
		.reason = burn->request->reason,
	};
	struct burn_work_order order = {
		.card = card->card, .info = &card->info, .plan = &burn->plan, .bytes = burn->bytes,
		.record = &record, .options = burn->options, .progress = burn->progress, .row = burn->row,
	};

	version_text(burn->facts.version, to);
	if (card->has_device) {
		version_text(card->device.version, stored);
		record.from = stored;
		if (strcmp(card->device.psid, burn->facts.psid))
			record.from_psid = card->device.psid;
	}
	burn_work_id(&order);
	if (burn->devlink ? burn_devlink(&order, &burn->image.reader, &burn->image.facts, &burn->begun, error) :
			    burn_do(&order, &burn->job, error))
		return -1;
	remember(burn, from_version(burn, from) ? from : "", to);
	return 0;
}

void burn_carry_out(struct burn *burn)
{
	/* devlink reads nothing back. */
	if ((!burn->devlink && save_backup(burn, &burn->error)) || run_plan(burn, &burn->error))
		burn->state = BURN_FAILED;
	else
		burn->state = BURN_DONE;
}
