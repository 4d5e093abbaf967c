// SPDX-License-Identifier: GPL-2.0-only
/* cxctl backup: everything that a card gives out, in one file. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "backup.h"

enum { OPTION_OUTPUT, OPTION_FORCE, OPTION_VERIFY, OPTION_RAW };

static volatile sig_atomic_t signal_number;

static void on_signal(int number)
{
	signal_number = number;
}

static bool interrupted(void)
{
	return signal_number;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct backup_request *request = data;

	(void)error;
	if (index == OPTION_OUTPUT)
		request->file = argument;
	else if (index == OPTION_FORCE)
		request->force = true;
	else if (index == OPTION_VERIFY)
		request->verify = true;
	else
		request->raw = true;
	return 0;
}

static void watch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	/* No SA_RESTART: a read or write that waits is to end. */
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void show(struct output *output, const struct backup_result *result, bool verified)
{
	output_string(output, "file", result->path);
	output_number(output, "size", result->size);
	output_string(output, "sha256", result->sha256);
	output_bool(output, "verified", verified);
	output_number(output, "flash_bytes", result->flash_bytes);
	output_string(output, "flash_sha256", *result->flash_sha256 ? result->flash_sha256 : NULL);
	output_number(output, "component_bytes", result->component_bytes);
	output_string(output, "missing", *result->missing ? result->missing : NULL);
}

static int backup_one(struct cxctl_card *card, struct output *output, const struct options *options,
		      void *data, struct cxctl_error *error)
{
	const struct backup_request *request = data;
	struct cxfw_card_info info;
	struct backup_result result;

	if (card_info(card, &info, error))
		return -1;
	/* A lock that somebody holds is no closed flash. */
	if (!info.flash_size && (!(info.capabilities & CXFW_CAP_COMPONENT) || info.semaphore))
		return card_no_flash(card, &info, error);
	watch_signals();
	say_verbose(options, _("%s: %s, %u KiB"), card_address(card), info.flash_name, info.flash_size >> 10);
	if (backup_save(card, &info, NULL, options, request, &result, error))
		return -1;
	show(output, &result, request->verify && result.flash_bytes);
	output_line(output, _("%s: %llu bytes saved to %s"), card_address(card), (unsigned long long)result.size,
		    result.path);
	output_line(output, "SHA-256 %s", result.sha256);
	if (*result.missing)
		output_line(output, _("Not in it: %s"), result.missing);
	if (request->raw)
		say(options, "%s",
		    _("The file is the whole flash: firmware, identity (GUIDs, MACs), settings and perhaps keys. Keep it private; it fits this one card only."));
	else
		say(options, "%s",
		    _("It is a tar archive of what the card holds: firmware, identity (GUIDs, MACs), settings and perhaps keys. Keep it private; it fits this one card only. cxctl restore puts it back."));
	return CXCTL_DONE;
}

int cmd_backup(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_OUTPUT] = { "output", 'o', N_("FILE"), N_("where to save it") },
		[OPTION_FORCE] = { "force", 0, NULL, N_("write over a file that exists") },
		[OPTION_VERIFY] = { "verify", 0, NULL, N_("read the flash a second time and compare") },
		[OPTION_RAW] = { "raw", 0, NULL, N_("only the flash's bytes, as mstflint ri and dd save them") },
	};
	static const struct usage usage = {
		.name = "backup",
		.synopsis = "CARD -o FILE [options]",
		.summary = N_("Saves what a card holds to one file. Changes nothing on the card."),
		.details = N_("The file is a tar archive: the whole flash (flash.bin) or, where the card keeps it closed, the\n"
			      "firmware that it gives out; VPD; identity, versions and settings; SHA-256 of each."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct backup_request request = { .interrupted = interrupted };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	if (!request.file || !*request.file) {
		error_set(&error, CXCTL_USAGE, "no-file", _("no file named"));
		error_next(&error, _("cxctl backup CARD -o FILE"));
		return command_fail(options, &error);
	}
	return command_cards(options, argc, argv, first, 1, backup_one, &request);
}
