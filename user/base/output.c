// SPDX-License-Identifier: GPL-2.0-only
#include "output.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "text.h"

#define NESTING		16
#define LABEL_WIDTH	22

struct output {
	FILE *file;
	bool json, pretty, verbose;
	bool failed;
	struct json_object *stack[NESTING];
	unsigned int depth;
	/* the table that is being gathered */
	size_t columns, rows, room;
	char **cells;			/* rows * columns */
};

static void *must(void *pointer)
{
	if (!pointer) {
		fputs("cxctl: out of memory\n", stderr);
		exit(CXCTL_FAILED);
	}
	return pointer;
}

struct output *output_open(FILE *file, const struct options *options)
{
	struct output *output = must(calloc(1, sizeof(*output)));

	output->file = file;
	output->json = options->json;
	output->pretty = options->pretty;
	output->verbose = options->verbose;
	if (output->json)
		output->stack[0] = must(json_object_new_object());
	return output;
}

static void write_document(struct output *output)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	if (output->pretty)
		flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
	fprintf(output->file, "%s\n", json_object_to_json_string_ext(output->stack[0], flags));
	json_object_put(output->stack[0]);
	output->stack[0] = NULL;
}

int output_close(struct output *output)
{
	int result;

	if (output->json)
		write_document(output);
	result = fflush(output->file) || ferror(output->file) ? -1 : 0;
	free(output);
	return result;
}

void output_discard(struct output *output)
{
	json_object_put(output->stack[0]);
	free(output);
}

void output_flush_line(struct output *output)
{
	if (output->json) {
		write_document(output);
		output->stack[0] = must(json_object_new_object());
		output->depth = 0;
	}
	fflush(output->file);
}

bool output_is_json(const struct output *output)
{
	return output->json;
}

static struct json_object *top(struct output *output)
{
	return output->stack[output->depth];
}

static void put(struct output *output, const char *key, struct json_object *value)
{
	struct json_object *parent = top(output);

	if (json_object_is_type(parent, json_type_array))
		json_object_array_add(parent, value);
	else
		json_object_object_add(parent, key, value);
}

static void push(struct output *output, const char *key, struct json_object *value)
{
	put(output, key, value);
	if (output->depth + 1 < NESTING)
		output->stack[++output->depth] = value;
}

void output_object(struct output *output, const char *key)
{
	if (output->json)
		push(output, key, must(json_object_new_object()));
}

void output_array(struct output *output, const char *key)
{
	if (output->json)
		push(output, key, must(json_object_new_array()));
}

void output_end(struct output *output)
{
	if (output->json && output->depth)
		output->depth--;
}

void output_string(struct output *output, const char *key, const char *value)
{
	char *clean;

	if (!output->json)
		return;
	if (!value) {
		put(output, key, NULL);
		return;
	}
	clean = text_utf8(value, strlen(value));
	put(output, key, must(json_object_new_string(clean)));
	free(clean);
}

void output_number(struct output *output, const char *key, int64_t value)
{
	if (output->json)
		put(output, key, must(json_object_new_int64(value)));
}

void output_bool(struct output *output, const char *key, bool value)
{
	if (output->json)
		put(output, key, must(json_object_new_boolean(value)));
}

void output_null(struct output *output, const char *key)
{
	if (output->json)
		put(output, key, NULL);
}

static char *format_text(const char *format, va_list arguments)
{
	char *raw, *clean;

	if (vasprintf(&raw, format, arguments) < 0)
		must(NULL);
	clean = text_printable(raw, strlen(raw));
	free(raw);
	return clean;
}

void output_line(struct output *output, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (output->json)
		return;
	va_start(arguments, format);
	text = format_text(format, arguments);
	va_end(arguments);
	text_print(output->file, "%s\n", text);
	free(text);
}

static void show(struct output *output, const char *label, const char *source, const char *text)
{
	char head[128];

	snprintf(head, sizeof(head), "%s%s", label ? label : "", label && *label ? ":" : "");
	write_padded(output->file, head, LABEL_WIDTH);
	fputs(" ", output->file);
	if (output->verbose && source) {
		write_padded(output->file, text, 40);
		text_print(output->file, "  [%s]\n", source);
	} else {
		text_print(output->file, "%s\n", text);
	}
}

void output_show(struct output *output, const char *label, const char *source, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (output->json)
		return;
	va_start(arguments, format);
	text = format_text(format, arguments);
	va_end(arguments);
	show(output, label, source, text);
	free(text);
}

void output_fact(struct output *output, const char *key, const char *label, const char *source,
		 const char *format, ...)
{
	va_list arguments;
	char *raw;

	va_start(arguments, format);
	if (vasprintf(&raw, format, arguments) < 0)
		must(NULL);
	va_end(arguments);
	if (output->json) {
		/* "sources" comes before the facts: who reads on finds the fact last. */
		output_source(output, key, source);
		output_string(output, key, raw);
	} else {
		char *clean = text_printable(raw, strlen(raw));

		show(output, label, source, clean);
		free(clean);
	}
	free(raw);
}

