// SPDX-License-Identifier: GPL-2.0-only
/* What a path holds, one after the other: directories, files, containers. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"
#include "search.h"

/* ---- what the caller hears ---- */

static int end_walk(struct search *search, int result)
{
	search->over = true;
	search->result = result;
	return 1;
}

static void tell_waiting(struct search *search)
{
	if (!search->waiting)
		return;
	search->waiting = false;
	search->walk->trouble(search->walk->context, search->path, search->waiting_inside,
			      &search->waiting_error);
}

int search_trouble(struct search *search, const char *inside, int code, const struct image_error *error)
{
	const struct source_walk *walk = search->walk;

	search->troubles++;
	if (!walk->trouble) {
		image_fail(search->error, code, error->where, "%s%s%s", inside, *inside ? ": " : "",
			   error->text);
		return end_walk(search, code);
	}
	tell_waiting(search);
	if (!search->alone || search->items) {
		walk->trouble(walk->context, search->path, inside, error);
		return 0;
	}
	search->waiting = true;
	search->waiting_code = code;
	snprintf(search->waiting_inside, sizeof(search->waiting_inside), "%s", inside);
	search->waiting_error = *error;
	return 0;
}

int search_item(struct search *search, const struct source_item *item, const struct image_reader *reader)
{
	int result;

	tell_waiting(search);
	search->items++;
	result = search->walk->item(search->walk->context, item, reader);
	return result ? end_walk(search, result) : 0;
}

static bool wanted(const struct search *search, const struct source_item *item)
{
	return !search->walk->wanted || search->walk->wanted(search->walk->context, item);
}

/* With its bytes, or without; not at all when a catalogue does not list it. */
static int offer(struct search *search, struct source_item *item, const struct image_reader *reader)
{
	const struct catalogue_entry *entry = NULL;
	struct image_error error;
	int code;

	if (search->listed) {
		entry = search_listed(search, item);
		if (!entry)
			return 0;
		search->listed_seen++;
		if (item->kind == SOURCE_IMAGE) {
			item->psid = entry->psid;
			item->version = entry->version;
		}
	}
	if (item->kind == SOURCE_IMAGE && !wanted(search, item))
		reader = NULL;
	if (reader && entry) {
		code = catalogue_check(entry, reader, &error);
		if (code)
			return search_trouble(search, item->inside, code, &error);
	}
	return search_item(search, item, reader);
}

int search_image(struct search *search, const struct image_reader *reader, enum image_format format,
		 const char *inside, bool restored)
{
	struct source_item item = {
		.kind = SOURCE_IMAGE,
		.path = search->path,
		.inside = inside,
		.format = format,
		.restored = restored,
	};

	return offer(search, &item, reader);
}

/* ---- containers ---- */

struct members {
	struct search *search;
	struct source_item item;
	bool *wanted;			/* by the member's index */
	/* A stream that is damaged costs all members behind it: that is told once. */
	char damaged[33];
	size_t damaged_count;
	struct image_error damage;
};

static bool member_wanted(void *context, const struct container_member *member)
{
	struct members *members = context;

	return members->wanted[member->index];
}

static int member_found(void *context, const struct container_member *member,
			const struct image_reader *reader,
			bool restored)
{
	struct members *members = context;

	members->item.member = member;
	members->item.restored = restored;
	return offer(members->search, &members->item, reader);
}

static void tell_damage(struct members *members)
{
	struct image_error told;
	char more[64] = "";

	if (!members->damaged_count)
		return;
	if (members->damaged_count > 1)
		snprintf(more, sizeof(more), ngettext(" and %zu more", " and %zu more",
						      members->damaged_count - 1),
			 members->damaged_count - 1);
	image_fail(&told, 0, members->damage.where, "%s%s%s%s", members->damaged, more,
		   *members->damaged || *more ? ": " : "", members->damage.text);
	members->damaged_count = 0;
	search_trouble(members->search, members->item.inside, -EBADMSG, &told);
}

static void member_trouble(void *context, const struct container_member *member,
			   const struct image_error *error)
{
	struct members *members = context;

	if (members->damaged_count && strcmp(members->damage.text, error->text))
		tell_damage(members);
	if (!members->damaged_count++) {
		snprintf(members->damaged, sizeof(members->damaged), "%s", member->psid);
		members->damage = *error;
	}
}

static void member_progress(void *context, uint64_t done, uint64_t total)
{
	struct members *members = context;
	const struct source_walk *walk = members->search->walk;

	if (walk->progress)
		walk->progress(walk->context, members->search->path, done, total);
}

/* Those whose bytes nobody wants come first, by what the directory says. */
static int offer_directory(struct members *members, struct container *container, size_t *wanted_count)
{
	size_t i;

	*wanted_count = 0;
	for (i = 0; i < container_members(container); i++) {
		members->item.member = container_member(container, i);
		if (members->search->listed && !search_listed(members->search, &members->item))
			continue;
		members->wanted[i] = wanted(members->search, &members->item);
		*wanted_count += members->wanted[i];
		members->search->listed_seen += !members->wanted[i];
		if (!members->wanted[i] && search_item(members->search, &members->item, NULL))
			return 1;
	}
	return 0;
}

