// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image extract: an image as a file of its own, verified before it is written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../container/catalogue.h"
#include "../container/spool.h"
#include "image_proof.h"

enum {
	OPTION_PSID,
	OPTION_OUTPUT,
	OPTION_ALL,
	OPTION_ROM,
	OPTION_FORCE,
};

struct extract {
	struct output *output;
	const struct options *options;
	const char *path, *psid, *target;
	bool all, rom, force;
	bool into_directory;		/* target is one */
	/* what was written so far, to tell the same image met twice from another with the same name */
	struct written {
		char *file, digest[65];
	} *written;
	size_t count, failed, same;
	struct cxctl_error error;	/* the first failure */
};

/* One image on its way. */
struct cargo {
	const char *path, *inside;
	const struct image_reader *reader;
	const struct image_facts *facts;
	bool restored;
	struct image_proof proof;
	const uint8_t *bytes;
	uint8_t *owned;			/* when they had to be put together */
	struct image_file file;		/* when they had to be mapped */
	size_t length;
	char digest[65];
};

/* ---- names ---- */

/* PSIDs and versions come from the file: none of them may lead to another directory. */
static void plain_word(char *word)
{
	for (; *word; word++)
		if (!((*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z') ||
		      (*word >= '0' && *word <= '9') || *word == '_' || *word == '-' || *word == '.'))
			*word = '_';
}

static void default_name(const struct extract *extract, const struct image_facts *facts, unsigned int number,
			 char *name, size_t room)
{
	char psid[33], version[32], again[16] = "";

	snprintf(psid, sizeof(psid), "%s", *facts->psid ? facts->psid : "no-psid");
	plain_word(psid);
	if (*psid == '.')
		*psid = '_';
	image_version_text(facts, version);
	if (number > 1)
		snprintf(again, sizeof(again), "-%u", number);
	snprintf(name, room, "%s%s%s%s%s", psid, *version ? "-" : "", version, again,
		 extract->rom ? ".rom" : ".bin");
}

static const struct written *written_as(const struct extract *extract, const char *file)
{
	size_t i;

	for (i = 0; i < extract->count; i++)
		if (!strcmp(extract->written[i].file, file))
			return &extract->written[i];
	return NULL;
}

/* NULL: there is no memory. *same: the image was written before, under this name. */
static char *choose_name(const struct extract *extract, const struct cargo *cargo, bool *same)
{
	const struct written *before;
	unsigned int number;
	char name[128], *file;

	*same = false;
	if (extract->target && !extract->into_directory)
		return strdup(extract->target);
	for (number = 1;; number++) {
		default_name(extract, cargo->facts, number, name, sizeof(name));
		if (asprintf(&file, "%s%s%s", extract->target ? extract->target : "",
			     extract->target ? "/" : "", name) < 0)
			return NULL;
		before = written_as(extract, file);
		*same = before && !strcmp(before->digest, cargo->digest);
		if (!before || *same)
			return file;
		free(file);
	}
}

/* ---- bytes ---- */

/* The spool's file is mapped: the image does not lie in memory beside the container's decoder. */
static int map_all(const struct cargo *cargo, struct image_file *file, struct image_error *error)
{
	int descriptor, code = spool_take(cargo->reader, &descriptor, error);

	return code ? code : image_file_of(descriptor, cargo->path, file, error);
}

static int take_rom(struct cargo *cargo, const char *name, struct cxctl_error *error)
{
	const struct image_facts *facts = cargo->facts;
	struct image_error why = { 0 };
	int code;

	if (!(facts->has & IMAGE_HAS_ROM) || !facts->rom_length) {
		error_set(error, CXCTL_FAILED, "no-rom", _("%s has no expansion ROM"), name);
		return -1;
	}
	code = image_load(cargo->reader, facts, &cargo->owned, &cargo->length, &why);
	if (!code && (facts->rom_offset > cargo->length ||
		      facts->rom_length > cargo->length - facts->rom_offset))
		code = -EBADMSG;
	if (code)
		return image_failed(cargo->path, cargo->inside, &why, code, error);
	cargo->bytes = cargo->owned + facts->rom_offset;
	cargo->length = facts->rom_length;
	return 0;
}

static int take_bytes(const struct extract *extract, struct cargo *cargo, const char *name,
		      struct cxctl_error *error)
{
	struct image_error why = { 0 };
	int code = 0;

	if (extract->rom)
		return take_rom(cargo, name, error);
	if (!catalogue_is_whole(&cargo->facts->place)) {
		code = image_load(cargo->reader, cargo->facts, &cargo->owned, &cargo->length, &why);
	} else if (cargo->reader->bytes) {
		cargo->bytes = cargo->reader->bytes;
		cargo->length = cargo->reader->size;
	} else {
		code = map_all(cargo, &cargo->file, &why);
		cargo->bytes = cargo->file.reader.bytes;
		cargo->length = cargo->file.reader.size;
	}
	if (cargo->owned)
		cargo->bytes = cargo->owned;
	return code ? image_failed(cargo->path, cargo->inside, &why, code, error) : 0;
}

static int digest_bytes(struct cargo *cargo)
{
	struct image_memory memory = { cargo->bytes, cargo->length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_facts nothing;
	uint64_t length;

	memset(&nothing, 0, sizeof(nothing));
	return catalogue_digest(&reader, &nothing, cargo->digest, &length, NULL);
}

/* ---- one image ---- */

static void remember(struct extract *extract, char *file, const char *digest)
{
	struct written *grown = realloc(extract->written, (extract->count + 1) * sizeof(*grown));

	if (!grown) {
		free(file);
		return;
	}
	extract->written = grown;
	grown[extract->count].file = file;
	snprintf(grown[extract->count].digest, sizeof(grown[extract->count].digest), "%s", digest);
	extract->count++;
}

static void show(struct extract *extract, const struct cargo *cargo, const char *file)
{
	static const char *const verdicts[] = { "good", "unusual", "damaged" };
	const struct image_facts *facts = cargo->facts;
	struct output *output = extract->output;
	char version[32];

	image_version_text(facts, version);
	output_object(output, NULL);
	output_string(output, "file", file);
	output_string(output, "content", extract->rom ? "ROM" : "firmware");
	output_string(output, "psid", *facts->psid ? facts->psid : NULL);
	output_string(output, "psid_vendor", image_psid_vendor(facts->psid));
	output_string(output, "firmware_version", *version ? version : NULL);
	output_string(output, "format", image_format_name(facts->place.format));
	output_number(output, "length", cargo->length);
	output_string(output, "sha256", cargo->digest);
	output_string(output, "path", cargo->path);
	output_string(output, "inside", cargo->inside);
	output_string(output, "verdict", verdicts[cargo->proof.verdict]);
	output_bool(output, "stripped", facts->stripped);
	output_bool(output, "magic_restored", cargo->restored);
	output_end(output);
	output_line(output, _("%s: %s%s%s, %s, %zu bytes, SHA-256 %s"), file, facts->psid,
		    *facts->psid ? " " : "", version,
		    extract->rom ? "ROM" : image_format_name(facts->place.format), cargo->length,
		    cargo->digest);
	if (cargo->proof.verdict == IMAGE_UNUSUAL)
		output_line(output, _("  good, but unusual: %s: %s"), cargo->proof.part, cargo->proof.text);
}

/* Once for all that were written: the same is true of every image of an archive. */
static void tell_stripped(struct extract *extract, const struct cargo *cargo)
{
	if (extract->rom || !cargo->facts->stripped || extract->count > 1)
		return;
	if (cargo->restored)
		say(extract->options, _("The magic that the archive blanks out was restored."));
	say(extract->options,
	    _("The image is stripped of device data: it has no GUIDs, no MACs and no VPD of its own. A card that it is burned to keeps its own; it cannot start an empty flash."));
}

static int write_cargo(struct extract *extract, struct cargo *cargo, struct cxctl_error *error)
{
	bool same;
	char *file = choose_name(extract, cargo, &same);

	if (!file)
		return error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
	if (same) {
		extract->same++;
		free(file);
		return 0;
	}
	if (image_write_file(file, cargo->bytes, cargo->length, extract->force, error)) {
		free(file);
		return -1;
	}
	show(extract, cargo, file);
	remember(extract, file, cargo->digest);
	tell_stripped(extract, cargo);
	return 0;
}

static int carry(struct extract *extract, struct cargo *cargo, struct cxctl_error *error)
{
	struct image_error why = { 0 };
	char name[2200];
	int result;

	cargo->file.descriptor = -1;
	image_full_name(cargo->path, cargo->inside, cargo->facts->psid, name, sizeof(name));
	result = image_prove(cargo->reader, &cargo->facts->place, &cargo->proof, &why);
	if (result)
		return image_failed(cargo->path, cargo->inside, &why, result, error);
	if (cargo->proof.verdict == IMAGE_DAMAGED)
		return image_proof_refuse(name, &cargo->proof, error);
	result = take_bytes(extract, cargo, name, error);
	if (!result && digest_bytes(cargo))
		result = error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
	if (!result)
		result = write_cargo(extract, cargo, error);
	free(cargo->owned);
	image_file_close(&cargo->file);
	return result;
}

static int one_image(struct extract *extract, struct cxctl_error *error)
{
	struct image_picked picked;
	struct cargo cargo = { 0 };
	int result;

	if (image_pick(extract->options, extract->path, extract->psid, &picked, error))
		return -1;
	cargo.path = picked.path;
	cargo.inside = picked.inside;
	cargo.reader = &picked.file.reader;
	cargo.facts = &picked.facts;
	cargo.restored = picked.restored;
	result = carry(extract, &cargo, error);
	image_picked_free(&picked);
	return result;
}

/* ---- all of them ---- */

static void note_failure(struct extract *extract, const struct cxctl_error *error)
{
	if (!extract->failed++)
		extract->error = *error;
	error_print(error);
	output_object(extract->output, NULL);
	output_error(extract->output, error);
	output_end(extract->output);
}

static bool wanted(void *context, const struct source_item *item)
{
	const struct extract *extract = context;

	if (item->kind == SOURCE_IMAGE)
		return !extract->psid || !item->psid || !strcmp(item->psid, extract->psid);
	return item->member->content == CONTAINER_FIRMWARE &&
	       (!extract->psid || !*item->member->psid || !strcmp(item->member->psid, extract->psid));
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct extract *extract = context;
	struct cargo cargo = { .path = item->path, .inside = item->inside, .reader = reader,
			       .restored = item->restored };
	struct image_error why = { 0 };
	struct cxctl_error error;
	struct image_facts facts;
	int code;

	if (!reader)
		return 0;
	code = image_choose(reader, IMAGE_NO_ROM, &facts, &why);
	if (!code && extract->psid && strcmp(facts.psid, extract->psid))
		return 0;
	if (!code && extract->rom && !(facts.has & IMAGE_HAS_ROM))
		return 0;
	cargo.facts = &facts;
	if (code)
		image_failed(item->path, item->inside, &why, code, &error);
	else
		code = carry(extract, &cargo, &error);
	if (code)
		note_failure(extract, &error);
	return 0;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	struct cxctl_error error;

	image_failed(path, inside, why, -EBADMSG, &error);
	note_failure(context, &error);
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	const struct extract *extract = context;

	image_progress(extract->options, path, done, total);
}

static int all_images(struct extract *extract, struct cxctl_error *error)
{
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .trouble = on_trouble, .progress = on_progress,
		.context = extract,
	};
	struct image_error why = { 0 };
	int code = source_walk(extract->path, 0, &walk, &why);

	if (code)
		return image_failed(extract->path, "", &why, code, error);
	if (extract->count || extract->failed)
		return 0;
	if (extract->rom)
		return error_set(error, CXCTL_FAILED, "no-rom", _("no image of %s has an expansion ROM"),
				 extract->path);
	return error_set(error, CXCTL_FAILED, "no-such-psid", _("%s has no image for %s"), extract->path,
			 extract->psid ? extract->psid : "");
}

/* ---- the command ---- */

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct extract *extract = data;

	if (argument && !*argument)
		return error_set(error, CXCTL_USAGE, "bad-option", _("an option names nothing"));
	switch (index) {
	case OPTION_PSID:
		extract->psid = argument;
		break;
	case OPTION_OUTPUT:
		extract->target = argument;
		break;
	case OPTION_ALL:
		extract->all = true;
		break;
	case OPTION_ROM:
		extract->rom = true;
		break;
	case OPTION_FORCE:
		extract->force = true;
		break;
	}
	return 0;
}

