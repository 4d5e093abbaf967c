/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of cxctl info: what cxctl itself remembers of the card. */
#ifndef CXCTL_INFO_HISTORY_H
#define CXCTL_INFO_HISTORY_H

#include "command.h"

struct info_history {
	const char *card;		/* address */
	const char *psid, *running;	/* NULL: unknown */
	uint32_t hw_id;			/* 0: unknown */
	bool stored_told;		/* the card itself has told what is stored */
};

/* A burn that waits to be started, and the newest entry of the journal. */
void info_history_show(const struct info_history *history, struct output *output,
		       const struct options *options);

#endif /* CXCTL_INFO_HISTORY_H */
