// SPDX-License-Identifier: GPL-2.0-only
/* user/image/compare*: every statement, on synthetic images that differ in one thing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/image/compare.h"
#include "../../user/image/ini.h"
#include "../lib/ktap.h"
#include "../lib/synthetic.h"

#define STATEMENTS 32

struct held {
	uint8_t *bytes;
	struct image_memory memory;
	struct image_subject subject;
};

struct told {
	int code;
	bool identical;
	struct image_error error;
	char ids[STATEMENTS][40];
	bool grave[STATEMENTS];
	unsigned int count;
	char facts[1024];		/* " psid version ..." */
	char other[1024], same[2048];	/* names of sections */
	unsigned int order;		/* how far the answer is: facts, sections, statements */
	bool disordered;
};

static const enum synthetic_format formats[] = { SYNTHETIC_FS2, SYNTHETIC_FS3, SYNTHETIC_FS4, SYNTHETIC_FS5 };
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static void hold(struct held *held, uint8_t *bytes, size_t length)
{
	struct image_error error = { 0 };

	held->bytes = bytes;
	held->memory = (struct image_memory){ bytes, length };
	held->subject.reader = image_memory_reader(&held->memory);
	if (!bytes ||
	    image_query(&held->subject.reader, IMAGE_LAYOUT_AUTO, 0, &held->subject.facts, &error)) {
		ktap_fail(__FILE__, __LINE__, "no image: %s", error.text);
		exit(1);
	}
	held->subject.place = held->subject.facts.place;
}

static void make(struct held *held, const struct synthetic *what)
{
	size_t length = 0;
	uint8_t *bytes = synthetic_image(what, &length);

	hold(held, bytes, length);
}

static void add(char *list, size_t room, const char *word)
{
	size_t used = strlen(list);

	snprintf(list + used, room - used, " %s", word);
}

static void stage(struct told *told, unsigned int now)
{
	told->disordered |= now < told->order;
	told->order = now;
}

static void on_fact(void *context, const struct image_fact_difference *difference)
{
	struct told *told = context;

	stage(told, 0);
	CHECK(strcmp(difference->first, difference->second));
	add(told->facts, sizeof(told->facts), difference->key);
}

static void on_section(void *context, const struct image_section_difference *difference)
{
	struct told *told = context;

	stage(told, 1);
	if (difference->difference == IMAGE_SAME_BYTES)
		add(told->same, sizeof(told->same), difference->name);
	else
		add(told->other, sizeof(told->other), difference->name);
	if (difference->difference == IMAGE_OTHER_BYTES)
		CHECK(difference->first_differing <= difference->first_length &&
		      difference->first_differing <= difference->second_length);
}

static void on_statement(void *context, const struct image_statement *statement)
{
	struct told *told = context;

	stage(told, 2);
	CHECK(*statement->text);
	if (told->count == STATEMENTS)
		return;
	snprintf(told->ids[told->count], sizeof(told->ids[0]), "%s", statement->id);
	told->grave[told->count++] = statement->grave;
}

static struct told compare_held(const struct held *one, const struct held *two)
{
	struct told told = { 0 };
	const struct image_compare_listener listener = { on_fact, on_section, on_statement, &told };

	told.code = image_compare(&one->subject, &two->subject, &listener, &told.identical, &told.error);
	CHECK(!told.disordered);
	return told;
}

static struct told compare(const struct synthetic *first, const struct synthetic *second)
{
	struct held one, two;
	struct told told;

	make(&one, first);
	make(&two, second);
	told = compare_held(&one, &two);
	if (told.code)
		ktap_fail(__FILE__, __LINE__, "%s", told.error.text);
	free(one.bytes);
	free(two.bytes);
	return told;
}

/* 0: not said; 1: said; 2: said, and grave. */
static unsigned int says(const struct told *told, const char *id)
{
	unsigned int i;

	for (i = 0; i < told->count; i++)
		if (!strcmp(told->ids[i], id))
			return told->grave[i] ? 2 : 1;
	return 0;
}

