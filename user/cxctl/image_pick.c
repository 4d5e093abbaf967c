// SPDX-License-Identifier: GPL-2.0-only
/* One image out of whatever a path names: a file, a container, a directory, a catalogue. */
#include "../container/spool.h"
#include "image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NEAREST		4
#define LISTED		6

/* ---- errors ---- */

int image_failed(const char *path, const char *inside, const struct image_error *why, int code,
		 struct cxctl_error *error)
{
	const char *id = "bad-image";
	enum cxctl_exit exit = CXCTL_BAD_IMAGE;
	struct stat status;
	bool named = !strncmp(why->text, path, strnlen(path, 200));	/* what cannot even be opened */

	if (code == -ENOMEM) {
		id = "memory";
		exit = CXCTL_FAILED;
	} else if (stat(path, &status)) {
		id = "image-unreadable";
	} else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
		id = "not-a-file";
	} else if (code == -ENOENT) {
		id = "not-an-image";
	} else if (code == -EOPNOTSUPP) {
		id = "not-supported";
	} else if (code != -EBADMSG && code != -EINVAL && code != -EFBIG) {
		id = code == -EACCES || code == -EISDIR ? "image-unreadable" : "read-failed";
		exit = code == -EACCES || code == -EISDIR ? CXCTL_BAD_IMAGE : CXCTL_FAILED;
	}
	if (*why->text)
		return error_set(error, exit, id, "%s%s%s%s%s", named ? "" : path,
				 inside && *inside ? ": " : "", inside ? inside : "",
				 named && !(inside && *inside) ? "" : ": ", why->text);
	return error_set(error, exit, id, "%s%s%s: %s", path, inside && *inside ? ": " : "",
			 inside ? inside : "", strerror(-code));
}

/* "A, B, C" of at most `most` texts, and how many more there are. */
static void list_texts(const char *const *texts, size_t count, size_t most, char *list, size_t room)
{
	size_t i, used = 0;

	list[0] = '\0';
	for (i = 0; i < count && i < most && used < room; i++)
		used += snprintf(list + used, room - used, "%s%s", i ? ", " : "", texts[i]);
	if (count > most && used < room)
		snprintf(list + used, room - used, _(" and %zu more"), count - most);
}

