// SPDX-License-Identifier: GPL-2.0-only
#include "progress.h"

#include <json-c/json.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

#define BAR		24
#define STEP_WIDTH	24

struct row {
	char title[64];
	const char *id, *text;
	uint64_t done, total;
	int mille;		/* that was shown; -1: none */
	bool begun, over;
};

struct progress_table {
	pthread_mutex_t lock;	/* everything below, and stderr */
	enum { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_EVENTS, PROGRESS_TERMINAL } mode;
	size_t title_width;
	size_t drawn;		/* lines of the terminal that hold the table */
	size_t count;
	struct row rows[];
};

static int mode_of(const struct options *options)
{
	const char *terminal = getenv("TERM");

	if (options->quiet)
		return PROGRESS_NONE;
	if (options->json)
		return PROGRESS_EVENTS;
	if (!isatty(STDERR_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return PROGRESS_LINES;
	return PROGRESS_TERMINAL;
}

struct progress_table *progress_table_open(const struct options *options, const char *const *titles, size_t count)
{
	struct progress_table *table = calloc(1, sizeof(*table) + count * sizeof(table->rows[0]));
	size_t i;

	if (!table)
		return NULL;
	pthread_mutex_init(&table->lock, NULL);
	table->mode = mode_of(options);
	table->count = count;
	for (i = 0; i < count; i++) {
		snprintf(table->rows[i].title, sizeof(table->rows[i].title), "%s", titles[i]);
		table->rows[i].mille = -1;
		if (strlen(table->rows[i].title) > table->title_width)
			table->title_width = strlen(table->rows[i].title);
	}
	return table;
}

static void write_row(FILE *file, const struct progress_table *table, const struct row *row, size_t columns)
{
	size_t taken = table->title_width + 2 + STEP_WIDTH + 10, bar, i;

	write_padded(file, row->title, table->title_width + 2);
	write_padded(file, row->text, STEP_WIDTH);
	if (row->over || !row->total)
		return;
	bar = columns > taken + BAR ? BAR : columns > taken ? columns - taken : 0;
	if (bar) {
		fputs(" [", file);
		for (i = 0; i < bar; i++)
			fputc(i * 1000 / bar < (size_t)row->mille ? '#' : '.', file);
		fputc(']', file);
	}
	fprintf(file, " %3d%%", row->mille / 10);
}

/* Rows that are at work come first, when the terminal is too low for all. */
static void write_rows(FILE *file, struct progress_table *table)
{
	struct winsize size = { 0 };
	size_t room, i, lines = 0;
	int pass;

	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	room = size.ws_row > 2 ? size.ws_row - 1U : 24;
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < table->count && lines < room; i++) {
			const struct row *row = &table->rows[i];

			if (!row->begun || (table->count > room && row->over != !!pass) ||
			    (table->count <= room && pass))
				continue;
			write_row(file, table, row, size.ws_col ? size.ws_col : 80);
			fputs("\033[K\n", file);
			lines++;
		}
	}
	table->drawn = lines;
}

/* Up to where the table begins; what stands there is written over. */
static void draw(struct progress_table *table, const char *above)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		return;
	if (table->drawn)
		fprintf(file, "\033[%zuA\r", table->drawn);
	if (above)
		text_print(file, "\033[J%s\n", above);
	write_rows(file, table);
	if (!fclose(file))
		fwrite(text, 1, length, stderr);
	fflush(stderr);
	free(text);
}

static void write_event(const struct row *row, const char *event)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return;
	json_object_object_add(object, "event", json_object_new_string(event));
	json_object_object_add(object, "card", json_object_new_string(row->title));
	json_object_object_add(object, "step", json_object_new_string(row->id));
	if (row->total) {
		json_object_object_add(object, "done", json_object_new_int64(row->done));
		json_object_object_add(object, "total", json_object_new_int64(row->total));
	}
	fprintf(stderr, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

static void tell(struct progress_table *table, const struct row *row, const char *event)
{
	switch (table->mode) {
	case PROGRESS_NONE:
		break;
	case PROGRESS_LINES:
		text_print(stderr, "%s: %s\n", row->title, row->text);
		break;
	case PROGRESS_EVENTS:
		write_event(row, event);
		break;
	case PROGRESS_TERMINAL:
		draw(table, NULL);
		break;
	}
}

void progress_table_step(struct progress_table *table, size_t row, const char *id, const char *text,
			 uint64_t total)
{
	struct row *at;

	if (!table || row >= table->count)
		return;
	pthread_mutex_lock(&table->lock);
	at = &table->rows[row];
	at->begun = true;
	at->id = id;
	at->text = text;
	at->done = 0;
	at->total = total;
	at->mille = 0;
	tell(table, at, "progress");
	pthread_mutex_unlock(&table->lock);
}

void progress_table_show(struct progress_table *table, size_t row, uint64_t done)
{
	struct row *at;
	int mille, grain;

	if (!table || row >= table->count || !table->rows[row].begun)
		return;
	pthread_mutex_lock(&table->lock);
	at = &table->rows[row];
	at->done = done;
	mille = !at->total ? 0 : done >= at->total ? 1000 : (int)(done * 1000 / at->total);
	/* A terminal sees every percent, a program every tenth part, a log the steps only. */
	grain = table->mode == PROGRESS_TERMINAL ? 10 : 100;
	if (mille / grain != at->mille / grain && table->mode != PROGRESS_LINES) {
		at->mille = mille;
		tell(table, at, "progress");
	}
	pthread_mutex_unlock(&table->lock);
}

void progress_table_over(struct progress_table *table, size_t row, const char *id, const char *text)
{
	struct row *at;

	if (!table || row >= table->count)
		return;
	pthread_mutex_lock(&table->lock);
	at = &table->rows[row];
	at->begun = true;
	at->over = true;
	at->id = id;
	at->text = text;
	at->total = 0;
	tell(table, at, "end");
	pthread_mutex_unlock(&table->lock);
}

void progress_table_say(struct progress_table *table, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	if (!table || table->mode == PROGRESS_NONE)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (!text)
		return;
	pthread_mutex_lock(&table->lock);
	if (table->mode == PROGRESS_TERMINAL)
		draw(table, text);
	else
		text_print(stderr, "%s\n", text);
	pthread_mutex_unlock(&table->lock);
	free(text);
}

void progress_table_close(struct progress_table *table, bool stays)
{
	if (!table)
		return;
	if (table->drawn && !stays) {
		fprintf(stderr, "\033[%zuA\r\033[J", table->drawn);
		fflush(stderr);
	}
	pthread_mutex_destroy(&table->lock);
	free(table);
}
