// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl restore: proves that a backup belongs to the card, shows what it will write and what of that is
 * not failsafe, saves the card as it is, and lets the driver do it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/hexadecimal.h"
#include "pending.h"
#include "restore.h"

enum {
	OPTION_DRY_RUN,
	OPTION_YES,
	OPTION_BACKUP,
	OPTION_GUID,
	OPTION_MAC,
	OPTION_VSD,
	OPTION_PSID_CHANGE,
	OPTION_OTHER_CARD,
	OPTION_NO_DEVICE_DATA,
	OPTION_REASON,
};

static int take_id(const char *option, const char *argument, unsigned int bits, uint64_t *value,
		   struct cxctl_error *error)
{
	const char *end = hexadecimal_parse(argument, bits, value);

	if (!end || *end) {
		error_set(error, CXCTL_USAGE, "bad-option", _("--%s: %s is not such an address"), option, argument);
		error_expected(error, _("%u hexadecimal digits"), bits / 4);
		return -1;
	}
	if (bits == 64 ? image_guid_is_dummy(*value) || *value > UINT64_MAX - 3 :
			 image_mac_is_dummy(*value) || *value >> 40 & 1 || (*value + 1) >> 48)
		return error_set(error, CXCTL_USAGE, "bad-option", _("--%s: no card may carry %s"), option, argument);
	return 0;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct restore_request *request = data;

	switch (index) {
	case OPTION_DRY_RUN:
		request->dry_run = true;
		break;
	case OPTION_YES:
		request->yes = true;
		break;
	case OPTION_BACKUP:
		request->backup = argument;
		break;
	case OPTION_GUID:
		request->has_guid = true;
		return take_id("guid", argument, 64, &request->guid, error);
	case OPTION_MAC:
		request->has_mac = true;
		return take_id("mac", argument, 48, &request->mac, error);
	case OPTION_VSD:
		request->vsd = argument;
		break;
	case OPTION_PSID_CHANGE:
		request->psid_change = argument;
		break;
	case OPTION_OTHER_CARD:
		request->accept_other_card = true;
		break;
	case OPTION_NO_DEVICE_DATA:
		request->no_device_data = true;
		break;
	case OPTION_REASON:
		request->reason = argument;
		break;
	}
	return 0;
}

static bool interrupted(void)
{
	return burn_interrupts();
}

static int read_card(struct restore *restore, struct cxctl_error *error)
{
	struct burn_function functions[BURN_FUNCTIONS];
	size_t count;

	if (card_access(restore->card, error))
		return -1;
	burn_functions_of(restore->card, functions, &count);
	if (burn_guard_functions(functions, count, error) || card_info(restore->card, &restore->info, error))
		return -1;
	restore->recovery = restore->info.state == CXFW_STATE_RECOVERY;
	if (!restore->info.flash_size && !(restore->info.capabilities & CXFW_CAP_COMPONENT))
		return card_no_flash(restore->card, &restore->info, error);
	if (restore->info.flash_size && burn_guard_flash(&restore->info, error))
		return -1;
	if (restore_read_card(restore, error))
		return -1;
	backup_identify(restore->card, &restore->info, &restore->flash, &restore->now, NULL, NULL);
	return 0;
}

/* No backup was named: those that may be this card's, and what to type. */
static int show_candidates(struct restore *restore, struct cxctl_error *error)
{
	unsigned int found;

	output_line(restore->output, _("Backups that may be of %s%s:"), card_address(restore->card),
		    restore->recovery ? _(" (in recovery mode)") : "");
	found = restore_candidates(restore);
	if (!found)
		output_line(restore->output, "  %s", _("none"));
	error_set(error, CXCTL_REFUSED, "no-file", _("no backup named; nothing was changed"));
	if (found)
		error_next(error, _("cxctl restore %s FILE -n shows what one of them would do"), card_address(restore->card));
	else if (restore->recovery)
		error_next(error, _("name a backup, or an image with the identity on the card's label: cxctl restore %s IMAGE --guid GUID --mac MAC"),
			   card_address(restore->card));
	else
		error_next(error, _("name a backup: cxctl restore %s FILE"), card_address(restore->card));
	return -1;
}

