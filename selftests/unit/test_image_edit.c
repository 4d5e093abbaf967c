// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_edit() by its properties: what was set is there, nothing else changed, the result is a good
 * image, and an edit taken back gives the bytes of before. Every refusal says why.
 */
#include <errno.h>
#include <stdio.h>

#include "../../user/image/edit.h"
#include "../../user/image/ini.h"
#include "../lib/synthetic.h"
#include "image_fixture.h"

static uint64_t random_state;

static uint32_t any(uint32_t below)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % below;
}

static void any_text(char *text, unsigned int least, unsigned int most, const char *letters)
{
	unsigned int length = least + any(most - least + 1), i;

	for (i = 0; i < length; i++)
		text[i] = letters[any(strlen(letters))];
	text[length] = 0;
}

/* ---- images ---- */

enum kind {
	FS2, FS2_ROM, FS3, FS3_DIGEST, FS3_IB, FS4, FS4_DIGEST, FS4_HASHES, FS4_STRIPPED, FS3_STRIPPED, KINDS,
};

static struct synthetic recipe(enum kind kind)
{
	struct synthetic what = { .format = SYNTHETIC_FS4, .code_size = 0x4000, .seed = 3 + kind };

	switch (kind) {
	case FS2:
	case FS2_ROM:
		what.format = SYNTHETIC_FS2;
		what.rom_size = kind == FS2_ROM ? 0x1004 : 0;
		break;
	case FS3:
	case FS3_DIGEST:
	case FS3_IB:
	case FS3_STRIPPED:
		what.format = SYNTHETIC_FS3;
		what.digest = kind != FS3;
		what.connect_ib = kind == FS3_IB;
		what.stripped = kind == FS3_STRIPPED;
		break;
	default:
		what.digest = kind != FS4;
		what.keys = kind == FS4_HASHES;
		what.hashes = kind == FS4_HASHES;
		what.stripped = kind == FS4_STRIPPED;
	}
	return what;
}

static bool make_from(struct fixture *image, const struct synthetic *what)
{
	size_t length = 0;
	uint8_t *bytes = synthetic_image(what, &length);

	if (!CHECK(bytes))
		return false;
	fixture_hold(image, bytes, length);
	return true;
}

static bool make(struct fixture *image, enum kind kind)
{
	struct synthetic what = recipe(kind);

	return make_from(image, &what);
}

/* The ROM of an FS2 image: a file as image_edit() wants it. */
static uint8_t *make_rom(uint32_t size, size_t *length)
{
	struct synthetic what = { .format = SYNTHETIC_FS2, .rom_size = size, .seed = size };
	struct image_error error = { 0 };
	struct image_facts facts;
	struct fixture image;
	uint8_t *rom = NULL;

	if (!make_from(&image, &what))
		exit(1);
	if (image_query(&image.reader, IMAGE_LAYOUT_AUTO, 0, &facts, &error) ||
	    image_rom_read(&image.reader, &facts, &rom, length, &error))
		ktap_fail(__FILE__, __LINE__, "no ROM: %s", error.text);
	fixture_free(&image);
	return rom;
}

/* ---- what an image says of itself ---- */

#define SECTIONS_MOST 80

struct seen {
	struct image_facts facts;
	struct image_section sections[SECTIONS_MOST];
	unsigned int count;
	char *ini;
	size_t ini_length;
	enum image_verdict verdict;
	char finding[256];
};

static int see_section(void *context, const struct image_section *section)
{
	struct seen *seen = context;

	if (seen->count < SECTIONS_MOST)
		seen->sections[seen->count++] = *section;
	return 0;
}

static bool see(const struct fixture *image, struct seen *seen)
{
	struct image_error error = { 0 };
	struct verdict verdict;
	int code;

	memset(seen, 0, sizeof(*seen));
	code = image_query(&image->reader, IMAGE_LAYOUT_AUTO, 0, &seen->facts, &error);
	if (!code)
		code = image_sections(&image->reader, &seen->facts.place, see_section, seen, &error);
	if (!code)
		code = image_ini(&image->reader, &seen->facts.place, &seen->ini, &seen->ini_length, &error);
	if (code) {
		ktap_fail(__FILE__, __LINE__, "the image cannot be read: %s", error.text);
		return false;
	}
	verdict = verdict_at(&image->reader, &seen->facts.place);
	seen->verdict = verdict.worst;
	snprintf(seen->finding, sizeof(seen->finding), "%s", verdict.text);
	return true;
}

static const struct image_section *section_of(const struct seen *seen, uint32_t type, bool device,
					      unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < seen->count; i++)
		if (seen->sections[i].type == type && seen->sections[i].device_data == device && !nth--)
			return &seen->sections[i];
	return NULL;
}

static bool edit_of(const struct fixture *image, const struct image_edit *edit, struct fixture *edited,
		    struct image_edit_result *result)
{
	struct image_error error = { 0 };
	int code = image_edit(image->bytes, image->length, edit, result, &error);

	if (code) {
		ktap_fail(__FILE__, __LINE__, "the edit failed with %d: %s", code, error.text);
		return false;
	}
	fixture_hold(edited, result->bytes, result->length);
	return true;
}

/* ---- random edits ---- */