/* The nearest first; of equally near ones the order of the container stays. */
static void nearest_psids(const char *psid, const char *const *psids, size_t count, char *list, size_t room)
{
	const char *near[NEAREST] = { NULL };
	unsigned int distance[NEAREST], now;
	size_t kept = 0, i, at;

	for (i = 0; i < count; i++) {
		now = image_psid_distance(psid, psids[i]);
		for (at = kept; at > 0 && distance[at - 1] > now; at--)
			;
		if (at == NEAREST)
			continue;
		if (kept < NEAREST)
			kept++;
		memmove(near + at + 1, near + at, (kept - at - 1) * sizeof(near[0]));
		memmove(distance + at + 1, distance + at, (kept - at - 1) * sizeof(distance[0]));
		near[at] = psids[i];
		distance[at] = now;
	}
	list_texts(near, kept, NEAREST, list, room);
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int image_no_such_psid(const char *path, const char *psid, const char *const *psids, size_t count,
		       struct cxctl_error *error)
{
	const char *vendor = image_psid_vendor(psid), *name = last_name(path);
	char near[NEAREST * 34 + 64], whose[96];

	if (vendor)
		snprintf(whose, sizeof(whose), _("; this PSID is %s's"), vendor);
	else
		snprintf(whose, sizeof(whose), "%s", _("; cxctl does not know whose PSID this is"));
	nearest_psids(psid, psids, count, near, sizeof(near));
	if (!count)
		error_set(error, CXCTL_FAILED, "no-such-psid", _("%s names no PSID, so none is %s%s"), name,
			  psid, whose);
	else if (count == 1)
		error_set(error, CXCTL_FAILED, "no-such-psid", _("%s has the PSID %s, not %s%s"), name,
			  psids[0], psid, whose);
	else
		error_set(error, CXCTL_FAILED, "no-such-psid",
			  _("%s has %zu PSIDs, none is %s; nearest are %s%s"), name, count, psid, near,
			  whose);
	error_found(error, "%s", near);
	error_expected(error, "%s", psid);
	if (count > 1)
		error_next(error, _("cxctl image list %s shows them all"), path);
	else
		error_next(error, _("look for a file that the maker of the card gives for %s"), psid);
	return -1;
}

/* ---- of several images on a flash, the one that would boot ---- */

int image_choose(const struct image_reader *reader, unsigned int flags, struct image_facts *facts,
		 struct image_error *error)
{
	struct image_place places[IMAGE_PLACES];
	struct image_error first = { 0 }, again;
	size_t count, i;
	int code, result = 0;

	code = image_locate(reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, error);
	if (code)
		return code;
	for (i = 0; i < count; i++) {
		if (places[i].misplaced)
			continue;
		code = image_facts(reader, &places[i], flags, facts, result ? &again : &first);
		if (!code)
			return 0;
		if (!result)
			result = code;
	}
	if (!result)	/* no place at all: the library says it best */
		return image_query(reader, IMAGE_LAYOUT_AUTO, flags, facts, error);
	*error = first;
	return result;
}

/* ---- the search ---- */

struct search {
	const struct options *options;
	const char *path, *psid;	/* psid NULL: whatever is the only one */
	struct image_picked *picked;
	char **psids;			/* all that were seen, each once */
	size_t psid_count;
	char **places;			/* of images that fit: "16.35.2000 in fw.bin" */
	size_t place_count;
	unsigned int several;		/* members beside the first, without a PSID to choose by */
	bool taken;
	bool has_trouble;
	struct cxctl_error trouble;	/* the first thing that could not be read */
};

void *image_must(void *pointer)
{
	if (!pointer) {
		fputs("cxctl: out of memory\n", stderr);
		exit(CXCTL_FAILED);
	}
	return pointer;
}

static void append(char ***texts, size_t *count, char *text)
{
	*texts = image_must(realloc(*texts, (*count + 1) * sizeof(**texts)));
	(*texts)[(*count)++] = image_must(text);
}

static void note_psid(struct search *search, const char *psid)
{
	size_t i;

	if (!*psid)
		return;
	for (i = search->psid_count; i > 0; i--)
		if (!strcmp(search->psids[i - 1], psid))
			return;
	append(&search->psids, &search->psid_count, strdup(psid));
}

static void note_place(struct search *search, const struct source_item *item, const struct image_facts *facts)
{
	char version[32], *text;

	image_version_text(facts, version);
	if (asprintf(&text, "%s%s%s%s%s%s%s", facts->psid, *facts->psid ? " " : "", version, _(" in "),
		     last_name(item->path), *item->inside ? ": " : "", item->inside) < 0)
		text = NULL;
	append(&search->places, &search->place_count, text);
}

/* The walk's bytes live during the call only. */
static int keep_bytes(struct search *search, const struct source_item *item,
		      const struct image_reader *reader, struct image_error *error)
{
	int descriptor, code;

	if (item->kind == SOURCE_IMAGE && !*item->inside && !item->restored)
		return image_file_open(item->path, &search->picked->file, error);
	code = spool_take(reader, &descriptor, error);
	return code ? code : image_file_of(descriptor, item->path, &search->picked->file, error);
}

static void take(struct search *search, const struct source_item *item, const struct image_reader *reader,
		 const struct image_facts *facts)
{
	struct image_picked *picked = search->picked;
	struct image_error why = { 0 };
	int code = keep_bytes(search, item, reader, &why);

	if (code) {
		image_failed(item->path, item->inside, &why, code, &search->trouble);
		search->has_trouble = true;
		return;
	}
	picked->facts = *facts;
	picked->place = facts->place;
	snprintf(picked->path, sizeof(picked->path), "%s", item->path);
	snprintf(picked->inside, sizeof(picked->inside), "%s", item->inside);
	picked->restored = item->restored;
	search->taken = true;
}

/* What was taken already lies in memory. */
static bool same_bytes(const struct search *search, const struct image_reader *reader)
{
	const struct image_reader *kept = &search->picked->file.reader;
	uint8_t buffer[4096];
	uint64_t at;
	size_t now;

	if (!search->taken || reader->size != kept->size)
		return false;
	for (at = 0; at < kept->size; at += now) {
		now = kept->size - at < sizeof(buffer) ? kept->size - at : sizeof(buffer);
		if (reader->read(reader->context, at, buffer, now) || memcmp(buffer, kept->bytes + at, now))
			return false;
	}
	return true;
}

static bool is_firmware(const struct source_item *item)
{
	return item->kind == SOURCE_IMAGE || item->member->content == CONTAINER_FIRMWARE;
}

static bool wanted(void *context, const struct source_item *item)
{
	struct search *search = context;

	if (!is_firmware(item))
		return false;
	if (item->kind == SOURCE_IMAGE) {
		if (!search->psid || !item->psid)
			return true;
		note_psid(search, item->psid);
		return !strcmp(item->psid, search->psid);
	}
	note_psid(search, item->member->psid);
	if (search->psid)
		return !*item->member->psid || !strcmp(item->member->psid, search->psid);
	return !search->several;
}

static void note_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	struct search *search = context;

	if (search->has_trouble)
		return;
	search->has_trouble = true;
	image_failed(path, inside, why, -EBADMSG, &search->trouble);
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct search *search = context;
	struct image_error why = { 0 };
	struct image_facts facts;
	int code;

	if (!reader || !is_firmware(item))
		return 0;
	code = image_choose(reader, search->taken ? IMAGE_NO_ROM : 0, &facts, &why);
	if (code) {
		note_trouble(search, item->path, item->inside, &why);
		return 0;
	}
	note_psid(search, facts.psid);
	if (search->psid && strcmp(facts.psid, search->psid) &&
	    !(item->kind == SOURCE_MEMBER && !strcmp(item->member->psid, search->psid)))
		return 0;
	if (same_bytes(search, reader))
		return 0;
	note_place(search, item, &facts);
	if (!search->taken)
		take(search, item, reader, &facts);
	return 0;
}