static bool grave(const struct told *told)
{
	unsigned int i;

	for (i = 0; i < told->count; i++)
		if (told->grave[i])
			return true;
	return false;
}

/* Says exactly these, in any order. */
static void check_says(const struct told *told, const char *const *ids, size_t count, int line)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!says(told, ids[i]))
			ktap_fail(__FILE__, line, "\"%s\" is not said", ids[i]);
	for (i = 0; told->count != count && i < told->count; i++)
		ktap_note("said: %s", told->ids[i]);
	if (told->count != count)
		ktap_fail(__FILE__, line, "%u statements instead of %zu", told->count, count);
}
#define CHECK_SAYS(told, ...) do { \
	const char *const ids_[] = { __VA_ARGS__ }; \
	check_says(told, ids_, sizeof(ids_) / sizeof(ids_[0]), __LINE__); \
} while (0)

static bool word(const char *list, const char *name)
{
	size_t length = strlen(name);
	const char *at = list;

	while ((at = strstr(at, name))) {
		if (at > list && at[-1] == ' ' && (!at[length] || at[length] == ' '))
			return true;
		at++;
	}
	return false;
}

/* ---- the same ---- */

static void identical(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic what = { .format = formats[i], .rom_size = 0x1000 };

		told = compare(&what, &what);
		CHECK(told.identical);
		CHECK_SAYS(&told, "identical");
		CHECK_STR(told.facts, "");
		CHECK_STR(told.other, "");
		CHECK(*told.same);
	}
}

static void only_identity(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i],
					 .guid = 0x0002c90300112230,
					 .mac = 0x0002c9112230 };
		struct synthetic two = one;

		two.guid += 0x100;
		two.mac += 0x100;
		if (formats[i] == SYNTHETIC_FS2)
			two.vsd = "another card";
		else
			two.device_vsd = "another card";
		told = compare(&one, &two);
		CHECK(told.identical);
		CHECK(says(&told, "same-but-identity"));
		CHECK(!grave(&told));
		CHECK(word(told.facts, "guids") && word(told.facts, "macs"));
		CHECK(!says(&told, "other-code") && !says(&told, "other-info"));
	}
}

/* A card's flash against the file that was burned: the second slot, FS2 in stripes. */
static void backup(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS2, .code_size = 0xa0000 };
	struct held file, flash;
	struct told told;
	uint8_t *dump;

	make(&file, &what);
	dump = synthetic_flash(file.bytes, file.memory.length, &what, 4 << 20, 1);
	hold(&flash, dump, 4 << 20);
	CHECK_EQ(flash.subject.place.slot, 1);
	told = compare_held(&file, &flash);
	CHECK_EQ(told.code, 0);
	CHECK(told.identical);
	CHECK_SAYS(&told, "identical");
	free(file.bytes);
	free(flash.bytes);
}

static void component_of_the_same(void)
{
	static const enum synthetic_format those[] = { SYNTHETIC_FS3, SYNTHETIC_FS4 };
	struct told told;
	size_t i;

	for (i = 0; i < 2; i++) {
		struct synthetic whole = { .format = those[i] },
				 component = { .format = those[i], .stripped = true };

		told = compare(&whole, &component);
		CHECK(told.identical);
		CHECK(says(&told, "stripped"));
		CHECK(!grave(&told));
	}
}

/* ---- boards ---- */

static void rebrand(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i],
					 .psid = "MT_0D90110009",
					 .name = "MHQH29C-XTR_A1" };
		struct synthetic two = one;

		two.psid = "DEL09A0000009";
		two.name = "JW2DN_A1";
		told = compare(&one, &two);
		CHECK(!told.identical);
		CHECK_EQ(says(&told, "other-psid"), 1);
		CHECK(says(&told, "rebrand") && says(&told, "other-name") && says(&told, "same-but-brand"));
		CHECK(!says(&told, "other-board") && !says(&told, "compiled-board-differs"));
		CHECK(!grave(&told));
		CHECK(word(told.facts, "psid") && word(told.facts, "board_name"));
	}
}