void output_source(struct output *output, const char *key, const char *source)
{
	struct json_object *sources;

	if (!output->json || !source || !json_object_is_type(top(output), json_type_object))
		return;
	if (!json_object_object_get_ex(top(output), "sources", &sources)) {
		sources = must(json_object_new_object());
		json_object_object_add(top(output), "sources", sources);
	}
	json_object_object_add(sources, key, must(json_object_new_string(source)));
}

static void add_row(struct output *output, const char *const *cells)
{
	size_t i;

	if (output->rows == output->room) {
		output->room = output->room ? 2 * output->room : 16;
		output->cells = must(realloc(output->cells,
					     output->room * output->columns * sizeof(*output->cells)));
	}
	for (i = 0; i < output->columns; i++) {
		const char *cell = cells[i] && *cells[i] ? cells[i] : "-";

		output->cells[output->rows * output->columns + i] = text_printable(cell, strlen(cell));
	}
	output->rows++;
}

void output_table(struct output *output, const char *const *headers, size_t columns)
{
	if (output->json)
		return;
	output->columns = columns;
	add_row(output, headers);
}

void output_row(struct output *output, const char *const *cells)
{
	if (!output->json)
		add_row(output, cells);
}

void output_table_end(struct output *output)
{
	size_t row, column;

	if (output->json)
		return;
	for (row = 0; row < output->rows; row++) {
		for (column = 0; column < output->columns; column++) {
			int width = 0;
			size_t other;

			for (other = 0; other < output->rows; other++) {
				int w = text_width(output->cells[other * output->columns + column]);

				if (w > width)
					width = w;
			}
			if (column + 1 == output->columns)
				text_print(output->file, "%s\n", output->cells[row * output->columns + column]);
			else
				write_padded(output->file, output->cells[row * output->columns + column],
					     width + 2);
		}
	}
	for (row = 0; row < output->rows * output->columns; row++)
		free(output->cells[row]);
	free(output->cells);
	output->cells = NULL;
	output->rows = output->room = output->columns = 0;
}

void output_error(struct output *output, const struct cxctl_error *error)
{
	static const char *const keys[] = { "found", "expected", "rule", "next" };
	const char *values[] = { error->found, error->expected, error->rule, error->next };
	size_t i;

	output_object(output, "error");
	output_string(output, "id", error->id);
	output_string(output, "text", error->text);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (*values[i])
			output_string(output, keys[i], values[i]);
	output_number(output, "exit", error->exit);
	output_end(output);
}

static void print_part(const char *label, const char *text)
{
	char *clean;

	if (!*text)
		return;
	clean = text_printable(text, strlen(text));
	fputs("  ", stderr);
	write_padded(stderr, label, 10);
	text_print(stderr, " %s\n", clean);
	free(clean);
}

void error_print(const struct cxctl_error *error)
{
	char *clean = text_printable(error->text, strlen(error->text));

	text_print(stderr, "cxctl: %s\n", clean);
	free(clean);
	print_part(_("found:"), error->found);
	print_part(_("expected:"), error->expected);
	print_part(_("rule:"), error->rule);
	print_part(_("next:"), error->next);
}

static void say_va(const char *prefix, const char *format, va_list arguments)
{
	char *text = format_text(format, arguments);

	text_print(stderr, "%s%s\n", prefix, text);
	free(text);
}

void say(const struct options *options, const char *format, ...)
{
	va_list arguments;

	if (options->quiet)
		return;
	va_start(arguments, format);
	say_va("", format, arguments);
	va_end(arguments);
}

void say_verbose(const struct options *options, const char *format, ...)
{
	va_list arguments;

	if (options->quiet || !(options->verbose || options->debug))
		return;
	va_start(arguments, format);
	say_va("", format, arguments);
	va_end(arguments);
}

void say_debug(const struct options *options, const char *format, ...)
{
	va_list arguments;

	if (!options->debug)
		return;
	va_start(arguments, format);
	say_va("debug: ", format, arguments);
	va_end(arguments);
}

void progress_start(struct progress *progress, const struct options *options, const char *title,
		    uint64_t total)
{
	progress->on = !options->quiet && !options->json && total && isatty(STDERR_FILENO);
	progress->title = title;
	progress->total = total;
	progress->last = -1;
	progress_show(progress, 0);
}

void progress_show(struct progress *progress, uint64_t done)
{
	char bar[31];
	int mille, i;

	if (!progress->on)
		return;
	mille = done >= progress->total ? 1000 : (int)(done * 1000 / progress->total);
	if (mille == progress->last)
		return;
	progress->last = mille;
	for (i = 0; i < 30; i++)
		bar[i] = i * 1000 / 30 < mille ? '#' : '.';
	bar[30] = '\0';
	text_print(stderr, "\r%s [%s] %3d.%d%%", progress->title, bar, mille / 10, mille % 10);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->on)
		fputc('\n', stderr);
	progress->on = false;
}
