// SPDX-License-Identifier: GPL-2.0-only
/* Board INI texts: parsed, checked, renamed and marked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/image/ini.h"
#include "../lib/ktap.h"

static const char fs2_text[] =
	";; made by hand = not an assignment\n"
	"[PS_INFO]\n"
	"Name = MCX0000-XX_A2\n"
	"Description = one; two; three\n"
	"PRS_name    =\tboard.prs  \r\n"
	"\n"
	"[ADAPTER]\n"
	"PSID=TST_0001\n"
	"silicon_rev = 0x00\n"
	"[IB]\n"
	"num_of_ports = Two_Ports\n"
	"port2_802_3ap_kx4_ability = true\n";

static const char later_text[] =
	";;[PS_INFO]\n"
	";;Name = COMMENTED_A1\n"
	"[image_info]\n"
	"board_name=TOR\n"
	"psid = TST_0000000002\n"
	"name = MSN0000_Ax\n"
	"[boot_record]\n"
	"[hw_main_config]\n"
	"module.num[0].m2l.tx.lane[0].serdes = 7\n";

static bool parse(const char *text, struct ini *ini)
{
	struct image_error error = { 0 };
	int code = ini_parse(text, strlen(text), ini, &error);

	if (code)
		ktap_fail(__FILE__, __LINE__, "%d %s", code, error.text);
	return !code;
}

static void parsed(void)
{
	struct ini_board board;
	struct ini ini;

	REQUIRE(parse(fs2_text, &ini));
	CHECK_EQ(ini.count, 7);
	CHECK_EQ(ini.values[3].line, 8);
	CHECK_STR(ini.values[3].section, "ADAPTER");
	CHECK_STR(ini_get(&ini, "ps_info", "DESCRIPTION"), "one; two; three");
	CHECK(!ini_get(&ini, "HCA", "PSID"));
	ini_board(&ini, &board);
	CHECK_STR(board.psid, "TST_0001");
	CHECK_STR(board.name, "MCX0000-XX_A2");
	CHECK_STR(board.prs_name, "board.prs");
	CHECK_STR(board.revision, "A2");
	ini_free(&ini);
	REQUIRE(parse(later_text, &ini));
	ini_board(&ini, &board);
	CHECK_STR(board.psid, "TST_0000000002");
	CHECK_STR(board.name, "MSN0000_Ax");
	CHECK_STR(board.revision, "Ax");
	CHECK(!board.description);
	ini_free(&ini);
}

static void revisions(void)
{
	static const struct {
		const char *name, *revision;
	} names[] = {
		{ "MCX312B-XCC_Ax", "Ax" }, { "0T483W_A1", "A1" }, { "A_B_C3", "C3" }, { "NAME", "" },
		{ "NAME_", "" }, { "NAME_AX", "" }, { "NAME_A12", "" }, { "NAME_a1", "" }, { "_A1", "A1" },
	};
	struct ini_board board;
	char text[80];
	struct ini ini;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text), "[PS_INFO]\nName = %s\n", names[i].name);
		REQUIRE(parse(text, &ini));
		ini_board(&ini, &board);
		CHECK_STR(board.revision, names[i].revision);
		ini_free(&ini);
	}
}

static void wrong_lines(void)
{
	static const struct {
		const char *text, *says;
		size_t length;
	} cases[] = {
		{ "[A]\nno assignment\n", "line 2", 0 },	{ "[A\n", "line 1", 0 },
		{ "[]\n", "line 1", 0 },			{ "\n\n= 3\n", "line 3", 0 },
		{ "[A]\n ;indented\n", "line 2", 0 },		{ "[A]\nkey = a\0b\n", "line 2", 14 },
		{ ";\0\n[A]\n", "line 1", 7 },
	};
	struct image_error error;
	struct ini ini;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = cases[i].length ? cases[i].length : strlen(cases[i].text);

		memset(&error, 0, sizeof(error));
		CHECK_EQ(ini_parse(cases[i].text, length, &ini, &error), -EBADMSG);
		CHECK(strstr(error.text, cases[i].says));
	}
	CHECK(!ini_parse("", 0, &ini, &error) && !ini.count);
	ini_free(&ini);
	CHECK(!ini_parse("[A]\nb=1\0\0", 9, &ini, &error) && ini.count == 1);
	ini_free(&ini);
}

/* ---- checks ---- */