static void other_board(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i],
					 .psid = "MT_0D90110009",
					 .name = "MHQH29C-XTR_A1",
					 .board_seed = 5 };
		struct synthetic two = { .format = formats[i],
					 .psid = "MT_0DD0120009",
					 .name = "MHQH19B-XTR_A1",
					 .board_seed = 6 };

		told = compare(&one, &two);
		CHECK_EQ(says(&told, "other-psid"), 2);
		CHECK_EQ(says(&told, "other-board"), 2);
		CHECK_EQ(says(&told, "compiled-board-differs"), 2);
		CHECK(!says(&told, "rebrand") && !says(&told, "same-but-brand"));
	}
}

static void other_board_revision(void)
{
	struct synthetic one = { .format = SYNTHETIC_FS2, .name = "MCX311A-XCAT_A1", .board_seed = 5 };
	struct synthetic two = one;
	struct told told;

	two.name = "MCX311A-XCAT_A3";
	two.board_seed = 6;
	told = compare(&one, &two);
	CHECK_EQ(says(&told, "other-board-revision"), 2);
	CHECK(!says(&told, "other-board"));
	CHECK(word(told.facts, "board_revision"));
	/* Ax is every A. */
	one.name = "MCX311A-XCAT_Ax";
	told = compare(&one, &two);
	CHECK(!says(&told, "other-board-revision"));
	/* Only the name says so: nothing that matters to the hardware differs. */
	one.name = "MCX311A-XCAT_A1";
	one.board_seed = 6;
	told = compare(&one, &two);
	CHECK(!says(&told, "other-board-revision") && says(&told, "other-name"));
	CHECK(!grave(&told));
}

static void single_port(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i], .ports = 1 },
				 two = { .format = formats[i], .ports = 2 };

		told = compare(&one, &two);
		CHECK_EQ(says(&told, "single-port-image"), 2);
		CHECK(word(told.facts, "ports"));
		told = compare(&two, &two);
		CHECK(!says(&told, "single-port-image"));
	}
}

static void ports_of_an_ini(void)
{
	CHECK_EQ(image_ini_ports("[IB]\nnum_of_ports = Two_Ports\n"), 2);
	CHECK_EQ(image_ini_ports("[IB]\nnum_of_ports = One_Port\n"), 1);
	CHECK_EQ(image_ini_ports("[IB]\nnum_of_ports=1\n"), 1);
	CHECK_EQ(image_ini_ports("[fw_main_config]\nfoo.num_of_ports = 2\n"), 2);
	CHECK_EQ(image_ini_ports("[x]\ncore_fw_main_config.num_of_ib_ports = 32\n"), 0);
	CHECK_EQ(
		image_ini_ports("[PS_INFO]\nName = X\nDescription = card; 10GigE; dual-port SFP+; PCIe3.0\n"),
		2);
	CHECK_EQ(image_ini_ports("[image_info]\nname = X\ndescription = Single Port QSFP\n"), 1);
	CHECK_EQ(image_ini_ports("[image_info]\nname = X\ndescription = a switch; 48 SFP28 ports\n"), 0);
	CHECK_EQ(image_ini_ports("[image_info]\nname = X\ndescription = supports port mirroring\n"), 0);
	CHECK_EQ(image_ini_ports(""), 0);
	CHECK_EQ(image_ini_ports(NULL), 0);
}

static void compiled_board(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i], .board_seed = 5 },
				 two = { .format = formats[i], .board_seed = 6 };

		told = compare(&one, &two);
		CHECK_EQ(says(&told, "compiled-board-differs"), 2);
		/* Between versions that is usual. */
		two.version = formats[i] == SYNTHETIC_FS2 ? "2.42.5016" :
			      formats[i] == SYNTHETIC_FS3 ? "12.28.2040" :
			      formats[i] == SYNTHETIC_FS4 ? "16.35.3006" :
							    "40.45.1300";
		told = compare(&one, &two);
		CHECK_EQ(says(&told, "compiled-board-differs"), 1);
	}
}

