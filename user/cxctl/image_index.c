// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image index: a catalogue of a directory's images, which other commands take as a source. */
#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../container/catalogue.h"
#include "image_proof.h"

enum {
	OPTION_OUTPUT,
	OPTION_FORCE,
};

struct index {
	struct output *output;
	const struct options *options;
	const char *path, *target;
	bool force;
	FILE *catalogue;		/* into text: an object for each image would be large */
	char *text;
	size_t length, images;
	size_t good, unusual, damaged, failed;
	/* of the container at hand: its members share components */
	struct json_object *last;
	unsigned int last_component;
	char last_container[2100];
	struct image_error unread;	/* the first thing that could not be read */
};

/* ---- one image ---- */

static void put_text(struct json_object *object, const char *key, const char *text)
{
	char *valid = text_utf8(text, strlen(text));

	json_object_object_add(object, key, *text && valid ? json_object_new_string(valid) : NULL);
	free(valid);
}

/* Below the directory; what the walk calls it begins with the directory's path. */
static const char *file_of(const struct index *index, const char *path)
{
	size_t length = strlen(index->path);

	if (strncmp(path, index->path, length))
		return path;
	path += length;
	while (*path == '/')
		path++;
	return path;
}

static struct json_object *hw_ids_of(const struct image_facts *facts)
{
	struct json_object *ids = json_object_new_array();
	unsigned int i;

	for (i = 0; i < facts->hw_id_count && i < IMAGE_HW_IDS; i++)
		json_object_array_add(ids, json_object_new_int(facts->hw_ids[i].id));
	return ids;
}

static struct json_object *describe(const struct index *index, const struct source_item *item,
				    const struct image_facts *facts)
{
	struct json_object *image = json_object_new_object();
	const char *psid = item->member && *item->member->psid ? item->member->psid : facts->psid;
	const char *vendor = image_psid_vendor(psid);
	const char *name = *facts->name || !item->member ? facts->name : item->member->part_number;
	char version[32], date[32];

	json_object_object_add(image, "psid", json_object_new_string(psid));
	put_text(image, "psid_vendor", vendor ? vendor : "");
	put_text(image, "firmware_version", image_version_text(facts, version));
	put_text(image, "firmware_date", image_date_text(facts, date));
	json_object_object_add(image, "format",
			       json_object_new_string(image_format_name(facts->place.format)));
	put_text(image, "container", item->member ? container_kind_name(item->container) : "");
	json_object_object_add(image, "file", json_object_new_string(file_of(index, item->path)));
	json_object_object_add(image, "inside", json_object_new_string(item->inside));
	json_object_object_add(image, "member",
			       item->member ? json_object_new_int64(item->member->index) : NULL);
	put_text(image, "name", name);
	put_text(image, "description", facts->description);
	json_object_object_add(image, "hw_ids", hw_ids_of(facts));
	return image;
}

static void count_verdict(struct index *index, enum image_verdict verdict)
{
	index->good += verdict == IMAGE_GOOD;
	index->unusual += verdict == IMAGE_UNUSUAL;
	index->damaged += verdict == IMAGE_DAMAGED;
}

static void could_not_read(struct index *index, const char *path, const char *inside,
			   const struct image_error *why,
			   int code)
{
	struct cxctl_error error;

	image_failed(path, inside, why, code, &error);
	error_print(&error);
	output_object(index->output, NULL);
	output_string(index->output, "path", path);
	output_string(index->output, "inside", inside);
	output_error(index->output, &error);
	output_end(index->output);
	index->failed++;
}

static int judge(struct index *index, const struct source_item *item, const struct image_reader *reader,
		 const struct image_facts *facts, struct json_object *image, struct image_error *why)
{
	static const char *const verdicts[] = { "good", "unusual", "damaged" };
	struct image_proof proof;
	uint64_t length;
	char digest[65];
	int code = image_prove(reader, &facts->place, &proof, why);

	if (!code)
		code = catalogue_digest(reader, facts, digest, &length, why);
	if (code)
		return code;
	json_object_object_add(image, "length", json_object_new_int64(length));
	json_object_object_add(image, "sha256", json_object_new_string(digest));
	json_object_object_add(image, "good", json_object_new_boolean(proof.verdict != IMAGE_DAMAGED));
	json_object_object_add(image, "verdict", json_object_new_string(verdicts[proof.verdict]));
	count_verdict(index, proof.verdict);
	if (proof.verdict == IMAGE_DAMAGED) {
		put_text(image, "damage", proof.text);
		text_print(stderr, _("cxctl: %s%s%s is damaged: %s: %s\n"), item->path,
			*item->inside ? ": " : "", item->inside,
			proof.part, proof.text);
	}
	return 0;
}