struct wish {
	struct image_edit edit;
	char psid[17], name[65], vsd[209], image_vsd[209];
	char *ini;
	uint8_t *rom;
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
static const char printable[] = "abcdefghijklmnopqrstuvwxyz ABC;=[]#09~!";

static void wish_ids(struct wish *wish, bool fs2)
{
	struct image_edit *edit = &wish->edit;
	unsigned int i;

	edit->set_guids = any(2);
	edit->set_macs = any(2);
	for (i = 0; i < 4; i++)
		edit->guid[i] = 1 + ((uint64_t)any(1 << 30) << 31 | any(1 << 30));
	for (i = 0; i < 2; i++)
		edit->mac[i] = ((uint64_t)any(1 << 30) << 16 | any(1 << 16)) & 0xfe7fffffffff;
	if (!fs2 && any(2))
		edit->uid_count = 1 + any(255);
	if (!fs2 && any(2))
		edit->uid_step = 1 + any(255);
	if (any(2)) {
		any_text(wish->vsd, 0, 208, printable);
		edit->vsd = wish->vsd;
	}
}

static void wish_texts(struct wish *wish, const struct seen *seen, bool fs2)
{
	static const char line[] = "\nadded = 1\n";
	struct image_edit *edit = &wish->edit;

	if (any(2)) {
		any_text(wish->psid, 1, 16, letters);
		edit->psid = wish->psid;
	}
	if (any(2)) {
		any_text(wish->name, 1, 64, letters);
		edit->name = wish->name;
	}
	if (!fs2 && any(2)) {
		any_text(wish->image_vsd, 0, 208, printable);
		edit->image_vsd = wish->image_vsd;
	}
	if (!any(3)) {
		wish->ini = malloc(seen->ini_length + sizeof(line));
		memcpy(wish->ini, seen->ini, seen->ini_length);
		memcpy(wish->ini + seen->ini_length, line, sizeof(line));
		edit->ini = wish->ini;
		edit->ini_length = seen->ini_length + sizeof(line) - 1;
	}
}

static void wish_rom(struct wish *wish, const struct seen *seen)
{
	struct image_edit *edit = &wish->edit;

	edit->allow_rom_change = true;
	if (seen->facts.has & IMAGE_HAS_ROM && !any(3)) {
		edit->rom_edit = IMAGE_ROM_REMOVE;
	} else if (any(2)) {
		edit->rom_edit = IMAGE_ROM_REPLACE;
		wish->rom = make_rom(0x400 + 4 * any(0x800), &edit->rom_length);
		edit->rom = wish->rom;
	}
}

static void wish_free(struct wish *wish)
{
	free(wish->ini);
	free(wish->rom);
}

/* ---- what an edit should have changed ---- */

static void expect_text(char *field, size_t room, const char *text)
{
	if (!text)
		return;
	memset(field, 0, room);
	memcpy(field, text, strlen(text));
}

static void expect_texts(struct image_facts *facts, const struct image_edit *edit, bool fs2)
{
	expect_text(facts->psid, sizeof(facts->psid), edit->psid);
	if (!fs2) {
		expect_text(facts->name, sizeof(facts->name), edit->name);
		expect_text(facts->vsd, sizeof(facts->vsd), edit->image_vsd);
		expect_text(facts->device_vsd, sizeof(facts->device_vsd), edit->vsd);
		return;
	}
	expect_text(facts->vsd, sizeof(facts->vsd), edit->vsd);
	expect_text((char *)facts->vsd_bytes, sizeof(facts->vsd_bytes), edit->vsd);
}

static void expect_uids(struct image_uids *first, struct image_uids *second, bool set, uint64_t base,
			const struct image_edit *edit)
{
	first->count = edit->uid_count ? edit->uid_count : first->count;
	first->step = edit->uid_step ? edit->uid_step : first->step;
	if (set)
		first->base = base;
	if (!second)
		return;
	second->count = edit->uid_count ? edit->uid_count : second->count;
	second->step = edit->uid_step ? edit->uid_step : second->step;
	if (set)
		second->base = base + (uint64_t)first->count * first->step;
}

static void expect_ids(struct image_facts *facts, const struct image_edit *edit, bool fs2)
{
	bool by_port = facts->uids_by_port;

	if (!fs2) {
		expect_uids(&facts->base_guid, by_port ? &facts->port2_guid : NULL, edit->set_guids,
			    edit->guid[0], edit);
		expect_uids(&facts->base_mac, by_port ? &facts->port2_mac : NULL, edit->set_macs,
			    edit->mac[0], edit);
		return;
	}
	if (edit->set_guids)
		memcpy(facts->guid, edit->guid, sizeof(facts->guid));
	if (edit->set_macs)
		memcpy(facts->mac, edit->mac, sizeof(facts->mac));
}

static void expect_rom(struct image_facts *facts, const struct image_edit *edit)
{
	if (edit->rom_edit == IMAGE_ROM_KEEP)
		return;
	memset(facts->roms, 0, sizeof(facts->roms));
	facts->has &= ~IMAGE_HAS_ROM;
	facts->rom_count = 0;
	facts->rom_length = 0;
	if (edit->rom_edit == IMAGE_ROM_REMOVE)
		return;
	facts->has |= IMAGE_HAS_ROM;
	facts->rom_length = edit->rom_length;
	facts->rom_count = image_rom_parse(edit->rom, edit->rom_length, facts->roms);
}

/* Where things stand follows from the lengths of others. */
static void expect_places(struct image_facts *facts, const struct image_facts *after)
{
	facts->length = after->length;
	facts->burn_size = facts->burn_size ? after->length : 0;
	facts->rom_offset = after->rom_offset;
	facts->guid_offset = after->guid_offset;
	facts->info_offset = after->info_offset;
	facts->vsd_offset = after->vsd_offset;
}

static void check_facts(const struct seen *before, const struct seen *after, const struct image_edit *edit)
{
	bool fs2 = before->facts.place.format == IMAGE_FS2;
	struct image_facts expected = before->facts;
	const uint8_t *a = (const uint8_t *)&expected, *b = (const uint8_t *)&after->facts;
	size_t i;

	expect_texts(&expected, edit, fs2);
	expect_ids(&expected, edit, fs2);
	expect_rom(&expected, edit);
	expect_places(&expected, &after->facts);
	for (i = 0; i < sizeof(expected); i++)
		if (a[i] != b[i]) {
			ktap_fail(__FILE__, __LINE__, "byte 0x%zx of the facts is not as it should be", i);
			return;
		}
}

/* FS2 types 5, 6, 9, 10; later formats' ROM, INI, IMAGE_INFO, A0, DEV_INFO. */
static bool may_change(const struct image_section *section, enum image_format format)
{
	static const uint32_t fs2[] = { 5, 6, 9, 10 }, later[] = { 0x10, 0x18, 0x30, 0xa0 };
	const uint32_t *types = format == IMAGE_FS2 ? fs2 : later;
	unsigned int i;

	if (section->device_data)
		return section->type == 0xe1;
	if (!strcmp(section->name, "HASHES_TABLE"))
		return true;
	for (i = 0; i < 4; i++)
		if (section->type == types[i] && section->type)
			return true;
	return false;
}

/* All other sections are there with the same bytes, in the same order. */
static void check_sections(const struct fixture *image, const struct seen *before,
			   const struct fixture *edited, const struct seen *after)
{
	const struct image_section *was, *is;
	unsigned int i, j = 0;

	for (i = 0; i < before->count; i++) {
		was = &before->sections[i];
		if (may_change(was, before->facts.place.format))
			continue;
		while (j < after->count && may_change(&after->sections[j], before->facts.place.format))
			j++;
		is = &after->sections[j++];
		if (j > after->count || is->type != was->type || is->length != was->length ||
		    is->load != was->load || is->entry != was->entry ||
		    memcmp(edited->bytes + is->start, image->bytes + was->start, was->length)) {
			ktap_fail(__FILE__, __LINE__, "section %s at 0x%llx is not what it was", was->name,
				  (unsigned long long)was->start);
			return;
		}
	}
}

/* The bytes that an edit without ROM and INI may touch, where nothing moves. */
static bool byte_may_change(const struct seen *seen, uint64_t at)
{
	const struct image_section *section;
	unsigned int i;

	for (i = 0; i < seen->count; i++) {
		section = &seen->sections[i];
		if (may_change(section, seen->facts.place.format) && at >= section->start &&
		    at < section->start + section->length + (seen->facts.place.format == IMAGE_FS2 ? 4 : 0))
			return true;
		/* CRCs in the section's entry */
		if (may_change(section, seen->facts.place.format) && seen->facts.place.format != IMAGE_FS2 &&
		    at >= section->described_at + 0x1a && at < section->described_at + 0x20)
			return true;
	}
	return seen->facts.place.format == IMAGE_FS2 && (at == 0x22 || at == 0x23);
}

static void check_bytes(const struct fixture *image, const struct seen *before, const struct fixture *edited)
{
	size_t i;

	CHECK_EQ(edited->length, image->length);
	for (i = 0; i < image->length && i < edited->length; i++)
		if (image->bytes[i] != edited->bytes[i] && !byte_may_change(before, i)) {
			ktap_fail(__FILE__, __LINE__, "byte 0x%zx changed, which no edit should", i);
			return;
		}
}

static void check_ini(const struct seen *before, const struct seen *after, const struct image_edit *edit,
		      const struct image_edit_result *result)
{
	bool retagged = edit->psid && strcmp(edit->psid, before->facts.psid);
	struct image_error error = { 0 };
	struct ini_board board;
	struct ini ini;
	char from[17];

	CHECK_EQ(result->retagged, retagged);
	CHECK_EQ(result->marked, retagged);
	CHECK_EQ(image_ini_retagged(after->ini, from), retagged);
	if (retagged)
		CHECK_STR(from, before->facts.psid);
	REQUIRE(!ini_parse(after->ini, after->ini_length, &ini, &error));
	ini_board(&ini, &board);
	CHECK_STR(board.psid, edit->psid ? edit->psid : before->facts.psid);
	if (edit->name)
		CHECK_STR(board.name, edit->name);
	CHECK((strstr(after->ini, "\nadded = 1\n") != NULL) == (edit->ini != NULL));
	if (!edit->psid && !edit->name && !edit->ini)
		CHECK_STR(after->ini, before->ini);
	ini_free(&ini);
}

static void check_rom(const struct fixture *edited, const struct seen *after, const struct image_edit *edit)
{
	struct image_error error = { 0 };
	uint8_t *rom;
	size_t length;

	if (edit->rom_edit == IMAGE_ROM_REMOVE)
		CHECK_EQ(image_rom_read(&edited->reader, &after->facts, &rom, &length, &error), -ENOENT);
	if (edit->rom_edit != IMAGE_ROM_REPLACE)
		return;
	REQUIRE(!image_rom_read(&edited->reader, &after->facts, &rom, &length, &error));
	CHECK(length == edit->rom_length && !memcmp(rom, edit->rom, length));
	free(rom);
}

/* Whether no section got another length. */
static bool same_lengths(const struct seen *before, const struct seen *after)
{
	unsigned int i;

	for (i = 0; i < before->count && i < after->count; i++)
		if (before->sections[i].length != after->sections[i].length)
			return false;
	return before->count == after->count;
}

/* A new ROM of FS3 takes PCI_CODE's place and numbers, one of FS4 stands at the end and has none. */
static void check_new_rom(const struct seen *before, const struct seen *after)
{
	const struct image_section *rom = section_of(after, 0x18, false, 0);
	const struct image_section *pci = section_of(before, 0x02, false, 0);

	if (before->facts.has & IMAGE_HAS_ROM || before->facts.place.format == IMAGE_FS2 || !rom)
		return;
	REQUIRE(pci);
	CHECK(!rom->compressed && !rom->encrypted && rom->crc_kind == IMAGE_CRC_STORED);
	if (before->facts.place.format == IMAGE_FS3) {
		CHECK_EQ(rom->start, pci->start);
		CHECK_EQ(rom->load, pci->load);
		CHECK_EQ(rom->entry, pci->entry);
	} else {
		CHECK_EQ(rom->start + rom->length, after->facts.length);
		CHECK(!rom->load && !rom->entry);
	}
}

static void one_edit(const struct fixture *image, const struct seen *before, const struct image_edit *edit)
{
	struct image_edit_result result;
	struct fixture edited;
	struct seen after;

	if (!edit_of(image, edit, &edited, &result))
		return;
	if (see(&edited, &after)) {
		if (after.verdict > before->verdict)
			ktap_fail(__FILE__, __LINE__, "the result is not good: %s", after.finding);
		check_facts(before, &after, edit);
		check_sections(image, before, &edited, &after);
		check_ini(before, &after, edit, &result);
		check_rom(&edited, &after, edit);
		check_new_rom(before, &after);
		if (edit->rom_edit == IMAGE_ROM_KEEP && same_lengths(before, &after))
			check_bytes(image, before, &edited);
		free(after.ini);
	}
	fixture_free(&edited);
}

static void random_edits(void)
{
	struct fixture image;
	struct seen before;
	unsigned int kind, i;

	random_state = ktap_seed();
	for (kind = 0; kind < KINDS && !ktap_failed(); kind++) {
		bool fs2 = kind == FS2 || kind == FS2_ROM;
		bool stripped = kind == FS3_STRIPPED || kind == FS4_STRIPPED;

		if (!make(&image, kind) || !see(&image, &before))
			return;
		CHECK(before.verdict != IMAGE_DAMAGED);
		for (i = 0; i < 30 && !ktap_failed(); i++) {
			struct wish wish = { 0 };

			if (!stripped && any(2))
				wish_ids(&wish, fs2);
			if (any(2))
				wish_texts(&wish, &before, fs2);
			if (kind != FS4_HASHES && any(2))
				wish_rom(&wish, &before);
			one_edit(&image, &before, &wish.edit);
			if (ktap_failed())
				ktap_note("kind %u, edit %u", kind, i);
			wish_free(&wish);
		}
		free(before.ini);
		fixture_free(&image);
	}
}

/* ---- and back ---- */

/* Two edits one after the other give the bytes of before, but for FS4's device data, which takes turns. */
static void there_and_back(const struct fixture *image, const struct image_edit *there,
			   const struct image_edit *back)
{
	struct image_edit_result result;
	struct fixture edited, again;

	if (!edit_of(image, there, &edited, &result))
		return;
	CHECK(edited.length != image->length || memcmp(edited.bytes, image->bytes, image->length));
	if (edit_of(&edited, back, &again, &result)) {
		CHECK_EQ(again.length, image->length);
		CHECK(again.length == image->length && !memcmp(again.bytes, image->bytes, image->length));
		CHECK(!result.marked && !result.retagged);
		fixture_free(&again);
	}
	fixture_free(&edited);
}

static void texts_there_and_back(void)
{
	struct image_edit there = { .psid = "TST_OTHER", .name = "OTHER-NAME_A1" }, back = { 0 };
	struct image_error error;
	struct fixture image;
	struct ini_board board;
	struct seen before;
	unsigned int kind;
	struct ini ini;

	for (kind = 0; kind < KINDS; kind++) {
		if (!make(&image, kind) || !see(&image, &before) ||
		    ini_parse(before.ini, before.ini_length, &ini, &error))
			return;
		ini_board(&ini, &board);
		back.psid = before.facts.psid;
		back.name = board.name;
		there_and_back(&image, &there, &back);
		ini_free(&ini);
		free(before.ini);
		fixture_free(&image);
	}
}

static void ids_there_and_back(void)
{
	static const enum kind kinds[] = { FS2, FS3, FS3_DIGEST, FS3_IB };
	struct image_edit there = { .set_guids = true, .set_macs = true, .vsd = "there" }, back;
	struct fixture image;
	struct seen before;
	unsigned int i, j;

	for (i = 0; i < 4; i++)
		there.guid[i] = 0x1234567800000000 + i;
	there.mac[0] = 0x021122334455;
	there.mac[1] = 0x021122334456;
	back = there;
	for (i = 0; i < 4; i++) {
		if (!make(&image, kinds[i]) || !see(&image, &before))
			return;
		for (j = 0; j < 4; j++)
			back.guid[j] = kinds[i] == FS2 ? before.facts.guid[j] : before.facts.base_guid.base;
		for (j = 0; j < 2; j++)
			back.mac[j] = kinds[i] == FS2 ? before.facts.mac[j] : before.facts.base_mac.base;
		back.vsd = kinds[i] == FS2 ? before.facts.vsd : before.facts.device_vsd;
		there_and_back(&image, &there, &back);
		free(before.ini);
		fixture_free(&image);
	}
}

static void rom_there_and_back(void)
{
	static const enum kind kinds[] = {
		FS2, FS3, FS3_DIGEST, FS4, FS4_DIGEST, FS4_STRIPPED, FS3_STRIPPED,
	};
	struct image_edit there = { .rom_edit = IMAGE_ROM_REPLACE, .allow_rom_change = true };
	struct image_edit back = { .rom_edit = IMAGE_ROM_REMOVE, .allow_rom_change = true };
	struct fixture image;
	unsigned int i;
	uint8_t *rom;

	rom = make_rom(0x2344, &there.rom_length);
	there.rom = rom;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!make(&image, kinds[i]))
			break;
		there_and_back(&image, &there, &back);
		fixture_free(&image);
	}
	free(rom);
}

