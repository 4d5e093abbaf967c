// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image verify: every image of a path, and the guards of the containers that hold them. */
#include "findings.h"
#include "image.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct verify {
	const struct options *options;
	struct output *output;
	struct findings findings;
	const char *psid;
	unsigned int verdicts[IMAGE_DAMAGED + 1];	/* how many images and containers got which */
	unsigned int failed;		/* paths of which nothing could be said */
	int code;			/* of the last of them */
	/* the container whose object is open */
	bool in_container;
	char path[1024], inside[1024];
	unsigned int members[IMAGE_DAMAGED + 1];
	/* its member that came last */
	bool has_last;
	unsigned int last_component;
	enum image_verdict last_verdict;
};

static void failed(struct verify *v, const char *path, const char *inside, const struct cxctl_error *error)
{
	fflush(stdout);
	error_print(error);
	output_object(v->output, NULL);
	output_string(v->output, "path", path);
	output_string(v->output, "inside", inside);
	output_error(v->output, error);
	output_end(v->output);
	v->failed++;
	v->code = error->exit;
}

static const char *verdict_words(enum image_verdict verdict)
{
	switch (verdict) {
	case IMAGE_GOOD:
		return _("good");
	case IMAGE_UNUSUAL:
		return _("good, but unusual");
	case IMAGE_DAMAGED:
		return _("DAMAGED");
	}
	return "";
}

static void count(struct verify *v, enum image_verdict verdict)
{
	v->verdicts[verdict]++;
	if (v->in_container)
		v->members[verdict]++;
}

/* ---- one image ---- */

/* What is being verified: "fw.bin", "bundle.mfa2: MT_0D90110009", "backup.bin, slot 1". */
struct subject {
	const char *path, *inside, *psid;
	const struct image_reader *reader;
	struct image_place place;
	bool restored;
};

static const char *subject_name(const struct verify *v, const struct subject *subject, char *name,
				size_t room)
{
	char slot[48] = "";

	if (subject->place.layout == IMAGE_LAYOUT_FLASH && subject->place.address)
		snprintf(slot, sizeof(slot), _(", slot %u at 0x%x"), subject->place.slot,
			 subject->place.address);
	if (v->in_container)
		snprintf(name, room, "  %s%s", *subject->psid ? subject->psid : _("no PSID"), slot);
	else
		snprintf(name, room, "%s%s%s%s", subject->path, *subject->inside ? ": " : "", subject->inside,
			 slot);
	return name;
}

static void show_identity(struct verify *v, const struct subject *subject, char *text, size_t room)
{
	struct image_facts facts;
	struct image_error ignored;
	char version[32];

	text[0] = '\0';
	if (image_facts(subject->reader, &subject->place, IMAGE_NO_ROM, &facts, &ignored)) {
		snprintf(text, room, "%s", image_format_name(subject->place.format));
		return;
	}
	image_version_text(&facts, version);
	output_string(v->output, "firmware_version", *version ? version : NULL);
	output_string(v->output, "psid", *facts.psid ? facts.psid : NULL);
	snprintf(text, room, "%s %s%s%s", image_format_name(subject->place.format), version,
		 v->in_container || !*facts.psid ? "" : ", ", v->in_container ? "" : facts.psid);
}

static void head(struct verify *v, const struct subject *subject)
{
	output_object(v->output, NULL);
	if (!v->in_container) {
		output_string(v->output, "path", subject->path);
		output_string(v->output, "inside", subject->inside);
		output_string(v->output, "kind", "image");
	} else {
		output_string(v->output, "member_psid", *subject->psid ? subject->psid : NULL);
	}
	output_string(v->output, "format", image_format_name(subject->place.format));
	output_number(v->output, "address", subject->place.address);
	output_number(v->output, "slot", subject->place.slot);
}

/* The verdict stands before the findings, the parts (-v) between both. */
static enum image_verdict verify_image(struct verify *v, const struct subject *subject)
{
	struct image_listener listener = findings_listener(&v->findings);
	enum image_verdict verdict = IMAGE_DAMAGED;
	char name[2200], identity[96];
	struct image_error why = { 0 };
	struct cxctl_error error;
	int code;

