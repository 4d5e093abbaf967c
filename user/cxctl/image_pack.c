// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image pack: images put into an MFA2, which the kernel's own devlink flash path accepts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../container/spool.h"
#include "image_proof.h"

enum {
	OPTION_OUTPUT,
	OPTION_DRY_RUN,
	OPTION_FORCE,
};

struct pack {
	struct output *output;
	const struct options *options;
	const char *target;
	bool dry_run, force;
	struct image_picked *images;
	struct image_proof *proofs;
	struct mfa2_source *sources;
	size_t count;
	struct spool spool;
	uint64_t length;
	uint64_t payload;		/* bytes of all images as they go into the archive */
};

/* ---- what is asked for ---- */

static const char *name_of(const struct image_picked *image, char *name, size_t room)
{
	return image_full_name(image->path, image->inside, "", name, room);
}

static int refuse(const struct image_picked *image, const char *id, const char *why,
		  struct cxctl_error *error)
{
	char name[2100];

	error_set(error, CXCTL_REFUSED, id, "%s: %s", name_of(image, name, sizeof(name)), why);
	error_rule(error, "%s",
		   _("an MFA2 is for cards whose firmware updates itself: FS3 and FS4, in clear"));
	return -1;
}

/* What mfa2_write() would refuse, with what to do instead. */
static int check_image(const struct image_picked *image, struct cxctl_error *error)
{
	const struct image_facts *facts = &image->facts;

	if (facts->place.format == IMAGE_FS2) {
		refuse(image, "not-packable",
		       _("an FS2 image (ConnectX-3 and older) cannot be packed: no driver's devlink flash takes it"),
		       error);
		error_next(error, "%s", _("cxctl burn writes it as it is"));
		return -1;
	}
	if (facts->place.format == IMAGE_FS5)
		return refuse(image, "not-packable",
			      _("an FS5 image (ConnectX-8 and later) cannot be packed: how its archive looks is not known"),
			      error);
	if (facts->encrypted)
		return refuse(image, "encrypted-image",
			      _("an encrypted image cannot be packed: where its sections end cannot be seen"),
			      error);
	if (!*facts->psid)
		return refuse(image, "no-psid",
			      _("the image has no PSID, by which a card finds its image in the archive"),
			      error);
	return 0;
}

static int check_twins(const struct pack *pack, struct cxctl_error *error)
{
	char one[2100], other[2100];
	size_t i, j;

	for (i = 0; i < pack->count; i++)
		for (j = 0; j < i; j++) {
			if (strcmp(pack->images[i].facts.psid, pack->images[j].facts.psid))
				continue;
			return error_set(error, CXCTL_REFUSED, "same-psid",
					 _("%.250s and %.250s are both for %s: a card would get the first of them"),
					 name_of(&pack->images[j], one, sizeof(one)),
					 name_of(&pack->images[i], other, sizeof(other)),
					 pack->images[i].facts.psid);
		}
	return 0;
}

static int read_image(struct pack *pack, const char *path, struct cxctl_error *error)
{
	struct image_picked *image = &pack->images[pack->count];
	struct image_proof *proof = &pack->proofs[pack->count];
	struct image_error why = { 0 };
	char name[2100];
	int code;

	if (image_pick(pack->options, path, NULL, image, error)) {
		if (!strcmp(error->id, "several-images"))
			error_next(error, _("take out those that are wanted with cxctl image extract"));
		return -1;
	}
	pack->sources[pack->count++] = (struct mfa2_source){ &image->file.reader, &image->facts };
	if (check_image(image, error))
		return -1;
	code = image_prove(&image->file.reader, &image->place, proof, &why);
	if (code)
		return image_failed(image->path, image->inside, &why, code, error);
	if (proof->verdict == IMAGE_DAMAGED)
		return image_proof_refuse(name_of(image, name, sizeof(name)), proof, error);
	pack->payload += image->facts.length;
	return 0;
}

static int read_images(struct pack *pack, char **paths, size_t count, struct cxctl_error *error)
{
	size_t i;

	pack->images = calloc(count, sizeof(*pack->images));
	pack->proofs = calloc(count, sizeof(*pack->proofs));
	pack->sources = calloc(count, sizeof(*pack->sources));
	if (!pack->images || !pack->proofs || !pack->sources)
		return error_set(error, CXCTL_FAILED, "memory", _("out of memory"));
	for (i = 0; i < count; i++)
		if (read_image(pack, paths[i], error))
			return -1;
	return check_twins(pack, error);
}

