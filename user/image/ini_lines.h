/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of an INI text, for what reads, changes and checks one: firmware-images.md 8.2. */
#ifndef IMAGE_INI_LINES_H
#define IMAGE_INI_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum ini_line_kind {
	INI_LINE_NOTHING,			/* blank, or a comment */
	INI_LINE_SECTION,
	INI_LINE_VALUE,
	INI_LINE_WRONG,
};

struct ini_span {
	const char *start;
	size_t length;
};

struct ini_line {
	enum ini_line_kind kind;
	unsigned int number;
	size_t offset;
	struct ini_span text, section, key, value;	/* section: of what stands here, too */
};

struct ini_lines {
	const char *text;
	size_t length, position;
	struct ini_line line;
};

/* Without the blanks, tabs and carriage returns at both ends. */
struct ini_span ini_trim(const char *start, const char *end);

/* Before the first line. NULs behind the text, which pad it to dwords, are not of it. */
struct ini_lines ini_lines(const char *text, size_t length);
/* Steps to the next line; false: there is none. */
bool ini_next_line(struct ini_lines *lines);

#endif /* IMAGE_INI_LINES_H */
