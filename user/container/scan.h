/* SPDX-License-Identifier: GPL-2.0-only */
/* A search through the bytes of one file: scan.c goes through them, magic.c says what stands where. */
#ifndef CONTAINER_SCAN_H
#define CONTAINER_SCAN_H

#include "search.h"

#define IMAGE_MOST	(128ULL << 20)

enum hit_kind {
	HIT_IMAGE,
	HIT_CONTAINER,
	HIT_ARCHIVE,
};

struct hit {
	uint64_t start;			/* what is in front of it belongs to something else */
	uint64_t window, end;		/* an archive: what its offsets count from, where it ends */
	enum hit_kind kind;
	enum embedded_kind archive;
};

struct scan {
	struct search *search;
	const struct image_file *file;
	const uint8_t *bytes;
	uint64_t size;
	struct hit *hits;
	size_t count, room;
	unsigned int failures;
	unsigned int zip_entries;
};

/*
 * Each notes the hits that it finds; 0 or -ENOMEM. What is at an offset: an image, a container or an archive
 * whose kind may stand anywhere.
 */
int scan_look_at(struct scan *scan, uint64_t at);
/* Archives that only a whole file can be, or that are appended to a script. */
int scan_look_at_start(struct scan *scan);
/* When all else was looked at: a ZIP whose end is missing, a download that broke off. */
int scan_look_for_cut_zip(struct scan *scan);

#endif /* CONTAINER_SCAN_H */