int search_container(struct search *search, struct container *container, const char *inside)
{
	struct members members = {
		.search = search,
		.item = {
			.kind = SOURCE_MEMBER,
			.path = search->path,
			.inside = inside,
			.container = container_kind(container),
		},
	};
	struct container_pass pass = {
		member_wanted, member_found, search->walk->trouble ? member_trouble : NULL, member_progress,
		&members,
	};
	struct image_error error = { 0 };
	size_t count;
	int code;

	if (search->walk->container) {
		tell_waiting(search);
		code = search->walk->container(search->walk->context, search->path, inside, container);
		if (code)
			return end_walk(search, code);
	}
	members.wanted = calloc(container_members(container) + 1, sizeof(*members.wanted));
	if (!members.wanted) {
		container_no_memory(&error);
		return search_trouble(search, inside, -ENOMEM, &error);
	}
	code = offer_directory(&members, container, &count);
	if (!code && count)
		code = container_pass(container, &pass, &error);
	tell_damage(&members);
	free(members.wanted);
	if (search->over)
		return 1;
	return code ? search_trouble(search, inside, code, &error) : 0;
}

/* ---- files ---- */

void search_join(char *joined, const char *inside, const char *name)
{
	snprintf(joined, SEARCH_INSIDE, "%s%s%s", inside, *inside ? "/" : "", name);
}

void search_forget(const struct image_file *file, uint64_t start, uint64_t end)
{
	uint64_t page = sysconf(_SC_PAGESIZE);

	start = start / page * page;
	end = end / page * page;
	/* The map is of a file and read only: what is needed again is read again. */
	if (file->map && start < end)
		madvise((uint8_t *)file->map + start, end - start, MADV_DONTNEED);
}

/* Where a plain image or a flash starts; IMAGE_NONE: this is none. */
static enum image_format plain_format(const struct image_reader *reader)
{
	struct image_place places[IMAGE_PLACES];
	size_t count, i;

	if (image_locate(reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, NULL))
		return IMAGE_NONE;
	for (i = 0; i < count; i++)
		if (!places[i].misplaced)
			return places[i].format;
	return IMAGE_NONE;
}

/* A component of an MFA2 that was saved as it stands there: its magic is put back on the way. */
struct masked {
	const struct image_reader *reader;
	const uint8_t *magic;
};

static int read_masked(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct masked *masked = context;
	uint8_t *bytes = buffer;
	uint64_t at;
	int code = masked->reader->read(masked->reader->context, offset, buffer, length);

	for (at = offset; !code && at < 16 && at < offset + length; at++)
		bytes[at - offset] = masked->magic[at];
	return code;
}

/* *is says whether it is one. */
static int offer_masked(struct search *search, const struct image_reader *reader, const char *inside,
			bool *is)
{
	struct masked masked = { .reader = reader };
	struct image_reader whole = { read_masked, &masked, reader->size, NULL };
	enum image_format format;
	uint8_t head[0x28];

	if (!container_read(reader, 0, head, sizeof(head), NULL))
		masked.magic = container_masked_magic(head);
	*is = masked.magic;
	if (!*is)
		return 0;
	format = plain_format(&whole);
	*is = format != IMAGE_NONE;
	return *is ? search_image(search, &whole, format, inside, true) : 0;
}

static int open_container(struct search *search, const struct image_reader *reader, const char *inside)
{
	struct container *container;
	struct image_error error;
	int code = container_open(reader, &container, &error);

	if (code)
		return search_trouble(search, inside, code, &error);
	code = search_container(search, container, inside);
	container_close(container);
	return code;
}

int search_file(struct search *search, const struct image_file *file, const char *inside, unsigned int nested)
{
	enum image_format format;
	bool masked;
	int code;

	if (container_kind_of(&file->reader) != CONTAINER_NONE)
		return open_container(search, &file->reader, inside);
	format = plain_format(&file->reader);
	if (format != IMAGE_NONE)
		return search_image(search, &file->reader, format, inside, false);
	code = offer_masked(search, &file->reader, inside, &masked);
	if (code || masked)
		return code;
	if (search->flags & SOURCE_NO_SCAN)
		return 0;
	return search_scan(search, file, inside, nested);
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t length = strlen(path), wanted_length = strlen(suffix);

	return length >= wanted_length && !strcasecmp(path + length - wanted_length, suffix);
}

