/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Board INI texts: Documentation/reference/firmware-images.md 8.2, 8.3. A comment starts with ';' as
 * the first character of a line only; inside a value it is text.
 */
#ifndef IMAGE_INI_H
#define IMAGE_INI_H

#include "image.h"

struct ini_value {
	const char *section, *key, *value;	/* NUL terminated, trimmed */
	unsigned int line;			/* from 1 */
};

struct ini {
	struct ini_value *values;
	size_t count;
	char *storage;
};

/* -EBADMSG names the line that is neither section, comment, blank nor assignment. */
int ini_parse(const char *text, size_t length, struct ini *ini, struct image_error *error);
void ini_free(struct ini *ini);
/* The first value; section and key compare without case. NULL: there is none. */
const char *ini_get(const struct ini *ini, const char *section, const char *key);

/* What either kind of INI says of its board: FS2's [ADAPTER] and [PS_INFO], or [image_info]. */
struct ini_board {
	const char *psid, *name, *description, *prs_name;	/* NULL: not there */
	char revision[8];		/* "A2", from the name's "_A2" or "_Ax"; empty: not there */
};
void ini_board(const struct ini *ini, struct ini_board *board);

/*
 * Checks a board INI: PSID present and of possible form, Name present, no section twice, no key twice
 * in a section, keys that no known board has. finding: part is "[section] key", where the line.
 */
int ini_check(const char *text, size_t length, const struct image_listener *listener,
	      enum image_verdict *verdict, struct image_error *error);

/*
 * A copy of text where the values of PSID and/or name are replaced (NULL: kept) in place,
 * everything else byte for byte the same. malloc()ed. -ENOENT: the text has no such key.
 */
int ini_rename(const char *text, size_t length, const char *psid, const char *name, char **renamed,
	       size_t *renamed_length, struct image_error *error);

/*
 * The mark of a changed PSID: a comment line of its own, this text and then the first PSID up to the end
 * of the line (or of the text).
 */
#define INI_RETAGGED ";; cxctl: PSID changed, was "

/*
 * Appends the mark that image_ini_retagged() finds. An earlier mark stays: the first PSID counts. When to
 * is that first PSID, the mark goes and the text is byte for byte the one before the first mark.
 */
int ini_mark_retagged(const char *text, size_t length, const char *from, const char *to, char **marked,
		      size_t *marked_length, struct image_error *error);

#endif /* IMAGE_INI_H */