/* Members of one component are judged once. */
static bool same_component(struct index *index, const struct source_item *item)
{
	char container[2100];
	bool same;

	if (!item->member)
		return false;
	snprintf(container, sizeof(container), "%s\n%s", item->path, item->inside);
	same = index->last && index->last_component == item->member->component &&
	       !strcmp(index->last_container, container);
	snprintf(index->last_container, sizeof(index->last_container), "%s", container);
	index->last_component = item->member->component;
	return same;
}

static void copy_judgement(struct json_object *image, struct json_object *from)
{
	static const char *const keys[] = { "length", "sha256", "good", "verdict", "damage" };
	struct json_object *value;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_object_get_ex(from, keys[i], &value))
			json_object_object_add(image, keys[i], json_object_get(value));
}

static void append(struct index *index, struct json_object *image)
{
	const char *text = json_object_to_json_string_ext(image, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE);

	fprintf(index->catalogue, "%s\n    %s", index->images++ ? "," : "", text);
}

static void forget_last(struct index *index)
{
	json_object_put(index->last);
	index->last = NULL;
}

/* What is written must be JSON, and must name the file again when it is read. */
static bool is_utf8(const char *text)
{
	char *clean = text_utf8(text, strlen(text));
	bool same = !strcmp(clean, text);

	free(clean);
	return same;
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct index *index = context;
	struct image_error why = { 0 };
	struct image_facts facts;
	struct json_object *image;
	bool same = same_component(index, item);
	int code;

	if (!reader)
		return 0;
	if (is_utf8(file_of(index, item->path)) && is_utf8(item->inside)) {
		code = image_choose(reader, IMAGE_NO_ROM, &facts, &why);
	} else {
		code = -EBADMSG;
		snprintf(why.text, sizeof(why.text), "%s",
			 _("its name is not UTF-8, a catalogue cannot hold it: rename it"));
	}
	if (code) {
		forget_last(index);
		could_not_read(index, item->path, item->inside, &why, code);
		return 0;
	}
	image = describe(index, item, &facts);
	if (same)
		copy_judgement(image, index->last);
	else
		code = judge(index, item, reader, &facts, image, &why);
	if (code) {
		json_object_put(image);
		forget_last(index);
		could_not_read(index, item->path, item->inside, &why, code);
		return 0;
	}
	append(index, image);
	forget_last(index);
	if (item->member)
		index->last = image;
	else
		json_object_put(image);
	return 0;
}

/* ---- the walk ---- */

static bool wanted(void *context, const struct source_item *item)
{
	(void)context;
	return item->kind == SOURCE_IMAGE || item->member->content == CONTAINER_FIRMWARE;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	could_not_read(context, path, inside, why, -EBADMSG);
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	const struct index *index = context;

	image_progress(index->options, path, done, total);
}

/* ---- the catalogue's file ---- */

static bool is_below(const char *directory, const char *path)
{
	size_t length = strlen(directory);

	return !strncmp(directory, path, length) && (path[length] == '/' || !path[length]);
}

/*
 * The searched directory as the catalogue names it: relative when it is the catalogue's own or lies below it,
 * so that both can be moved together; absolute otherwise.
 */
static char *root_of(const char *path, const char *target)
{
	char *copy = strdup(target), *slash = copy ? strrchr(copy, '/') : NULL, *beside, *root, *relative;

	if (slash)
		slash[slash == copy] = '\0';
	beside = realpath(slash ? copy : ".", NULL);
	root = realpath(path, NULL);
	free(copy);
	if (!root || !beside || !is_below(beside, root)) {
		free(beside);
		return root;
	}
	relative = root + strlen(beside);
	relative = strdup(!*relative ? "." : *relative == '/' ? relative + 1 : relative);
	free(beside);
	free(root);
	return relative;
}

