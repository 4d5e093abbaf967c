/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of several things at once, on stderr: a table that is drawn over and over on a terminal, else a
 * line a step ("0000:03:00.0: writing"), with -j an object a line:
 *   {"event":"progress","card":"0000:03:00.0","step":"write","done":65536,"total":1048576}
 * With -q nothing. Every function may be called from any thread, with a NULL table too.
 */
#ifndef CXCTL_PROGRESS_H
#define CXCTL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

struct progress_table;

/* One row a title. NULL when there is no memory: then nothing is shown. */
struct progress_table *progress_table_open(const struct options *options, const char *const *titles, size_t count);
/* A row's next step. id: "write", English, constant; text: translated, constant; total 0: not known. */
void progress_table_step(struct progress_table *table, size_t row, const char *id, const char *text,
			 uint64_t total);
void progress_table_show(struct progress_table *table, size_t row, uint64_t done);
/* The row is over; text ("done", "failed") stands there from now on. */
void progress_table_over(struct progress_table *table, size_t row, const char *id, const char *text);
/* A line of conversation that does not tear the table; newlines in it are allowed. */
__attribute__((format(printf, 2, 3)))
void progress_table_say(struct progress_table *table, const char *format, ...);
/* Frees; the last state stays on the terminal, or goes. */
void progress_table_close(struct progress_table *table, bool stays);

#endif /* CXCTL_PROGRESS_H */
