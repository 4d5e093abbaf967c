// SPDX-License-Identifier: GPL-2.0-only
/* cxctl journal: what was done to the cards of this machine, by whom, why, and what came of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "journal_read.h"

#define DEFAULT_LAST	20

struct request {
	unsigned long last;		/* 0: all */
	const char *since;
};

enum { OPTION_LAST, OPTION_ALL, OPTION_SINCE };

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct request *request = data;
	char *end;

	if (index == OPTION_ALL) {
		request->last = 0;
		return 0;
	}
	if (index == OPTION_SINCE) {
		/* Times of the journal sort as texts do. */
		if (strlen(argument) < 4 || strspn(argument, "0123456789-:TZ") != strlen(argument)) {
			error_set(error, CXCTL_USAGE, "bad-option", _("--since: %s is no time"), argument);
			error_expected(error, _("2026-11-30 or 2026-11-30T08:00, in UTC"));
			return -1;
		}
		request->since = argument;
		return 0;
	}
	errno = 0;
	request->last = strtoul(argument, &end, 10);
	if (!errno && end != argument && !*end && request->last && *argument != '-')
		return 0;
	error_set(error, CXCTL_USAGE, "bad-option", _("--last: %s is no number"), argument);
	error_expected(error, _("a whole number from 1 on"));
	return -1;
}

static const char *result_text(const char *result)
{
	static const struct {
		const char *result, *text;
	} texts[] = {
		{ "done", N_("done") }, { "failed", N_("FAILED") }, { "cancelled", N_("cancelled") },
		{ "running", N_("running") }, { "open", N_("its end is not known") },
		{ "unknown", N_("its end is not known") }, { "not-started", N_("not started") },
		{ "unchanged", N_("changed nothing") }, { "no-answer", N_("NO ANSWER since") },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i].result, result))
			return _(texts[i].text);
	return result;
}

static void show_row(struct output *output, const struct deed *deed)
{
	const char *cells[OUTPUT_COLUMNS] = { NULL };
	const char *level = deed_text(deed, strcmp(deed->what, "bind") ? "level" : "driver");
	char what[80];

	snprintf(what, sizeof(what), "%s%s%s", deed->what, level ? " " : "", level ? level : "");
	cells[0] = deed_text(deed, "time");
	cells[1] = deed_text(deed, "card");
	cells[2] = what;
	cells[3] = deed_text(deed, "from");
	cells[4] = deed_text(deed, "to");
	cells[5] = result_text(deed_result(deed));
	cells[6] = deed_text(deed, "by");
	cells[7] = deed_text(deed, "reason");
	output_row(output, cells);
}

static void show_details(struct output *output, const struct deed *deed)
{
	static const struct {
		const char *key, *label;
	} fields[] = {
		{ "psid", N_("PSID") }, { "image", N_("Image") }, { "image_sha256", N_("SHA-256") },
		{ "method", N_("Method") }, { "backup", N_("Backup") }, { "message", N_("Message") },
	};
	size_t i;

	output_line(output, "%s  %s  %s", deed_text(deed, "time") ? deed_text(deed, "time") : "?",
		    deed_text(deed, "card") ? deed_text(deed, "card") : "?", deed->what);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (deed_text(deed, fields[i].key))
			output_show(output, _(fields[i].label), NULL, "%s", deed_text(deed, fields[i].key));
}

static void write_deed(struct output *output, const struct deed *deed)
{
	static const char *const keys[] = {
		"card", "psid", "from_psid", "from", "to", "level", "driver", "method", "image", "image_sha256", "backup",
		"by", "as", "reason", "message", "told_by", "boot_id",
	};
	struct deed first = { .begin = deed->begin }, last = { .end = deed->end };
	size_t i;

	output_object(output, NULL);
	output_string(output, "id", *deed->id ? deed->id : NULL);
	output_string(output, "what", deed->what);
	output_string(output, "begun", deed_text(&first, "time"));
	output_string(output, "ended", deed_text(&last, "time"));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (deed_text(deed, keys[i]))
			output_string(output, keys[i], deed_text(deed, keys[i]));
	if (deed_number(deed, "job"))
		output_number(output, "job", deed_number(deed, "job"));
	output_string(output, "result", deed_result(deed));
	output_end(output);
}

