/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalogue that "cxctl image index" writes: PSID, version, file and SHA-256 of every image of
 * a directory, in JSON. The other commands take it as a source: source_walk() opens what it names.
 *
 *   { "format": "cxctl-image-index", "version": 1, "root": ".", "images": [ { "psid": "MT_0D90110009",
 *     "psid_vendor": "Mellanox", "firmware_version": "2.10.720", "date": "2012-05-17", "format": "FS2",
 *     "file": "bundle.mfa", "inside": "", "member": 3, "length": 512000, "sha256": "...",
 *     "hw_ids": [ 400 ], "name": "...", "good": true } ] }
 *
 * Files are named relative to root, root relative to the catalogue. sha256 is over the image's
 * bytes as "cxctl image extract" writes them.
 */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include "source.h"

#define CATALOGUE_FORMAT "cxctl-image-index"
#define CATALOGUE_VERSION 1

struct catalogue_entry {
	char *psid, *file, *inside, *sha256, *version, *name;	/* inside, name: may be empty */
	int64_t member;			/* index in its container; -1: a plain image */
	uint64_t length;
	bool good;			/* verified when the catalogue was made */
};

struct catalogue {
	char *root;			/* directory that files are relative to, as a path that opens */
	struct catalogue_entry *entries;
	size_t count;
};

/* Whether the file looks like a catalogue. */
bool catalogue_is(const struct image_reader *reader);
/* -EBADMSG names the entry and the key that is wrong. Paths that leave root are refused. */
int catalogue_read(const char *path, struct catalogue *catalogue, struct image_error *error);
void catalogue_free(struct catalogue *catalogue);

#endif /* CATALOGUE_H */