static void other_family(void)
{
	struct synthetic cx3 = { .format = SYNTHETIC_FS2, .hw_id = 0x1f5 },
			 cx2 = { .format = SYNTHETIC_FS2, .hw_id = 0x190 };
	struct synthetic cx5 = { .format = SYNTHETIC_FS4, .hw_id = 0x20d },
			 cx6 = { .format = SYNTHETIC_FS4, .hw_id = 0x20f };
	struct synthetic later = { .format = SYNTHETIC_FS4, .hw_id = 0x20d, .hw_revision = 1 };
	struct told told;

	told = compare(&cx3, &cx5);
	CHECK_EQ(says(&told, "other-family"), 2);
	CHECK(!told.identical && word(told.facts, "format"));
	told = compare(&cx3, &cx2);
	CHECK_EQ(says(&told, "other-family"), 2);
	told = compare(&cx5, &cx6);
	CHECK_EQ(says(&told, "other-family"), 2);
	told = compare(&cx5, &later);
	CHECK_EQ(says(&told, "other-chip-revision"), 2);
	CHECK(!says(&told, "other-family"));
}

/* ---- parts ---- */

static void only_the_rom(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic without = { .format = formats[i] },
				 with = { .format = formats[i], .rom_size = 0x2000 };
		struct synthetic newer = with;

		told = compare(&without, &with);
		CHECK(!told.identical && !grave(&told));
		CHECK_SAYS(&told, "other-rom", "same-but-rom");
		CHECK(word(told.facts, "roms"));
		newer.rom_version = "3.5.110";
		newer.rom_size = 0x3000;
		told = compare(&with, &newer);
		CHECK_SAYS(&told, "other-rom", "same-but-rom");
	}
}

/* The sections behind a ROM move; that alone is no difference. */
static void what_moved_is_the_same(void)
{
	struct synthetic without = { .format = SYNTHETIC_FS2 },
			 with = { .format = SYNTHETIC_FS2, .rom_size = 0x2000 };
	struct told told = compare(&without, &with);

	CHECK_STR(told.other, " ROM");
	CHECK(word(told.same, "DDR") && word(told.same, "Configuration") && word(told.same, "GUID"));
}

static void only_the_ini(void)
{
	static const char text[] =
		"[PS_INFO]\nName = X_A1\n[ADAPTER]\nPSID = MT_0000000001\n[IB]\nnum_of_ports = Two_Ports\n";
	char other[sizeof(text) + 16];
	struct told told;
	size_t i;

	snprintf(other, sizeof(other), "%s; a word\n", text);
	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i], .psid = "MT_0000000001", .ini = text };
		struct synthetic two = one;

		two.ini = other;
		told = compare(&one, &two);
		CHECK(!told.identical && !grave(&told));
		CHECK_SAYS(&told, "other-ini", "same-but-ini");
		/* The digest follows the text. */
		if (formats[i] == SYNTHETIC_FS2)
			continue;
		one.digest = two.digest = true;
		told = compare(&one, &two);
		CHECK_SAYS(&told, "other-ini", "same-but-ini");
		CHECK(word(told.other, "IMAGE_SIGNATURE_256"));
	}
}

static void only_the_image_vsd(void)
{
	struct synthetic one = { .format = SYNTHETIC_FS4, .vsd = "one" },
			 two = { .format = SYNTHETIC_FS4, .vsd = "two" };
	struct told told = compare(&one, &two);

	CHECK_SAYS(&told, "other-vsd", "same-but-vsd");
	CHECK(word(told.facts, "image_vsd"));
}

static void other_code(void)
{
	struct told told;
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		struct synthetic one = { .format = formats[i], .seed = 3 },
				 two = { .format = formats[i], .seed = 4 };

		told = compare(&one, &two);
		CHECK(says(&told, "other-code"));
		CHECK(!told.identical);
	}
}