static int save_first(struct restore *restore, struct cxctl_error *error)
{
	struct backup_request request = { .file = restore->request->backup, .interrupted = interrupted };
	struct backup_result result;

	if (backup_save(restore->card, &restore->info, restore->info.flash_size ? &restore->flash : NULL,
			restore->options, &request, &result, error)) {
		if (!*error->rule)
			error_rule(error, _("nothing is restored before what is there was saved"));
		return -1;
	}
	snprintf(restore->backup, sizeof(restore->backup), "%s", result.path);
	output_string(restore->output, "backup", restore->backup);
	return 0;
}

/* ---- the jobs ---- */

static int run_step(struct restore *restore, const struct restore_step *step, bool *changed,
		    struct cxctl_error *error)
{
	const struct restore_source *source = &restore->source;
	const uint32_t *version = source->facts.version;
	char from[48] = "", to[48], identity[300];
	struct burn_record record = {
		.what = step->kind == RESTORE_DEVICE_DATA ? "restore-device-data" : "restore",
		.psid = source->component ? source->backup.identity.psid : source->facts.psid,
		.from_psid = restore->now.psid, .from = from, .to = to,
		.method = step->kind == RESTORE_COMPONENT ? "component" : "flash",
		.image = restore->request->file, .image_sha256 = source->backup.sha256,
		.backup = restore->backup, .reason = restore->request->reason,
	};
	struct cxctl_job job;
	int result;

	if (source->is_identity) {
		restore_identity_text(restore, identity);
		record.identity = identity;
		record.image_sha256 = NULL;
	}
	if (restore->state.has_facts)
		snprintf(from, sizeof(from), "%u.%u.%u", restore->state.old_facts.version[0],
			 restore->state.old_facts.version[1], restore->state.old_facts.version[2]);
	else
		snprintf(from, sizeof(from), "%s", restore->now.running);
	if (source->component)
		snprintf(to, sizeof(to), "%s", source->backup.identity.running);
	else
		snprintf(to, sizeof(to), "%u.%u.%u", version[0], version[1], version[2]);
	if (!strcmp(restore->now.psid, record.psid))
		record.from_psid = NULL;
	output_object(restore->output, NULL);
	output_string(restore->output, "kind", restore_kind_id(step->kind));
	result = burn_work(restore->card, &restore->info, &step->plan, step->bytes, &record, restore->output,
			   restore->options, &job, error);
	output_end(restore->output);
	*changed |= job.id && burn_changed(&job);
	if (result)
		return -1;
	output_line(restore->output, _("%s: %llu KiB erased, %llu KiB programmed, %llu KiB were right already."),
		    step->kind == RESTORE_DEVICE_DATA ? _("Device data") : _("Firmware"),
		    (unsigned long long)job.erased >> 10, (unsigned long long)job.programmed >> 10,
		    (unsigned long long)job.skipped >> 10);
	return 0;
}

/* What is on the card now is read again: the next job is planned upon that, and the end is proved by it. */
static int again(struct restore *restore, struct cxctl_error *error)
{
	if (restore->source.component) {
		restore_plan_free(restore);
		return 0;
	}
	return restore_read_card(restore, error) || restore_plan(restore, error) ? -1 : 0;
}

/* A job before this one is done: then the card is neither what it was nor what the backup holds. */
static int half_done(const struct restore *restore, struct cxctl_error *error)
{
	if (!strcmp(error->id, "interrupted"))
		error_set(error, CXCTL_FAILED, "interrupted", _("interrupted between two jobs: the restore is half done"));
	error_next(error, _("run the same command again before the card starts anew. The backup of before is %s"),
		   restore->backup);
	return -1;
}

