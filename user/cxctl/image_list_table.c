// SPDX-License-Identifier: GPL-2.0-only
/* The entries of "cxctl image list": each an object of JSON, and a row of the table at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_list.h"

#define WHERE (LIST_COLUMNS - 1)

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
		list->rows = image_must(realloc(list->rows, list->room * sizeof(*list->rows)));
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
	for (i = 0; i < LIST_COLUMNS; i++)
		image_must(row->cells[i]);
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
	list->others = image_must(realloc(list->others, (list->other_count + 1) * sizeof(*list->others)));
	list->others[list->other_count++] = image_must(strdup(psid));
	return true;
}

void list_write_entry(struct list *list, const struct entry *entry)
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
	char **psids = image_must(calloc(list->count + 1, sizeof(*psids)));
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

void list_write_table(struct list *list, size_t operands, const char *path)
{
	const char *const headers[LIST_COLUMNS] = {
		_("PSID"), _("VENDOR"), _("VERSION"), _("DATE"), _("PART NUMBER"), _("FORMAT"), _("SIZE"),
		_("WHERE"),
	};
	const char *shown[LIST_COLUMNS];
	size_t columns[LIST_COLUMNS], count = 0, i, j;

	for (j = 0; j < LIST_COLUMNS; j++)
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

void list_write_summary(struct list *list)
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

void list_free(struct list *list)
{
	size_t i, j;

	for (i = 0; i < list->count; i++)
		for (j = 0; j < LIST_COLUMNS; j++)
			free(list->rows[i].cells[j]);
	for (i = 0; i < list->other_count; i++)
		free(list->others[i]);
	free(list->others);
	free(list->rows);
	free(list->container);
	free(list->counted);
}

void list_tell_no_such_psid(struct list *list, const char *path)
{
	size_t count = unique(list->others, list->other_count);

	image_no_such_psid(path, list->psid, (const char *const *)list->others, count, &list->error);
	error_print(&list->error);
	list->failed++;
}
