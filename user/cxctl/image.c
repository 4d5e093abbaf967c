// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image: the table of its subcommands. */
#include "image.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(struct options *options, int argc, char **argv);
	const char *summary;
} subcommands[] = {
	{ "info", image_cmd_info, N_("everything that an image tells about itself") },
	{ "verify", image_cmd_verify, N_("check every CRC, pointer, digest and signature") },
	{ "list", image_cmd_list, N_("the images in a container, an installer or a directory") },
	{ "extract", image_cmd_extract, N_("take an image out of one, by its PSID") },
	{ "diff", image_cmd_diff, N_("two images, section by section and in words") },
	{ "ini", image_cmd_ini, N_("show or check a board's INI") },
	{ "edit", image_cmd_edit, N_("make a changed copy: GUIDs, MACs, VSD, PSID, name, ROM, INI") },
	{ "pack", image_cmd_pack, N_("put images into an MFA2 for devlink") },
	{ "index", image_cmd_index, N_("make a catalogue of a directory's images") },
};

#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void show_help(void)
{
	size_t i;

	text_print(stdout, "%s cxctl image %s\n\n%s\n\n%s\n", _("Usage:"), _("SUBCOMMAND PATH... [options]"),
	       _("Firmware images as files: explain, check, compare, take apart, edit and pack them."),
	       _("Subcommands:"));
	for (i = 0; i < SUBCOMMANDS; i++)
		text_print(stdout, "  %-16s %s\n", subcommands[i].name, _(subcommands[i].summary));
	text_print(stdout, "\n%s\n%s\n%s\n\n",
	       _("PATH is an image, a backup of a flash, a container (MFA1, MFA2, PLDM), an installer that"),
	       _("holds one, a directory of them, or a catalogue made by cxctl image index."),
	       _("cxctl image SUBCOMMAND --help tells about one of them."));
	options_help_common(true);
}

static void list_known(char *known, size_t room)
{
	size_t i, used = 0;

	for (i = 0; i < SUBCOMMANDS; i++)
		used += snprintf(known + used, room - used, "%s%s", i ? ", " : "", subcommands[i].name);
}

static int no_subcommand(const struct options *options, const char *name)
{
	struct cxctl_error error;
	char known[256];

	list_known(known, sizeof(known));
	if (name)
		error_set(&error, CXCTL_USAGE, "unknown-command", _("there is no command image %s"),
			  *name ? name : "''");
	else
		error_set(&error, CXCTL_USAGE, "no-command", _("cxctl image needs a subcommand"));
	error_expected(&error, _("one of %s"), known);
	error_next(&error, _("cxctl image --help tells what they do"));
	return command_fail(options, &error);
}

int image_take_psid(const char *argument, const char **psid, struct cxctl_error *error)
{
	if (!*argument)
		return error_set(error, CXCTL_USAGE, "bad-option", _("--psid needs a PSID"));
	*psid = argument;
	return 0;
}

int image_no_path(const struct options *options, const char *subcommand)
{
	struct cxctl_error error;

	error_set(&error, CXCTL_USAGE, "no-path", _("no file named"));
	error_next(&error, _("cxctl image %s --help shows what it takes"), subcommand);
	return command_fail(options, &error);
}

int cmd_image(struct options *options, int argc, char **argv)
{
	struct cxctl_error error;
	int first = options_parse_leading(options, argc, argv, &error);
	size_t i;

	if (first < 0)
		return command_fail(options, &error);
	if (options->version) {
		printf("cxctl %s\n", CXCTL_VERSION);
		return command_flush();
	}
	if (first < argc && !strcmp(argv[first], "help")) {
		options->help = true;
		first++;
	}
	if (first >= argc || *argv[first] == '-' || !strcmp(argv[first], "help")) {
		if (!options->help)
			return no_subcommand(options, NULL);
		show_help();
		return command_flush();
	}
	for (i = 0; i < SUBCOMMANDS; i++)
		if (!strcmp(subcommands[i].name, argv[first]))
			return subcommands[i].run(options, argc - first, argv + first);
	options_seek_json(options, argc - first, argv + first);
	return no_subcommand(options, argv[first]);
}
