/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of cxctl burn. */
#ifndef CXCTL_BURN_H
#define CXCTL_BURN_H

#include <limits.h>

#include "../base/progress.h"
#include "../image/plan.h"
#include "backup.h"
#include "burn_guard.h"
#include "command.h"
#include "flash_reader.h"
#include "image.h"

struct burn_request {
	const char *image;		/* -i FILE, DIRECTORY, CONTAINER or INDEX */
	const char *backup;		/* --backup FILE; NULL: a name of our own */
	const char *reason;		/* --reason TEXT, for the journal; NULL */
	enum burn_method method;
	bool dry_run, yes;
	const char *psid;		/* --psid: which image of a container; NULL: the card's */
	bool retag;			/* the image gets the card's PSID */
	bool rom_of_image;		/* --rom image */
	bool rom_none;			/* --rom none */
	bool rom_keep_named;		/* --rom keep was said */
	bool use_image_identity;
	bool has_guid, has_mac;
	uint64_t guid, mac;
	const char *vsd;		/* NULL: the card's */
	struct burn_permits permits;	/* guards that are lifted */
};

/* The image that shall be burned. */
struct burn_image {
	char path[PATH_MAX];		/* and where in it, to show */
	struct image_reader reader;	/* of the bytes that it was found in, or of the retagged copy */
	bool has_picked, has_backup;
	struct image_picked picked;	/* a file, or a member of a container */
	struct backup_file backup;	/* an archive of cxctl backup */
	uint8_t *file;			/* the retagged copy; NULL */
	struct image_memory memory;	/* of it */
	bool is_backup;			/* of a whole flash */
	bool retagged;			/* by --retag, just now */
	char retagged_from[17];		/* the PSID that the file has */
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
	bool has_flash;			/* it can be read: reader, target and state are good */
	struct image_target target;
	struct image_flash_state state;
	/* The card's own firmware: of the flash, else what registers tell (PSID, version, hardware id). */
	bool has_device;
	struct image_facts device;
	struct burn_pending pending;
	struct burn_security security;
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

#define BURN_CARDS_MOST 64
#define BURN_BONDS 8
struct burn_bonds {
	unsigned int count;
	char name[BURN_BONDS][32];
};

enum burn_state {
	BURN_OPENED,
	BURN_ALREADY,			/* nothing is to be done */
	BURN_PLANNED,
	BURN_DONE,
	BURN_FAILED,			/* see error */
};

/* One card, everything together. */
struct burn {
	const struct burn_request *request;
	const struct options *options;
	struct output *output;
	struct burn_shelf *shelf;
	const char *name;		/* as the user named the card */
	enum burn_state state;
	bool planned;			/* was once: the plan is there to show */
	bool told;			/* the error was printed */
	struct cxctl_error error;
	struct burn_image image;	/* of the shelf */
	struct burn_card card;
	struct burn_identity identity;
	uint8_t *bytes;			/* what is sent or written: with the card's identity */
	size_t length;
	struct image_facts facts;	/* of it */
	struct image_plan plan;
	bool component;			/* the method that was chosen: the firmware's own update */
	bool devlink;			/* through the bound driver: then component is true, too */
	const char *method_why;		/* for a person, translated */
	const char *flash_doubt;	/* note on the flash chip; NULL: none */
	enum burn_driver_advice driver_advice;
	char driver_text[256];
	struct backup_result backup;	/* path "": none was saved */
	struct cxctl_job job;		/* id 0: none */
	bool begun;			/* devlink: the driver was asked */
	struct progress_table *progress;
	size_t row;
	struct burn_bonds bonds;
};

/* All below: 0, or -1 with *error. */

/*
 * path: an image, a container, a directory, a catalogue, or a backup. psid chooses among several; NULL: there
 * is only one. burn_image_free() also after a failure.
 */
int burn_image_read(const struct options *options, const char *path, const char *psid, struct burn_image *image,
		    struct cxctl_error *error);
/* Makes it an image for psid: image_edit(). */
int burn_image_retag(struct burn_image *image, const char *psid, struct cxctl_error *error);
void burn_image_free(struct burn_image *image);

/* Images that several cards share: each is unpacked and verified once. */
struct burn_shelf;
struct burn_shelf *burn_shelf_open(void);
/* *image is good until the shelf is closed. retag: the PSID that it shall have; NULL: as it is. */
int burn_shelf_take(struct burn_shelf *shelf, const struct options *options, const char *path, const char *psid,
		    const char *retag, struct burn_image *image, struct cxctl_error *error);
void burn_shelf_close(struct burn_shelf *shelf);

/* What can be known of the card: its functions, driver, flash, firmware, and what waits for activation. */
int burn_card_read(struct burn *burn, struct cxctl_error *error);
void burn_card_close(struct burn_card *card);

/* "flash", "component", "devlink". */
const char *burn_method_name(const struct burn *burn);

/* Image, guards, identity, plan: everything before the question. Nothing is changed. */
int burn_judge(struct burn *burn, struct cxctl_error *error);

/* The bonds that the card's interfaces are legs of. */
void burn_bonds_of(const struct cxctl_card *card, struct burn_bonds *bonds);
/* The name of one that both are legs of; NULL: none. */
const char *burn_bond_shared(const struct burn_bonds *one, const struct burn_bonds *other);

/* Decides who the card will be, and makes burn->bytes and burn->facts. */
int burn_identity_decide(struct burn *burn, struct cxctl_error *error);
/* The same for FS3 and later, whose identity stands beside the images. */
int burn_identity_beside(struct burn *burn, struct cxctl_error *error);

void burn_show_plan(const struct burn *burn);

/* How it ended, but for the error. */
void burn_show_result(const struct burn *burn);

/* Backup, then the plan. In any thread. */
void burn_carry_out(struct burn *burn);

/* The cards named, one after the other or together. Gives the exit code. */
int burn_cards(const struct burn_request *request, const struct options *options, char **names, size_t count);

/* What the journal says of a change, beside what the card is. Empty and NULL texts are left out. */
struct burn_record {
	const char *what;		/* event: "burn", "restore", "restore-device-data" */
	const char *psid;
	const char *from_psid;		/* when it changes */
	const char *from, *to;		/* versions */
	const char *method;		/* "flash", "component" */
	const char *image;		/* path */
	const char *image_sha256;	/* hex */
	const char *identity;		/* that was set: "GUID ..., MAC ..." */
	const char *backup;		/* path */
	const char *reason;
};

/*
 * Does one plan: stages it, writes WHAT-begin to the journal, starts the job, watches it with progress,
 * and writes WHAT-end. bytes are the plan's image. 0: the job ended well; -1 with *error else, and *job
 * tells how far it came: id 0 means that nothing was started, burn_changed() whether the flash is as it was.
 * "changed", "pending_action" and "job" go to output. Ctrl-C is asked for by burn_interrupts(): the
 * caller has called burn_catch_interrupt().
 */
int burn_work(struct cxctl_card *card, const struct cxfw_card_info *info, const struct image_plan *plan,
	      const uint8_t *bytes, const struct burn_record *record, struct output *output,
	      const struct options *options, struct cxctl_job *job, struct cxctl_error *error);
/* The same without output, as one row of a table: for several cards at once, each in a thread of its own. */
struct burn_work_order {
	struct cxctl_card *card;
	const struct cxfw_card_info *info;
	const struct image_plan *plan;
	const uint8_t *bytes;
	const struct burn_record *record;
	const struct options *options;
	struct progress_table *progress;
	size_t row;
	char id[20];			/* of the journal's entries that belong together: burn_work_id() */
};
void burn_work_id(struct burn_work_order *order);
int burn_do(const struct burn_work_order *order, struct cxctl_job *job, struct cxctl_error *error);
/* The journal's entries before and after; order->plan may be NULL, job too. The first must succeed. */
int burn_journal_intent(const struct burn_work_order *order, struct cxctl_error *error);
void burn_journal_result(const struct burn_work_order *order, const struct cxctl_job *job, const char *result,
			 const char *message);
/* "changed", "pending_action" and "job". */
void burn_show_job(struct output *output, const struct cxctl_job *job);

/* A byte of the flash was erased or programmed, or a component was sent. */
bool burn_changed(const struct cxctl_job *job);
/* From the commit on the new image boots, whatever became of the rest. */
bool burn_committed(const struct cxctl_job *job);

/* Ctrl-C since the program began to listen to it. */
void burn_catch_interrupt(void);
unsigned int burn_interrupts(void);

#endif /* CXCTL_BURN_H */
