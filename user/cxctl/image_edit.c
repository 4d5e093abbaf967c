// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl image edit: its options, and its answer: a changed copy of an image, made and verified in memory,
 * its plan shown, then written whole or not at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/hexadecimal.h"
#include "findings.h"
#include "image_edit.h"

enum {
	OPTION_OUTPUT,
	OPTION_DRY_RUN,
	OPTION_FORCE,
	OPTION_GUID,
	OPTION_MAC,
	OPTION_UID,
	OPTION_UID_COUNT,
	OPTION_UID_STEP,
	OPTION_VSD,
	OPTION_IMAGE_VSD,
	OPTION_PSID,
	OPTION_NAME,
	OPTION_INI,
	OPTION_ROM,
	OPTION_ALLOW_ROM_CHANGE,
};

static int take_ids(const char *option, const char *argument, unsigned int bits, unsigned int most,
		    uint64_t *ids, unsigned int *count, struct cxctl_error *error)
{
	const char *at = argument;

	for (*count = 0; *count < most; at++) {
		at = hexadecimal_parse(at, bits, &ids[*count]);
		if (!at || (*at && *at != ','))
			break;
		++*count;
		if (!*at)
			return 0;
	}
	error_set(error, CXCTL_USAGE, "bad-option", _("--%s: %s is not such an address"), option, argument);
	if (most == 1)
		error_expected(error, _("%u hexadecimal digits"), bits / 4);
	else
		error_expected(error, _("one to %u addresses of %u hexadecimal digits, separated by commas"),
			       most, bits / 4);
	return -1;
}

static int take_number(const char *option, const char *argument, uint32_t most, uint32_t *value,
		       struct cxctl_error *error)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(argument, &end, 0);
	if (!errno && end != argument && !*end && *argument != '-' && number && number <= most) {
		*value = number;
		return 0;
	}
	error_set(error, CXCTL_USAGE, "bad-option", _("--%s: %s is not such a number"), option, argument);
	error_expected(error, _("a number from 1 to %u"), most);
	return -1;
}

static int take_text(const char *option, const char *argument, const char **text, struct cxctl_error *error)
{
	*text = argument;
	return *argument ? 0
			 : error_set(error, CXCTL_USAGE, "bad-option", _("--%s: nothing is named"), option);
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct edit_request *request = data;
	unsigned int one;

	switch (index) {
	case OPTION_OUTPUT:
		return take_text("output", argument, &request->output, error);
	case OPTION_DRY_RUN:
		request->dry_run = true;
		return 0;
	case OPTION_FORCE:
		request->force = true;
		return 0;
	case OPTION_GUID:
		return take_ids("guid", argument, 64, 4, request->guid, &request->guid_count, error);
	case OPTION_MAC:
		return take_ids("mac", argument, 48, 2, request->mac, &request->mac_count, error);
	case OPTION_UID:
		request->has_uid = true;
		return take_ids("uid", argument, 64, 1, &request->uid, &one, error);
	case OPTION_UID_COUNT:
		return take_number("uid-count", argument, 255, &request->uid_count, error);
	case OPTION_UID_STEP:
		return take_number("uid-step", argument, 255, &request->uid_step, error);
	case OPTION_VSD:
		request->vsd = argument;
		return 0;
	case OPTION_IMAGE_VSD:
		request->image_vsd = argument;
		return 0;
	case OPTION_PSID:
		return take_text("psid", argument, &request->psid, error);
	case OPTION_NAME:
		return take_text("name", argument, &request->name, error);
	case OPTION_INI:
		return take_text("ini", argument, &request->ini_file, error);
	case OPTION_ROM:
		return take_text("rom", argument, &request->rom_file, error);
	case OPTION_ALLOW_ROM_CHANGE:
		request->allow_rom_change = true;
		return 0;
	}
	return 0;
}

static bool asks_for_nothing(const struct edit_request *request)
{
	return !request->guid_count && !request->mac_count && !request->has_uid && !request->uid_count &&
	       !request->uid_step && !request->vsd && !request->image_vsd && !request->psid &&
	       !request->name && !request->ini_file && !request->rom_file;
}