	subject_name(v, subject, name, sizeof(name));
	head(v, subject);
	show_identity(v, subject, identity, sizeof(identity));
	v->findings.quiet = !v->options->verbose;
	if (v->options->verbose)
		output_line(v->output, "%s (%s):", name, identity);
	output_array(v->output, "parts");
	code = image_verify(subject->reader, &subject->place, &listener, &verdict, &why);
	output_end(v->output);
	if (code == -EBADMSG || code == -ENOENT) {
		struct image_finding finding = { IMAGE_DAMAGED, _("Image"), why.where, .text = why.text };

		verdict = IMAGE_DAMAGED;
		listener.finding(&v->findings, &finding);
		code = 0;
	}
	if (!code && !v->options->verbose && (!v->in_container || verdict != IMAGE_GOOD))
		output_line(v->output, "%s (%s): %s", name, identity, verdict_words(verdict));
	findings_write(&v->findings);
	if (!code) {
		output_string(v->output, "verdict", verdict_id(verdict));
		if (v->options->verbose)
			output_line(v->output, "%s: %s", name, verdict_words(verdict));
		count(v, verdict);
	} else {
		image_failed(subject->path, subject->inside, &why, code, &error);
		fflush(stdout);
		error_print(&error);
		output_error(v->output, &error);
		v->failed++;
		v->code = error.exit;
	}
	output_end(v->output);
	return verdict;
}

/* A magic where no image can start: harmless, but a boot ROM may look there. */
static void show_leftover(struct verify *v, const struct subject *subject)
{
	char name[2200];

	output_object(v->output, NULL);
	output_string(v->output, "path", subject->path);
	output_string(v->output, "inside", subject->inside);
	output_number(v->output, "address", subject->place.address);
	output_string(v->output, "format", image_format_name(subject->place.format));
	output_string(v->output, "verdict", "leftover");
	output_end(v->output);
	subject_name(v, subject, name, sizeof(name));
	output_line(v->output, _("%s: good, but unusual"), name);
	output_line(v->output, _("  ! a magic of format %s stands at 0x%x, where no image can start"),
		    image_format_name(subject->place.format), subject->place.address);
	v->findings.count++;
	count(v, IMAGE_UNUSUAL);
}

static void show_second_alive(struct verify *v, unsigned int live)
{
	v->findings.count++;
	output_line(v->output,
		    _("  ! %u images are alive: an earlier burn was interrupted after its commit. Burn again to settle which one stays."),
		    live);
	v->verdicts[IMAGE_UNUSUAL]++;
}

/* Every image of a file or flash. False: there is none. */
static bool verify_reader(struct verify *v, struct subject *subject, enum image_verdict *worst)
{
	struct image_place places[IMAGE_PLACES];
	struct image_error why = { 0 };
	enum image_verdict verdict;
	unsigned int live = 0;
	size_t found = 0, i;

	*worst = IMAGE_GOOD;
	if (image_locate(subject->reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &found, &why))
		return false;
	for (i = 0; i < found; i++)
		live += !places[i].misplaced;
	for (i = 0; live && i < found; i++) {
		subject->place = places[i];
		if (places[i].misplaced) {
			show_leftover(v, subject);
			verdict = IMAGE_UNUSUAL;
		} else {
			verdict = verify_image(v, subject);
		}
		if (verdict > *worst)
			*worst = verdict;
	}
	if (live > 1)
		show_second_alive(v, live);
	return live;
}

/* ---- containers ---- */

static void end_container(struct verify *v)
{
	unsigned int good = v->members[IMAGE_GOOD], unusual = v->members[IMAGE_UNUSUAL];
	unsigned int damaged = v->members[IMAGE_DAMAGED];

	if (!v->in_container)
		return;
	v->in_container = false;
	output_end(v->output);
	output_number(v->output, "good", good);
	output_number(v->output, "unusual", unusual);
	output_number(v->output, "damaged", damaged);
	output_end(v->output);
	if (unusual || damaged)
		output_line(v->output, _("  %u images: %u good, %u unusual, %u damaged"),
			    good + unusual + damaged, good, unusual, damaged);
	else
		output_line(v->output, ngettext("  %u image: good", "  %u images: all good", good), good);
}