struct said {
	unsigned int count;
	enum image_verdict worst;
	char text[2000];
};

static void hear(void *context, const struct image_finding *finding)
{
	struct said *said = context;
	size_t used = strlen(said->text);

	said->count++;
	if (finding->verdict > said->worst)
		said->worst = finding->verdict;
	snprintf(said->text + used, sizeof(said->text) - used, "%llu %s: %s\n",
		 (unsigned long long)finding->where, finding->part, finding->text);
}

static struct said check(const char *text)
{
	struct said said = { 0 };
	struct image_listener listener = { NULL, hear, &said };
	enum image_verdict verdict = IMAGE_GOOD;
	struct image_error error = { 0 };
	int code = ini_check(text, strlen(text), &listener, &verdict, &error);

	if (code)
		ktap_fail(__FILE__, __LINE__, "%d %s", code, error.text);
	CHECK_EQ(verdict, said.worst);
	return said;
}

static void one_finding(const char *text, enum image_verdict worst, const char *says, int line)
{
	struct said said = check(text);

	if (said.count != 1 || said.worst != worst || !strstr(said.text, says))
		ktap_fail(__FILE__, line, "%u findings, expected one with \"%s\": %s", said.count, says,
			  said.text);
}

#define BOARD "[PS_INFO]\nName = N_A1\n[ADAPTER]\nPSID = TST_1\n"
#define ONE(worst, says, text) one_finding(text, worst, says, __LINE__)

static void checked(void)
{
	CHECK_EQ(check(fs2_text).count, 0);
	CHECK_EQ(check(later_text).count, 0);
	CHECK_EQ(check(BOARD).count, 0);
	ONE(IMAGE_DAMAGED, "[ADAPTER] PSID: the PSID is missing", "[PS_INFO]\nName = N_A1\n");
	ONE(IMAGE_DAMAGED, "1 to 16", "[PS_INFO]\nName = N_A1\n[ADAPTER]\nPSID = 12345678901234567\n");
	ONE(IMAGE_DAMAGED, "character 3", "[PS_INFO]\nName = N_A1\n[ADAPTER]\nPSID = MT 1\n");
	ONE(IMAGE_DAMAGED, "[PS_INFO] Name: the name is missing", "[ADAPTER]\nPSID = TST_1\n");
	ONE(IMAGE_UNUSUAL, "board revision", "[PS_INFO]\nName = NAME\n[ADAPTER]\nPSID = TST_1\n");
	ONE(IMAGE_UNUSUAL, "5 [adapter]: the section is there twice", BOARD "[adapter]\n");
	ONE(IMAGE_UNUSUAL, "in lines 4 and 5", BOARD "psid=TST_1\n");
	ONE(IMAGE_DAMAGED, "line 4 says TST_1, line 5 says TST_2", BOARD "psid=TST_2\n");
	ONE(IMAGE_UNUSUAL, "5 [ADAPTER] nonsense: no known board has this key", BOARD "nonsense = 1\n");
	ONE(IMAGE_UNUSUAL, "5 [NEW]: no known board has a section", BOARD "[NEW]\nwhat = ever\n");
	ONE(IMAGE_UNUSUAL, "1 [] early: it stands before any section", "early = 1\n" BOARD);
	ONE(IMAGE_UNUSUAL, "6 [fw_main_config] a b", BOARD "[fw_main_config]\na b = 1\n");
	ONE(IMAGE_UNUSUAL, "6 [IB] mdio_en_port1", BOARD "[IB]\nmdio_en_port1 = 1\n");
}

/* ---- changes ---- */

static void same_text(const char *is, size_t length, const char *expected, int line)
{
	if (length != strlen(expected) || memcmp(is, expected, length))
		ktap_fail(__FILE__, line, "\"%s\", expected \"%s\"", is, expected);
}

