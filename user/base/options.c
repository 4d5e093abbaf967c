// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"

#define EXTRA_BASE	1000	/* what getopt_long() returns for extra option n is EXTRA_BASE + n */
#define EXTRA_MAX	32
#define OPTION_DEBUG	500
#define OPTION_TIMEOUT	501

static const struct {
	struct option option;
	const char *argument;
	const char *help;
} common[] = {
	{ { "device", required_argument, NULL, 'd' }, N_("CARD"), N_("the card, like the operand CARD") },
	{ { "json", no_argument, NULL, 'j' }, NULL, N_("answer in JSON") },
	{ { "pretty", no_argument, NULL, 'p' }, NULL, N_("JSON for the eye (implies --json)") },
	{ { "quiet", no_argument, NULL, 'q' }, NULL, N_("no messages but errors") },
	{ { "verbose", no_argument, NULL, 'v' }, NULL, N_("tell more, and where each fact comes from") },
	{ { "debug", no_argument, NULL, OPTION_DEBUG }, NULL, N_("show what is done on the way") },
	{ { "timeout", required_argument, NULL, OPTION_TIMEOUT }, N_("SECONDS"),
	  N_("longest single wait for a card or the driver (default 30)") },
	{ { "help", no_argument, NULL, 'h' }, NULL, N_("show this help") },
	{ { "version", no_argument, NULL, 'V' }, NULL, N_("show the version") },
};

#define COMMON_COUNT	(sizeof(common) / sizeof(common[0]))

static int take_timeout(struct options *options, const char *text, struct cxctl_error *error)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || value == 0 || value > 86400 || text[0] == '-') {
		error_set(error, CXCTL_USAGE, "bad-option", _("--timeout %s is not a number of seconds"), text);
		error_expected(error, _("a whole number from 1 to 86400"));
		return -1;
	}
	options->timeout = value;
	return 0;
}

static int take_common(struct options *options, int which, const char *argument, struct cxctl_error *error)
{
	switch (which) {
	case 'd':
		if (options->device && strcmp(options->device, argument)) {
			error_set(error, CXCTL_USAGE, "bad-option", _("-d was given twice: %s and %s"), options->device,
				  argument);
			error_next(error, _("name further cards without -d"));
			return -1;
		}
		options->device = argument;
		return 0;
	case 'p':
		options->pretty = true;
		/* fall through */
	case 'j':
		options->json = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case OPTION_DEBUG:
		options->debug = true;
		return 0;
	case OPTION_TIMEOUT:
		return take_timeout(options, argument, error);
	case 'h':
		options->help = true;
		return 0;
	case 'V':
		options->version = true;
		return 0;
	}
	return error_set(error, CXCTL_USAGE, "bad-option", _("unknown option"));
}

/*
 * What the user typed that getopt_long() did not like. Within a cluster like -jx optind still
 * points at it, so that the word before is another one: an unknown letter speaks for itself.
 */
static int bad_option(const struct usage *usage, int code, const char *letters, char **argv,
		      struct cxctl_error *error)
{
	const char *word = argv[optind > 1 ? optind - 1 : 1];
	const char *command = usage && usage->name ? usage->name : "";

	if (code == '?' && optopt && optopt < 256 && !strchr(letters, optopt)) {
		error_set(error, CXCTL_USAGE, "bad-option", _("unknown option -%c"), optopt);
	} else if (code == ':' && optopt < 256 && strncmp(word, "--", 2)) {
		error_set(error, CXCTL_USAGE, "missing-argument", _("option -%c needs an argument"), optopt);
	} else if (code == ':') {
		error_set(error, CXCTL_USAGE, "missing-argument", _("option %s needs an argument"), word);
	} else {
		error_set(error, CXCTL_USAGE, "bad-option", _("option %s is unknown, ambiguous or takes no argument"),
			  word);
	}
	error_next(error, _("cxctl %s%s--help shows the options"), command, *command ? " " : "");
	return -1;
}

