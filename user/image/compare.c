// SPDX-License-Identifier: GPL-2.0-only
/* Two images in facts; compare_sections.c looks at their bytes, compare_words.c says what it means. */
#include "compare.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "compare_private.h"

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

void compare_version(const struct side *side, char text[TEXT])
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
		{ "firmware_version", compare_version }, { "firmware_date", date_of },
		{ "mic_version", mic_of },
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
		code = compare_sections(&c);
		if (!code)
			*identical = compare_words(&c, side);
	} else {
		compare_words_of_formats(&c, side);
	}
	forget(&side[0]);
	forget(&side[1]);
	return code;
}
