// SPDX-License-Identifier: GPL-2.0-only
/* cxctl image list: what images there are, one row for every PSID and content. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../container/catalogue.h"
#include "image.h"

enum {
	OPTION_FAST,
	OPTION_PSID,
};

#define COLUMNS 8
#define WHERE (COLUMNS - 1)

struct row {
	char *cells[COLUMNS];
};

struct list {
	struct output *output;
	const struct options *options;
	const char *psid;		/* only rows of this one; NULL: all */
	bool fast;
	char **others;			/* PSIDs of rows that are not shown, as often as they come */
	size_t other_count;
	struct row *rows;
	size_t count, room;
	size_t images;			/* different contents */
	size_t damaged;			/* rows of what cannot be read */
	size_t failed, cut;		/* could not be read; versions that the container cuts */
	struct cxctl_error error;	/* the first that failed */
	/* components that were counted of the container at hand */
	char *container;
	bool *counted;
};

/* What a row says, whoever knows it: the image, the directory of its container, or a catalogue. */
struct entry {
	const struct source_item *item;
	const struct image_facts *facts;	/* NULL: it was not looked at, or cannot be read */
	char psid[33], version[72], date[32], part_number[129], description[257];
	const char *content, *format;		/* "firmware"; "FS4" or NULL */
	bool exact;
	uint64_t length;
	const char *trouble;
};

static void *must(void *pointer)
{
	if (!pointer) {
		fputs("cxctl: out of memory\n", stderr);
		exit(CXCTL_FAILED);
	}
	return pointer;
}

/* ---- rows ---- */

static const char *size_text(uint64_t size, char text[32])
{
	if (size >= 1 << 20)
		snprintf(text, 32, "%.1f MiB", size / 1048576.0);
	else
		snprintf(text, 32, "%.1f KiB", size / 1024.0);
	return text;
}

static void where_text(const struct entry *entry, char *text, size_t room)
{
	const struct source_item *item = entry->item;
	char slot[32] = "";

	if (entry->facts && entry->facts->place.address)
		snprintf(slot, sizeof(slot), _(", slot %u"), entry->facts->place.slot);
	snprintf(text, room, "%s%s%s%s", item->path, *item->inside ? ": " : "", item->inside, slot);
}

static void keep_row(struct list *list, const struct entry *entry)
{
	const char *vendor = image_psid_vendor(entry->psid), *format = entry->format ? entry->format : "";
	char size[32], version[80], where[2100];
	struct row *row;
	size_t i;

	if (list->count == list->room) {
		list->room = list->room * 2 + 64;
		list->rows = must(realloc(list->rows, list->room * sizeof(*list->rows)));
	}
	row = &list->rows[list->count++];
	snprintf(version, sizeof(version), "%s%s", entry->exact ? "" : "~", entry->version);
	if (!entry->exact)
		list->cut++;
	if (entry->trouble)
		list->damaged++;
	where_text(entry, where, sizeof(where));
	if (strcmp(entry->content, "firmware"))
		format = entry->content;
	row->cells[0] = strdup(entry->psid);
	row->cells[1] = strdup(vendor ? vendor : "");
	row->cells[2] = strdup(version);
	row->cells[3] = strdup(entry->date);
	row->cells[4] = strdup(entry->part_number);
	row->cells[5] = strdup(entry->trouble ? _("damaged") : format);
	row->cells[6] = strdup(size_text(entry->length, size));
	row->cells[WHERE] = strdup(where);
	for (i = 0; i < COLUMNS; i++)
		must(row->cells[i]);
}

static void string_or_null(struct output *output, const char *key, const char *text)
{
	output_string(output, key, *text ? text : NULL);
}

static bool is_other(struct list *list, const char *psid)
{
	if (!list->psid || !strcmp(psid, list->psid))
		return false;
	if (!*psid)
		return true;
	list->others = must(realloc(list->others, (list->other_count + 1) * sizeof(*list->others)));
	list->others[list->other_count++] = must(strdup(psid));
	return true;
}