/* Names that no card answers to any more are still found as they stand in the journal. */
static bool wanted(const struct deed *deed, const struct request *request, char *const *cards, size_t count)
{
	const char *time = deed_text(deed, "time");
	size_t i;

	if (request->since && (!time || strcmp(time, request->since) < 0))
		return false;
	for (i = 0; i < count; i++)
		if (cards[i] && deed_is_of(deed, cards[i]))
			return true;
	return !count;
}

static void show(struct output *output, const struct options *options, const struct request *request,
		 const struct deeds *deeds, char *const *cards, size_t count)
{
	const char *const headers[] = {
		_("TIME"), _("CARD"), _("WHAT"), _("FROM"), _("TO"), _("RESULT"), _("BY"), _("REASON"),
	};
	size_t i, matching = 0, seen = 0, shown = 0;

	for (i = 0; i < deeds->count; i++)
		matching += wanted(&deeds->list[i], request, cards, count);
	output_array(output, "entries");
	if (matching)
		output_table(output, headers, sizeof(headers) / sizeof(headers[0]));
	for (i = 0; i < deeds->count; i++) {
		if (!wanted(&deeds->list[i], request, cards, count))
			continue;
		if (request->last && matching - seen++ > request->last)
			continue;
		show_row(output, &deeds->list[i]);
		write_deed(output, &deeds->list[i]);
		shown++;
	}
	if (matching)
		output_table_end(output);
	output_end(output);
	for (i = 0, seen = 0; options->verbose && i < deeds->count; i++)
		if (wanted(&deeds->list[i], request, cards, count) &&
		    !(request->last && matching - seen++ > request->last))
			show_details(output, &deeds->list[i]);
	output_number(output, "damaged_lines", deeds->damaged);
	if (deeds->damaged)
		say(options, _("lines of the journal that cannot be read: %u"), deeds->damaged);
	if (!matching)
		output_line(output, "%s", _("The journal has nothing of that."));
	else if (shown < matching)
		say(options, _("older ones that are not shown: %zu; --all shows them"), matching - shown);
}

/* The address that a name means; what means none is taken for an address. */
static char *resolve(const char *name)
{
	struct cxctl_error ignored;
	struct cxctl_card *card = card_open(name, &ignored);
	char *address = NULL;

	/* "03:00.0" is of domain 0. */
	if (asprintf(&address, "%s%s", card || strchr(name, ':') != strrchr(name, ':') ? "" : "0000:",
		     card ? card_address(card) : name) < 0)
		address = NULL;
	card_close(card);
	return address;
}

static int run(const struct options *options, const struct request *request, char *const *cards, size_t count)
{
	struct cxctl_error error;
	struct output *output;
	struct deeds deeds;

	if (deeds_read(&deeds, &error))
		return command_fail(options, &error);
	if (deeds_reconcile(&deeds)) {
		deeds_free(&deeds);
		if (deeds_read(&deeds, &error))
			return command_fail(options, &error);
	}
	output = output_open(stdout, options);
	show(output, options, request, &deeds, cards, count);
	deeds_free(&deeds);
	if (output_close(output))
		return CXCTL_FAILED;
	return command_flush();
}

int cmd_journal(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_LAST] = { "last", 0, N_("NUMBER"), N_("how many, the newest ones (default 20)") },
		[OPTION_ALL] = { "all", 0, NULL, N_("all of them") },
		[OPTION_SINCE] = { "since", 0, N_("TIME"), N_("what began then or later: 2026-11-30T08:00, in UTC") },
	};
	static const struct usage usage = {
		.name = "journal",
		.synopsis = "[CARD ...] [options]",
		.summary = N_("Tells what cxctl did to the cards of this machine, by whom, why, and what came of it."),
		.details = N_("-v tells images, backups and messages, too. Where a program died in the middle the driver\n"
			      "is asked how it ended, and that is written down."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct request request = { .last = DEFAULT_LAST };
	int first, code, i;
	size_t count = 0;
	char **cards;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	cards = calloc(argc - first + 2, sizeof(*cards));
	if (!cards)
		return CXCTL_FAILED;
	if (options->device)
		cards[count++] = resolve(options->device);
	for (i = first; i < argc; i++)
		cards[count++] = resolve(argv[i]);
	code = run(options, &request, cards, count);
	while (count)
		free(cards[--count]);
	free(cards);
	return code;
}