/* Without a PSID a container of several images need not be unpacked to say so. */
static int on_container(void *context, const char *path, const char *inside, struct container *container)
{
	struct search *search = context;
	unsigned int component = 0, different = 0;
	size_t i;

	(void)path;
	(void)inside;
	for (i = 0; i < container_members(container); i++) {
		const struct container_member *member = container_member(container, i);

		if (member->content != CONTAINER_FIRMWARE)
			continue;
		note_psid(search, member->psid);
		if (!different || member->component != component)
			different++;
		component = member->component;
	}
	if (different > 1)
		search->several += different;
	return 0;
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	struct search *search = context;

	image_progress(search->options, last_name(path), done, total);
}

static int several_images(const struct search *search, struct cxctl_error *error)
{
	char list[512];

	if (search->several && !search->psid) {
		list_texts((const char *const *)search->psids, search->psid_count, LISTED, list,
			   sizeof(list));
		error_set(error, CXCTL_USAGE, "several-images", _("%s has images for %zu PSIDs: %s"),
			  last_name(search->path), search->psid_count, list);
		error_next(error, _("choose one with --psid; cxctl image list %s shows them all"),
			   search->path);
		return -1;
	}
	list_texts((const char *const *)search->places, search->place_count, LISTED, list, sizeof(list));
	error_set(error, CXCTL_USAGE, "several-images", _("%s has %zu different images: %s"),
		  last_name(search->path), search->place_count, list);
	error_next(error, search->psid ? _("name the file that has the one you want") :
		   _("choose one with --psid, or name the file that has it"));
	return -1;
}

static int judge(struct search *search, int code, const struct image_error *why, struct cxctl_error *error)
{
	if (search->place_count > 1 || (search->several && !search->psid))
		return several_images(search, error);
	if (search->taken)
		return 0;
	/* A damaged member for which nothing else stands in is the answer. */
	if (search->has_trouble) {
		*error = search->trouble;
		return -1;
	}
	if (search->psid && search->psid_count)
		return image_no_such_psid(search->path, search->psid, (const char *const *)search->psids,
					  search->psid_count, error);
	return image_failed(search->path, "", why, code ? code : -ENOENT, error);
}

static void free_texts(char **texts, size_t count)
{
	while (count)
		free(texts[--count]);
	free(texts);
}

static int look_everywhere(struct search *search, struct cxctl_error *error)
{
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .container = on_container, .trouble = note_trouble,
		.progress = on_progress, .context = search,
	};
	struct image_error why = { 0 };
	int code, result;

	code = source_walk(search->path, 0, &walk, &why);
	result = judge(search, code, &why, error);
	free_texts(search->psids, search->psid_count);
	free_texts(search->places, search->place_count);
	return result;
}

static int plain_image(const char *path, const char *psid, struct image_picked *picked,
		       struct cxctl_error *error)
{
	const char *own = picked->facts.psid;

	picked->place = picked->facts.place;
	snprintf(picked->path, sizeof(picked->path), "%s", path);
	if (!psid || !strcmp(own, psid))
		return 0;
	return image_no_such_psid(path, psid, &own, *own ? 1 : 0, error);
}

int image_pick(const struct options *options, const char *path, const char *psid, struct image_picked *picked,
	       struct cxctl_error *error)
{
	struct search search = { .options = options, .path = path, .psid = psid, .picked = picked };
	struct image_error why = { 0 };
	int code, result;

	memset(picked, 0, sizeof(*picked));
	picked->file.descriptor = -1;
	code = image_file_open(path, &picked->file, &why);
	if (code && code != -EISDIR)
		return image_failed(path, "", &why, code, error);
	if (!code) {
		code = image_choose(&picked->file.reader, 0, &picked->facts, &why);
		if (!code)
			result = plain_image(path, psid, picked, error);
		else if (code != -ENOENT)
			result = image_failed(path, "", &why, code, error);
		if (!code || code != -ENOENT) {
			if (result)
				image_picked_free(picked);
			return result;
		}
		image_file_close(&picked->file);
	}
	result = look_everywhere(&search, error);
	if (result)
		image_picked_free(picked);
	return result;
}

void image_picked_free(struct image_picked *picked)
{
	image_file_close(&picked->file);
}