static void renamed(void)
{
	static const char text[] =
		";psid = a\n[image_info]\npsid\t=  OLD  \r\nname=\n[ADAPTER]\nPSID=OLD;x\nName = kept";
	static const char expected[] =
		";psid = a\n[image_info]\npsid\t=  NEW_PSID  \r\nname=N_A1\n[ADAPTER]\nPSID=NEW_PSID\nName = kept";
	struct image_error error;
	size_t length;
	char *out;

	REQUIRE(!ini_rename(text, strlen(text), "NEW_PSID", "N_A1", &out, &length, &error));
	same_text(out, length, expected, __LINE__);
	free(out);
	REQUIRE(!ini_rename(text, strlen(text), NULL, NULL, &out, &length, &error));
	same_text(out, length, text, __LINE__);
	free(out);
	CHECK_EQ(ini_rename("[IB]\nPSID = x\n", 14, "Y", NULL, &out, &length, &error), -ENOENT);
	CHECK(strstr(error.text, "PSID") && !out);
	CHECK_EQ(ini_rename(";Name = x\n[PS_INFO]\n", 20, NULL, "Y", &out, &length, &error), -ENOENT);
}

static void mark(const char *text, const char *from, const char *to, const char *expected, int line)
{
	struct image_error error;
	size_t length;
	char *out;

	if (ini_mark_retagged(text, strlen(text), from, to, &out, &length, &error)) {
		ktap_fail(__FILE__, line, "%s", error.text);
		return;
	}
	same_text(out, length, expected, line);
	free(out);
}

static void marked(void)
{
	static const char *const texts[] = { "", "a=1\n", "a=1", "a=1\r\n", "\n", "a=1\n\n" };
	struct image_error error;
	char *once, *twice;
	size_t length, i;
	char from[17];

	mark("a=1\n", "OLD", "NEW", "a=1\n" INI_RETAGGED "OLD\n", __LINE__);
	mark("a=1", "OLD", "NEW", "a=1\n" INI_RETAGGED "OLD", __LINE__);
	mark("a=1\n", "OLD", "OLD", "a=1\n", __LINE__);
	mark("a=1\n" INI_RETAGGED "FIRST\n", "OLD", "NEW", "a=1\n" INI_RETAGGED "FIRST\n", __LINE__);
	mark("a=1\n" INI_RETAGGED "FIRST\nb=2\n", "OLD", "FIRST", "a=1\nb=2\n", __LINE__);
	/* Inside a value it is no mark. */
	mark("a=" INI_RETAGGED "FIRST\n", "OLD", "NEW", "a=" INI_RETAGGED "FIRST\n" INI_RETAGGED "OLD\n",
	     __LINE__);
	REQUIRE(!ini_mark_retagged("a=1\n\0\0", 6, "OLD", "NEW", &once, &length, &error));
	same_text(once, length, "a=1\n" INI_RETAGGED "OLD\n", __LINE__);
	free(once);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		REQUIRE(!ini_mark_retagged(texts[i], strlen(texts[i]), "FIRST", "B", &once, &length, &error));
		CHECK(image_ini_retagged(once, from));
		CHECK_STR(from, "FIRST");
		REQUIRE(!ini_mark_retagged(once, length, "B", "FIRST", &twice, &length, &error));
		same_text(twice, length, texts[i], __LINE__);
		free(once);
		free(twice);
	}
}

/* Any bytes: an answer or an error, and a copy that is the same when nothing is changed. */
static void any_bytes(void)
{
	static const char letters[] = "[];=\n\r\t ab\0PSIDName_1";
	unsigned long long state = ktap_seed();
	enum image_verdict verdict;
	struct image_error error;
	unsigned int round, i;
	char text[200], *out;
	size_t length;
	struct ini ini;

	for (round = 0; round < 3000; round++) {
		for (i = 0; i < sizeof(text); i++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			text[i] = letters[(state >> 33) % (sizeof(letters) - 1)];
		}
		length = state >> 40 & 127;
		if (!ini_parse(text, length, &ini, &error))
			ini_free(&ini);
		if (!ini_check(text, length, NULL, &verdict, &error))
			CHECK(verdict == IMAGE_DAMAGED || length > 20);
		if (!ini_rename(text, length, NULL, NULL, &out, &length, &error)) {
			CHECK(!memcmp(out, text, length));
			free(out);
		}
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(parsed),   KTAP_TEST(revisions), KTAP_TEST(wrong_lines), KTAP_TEST(checked),
	KTAP_TEST(renamed),  KTAP_TEST(marked),	   KTAP_TEST(any_bytes),
};

int main(int argc, char **argv)
{
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