/* ---- the plan ---- */

static void show_image(struct pack *pack, const struct image_picked *image, const struct image_proof *proof)
{
	const struct image_facts *facts = &image->facts;
	const char *cells[5];
	char version[32], size[32], name[2100];

	image_version_text(facts, version);
	snprintf(size, sizeof(size), "%u", facts->length);
	output_object(pack->output, NULL);
	output_string(pack->output, "psid", facts->psid);
	output_string(pack->output, "firmware_version", *version ? version : NULL);
	output_string(pack->output, "format", image_format_name(facts->place.format));
	output_number(pack->output, "length", facts->length);
	output_string(pack->output, "path", image->path);
	output_string(pack->output, "inside", image->inside);
	output_bool(pack->output, "stripped_before", facts->stripped);
	output_string(pack->output, "verdict", proof->verdict == IMAGE_UNUSUAL ? "unusual" : "good");
	output_end(pack->output);
	cells[0] = facts->psid;
	cells[1] = version;
	cells[2] = image_format_name(facts->place.format);
	cells[3] = size;
	cells[4] = name_of(image, name, sizeof(name));
	output_row(pack->output, cells);
}

static void show_plan(struct pack *pack)
{
	const char *headers[] = { _("PSID"), _("VERSION"), _("FORMAT"), _("BYTES"), _("FROM") };
	size_t i;

	output_array(pack->output, "images");
	output_table(pack->output, headers, sizeof(headers) / sizeof(headers[0]));
	for (i = 0; i < pack->count; i++)
		show_image(pack, &pack->images[i], &pack->proofs[i]);
	output_table_end(pack->output);
	output_end(pack->output);
	for (i = 0; i < pack->count; i++)
		if (!pack->images[i].facts.stripped) {
			output_line(pack->output, "%s",
				    _("Device data (GUIDs, MACs, VPD) are left out: every card keeps its own."));
			break;
		}
}

/* ---- the archive ---- */

static int write_piece(void *context, const void *bytes, size_t length)
{
	struct pack *pack = context;
	struct image_error why;
	int code = spool_write(&pack->spool, pack->length, bytes, length, &why);

	pack->length += length;
	return code;
}

struct check {
	struct cxctl_error *error;
	size_t good;
};

static int check_member(void *context, const struct container_member *member,
			const struct image_reader *reader,
			bool restored)
{
	struct check *check = context;
	struct image_error why = { 0 };
	struct image_proof proof;
	struct image_facts facts;
	int code = image_choose(reader, IMAGE_NO_ROM, &facts, &why);

	(void)restored;
	if (!code)
		code = image_prove(reader, &facts.place, &proof, &why);
	if (code)
		return image_failed(member->psid, "", &why, code, check->error);
	if (proof.verdict == IMAGE_DAMAGED)
		return image_proof_refuse(member->psid, &proof, check->error);
	check->good++;
	return 0;
}

/* What was made is read again as any other archive would be, before it gets its name. */
static int check_archive(struct pack *pack, const struct image_reader *reader, struct cxctl_error *error)
{
	struct check check = { .error = error };
	struct container_pass pass = { .found = check_member, .context = &check };
	enum image_verdict verdict = IMAGE_DAMAGED;
	struct container *container;
	struct image_error why = { 0 };
	int code = container_open(reader, &container, &why);

	error_clear(error);
	if (!code) {
		code = container_verify(container, NULL, &verdict, &why);
		if (!code && verdict == IMAGE_DAMAGED)
			code = -EBADMSG;
		if (!code)
			code = container_pass(container, &pass, &why);
		container_close(container);
	}
	if (!code && check.good == pack->count)
		return 0;
	if (!error->exit)
		error_set(error, CXCTL_FAILED, "pack-failed",
			  _("the archive that was made does not read back: %s"), why.text);
	return -1;
}