/* One byte of code, its CRC not even mended: the comparison is of bytes. */
static void one_byte(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS4 };
	struct held one, two;
	struct told told;

	make(&one, &what);
	make(&two, &what);
	two.bytes[0x1000 + 0x20] ^= 1;		/* BOOT2 */
	told = compare_held(&one, &two);
	CHECK_EQ(told.code, 0);
	CHECK(!told.identical && says(&told, "other-code"));
	CHECK_STR(told.other, " BOOT2");
	two.bytes[0x1000 + 0x20] ^= 1;
	two.bytes[0x100] ^= 1;			/* the boot record, which no section holds */
	told = compare_held(&one, &two);
	CHECK(!told.identical && says(&told, "other-header"));
	free(one.bytes);
	free(two.bytes);
}

/* ---- versions, security, marks ---- */

static void versions(void)
{
	struct synthetic old = { .format = SYNTHETIC_FS2, .version = "2.10.720" },
			 new = { .format = SYNTHETIC_FS2, .version = "2.42.5000" };
	struct synthetic cx5 = { .format = SYNTHETIC_FS4, .version = "16.35.2000" };
	struct synthetic cx4lx = { .format = SYNTHETIC_FS4, .version = "14.32.1010", .hw_id = 0x20d };
	struct held one, two;
	struct told told;

	told = compare(&old, &new);
	CHECK_EQ(says(&told, "other-version"), 1);
	/* Version and time alone, of all compiled records. */
	CHECK(!says(&told, "compiled-board-differs"));
	CHECK(word(told.facts, "firmware_version"));
	told = compare(&new, &old);
	CHECK_EQ(says(&told, "other-version"), 1);
	told = compare(&cx5, &cx4lx);
	CHECK(says(&told, "versions-not-comparable") && !says(&told, "other-version"));
	make(&one, &new);
	make(&two, &new);
	two.subject.facts.time ^= 1;
	told = compare_held(&one, &two);
	CHECK(says(&told, "other-build"));
	free(one.bytes);
	free(two.bytes);
}

static void security(void)
{
	struct synthetic plain = { .format = SYNTHETIC_FS4 },
			 secure = { .format = SYNTHETIC_FS4,
				    .keys = true,
				    .signature_4096 = true,
				    .security_flags = IMAGE_SECURITY_SECURE | IMAGE_SECURITY_SIGNED |
						      IMAGE_SECURITY_MCC,
				    .security_version = 3 };
	struct synthetic hidden = { .format = SYNTHETIC_FS4, .encrypted = true }, card = hidden;
	struct told told;

	told = compare(&plain, &secure);
	CHECK_EQ(says(&told, "other-security"), 2);
	CHECK_EQ(says(&told, "other-security-version"), 2);
	told = compare(&plain, &hidden);
	CHECK_EQ(says(&told, "other-encryption"), 2);
	CHECK(!told.identical);
	told = compare(&hidden, &hidden);
	CHECK(told.identical && says(&told, "identical"));
	/* What belongs to the card is in clear. */
	card.guid = 0x0002c90300112230;
	told = compare(&hidden, &card);
	CHECK(told.identical && says(&told, "same-but-identity") && !says(&told, "identical"));
}

static void retagged(void)
{
	static const char text[] =
		"[PS_INFO]\nName = X_A1\n[ADAPTER]\nPSID = DEL09A0000009\n[IB]\nnum_of_ports = 2\n";
	struct synthetic one = { .format = SYNTHETIC_FS2, .psid = "DEL09A0000009", .ini = text }, two = one;
	struct image_error error = { 0 };
	char *marked = NULL;
	struct told told;
	size_t length;

	REQUIRE(!ini_mark_retagged(text, strlen(text), "MT_0D90110009", "DEL09A0000009", &marked, &length,
				   &error));
	marked = realloc(marked, length + 1);
	marked[length] = '\0';
	two.ini = marked;
	told = compare(&one, &two);
	CHECK_EQ(says(&told, "retagged"), 2);
	/* The card's own image has that PSID too: the rest speaks for the board, or against it. */
	CHECK_EQ(says(&told, "evidence"), 1);
	one.board_seed = 7;
	told = compare(&two, &one);
	CHECK_EQ(says(&told, "evidence"), 2);
	one.board_seed = 0;
	one.hw_revision = 1;
	told = compare(&two, &one);
	CHECK_EQ(says(&told, "evidence"), 2);
	one.hw_revision = 0;
	/* What it was made of has the same board sections, of course: that is no rebrand. */
	one.psid = "MT_0D90110009";
	told = compare(&one, &two);
	CHECK_EQ(says(&told, "other-psid"), 2);
	CHECK(says(&told, "board-of-copy") && !says(&told, "rebrand") && !says(&told, "evidence"));
	told = compare(&one, &one);
	CHECK(!says(&told, "retagged") && !says(&told, "evidence"));
	free(marked);
}

