// SPDX-License-Identifier: GPL-2.0-only
/* PSIDs: whose board it is, what a change means, and who forbids it. firmware-images.md 5.5. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "burn_guard.h"

#define PSID_LENGTH	13		/* of those that are split: header, minor, major */
#define HEADER_LENGTH	5
#define MINOR_LENGTH	2

/*
 * OEM brands of boards of the chip's own vendor, as far as public outputs show both. That brands of one board
 * share its number in the PSID is seen in all of them, but said nowhere: so nothing is concluded from it.
 * IBM1080111023: its owner's thread, forums.servethehome.com 8689 (sold as MCX312A-XCBT; the board's revision,
 * A1 or later, is not told). LNV2180110032: flint and mlxconfig of a Lenovo 00KH925, one-port EDR VPI, beside
 * mlxfwmanager of MT_2180110032. HP_2420110034: flint of an HPE 640SFP28, 2-port 10/25Gb, beside
 * mlxfwmanager of MT_2420110034.
 */
static const struct {
	const char *brand, *psid, *name;
} reference_boards[] = {
	{ "IBM1080111023", "MT_1080110023", "MCX312A-XCB (ConnectX-3)" },
	{ "LNV2180110032", "MT_2180110032", "MCX455A-ECA (ConnectX-4)" },
	{ "HP_2420110034", "MT_2420110034", "MCX4121A-ACA (ConnectX-4 Lx)" },
};

static const char *vendor(const char *psid)
{
	const char *name = image_psid_vendor(psid);

	return name ? name : _("vendor unknown");
}

const char *burn_psid_twin(const char *psid, const char **board)
{
	size_t i;

	*board = NULL;
	for (i = 0; i < sizeof(reference_boards) / sizeof(reference_boards[0]); i++) {
		if (strcmp(psid, reference_boards[i].brand))
			continue;
		*board = reference_boards[i].name;
		return reference_boards[i].psid;
	}
	return NULL;
}

/* ---- minor PSIDs ---- */

static bool can_be_split(const char *psid)
{
	return strlen(psid) == PSID_LENGTH &&
	       (!strncmp(psid, "MT_00", HEADER_LENGTH) || !strncmp(psid, "NVD00", HEADER_LENGTH));
}

/* Whether they differ in the minor number only. */
static bool minor_change(const char *one, const char *other)
{
	return can_be_split(one) && can_be_split(other) && !strncmp(one, other, HEADER_LENGTH) &&
	       !strcmp(one + HEADER_LENGTH + MINOR_LENGTH, other + HEADER_LENGTH + MINOR_LENGTH);
}

static int guard_lock(const struct burn_psids *psids, struct cxctl_error *error)
{
	if (!psids->lock.locked || !strcmp(psids->image, psids->lock.psid))
		return 0;
	error_set(error, CXCTL_REFUSED, "psid-locked",
		  _("the card is locked to the PSID %s, and the image has another"), psids->lock.psid);
	error_found(error, _("the image's PSID is %s (the card's is %s)"), psids->image, psids->card);
	error_expected(error, _("%s, which the card's configuration names"), psids->lock.psid);
	error_rule(error, _("the firmware's lock of minor PSIDs: another image would be blocked when it is to run (\"does not match locked PSID\")"));
	error_next(error, _("get the image for %s; the lock is the card owner's setting, and no option of cxctl lifts it"),
		   psids->lock.psid);
	return -1;
}

static int guard_reserved(const struct burn_psids *psids, struct cxctl_error *error)
{
	const char *minor = psids->image + HEADER_LENGTH;

	if (!strchr("XYZ", *minor))
		return 0;
	error_set(error, CXCTL_REFUSED, "psid-reserved", _("the image has a PSID of the vendor's own, not for sale"));
	error_found(error, _("%s: its minor number begins with %c"), psids->image, *minor);
	error_expected(error, _("a minor number that does not begin with X, Y or Z"));
	error_rule(error, _("the vendor's: minor numbers with X, Y and Z are reserved"));
	error_next(error, _("get the image for %s"), psids->card);
	return -1;
}

/* ---- another board ---- */

/* "IBM1080111023 (IBM, a brand of MT_1080110023, MCX312A-XCB (ConnectX-3))" */
static void describe(const char *psid, char *text, size_t room)
{
	const char *board, *twin = burn_psid_twin(psid, &board);

	if (twin)
		snprintf(text, room, _("%s (%s; its reference twin is %s, %s)"), psid, vendor(psid), twin, board);
	else
		snprintf(text, room, "%s (%s)", psid, vendor(psid));
}