static void write_entry(struct list *list, const struct entry *entry)
{
	const struct source_item *item = entry->item;
	const struct container_member *member = item->member;
	struct output *output = list->output;

	if (is_other(list, entry->psid))
		return;
	output_object(output, NULL);
	string_or_null(output, "psid", entry->psid);
	output_string(output, "psid_vendor", image_psid_vendor(entry->psid));
	string_or_null(output, "firmware_version", entry->version);
	output_bool(output, "firmware_version_exact", entry->exact);
	string_or_null(output, "firmware_date", entry->date);
	string_or_null(output, "part_number", entry->part_number);
	string_or_null(output, "description", entry->description);
	output_string(output, "content", entry->content);
	output_string(output, "format", entry->format);
	output_number(output, "length", entry->length);
	output_string(output, "path", item->path);
	output_string(output, "inside", item->inside);
	output_string(output, "container", member ? container_kind_name(item->container) : NULL);
	if (member) {
		output_number(output, "member", member->index);
		output_number(output, "component", member->component);
	} else {
		output_null(output, "member");
		output_null(output, "component");
	}
	if (entry->facts)
		output_number(output, "address", entry->facts->place.address);
	if (entry->trouble)
		output_string(output, "trouble", entry->trouble);
	output_end(output);
	keep_row(list, entry);
}

/* ---- what an entry knows ---- */

static const char *content_of(const struct container_member *member)
{
	switch (member->content) {
	case CONTAINER_FIRMWARE:
		return "firmware";
	case CONTAINER_CLP:
		return "CLP";
	case CONTAINER_PXE:
		return "PXE";
	case CONTAINER_UEFI:
		return "UEFI";
	case CONTAINER_FCODE:
		return "FCODE";
	default:
		return *member->content_name ? member->content_name : "other";
	}
}

static void version_of(const struct container_member *member, char text[72])
{
	size_t used = 0;
	unsigned int i;

	snprintf(text, 72, "%s", member->version_text);
	if (*text)
		return;
	for (i = 0; i < member->version_words && i < 4 && used < 72; i++)
		used += snprintf(text + used, 72 - used,
				 i == 2 && member->version[0] >= 10 ? "%s%04u" : "%s%u",
				 i ? "." : "", member->version[i]);
}

static void by_directory(const struct source_item *item, struct entry *entry)
{
	const struct container_member *member = item->member;

	entry->content = "firmware";
	entry->exact = true;
	if (item->format != IMAGE_NONE)
		entry->format = image_format_name(item->format);
	if (!member) {
		snprintf(entry->psid, sizeof(entry->psid), "%s", item->psid ? item->psid : "");
		snprintf(entry->version, sizeof(entry->version), "%s", item->version ? item->version : "");
		return;
	}
	snprintf(entry->psid, sizeof(entry->psid), "%s", member->psid);
	snprintf(entry->part_number, sizeof(entry->part_number), "%s", member->part_number);
	snprintf(entry->description, sizeof(entry->description), "%s", member->description);
	version_of(member, entry->version);
	entry->exact = member->version_exact || !*entry->version;
	if (member->date)
		snprintf(entry->date, sizeof(entry->date), "%04x-%02x-%02x", member->date >> 16,
			 member->date >> 8 & 0xff, member->date & 0xff);
	entry->content = content_of(member);
	entry->length = member->size;
}

/* The image itself knows better than its container. */
static void by_facts(const struct image_facts *facts, struct entry *entry)
{
	entry->facts = facts;
	entry->format = image_format_name(facts->place.format);
	if (!*entry->psid || (!entry->item->member && *facts->psid))
		snprintf(entry->psid, sizeof(entry->psid), "%s", facts->psid);
	if (facts->has & IMAGE_HAS_VERSION) {
		image_version_text(facts, entry->version);
		entry->exact = true;
	}
	if (facts->has & IMAGE_HAS_DATE)
		image_date_text(facts, entry->date);
	if (!*entry->part_number)
		snprintf(entry->part_number, sizeof(entry->part_number), "%s", facts->name);
	if (!*entry->description)
		snprintf(entry->description, sizeof(entry->description), "%s", facts->description);
}

static void could_not_read(struct list *list, const char *path, const char *inside,
			   const struct image_error *why,
			   int code)
{
	struct cxctl_error error;

	image_failed(path, inside, why, code, &error);
	if (!list->failed++)
		list->error = error;
	error_print(&error);
}

