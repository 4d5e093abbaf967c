// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image diff: two images, or an image and a backup. */
#include "../image/compare.h"
#include "image.h"

#include <errno.h>
#include <string.h>

enum stage { STAGE_NONE, STAGE_FACTS, STAGE_SECTIONS, STAGE_STATEMENTS, STAGES };

struct diff {
	const struct options *options;
	struct output *output;
	const char *psid;
	enum stage stage;
	unsigned int listed;		/* of the stage at hand */
	unsigned int same_sections;	/* not listed without -v */
};

/* The arrays of JSON follow each other, and each is there, even empty. */
static void enter(struct diff *diff, enum stage stage)
{
	static const char *const keys[] = { NULL, "facts", "sections", "statements" };

	while (diff->stage < stage) {
		if (diff->stage != STAGE_NONE)
			output_end(diff->output);
		if (diff->stage == STAGE_FACTS && diff->listed)
			output_table_end(diff->output);
		if (diff->stage == STAGE_SECTIONS && diff->same_sections)
			output_line(diff->output,
				    ngettext("  %u section is the same", "  %u sections are the same",
					     diff->same_sections),
				    diff->same_sections);
		diff->listed = 0;
		if (++diff->stage == STAGES)
			return;
		output_array(diff->output, keys[diff->stage]);
	}
}

/* The words of image info for the keys of JSON. */
static const char *label_of(const char *key)
{
	static const char *const labels[][2] = {
		{ "format", N_("Format") }, { "model", N_("Chip") }, { "psid", N_("PSID") },
		{ "original_psid", N_("Original PSID") }, { "board_name", N_("Board") },
		{ "board_revision", N_("Board revision") }, { "firmware_version", N_("Firmware version") },
		{ "firmware_date", N_("Firmware date") }, { "mic_version", N_("MIC version") },
		{ "hw_ids", N_("Hardware ids") }, { "ports", N_("Ports") }, { "guids", N_("GUIDs") },
		{ "macs", N_("MACs") }, { "roms", N_("Expansion ROM") }, { "slot_size", N_("Slot size") },
		{ "length", N_("Bytes") }, { "security_attributes", N_("Security attributes") },
		{ "security_version", N_("Security version") }, { "product_version", N_("Product version") },
		{ "description", N_("Description") }, { "prs_name", N_("PRS name") }, { "vsd", N_("VSD") },
		{ "image_vsd", N_("Image VSD") }, { "device_vsd", N_("Device VSD") },
	};
	size_t i;

	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (!strcmp(labels[i][0], key))
			return _(labels[i][1]);
	return key;
}

static void on_fact(void *context, const struct image_fact_difference *difference)
{
	const char *const headers[] = { _("Fact"), _("First"), _("Second") };
	const char *const cells[] = { label_of(difference->key), difference->first, difference->second };
	struct diff *diff = context;

	enter(diff, STAGE_FACTS);
	if (!diff->listed++)
		output_table(diff->output, headers, 3);
	output_row(diff->output, cells);
	output_object(diff->output, NULL);
	output_string(diff->output, "key", difference->key);
	output_string(diff->output, "first", *difference->first ? difference->first : NULL);
	output_string(diff->output, "second", *difference->second ? difference->second : NULL);
	output_end(diff->output);
}

static void write_range(struct output *output, const char *key, uint64_t start, uint64_t length, bool there)
{
	if (!there) {
		output_null(output, key);
		return;
	}
	output_object(output, key);
	output_number(output, "start", start);
	output_number(output, "length", length);
	output_end(output);
}

static void say_section(struct diff *diff, const struct image_section_difference *d)
{
	const char *whose = d->device_data ? _(" (device data)") : "";
	struct output *output = diff->output;

	switch (d->difference) {
	case IMAGE_SAME_BYTES:
		if (diff->options->verbose)
			output_line(output, _("  %-20s same, %llu bytes%s%s"), d->name,
				    (unsigned long long)d->first_length,
				    d->first_start == d->second_start ? "" : _(", moved"), whose);
		else
			diff->same_sections++;
		break;
	case IMAGE_OTHER_BYTES:
		if (d->first_length == d->second_length)
			output_line(output, _("  %-20s %llu of %llu bytes differ, the first at +0x%llx%s"),
				    d->name, (unsigned long long)d->differing,
				    (unsigned long long)d->first_length,
				    (unsigned long long)d->first_differing, whose);
		else
			output_line(output,
				    _("  %-20s %llu bytes against %llu, the first difference at +0x%llx%s"),
				    d->name, (unsigned long long)d->first_length,
				    (unsigned long long)d->second_length,
				    (unsigned long long)d->first_differing, whose);
		break;
	case IMAGE_ONLY_FIRST:
		output_line(output, _("  %-20s only in the first, %llu bytes%s"), d->name,
			    (unsigned long long)d->first_length, whose);
		break;
	case IMAGE_ONLY_SECOND:
		output_line(output, _("  %-20s only in the second, %llu bytes%s"), d->name,
			    (unsigned long long)d->second_length, whose);
		break;
	}
}

static void on_section(void *context, const struct image_section_difference *difference)
{
	static const char *const ids[] = { "same", "other", "only_first", "only_second" };
	struct diff *diff = context;
	struct output *output = diff->output;

	enter(diff, STAGE_SECTIONS);
	if (!diff->listed++)
		output_line(output, "%s", _("Sections:"));
	output_object(output, NULL);
	output_string(output, "name", difference->name);
	output_number(output, "type", difference->type);
	output_bool(output, "device_data", difference->device_data);
	output_string(output, "difference", ids[difference->difference]);
	write_range(output, "first", difference->first_start, difference->first_length,
		    difference->difference != IMAGE_ONLY_SECOND);
	write_range(output, "second", difference->second_start, difference->second_length,
		    difference->difference != IMAGE_ONLY_FIRST);
	if (difference->difference == IMAGE_OTHER_BYTES) {
		output_number(output, "differing_bytes", difference->differing);
		output_number(output, "first_differing", difference->first_differing);
	}
	output_end(output);
	say_section(diff, difference);
}