static int make_archive(struct pack *pack, struct image_file *file, struct cxctl_error *error)
{
	struct image_error why = { 0 };
	int code = spool_open(&pack->spool, &why), descriptor;

	if (!code)
		code = mfa2_write(pack->sources, pack->count, write_piece, pack, &why);
	if (code)
		return image_failed(pack->target, "", &why, code, error);
	descriptor = pack->spool.descriptor;
	pack->spool.descriptor = -1;
	code = image_file_of(descriptor, pack->target, file, &why);
	return code ? image_failed(pack->target, "", &why, code, error) : 0;
}

static int write_archive(struct pack *pack, struct cxctl_error *error)
{
	struct image_file file;

	say(pack->options, _("Packing %llu bytes ..."), (unsigned long long)pack->payload);
	if (make_archive(pack, &file, error))
		return -1;
	if (check_archive(pack, &file.reader, error) ||
	    image_write_file(pack->target, file.reader.bytes, file.reader.size, pack->force, error)) {
		image_file_close(&file);
		return -1;
	}
	image_file_close(&file);
	output_string(pack->output, "file", pack->target);
	output_number(pack->output, "length", pack->length);
	output_line(pack->output,
		    ngettext("%s: MFA2 with %zu image, %llu bytes (%llu unpacked), read back and verified",
			     "%s: MFA2 with %zu images, %llu bytes (%llu unpacked), read back and verified",
			     pack->count),
		    pack->target, pack->count, (unsigned long long)pack->length,
		    (unsigned long long)pack->payload);
	return 0;
}

/* ---- the command ---- */

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct pack *pack = data;

	switch (index) {
	case OPTION_OUTPUT:
		if (!*argument)
			return error_set(error, CXCTL_USAGE, "bad-option", _("-o names nothing"));
		pack->target = argument;
		break;
	case OPTION_DRY_RUN:
		pack->dry_run = true;
		break;
	case OPTION_FORCE:
		pack->force = true;
		break;
	}
	return 0;
}

static int check_use(const struct pack *pack, struct cxctl_error *error)
{
	if (!pack->target && !pack->dry_run) {
		error_set(error, CXCTL_USAGE, "no-output", _("where shall the archive go?"));
		error_next(error, _("add -o OUT.mfa2, or -n to see the plan only"));
		return -1;
	}
	if (pack->target && !strcmp(pack->target, "-"))
		return error_set(error, CXCTL_USAGE, "no-output",
				 _("an archive is written to a file, not to the standard output"));
	return 0;
}

static void pack_free(struct pack *pack)
{
	size_t i;

	for (i = 0; i < pack->count; i++)
		image_picked_free(&pack->images[i]);
	free(pack->images);
	free(pack->proofs);
	free(pack->sources);
	spool_close(&pack->spool);
}

static int run(struct pack *pack, char **paths, size_t count, struct cxctl_error *error)
{
	if (read_images(pack, paths, count, error))
		return -1;
	show_plan(pack);
	if (!pack->dry_run)
		return write_archive(pack, error);
	output_line(pack->output, "%s", _("Nothing was written (-n)."));
	return 0;
}

int image_cmd_pack(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_OUTPUT] = { "output", 'o', N_("FILE"), N_("the archive to write") },
		[OPTION_DRY_RUN] = { "dry-run", 'n', NULL, N_("show the plan and write nothing") },
		[OPTION_FORCE] = { "force", 0, NULL, N_("replace a file that exists") },
	};
	static const struct usage usage = {
		.name = "image pack",
		.without_card = true,
		.synopsis = "FILE... -o OUT.mfa2 [-n] [--force]",
		.summary = N_("Packs images into an MFA2 archive that devlink dev flash of the kernel accepts."),
		.details = N_("Each FILE holds one image, FS3 or FS4, whole or stripped. It is verified before, and the archive is\nread back. Each card takes the image of its PSID. FS2, FS5 and encrypted images cannot be packed."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct pack pack = { .options = options, .spool = { .descriptor = -1 } };
	struct cxctl_error error;
	int first, code, result;

	if (command_options(options, &usage, argc, argv, &pack, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "pack");
	if (check_use(&pack, &error))
		return command_fail(options, &error);
	pack.output = output_open(stdout, options);
	result = run(&pack, argv + first, argc - first, &error);
	output_bool(pack.output, "written", !result && !pack.dry_run);
	if (result) {
		error_print(&error);
		output_error(pack.output, &error);
	}
	pack_free(&pack);
	if (output_close(pack.output))
		return command_flush();
	return result ? (int)error.exit : CXCTL_DONE;
}
