/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of "cxctl image edit" share. */
#ifndef CXCTL_IMAGE_EDIT_H
#define CXCTL_IMAGE_EDIT_H

#include "../image/compare.h"
#include "../image/edit.h"
#include "../image/ini.h"
#include "image.h"

/* What the user asked for. Ids are as they were given: how many an image takes, its format says. */
struct edit_request {
	const char *file, *output;
	const char *ini_file, *rom_file;	/* rom_file "none": remove */
	bool dry_run, force;
	unsigned int guid_count, mac_count;
	uint64_t guid[4], mac[2];
	bool has_uid;
	uint64_t uid;
	uint32_t uid_count, uid_step;
	const char *vsd, *image_vsd, *psid, *name;
	bool allow_rom_change;
};

/* An image before or after, with what a plan shows of it. */
struct edit_side {
	struct image_memory memory;
	struct image_subject subject;
	char *text;				/* of its INI; NULL: it has none */
	size_t text_length;
	struct ini ini;
	struct ini_board board;
};

struct editing {
	const struct options *options;
	const struct edit_request *request;
	struct image_edit edit;
	struct image_picked picked;
	uint8_t *loaded;			/* out of a flash's stripes; NULL: the file is the image */
	struct image_file ini_file, rom_file;
	struct ini new_ini;			/* of ini_file */
	struct ini_board new_board;
	struct image_edit_result result;
	struct edit_side before, after;
	enum image_verdict verdict;		/* of the result */
	char finding[320];			/* the first one */
	char sha256[65];
	bool has_ini, has_rom;
};

/* Facts and INI of the image in memory, at the place that is given. */
int edit_side_read(struct edit_side *side, const uint8_t *bytes, size_t length,
		   const struct image_place *place, struct image_error *error);
void edit_side_free(struct edit_side *side);
/* The board's name: the INI's, else what the image says. "": none. */
const char *edit_side_name(const struct edit_side *side);

/* Makes and verifies the copy that request asks for; nothing is written. edit_free() in any case. */
int edit_make(struct editing *editing, struct cxctl_error *error);
void edit_free(struct editing *editing);

/* From what to what, which sections and CRCs, what it means. Opens and ends "plan" in JSON. */
void edit_show_plan(struct output *output, const struct editing *editing);

#endif /* CXCTL_IMAGE_EDIT_H */
