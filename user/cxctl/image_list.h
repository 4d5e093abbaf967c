/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of "cxctl image list" share. */
#ifndef CXCTL_IMAGE_LIST_H
#define CXCTL_IMAGE_LIST_H

#include "image.h"

#define LIST_COLUMNS 8

struct row {
	char *cells[LIST_COLUMNS];
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

/* An object of JSON and a row of the table, unless it is for another board than the one that is wanted. */
void list_write_entry(struct list *list, const struct entry *entry);
/* operands: paths that were named, path the first of them. */
void list_write_table(struct list *list, size_t operands, const char *path);
void list_write_summary(struct list *list);
/* Everything could be read, and nothing is for this board. */
void list_tell_no_such_psid(struct list *list, const char *path);
void list_free(struct list *list);

#endif /* CXCTL_IMAGE_LIST_H */