/* Every image of a file or a flash. */
static void by_bytes(struct list *list, const struct source_item *item, const struct image_reader *reader)
{
	struct image_place places[IMAGE_PLACES];
	struct image_error why = { 0 };
	size_t count = 0, i, images = 0;
	struct image_facts facts;
	struct entry entry;
	int code = image_locate(reader, IMAGE_LAYOUT_AUTO, places, IMAGE_PLACES, &count, &why);

	for (i = 0; i < count; i++) {
		if (places[i].misplaced)
			continue;
		images++;
		memset(&entry, 0, sizeof(entry));
		entry.item = item;
		by_directory(item, &entry);
		entry.length = reader->size;
		code = image_facts(reader, &places[i], IMAGE_NO_ROM, &facts, &why);
		if (code) {
			entry.trouble = why.text;
			could_not_read(list, item->path, item->inside, &why, code);
		} else {
			by_facts(&facts, &entry);
			if (!catalogue_is_whole(&facts.place))
				entry.length = facts.length;
		}
		write_entry(list, &entry);
	}
	if (images)
		return;
	if (!code)
		snprintf(why.text, sizeof(why.text), "%s", _("no firmware magic where an image can start"));
	memset(&entry, 0, sizeof(entry));
	entry.item = item;
	by_directory(item, &entry);
	entry.trouble = why.text;
	could_not_read(list, item->path, item->inside, &why, code ? code : -EBADMSG);
	write_entry(list, &entry);
}

/* ---- the walk ---- */

/* Members that share their bytes are one image. */
static void count_image(struct list *list, const struct source_item *item)
{
	char container[2100];

	if (!item->member) {
		list->images++;
		return;
	}
	snprintf(container, sizeof(container), "%s\n%s", item->path, item->inside);
	if (!list->container || strcmp(list->container, container)) {
		free(list->container);
		list->container = must(strdup(container));
		memset(list->counted, 0, CONTAINER_MEMBERS * sizeof(*list->counted));
	}
	if (item->member->component < CONTAINER_MEMBERS && !list->counted[item->member->component]) {
		list->counted[item->member->component] = true;
		list->images++;
	}
}

static bool wanted(void *context, const struct source_item *item)
{
	const struct list *list = context;
	const char *psid = item->member ? item->member->psid : item->psid;

	if (list->psid && psid && *psid && strcmp(psid, list->psid))
		return false;
	if (list->fast)
		return item->kind == SOURCE_IMAGE && !item->psid;
	return item->kind == SOURCE_IMAGE || item->member->content == CONTAINER_FIRMWARE;
}

static int on_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct list *list = context;
	struct entry entry = { .item = item };
	size_t rows = list->count;

	if (reader) {
		by_bytes(list, item, reader);
	} else {
		by_directory(item, &entry);
		write_entry(list, &entry);
	}
	if (list->count > rows)
		count_image(list, item);
	return 0;
}

static void on_trouble(void *context, const char *path, const char *inside, const struct image_error *why)
{
	could_not_read(context, path, inside, why, -EBADMSG);
}

static void on_progress(void *context, const char *path, uint64_t done, uint64_t total)
{
	const struct list *list = context;

	image_progress(list->options, path, done, total);
}

static void one_path(struct list *list, const char *path)
{
	struct source_walk walk = {
		.wanted = wanted, .item = on_item, .trouble = on_trouble, .progress = on_progress,
		.context = list,
	};
	struct image_error why = { 0 };
	int code = source_walk(path, 0, &walk, &why);

	if (code)
		could_not_read(list, path, "", &why, code);
}

/* ---- the answer ---- */

static int by_text(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sorted, each once; gives how many are left. */
static size_t unique(char **psids, size_t count)
{
	size_t i, kept = 0;

	qsort(psids, count, sizeof(*psids), by_text);
	for (i = 0; i < count; i++)
		if (!kept || strcmp(psids[kept - 1], psids[i])) {
			char *psid = psids[kept];

			psids[kept++] = psids[i];
			psids[i] = psid;
		}
	return kept;
}

static size_t count_psids(const struct list *list)
{
	char **psids = must(calloc(list->count + 1, sizeof(*psids)));
	size_t i, known = 0, count;

	for (i = 0; i < list->count; i++)
		if (*list->rows[i].cells[0])
			psids[known++] = list->rows[i].cells[0];
	count = unique(psids, known);
	free(psids);
	return count;
}

/* Columns that say nothing, or the same everywhere as the operand, are left out. */
static bool column_counts(const struct list *list, size_t column, size_t operands, const char *path)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (*list->rows[i].cells[column] &&
		    (column != WHERE || operands > 1 || strcmp(list->rows[i].cells[column], path)))
			return true;
	return false;
}

