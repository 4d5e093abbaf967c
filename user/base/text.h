/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text is UTF-8 wherever it is made, in messages too; only on its way to a terminal it takes on the
 * locale's encoding, such as GB18030. JSON, files and the journal stay UTF-8 in every locale.
 */
#ifndef CXCTL_TEXT_H
#define CXCTL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Learns the locale's encoding, after setlocale(). */
void text_init(void);

/* Writes text for a person, in the locale's encoding; what that lacks as \xe5\x8d\xa1. */
void text_put(FILE *file, const char *text);
__attribute__((format(printf, 2, 3)))
void text_print(FILE *file, const char *format, ...);

/* Columns of a terminal that text takes: a Chinese character takes two. */
int text_width(const char *text);
/* Text and blanks up to width columns. */
void write_padded(FILE *file, const char *text, int width);

/* Make bytes fit to show, and to be a string of JSON; both give a string to free(). */
char *text_printable(const char *bytes, size_t length);
char *text_utf8(const char *bytes, size_t length);

#endif /* CXCTL_TEXT_H */