static int run(struct restore *restore, bool *changed, struct cxctl_error *error)
{
	size_t jobs = restore->step_count;
	bool begun = false;

	for (; jobs; jobs--, begun = true) {
		if (run_step(restore, &restore->steps[0], changed, error))
			return begun && strcmp(error->id, "left") && strcmp(error->id, "no-progress") ?
			       half_done(restore, error) : -1;
		if (again(restore, error))
			return half_done(restore, error);
		if (!restore->step_count)
			return 0;
	}
	error_set(error, CXCTL_CARD_ERROR, "restore-differs", restore->source.is_identity ?
		  _("the card does not hold the identity that was written") :
		  _("the card does not hold what the backup holds"));
	error_found(error, restore->image_same ? _("the firmware is right, the device data differ") :
						 _("the firmware differs"));
	error_next(error, restore->image_same && !restore->recovery ?
		   _("the running firmware may have written its settings in between: restore again after the power cycle") :
		   _("restore again; if it stays so the flash chip is failing. The backup of before is %s"),
		   restore->backup);
	return -1;
}

/* Remembered across the power cycle, like a burn. */
static void remember(const struct restore *restore)
{
	const struct restore_source *source = &restore->source;
	const uint32_t *version = source->facts.version;
	const char *psid = source->component ? source->backup.identity.psid : source->facts.psid;
	struct pending pending = { .hw_id = restore->now.hw_id };
	struct cxctl_error error;

	snprintf(pending.card, sizeof(pending.card), "%s", card_address(restore->card));
	snprintf(pending.psid, sizeof(pending.psid), "%s", psid);
	if (strcmp(restore->now.psid, psid))
		snprintf(pending.from_psid, sizeof(pending.from_psid), "%s", restore->now.psid);
	snprintf(pending.from, sizeof(pending.from), "%.23s", restore->now.running);
	if (source->component)
		snprintf(pending.to, sizeof(pending.to), "%.23s", source->backup.identity.running);
	else
		snprintf(pending.to, sizeof(pending.to), "%u.%u.%u", version[0], version[1], version[2]);
	if (pending_burned(&pending, &error))
		error_print(&error);
}

static int done(struct restore *restore)
{
	/* An identity leaves the firmware as it is: what waited for a start before still does. */
	if (!restore->source.is_identity)
		remember(restore);
	output_string(restore->output, "pending_action", "power-cycle");
	if (restore->source.is_identity)
		output_line(restore->output, _("%s: the identity is written; the card carries it from its next start on."),
			    card_address(restore->card));
	else if (restore->source.component)
		output_line(restore->output, _("%s: the firmware of the backup was accepted by the card."),
			    card_address(restore->card));
	else
		output_line(restore->output, _("%s: firmware, identity and device data are those of %s."),
			    card_address(restore->card), restore->request->file);
	output_line(restore->output, _("What was there before is in %s."), restore->backup);
	output_line(restore->output, "%s",
		    _("What to do next: a cold power cycle. Switch the machine off, wait until the card has no power (unplug it where standby power feeds the slot), switch it on."));
	return CXCTL_DONE;
}

static int already(struct restore *restore)
{
	if (restore->source.is_identity)
		output_line(restore->output, _("%s: the card has this identity already; nothing to do."),
			    card_address(restore->card));
	else
		output_line(restore->output, _("%s: firmware, identity and device data are those of %s already; nothing to do."),
			    card_address(restore->card), restore->request->file);
	return CXCTL_DONE;
}

static int carry_out(struct restore *restore, struct cxctl_error *error)
{
	bool changed = false;
	int result;

	burn_catch_interrupt();
	if (save_first(restore, error))
		return -1;
	output_array(restore->output, "jobs");
	result = run(restore, &changed, error);
	output_end(restore->output);
	output_bool(restore->output, "changed", changed);
	return result ? -1 : done(restore);
}

static int open_source(struct restore *restore, struct cxctl_error *error)
{
	/* In recovery mode there is nothing whose identity could be set: it goes with an image. */
	if (restore_wants_identity(restore->request) && !restore->recovery)
		return restore_identity_open(restore, error);
	if (!restore->request->file)
		return show_candidates(restore, error);
	return restore_source_open(restore, error) || restore_prove(restore, error) ? -1 : 0;
}

