/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of cxctl burn. */
#ifndef CXCTL_BURN_H
#define CXCTL_BURN_H

#include <limits.h>

#include "../image/plan.h"
#include "command.h"
#include "flash_reader.h"

struct burn_request {
	const char *image;		/* -i FILE */
	const char *backup;		/* --backup FILE; NULL: a name of our own */
	bool dry_run, yes;
	bool reburn, downgrade;
	bool rom_of_image;		/* --rom image */
	bool use_image_identity;
	bool has_guid, has_mac;
	uint64_t guid, mac;
};

/* The file that shall be burned. */
struct burn_image {
	char path[PATH_MAX];
	uint8_t *file;			/* as it is on disk */
	size_t file_length;
	bool is_backup;			/* of a whole flash */
	struct image_facts facts;
	uint8_t *bytes;			/* the image, contiguous */
	size_t length;
	char sha256[65];		/* of bytes, in hex */
	unsigned int unusual;		/* findings that are no damage */
	char unusual_text[256];		/* the first of them */
};

/* The card, and what stands on its flash. */
struct burn_card {
	struct cxctl_card *card;
	struct cxfw_card_info info;
	struct flash_reader flash;
	struct image_target target;
	struct image_flash_state state;
};

enum burn_rom {
	BURN_ROM_NONE,			/* neither has one */
	BURN_ROM_SAME,			/* both have the same */
	BURN_ROM_KEPT,			/* the card's */
	BURN_ROM_IMAGE,			/* the image's, in place of the card's */
	BURN_ROM_NEW,			/* the image's; the card has none */
	BURN_ROM_REMOVED,		/* the card's goes: the image has none, and that was asked for */
	BURN_ROM_LOST,			/* the card's is damaged; the image's, if it has one */
};

enum burn_origin {
	BURN_FROM_CARD,
	BURN_FROM_IMAGE,
	BURN_FROM_USER,
};

/* What the new image will carry beside the vendor's code. */
struct burn_identity {
	enum burn_origin guids_from, macs_from, vsd_from;
	enum burn_rom rom;
	uint64_t guid[4], mac[2];
	char vsd[209];			/* to show */
	uint8_t vsd_bytes[208];
	uint8_t *card_rom;		/* malloc()ed */
	size_t card_rom_length;
};

/* Everything together. */
struct burn {
	const struct burn_request *request;
	const struct options *options;
	struct output *output;
	struct burn_image image;
	struct burn_card card;
	struct burn_identity identity;
	uint8_t *bytes;			/* the image with the card's identity */
	size_t length;
	struct image_facts facts;	/* of it */
	struct image_plan plan;
	bool already;			/* the flash holds exactly these bytes */
	char backup[PATH_MAX];		/* where the backup was saved */
	uint64_t job;
};

/* All below: 0, or -1 with *error. */

int burn_image_read(const char *path, struct burn_image *image, struct cxctl_error *error);
void burn_image_free(struct burn_image *image);

/* Guards, each a rule of its own; facts only, nothing is read. */
int burn_guard_functions(const struct cxctl_card *card, struct cxctl_error *error);
int burn_guard_driver(const struct cxctl_card_facts *facts, struct cxctl_error *error);
int burn_guard_flash(const struct cxfw_card_info *info, struct cxctl_error *error);
int burn_guard_format(const struct image_facts *image, const struct cxfw_card_info *info,
		      struct cxctl_error *error);
int burn_guard_hardware(const struct image_facts *image, uint32_t hw_id, uint32_t hw_revision,
			struct cxctl_error *error);
int burn_guard_psid(const struct image_facts *image, const struct image_facts *device,
		    struct cxctl_error *error);
int burn_guard_version(const struct image_facts *image, const struct image_facts *device,
		       const struct burn_request *request, struct cxctl_error *error);

/* Decides who the card will be, and makes burn->bytes and burn->facts. */
int burn_identity_decide(struct burn *burn, struct cxctl_error *error);

void burn_show_plan(const struct burn *burn);

/* The whole flash to a file that must not exist yet. */
int burn_save_backup(struct burn *burn, struct cxctl_error *error);

/* Stages, starts, watches. Gives an exit code, or -1 with *error. */
int burn_run(struct burn *burn, struct cxctl_error *error);

/* Ctrl-C since the program began to listen to it. */
void burn_catch_interrupt(void);
unsigned int burn_interrupts(void);

#endif /* CXCTL_BURN_H */