static int begin_catalogue(struct index *index, struct cxctl_error *error)
{
	char *root = root_of(index->path, index->target);
	struct json_object *name;

	if (!root)
		return error_set(error, CXCTL_FAILED, "write-failed", _("%s: %s"), index->target,
				 strerror(errno));
	index->catalogue = open_memstream(&index->text, &index->length);
	if (!index->catalogue) {
		free(root);
		return error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
	}
	name = json_object_new_string(root);
	fprintf(index->catalogue,
		"{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"root\": %s,\n  \"images\": [",
		CATALOGUE_FORMAT, CATALOGUE_VERSION,
		json_object_to_json_string_ext(name,
					       JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(name);
	free(root);
	return 0;
}

static int write_catalogue(struct index *index, struct cxctl_error *error)
{
	fputs(index->images ? "\n  ]\n}\n" : "]\n}\n", index->catalogue);
	if (fflush(index->catalogue) || ferror(index->catalogue))
		return error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
	return image_write_file(index->target, index->text, index->length, index->force, error);
}

static void end_catalogue(struct index *index)
{
	json_object_put(index->last);
	if (index->catalogue)
		fclose(index->catalogue);
	free(index->text);
}

/* ---- the command ---- */

static int take(void *data, size_t option, const char *argument, struct cxctl_error *error)
{
	struct index *index = data;

	if (option == OPTION_FORCE)
		index->force = true;
	else if (*argument)
		index->target = argument;
	else
		return error_set(error, CXCTL_USAGE, "bad-option", _("-o names nothing"));
	return 0;
}

static int check_use(struct index *index, struct cxctl_error *error)
{
	struct stat status;

	if (!index->target) {
		error_set(error, CXCTL_USAGE, "no-output", _("where shall the catalogue go?"));
		error_next(error, _("add -o INDEX.json"));
		return -1;
	}
	if (stat(index->path, &status))
		return error_set(error, CXCTL_FAILED, "image-unreadable", "%s: %s", index->path,
				 strerror(errno));
	if (!S_ISDIR(status.st_mode)) {
		error_set(error, CXCTL_USAGE, "not-a-directory", _("%s is not a directory"), index->path);
		error_next(error, _("cxctl image list shows what is in one file"));
		return -1;
	}
	if (strcmp(index->target, "-") && !index->force && !stat(index->target, &status)) {
		error_set(error, CXCTL_REFUSED, "file-exists", _("%s exists already"), index->target);
		error_next(error, _("name another file, or add --force to replace it"));
		return -1;
	}
	return 0;
}

static void show_result(struct index *index)
{
	size_t count = index->images;

	output_string(index->output, "file", index->target);
	output_number(index->output, "image_count", count);
	output_number(index->output, "good", index->good);
	output_number(index->output, "unusual", index->unusual);
	output_number(index->output, "damaged", index->damaged);
	output_number(index->output, "failed_count", index->failed);
	output_line(index->output, ngettext("%s: %zu image", "%s: %zu images", count), index->target, count);
	if (index->unusual)
		output_line(index->output, _("  %zu good, but unusual"), index->unusual);
	if (index->damaged)
		output_line(index->output, _("  %zu damaged: listed, but not good"), index->damaged);
	if (index->failed)
		output_line(index->output, _("  %zu could not be read, and are not in the catalogue"),
			    index->failed);
}

static int run(struct index *index, struct cxctl_error *error)
{
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .trouble = on_trouble, .progress = on_progress,
		.context = index,
	};
	struct image_error why = { 0 };
	int code;

	code = begin_catalogue(index, error);
	if (!code)
		code = source_walk(index->path, SOURCE_RECURSE, &walk, &why);
	output_end(index->output);
	if (!index->catalogue)
		return -1;
	if (code && (code != -ENOENT || !index->failed))
		return image_failed(index->path, "", &why, code, error);
	if (write_catalogue(index, error))
		return -1;
	show_result(index);
	return 0;
}

int image_cmd_index(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_OUTPUT] = { "output", 'o', N_("FILE"), N_("the catalogue to write") },
		[OPTION_FORCE] = { "force", 0, NULL, N_("replace a file that exists") },
	};
	static const struct usage usage = {
		.name = "image index",
		.without_card = true,
		.synopsis = "DIR -o INDEX.json [--force]",
		.summary = N_("Makes a catalogue of all images below a directory: PSID, version, file and SHA-256, in JSON."),
		.details = N_("Every image is verified. Other commands of cxctl image take the catalogue as a PATH and open only\nthe files that they need. Exit code 9: something could not be read or is damaged."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct index index = { .options = options };
	struct cxctl_error error;
	int first, code, result;

	if (command_options(options, &usage, argc, argv, &index, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "index");
	if (first + 1 < argc) {
		error_set(&error, CXCTL_USAGE, "too-many-operands",
			  _("cxctl image index takes one directory, not also %s"),
			  argv[first + 1]);
		return command_fail(options, &error);
	}
	index.path = argv[first];
	if (check_use(&index, &error))
		return command_fail(options, &error);
	index.output = output_open(!strcmp(index.target, "-") ? stderr : stdout, options);
	output_array(index.output, "failed");
	result = run(&index, &error);
	if (result) {
		error_print(&error);
		output_error(index.output, &error);
	}
	code = result ? (int)error.exit : index.failed || index.damaged ? CXCTL_PARTIAL : CXCTL_DONE;
	end_catalogue(&index);
	if (output_close(index.output))
		return command_flush();
	return code;
}
