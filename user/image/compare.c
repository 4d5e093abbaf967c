// SPDX-License-Identifier: GPL-2.0-only
/* Two images in facts and in words; compare_sections.c looks at their bytes. */
#include "compare.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "compare_private.h"
#include "ini.h"

#define TEXT 512

/* What is known of one side beside its facts. */
struct side {
	const struct image_facts *facts;
	char *ini;			/* NULL: the image has none */
	struct ini parsed;
	struct ini_board board;		/* of the INI; name falls back to the image's own */
	char name[128];			/* without its revision */
	char revision[8];
	char from[17];			/* retagged from; empty: it is not */
	unsigned int ports;		/* 0: not said */
	const char *chip;
};

static const char *which(unsigned int side)
{
	return side ? _("the second") : _("the first");
}

/* ---- boards ---- */

static unsigned int number_word(const char *text)
{
	static const char *const words[][2] = { { "one", "single" }, { "two", "dual" }, { "three", "triple" },
						{ "four", "quad" } };
	unsigned int i, j;

	if (isdigit((unsigned char)*text)) {
		unsigned long number = strtoul(text, NULL, 0);

		return number <= 1024 ? number : 0;
	}
	for (i = 0; i < 4; i++)
		for (j = 0; j < 2; j++)
			if (!strncasecmp(text, words[i][j], strlen(words[i][j])))
				return i + 1;
	return 0;
}

/* "dual-port SFP+", "Single Port QSFP" */
static unsigned int ports_of_description(const char *text)
{
	const char *at;
	unsigned int ports;

	for (at = text; (at = strcasestr(at, "port")); at++) {
		const char *word = at;

		if (word == text || (word[-1] != '-' && word[-1] != ' '))
			continue;
		word--;
		while (word > text && isalpha((unsigned char)word[-1]))
			word--;
		ports = isalpha((unsigned char)*word) ? number_word(word) : 0;
		if (ports)
			return ports;
	}
	return 0;
}

static bool is_port_count(const char *key)
{
	const char *last = strrchr(key, '.');

	last = last ? last + 1 : key;
	return !strcasecmp(last, "num_of_ports") || !strcasecmp(last, "num_ports") ||
	       !strcasecmp(last, "number_of_ports");
}

unsigned int ini_ports(const struct ini *ini)
{
	struct ini_board board = { 0 };
	unsigned int ports = 0;
	size_t i;

	for (i = 0; i < ini->count && !ports; i++)
		if (is_port_count(ini->values[i].key))
			ports = number_word(ini->values[i].value);
	if (ports)
		return ports;
	ini_board(ini, &board);
	return board.description ? ports_of_description(board.description) : 0;
}

unsigned int image_ini_ports(const char *ini)
{
	struct image_error ignored;
	unsigned int ports;
	struct ini parsed;

	if (!ini || ini_parse(ini, strlen(ini), &parsed, &ignored))
		return 0;
	ports = ini_ports(&parsed);
	ini_free(&parsed);
	return ports;
}

/* "MCX312B-XCC_Ax": the board is MCX312B-XCC, its revision Ax. */
static void split_name(const char *whole, struct side *side)
{
	const char *mark = strrchr(whole, '_');
	size_t length = strlen(whole);

	if (mark && mark > whole && isupper((unsigned char)mark[1]) && isalnum((unsigned char)mark[2]) &&
	    !mark[3]) {
		length = mark - whole;
		snprintf(side->revision, sizeof(side->revision), "%s", mark + 1);
	}
	snprintf(side->name, sizeof(side->name), "%.*s", (int)(length < 127 ? length : 127), whole);
}

static const char *chip_of(const struct image_facts *facts)
{
	uint32_t id = facts->hw_id_count ? facts->hw_ids[0].id : 0;

	if (!id && (facts->has & IMAGE_HAS_DEVICE_ID))
		id = fs2_hw_id_of_pci(facts->pci_device);
	return id ? image_chip_name(id) : NULL;
}

static void learn(struct side *side, const struct image_subject *subject)
{
	struct image_error ignored;
	const char *name = NULL;
	size_t length;

	side->facts = &subject->facts;
	side->chip = chip_of(&subject->facts);
	if (image_ini(&subject->reader, &subject->place, &side->ini, &length, &ignored)) {
		side->ini = NULL;
	} else {
		image_ini_retagged(side->ini, side->from);
		if (!ini_parse(side->ini, length, &side->parsed, &ignored)) {
			ini_board(&side->parsed, &side->board);
			name = side->board.name;
			side->ports = ini_ports(&side->parsed);
		}
	}
	if (!name && *subject->facts.name)
		name = subject->facts.name;
	if (!side->ports)
		side->ports = ports_of_description(subject->facts.description);
	if (name)
		split_name(name, side);
}