static int look_at_target(struct extract *extract, struct cxctl_error *error)
{
	size_t length = extract->target ? strlen(extract->target) : 0;
	struct stat status;

	if (!length)
		return 0;
	extract->into_directory = (!stat(extract->target, &status) && S_ISDIR(status.st_mode)) ||
				  extract->target[length - 1] == '/';
	if (extract->all && !extract->into_directory) {
		error_set(error, CXCTL_USAGE, "not-a-directory",
			  _("--all writes several files, but %s is no directory"),
			  extract->target);
		error_next(error, _("name an existing directory with -o"));
		return -1;
	}
	if (!strcmp(extract->target, "-") && extract->options->json)
		return error_set(error, CXCTL_USAGE, "two-answers",
				 _("-o - and --json both want the standard output"));
	return 0;
}

static void extract_free(struct extract *extract)
{
	size_t i;

	for (i = 0; i < extract->count; i++)
		free(extract->written[i].file);
	free(extract->written);
}

static int finish(struct extract *extract, int result, struct cxctl_error *error)
{
	size_t written = extract->count;
	int code = CXCTL_DONE;

	output_end(extract->output);
	if (!result && extract->all) {
		output_number(extract->output, "written_count", written);
		output_number(extract->output, "same_count", extract->same);
		output_number(extract->output, "failed_count", extract->failed);
		output_line(extract->output, ngettext("%zu file written, %zu could not be.",
						      "%zu files written, %zu could not be.",
						      written), written, extract->failed);
	}
	extract_free(extract);
	if (!result && extract->failed)
		code = written ? CXCTL_PARTIAL : (int)extract->error.exit;
	if (result) {
		error_print(error);
		output_error(extract->output, error);
		code = error->exit;
	}
	if (output_close(extract->output))
		return command_flush();
	return code;
}