static int check_use(const struct options *options, const struct edit_request *request,
		     struct cxctl_error *error)
{
	if (!request->file || !*request->file)
		error_set(error, CXCTL_USAGE, "no-file", _("no file named"));
	else if (asks_for_nothing(request))
		error_set(error, CXCTL_USAGE, "no-edit", _("nothing to change was named"));
	else if (!request->output && !request->dry_run)
		error_set(error, CXCTL_USAGE, "no-output", _("no file named for the changed copy"));
	else if (request->has_uid && (request->guid_count || request->mac_count))
		error_set(error, CXCTL_USAGE, "bad-option",
			  _("--uid sets GUID and MAC: --guid and --mac contradict it"));
	else if (options->json && request->output && !strcmp(request->output, "-"))
		error_set(error, CXCTL_USAGE, "bad-option", _("-o - and -j both want the standard output"));
	else if (request->output && !strcmp(request->output, "-") && !request->dry_run && isatty(1))
		error_set(error, CXCTL_USAGE, "bad-option", _("an image is not for a terminal"));
	else
		return 0;
	error_next(error,
		   _("cxctl image edit FILE -o OUT with --psid, --name, --guid, --mac, --uid, --vsd, --rom or --ini; -n shows the plan only; --help tells more"));
	return -1;
}

/* Before any work: what image_write_file() would refuse at the end. */
static int check_target(const struct edit_request *request, struct cxctl_error *error)
{
	struct stat target, image;

	if (!request->output || request->dry_run || request->force || !strcmp(request->output, "-") ||
	    lstat(request->output, &target))
		return 0;
	if (S_ISLNK(target.st_mode))
		stat(request->output, &target);
	if (!stat(request->file, &image) && image.st_dev == target.st_dev && image.st_ino == target.st_ino) {
		error_set(error, CXCTL_REFUSED, "in-place", _("%s is the image itself"), request->output);
		error_rule(error, _("an edit makes a copy; the original is kept until you are sure"));
		error_next(error, _("name another file, or add --force to replace the original"));
		return -1;
	}
	if (S_ISDIR(target.st_mode)) {
		error_set(error, CXCTL_USAGE, "is-directory", _("%s is a directory"), request->output);
		error_expected(error, _("the name of a file"));
		return -1;
	}
	error_set(error, CXCTL_REFUSED, "file-exists", _("%s exists already"), request->output);
	error_next(error, _("name another file, or add --force to replace it"));
	return -1;
}

static void show_statement(void *context, const struct image_statement *statement)
{
	struct output *output = context;

	output_object(output, NULL);
	output_string(output, "id", statement->id);
	output_bool(output, "grave", statement->grave);
	output_string(output, "text", statement->text);
	output_end(output);
	output_line(output, "  %s %s", statement->grave ? "!" : "-", statement->text);
}

static void show_difference(struct output *output, const struct editing *editing)
{
	struct image_compare_listener listener = { .statement = show_statement, .context = output };
	struct image_error why;
	bool identical;

	output_array(output, "statements");
	output_line(output, "%s", "");
	output_line(output, "%s", _("The copy beside the original:"));
	image_compare(&editing->before.subject, &editing->after.subject, &listener, &identical, &why);
	output_line(output, "%s", "");
	output_end(output);
}

static int write_copy(const struct editing *editing, struct output *output, struct cxctl_error *error)
{
	const struct edit_request *request = editing->request;

	if (request->dry_run) {
		output_line(output, "%s", _("Nothing was written: -n was given."));
		return 0;
	}
	if (image_write_file(request->output, editing->result.bytes, editing->result.length, request->force,
			     error))
		return -1;
	output_line(output, _("%s: %zu bytes, verified: %s"), request->output, editing->result.length,
		    editing->verdict == IMAGE_GOOD ? _("good") : _("good but unusual"));
	output_line(output, "SHA-256 %s", editing->sha256);
	return 0;
}