static int nothing_found(struct search *search, const struct image_file *file)
{
	const struct source_guess *guess = source_guess(&file->reader);
	int code = search->waiting_code;

	if (search->waiting) {
		search->waiting = false;
		image_fail(search->error, code, search->waiting_error.where, "%s%s%s",
			   search->waiting_inside,
			   *search->waiting_inside ? ": " : "", search->waiting_error.text);
		return code;
	}
	if (has_suffix(search->path, ".mlx") && (!guess || !strcmp(guess->id, "text")))
		guess = source_guess_mlx();
	if (!guess)
		return image_fail(search->error, -ENOENT, 0, "%s",
				  _("there is no firmware in it: no image, no container, no archive of them"));
	return image_fail(search->error, -ENOENT, 0, "%s%s%s", _(guess->what), guess->next ? "; " : "",
			  guess->next ? _(guess->next) : "");
}

int search_named(struct search *search, const char *path)
{
	struct image_file file;
	struct image_error error;
	int code = image_file_open(path, &file, &error);
	size_t before = search->items;

	search->path = path;
	search->files++;
	if (code && search->alone) {
		*search->error = error;
		return end_walk(search, code);
	}
	if (code)
		return search_trouble(search, "", code, &error);
	search->unpacked = 0;
	if (catalogue_is(&file.reader)) {
		code = search->alone ? search_catalogue(search, path) : 0;
	} else {
		code = search_file(search, &file, "", 0);
		if (!code && search->alone && search->items == before)
			code = end_walk(search, nothing_found(search, &file));
	}
	image_file_close(&file);
	return code;
}

/* ---- directories ---- */

static bool walked_before(struct search *search, const struct stat *status, bool *no_memory)
{
	struct search_directory *grown;
	size_t i;

	for (i = 0; i < search->walked_count; i++)
		if (search->walked[i].device == status->st_dev && search->walked[i].inode == status->st_ino)
			return true;
	grown = realloc(search->walked, (search->walked_count + 1) * sizeof(*grown));
	*no_memory = !grown;
	if (!grown)
		return true;
	search->walked = grown;
	grown[search->walked_count++] = (struct search_directory){ status->st_dev, status->st_ino };
	return false;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static int walk_directory(struct search *search, const char *path, unsigned int depth);

static int walk_entry(struct search *search, const char *path, unsigned int depth)
{
	struct image_error error;
	struct stat status;

	search->path = path;
	if (stat(path, &status)) {
		image_fail(&error, 0, 0, "%s", strerror(errno));
		return search_trouble(search, "", -errno, &error);
	}
	if (S_ISDIR(status.st_mode))
		return search->flags & SOURCE_RECURSE ? walk_directory(search, path, depth + 1) : 0;
	return S_ISREG(status.st_mode) ? search_named(search, path) : 0;
}

static int cannot_list(struct search *search, const char *path, int code, const char *text)
{
	struct image_error error;

	image_fail(&error, 0, 0, "%s", text);
	if (!search->files && !search->items && search->walked_count <= 1) {
		image_fail(search->error, 0, 0, "%s", text);
		return end_walk(search, code);
	}
	search->path = path;
	return search_trouble(search, "", code, &error);
}

static int walk_directory(struct search *search, const char *path, unsigned int depth)
{
	struct dirent **entries;
	bool no_memory = false;
	struct stat status;
	int count, i, code = 0;

	if (stat(path, &status))
		return cannot_list(search, path, -errno, strerror(errno));
	if (walked_before(search, &status, &no_memory))
		return no_memory ? cannot_list(search, path, -ENOMEM, strerror(ENOMEM)) : 0;
	if (depth > SEARCH_DIRECTORIES)
		return cannot_list(search, path, -ELOOP, _("too many directories in directories"));
	count = scandir(path, &entries, visible, by_bytes);
	if (count < 0)
		return cannot_list(search, path, -errno, strerror(errno));
	for (i = 0; i < count; i++) {
		char *below = NULL;

		if (!code && asprintf(&below, "%s/%s", path, entries[i]->d_name) < 0)
			code = cannot_list(search, path, -ENOMEM, strerror(ENOMEM));
		else if (!code)
			code = walk_entry(search, below, depth);
		search->path = path;
		free(below);
		free(entries[i]);
	}
	free(entries);
	return code;
}

static int walk_named_directory(struct search *search, const char *path)
{
	search->alone = false;
	if (walk_directory(search, path, 0))
		return 1;
	if (search->items)
		return 0;
	image_fail(search->error, -ENOENT, 0,
		   ngettext("there is no firmware in it: %zu file was looked at%s",
		       "there is no firmware in it: %zu files were looked at%s", search->files),
		   search->files,
		   search->flags & SOURCE_RECURSE ? "" : _(", directories below it were not"));
	return end_walk(search, -ENOENT);
}

int source_walk(const char *path, unsigned int flags, const struct source_walk *walk,
		struct image_error *error)
{
	struct image_error unheard;
	struct search search = { .walk = walk, .flags = flags, .alone = true,
				 .error = error ? error : &unheard };
	struct stat status;

	search.path = path;
	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		walk_named_directory(&search, path);
	else
		search_named(&search, path);
	free(search.walked);
	return search.result;
}
