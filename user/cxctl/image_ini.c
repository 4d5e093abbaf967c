// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxctl image ini: the text of a board's INI, out of an image or checked as a file. The text
 * describes the board; what the firmware does stands in records that were compiled from it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../image/ini.h"
#include "image.h"

enum { OPTION_OUTPUT, OPTION_CHECK, OPTION_PSID, OPTION_FORCE };

struct ini_request {
	const char *file, *output, *psid;
	bool check, force;
};

/* ---- the text ---- */

/* What is not an image, but worth a better word than that. */
static int refuse_other(const char *path, struct cxctl_error *error)
{
	const struct source_guess *guess;
	struct image_file file;
	struct image_error why;
	int result = 0;

	if (image_file_open(path, &file, &why))
		return 0;	/* image_pick() says why */
	guess = source_guess(&file.reader);
	if (guess && (!strcmp(guess->id, "mlx") || !strcmp(guess->id, "ini"))) {
		result = error_set(error, CXCTL_BAD_IMAGE, "not-an-image", _("%s is not a firmware image"),
				   path);
		error_found(error, "%s", _(guess->what));
		if (!strcmp(guess->id, "ini"))
			error_next(error, _("cxctl image ini --check %s looks for mistakes in it"), path);
		else if (guess->next)
			error_next(error, "%s", _(guess->next));
	}
	image_file_close(&file);
	return result;
}

static int no_ini(const struct image_picked *picked, struct cxctl_error *error)
{
	error_set(error, CXCTL_FAILED, "no-ini", _("%s carries no INI text"), picked->path);
	error_found(error, "%s, PSID %s", image_format_name(picked->facts.place.format),
		    picked->facts.has & IMAGE_HAS_PSID ? picked->facts.psid : "-");
	if (picked->facts.encrypted)
		error_next(error, _("the image is encrypted: what is inside cannot be read"));
	else
		error_next(error,
			   _("vendors leave it out of some images; nothing is wrong with the image because of that"));
	return -1;
}

/* The text of an image, NUL terminated. The caller frees it. */
static int read_text(const struct options *options, const struct ini_request *request,
		     struct image_picked *picked, char **text, size_t *length, struct cxctl_error *error)
{
	struct image_error why = { 0 };
	int code;

	if (refuse_other(request->file, error) ||
	    image_pick(options, request->file, request->psid, picked, error))
		return -1;
	code = image_ini(&picked->file.reader, &picked->place, text, length, &why);
	if (!code)
		return 0;
	if (code == -ENOENT)
		no_ini(picked, error);
	else
		image_failed(picked->path, picked->inside, &why, code, error);
	image_picked_free(picked);
	return -1;
}

/* As it stands for a file or a pipe; a terminal is not told to obey what a file says. */
static void print_text(const char *text, size_t length)
{
	const char *line = text, *end = text + length;

	if (!isatty(STDOUT_FILENO)) {
		fwrite(text, 1, length, stdout);
		return;
	}
	while (line < end) {
		const char *stop = memchr(line, '\n', end - line);
		size_t now = (stop ? stop : end) - line;
		char *clean = text_printable(line, now && line[now - 1] == '\r' ? now - 1 : now);

		text_print(stdout, "%s\n", clean);
		free(clean);
		line += now + 1;
	}
}

static void write_json(const struct options *options, const struct ini_request *request,
		       const struct image_picked *picked, const char *text, size_t length,
		       const char *retagged)
{
	struct output *output = output_open(stdout, options);

	output_string(output, "path", picked->path);
	output_string(output, "inside", picked->inside);
	output_string(output, "format", image_format_name(picked->facts.place.format));
	output_string(output, "psid", picked->facts.has & IMAGE_HAS_PSID ? picked->facts.psid : NULL);
	output_string(output, "retagged_from", *retagged ? retagged : NULL);
	output_string(output, "file", request->output);
	output_number(output, "length", length);
	output_string(output, "ini", text);
	output_close(output);
}