static void say_psids(const struct burn_psids *psids, struct cxctl_error *error)
{
	char text[200];

	describe(psids->image, text, sizeof(text));
	error_found(error, _("the image's PSID is %s"), text);
	describe(psids->card, text, sizeof(text));
	error_expected(error, _("%s, the card's"), text);
}

void burn_psid_explain(const char *card, const char *image, char *text, size_t room)
{
	const char *board, *twin = burn_psid_twin(card, &board);

	if (twin && !strcmp(image, twin))
		snprintf(text, room,
			 _("the card is %s's brand of %s: the board is the same by its number, but settings, ROM, LEDs and support become those of %s, and %s's tools no longer know the card"),
			 vendor(card), twin, vendor(image), vendor(card));
	else if (twin)
		snprintf(text, room,
			 _("the card is %s's brand of %s (%s); the image is for another board: links, power and PCIe may be set wrongly"),
			 vendor(card), twin, board);
	else
		snprintf(text, room,
			 _("the card becomes another board (%s instead of %s): links, power, ROM and support are then those of the other"),
			 vendor(image), vendor(card));
}

/* What a firmware that guards itself says to a change of the PSID. */
static int never_changed(const struct burn_psids *psids, struct cxctl_error *error)
{
	bool remade = psids->original && *psids->original && strcmp(psids->original, psids->card);

	error_set(error, CXCTL_REFUSED, psids->secure ? "psid-secure" : "psid-component",
		  psids->secure ? _("the image is for another board, and this card's firmware keeps its PSID") :
				  _("the image is for another board, and an update by the firmware does not change the PSID"));
	say_psids(psids, error);
	error_rule(error, psids->secure ?
		   _("the firmware's: it takes images of its own PSID only (\"Changing PSID is unsupported under Secure FW\")") :
		   _("the firmware's: it takes images of its own PSID only (device-access.md 4.2, match_psid)"));
	if (psids->secure && remade)
		error_next(error,
			   _("the card was made as %s (%s) and runs firmware of %s (%s): it stays so, since only images of %s are taken. Get one of those; the vendor can change it back, nobody else"),
			   psids->original, vendor(psids->original), psids->card, vendor(psids->card),
			   psids->card);
	else if (psids->secure)
		error_next(error, _("get the image for %s from %s; --psid-change does not help here"), psids->card,
			   vendor(psids->card));
	else
		error_next(error, _("get the image for %s; a flash that is open takes another: --method flash --psid-change %s"),
			   psids->card, psids->image);
	return -1;
}

static int not_this(const struct burn_psids *psids, const char *named, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "psid-not-this", _("--psid-change names another PSID than the image has"));
	error_found(error, _("the image's PSID is %s"), psids->image);
	error_expected(error, _("%s, as named"), named);
	error_rule(error, _("a change of the PSID is named by the new one, so that nobody makes it by mistake"));
	error_next(error, _("name the image for %s, or say --psid-change %s"), named, psids->image);
	return -1;
}

static int other_board(const struct burn_psids *psids, struct cxctl_error *error)
{
	char meaning[320];

	burn_psid_explain(psids->card, psids->image, meaning, sizeof(meaning));
	error_set(error, CXCTL_REFUSED, "psid", _("the image is for another board: the PSIDs differ"));
	say_psids(psids, error);
	error_rule(error, _("a PSID stands for a board and its settings; another board's image can leave a card without link or without boot"));
	error_next(error, _("get the image for %s. A change means: %s. If that is what you want, add --psid-change %s; the way back is the backup, burned with --psid-change %s"),
		   psids->card, meaning, psids->image, psids->card);
	return -1;
}

int burn_guard_psid(const struct burn_psids *psids, const struct burn_permits *permits,
		    struct cxctl_error *error)
{
	const char *named = permits->psid_change;

	if (guard_lock(psids, error))
		return -1;
	if (!*psids->card || psids->retag || !strcmp(psids->image, psids->card))
		return 0;
	if (psids->lock.supported && minor_change(psids->image, psids->card))
		return guard_reserved(psids, error);
	if (psids->secure || psids->method == BURN_METHOD_COMPONENT)
		return never_changed(psids, error);
	if (!named)
		return other_board(psids, error);
	return strcmp(named, psids->image) ? not_this(psids, named, error) : 0;
}
