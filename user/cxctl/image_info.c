// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image info: everything that an image tells about itself. */
#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PSIDS_SHOWN 5

struct info {
	const struct options *options;
	struct output *output;
	const char *psid;
	unsigned int shown, failed;	/* entries of the answer */
	int code;			/* of the last failure */
};

/* ---- one image ---- */

static int show_section(void *context, const struct image_section *section)
{
	struct info *info = context;
	struct output *output = info->output;
	char crc[32] = "";

	output_object(output, NULL);
	output_string(output, "name", section->name);
	output_number(output, "type", section->type);
	output_number(output, "start", section->start);
	output_number(output, "length", section->length);
	output_bool(output, "device_data", section->device_data);
	if (section->crc_kind == IMAGE_CRC_STORED)
		output_number(output, "crc", section->crc);
	else
		output_null(output, "crc");
	output_string(output, "crc_kind", section->crc_kind == IMAGE_CRC_STORED ? "stored" :
		      section->crc_kind == IMAGE_CRC_IN_SECTION ? "in_section" : "absent");
	if (section->load)
		output_number(output, "load", section->load);
	if (section->entry)
		output_number(output, "entry", section->entry);
	output_bool(output, "compressed", section->compressed);
	output_bool(output, "encrypted", section->encrypted);
	output_end(output);
	if (section->crc_kind == IMAGE_CRC_STORED)
		snprintf(crc, sizeof(crc), _("CRC %04x"), section->crc);
	else
		snprintf(crc, sizeof(crc), "%s",
			 section->crc_kind == IMAGE_CRC_IN_SECTION ? _("CRC inside") : _("no CRC"));
	output_line(output, "  0x%08llx  %8llu  %-20s %s%s%s%s", (unsigned long long)section->start,
		    (unsigned long long)section->length, section->name, crc,
		    section->compressed ? _(", packed") : "", section->encrypted ? _(", encrypted") : "",
		    section->device_data ? _(", device data") : "");
	return 0;
}

static void show_sections(struct info *info, const struct image_reader *reader,
			  const struct image_place *place)
{
	struct image_error why = { 0 };
	int code;

	if (!output_is_json(info->output) && !info->options->verbose)
		return;
	output_line(info->output, "%s", _("Sections (offset, bytes, name):"));
	output_array(info->output, "sections");
	code = image_sections(reader, place, show_section, info, &why);
	output_end(info->output);
	if (code) {
		output_string(info->output, "sections_trouble", why.text);
		output_line(info->output, "  ! %s", why.text);
	}
}

static void begin(struct info *info, const char *path, const char *inside)
{
	if (info->shown++)
		output_line(info->output, "%s", "");
	output_object(info->output, NULL);
	output_string(info->output, "path", path);
	output_string(info->output, "inside", inside);
}

static void failed(struct info *info, const char *path, const char *inside, const struct cxctl_error *error)
{
	fflush(stdout);
	error_print(error);
	output_object(info->output, NULL);
	output_string(info->output, "path", path);
	output_string(info->output, "inside", inside);
	output_error(info->output, error);
	output_end(info->output);
	info->failed++;
	info->code = error->exit;
}

static void show_image(struct info *info, const char *path, const char *inside,
		       const struct image_reader *reader, const struct image_facts *facts, bool restored)
{
	struct output *output = info->output;
	struct image_error why;
	char *ini = NULL, from[17];
	size_t length;

	begin(info, path, inside);
	output_string(output, "kind", "image");
	output_show(output, _("Image"), NULL, "%s%s%s", path, *inside ? ": " : "", inside);
	/* Without detail the image's own name stands for the board; only FS2 has none. */
	if (*facts->name && !info->options->verbose && !output_is_json(output)) {
		image_retagged(reader, &facts->place, from);
	} else {
		if (image_ini(reader, &facts->place, &ini, &length, &why))
			ini = NULL;
		from[0] = '\0';
		if (ini)
			image_ini_retagged(ini, from);
	}
	image_show_facts(output, facts, ini, from);
	free(ini);
	output_bool(output, "magic_restored", restored);
	if (restored)
		output_show(output, NULL, NULL, "%s", _("the image's magic is masked in its container"));
	show_sections(info, reader, &facts->place);
	output_end(output);
}

/* A flash may hold two. */
static void show_images(struct info *info, const char *path, const char *inside,
			const struct image_reader *reader, bool restored)
{
	struct image_place places[IMAGE_PLACES];
	struct image_error why = { 0 };
	struct image_facts facts;
	struct cxctl_error error;
	size_t count = 0, i, tried = 0;
	int code = image_locate(reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &why);

	for (i = 0; !code && i < count; i++) {
		if (places[i].misplaced)
			continue;
		tried++;
		code = image_facts(reader, &places[i], 0, &facts, &why);
		if (!code) {
			show_image(info, path, inside, reader, &facts, restored);
			continue;
		}
		image_failed(path, inside, &why, code, &error);
		failed(info, path, inside, &error);
		code = 0;
	}
	if (!code && !tried)
		code = image_query(reader, IMAGE_LAYOUT_AUTO, IMAGE_NO_ROM, &facts, &why);
	if (code) {
		image_failed(path, inside, &why, code, &error);
		failed(info, path, inside, &error);
	}
}

/* ---- containers ---- */

/* Texts that differ, in the order in which they come. */
struct names {
	const char **names;
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	const char **grown;
	size_t i;