/* An INI out of an image that was retagged the other way: its mark says nothing of this one. */
static void a_mark_of_another_image(void)
{
	static const char ini[] = "[image_info]\nPSID = TST_ONE\nName = N\n[ADAPTER]\nx = 1\n"
				  ";; cxctl: PSID changed, was TST_ONE\n";
	struct image_edit edit = { .psid = "TST_ONE", .ini = ini, .ini_length = sizeof(ini) - 1 };
	static const enum kind kinds[] = { FS2, FS3, FS4_DIGEST };
	struct image_edit_result result;
	struct fixture image, edited;
	struct seen before, after;
	unsigned int i;
	char from[17];

	for (i = 0; i < 3; i++) {
		if (!make(&image, kinds[i]) || !see(&image, &before) ||
		    !edit_of(&image, &edit, &edited, &result) || !see(&edited, &after))
			return;
		CHECK(result.marked && result.retagged);
		CHECK(image_ini_retagged(after.ini, from));
		CHECK_STR(from, before.facts.psid);
		free(after.ini);
		free(before.ini);
		fixture_free(&edited);
		fixture_free(&image);
	}
}

/* The first PSID counts, even when the INI is replaced; back to it, the mark goes. */
static void the_first_psid_counts(void)
{
	static const enum kind kinds[] = { FS2, FS3, FS4_DIGEST };
	struct image_edit one = { .psid = "TST_ONE" }, two = { .psid = "TST_TWO" }, back = { 0 };
	struct image_edit_result result;
	struct fixture image, first, second, third;
	struct seen before, after;
	unsigned int i;
	char from[17];

	for (i = 0; i < 3; i++) {
		if (!make(&image, kinds[i]) || !see(&image, &before) ||
		    !edit_of(&image, &one, &first, &result))
			return;
		two.ini = before.ini;
		two.ini_length = before.ini_length;
		if (!edit_of(&first, &two, &second, &result) || !see(&second, &after))
			return;
		CHECK(result.marked && result.retagged);
		CHECK(image_ini_retagged(after.ini, from));
		CHECK_STR(from, before.facts.psid);
		free(after.ini);
		back.psid = before.facts.psid;
		if (!edit_of(&second, &back, &third, &result) || !see(&third, &after))
			return;
		CHECK(!result.marked && !result.retagged);
		CHECK(third.length == image.length && !memcmp(third.bytes, image.bytes, image.length));
		free(after.ini);
		free(before.ini);
		fixture_free(&third);
		fixture_free(&second);
		fixture_free(&first);
		fixture_free(&image);
	}
}

