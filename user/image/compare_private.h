/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the comparison only. */
#ifndef IMAGE_COMPARE_PRIVATE_H
#define IMAGE_COMPARE_PRIVATE_H

#include "compare.h"
#include "ini.h"
#include "private.h"

/* What kinds of content differ. */
#define CHANGED_CODE		(1U << 0)	/* code and whatever has no name below */
#define CHANGED_BOARD		(1U << 1)	/* compiled board sections, beside version and time */
#define CHANGED_ROM		(1U << 2)
#define CHANGED_INI		(1U << 3)
#define CHANGED_IDENTITY	(1U << 4)	/* FS2: GUIDs, MACs, VSD; later ones have device data */
#define CHANGED_DEVICE_DATA	(1U << 5)
#define CHANGED_PSID		(1U << 6)
#define CHANGED_NAME		(1U << 7)	/* part number, PRS name */
#define CHANGED_VSD		(1U << 8)	/* IMAGE_INFO of FS3 and later */
#define CHANGED_VERSION		(1U << 9)	/* version and time numbers */
#define CHANGED_INFO		(1U << 10)	/* the rest of the image info */
#define CHANGED_HEADER		(1U << 11)	/* before the sections: boot record, versions of the layout */
#define CHANGED_DERIVED		(1U << 12)	/* digests and signatures, which follow all else */

struct comparison {
	const struct image_subject *first, *second;
	const struct image_compare_listener *listener;
	struct image_error *error;
	uint32_t changed;		/* CHANGED_* */
	bool has_board[2];		/* compiled board sections are there */
};

#define TEXT 512

/* What is known of one side beside its facts. */
struct side {
	const struct image_facts *facts;
	char *ini;			/* NULL: the image has none */
	struct ini parsed;
	struct ini_board board;		/* of the INI; name falls back to the image's own */
	char name[128];			/* without its revision */
	char revision[8];
	char from[17];			/* retagged from; empty: it is not */
	unsigned int ports;		/* 0: not said */
	const char *chip;
};

/*
 * Matches sections by type, load address and order, tells of each and gathers what changed. What only moved
 * is the same. Both images are of one format.
 */
int compare_sections(struct comparison *comparison);

/* Empty where the image has no version. */
void compare_version(const struct side *side, char text[TEXT]);

/* Tells every statement; true when the firmware parts hold the same bytes. After compare_sections(). */
bool compare_words(const struct comparison *comparison, const struct side side[2]);
/* The same of two formats, whose sections cannot be matched. */
void compare_words_of_formats(const struct comparison *comparison, const struct side side[2]);

#endif /* IMAGE_COMPARE_PRIVATE_H */
