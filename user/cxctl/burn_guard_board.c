// SPDX-License-Identifier: GPL-2.0-only
/* Is the image for this very board? What it tells of its board beside the PSID: firmware-images.md 5.5. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

static int refuse(const char *id, const char *text, const char *rule, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, id, "%s", text);
	error_rule(error, "%s", rule);
	error_next(error, _("get the image that the card's vendor made for this board; --accept-board-change burns this one, at the risk of a card without link or without boot. The backup that is saved before brings the card back"));
	return -1;
}

/*
 * An image whose PSID was changed: its PSID vouches for nothing. One that is already on the card was
 * retagged from the same PSID.
 */
static int guard_mark(const struct burn_board *board, struct cxctl_error *error)
{
	if (!*board->image_from || !strcmp(board->image_from, board->card_psid) ||
	    !strcmp(board->image_from, board->card_from))
		return 0;
	refuse("retagged", _("the image was made for another PSID: the one that it has now says nothing of the board"),
	       _("settings of another board can damage links or leave a card without boot; a PSID alone is no proof"), error);
	error_found(error, _("a mark in its INI: PSID changed, was %s"), board->image_from);
	error_expected(error, _("an image made for %s"), *board->card_psid ? board->card_psid : _("this board"));
	return -1;
}

static int guard_ini(const struct burn_board *board, struct cxctl_error *error)
{
	if (!*board->ini_psid || !*board->image_psid || !strcmp(board->ini_psid, board->image_psid) ||
	    !strcmp(board->ini_psid, board->card_psid))
		return 0;
	refuse("retagged", _("the image's own INI names another PSID than the image: somebody changed it"),
	       _("settings of another board can damage links or leave a card without boot; a PSID alone is no proof"), error);
	error_found(error, _("PSID %s in the INI, %s in the image"), board->ini_psid, board->image_psid);
	error_expected(error, _("the same in both"));
	return -1;
}

static int guard_ports(const struct burn_board *board, struct cxctl_error *error)
{
	if (!board->image_ports || !board->card_ports || board->image_ports == board->card_ports)
		return 0;
	refuse("other-ports", _("the image is for a board with another number of ports"),
	       _("the firmware switches on what its settings name, whether the board has it or not"), error);
	error_found(error, _("an image for %u ports"), board->image_ports);
	error_expected(error, _("%u, as the card has"), board->card_ports);
	return -1;
}

static int guard_name(const struct burn_board *board, struct cxctl_error *error)
{
	if (!*board->image_name || !*board->card_name || (!board->name_differs && !board->revision_differs))
		return 0;
	/* Brands of one board have names of their own and the same settings. */
	if (board->compiled_known && !board->compiled_differs && !*board->image_from)
		return 0;
	if (board->name_differs)
		refuse("other-board", _("the image is for another board"),
		       _("a board's settings are compiled into its image: power, links, LEDs, PCIe"), error);
	else
		refuse("other-board-revision", _("the image is for another revision of the board"),
		       _("revisions of a board may be wired differently; vendors make an image for each"), error);
	error_found(error, _("an image for %s"), board->image_name);
	error_expected(error, "%s", board->card_name);
	return -1;
}

static int guard_compiled(const struct burn_board *board, struct cxctl_error *error)
{
	if (!board->same_version || !board->compiled_known || !board->compiled_differs)
		return 0;
	refuse("compiled-board", _("the image has other board settings than the card's own of the same version"),
	       _("of one version, images for one board have the same compiled settings"), error);
	error_found(error, _("compiled board sections that differ"));
	error_expected(error, _("those of the card's image"));
	return -1;
}

int burn_guard_board(const struct burn_board *board, const struct burn_permits *permits,
		     struct cxctl_error *error)
{
	if (permits->board_change)
		return 0;
	if (guard_mark(board, error) || guard_ini(board, error))
		return -1;
	if (!board->known)
		return 0;
	if (guard_ports(board, error) || guard_name(board, error) || guard_compiled(board, error))
		return -1;
	return 0;
}