/* FS4: the other copy of DEV_INFO, and the old one's first dword; the table of device data stays. */
static void device_data_takes_turns(void)
{
	struct image_edit edit = { .set_guids = true, .guid = { 0x1234 } };
	const struct image_section *copies[2];
	struct image_edit_result result;
	struct fixture image, edited, again;
	struct seen before;

	if (!make(&image, FS4) || !see(&image, &before) || !edit_of(&image, &edit, &edited, &result))
		return;
	copies[0] = section_of(&before, 0xe1, true, 0);
	copies[1] = section_of(&before, 0xe1, true, 1);
	REQUIRE(copies[0] && copies[1]);
	CHECK_EQ(cxsim_get_be32(image.bytes + copies[0]->start), 0x6d446576);
	CHECK_EQ(cxsim_get_be32(edited.bytes + copies[0]->start), 0);
	CHECK(!memcmp(edited.bytes + copies[0]->start + 4, image.bytes + copies[0]->start + 4, 0x1fc));
	CHECK_EQ(cxsim_get_be32(edited.bytes + copies[1]->start), 0x6d446576);
	CHECK_EQ(cxsim_get_be32(edited.bytes + copies[1]->start + 0x2c), 0x1234);
	if (edit_of(&edited, &edit, &again, &result)) {
		CHECK_EQ(cxsim_get_be32(again.bytes + copies[0]->start), 0x6d446576);
		CHECK_EQ(cxsim_get_be32(again.bytes + copies[1]->start), 0);
		fixture_free(&again);
	}
	free(before.ini);
	fixture_free(&edited);
	fixture_free(&image);
}

