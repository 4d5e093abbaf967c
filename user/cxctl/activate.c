// SPDX-License-Identifier: GPL-2.0-only
/* cxctl activate: what restart a card needs for its new firmware, who is hit, and then the restart. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "activate.h"

enum {
	OPTION_DRY_RUN,
	OPTION_YES,
	OPTION_LEVEL,
	OPTION_ANYWAY,
	OPTION_STATUS,
	OPTION_RESUME,
	OPTION_REASON,
	OPTION_ACCEPT,			/* one for each kind of usage.h, from here on */
	OPTIONS = OPTION_ACCEPT + USAGE_KINDS,
};

static int take_level(struct activate_request *request, const char *argument, struct cxctl_error *error)
{
	int level = activate_level_by_name(argument);

	if (level > 0) {
		request->level = level;
		return 0;
	}
	error_set(error, CXCTL_USAGE, "bad-option", _("--level: %s is unknown"), argument);
	error_expected(error, "live-patch, devlink-reload, link-toggle, chip-reset, reboot, power-cycle");
	return -1;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct activate_request *request = data;

	switch (index) {
	case OPTION_DRY_RUN:
		request->dry_run = true;
		return 0;
	case OPTION_YES:
		request->yes = true;
		return 0;
	case OPTION_LEVEL:
		return take_level(request, argument, error);
	case OPTION_ANYWAY:
		request->anyway = true;
		return 0;
	case OPTION_STATUS:
		request->status = true;
		return 0;
	case OPTION_RESUME:
		request->resume = true;
		return 0;
	case OPTION_REASON:
		request->reason = argument;
		return 0;
	}
	request->accepted |= 1U << (index - OPTION_ACCEPT);
	return 0;
}

static int nothing_waits(const struct activate *activate)
{
	output_string(activate->output, "firmware_running", *activate->running ? activate->running : NULL);
	output_string(activate->output, "firmware_stored", *activate->stored ? activate->stored : NULL);
	output_line(activate->output, _("%s: %s runs, and nothing else waits to be started; nothing to do."),
		    activate->address, *activate->running ? activate->running : _("no firmware"));
	return CXCTL_DONE;
}

static int nothing_to_start(const struct activate *activate, struct cxctl_error *error)
{
	output_string(activate->output, "pending_action", "burn");
	error_set(error, CXCTL_REFUSED, "nothing-to-start", _("%s: there is no firmware that a restart would start"),
		  activate->address);
	error_found(error, _("the card runs none, and no whole image is seen on its flash"));
	error_next(error, _("burn one first: cxctl burn %s -i IMAGE; cxctl verify %s tells what is on the flash"),
		   activate->address, activate->address);
	return -1;
}

static int activate_with(struct activate *activate, struct cxctl_error *error)
{
	enum activate_level level;

	if (activate_read(activate, error))
		return -1;
	activate_settle(activate);
	if (!activate->waits && !*activate->running && !activate->request->anyway)
		return nothing_to_start(activate, error);
	if (!activate->waits && !activate->request->anyway)
		return nothing_waits(activate);
	usage_query(activate->functions, activate->function_count, &usage_kernel, &activate->usage);
	activate->facts.guests = activate->usage.guests;
	activate_find_ways(&activate->facts, activate->request->level, &activate->ways);
	activate_show_plan(activate);
	if (activate->waits)
		output_string(activate->output, "pending_action", pending_action(&activate->pending));
	/* A plan that nobody can read is none. */
	if (fflush(stdout) || ferror(stdout))
		return error_set(error, CXCTL_FAILED, "output", _("cannot write the answer to the standard output"));
	if (activate_guards(activate, error))
		return -1;
	level = activate->ways.chosen->level;
	if (level >= LEVEL_REBOOT)
		return activate_ask_person(activate, error);
	if (activate->request->dry_run)
		return CXCTL_DONE;
	if (command_confirm(activate->output, activate->request->yes, _("Restart this card now? [y/N]"), error))
		return -1;
	return activate_do(activate, error);
}

static int activate_one(struct cxctl_card *card, struct output *output, const struct options *options,
			void *data, struct cxctl_error *error)
{
	struct activate activate = { .request = data, .options = options, .output = output, .card = card };

	return activate_with(&activate, error);
}

int cmd_activate(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[OPTIONS] = {
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and change nothing") },
		[OPTION_YES] = { "yes", 'y', NULL, N_("do not ask; lifts no guard") },
		[OPTION_LEVEL] = { "level", 0, N_("LEVEL"),
				   N_("live-patch, devlink-reload, link-toggle, chip-reset, reboot or power-cycle") },
		[OPTION_ANYWAY] = { "anyway", 0, NULL, N_("restart though nothing waits to be started") },
		[OPTION_STATUS] = { "status", 0, NULL, N_("tell which burns wait for a restart; change nothing") },
		[OPTION_RESUME] = { "resume", 0, NULL,
				    N_("after a reboot: compare what was to run with what runs, and write it down") },
		[OPTION_REASON] = { "reason", 0, N_("TEXT"), N_("why, for the journal") },
		[OPTION_ACCEPT + USAGE_NETWORK] = { "accept-downtime", 0, NULL,
						    N_("interfaces in use may go down") },
		[OPTION_ACCEPT + USAGE_BOND] = { "accept-bond", 0, NULL, N_("a bond may lose its last leg") },
		[OPTION_ACCEPT + USAGE_RDMA] = { "accept-rdma", 0, NULL, N_("RDMA programs may be cut off") },
		[OPTION_ACCEPT + USAGE_VIRTUAL] = { "accept-virtual-functions", 0, NULL,
						    N_("virtual functions may vanish") },
		[OPTION_ACCEPT + USAGE_STORAGE] = { "accept-storage", 0, NULL,
						    N_("mounted storage may be cut off") },
		[OPTION_ACCEPT + USAGE_SESSION] = { "accept-session", 0, NULL, N_("your own session may be cut off") },
	};
	static const struct usage usage = {
		.name = "activate",
		.synopsis = "CARD [options]",
		.summary = N_("Starts the firmware that was burned: tells which restart the card needs and offers and\nwho uses it, asks, then does it, or says what is yours to do."),
		.details = N_("The mildest level that is offered is taken. What uses the card is cut off only with the\n"
			      "option that names it. A reboot or a power cycle is never done by cxctl itself; afterwards\n"
			      "--resume compares, and one that changed nothing leads to the next level."),
		.extra = extra,
		.extra_count = OPTIONS,
		.take = take,
	};
	struct activate_request request = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	if (request.status || request.resume)
		return activate_all(options, &request, argc, argv, first);
	if (argc - first + !!options->device == 0) {
		error_set(&error, CXCTL_USAGE, "no-card-named", _("no card named: a restart never chooses one"));
		error_next(&error, _("cxctl activate --status shows which burns wait, cxctl list the cards"));
		return command_fail(options, &error);
	}
	return command_cards(options, argc, argv, first, 256, activate_one, &request);
}
