// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "command.h"

static const struct {
	const char *name;
	int (*run)(struct options *options, int argc, char **argv);
	const char *summary;	/* NULL: another name of the command above it */
} commands[] = {
	{ "list", cmd_list, N_("the cards of this machine, one line a function") },
	{ "info", cmd_info, N_("everything that is known of a card and its firmware") },
	{ "query", cmd_info, NULL },
	{ "access", cmd_access, N_("the ways to reach a card, and why one does not work") },
	{ "backup", cmd_backup, N_("save a card's whole flash to a file") },
	{ "restore", cmd_restore, N_("put a backup back on the card that it was taken from") },
	{ "burn", cmd_burn, N_("write a firmware image to a card, failsafe") },
	{ "verify", cmd_verify, N_("check the firmware on a card's flash") },
	{ "activate", cmd_activate, N_("let the card start its new firmware: what reset, who is hit, then do it") },
	{ "reset", cmd_activate, NULL },
	{ "journal", cmd_journal, N_("what cxctl did to the cards of this machine, and what came of it") },
	{ "image", cmd_image, N_("firmware images as files: explain, check, compare, edit, pack") },
	{ "doctor", cmd_doctor, N_("is this host ready, and the command for what is missing") },
	{ "monitor", cmd_monitor, N_("show events of cards and jobs as they come") },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void show_help(void)
{
	size_t i;

	text_print(stdout, "%s cxctl %s\n\n%s\n\n%s\n", _("Usage:"), _("COMMAND [CARD] [options]"),
	       _("Firmware of ConnectX cards: list, explain, back up, burn and verify."), _("Commands:"));
	for (i = 0; i < COMMANDS; i++) {
		char name[32];

		if (!commands[i].summary)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", commands[i].name,
			 i + 1 < COMMANDS && !commands[i + 1].summary ? ", " : "",
			 i + 1 < COMMANDS && !commands[i + 1].summary ? commands[i + 1].name : "");
		text_print(stdout, "  %-16s %s\n", name, _(commands[i].summary));
	}
	text_print(stdout, "\n%s\n%s\n\n", _("CARD is a PCI address (0000:03:00.0 or 03:00.0), a network interface, an RDMA device"),
	       _("or a name like mt4119_pciconf0. cxctl COMMAND --help tells about one command."));
	options_help_common(false);
}

static int unknown_command(const struct options *options, const char *name)
{
	struct cxctl_error error;
	char known[256] = "";
	size_t i, used = 0;

	for (i = 0; i < COMMANDS; i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", commands[i].name);
	error_set(&error, CXCTL_USAGE, "unknown-command", _("there is no command %s"),
		  *name ? name : "''");
	error_expected(&error, _("one of %s"), known);
	error_next(&error, _("cxctl --help tells what they do"));
	return command_fail(options, &error);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct cxctl_error error;
	int first;
	size_t i;

	message_init();
	first = options_parse_leading(&options, argc, argv, &error);
	if (first < 0)
		return command_fail(&options, &error);
	if (options.version) {
		printf("cxctl %s\n", CXCTL_VERSION);
		return command_flush();
	}
	if (options.help || first >= argc) {
		if (options.help) {
			show_help();
			return command_flush();
		}
		error_set(&error, CXCTL_USAGE, "no-command", _("no command given"));
		error_next(&error, _("cxctl --help shows the commands, cxctl list the cards"));
		return command_fail(&options, &error);
	}
	if (!strcmp(argv[first], "help")) {
		if (first + 1 >= argc || *argv[first + 1] == '-' || !strcmp(argv[first + 1], "help")) {
			show_help();
			return command_flush();
		}
		options.help = true;
		first++;
	}
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, argv[first]))
			return commands[i].run(&options, argc - first, argv + first);
	options_seek_json(&options, argc, argv);
	return unknown_command(&options, argv[first]);
}