/* An INI that another section follows cannot grow where it is: it goes behind all others. */
static void an_ini_before_a_rom_grows(void)
{
	static const enum kind kinds[] = { FS3_DIGEST, FS4_DIGEST };
	struct image_edit add = { .rom_edit = IMAGE_ROM_REPLACE };
	struct image_edit tag = { .psid = "TST_RETAGGED", .name = "N_A1" };
	struct image_edit_result result;
	struct fixture image, with_rom;
	struct seen before;
	unsigned int i;
	uint8_t *rom;

	rom = make_rom(0x1000, &add.rom_length);
	add.rom = rom;
	for (i = 0; i < 2; i++) {
		if (!make(&image, kinds[i]) || !edit_of(&image, &add, &with_rom, &result) ||
		    !see(&with_rom, &before))
			break;
		one_edit(&with_rom, &before, &tag);
		free(before.ini);
		fixture_free(&with_rom);
		fixture_free(&image);
	}
	free(rom);
}

/* ---- refusals ---- */

static void refused(const struct fixture *image, const struct image_edit *edit, int expected,
		    const char *says, int line)
{
	struct image_edit_result result;
	struct image_error error = { 0 };
	int code = image_edit(image->bytes, image->length, edit, &result, &error);

	if (code != expected || !strstr(error.text, says))
		ktap_fail(__FILE__, line, "%d \"%s\", expected %d with \"%s\"", code, error.text, expected,
			  says);
	if (result.bytes)
		ktap_fail(__FILE__, line, "a refused edit left bytes");
	free(result.bytes);
}