static int show_text(const struct options *options, const struct ini_request *request)
{
	struct image_picked picked;
	struct cxctl_error error;
	char retagged[17] = "", *text;
	size_t length;

	if (read_text(options, request, &picked, &text, &length, &error))
		return command_fail(options, &error);
	if (request->output && image_write_file(request->output, text, length, request->force, &error)) {
		free(text);
		image_picked_free(&picked);
		return command_fail(options, &error);
	}
	image_ini_retagged(text, retagged);
	if (options->json)
		write_json(options, request, &picked, text, length, retagged);
	else if (!request->output)
		print_text(text, length);
	else if (strcmp(request->output, "-"))
		text_print(stdout, _("%s: %zu bytes saved\n"), request->output, length);
	fflush(stdout);
	if (*retagged)
		say(options, _("The PSID in it was changed by cxctl; the board's own was %s."), retagged);
	say(options, "%s",
	    _("This text only describes the board. The firmware reads records that were compiled from it: changing the text changes no behaviour."));
	free(text);
	image_picked_free(&picked);
	return command_flush();
}

/* ---- the check ---- */

struct checking {
	struct output *output;
	unsigned int findings;
};

static void on_finding(void *context, const struct image_finding *finding)
{
	struct checking *checking = context;
	struct output *output = checking->output;

	checking->findings++;
	output_object(output, NULL);
	output_string(output, "verdict", finding->verdict == IMAGE_DAMAGED ? "damaged" : "unusual");
	output_string(output, "part", finding->part);
	output_number(output, "line", finding->where);
	output_string(output, "text", finding->text);
	output_end(output);
	if (finding->where)
		output_line(output, _("  ! line %llu: %s: %s"), (unsigned long long)finding->where,
			    finding->part, finding->text);
	else
		output_line(output, "  ! %s: %s", finding->part, finding->text);
}

static void show_fact(struct output *output, const char *key, const char *label, const char *value)
{
	if (value && *value)
		output_fact(output, key, label, NULL, "%s", value);
	else
		output_null(output, key);
}

static void show_board(struct output *output, const struct ini *ini)
{
	struct ini_board board;

	ini_board(ini, &board);
	show_fact(output, "psid", _("PSID"), board.psid);
	show_fact(output, "psid_vendor", _("Vendor"), board.psid ? image_psid_vendor(board.psid) : NULL);
	show_fact(output, "name", _("Name"), board.name);
	show_fact(output, "board_revision", _("Board revision"), board.revision);
	show_fact(output, "description", _("Description"), board.description);
	show_fact(output, "prs_name", _("PRS file"), board.prs_name);
	output_number(output, "key_count", ini->count);
}

static int bad_text(const char *path, const struct image_error *why, int code, struct cxctl_error *error)
{
	if (code == -ENOMEM)
		return error_set(error, CXCTL_FAILED, "memory", "%s: %s", path, why->text);
	error_set(error, CXCTL_BAD_IMAGE, "bad-ini", _("%s is not a board's INI"), path);
	error_found(error, "%s", why->text);
	error_expected(error, _("lines of [section], name = value, or comments that begin with ;"));
	return -1;
}

static int check_text(const struct options *options, const char *path, const char *text, size_t length,
		      struct cxctl_error *error)
{
	struct checking checking = { 0 };
	struct image_listener listener = { .finding = on_finding, .context = &checking };
	enum image_verdict verdict = IMAGE_GOOD;
	struct image_error why = { 0 };
	struct ini ini;
	int code = ini_parse(text, length, &ini, &why);

	if (code)
		return bad_text(path, &why, code, error);
	checking.output = output_open(stdout, options);
	output_string(checking.output, "path", path);
	output_line(checking.output,
		    ngettext("%s: an INI of %zu value", "%s: an INI of %zu values", ini.count), path,
		    ini.count);
	show_board(checking.output, &ini);
	output_array(checking.output, "findings");
	code = ini_check(text, length, &listener, &verdict, &why);
	output_end(checking.output);
	ini_free(&ini);
	if (code) {
		output_discard(checking.output);
		return bad_text(path, &why, code, error);
	}
	output_number(checking.output, "finding_count", checking.findings);
	output_string(checking.output, "verdict", verdict == IMAGE_DAMAGED ? "damaged" :
		      verdict == IMAGE_UNUSUAL ? "unusual" : "good");
	if (checking.findings)
		output_line(checking.output, ngettext("%u finding.", "%u findings.", checking.findings),
			    checking.findings);
	else
		output_line(checking.output, "%s", _("No findings."));
	if (output_close(checking.output))
		return command_flush();
	say(options, "%s",
	    _("This is a check of the text. The firmware reads records that were compiled from it: changing the text changes no behaviour."));
	return checking.findings ? CXCTL_FINDINGS : CXCTL_DONE;
}

