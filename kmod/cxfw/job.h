/* SPDX-License-Identifier: GPL-2.0-only */
/* Burn jobs: one running a card, each outliving the client that started it. */
#ifndef CXFW_JOB_H
#define CXFW_JOB_H

#include <linux/pid.h>
#include <linux/types.h>

#include "card.h"
#include "plan.h"

#define CXFW_JOB_MESSAGE_LENGTH	(CXFW_WHY_LENGTH + 64)

/* An image and its plan, sealed. Belongs to one open file until a job takes it. */
struct cxfw_held_stage {
	struct cxfw_plan plan;
	u64 bytes;		/* counted against the driver's limit */
	struct pid *owner;	/* the process that staged it */
};

/* A job as it is at one moment. */
struct cxfw_job_facts {
	u64 id;
	u32 card_index;
	char address[CXFW_ADDRESS_LENGTH];
	u32 kind, state, phase;
	u64 done, total;
	u32 error;
	u32 card_error;		/* of MCC; 0: none */
	char message[CXFW_JOB_MESSAGE_LENGTH];
	u32 owner;
	u64 erased, programmed, skipped;
};

/*
 * Starts to burn and takes the stage. The caller is inside the card. -EBUSY with why,
 * which names the job that runs already.
 */
int cxfw_job_start(struct cxfw_card *card, struct cxfw_held_stage *stage, u64 *id, char *why);
int cxfw_job_cancel(u64 id, char *why);
/* The job with this id, or with the smallest one that is at least it. False: none. */
bool cxfw_job_find(u64 id, struct cxfw_job_facts *facts);
bool cxfw_job_from(u64 id, struct cxfw_job_facts *facts);
/* Does a job run on the card? Says which in why (may be NULL). */
bool cxfw_job_runs(struct cxfw_card *card, char *why);

/* Waits until no job runs on a card that is gone; the caller holds no lock. */
void cxfw_job_wait(struct cxfw_card *card);

int cxfw_jobs_start(void);
void cxfw_jobs_stop(void);

#endif /* CXFW_JOB_H */