static int restore_with(struct restore *restore, struct cxctl_error *error)
{
	if (read_card(restore, error) || open_source(restore, error) || restore_plan(restore, error))
		return -1;
	if (!restore->step_count && !*restore->device_note)
		return already(restore);
	restore_show(restore);
	if (restore->request->dry_run)
		return CXCTL_DONE;
	if (!restore->step_count)
		return already(restore);
	/* A plan that nobody can read is none. */
	if (fflush(stdout) || ferror(stdout))
		return error_set(error, CXCTL_FAILED, "output", _("cannot write the answer to the standard output"));
	if (command_confirm(restore->output, restore->request->yes, _("Restore this? [y/N]"), error))
		return -1;
	return carry_out(restore, error);
}

static int restore_one(struct cxctl_card *card, struct output *output, const struct options *options,
		       void *data, struct cxctl_error *error)
{
	struct restore *restore = calloc(1, sizeof(*restore));
	int code;

	if (!restore)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory"));
	restore->request = data;
	restore->options = options;
	restore->output = output;
	restore->card = card;
	code = restore_with(restore, error);
	restore_plan_free(restore);
	restore_source_close(&restore->source);
	flash_reader_close(&restore->flash);
	free(restore);
	return code;
}

static int check_request(const struct restore_request *request, struct cxctl_error *error)
{
	if (request->backup && !*request->backup)
		return error_set(error, CXCTL_USAGE, "no-file", _("no file named"));
	if (request->vsd && request->file)
		return error_set(error, CXCTL_USAGE, "bad-option", _("--vsd goes without a file: a backup has the card's own"));
	if (request->no_device_data && restore_wants_identity(request))
		return error_set(error, CXCTL_USAGE, "bad-option",
				 _("--no-device-data and a new identity exclude each other: the identity is device data"));
	return 0;
}

int cmd_restore(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and change nothing") },
		[OPTION_YES] = { "yes", 'y', NULL, N_("do not ask; lifts no guard") },
		[OPTION_BACKUP] = { "backup", 0, N_("FILE"), N_("where to save the card as it is now") },
		[OPTION_GUID] = { "guid", 0, N_("GUID"), N_("of the card's label: proves the backup, goes into an image; or without FILE: the new base GUID") },
		[OPTION_MAC] = { "mac", 0, N_("MAC"), N_("of the card's label: proves the backup, goes into an image; or without FILE: the new base MAC") },
		[OPTION_VSD] = { "vsd", 0, N_("TEXT"), N_("without FILE: the new VSD of the card") },
		[OPTION_PSID_CHANGE] = { "psid-change", 0, "PSID", N_("allow that the PSID becomes this one") },
		[OPTION_OTHER_CARD] = { "accept-other-card", 0, NULL, N_("allow a backup that is not proven to be of this card") },
		[OPTION_NO_DEVICE_DATA] = { "no-device-data", 0, NULL, N_("restore the firmware alone") },
		[OPTION_REASON] = { "reason", 0, N_("TEXT"), N_("why, for the journal") },
	};
	static const struct usage usage = {
		.name = "restore",
		.synopsis = "CARD [FILE] [options]",
		.summary = N_("Puts a backup back on the card that it was taken from. Without FILE: shows which backups may be, or sets the identity that is given."),
		.details = N_("FILE is what cxctl backup or burn saved, or the plain content of a flash. On a card in recovery\n"
			      "mode it may be an image, too, which then gets the GUID and MAC that are given.\n"
			      "Without FILE, --guid, --mac and --vsd give a card of format FS4 or FS5 another identity.\n"
			      "The firmware part is failsafe; what of the device data is not, the plan says. The card as it is\n"
			      "is saved first. Afterwards the card needs a cold power cycle."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct restore_request request = { 0 };
	struct cxctl_error error;
	int first, code, operands;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	operands = argc - first + !!options->device;
	if (!operands) {
		error_set(&error, CXCTL_USAGE, "no-card-named", _("no card named: a restore never chooses one"));
		error_next(&error, _("cxctl list shows the cards"));
		return command_fail(options, &error);
	}
	if (operands > 1)
		request.file = argv[--argc];
	if (check_request(&request, &error))
		return command_fail(options, &error);
	return command_cards(options, argc, argv, first, 1, restore_one, &request);
}