static int answer(const struct editing *editing)
{
	const struct edit_request *request = editing->request;
	bool to_stdout = request->output && !strcmp(request->output, "-");
	struct output *output = output_open(to_stdout ? stderr : stdout, editing->options);
	struct cxctl_error error;
	int result;

	output_string(output, "path", request->file);
	output_string(output, "inside", editing->picked.inside);
	output_string(output, "file", request->output);
	output_string(output, "format", image_format_name(editing->before.subject.place.format));
	edit_show_plan(output, editing);
	show_difference(output, editing);
	output_string(output, "verdict", verdict_id(editing->verdict));
	output_string(output, "sha256", editing->sha256);
	fflush(stdout);
	result = write_copy(editing, output, &error);
	output_bool(output, "written", !result && !request->dry_run);
	if (result) {
		fflush(stdout);
		error_print(&error);
		output_error(output, &error);
	}
	if (output_close(output))
		return command_flush();
	return result ? error.exit : CXCTL_DONE;
}

int image_cmd_edit(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_OUTPUT] = { "output", 'o', N_("OUT"),
			N_("where to write the changed copy; - is the standard output") },
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and write nothing") },
		[OPTION_FORCE] = { "force", 0, NULL,
			N_("write over a file that exists, also over FILE itself") },
		[OPTION_GUID] = { "guid", 0, N_("G[,G,G,G]"),
			N_("FS2: the first GUID (four count up), or all four; later: the base") },
		[OPTION_MAC] = { "mac", 0, N_("M[,M]"),
			N_("FS2: the first MAC (two count up), or both; later: the base") },
		[OPTION_UID] = { "uid", 0, N_("U"),
			N_("FS3 and later: base GUID, and as base MAC the same without its middle 16 bits") },
		[OPTION_UID_COUNT] = { "uid-count", 0, N_("NUMBER"),
			N_("FS3 and later: how many GUIDs and MACs the card may use") },
		[OPTION_UID_STEP] = { "uid-step", 0, N_("NUMBER"),
			N_("FS3 and later: the step between them") },
		[OPTION_VSD] = { "vsd", 0, N_("TEXT"),
			N_("the card's VSD, a free text of the vendor's (208 bytes)") },
		[OPTION_IMAGE_VSD] = { "image-vsd", 0, N_("TEXT"), N_("FS3 and later: the image's own VSD") },
		[OPTION_PSID] = { "psid", 0, N_("PSID"),
			N_("make it an image for another PSID (marked as retagged)") },
		[OPTION_NAME] = { "name", 0, N_("NAME"),
			N_("the board's name, in the INI text and where the format has one") },
		[OPTION_INI] = { "ini", 0, N_("BOARD.ini"),
			N_("put this INI text in, and take PSID and name from it") },
		[OPTION_ROM] = { "rom", 0, N_("FILE|none"),
			N_("put in or replace the expansion ROM, or remove it") },
		[OPTION_ALLOW_ROM_CHANGE] = { "allow-rom-change", 0, NULL,
			N_("although the image is a vendor's product with a tested ROM") },
	};
	static const struct usage usage = {
		.name = "image edit",
		.without_card = true,
		.synopsis = "FILE -o OUT [what to change] [-n]",
		.summary = N_("Makes a changed copy of an image, every CRC and digest right again."),
		.details = N_("The copy is made and verified in memory; the plan is shown; then the file is written whole or not at\n"
			      "all. What a signature or encryption makes useless is refused, with the reason (exit code 4).\n"
			      "An INI text describes the board; it changes no behaviour: the firmware reads compiled records."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct edit_request request = { 0 };
	struct editing editing = { .options = options, .request = &request };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	request.file = first < argc ? argv[first] : NULL;
	if (argc - first > 1)
		code = error_set(&error, CXCTL_USAGE, "too-many-files", _("one file at a time"));
	else
		code = check_use(options, &request, &error);
	if (!code)
		code = check_target(&request, &error);
	if (!code)
		code = edit_make(&editing, &error);
	code = code ? command_fail(options, &error) : answer(&editing);
	edit_free(&editing);
	return code;
}
