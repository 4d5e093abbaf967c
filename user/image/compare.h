/* SPDX-License-Identifier: GPL-2.0-only */
/* Two images, or an image and a backup: what differs, section by section and in words. */
#ifndef IMAGE_COMPARE_H
#define IMAGE_COMPARE_H

#include "image.h"

struct image_subject {
	struct image_reader reader;
	struct image_place place;
	struct image_facts facts;
};

enum image_difference {
	IMAGE_SAME_BYTES,
	IMAGE_OTHER_BYTES,
	IMAGE_ONLY_FIRST,
	IMAGE_ONLY_SECOND,
};

struct image_section_difference {
	const char *name;
	uint32_t type;
	bool device_data;
	enum image_difference difference;
	uint64_t first_start, first_length;	/* valid unless ONLY_SECOND */
	uint64_t second_start, second_length;
	uint64_t differing;			/* bytes that differ, where both have them */
	uint64_t first_differing;		/* offset in the section of the first one */
};

/*
 * A statement in words. id is stable ("other-board", "other-board-revision", "other-family",
 * "single-port-image", "compiled-board-differs", "other-psid", "other-version", "other-rom",
 * "same-but-rom", "same-but-identity", "identical", "other-name", "other-vsd", "other-ini",
 * "retagged", "evidence", "board-of-copy", ...). grave: burning one over the other may not work.
 */
struct image_statement {
	const char *id;
	bool grave;
	const char *text;		/* lives during the call */
};

struct image_fact_difference {
	const char *key;		/* "psid", "version" */
	const char *first, *second;	/* live during the call; "" : has none */
};

/* Any callback may be NULL. Facts come first, then sections, then statements. */
struct image_compare_listener {
	void (*fact)(void *context, const struct image_fact_difference *difference);
	void (*section)(void *context, const struct image_section_difference *difference);
	void (*statement)(void *context, const struct image_statement *statement);
	void *context;
};

/*
 * *identical: the firmware parts hold the same bytes (device data and what lies behind the image
 * apart). Ports are known from the INI (num_of_ports and the like) where it says them. Compiled board
 * sections: FS2 configuration (type 2) without its records of version and time; FS3 and later
 * HW_BOOT_CFG, HW_MAIN_CFG, FW_BOOT_CFG, FW_MAIN_CFG.
 */
int image_compare(const struct image_subject *first, const struct image_subject *second,
		  const struct image_compare_listener *listener, bool *identical, struct image_error *error);

/* Number of ports that the image is for, by its INI; 0: not said. */
unsigned int image_ini_ports(const char *ini);
/* The same of a parsed one. */
struct ini;
unsigned int ini_ports(const struct ini *ini);

#endif /* IMAGE_COMPARE_H */