static void forget(struct side *side)
{
	ini_free(&side->parsed);
	free(side->ini);
}

/* ---- facts ---- */

static void fact(const struct comparison *c, const char *key, const char *first, const char *second)
{
	struct image_fact_difference difference = { key, first ? first : "", second ? second : "" };

	if (strcmp(difference.first, difference.second) && c->listener && c->listener->fact)
		c->listener->fact(c->listener->context, &difference);
}

__attribute__((format(printf, 2, 3)))
static void put(char text[TEXT], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, TEXT, format, arguments);
	va_end(arguments);
}

/* Both sides of a fact, formatted by one function. */
typedef void (*describer)(const struct side *side, char text[TEXT]);

static void version_of(const struct side *side, char text[TEXT])
{
	const uint32_t *version = side->facts->version;

	if (side->facts->has & IMAGE_HAS_VERSION)
		put(text, version[0] >= 10 ? "%u.%u.%04u" : "%u.%u.%u", version[0], version[1], version[2]);
}

static void date_of(const struct side *side, char text[TEXT])
{
	uint32_t date = side->facts->date, time = side->facts->time;

	if ((side->facts->has & IMAGE_HAS_DATE) && date)
		put(text, "%04x-%02x-%02x %02x:%02x:%02x", date >> 16, date >> 8 & 0xff, date & 0xff,
		    time >> 16 & 0xff, time >> 8 & 0xff, time & 0xff);
}

static void mic_of(const struct side *side, char text[TEXT])
{
	if (side->facts->has & IMAGE_HAS_MIC)
		put(text, "%u.%u.%u", side->facts->mic[0], side->facts->mic[1], side->facts->mic[2]);
}

static void hw_ids_of(const struct side *side, char text[TEXT])
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < side->facts->hw_id_count && used < 480; i++)
		used += snprintf(text + used, TEXT - used, "%s0x%x/%u", i ? ", " : "",
				 side->facts->hw_ids[i].id, side->facts->hw_ids[i].revision);
}

static void roms_of(const struct side *side, char text[TEXT])
{
	const struct image_facts *facts = side->facts;
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < facts->rom_count && used < 480; i++) {
		const struct image_rom *rom = &facts->roms[i];
		const char *name = image_rom_product_name(rom->product);

		used += snprintf(text + used, TEXT - used, "%s%s %u.%u.%u", i ? ", " : "",
				 name ? name : "ROM", rom->version[0], rom->version[1], rom->version[2]);
	}
	if (!facts->rom_count && (facts->has & IMAGE_HAS_ROM))
		put(text, "%s", _("present, version unknown"));
}

static void guids_of(const struct side *side, char text[TEXT])
{
	const struct image_facts *facts = side->facts;

	if (!(facts->has & IMAGE_HAS_GUIDS))
		return;
	if (facts->place.format == IMAGE_FS2)
		put(text, "%016llx %016llx %016llx %016llx", (unsigned long long)facts->guid[0],
		    (unsigned long long)facts->guid[1], (unsigned long long)facts->guid[2],
		    (unsigned long long)facts->guid[3]);
	else if (facts->base_guid.base)
		put(text, "%016llx (%u)", (unsigned long long)facts->base_guid.base, facts->base_guid.count);
}

static void macs_of(const struct side *side, char text[TEXT])
{
	const struct image_facts *facts = side->facts;

	if (!(facts->has & IMAGE_HAS_MACS))
		return;
	if (facts->place.format == IMAGE_FS2)
		put(text, "%012llx %012llx", (unsigned long long)facts->mac[0],
		    (unsigned long long)facts->mac[1]);
	else if (facts->base_mac.base)
		put(text, "%012llx (%u)", (unsigned long long)facts->base_mac.base, facts->base_mac.count);
}

static void ports_text(const struct side *side, char text[TEXT])
{
	if (side->ports)
		put(text, "%u", side->ports);
}

