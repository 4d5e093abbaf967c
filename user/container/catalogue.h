/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalogue that "cxctl image index" writes: PSID, version, file and SHA-256 of every image of
 * a directory, in JSON. The other commands take it as a source: source_walk() opens what it names.
 *
 *   { "format": "cxctl-image-index", "version": 1, "root": ".", "images": [ { "psid": "MT_0D90110009",
 *     "psid_vendor": "Mellanox", "firmware_version": "2.10.720", "firmware_date": "2012-05-17",
 *     "format": "FS2", "container": "MFA1", "file": "bundle.mfa", "inside": "", "member": 3,
 *     "length": 512000, "sha256": "...",
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
	enum image_format format;
	enum container_kind container;	/* CONTAINER_NONE: a plain image */
	bool good;			/* verified when the catalogue was made */
};

struct catalogue {
	char *root;			/* directory that files are relative to, as a path that opens */
	struct catalogue_entry *entries;
	size_t count;
};

/* Whether the file looks like a catalogue: "format" is its first key. */
bool catalogue_is(const struct image_reader *reader);
/* -EBADMSG names the entry and the key that is wrong. Paths that leave root are refused. */
int catalogue_read(const char *path, struct catalogue *catalogue, struct image_error *error);
void catalogue_free(struct catalogue *catalogue);

/*
 * Whether an image is all of its file, with the device data that may stand behind it; of a flash with several
 * slots it is a part.
 */
bool catalogue_is_whole(const struct image_place *place);
/*
 * SHA-256 over the bytes that "cxctl image extract" writes, in hex: all of a file or a container's member,
 * of a flash with slots the image alone. facts: of the image in it. *length says how many these are.
 */
int catalogue_digest(const struct image_reader *reader, const struct image_facts *facts, char hex[65],
		     uint64_t *length, struct image_error *error);
/* -ESTALE: these are not the bytes that the entry was made of. */
int catalogue_check(const struct catalogue_entry *entry, const struct image_reader *reader,
		    struct image_error *error);

#endif /* CATALOGUE_H */
