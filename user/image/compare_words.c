// SPDX-License-Identifier: GPL-2.0-only
/* Two images in words: what the differences mean for whoever burns one over the other. */
#include "compare_private.h"

#include <stdarg.h>
#include <stdio.h>

static const char *which(unsigned int side)
{
	return side ? _("the second") : _("the first");
}

__attribute__((format(printf, 4, 5)))
static void state(const struct comparison *c, const char *id, bool grave, const char *format, ...)
{
	struct image_statement statement = { id, grave, NULL };
	va_list arguments;
	char text[TEXT];

	if (!c->listener || !c->listener->statement)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	statement.text = text;
	c->listener->statement(c->listener->context, &statement);
}

static bool share_hw(const struct image_facts *one, const struct image_facts *two, bool revisions)
{
	unsigned int i, j;

	for (i = 0; i < one->hw_id_count; i++)
		for (j = 0; j < two->hw_id_count; j++)
			if (one->hw_ids[i].id == two->hw_ids[j].id &&
			    (!revisions || one->hw_ids[i].revision == two->hw_ids[j].revision))
				return true;
	return false;
}

/* Whether both are for one kind of chip. */
static bool say_family(const struct comparison *c, const struct side side[2])
{
	const struct image_facts *one = side[0].facts, *two = side[1].facts;
	bool listed = one->hw_id_count && two->hw_id_count, other;

	other = one->place.format != two->place.format || (listed && !share_hw(one, two, false)) ||
		(!listed && (one->has & two->has & IMAGE_HAS_DEVICE_ID) &&
		 one->pci_device != two->pci_device);
	if (other)
		state(c, "other-family", true,
		      _("other family: the first is for %s (%s), the second for %s (%s)"),
		      side[0].chip ? side[0].chip : _("an unknown chip"),
		      image_format_name(one->place.format),
		      side[1].chip ? side[1].chip : _("an unknown chip"),
		      image_format_name(two->place.format));
	else if (listed && !share_hw(one, two, true))
		state(c, "other-chip-revision", true,
		      _("other revision of the chip: none is listed by both"));
	return !other;
}

/* "Ax" stands for every A. */
static bool same_revision(const char *one, const char *two)
{
	return !strcmp(one, two) || (one[0] == two[0] && (one[1] == 'x' || two[1] == 'x'));
}

static bool same_version(const struct image_facts *one, const struct image_facts *two)
{
	return (one->has & two->has & IMAGE_HAS_VERSION) &&
	       !memcmp(one->version, two->version, sizeof(one->version)) && one->date == two->date &&
	       one->time == two->time;
}

static void say_psid(const struct comparison *c, const struct side side[2], bool board_known,
		     bool board_differs)
{
	const char *one = side[0].facts->psid, *two = side[1].facts->psid;
	const char *vendor = image_psid_vendor(one), *other_vendor = image_psid_vendor(two);
	bool same_board = board_known && !board_differs, retagged = *side[0].from || *side[1].from;
	bool rebrand = same_board && !retagged;

	if (!*one || !*two || !strcmp(one, two))
		return;
	state(c, "other-psid", !rebrand, _("other PSID: %s (%s) against %s (%s)"), one,
	      vendor ? vendor : _("unknown vendor"), two, other_vendor ? other_vendor : _("unknown vendor"));
	if (rebrand)
		state(c, "rebrand", false,
		      _("other PSID but the same compiled board sections: one is a rebrand of the other"));
	else if (same_board)
		state(c, "board-of-copy", false,
		      _("the compiled board sections are the same, as in every retagged copy: that says nothing of boards with the PSID %s"),
		      *side[1].from ? two : one);
}

/*
 * Where a PSID was changed, equal PSIDs prove nothing: what is left to compare is told whether it differs or
 * not. The board's name and its revision are no help, since the edit may have changed them as well.
 */