/* The quick look finds what the whole text says, wherever the mark stands. */
static void mark_in_a_long_ini(void)
{
	static const char mark[] = INI_RETAGGED "MT_0D90110009\n";
	static char text[0x20000];
	struct synthetic what = { .format = SYNTHETIC_FS2, .ini = text };
	size_t before, at, i;
	char from[17];
	struct held held;
	bool long_line;

	for (before = 0; before < 0x10000; before += before < 0x3f00 || before > 0x4100 ? 1361 : 13) {
		long_line = before % 2;
		at = snprintf(text, sizeof(text), "[a]\n");
		for (i = 0; i < before; i++)
			text[at++] = long_line || i % 61 ? 'a' + i * 7 % 26 : ';';
		for (i = 60; !long_line && i < before; i += 61)
			text[4 + i] = '\n';
		at += snprintf(text + at, sizeof(text) - at, "\n%s[b]\nkey = value\n", mark);
		make(&held, &what);
		CHECK(image_retagged(&held.subject.reader, &held.subject.place, from));
		CHECK_STR(from, "MT_0D90110009");
		free(held.bytes);
		/* Within a line it is no mark. */
		text[at - strlen(mark) - strlen("[b]\nkey = value\n") - 1] = 'x';
		make(&held, &what);
		CHECK(!image_retagged(&held.subject.reader, &held.subject.place, from));
		CHECK_STR(from, "");
		free(held.bytes);
	}
}

static void other_slots(void)
{
	struct synthetic one = { .format = SYNTHETIC_FS4, .log2 = 22 },
			 two = { .format = SYNTHETIC_FS4, .log2 = 23 };
	struct told told = compare(&one, &two);

	CHECK_EQ(says(&told, "other-slot-size"), 2);
	CHECK(word(told.facts, "slot_size"));
}

/* ---- damage ---- */

/* A table that leads nowhere is an error, not a crash and not "the same". */
static void damaged_table(void)
{
	struct synthetic what = { .format = SYNTHETIC_FS2 };
	struct held one, two;
	struct told told;
	size_t i;

	make(&one, &what);
	make(&two, &what);
	for (i = 0; i < 400; i++) {
		size_t at = 0x38 + i * 61 % (two.memory.length - 0x38);

		two.bytes[at] ^= 0x80;
		told = compare_held(&one, &two);
		CHECK(told.code || !told.identical || says(&told, "same-but-identity") ||
		      says(&told, "identical"));
		if (told.code)
			CHECK(*told.error.text);
		two.bytes[at] ^= 0x80;
	}
	free(one.bytes);
	free(two.bytes);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(identical),
		KTAP_TEST(only_identity),
		KTAP_TEST(backup),
		KTAP_TEST(component_of_the_same),
		KTAP_TEST(rebrand),
		KTAP_TEST(other_board),
		KTAP_TEST(other_board_revision),
		KTAP_TEST(single_port),
		KTAP_TEST(ports_of_an_ini),
		KTAP_TEST(compiled_board),
		KTAP_TEST(other_family),
		KTAP_TEST(only_the_rom),
		KTAP_TEST(what_moved_is_the_same),
		KTAP_TEST(only_the_ini),
		KTAP_TEST(only_the_image_vsd),
		KTAP_TEST(other_code),
		KTAP_TEST(one_byte),
		KTAP_TEST(versions),
		KTAP_TEST(security),
		KTAP_TEST(retagged), KTAP_TEST(mark_in_a_long_ini),
		KTAP_TEST(other_slots),
		KTAP_TEST(damaged_table),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
