// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_fail(const struct options *options, const struct cxctl_error *error)
{
	if (options->json) {
		struct output *output = output_open(stdout, options);

		output_error(output, error);
		output_close(output);
	}
	error_print(error);
	return error->exit;
}

static int not_confirmed(const char *id, const char *found, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, id, _("nothing was changed"));
	error_found(error, "%s", found);
	error_next(error, _("answer y, or add -y; -n shows the plan only"));
	return -1;
}

int command_confirm(const struct output *output, bool yes, const char *question, struct cxctl_error *error)
{
	char answer[16] = "";

	if (fflush(stdout) || ferror(stdout))
		return error_set(error, CXCTL_FAILED, "output", _("cannot write the answer to the standard output"));
	if (yes)
		return 0;
	if (output_is_json(output) || !isatty(STDIN_FILENO))
		return not_confirmed("not-confirmed", _("no terminal to ask the question on"), error);
	text_print(stderr, "%s ", question);
	fflush(stderr);
	if (!fgets(answer, sizeof(answer), stdin))
		answer[0] = '\0';
	if (*answer == 'y' || *answer == 'Y')
		return 0;
	return not_confirmed("declined", _("the question was not answered with y"), error);
}

int command_flush(void)
{
	struct cxctl_error error;

	if (!fflush(stdout) && !ferror(stdout))
		return CXCTL_DONE;
	error_set(&error, CXCTL_FAILED, "output", _("cannot write the answer to the standard output"));
	error_print(&error);
	return CXCTL_FAILED;
}

int command_options(struct options *options, const struct usage *usage, int argc, char **argv, void *data,
		    int *first, int *code)
{
	struct cxctl_error error;

	*first = options_parse(options, usage, argc, argv, data, &error);
	if (*first < 0) {
		*code = command_fail(options, &error);
		return -1;
	}
	if (options->help || options->version) {
		if (options->version)
			printf("cxctl %s\n", CXCTL_VERSION);
		else
			options_help(usage);
		*code = command_flush();
		return -1;
	}
	device_set_timeout(options->timeout);
	return 0;
}

/* The only card of the machine, by the address of its first function; NULL with *error otherwise. */
static const char *only_card(const struct pci_list *list, struct cxctl_error *error)
{
	const struct pci_function *only = NULL;
	unsigned int cards = 0;
	char text[512] = "";
	size_t i, used = 0;

	for (i = 0; i < list->count; i++) {
		const struct pci_function *function = &list->functions[i];

		if (function->is_virtual)
			continue;
		if (only && only->domain == function->domain && only->bus == function->bus &&
		    only->slot == function->slot)
			continue;
		only = function;
		cards++;
		if (used + 20 < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
					 function->address);
	}
	if (cards == 1)
		return only->address;
	error_set(error, CXCTL_USAGE, "no-card-named", _("no card named"));
	if (cards) {
		error_found(error, _("%u cards: %s"), cards, text);
		error_next(error, _("name one of them; cxctl list tells more"));
	} else {
		error_set(error, CXCTL_NO_CARD, "no-card", _("this machine has no ConnectX card"));
	}
	return NULL;
}

struct tally {
	unsigned int cards, failed;
	int code;		/* of the last card that was not simply done */
};

static void one_card(const char *name, struct output *output, const struct options *options,
		     command_card one, void *data, struct tally *tally)
{
	struct cxctl_error error = { 0 };
	struct cxctl_card *card;
	int code = -1;

	output_object(output, NULL);
	output_string(output, "card", name);
	output_bool(output, "changed", false);
	output_null(output, "pending_action");
	card = card_open(name, &error);
	if (card) {
		output_string(output, "address", card_address(card));
		code = one(card, output, options, data, &error);
		card_close(card);
	}
	if (code < 0) {
		fflush(stdout);
		error_print(&error);
		output_error(output, &error);
		code = error.exit;
	}
	output_end(output);
	tally->cards++;
	if (code != CXCTL_DONE) {
		tally->failed++;
		tally->code = code;
	}
}

int command_cards(const struct options *options, int argc, char **argv, int first, unsigned int most,
		  command_card one, void *data)
{
	unsigned int named = argc - first + (options->device ? 1 : 0);
	struct tally tally = { 0 };
	struct cxctl_error error;
	struct pci_list list = { 0 };
	const char *alone = NULL;
	struct output *output;
	int i;

	if (named > most) {
		error_set(&error, CXCTL_USAGE, "too-many-cards", _("too many operands: %s"), argv[argc - 1]);
		error_expected(&error, most == 1 ? _("one card") : _("at most %u cards"), most);
		return command_fail(options, &error);
	}
	if (!named) {
		pci_scan(&list);
		alone = only_card(&list, &error);
		if (!alone) {
			pci_list_free(&list);
			return command_fail(options, &error);
		}
	}
	output = output_open(stdout, options);
	output_array(output, "cards");
	if (alone)
		one_card(alone, output, options, one, data, &tally);
	if (options->device)
		one_card(options->device, output, options, one, data, &tally);
	for (i = first; i < argc; i++) {
		if (tally.cards)
			output_line(output, "%s", "");
		one_card(argv[i], output, options, one, data, &tally);
	}
	output_end(output);
	pci_list_free(&list);
	if (output_close(output))
		return command_flush();
	if (!tally.failed)
		return CXCTL_DONE;
	return tally.failed < tally.cards ? CXCTL_PARTIAL : tally.code;
}