static int on_container(void *context, const char *path, const char *inside, struct container *container)
{
	const char *kind = container_kind_name(container_kind(container));
	size_t members = container_members(container);
	enum image_verdict verdict = IMAGE_DAMAGED;
	struct verify *v = context;
	struct image_listener listener = findings_listener(&v->findings);
	struct image_error why = { 0 };
	int code;

	end_container(v);
	output_object(v->output, NULL);
	output_string(v->output, "path", path);
	output_string(v->output, "inside", inside);
	output_string(v->output, "kind", "container");
	output_string(v->output, "container", kind);
	output_number(v->output, "member_count", members);
	v->findings.quiet = !v->options->verbose;
	output_array(v->output, "parts");
	code = container_verify(container, &listener, &verdict, &why);
	if (code) {
		struct image_finding finding = { IMAGE_DAMAGED, kind, why.where, .text = why.text };

		verdict = IMAGE_DAMAGED;
		listener.finding(&v->findings, &finding);
	}
	output_end(v->output);
	output_line(v->output,
		    ngettext("%s%s%s (%s, %zu entry): %s", "%s%s%s (%s, %zu entries): %s", members), path,
		    *inside ? ": " : "", inside, kind, members, verdict_words(verdict));
	findings_write(&v->findings);
	output_string(v->output, "verdict", verdict_id(verdict));
	v->verdicts[verdict]++;
	output_array(v->output, "images");
	v->in_container = true;
	v->has_last = false;
	memset(v->members, 0, sizeof(v->members));
	snprintf(v->path, sizeof(v->path), "%s", path);
	snprintf(v->inside, sizeof(v->inside), "%s", inside);
	return 0;
}

static bool wanted(void *context, const struct source_item *item)
{
	(void)context;
	return item->kind == SOURCE_IMAGE || item->member->content == CONTAINER_FIRMWARE;
}

/* Something that calls itself an image or a container, and is not one. */
static void show_damage(struct verify *v, const char *path, const char *inside, const char *psid,
			const struct image_error *why)
{
	struct image_finding finding = { IMAGE_DAMAGED, v->in_container ? _("Member") : _("File"), why->where,
					 .text = why->text };

	output_object(v->output, NULL);
	output_string(v->output, "path", path);
	output_string(v->output, "inside", inside);
	if (psid)
		output_string(v->output, "member_psid", psid);
	output_string(v->output, "verdict", verdict_id(IMAGE_DAMAGED));
	if (v->in_container)
		output_line(v->output, "  %s: %s", psid && *psid ? psid : *inside ? inside : path,
			    verdict_words(IMAGE_DAMAGED));
	else
		output_line(v->output, "%s%s%s: %s", path, *inside ? ": " : "", inside,
			    verdict_words(IMAGE_DAMAGED));
	v->findings.quiet = true;
	findings_listener(&v->findings).finding(&v->findings, &finding);
	findings_write(&v->findings);
	output_end(v->output);
	count(v, IMAGE_DAMAGED);
}

static void same_as_last(struct verify *v, const char *psid)
{
	output_object(v->output, NULL);
	output_string(v->output, "member_psid", *psid ? psid : NULL);
	output_bool(v->output, "same_image_as_before", true);
	output_string(v->output, "verdict", verdict_id(v->last_verdict));
	output_end(v->output);
	if (v->options->verbose || v->last_verdict != IMAGE_GOOD)
		output_line(v->output, _("  %s: the same image, %s"), *psid ? psid : _("no PSID"),
			    verdict_words(v->last_verdict));
	count(v, v->last_verdict);
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct subject subject = { .path = item->path, .inside = item->inside, .reader = reader,
				   .psid = item->member ? item->member->psid : "" };
	struct image_error why = { .text = "" };
	struct verify *v = context;

	if (!reader)
		return 0;
	if (item->kind == SOURCE_IMAGE)
		end_container(v);
	if (v->in_container && v->has_last && v->last_component == item->member->component) {
		same_as_last(v, subject.psid);
		return 0;
	}
	if (!verify_reader(v, &subject, &v->last_verdict)) {
		snprintf(why.text, sizeof(why.text), "%s", _("no firmware magic where an image can start"));
		show_damage(v, item->path, item->inside, subject.psid, &why);
		v->last_verdict = IMAGE_DAMAGED;
	}
	if (item->kind == SOURCE_MEMBER) {
		v->has_last = true;
		v->last_component = item->member->component;
	}
	return 0;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	struct cxctl_error error;
	struct verify *v = context;

	if (!access(path, R_OK)) {
		if (v->in_container && strcmp(path, v->path))
			end_container(v);
		show_damage(v, path, inside, NULL, why);
		return;
	}
	end_container(v);
	image_failed(path, inside, why, -EACCES, &error);
	failed(v, path, inside, &error);
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	struct verify *v = context;

	/* The lines of -v tell how far it is. */
	if (!v->options->verbose)
		image_progress(v->options, path, done, total);
}

