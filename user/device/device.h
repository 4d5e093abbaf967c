/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card as a command sees it, whatever way leads there.
 *
 * card_open() resolves a name and finds out what works. A card whose driver cxfw cannot
 * be used is still opened: its facts of sysfs and devlink are there, and card_access()
 * says why there is no more. Every function that returns int gives 0, or -1 with *error
 * set. Nothing here changes a card but card_burn() and card_semaphore_clear().
 */
#ifndef CXCTL_DEVICE_H
#define CXCTL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../kmod/uapi/cxfw.h"
#include "../base/error.h"
#include "../host/pci.h"

struct cxctl_card;

struct cxctl_version {
	bool valid;
	uint32_t major, minor, subminor;
};

/* CXFW_CMD_CARD_GET: one card as the driver describes it. */
struct cxctl_card_facts {
	bool valid;
	char address[16];		/* of the function that was asked for */
	uint64_t capabilities;		/* CXFW_CAP_* */
	uint32_t card_index;
	uint32_t pci_device;
	uint32_t hw_id, hw_revision;
	bool hw_id_valid;
	uint32_t family;		/* enum cxfw_family */
	uint32_t gateway;		/* enum cxfw_gateway_kind */
	uint32_t state;			/* enum cxfw_state */
	bool generic;
	char psid[17];			/* empty when unknown */
	struct cxctl_version running, stored;
	char trouble[256];		/* empty when nothing is missing */
	unsigned int function_count;
	struct {
		char address[16];
		uint32_t pci_device;
	} functions[16];
};

/* What devlink tells: works without cxfw and without root while mlx5_core or mlx4_core is bound. */
struct cxctl_devlink_facts {
	bool valid;
	char address[16];
	char driver[32];
	char psid[32];
	char running[32], stored[32];	/* "22.41.1000", empty when not told */
	char serial[64], board_serial[64];
};

/* The name is a CARD of cxctl(8). NULL with *error: no such card, ambiguous, not a card, a virtual function. */
struct cxctl_card *card_open(const char *name, struct cxctl_error *error);
void card_close(struct cxctl_card *card);

/* The PCI address, "0000:03:00.0", and what sysfs tells of that function. Never NULL. */
const char *card_address(const struct cxctl_card *card);
const struct pci_function *card_pci(const struct cxctl_card *card);
/* What netlink told when the card was opened; valid is false without the driver. Never NULL. */
const struct cxctl_card_facts *card_facts(const struct cxctl_card *card);
/* Asked on the first call. Never NULL. */
const struct cxctl_devlink_facts *card_devlink(struct cxctl_card *card);

/* 0 when the driver's character device is open, else -1 and why not (exit 5, each reason its own id). */
int card_access(const struct cxctl_card *card, struct cxctl_error *error);

int card_info(struct cxctl_card *card, struct cxfw_card_info *info, struct cxctl_error *error);

/*
 * Sets *error to why *info has no flash_size: a stuck semaphore, an absent card, or what the
 * driver says. Gives -1.
 */
int card_no_flash(struct cxctl_card *card, const struct cxfw_card_info *info, struct cxctl_error *error);

/* Flash content, any position and length; a short read is an error. Waits while a lock is busy, up to --timeout. */
int card_read(struct cxctl_card *card, uint64_t offset, void *buffer, size_t length, struct cxctl_error *error);

/*
 * One access register, method GET: request in data, answer in data, big-endian dwords.
 * length is a multiple of 4. *status (may be NULL) is the register status, 0 when it is fine.
 */
int card_register(struct cxctl_card *card, uint16_t id, void *data, size_t length, uint32_t *status,
		  struct cxctl_error *error);

/* stage->stage_sha256 is filled in. The stage lives as long as the card is open. */
int card_stage(struct cxctl_card *card, struct cxfw_stage *stage, struct cxctl_error *error);
/* Starts the staged burn. */
int card_burn(struct cxctl_card *card, const uint8_t stage_sha256[32], uint64_t *job, struct cxctl_error *error);

/*
 * Resets the card at this level (CXFW_CMD_ACTIVATE) and waits until it answers again. Exit 4 while a
 * driver is bound.
 */
int card_activate(struct cxctl_card *card, enum cxfw_reset_level level, struct cxctl_error *error);

/*
 * Reads length bytes at offset of a component through the firmware; *got is less at its end, *total
 * its size. Exit 7 when the firmware does not let it be read.
 */
int card_component_read(struct cxctl_card *card, uint32_t component, bool pending, uint32_t offset, void *buffer,
			uint32_t length, uint32_t *got, uint32_t *total, struct cxctl_error *error);

int card_semaphore_clear(struct cxctl_card *card, enum cxfw_semaphore semaphore, uint32_t value,
			 struct cxctl_error *error);

/* "flash-gateway" and back; -1 when there is none of that name. */
const char *semaphore_name(uint32_t semaphore);
int semaphore_by_name(const char *name);

/* CXFW_CMD_JOB_GET */
struct cxctl_job {
	uint64_t id;
	uint32_t state;			/* enum cxfw_job_state */
	uint32_t phase;			/* enum cxfw_job_phase */
	uint64_t done, total;		/* bytes of this phase */
	uint32_t error;			/* positive errno */
	char message[256];
	char address[16];
	uint32_t owner;			/* process id */
	uint64_t erased, programmed, skipped;
	uint32_t kind;			/* enum cxfw_job_kind */
	uint32_t card_error;		/* of MCC; 0: none */
};

int job_get(uint64_t id, struct cxctl_job *job, struct cxctl_error *error);
/* Running and finished jobs, one netlink dump. The callback returns 0 to go on. */
int jobs_each(int (*callback)(const struct cxctl_job *job, void *data), void *data, struct cxctl_error *error);
int job_cancel(uint64_t id, struct cxctl_error *error);
/* An error code of MCC in words, translated: "the image is not signed (REJECTED_UNSIGNED)"; NULL: unknown. */
const char *mcc_error_text(uint32_t code);
const char *job_phase_name(uint32_t phase);	/* translated */
const char *job_state_name(uint32_t state);	/* stable, English */

struct cxctl_events;

struct cxctl_event {
	uint64_t seq;
	uint32_t kind;			/* enum cxfw_event_kind; CXFW_EVENT_UNSPEC: only the news that some were lost */
	bool lost;			/* events were lost before this one: ask job_get() or the card list again */
	char address[16];
	uint32_t card_index;
	struct cxctl_job job;		/* of job events */
};

struct cxctl_events *events_open(struct cxctl_error *error);
/* 1 an event, 0 none within timeout_ms (-1 waits for ever), -1 *error. EINTR counts as none. */
int events_next(struct cxctl_events *events, int timeout_ms, struct cxctl_event *event,
		struct cxctl_error *error);
void events_close(struct cxctl_events *events);

/* Every card that the driver knows, one netlink dump. The callback returns 0 to go on. */
int cards_each(int (*callback)(const struct cxctl_card_facts *facts, void *data), void *data,
	       struct cxctl_error *error);
/* Every function that devlink describes, one netlink dump. */
int devlink_each(int (*callback)(const struct cxctl_devlink_facts *facts, void *data), void *data,
		 struct cxctl_error *error);

/* Seconds for one wait on the card or the driver; 0 keeps the default of 30. */
void device_set_timeout(unsigned int seconds);
unsigned int device_timeout(void);

#endif /* CXCTL_DEVICE_H */
