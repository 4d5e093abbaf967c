/* SPDX-License-Identifier: GPL-2.0-only */
/* The journal read back: entries that belong together are one deed, and what was left open is closed. */
#ifndef CXCTL_JOURNAL_READ_H
#define CXCTL_JOURNAL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

struct json_object;

/* "burn-begin", "burn-started" and "burn-end" of one id. */
struct deed {
	char what[32];			/* "burn", "restore", "activate" */
	char id[40];			/* may be empty */
	struct json_object *begin, *started, *end;	/* NULL: not written */
};

struct deeds {
	struct deed *list;		/* oldest first */
	size_t count;
	unsigned int damaged;		/* lines that are no entries */
};

/* No journal: none, and 0. -1 with *error: it cannot be read. */
int deeds_read(struct deeds *deeds, struct cxctl_error *error);
void deeds_free(struct deeds *deeds);

/* A value of the first entry that has it, so that who and why are those of the begin; NULL: none has. */
const char *deed_text(const struct deed *deed, const char *key);
int64_t deed_number(const struct deed *deed, const char *key);	/* 0: none has it */
bool deed_is_of(const struct deed *deed, const char *card);	/* any function of the card's slot */
/* "done", "failed", "cancelled", "unchanged" ...; "running" and "open" for what has no end yet. */
const char *deed_result(const struct deed *deed);

/* The newest deed on this card; NULL: none, or another card (by its PSID, when known) was in its place. */
const struct deed *deeds_last(const struct deeds *deeds, const char *card, const char *psid);

/*
 * Asks the driver how the jobs ended whose program died: writes the missing ends to the journal and
 * remembers what is to be started. Quietly does less without rights or driver. Gives how many were closed;
 * then the journal is to be read anew.
 */
unsigned int deeds_reconcile(const struct deeds *deeds);

#endif /* CXCTL_JOURNAL_READ_H */