static void slot_of(const struct side *side, char text[TEXT])
{
	if (side->facts->place.log2_chunk)
		put(text, "%llu KiB", 1ULL << side->facts->place.log2_chunk >> 10);
}

static void length_of(const struct side *side, char text[TEXT])
{
	put(text, "%u", side->facts->length);
}

static void security_of(const struct side *side, char text[TEXT])
{
	const char *name = image_security_text(side->facts);

	if (name)
		put(text, "%s%s", name, side->facts->encrypted ? _(", encrypted") : "");
}

static void security_version_of(const struct side *side, char text[TEXT])
{
	if (side->facts->security_version)
		put(text, "%u", side->facts->security_version);
}

static void compare_facts(const struct comparison *c, const struct side side[2])
{
	static const struct {
		const char *key;
		describer describe;
	} computed[] = {
		{ "firmware_version", version_of }, { "firmware_date", date_of }, { "mic_version", mic_of },
		{ "hw_ids", hw_ids_of }, { "ports", ports_text }, { "guids", guids_of }, { "macs", macs_of },
		{ "roms", roms_of }, { "slot_size", slot_of }, { "length", length_of },
		{ "security_attributes", security_of }, { "security_version", security_version_of },
	};
	const struct image_facts *one = side[0].facts, *two = side[1].facts;
	char first[TEXT], second[TEXT];
	size_t i;

	fact(c, "format", image_format_name(one->place.format), image_format_name(two->place.format));
	fact(c, "model", side[0].chip, side[1].chip);
	fact(c, "psid", one->psid, two->psid);
	fact(c, "original_psid", one->original_psid, two->original_psid);
	fact(c, "board_name", side[0].name, side[1].name);
	fact(c, "board_revision", side[0].revision, side[1].revision);
	for (i = 0; i < sizeof(computed) / sizeof(computed[0]); i++) {
		first[0] = second[0] = '\0';
		computed[i].describe(&side[0], first);
		computed[i].describe(&side[1], second);
		fact(c, computed[i].key, first, second);
	}
	fact(c, "product_version", one->product_version, two->product_version);
	fact(c, "description", *one->description ? one->description : side[0].board.description,
	     *two->description ? two->description : side[1].board.description);
	fact(c, "prs_name", one->prs_name, two->prs_name);
	fact(c, one->place.format == IMAGE_FS2 ? "vsd" : "image_vsd", one->vsd, two->vsd);
	fact(c, "device_vsd", one->device_vsd, two->device_vsd);
}

/* ---- statements ---- */

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
	bool rebrand = board_known && !board_differs;

	if (!*one || !*two || !strcmp(one, two))
		return;
	state(c, "other-psid", !rebrand, _("other PSID: %s (%s) against %s (%s)"), one,
	      vendor ? vendor : _("unknown vendor"), two, other_vendor ? other_vendor : _("unknown vendor"));
	if (rebrand)
		state(c, "rebrand", false,
		      _("other PSID but the same compiled board sections: one is a rebrand of the other"));
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

	version_of(&side[0], first);
	version_of(&side[1], second);
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
		{ CHANGED_DEVICE_DATA, "other-device-data", N_("device data differ: they belong to the card") },
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

static int compare_same_format(struct comparison *c, const struct side side[2], bool *identical)
{
	bool board_known, board_differs;
	int code = compare_sections(c);

	if (code)
		return code;
	board_known = c->has_board[0] && c->has_board[1];
	board_differs = c->changed & CHANGED_BOARD;
	if (say_family(c, side)) {
		say_psid(c, side, board_known, board_differs);
		say_board(c, side, board_known, board_differs);
		say_ports(c, side);
	}
	say_versions(c, side);
	say_security(c, side);
	say_marks(c, side);
	say_parts(c);
	*identical = say_summary(c);
	return 0;
}

int image_compare(const struct image_subject *first, const struct image_subject *second,
		  const struct image_compare_listener *listener, bool *identical, struct image_error *error)
{
	struct comparison c = { .first = first, .second = second, .listener = listener, .error = error };
	struct side side[2] = { 0 };
	int code = 0;

	*identical = false;
	learn(&side[0], first);
	learn(&side[1], second);
	compare_facts(&c, side);
	if (first->place.format == second->place.format) {
		code = compare_same_format(&c, side, identical);
	} else {
		say_family(&c, side);
		say_versions(&c, side);
		say_marks(&c, side);
	}
	forget(&side[0]);
	forget(&side[1]);
	return code;
}