static void on_statement(void *context, const struct image_statement *statement)
{
	struct diff *diff = context;

	enter(diff, STAGE_STATEMENTS);
	if (!diff->listed++)
		output_line(diff->output, "%s", _("In words:"));
	output_object(diff->output, NULL);
	output_string(diff->output, "id", statement->id);
	output_bool(diff->output, "grave", statement->grave);
	output_string(diff->output, "text", statement->text);
	output_end(diff->output);
	output_line(diff->output, "  %s %s", statement->grave ? "!" : "-", statement->text);
}

static void show_subject(struct output *output, const char *key, const char *label,
			 const struct image_picked *picked)
{
	const struct image_facts *facts = &picked->facts;
	char version[32];

	image_version_text(facts, version);
	output_object(output, key);
	output_string(output, "path", picked->path);
	output_string(output, "inside", picked->inside);
	output_string(output, "format", image_format_name(facts->place.format));
	output_string(output, "psid", *facts->psid ? facts->psid : NULL);
	output_string(output, "firmware_version", *version ? version : NULL);
	output_number(output, "slot", facts->place.slot);
	output_end(output);
	output_show(output, label, NULL, "%s%s%s (%s %s, %s)", picked->path, *picked->inside ? ": " : "",
		    picked->inside, image_format_name(facts->place.format), version,
		    *facts->psid ? facts->psid : _("no PSID"));
}

static int compare(struct diff *diff, const struct image_picked picked[2], bool *identical,
		   struct cxctl_error *error)
{
	const struct image_compare_listener listener = { on_fact, on_section, on_statement, diff };
	struct image_subject subject[2];
	struct image_error why = { 0 };
	unsigned int i;
	int code;

	for (i = 0; i < 2; i++)
		subject[i] = (struct image_subject){ picked[i].file.reader, picked[i].place,
						     picked[i].facts };
	show_subject(diff->output, "first", _("First"), &picked[0]);
	show_subject(diff->output, "second", _("Second"), &picked[1]);
	code = image_compare(&subject[0], &subject[1], &listener, identical, &why);
	enter(diff, STAGES);
	if (code)
		return image_failed(picked[0].path, picked[1].path, &why, code, error);
	output_bool(diff->output, "identical", *identical);
	return 0;
}

/* Of a container the image for the other side's PSID, when none was asked for. */
static int pick_both(struct diff *diff, char **paths, struct image_picked picked[2],
		     struct cxctl_error *error)
{
	struct cxctl_error errors[2];
	bool there[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		there[i] = !image_pick(diff->options, paths[i], diff->psid, &picked[i], &errors[i]);
	for (i = 0; i < 2; i++) {
		if (there[i])
			continue;
		if (!diff->psid && there[!i] && *picked[!i].facts.psid &&
		    !strcmp(errors[i].id, "several-images"))
			there[i] = !image_pick(diff->options, paths[i], picked[!i].facts.psid, &picked[i],
					       &errors[i]);
		/* A plain file beside a container is what it is. */
		if (!there[i] && diff->psid && there[!i] && !strcmp(errors[i].id, "no-such-psid")) {
			struct cxctl_error ignored;

			there[i] = !image_pick(diff->options, paths[i], NULL, &picked[i], &ignored);
		}
	}
	if (there[0] && there[1])
		return 0;
	*error = there[0] ? errors[1] : errors[0];
	for (i = 0; i < 2; i++)
		if (there[i])
			image_picked_free(&picked[i]);
	return -1;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct diff *diff = data;

	(void)index;
	return image_take_psid(argument, &diff->psid, error);
}

static int run(struct diff *diff, char **paths)
{
	struct image_picked picked[2];
	struct cxctl_error error;
	bool identical = false;
	int result;

	if (pick_both(diff, paths, picked, &error))
		return command_fail(diff->options, &error);
	diff->output = output_open(stdout, diff->options);
	result = compare(diff, picked, &identical, &error);
	image_picked_free(&picked[0]);
	image_picked_free(&picked[1]);
	if (result) {
		fflush(stdout);
		error_print(&error);
		output_error(diff->output, &error);
	}
	if (output_close(diff->output))
		return command_flush();
	if (result)
		return error.exit;
	return identical ? CXCTL_DONE : CXCTL_FINDINGS;
}

int image_cmd_diff(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		{ "psid", 0, N_("PSID"),
			N_("of a container, the image for this board (default: the other file's PSID)") },
	};
	static const struct usage usage = {
		.name = "image diff",
		.without_card = true,
		.synopsis = "A B [--psid PSID]",
		.summary = N_("Compares two images, or an image and a backup of a flash: facts, sections, and in words."),
		.details = N_("Of a backup the image that would boot is compared. -v also lists the sections that are the same.\nA line with ! means: do not burn one over the other without knowing why.\nExit code 0: the same firmware bytes (device data, GUIDs, MACs and VSD of a card apart). 8: different."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct diff diff = { .options = options };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &diff, &first, &code))
		return code;
	if (argc - first != 2) {
		error_set(&error, CXCTL_USAGE, "two-images", _("cxctl image diff compares two files"));
		error_found(&error, ngettext("%d file", "%d files", argc - first), argc - first);
		error_next(&error, _("cxctl image diff --help shows what it takes"));
		return command_fail(options, &error);
	}
	return run(&diff, argv + first);
}
