/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer of a command: text for a person or one JSON document for a program, written
 * by the same calls. Functions named output_show..., output_line and output_row are seen
 * in text only; output_string and its like in JSON only; output_fact in both.
 *
 * Whatever comes from a card or a file may hold any byte: text shows control characters
 * as \x1b, JSON is always valid UTF-8.
 */
#ifndef CXCTL_OUTPUT_H
#define CXCTL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"
#include "options.h"
#include "text.h"

struct output;

struct output *output_open(FILE *file, const struct options *options);
/* Writes the JSON document, if it is one, and frees. Gives -1 when the file could not take it all. */
int output_close(struct output *output);
/* Frees without writing. */
void output_discard(struct output *output);
/* Writes what is there now as one line of JSON and starts a new document: for streams. */
void output_flush_line(struct output *output);
bool output_is_json(const struct output *output);

/* Nesting of the JSON document; the outermost object is there from the start. key is NULL in an array. */
void output_object(struct output *output, const char *key);
void output_array(struct output *output, const char *key);
void output_end(struct output *output);

void output_string(struct output *output, const char *key, const char *value);	/* NULL: null */
void output_number(struct output *output, const char *key, int64_t value);
void output_bool(struct output *output, const char *key, bool value);
void output_null(struct output *output, const char *key);

/* A line of text. */
__attribute__((format(printf, 2, 3)))
void output_line(struct output *output, const char *format, ...);

/* "Label:        value"; a NULL label continues the line above. */
__attribute__((format(printf, 4, 5)))
void output_show(struct output *output, const char *label, const char *source, const char *format, ...);

/* Both: a string under key, and the text line. The source goes to "sources" beside the key, and to text with -v. */
__attribute__((format(printf, 5, 6)))
void output_fact(struct output *output, const char *key, const char *label, const char *source,
		 const char *format, ...);
/* Notes in JSON where key was read from. */
void output_source(struct output *output, const char *key, const char *source);

/* A table in text; widths are those of the longest cell. */
#define OUTPUT_COLUMNS	16
void output_table(struct output *output, const char *const *headers, size_t columns);
void output_row(struct output *output, const char *const *cells);
void output_table_end(struct output *output);

/* "error": {...} in JSON; nothing in text: error_print() tells a person. */
void output_error(struct output *output, const struct cxctl_error *error);
/* To stderr: "cxctl: text", then found, expected, rule and next on lines of their own. */
void error_print(const struct cxctl_error *error);

/* The conversation, on stderr: not with -q, only with -v, only with --debug. */
__attribute__((format(printf, 2, 3)))
void say(const struct options *options, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void say_verbose(const struct options *options, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void say_debug(const struct options *options, const char *format, ...);

/* A progress bar on stderr: only on a terminal, not with -q, not in JSON. */
struct progress {
	bool on;
	const char *title;
	uint64_t total;
	int last;		/* per mille that is on the screen */
};
void progress_start(struct progress *progress, const struct options *options, const char *title,
		    uint64_t total);
void progress_show(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

#endif /* CXCTL_OUTPUT_H */