#define REFUSED(image, expected, says, ...) do { \
	struct image_edit refused_edit = { __VA_ARGS__ }; \
	refused(image, &refused_edit, expected, says, __LINE__); \
} while (0)

static void impossible_texts(struct fixture *image)
{
	char vsd[210], name[66];

	memset(vsd, 'x', 209);
	memset(name, 'x', 65);
	vsd[209] = name[65] = 0;
	REFUSED(image, -EINVAL, "208", .vsd = vsd);
	REFUSED(image, -EINVAL, "64", .name = name);
	REFUSED(image, -EINVAL, "empty", .name = "");
	REFUSED(image, -EINVAL, "printable", .name = "line\nend");
	REFUSED(image, -EINVAL, "printable", .vsd = "\x80");
	REFUSED(image, -EINVAL, "1 to 16", .psid = "12345678901234567");
	REFUSED(image, -EINVAL, "1 to 16", .psid = "");
	REFUSED(image, -EINVAL, "character 3", .psid = "MT 0001");
	REFUSED(image, -EINVAL, "line 2", .ini = "[A]\nnonsense\n", .ini_length = 13);
}

static void impossible_requests(void)
{
	struct fixture fs2, later;
	unsigned int i;

	if (!make(&fs2, FS2) || !make(&later, FS3))
		return;
	impossible_texts(&fs2);
	REFUSED(&fs2, -EINVAL, "one VSD", .image_vsd = "x");
	REFUSED(&fs2, -EINVAL, "number or step", .uid_count = 1);
	REFUSED(&fs2, -EINVAL, "wrapped", .set_guids = true, .guid = { UINT64_MAX - 1, UINT64_MAX, 0, 1 });
	REFUSED(&fs2, -EINVAL, "one station", .set_macs = true, .mac = { 0x010000000000, 0 });
	REFUSED(&fs2, -EINVAL, "one station", .set_macs = true, .mac = { 2, 1ULL << 48 });
	REFUSED(&fs2, -EINVAL, "no ROM", .rom_edit = IMAGE_ROM_REMOVE);
	fixture_free(&fs2);
	for (i = FS3; i <= FS4; i += FS4 - FS3) {
		fixture_free(&later);
		if (!make(&later, i))
			return;
		impossible_texts(&later);
		REFUSED(&later, -EINVAL, "counting up", .set_guids = true, .guid = { UINT64_MAX - 1 });
		REFUSED(&later, -EINVAL, "GUID ffffffffffffff9b: counting up", .uid_count = 10,
			.uid_step = 11, .set_guids = true, .guid = { UINT64_MAX - 100 });
		REFUSED(&later, -EINVAL, "MAC fefffffffffe: counting up", .uid_count = 3, .uid_step = 1,
			.set_macs = true, .mac = { 0xfefffffffffe });
		REFUSED(&later, -EINVAL, "MAC fffffffffe: counting up", .uid_count = 3, .uid_step = 1,
			.set_macs = true, .mac = { 0x00fffffffffe });
		REFUSED(&later, -EINVAL, "one station", .set_macs = true, .mac = { 0x010000000001 });
		REFUSED(&later, -EINVAL, "255", .uid_count = 256);
	}
	fixture_free(&later);
}

static void impossible_roms(void)
{
	struct fixture image;
	size_t length, marker;
	uint8_t *rom = make_rom(0x1000, &length);

	if (!make(&image, FS4))
		return;
	for (marker = 0; memcmp(rom + marker, "mlxsign:", 8); marker++)
		;
	REFUSED(&image, -EINVAL, "multiple of 4", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom,
		.rom_length = length - 1);
	REFUSED(&image, -EINVAL, "multiple of 4", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom, .rom_length = 0);
	REFUSED(&image, -EINVAL, "claims", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom, .rom_length = 512);
	rom[marker] ^= 1;
	REFUSED(&image, -EINVAL, "mlxsign:", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom, .rom_length = length);
	rom[marker] ^= 1;
	rom[0x50] ^= 1;
	REFUSED(&image, -EINVAL, "add up", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom, .rom_length = length);
	rom[0x50] ^= 1;
	rom[0] = 0;
	REFUSED(&image, -EINVAL, "55 aa", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom, .rom_length = length);
	rom[0] = 0x55;
	rom[0x1c] = 0;
	REFUSED(&image, -EINVAL, "PCIR", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom, .rom_length = length);
	free(rom);
	fixture_free(&image);
}

