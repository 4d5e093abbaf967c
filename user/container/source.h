/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that a path may hold: an image, a container, a directory of them, a catalogue made by
 * "cxctl image index", or any other file in which images or containers hide: an installer
 * (mlxup: an ELF with a ZIP of MFA archives behind it; cabinets; packages).
 */
#ifndef SOURCE_H
#define SOURCE_H

#include "container.h"

enum source_kind {
	SOURCE_IMAGE,			/* a plain image */
	SOURCE_MEMBER,			/* of a container */
};

/* One thing that was found. Texts live during the call. */
struct source_item {
	enum source_kind kind;
	const char *path;		/* of the file */
	const char *inside;		/* where in it: "", "srcs.mfa", "setup.cab/fw.bin", "at 0x1f400" */
	enum image_format format;	/* of a plain image */
	enum container_kind container;	/* of the innermost container */
	const struct container_member *member;	/* SOURCE_MEMBER */
	const char *psid, *version;	/* of a plain image, when a catalogue says so; NULL */
	bool restored;			/* the image's magic was masked in the file, as in MFA2 */
};

struct source_walk {
	/* Whether the bytes are wanted, decided by the directory; NULL: of everything. */
	bool (*wanted)(void *context, const struct source_item *item);
	/* Every item; reader is NULL when its bytes were not wanted. Other than 0 ends the walk. */
	int (*item)(void *context, const struct source_item *item, const struct image_reader *reader);
	/* Each container before its members; may be NULL. */
	int (*container)(void *context, const char *path, const char *inside, struct container *container);
	/* What cannot be read; the walk goes on. NULL: the first one ends it. */
	void (*trouble)(void *context, const char *path, const char *inside, const struct image_error *error);
	void (*progress)(void *context, const char *path, uint64_t done, uint64_t total);
	void *context;
};

/* Files of a directory are taken in the order of their names; hidden ones are not. */
#define SOURCE_RECURSE		(1U << 0)	/* into directories below */
#define SOURCE_NO_SCAN		(1U << 1)	/* no search for what hides in other files */

/*
 * Items come in the order of the directory and of the offsets in a file; a plain image has its whole file as
 * reader, one that hides in another file the bytes that belong to it. path and inside together
 * are where it can be found again. Archives are unpacked member by member to an unnamed temporary file.
 * Texts of errors do not name the path, unless the file cannot even be opened.
 *
 * -ENOENT: nothing was found (the error says what the file looks like: a .mlx source, an NVLCINI+
 * bundle, a cable firmware, an empty file, a web page, and what to do); or the walk's own result.
 */
int source_walk(const char *path, unsigned int flags, const struct source_walk *walk,
		struct image_error *error);

/* What a file is, that is neither image nor container, by its first bytes; NULL: not known. */
struct source_guess {
	const char *id;			/* "mlx", "nvlcini", "cable-firmware", "empty", "html", "ini", ... */
	const char *what;		/* N_()-marked: what it is */
	const char *next;		/* N_()-marked: what to do; NULL */
};
const struct source_guess *source_guess(const struct image_reader *reader);
/* What a .mlx is, when only its name tells. */
const struct source_guess *source_guess_mlx(void);

#endif /* SOURCE_H */