	for (i = names->count; i > 0; i--)
		if (!strcmp(names->names[i - 1], name))
			return;
	grown = realloc(names->names, (names->count + 1) * sizeof(*grown));
	if (!grown)
		return;
	names->names = grown;
	grown[names->count++] = name;
}

static void show_names(struct output *output, const char *key, const struct names *names)
{
	char text[512] = "";
	size_t i, used = 0;

	output_array(output, key);
	for (i = 0; i < names->count; i++) {
		output_string(output, NULL, names->names[i]);
		if (i < PSIDS_SHOWN)
			used += snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 names->names[i]);
	}
	output_end(output);
	if (names->count > PSIDS_SHOWN)
		snprintf(text + used, sizeof(text) - used, _(" and %zu more"), names->count - PSIDS_SHOWN);
	if (names->count)
		output_show(output, NULL, NULL, "%s", text);
}

static int on_container(void *context, const char *path, const char *inside, struct container *container)
{
	const char *kind = container_kind_name(container_kind(container));
	size_t count = container_members(container), i;
	struct info *info = context;
	struct output *output = info->output;
	struct names psids = { 0 };

	for (i = 0; i < count; i++)
		if (*container_member(container, i)->psid)
			add_name(&psids, container_member(container, i)->psid);
	begin(info, path, inside);
	output_string(output, "kind", "container");
	output_string(output, "container", kind);
	output_number(output, "length", container_length(container));
	output_number(output, "member_count", count);
	output_number(output, "psid_count", psids.count);
	output_show(output, _("Container"), NULL, "%s%s%s", path, *inside ? ": " : "", inside);
	output_show(output, _("Format"), NULL, _("%s, %llu bytes"), kind,
		    (unsigned long long)container_length(container));
	output_show(output, _("Content"), NULL, ngettext("%zu entry", "%zu entries", count), count);
	output_show(output, _("PSIDs"), NULL, "%zu", psids.count);
	show_names(output, "psids", &psids);
	output_show(output, NULL, NULL,
		    _("next: cxctl image list %s shows them all, --psid PSID tells about one"), path);
	output_end(output);
	free(psids.names);
	return 0;
}

static bool plain_only(void *context, const struct source_item *item)
{
	(void)context;
	return item->kind == SOURCE_IMAGE;
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	if (reader)
		show_images(context, item->path, item->inside, reader, item->restored);
	return 0;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	struct cxctl_error error;

	image_failed(path, inside, why, -EBADMSG, &error);
	failed(context, path, inside, &error);
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	struct info *info = context;

	image_progress(info->options, path, done, total);
}

/* ---- one path ---- */

static void look_inside(struct info *info, const char *path)
{
	struct source_walk walk = {
		.wanted = plain_only, .item = on_item, .container = on_container, .trouble = on_trouble,
		.progress = on_progress, .context = info,
	};
	unsigned int before = info->shown + info->failed;
	struct image_error why = { 0 };
	struct cxctl_error error;
	int code = source_walk(path, 0, &walk, &why);

	/* What went wrong with a part of it has been told. */
	if (code && (code != -ENOENT || before == info->shown + info->failed)) {
		image_failed(path, "", &why, code, &error);
		failed(info, path, "", &error);
	}
}

static void one_psid(struct info *info, const char *path)
{
	struct image_picked picked;
	struct cxctl_error error;

	if (image_pick(info->options, path, info->psid, &picked, &error)) {
		failed(info, path, "", &error);
		return;
	}
	show_image(info, picked.path, picked.inside, &picked.file.reader, &picked.facts, picked.restored);
	image_picked_free(&picked);
}

static void one_path(struct info *info, const char *path)
{
	struct image_error why = { 0 };
	struct cxctl_error error;
	struct image_place place;
	struct image_file file;
	size_t count = 0;
	int code;

	if (info->psid) {
		one_psid(info, path);
		return;
	}
	/* The usual path is one image, which need not be searched for. */
	code = image_file_open(path, &file, &why);
	if (code && code != -EISDIR) {
		image_failed(path, "", &why, code, &error);
		failed(info, path, "", &error);
		return;
	}
	if (!code && !image_locate(&file.reader, IMAGE_LAYOUT_AUTO, &place, 1, &count, &why) && count)
		show_images(info, path, "", &file.reader, false);
	image_file_close(&file);
	if (!count)
		look_inside(info, path);
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct info *info = data;

	(void)index;
	return image_take_psid(argument, &info->psid, error);
}

int image_cmd_info(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		{ "psid", 0, N_("PSID"), N_("the image for this board, out of a container or a directory") },
	};
	static const struct usage usage = {
		.name = "image info",
		.without_card = true,
		.synopsis = "PATH... [--psid PSID]",
		.summary = N_("Tells everything that an image tells about itself. A container is summed up."),
		.details = N_("-v and -j also list the sections, with offsets, sizes and CRCs. Of a flash's backup both\nslots are shown. Exit code 6: it is no image, or one that is too damaged to be read."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct info info = { .options = options };
	int first, code;

	if (command_options(options, &usage, argc, argv, &info, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "info");
	info.output = output_open(stdout, options);
	output_array(info.output, "images");
	for (; first < argc; first++)
		one_path(&info, argv[first]);
	output_end(info.output);
	if (output_close(info.output))
		return command_flush();
	if (!info.failed)
		return CXCTL_DONE;
	return info.shown ? CXCTL_PARTIAL : info.code;
}