static void write_table(struct list *list, size_t operands, const char *path)
{
	const char *const headers[COLUMNS] = {
		_("PSID"), _("VENDOR"), _("VERSION"), _("DATE"), _("PART NUMBER"), _("FORMAT"), _("SIZE"),
		_("WHERE"),
	};
	const char *shown[COLUMNS];
	size_t columns[COLUMNS], count = 0, i, j;

	for (j = 0; j < COLUMNS; j++)
		if (column_counts(list, j, operands, path))
			columns[count++] = j;
	for (j = 0; j < count; j++)
		shown[j] = headers[columns[j]];
	if (count)
		output_table(list->output, shown, count);
	for (i = 0; i < list->count; i++) {
		for (j = 0; j < count; j++)
			shown[j] = list->rows[i].cells[columns[j]];
		output_row(list->output, shown);
	}
	if (count)
		output_table_end(list->output);
}

static void write_summary(struct list *list)
{
	size_t psids = count_psids(list);
	char psid_text[48], image_text[48];

	output_number(list->output, "psid_count", psids);
	output_number(list->output, "image_count", list->images);
	output_number(list->output, "failed_count", list->failed);
	snprintf(psid_text, sizeof(psid_text), ngettext("%zu PSID", "%zu PSIDs", psids), psids);
	snprintf(image_text, sizeof(image_text), ngettext("%zu image", "%zu images", list->images),
		 list->images);
	if (list->count)
		output_line(list->output, "%s, %s", psid_text, image_text);
	if (list->cut)
		output_line(list->output,
			    _("~ The archive keeps 8 bits of a number of the version: without --fast the image itself tells it."));
	if (list->count && list->failed)
		output_line(list->output, ngettext("%zu could not be read.", "%zu could not be read.",
						   list->failed),
			    list->failed);
}

static void list_free(struct list *list)
{
	size_t i, j;

	for (i = 0; i < list->count; i++)
		for (j = 0; j < COLUMNS; j++)
			free(list->rows[i].cells[j]);
	for (i = 0; i < list->other_count; i++)
		free(list->others[i]);
	free(list->others);
	free(list->rows);
	free(list->container);
	free(list->counted);
}

/* Everything could be read, and nothing is for this board. */
static void tell_no_such_psid(struct list *list, const char *path)
{
	size_t count = unique(list->others, list->other_count);

	image_no_such_psid(path, list->psid, (const char *const *)list->others, count, &list->error);
	error_print(&list->error);
	list->failed++;
}

static int finish(struct list *list)
{
	int code = list->failed ? (list->count > list->damaged ? CXCTL_PARTIAL : list->error.exit) :
		CXCTL_DONE;

	if (code == (int)list->error.exit && code)
		output_error(list->output, &list->error);
	list_free(list);
	if (output_close(list->output))
		return command_flush();
	return code;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct list *list = data;

	if (index == OPTION_FAST)
		list->fast = true;
	else if (*argument)
		list->psid = argument;
	else
		return error_set(error, CXCTL_USAGE, "bad-option", _("--psid needs a PSID"));
	return 0;
}

int image_cmd_list(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_FAST] = { "fast", 0, NULL,
				  N_("only what the containers' directories say: nothing is unpacked") },
		[OPTION_PSID] = { "psid", 0, N_("PSID"), N_("only the images for this board") },
	};
	static const struct usage usage = {
		.name = "image list",
		.without_card = true,
		.synopsis = "PATH... [--psid PSID] [--fast]",
		.summary = N_("Lists the images of files, containers, installers, directories and catalogues: one row for every PSID."),
		.details = N_("MFA2 archives cut the version in their directory: it is read from each image, in one pass.\nExit code 9: something was listed and something could not be read."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct list list = { .options = options };
	int first, code, i;

	if (command_options(options, &usage, argc, argv, &list, &first, &code))
		return code;
	if (first >= argc)
		return image_no_path(options, "list");
	list.counted = must(calloc(CONTAINER_MEMBERS, sizeof(*list.counted)));
	list.output = output_open(stdout, options);
	output_array(list.output, "images");
	for (i = first; i < argc; i++)
		one_path(&list, argv[i]);
	output_end(list.output);
	write_table(&list, argc - first, argv[first]);
	if (list.psid && !list.count && !list.failed)
		tell_no_such_psid(&list, argv[first]);
	write_summary(&list);
	return finish(&list);
}