static void say_evidence(const struct comparison *c, const struct side side[2], bool board_known,
			 bool board_differs)
{
	const char *one = side[0].facts->psid, *two = side[1].facts->psid;
	bool chips = share_hw(side[0].facts, side[1].facts, true);
	bool ports_known = side[0].ports && side[1].ports, ports = side[0].ports == side[1].ports;
	bool board = board_known && !board_differs;

	if ((!*side[0].from && !*side[1].from) || strcmp(one, two) || !strcmp(side[0].from, side[1].from))
		return;
	state(c, "evidence", !chips || !ports_known || !ports || !board,
	      _("what else tells of the board: hardware id and revision %s, number of ports by the INI text %s, compiled board sections %s"),
	      chips ? _("the same") : _("differ"),
	      !ports_known ? _("not known") : ports ? _("the same") : _("differs"),
	      !board_known ? _("not known") : board ? _("the same") : _("differ"));
}

static void say_board(const struct comparison *c, const struct side side[2], bool board_known,
		      bool board_differs)
{
	bool same_version_of = same_version(side[0].facts, side[1].facts);
	bool same_name = !strcmp(side[0].name, side[1].name);
	bool names = *side[0].name && *side[1].name;
	bool other_psid = *side[0].facts->psid && *side[1].facts->psid &&
			  strcmp(side[0].facts->psid, side[1].facts->psid);

	if (board_known && !board_differs) {
		if (names && !same_name)
			state(c, "other-name", false, _("other name: %s against %s"), side[0].name,
			      side[1].name);
		else if (names && !same_revision(side[0].revision, side[1].revision))
			state(c, "other-name", false,
			      _("other board revision in the name: %s against %s; the compiled board sections are the same"),
			      *side[0].revision ? side[0].revision : _("none"),
			      *side[1].revision ? side[1].revision : _("none"));
		return;
	}
	if (names && !same_name)
		state(c, "other-board", true, _("other board: %s against %s"), side[0].name, side[1].name);
	else if (!names && other_psid)
		state(c, "other-board", true,
		      _("other board: the PSIDs differ, and so do the compiled board sections"));
	else if (names && !same_revision(side[0].revision, side[1].revision))
		state(c, "other-board-revision", true, _("other board revision: %s, %s against %s"),
		      side[0].name, *side[0].revision ? side[0].revision : _("none"),
		      *side[1].revision ? side[1].revision : _("none"));
	if (board_known && board_differs)
		state(c, "compiled-board-differs", same_version_of,
		      same_version_of ?
		      _("compiled board sections differ although the versions are the same: other hardware settings") :
		      _("compiled board sections differ, as they mostly do between versions"));
}

static void say_ports(const struct comparison *c, const struct side side[2])
{
	unsigned int one = side[0].ports, two = side[1].ports;

	if (!one || !two || one == two)
		return;
	if (one == 1 || two == 1)
		state(c, "single-port-image", true,
		      _("single-port image for a board of more ports: the first has %u, the second %u"), one,
		      two);
	else
		state(c, "other-port-count", true,
		      _("other number of ports: the first has %u, the second %u"), one, two);
}

static void say_versions(const struct comparison *c, const struct side side[2])
{
	char first[TEXT] = "", second[TEXT] = "";
	enum image_order order = image_compare_versions(side[0].facts, side[1].facts);

	compare_version(&side[0], first);
	compare_version(&side[1], second);
	if (order == IMAGE_NEWER)
		state(c, "other-version", false, _("the first is newer: %s against %s"), first, second);
	else if (order == IMAGE_OLDER)
		state(c, "other-version", false, _("the first is older: %s against %s"), first, second);
	else if (order == IMAGE_NOT_COMPARABLE && *first && *second)
		state(c, "versions-not-comparable", false,
		      _("versions %s and %s are of other families: neither is newer"), first, second);
	else if (order == IMAGE_SAME && !same_version(side[0].facts, side[1].facts))
		state(c, "other-build", false, _("the same version, built at another time"));
}

static void say_security(const struct comparison *c, const struct side side[2])
{
	const uint32_t bits = IMAGE_SECURITY_SECURE | IMAGE_SECURITY_SIGNED | IMAGE_SECURITY_DEBUG;
	const struct image_facts *one = side[0].facts, *two = side[1].facts;

	if (one->place.format == IMAGE_FS2)
		return;
	if (one->encrypted != two->encrypted)
		state(c, "other-encryption", true, _("%s is encrypted, the other is not"),
		      which(two->encrypted));
	if ((one->security_flags ^ two->security_flags) & bits)
		state(c, "other-security", true, _("other security: %s against %s"), image_security_text(one),
		      image_security_text(two));
	if (one->security_version != two->security_version)
		state(c, "other-security-version", true,
		      _("other security version: %u against %u; a card goes up only"), one->security_version,
		      two->security_version);
}

