// SPDX-License-Identifier: GPL-2.0-only
/* --status and --resume: every card with a burn that was not seen to run, or those that are named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activate.h"

static int gone(const struct activate_request *request, const struct activate *activate)
{
	output_string(activate->output, "firmware_running", *activate->running ? activate->running : NULL);
	output_string(activate->output, "firmware_stored", *activate->stored ? activate->stored : NULL);
	output_line(activate->output, request->resume ? _("%s: %s runs, as it should.") :
		    _("%s: %s runs, and nothing else waits to be started."), activate->address,
		    *activate->running ? activate->running : _("no firmware"));
	return CXCTL_DONE;
}

static const char *wants(enum activate_level level)
{
	switch (level) {
	case LEVEL_REBOOT:
		return _("a reboot of this machine");
	case LEVEL_POWER_CYCLE:
		return _("a cold power cycle: machine off, power away for ten seconds, on");
	default:
		return NULL;
	}
}

static int waits(struct activate *activate, struct cxctl_error *error)
{
	const struct activate_way *chosen;
	const char *what;

	activate_find_ways(&activate->facts, LEVEL_NONE, &activate->ways);
	chosen = activate->ways.chosen;
	output_string(activate->output, "firmware_running", *activate->running ? activate->running : NULL);
	output_string(activate->output, "firmware_stored", activate->stored);
	output_string(activate->output, "pending_action", chosen && chosen->level >= LEVEL_REBOOT ?
		      activate_level_name(chosen->level) : pending_action(&activate->pending));
	output_string(activate->output, "level", chosen ? activate_level_name(chosen->level) : NULL);
	what = chosen ? wants(chosen->level) : NULL;
	error_set(error, CXCTL_FINDINGS, "waits", _("%s: %s waits to be started"), activate->address, activate->stored);
	error_found(error, _("%s runs%s%s"), *activate->running ? activate->running : _("no firmware"),
		    activate->pending.tried >> LEVEL_REBOOT & 1 ? _("; the reboot changed nothing") : "",
		    activate->pending.tried >> LEVEL_POWER_CYCLE & 1 ? _("; the power cycle changed nothing, either") : "");
	if (!chosen)
		error_next(error, _("cxctl verify %s tells whether the flash holds a whole image"), activate->address);
	else if (what)
		error_next(error, _("it needs %s"), what);
	else
		error_next(error, "cxctl activate %s", activate->address);
	return -1;
}

static int look(struct cxctl_card *card, struct output *output, const struct options *options, void *data,
		struct cxctl_error *error)
{
	struct activate activate = { .request = data, .options = options, .output = output, .card = card };

	if (activate_read(&activate, error))
		return -1;
	activate_settle(&activate);
	if (!activate.waits)
		return gone(data, &activate);
	return waits(&activate, error);
}

struct names {
	const struct options *options;
	char **list;
	int count;
};

static int take_name(const struct pending *pending, void *data)
{
	struct pci_function function;
	struct names *names = data;
	char **grown;

	/* Pulled out, or in another slot now: nothing that a restart could bring. */
	if (pci_read(pending->card, &function)) {
		say(names->options, _("%s: %s was burned at %s, and there is no card now; if it is gone for good, remove its file in the directory pending"),
		    pending->card, pending->to, pending->time);
		return 0;
	}
	grown = realloc(names->list, (names->count + 2) * sizeof(*grown));
	if (!grown)
		return 1;
	names->list = grown;
	grown[names->count] = strdup(pending->card);
	if (!grown[names->count])
		return 1;
	grown[++names->count] = NULL;
	return 0;
}

static int nothing(const struct options *options)
{
	struct output *output = output_open(stdout, options);

	output_array(output, "cards");
	output_end(output);
	output_line(output, "%s", _("No burn of this machine waits for a restart."));
	return output_close(output) ? command_flush() : CXCTL_DONE;
}

int activate_all(const struct options *options, const struct activate_request *request, int argc, char **argv,
		 int first)
{
	struct names names = { .options = options };
	int code;

	if (argc - first + !!options->device)
		return command_cards(options, argc, argv, first, 256, look, (void *)request);
	pending_each(take_name, &names);
	if (!names.count)
		return nothing(options);
	code = command_cards(options, names.count, names.list, 0, names.count, look, (void *)request);
	while (names.count)
		free(names.list[--names.count]);
	free(names.list);
	return code;
}