/* What is signed or encrypted keeps its firmware part; GUIDs and the card's VSD may change. */
static void signed_images(void)
{
	static const struct {
		uint32_t flags;
		bool keys_2048, keys_4096;
		const char *says;
	} cases[] = {
		{ 1U << 14 | 1U << 8, false, false, "signed_fw" },
		{ 1U << 15 | 1U << 14 | 1U << 8, false, false, "secure_fw" },
		{ 1U << 3, false, false, "encrypted" },
		{ 1U << 2, false, false, "secure_boot" },
		{ 1U << 8, true, false, "IMAGE_SIGNATURE_256" },
		{ 1U << 8, false, true, "IMAGE_SIGNATURE_512" },
	};
	struct image_edit ids = { .set_guids = true, .guid = { 0x1234 }, .vsd = "card" };
	unsigned int i, format;
	struct fixture image;

	for (i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct synthetic what = recipe(i & 1 ? FS3 : FS4);
		struct image_edit_result result;
		struct fixture edited;

		format = i / 2;
		what.security_flags = cases[format].flags;
		what.signature_2048 = cases[format].keys_2048;
		what.signature_4096 = cases[format].keys_4096;
		if (!make_from(&image, &what))
			return;
		REFUSED(&image, -EPERM, cases[format].says, .psid = "TST_OTHER");
		REFUSED(&image, -EPERM, cases[format].says, .name = "OTHER");
		REFUSED(&image, -EPERM, cases[format].says, .image_vsd = "OTHER");
		REFUSED(&image, -EPERM, cases[format].says, .ini = "[A]\n", .ini_length = 4);
		if (edit_of(&image, &ids, &edited, &result)) {
			CHECK(!result.digest_renewed);
			fixture_free(&edited);
		}
		fixture_free(&image);
	}
}

static void other_refusals(void)
{
	struct synthetic stripped = recipe(FS4_STRIPPED), encrypted = recipe(FS4), product = recipe(FS4);
	struct synthetic fs5 = recipe(FS4);
	struct fixture image;
	size_t length;
	uint8_t *rom = make_rom(0x800, &length);

	if (!make_from(&image, &stripped))
		return;
	REFUSED(&image, -EINVAL, "stripped", .set_guids = true, .guid = { 1 });
	REFUSED(&image, -EINVAL, "stripped", .vsd = "x");
	REFUSED(&image, -EINVAL, "stripped", .uid_count = 2);
	fixture_free(&image);
	encrypted.encrypted = true;
	if (!make_from(&image, &encrypted))
		return;
	REFUSED(&image, -EPERM, "encrypted", .psid = "TST_OTHER");
	fixture_free(&image);
	product.product = "16.35.2000";
	if (!make_from(&image, &product))
		return;
	REFUSED(&image, -EPERM, "product version 16.35.2000", .rom_edit = IMAGE_ROM_REPLACE, .rom = rom,
		.rom_length = length);
	fixture_free(&image);
	fs5.format = SYNTHETIC_FS5;
	if (!make_from(&image, &fs5))
		return;
	REFUSED(&image, -EOPNOTSUPP, "FS5", .psid = "TST_OTHER");
	fixture_free(&image);
	free(rom);
}

static void identity_from_mfg_info(void)
{
	const struct image_section *mfg;
	struct fixture image;
	struct seen seen;
	uint8_t *entry;

	if (!make(&image, FS4) || !see(&image, &seen))
		return;
	mfg = section_of(&seen, 0xe0, true, 0);
	REQUIRE(mfg);
	image.bytes[mfg->start + 0x1f] &= ~1;
	entry = image.bytes + mfg->described_at;
	cxsim_put_be32(entry + 0x18, cxsim_crc16(image.bytes + mfg->start, mfg->length));
	cxsim_put_be32(entry + 0x1c, cxsim_crc16(entry, 0x1c));
	REFUSED(&image, -EINVAL, "guids_override_en", .set_guids = true, .guid = { 1 });
	REFUSED(&image, -EINVAL, "guids_override_en", .uid_step = 1);
	free(seen.ini);
	fixture_free(&image);
}

/* An image is edited only when it is whole. */
static void damage_is_refused(void)
{
	struct fixture image;
	struct seen seen;
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		if (!make(&image, i) || !see(&image, &seen))
			return;
		image.bytes[seen.sections[seen.count / 2].start] ^= 0x10;
		REFUSED(&image, -EBADMSG, "", .psid = "TST_OTHER");
		image.bytes[seen.sections[seen.count / 2].start] ^= 0x10;
		image.bytes[0] ^= 0x10;
		REFUSED(&image, -ENOENT, "magic", .psid = "TST_OTHER");
		free(seen.ini);
		fixture_free(&image);
	}
}

/* No room: neither a ROM as large as the slot, nor an INI of noise. */
static void no_room(void)
{
	struct image_edit edit = { .rom_edit = IMAGE_ROM_REPLACE };
	struct fixture image;
	unsigned int kind;
	uint8_t *rom = make_rom(0x200000, &edit.rom_length);

	edit.rom = rom;
	for (kind = FS3; kind <= FS4; kind += FS4 - FS3) {
		if (!make(&image, kind))
			break;
		refused(&image, &edit, -ENOSPC, "place ends", __LINE__);
		fixture_free(&image);
	}
	free(rom);
}

static void an_edit_of_nothing(void)
{
	struct image_edit nothing = { 0 };
	struct image_edit_result result;
	struct fixture image, edited;
	unsigned int kind;

	for (kind = 0; kind < KINDS; kind++) {
		if (!make(&image, kind) || !edit_of(&image, &nothing, &edited, &result))
			return;
		CHECK(edited.length == image.length && !memcmp(edited.bytes, image.bytes, image.length));
		fixture_free(&edited);
		fixture_free(&image);
	}
}

/* ---- layouts ---- */

