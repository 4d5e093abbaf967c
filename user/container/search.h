/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk that is under way: what source.c, scan.c, embedded.c and catalogue.c share. */
#ifndef CONTAINER_SEARCH_H
#define CONTAINER_SEARCH_H

#include "../image/file.h"
#include "catalogue.h"
#include "source.h"

#define SEARCH_INSIDE		1024	/* bytes of the text that says where in a file */
/* archives in archives: .iso, .rpm or .deb, .tar.xz, installer, ZIP */
#define SEARCH_NESTED		5
#define SEARCH_DIRECTORIES	32	/* directories in directories */
#define SEARCH_MEMBER_MOST	(1ULL << 30)
#define SEARCH_UNPACKED_MOST	(8ULL << 30)	/* of one file, all its archives together */

struct search {
	const struct source_walk *walk;
	unsigned int flags;
	const char *path;		/* of the file that is searched */
	bool alone;			/* it is what the caller named, not one of a directory */
	size_t items, files, troubles;	/* found; looked at; told */
	uint64_t unpacked;		/* out of the archives of this file */
	uint64_t memory;		/* bytes in use before the first of them was opened */
	bool over;			/* a callback, or an error without trouble(), ended the walk */
	int result;
	struct image_error *error;
	/* The first trouble of a file that is alone waits: when nothing is found, it is the walk's error. */
	bool waiting;
	int waiting_code;
	char waiting_inside[SEARCH_INSIDE];
	struct image_error waiting_error;
	/* Only what a catalogue lists of this file; NULL: everything. */
	const struct catalogue_entry *listed;
	size_t listed_count, listed_seen;
	/* directories that were walked, so that links do not lead in circles */
	struct search_directory {
		uint64_t device, inode;
	} *walked;
	size_t walked_count;
};

/* These give 0, or other than 0 when the walk is over. */
int search_trouble(struct search *search, const char *inside, int code, const struct image_error *error);
int search_item(struct search *search, const struct source_item *item, const struct image_reader *reader);
int search_image(struct search *search, const struct image_reader *reader, enum image_format format,
		 const char *inside, bool restored);
int search_container(struct search *search, struct container *container, const char *inside);
/* A whole file: the one on the disk, or a member of an archive that was unpacked to a spool. */
int search_file(struct search *search, const struct image_file *file, const char *inside,
		unsigned int nested);
/* A file by its path, with an error of its own when it is alone. */
int search_named(struct search *search, const char *path);

/* A text of SEARCH_INSIDE bytes: inside/name. */
void search_join(char *joined, const char *inside, const char *name);
/* Drops the pages of a mapped file behind a reader that goes through it once. */
void search_forget(const struct image_file *file, uint64_t start, uint64_t end);

/* scan.c: looks for images, containers and archives at any offset. */
int search_scan(struct search *search, const struct image_file *file, const char *inside,
		unsigned int nested);

/* What libarchive reads. */
enum embedded_kind {
	EMBEDDED_ZIP,
	EMBEDDED_CAB,
	EMBEDDED_7Z,
	EMBEDDED_RPM,
	EMBEDDED_AR,			/* also .deb */
	EMBEDDED_TAR,
	EMBEDDED_CPIO,
	EMBEDDED_ISO,
	EMBEDDED_STREAM,			/* gzip, bzip2, xz, zstd, lz4: of a tar or of one file */
};

/*
 * embedded.c: takes out the members of the archive at [start, start + length) of a file and searches them.
 * *read says whether it could be opened: what did not open may not be an archive.
 */
int search_archive(struct search *search, const struct image_file *file, uint64_t start, uint64_t length,
		   enum embedded_kind kind, const char *inside, unsigned int nested, bool *read);

/* catalogue.c */
int search_catalogue(struct search *search, const char *path);
/* The catalogue's entry that this item is; NULL: it lists no such. */
const struct catalogue_entry *search_listed(const struct search *search, const struct source_item *item);

#endif /* CONTAINER_SEARCH_H */