/* A firmware's magic, or any byte that no text has: then the text is inside. */
static bool looks_like_text(const struct image_reader *reader)
{
	size_t length = reader->size < 4096 ? reader->size : 4096;

	return length && !memchr(reader->bytes, 0, length) && memcmp(reader->bytes, "MTFW", 4);
}

static int check(const struct options *options, const struct ini_request *request)
{
	struct image_picked picked;
	struct image_file file;
	struct image_error why = { 0 };
	struct cxctl_error error;
	char *text;
	size_t length;
	int code = image_file_open(request->file, &file, &why);

	if (!code && looks_like_text(&file.reader)) {
		if (file.reader.size > IMAGE_INI_MOST)
			code = error_set(&error, CXCTL_BAD_IMAGE, "bad-ini",
					 _("%s is too long for a board's INI"), request->file);
		else
			code = check_text(options, request->file, (const char *)file.reader.bytes,
					  file.reader.size, &error);
		image_file_close(&file);
		return code < 0 ? command_fail(options, &error) : code;
	}
	if (!code)
		image_file_close(&file);
	if (read_text(options, request, &picked, &text, &length, &error))
		return command_fail(options, &error);
	code = check_text(options, picked.path, text, length, &error);
	free(text);
	image_picked_free(&picked);
	return code < 0 ? command_fail(options, &error) : code;
}

/* ---- the command ---- */

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct ini_request *request = data;

	(void)error;
	switch (index) {
	case OPTION_OUTPUT:
		request->output = argument;
		break;
	case OPTION_CHECK:
		request->check = true;
		break;
	case OPTION_PSID:
		request->psid = argument;
		break;
	case OPTION_FORCE:
		request->force = true;
		break;
	}
	return 0;
}

static int wrong_use(const struct options *options, const char *id, const char *text)
{
	struct cxctl_error error;

	error_set(&error, CXCTL_USAGE, id, "%s", text);
	error_next(&error, _("cxctl image ini FILE, or cxctl image ini --check BOARD.ini"));
	return command_fail(options, &error);
}

int image_cmd_ini(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_OUTPUT] = { "output", 'o', N_("FILE"), N_("save the text to a file") },
		[OPTION_CHECK] = { "check", 0, NULL,
			N_("look for mistakes in an INI: a text file, or the one in an image") },
		[OPTION_PSID] = { "psid", 0, N_("PSID"), N_("which image of a container") },
		[OPTION_FORCE] = { "force", 0, NULL, N_("write over a file that exists") },
	};
	static const struct usage usage = {
		.name = "image ini",
		.without_card = true,
		.synopsis = "FILE [--psid PSID] [-o OUT] | --check BOARD.ini",
		.summary = N_("Shows the INI text that an image carries, or checks one. Changes nothing."),
		.details = N_("The text describes the board. The firmware reads records that were compiled from it, so\n"
			      "that changing the text (cxctl image edit --ini) changes no behaviour.\n"
			      "--check: PSID and name there, nothing twice, no unknown key. Exit code 8: something was found."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct ini_request request = { 0 };
	int first, code;

	if (command_options(options, &usage, argc, argv, &request, &first, &code))
		return code;
	if (first >= argc || !*argv[first])
		return wrong_use(options, "no-file", _("no file named"));
	if (argc - first > 1)
		return wrong_use(options, "too-many-files", _("one file at a time"));
	if (request.check && request.output)
		return wrong_use(options, "bad-option", _("--check writes no file"));
	if (request.output && !*request.output)
		return wrong_use(options, "no-file", _("no file named"));
	if (options->json && request.output && !strcmp(request.output, "-"))
		return wrong_use(options, "bad-option", _("-o - and -j both want the standard output"));
	request.file = argv[first];
	return request.check ? check(options, &request) : show_text(options, &request);
}