/* FS5: device data only, with and without a component header behind the file. FS4: tables elsewhere. */
static void device_data_of_other_layouts(void)
{
	struct image_edit edit = { .set_guids = true, .set_macs = true, .guid = { 0x1234 }, .mac = { 0x5678 },
				   .vsd = "card", .uid_count = 3, .uid_step = 5 };
	struct fixture image;
	struct seen before;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct synthetic what = { .code_size = 0x4000 };

		what.format = i < 2 ? SYNTHETIC_FS5 : SYNTHETIC_FS4;
		what.encapsulated = i == 1;
		what.dtoc_divisor = i == 2 ? 1 : 0;
		what.second_itoc = i == 3;
		if (!make_from(&image, &what) || !see(&image, &before))
			return;
		one_edit(&image, &before, &edit);
		if (i < 2)
			REFUSED(&image, -EOPNOTSUPP, "digests of FS5", .psid = "TST_OTHER");
		if (ktap_failed())
			ktap_note("layout %u", i);
		free(before.ini);
		fixture_free(&image);
	}
}

/* A user's section behind the INI: it moves, and its bytes do not change. */
static void an_fs2_ini_in_the_middle_grows(void)
{
	static const char user_data[] = "bytes of a user.";
	struct image_edit edit = { .psid = "TST_RETAGGED", .name = "A_LONGER_NAME_THAN_BEFORE_A1" };
	struct image_edit back = { 0 };
	struct fixture image, longer;
	struct ini_board board;
	struct image_error error;
	struct seen before;
	struct ini ini;
	uint32_t at, end;

	if (!make(&image, FS2))
		return;
	at = fixture_section(&image, 9, 0);
	end = image.length;
	fixture_hold(&longer, calloc(1, end + 36), end + 36);
	memcpy(longer.bytes, image.bytes, end);
	cxsim_put_be32(longer.bytes + at + 12, end);
	fixture_reseal(&longer, at);
	cxsim_put_be32(longer.bytes + end, 8);
	cxsim_put_be32(longer.bytes + end + 4, 4);
	cxsim_put_be32(longer.bytes + end + 12, 0xff000000);
	memcpy(longer.bytes + end + 16, user_data, 16);
	fixture_reseal(&longer, end);
	cxsim_put_be32(longer.bytes + 0x30, end + 36);
	fixture_reseal_image(&longer);
	if (see(&longer, &before) && !ini_parse(before.ini, before.ini_length, &ini, &error)) {
		one_edit(&longer, &before, &edit);
		ini_board(&ini, &board);
		back.psid = board.psid;
		back.name = board.name;
		there_and_back(&longer, &edit, &back);
		ini_free(&ini);
		free(before.ini);
	}
	fixture_free(&longer);
	fixture_free(&image);
}

/* What follows an FS2 image in its file stays as long as the image keeps its length. */
static void behind_an_fs2_image(void)
{
	struct image_edit same = { .vsd = "x" }, longer = { .psid = "TST_RETAGGED" };
	struct image_edit_result result;
	struct fixture image, padded, edited;

	if (!make(&image, FS2))
		return;
	fixture_hold(&padded, malloc(image.length + 0x100), image.length + 0x100);
	memset(padded.bytes, 0xff, padded.length);
	memcpy(padded.bytes, image.bytes, image.length);
	if (edit_of(&padded, &same, &edited, &result)) {
		CHECK_EQ(edited.length, padded.length);
		CHECK_EQ(edited.bytes[edited.length - 1], 0xff);
		fixture_free(&edited);
	}
	if (edit_of(&padded, &longer, &edited, &result)) {
		CHECK_EQ(edited.length, cxsim_get_be32(edited.bytes + 0x30));
		fixture_free(&edited);
	}
	fixture_free(&padded);
	fixture_free(&image);
}

/* A dump with the image in the second slot, or in stripes, is not an image to edit. */
static void dumps(void)
{
	static const enum kind kinds[] = { FS2, FS2, FS3, FS4 };
	static const unsigned int slots[] = { 0, 1, 1, 1 };
	struct image_edit edit = { .psid = "TST_OTHER" };
	struct fixture image, flash;
	size_t size = 1 << 23;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct synthetic what = recipe(kinds[i]);

		if (kinds[i] >= FS3) {
			what.size = size;
			what.log2 = 21;
		}
		if (!make_from(&image, &what))
			return;
		fixture_hold(&flash, synthetic_flash(image.bytes, image.length, &what, size, slots[i]), size);
		if (CHECK(flash.bytes))
			refused(&flash, &edit, -EINVAL, "extract the image", __LINE__);
		fixture_free(&flash);
		fixture_free(&image);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(random_edits),
	KTAP_TEST(texts_there_and_back),
	KTAP_TEST(ids_there_and_back),
	KTAP_TEST(rom_there_and_back),
	KTAP_TEST(the_first_psid_counts),
	KTAP_TEST(a_mark_of_another_image),
	KTAP_TEST(device_data_takes_turns),
	KTAP_TEST(an_ini_before_a_rom_grows),
	KTAP_TEST(impossible_requests),
	KTAP_TEST(impossible_roms),
	KTAP_TEST(signed_images),
	KTAP_TEST(other_refusals),
	KTAP_TEST(identity_from_mfg_info),
	KTAP_TEST(damage_is_refused),
	KTAP_TEST(no_room),
	KTAP_TEST(an_edit_of_nothing),
	KTAP_TEST(device_data_of_other_layouts),
	KTAP_TEST(an_fs2_ini_in_the_middle_grows),
	KTAP_TEST(behind_an_fs2_image),
	KTAP_TEST(dumps),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
