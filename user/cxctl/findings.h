/* SPDX-License-Identifier: GPL-2.0-only */
/* What a verification tells, shown as it comes or kept for later. */
#ifndef CXCTL_FINDINGS_H
#define CXCTL_FINDINGS_H

#include "../base/output.h"
#include "../image/image.h"

struct findings {
	struct output *output;		/* JSON: its array "parts" is open while the verification runs */
	bool quiet;			/* text: parts and findings are not shown as they come */
	unsigned int count;		/* findings so far, over all verifications */
	struct image_finding *noted;	/* of the verification at hand; texts are copies */
	size_t noted_count;
};

/* The listener that shows and keeps; findings must live as long. */
struct image_listener findings_listener(struct findings *findings);
/* The array "findings" of JSON; with quiet, also the lines of text. Forgets what it kept. */
void findings_write(struct findings *findings);

const char *verdict_id(enum image_verdict verdict);	/* "good", "unusual", "damaged" */

#endif /* CXCTL_FINDINGS_H */