int image_cmd_extract(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_PSID] = { "psid", 0, N_("PSID"), N_("the board whose image is wanted") },
		[OPTION_OUTPUT] = { "output", 'o', N_("FILE"),
				    N_("where to write it: a file, or a directory") },
		[OPTION_ALL] = { "all", 0, NULL,
				 N_("every image (with --psid: every image for that board)") },
		[OPTION_ROM] = { "rom", 0, NULL, N_("only the expansion ROM of the image") },
		[OPTION_FORCE] = { "force", 0, NULL, N_("replace a file that exists") },
	};
	static const struct usage usage = {
		.name = "image extract",
		.without_card = true,
		.synopsis = "PATH [--psid PSID] [-o FILE|DIR] [--all] [--rom] [--force]",
		.summary = N_("Writes an image out of a container, an installer, a directory or a flash as a file of its own."),
		.details = N_("The file is called PSID-VERSION.bin when -o does not name it. The image is verified before it is\nwritten: a damaged one is refused with exit code 6. What exists is replaced with --force only."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct extract extract = { .options = options };
	struct cxctl_error error;
	int first, code, result;

	if (command_options(options, &usage, argc, argv, &extract, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "extract");
	if (first + 1 < argc) {
		error_set(&error, CXCTL_USAGE, "too-many-operands",
			  _("cxctl image extract takes one PATH, not also %s"),
			  argv[first + 1]);
		return command_fail(options, &error);
	}
	extract.path = argv[first];
	if (look_at_target(&extract, &error))
		return command_fail(options, &error);
	extract.output = output_open(extract.target && !strcmp(extract.target, "-") ? stderr : stdout,
				     options);
	output_array(extract.output, "images");
	result = extract.all ? all_images(&extract, &error) : one_image(&extract, &error);
	return finish(&extract, result, &error);
}