static void say_marks(const struct comparison *c, const struct side side[2])
{
	const struct image_facts *one = side[0].facts, *two = side[1].facts;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (*side[i].from)
			state(c, "retagged", true,
			      _("%s is retagged: it was made for %s, its PSID does not vouch for its board"),
			      which(i), side[i].from);
	if (one->stripped != two->stripped)
		state(c, "stripped", false,
		      _("%s has no device data (it is a component for update by the running firmware)"),
		      which(two->stripped));
	if (one->place.log2_chunk && two->place.log2_chunk && one->place.log2_chunk != two->place.log2_chunk)
		state(c, "other-slot-size", true, _("other size of slots: %llu KiB against %llu KiB"),
		      1ULL << one->place.log2_chunk >> 10, 1ULL << two->place.log2_chunk >> 10);
}

static void say_parts(const struct comparison *c)
{
	static const struct {
		uint32_t bit;
		const char *id, *text;
	} parts[] = {
		{ CHANGED_CODE, "other-code", N_("the code differs") },
		{ CHANGED_HEADER, "other-header", N_("the header or boot record differs") },
		{ CHANGED_ROM, "other-rom", N_("the expansion ROM differs") },
		{ CHANGED_INI, "other-ini", N_("the text of the board's INI differs") },
		{ CHANGED_IDENTITY, "other-identity", N_("GUIDs, MACs or VSD differ") },
		{ CHANGED_VSD, "other-vsd", N_("the image's VSD differs") },
		{ CHANGED_INFO, "other-info", N_("the image info differs") },
		{ CHANGED_DEVICE_DATA, "other-device-data",
			N_("device data differ: they belong to the card") },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (c->changed & parts[i].bit)
			state(c, parts[i].id, false, "%s", _(parts[i].text));
}

/* What is true of the whole; the firmware's bytes count, digests follow them. */
static bool say_summary(const struct comparison *c)
{
	const uint32_t identity = CHANGED_IDENTITY | CHANGED_DEVICE_DATA;
	const uint32_t brand = CHANGED_PSID | CHANGED_NAME | CHANGED_INI;
	uint32_t changed = c->changed & ~CHANGED_DERIVED, firmware = changed & ~identity;

	if (!c->changed)
		state(c, "identical", false, _("identical: the same firmware with the same identity"));
	else if (!changed)
		state(c, "same-but-digest", false, _("the same but for digests or signatures"));
	else if (!firmware)
		state(c, "same-but-identity", false,
		      _("the same firmware: only the identity of the card differs"));
	else if (firmware == CHANGED_ROM)
		state(c, "same-but-rom", false, _("the same but for the expansion ROM"));
	else if (firmware == CHANGED_INI)
		state(c, "same-but-ini", false,
		      _("only the text of the board's INI differs, which the firmware does not read"));
	else if (firmware == CHANGED_VSD)
		state(c, "same-but-vsd", false, _("the same but for the image's VSD"));
	else if (!(firmware & ~brand))
		state(c, "same-but-brand", false, _("the same code: only PSID, name or INI text differ"));
	return !firmware && !(c->changed & CHANGED_DERIVED);
}

bool compare_words(const struct comparison *c, const struct side side[2])
{
	bool board_known = c->has_board[0] && c->has_board[1];
	bool board_differs = c->changed & CHANGED_BOARD;

	if (say_family(c, side)) {
		say_psid(c, side, board_known, board_differs);
		say_board(c, side, board_known, board_differs);
		say_ports(c, side);
	}
	say_versions(c, side);
	say_security(c, side);
	say_marks(c, side);
	say_evidence(c, side, board_known, board_differs);
	say_parts(c);
	return say_summary(c);
}

void compare_words_of_formats(const struct comparison *c, const struct side side[2])
{
	say_family(c, side);
	say_versions(c, side);
	say_marks(c, side);
}