/* ---- one path ---- */

static void look_inside(struct verify *v, const char *path)
{
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .container = on_container, .trouble = on_trouble,
		.progress = on_progress, .context = v,
	};
	unsigned int before = v->findings.count + v->failed;
	struct image_error why = { 0 };
	struct cxctl_error error;
	int code = source_walk(path, 0, &walk, &why);
	bool told = before != v->findings.count + v->failed;

	end_container(v);
	if (!code || told)
		return;
	if (code == -EBADMSG) {
		show_damage(v, path, "", NULL, &why);
		return;
	}
	image_failed(path, "", &why, code, &error);
	failed(v, path, "", &error);
}

static void one_psid(struct verify *v, const char *path)
{
	enum image_verdict worst;
	struct image_picked picked;
	struct cxctl_error error;
	struct subject subject;

	if (image_pick(v->options, path, v->psid, &picked, &error)) {
		failed(v, path, "", &error);
		return;
	}
	subject = (struct subject){ picked.path, picked.inside, v->psid, &picked.file.reader };
	verify_reader(v, &subject, &worst);
	image_picked_free(&picked);
}

static void one_path(struct verify *v, const char *path)
{
	struct subject subject = { .path = path, .inside = "", .psid = "" };
	struct image_error why = { 0 };
	enum image_verdict worst;
	struct cxctl_error error;
	struct image_file file;
	bool any = false;
	int code;

	if (v->psid) {
		one_psid(v, path);
		return;
	}
	code = image_file_open(path, &file, &why);
	if (code && code != -EISDIR) {
		image_failed(path, "", &why, code, &error);
		failed(v, path, "", &error);
		return;
	}
	subject.reader = &file.reader;
	if (!code)
		any = verify_reader(v, &subject, &worst);
	image_file_close(&file);
	if (!any)
		look_inside(v, path);
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct verify *v = data;

	(void)index;
	return image_take_psid(argument, &v->psid, error);
}

static int result(const struct verify *v)
{
	if (v->verdicts[IMAGE_UNUSUAL] || v->verdicts[IMAGE_DAMAGED])
		return CXCTL_FINDINGS;
	if (!v->failed)
		return CXCTL_DONE;
	return v->verdicts[IMAGE_GOOD] ? CXCTL_PARTIAL : v->code;
}

int image_cmd_verify(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		{ "psid", 0, N_("PSID"),
			N_("only the image for this board, out of a container or a directory") },
	};
	static const struct usage usage = {
		.name = "image verify",
		.without_card = true,
		.synopsis = "PATH... [--psid PSID]",
		.summary = N_("Checks everything that can be checked: CRCs, pointers, bounds, digests, signatures."),
		.details = N_("Says of each image: good, damaged (what, where, expected, found), or good but unusual (what).\nA container's own guards and every image in it are checked in one pass. -v lists the parts.\nExit code 8: something is damaged or unusual. 6: it is no image at all."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct verify v = { .options = options };
	int first, code;

	if (command_options(options, &usage, argc, argv, &v, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "verify");
	v.output = v.findings.output = output_open(stdout, options);
	output_array(v.output, "images");
	for (; first < argc; first++)
		one_path(&v, argv[first]);
	output_end(v.output);
	output_number(v.output, "finding_count", v.findings.count);
	if (output_close(v.output))
		return command_flush();
	return result(&v);
}
