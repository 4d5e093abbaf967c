// SPDX-License-Identifier: GPL-2.0-only
/* Is the image for this very board? PSIDs, and what an image tells of its board beside them. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

static const char *vendor(const char *psid)
{
	const char *name = image_psid_vendor(psid);

	return name ? name : _("vendor unknown");
}

int burn_guard_psid(const struct burn_psids *psids, const struct burn_permits *permits, struct cxctl_error *error)
{
	(void)permits;
	if (!strcmp(psids->image, psids->card))
		return 0;
	error_set(error, CXCTL_REFUSED, "psid", _("the image is for another board: the PSIDs differ"));
	error_found(error, _("the image's PSID is %s (%s)"), psids->image, vendor(psids->image));
	error_expected(error, _("%s (%s), the card's"), psids->card, vendor(psids->card));
	error_rule(error, _("a PSID stands for a board and its settings; another board's image can leave a card without link or without boot"));
	error_next(error, _("get the image for %s; this version of cxctl does not change a PSID"), psids->card);
	return -1;
}

void burn_psid_explain(const char *card, const char *image, char *text, size_t room)
{
	(void)card;
	(void)image;
	if (room)
		*text = '\0';
}

const char *burn_psid_twin(const char *psid, const char **board)
{
	(void)psid;
	*board = NULL;
	return NULL;
}

int burn_guard_board(const struct burn_board *board, const struct burn_permits *permits, struct cxctl_error *error)
{
	(void)board;
	(void)permits;
	(void)error;
	return 0;
}
