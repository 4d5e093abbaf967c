/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of cxctl restore. */
#ifndef CXCTL_RESTORE_H
#define CXCTL_RESTORE_H

#include "../image/edit.h"
#include "backup.h"
#include "burn.h"

struct restore_request {
	const char *file;		/* a backup or an image; NULL: show the backups that there are, or set an identity */
	const char *backup;		/* --backup FILE; NULL: a name of our own */
	const char *reason;
	const char *psid_change;
	bool dry_run, yes;
	bool accept_other_card;
	bool no_device_data;
	bool has_guid, has_mac;		/* of the card's label */
	uint64_t guid, mac;
	const char *vsd;		/* NULL: as it is; only without a file */
};

/* Why a backup is believed to be of this card. */
enum restore_proof {
	PROOF_NONE,
	PROOF_IDENTITY,			/* the card has its GUID or MAC */
	PROOF_SERIAL,			/* its serial number; GUID and MAC are lost */
	PROOF_LABEL,			/* the user read them off the card's label */
	PROOF_ACCEPTED,			/* --accept-other-card */
	PROOF_IMAGE,			/* an image with an identity that was given: nothing to prove */
	PROOF_GIVEN,			/* no file: another identity, and nothing else */
};

/* What shall be on the card afterwards. */
struct restore_source {
	struct backup_file backup;	/* file is open unless it is an image that was edited */
	bool open;
	bool is_image;
	bool is_identity;		/* no file: the card's own flash with another identity */
	struct image_device_edit identity;
	uint8_t *edited;		/* the image with the identity that was given */
	struct image_memory memory;
	struct image_reader reader;
	struct image_facts facts;	/* of the image that is to boot */
	bool component;			/* the firmware as a closed card gave it out */
};

enum restore_kind { RESTORE_IMAGE, RESTORE_DEVICE_DATA, RESTORE_COMPONENT };

/* One job of the driver. */
struct restore_step {
	enum restore_kind kind;
	struct image_plan plan;
	uint8_t *bytes;
	bool failsafe;
	char window[160];		/* what is not, for a person */
};

struct restore {
	const struct restore_request *request;
	const struct options *options;
	struct output *output;
	struct cxctl_card *card;
	struct cxfw_card_info info;
	struct flash_reader flash;
	struct image_target target;
	struct image_flash_state state;
	struct backup_identity now;	/* who the card says it is */
	struct restore_source source;
	enum restore_proof proof;
	bool recovery;
	struct restore_step steps[2];
	size_t step_count;
	bool image_same, device_same;	/* as in the backup already */
	char device_note[320];		/* why device data stay as they are */
	char backup[PATH_MAX];
};

/* All below: 0, or -1 with *error. */

int restore_source_open(struct restore *restore, struct cxctl_error *error);
void restore_source_close(struct restore_source *source);

/* Without a file: whether another identity is wanted, and the card's flash with it as the source. */
bool restore_wants_identity(const struct restore_request *request);
int restore_identity_open(struct restore *restore, struct cxctl_error *error);
/* "GUID ..., MAC ...": what was asked for. */
void restore_identity_text(const struct restore *restore, char text[300]);

/* Whether it belongs to this card: chip, flash, GUID, MAC, serial number, PSID. */
int restore_prove(struct restore *restore, struct cxctl_error *error);

/* Reads what stands on the card; may be called again after a step. */
int restore_read_card(struct restore *restore, struct cxctl_error *error);
int restore_plan(struct restore *restore, struct cxctl_error *error);
void restore_plan_free(struct restore *restore);

void restore_show(const struct restore *restore);
const char *restore_kind_id(enum restore_kind kind);	/* stable, English */

/* The backups of the state directory that may be this card's: for a refusal that helps. Gives how many. */
unsigned int restore_candidates(const struct restore *restore);

#endif /* CXCTL_RESTORE_H */