static int parse(struct options *options, const struct usage *usage, int argc, char **argv, bool leading,
		 void *data, struct cxctl_error *error)
{
	struct option table[COMMON_COUNT + EXTRA_MAX + 1] = { 0 };
	char letters[2 + 2 * (COMMON_COUNT + EXTRA_MAX) + 1];
	size_t count = 0, used = 0, extra = usage ? usage->extra_count : 0, i;
	int code;

	if (leading)
		letters[used++] = '+';
	letters[used++] = ':';
	for (i = 0; i < COMMON_COUNT; i++) {
		table[count++] = common[i].option;
		if (common[i].option.val < 256) {
			letters[used++] = common[i].option.val;
			if (common[i].option.has_arg)
				letters[used++] = ':';
		}
	}
	for (i = 0; i < extra && i < EXTRA_MAX; i++) {
		table[count].name = usage->extra[i].name;
		table[count].has_arg = usage->extra[i].argument ? required_argument : no_argument;
		table[count++].val = EXTRA_BASE + i;
		if (usage->extra[i].letter) {
			letters[used++] = usage->extra[i].letter;
			if (usage->extra[i].argument)
				letters[used++] = ':';
		}
	}
	letters[used] = '\0';

	optind = 0;	/* glibc: start anew */
	opterr = 0;
	while ((code = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		size_t index = extra;

		if (code == '?' || code == ':')
			return bad_option(usage, code, letters, argv, error);
		if (code >= EXTRA_BASE)
			index = code - EXTRA_BASE;
		else
			for (index = 0; index < extra && usage->extra[index].letter != code; index++)
				;
		if (index < extra) {
			if (usage->take(data, index, optarg, error))
				return -1;
		} else if (take_common(options, code, optarg, error)) {
			return -1;
		}
	}
	return optind;
}

void options_seek_json(struct options *options, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const char *word = argv[i];
		bool cluster = word[0] == '-' && word[1] && !word[1 + strspn(word + 1, "jpqv")];

		if (!strcmp(word, "--pretty") || (cluster && strchr(word, 'p')))
			options->json = options->pretty = true;
		else if (!strcmp(word, "--json") || (cluster && strchr(word, 'j')))
			options->json = true;
	}
}

int options_parse(struct options *options, const struct usage *usage, int argc, char **argv, void *data,
		  struct cxctl_error *error)
{
	int first = parse(options, usage, argc, argv, false, data, error);

	if (first >= 0 && usage->without_card && options->device && !options->help) {
		first = error_set(error, CXCTL_USAGE, "no-card", _("cxctl %s works on files, it asks no card: -d %s"),
				  usage->name, options->device);
		error_next(error, _("cxctl backup saves a card's flash to a file"));
	}
	if (first < 0)
		options_seek_json(options, argc, argv);
	return first;
}

int options_parse_leading(struct options *options, int argc, char **argv, struct cxctl_error *error)
{
	int first = parse(options, NULL, argc, argv, true, NULL, error);

	if (first < 0)
		options_seek_json(options, argc, argv);
	return first;
}

static void help_line(char letter, const char *name, const char *argument, const char *help)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
		 letter ? "," : " ", name, argument ? " " : "", argument ? argument : "");
	fputs("  ", stdout);
	write_padded(stdout, left, 32);
	text_print(stdout, " %s\n", help);
}

void options_help_common(bool without_card)
{
	size_t i;

	text_print(stdout, "%s\n", _("Common options:"));
	for (i = 0; i < COMMON_COUNT; i++) {
		int value = common[i].option.val;

		if (without_card && (value == 'd' || value == OPTION_TIMEOUT))
			continue;
		help_line(value < 256 ? value : 0, common[i].option.name,
			  common[i].argument ? _(common[i].argument) : NULL, _(common[i].help));
	}
}

void options_help(const struct usage *usage)
{
	size_t i;

	text_print(stdout, "%s cxctl %s %s\n\n%s\n", _("Usage:"), usage->name, usage->synopsis, _(usage->summary));
	if (usage->details)
		text_print(stdout, "\n%s\n", _(usage->details));
	if (usage->extra_count)
		text_print(stdout, "\n%s\n", _("Options:"));
	for (i = 0; i < usage->extra_count; i++)
		help_line(usage->extra[i].letter, usage->extra[i].name,
			  usage->extra[i].argument ? _(usage->extra[i].argument) : NULL,
			  _(usage->extra[i].help));
	printf("\n");
	options_help_common(usage->without_card);
}
