// SPDX-License-Identifier: GPL-2.0-only
/* What a card says may hold any byte: JSON stays valid and a terminal stays unharmed. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "../../user/base/output.h"
#include "../lib/ktap.h"

struct capture {
	FILE *file;
	char *text;
	size_t length;
};

static struct output *start(struct capture *capture, bool json, bool verbose)
{
	struct options options = { .json = json, .verbose = verbose };

	capture->file = open_memstream(&capture->text, &capture->length);
	return output_open(capture->file, &options);
}

static void finish(struct capture *capture, struct output *output)
{
	CHECK_EQ(output_close(output), 0);
	fclose(capture->file);
}

/* The string under key of what was written, parsed again; NULL when it is not valid JSON. */
static char *parsed(const char *text, const char *key)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object, *value;
	char *copy = NULL;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, -1);
	if (object && json_object_object_get_ex(object, key, &value))
		copy = strdup(json_object_get_string(value));
	json_object_put(object);
	json_tokener_free(tokener);
	return copy;
}

static void json_of_any_bytes(void)
{
	struct capture capture;
	struct output *output;
	char bytes[256], *back;
	int i;

	for (i = 0; i < 255; i++)
		bytes[i] = i + 1;
	bytes[255] = '\0';
	output = start(&capture, true, false);
	output_string(output, "vsd", bytes);
	finish(&capture, output);
	back = parsed(capture.text, "vsd");
	REQUIRE(back);
	CHECK(!strncmp(back, bytes, 127));
	CHECK(strstr(back, "\xef\xbf\xbd"));
	free(back);
	free(capture.text);
}

static void json_keeps_utf8(void)
{
	struct capture capture;
	struct output *output = start(&capture, true, false);
	char *back;

	output_string(output, "name", "\xe5\x8d\xa1 \"quoted\" \\ /dev/x\n\t");
	finish(&capture, output);
	CHECK(strstr(capture.text, "/dev/x"));
	back = parsed(capture.text, "name");
	REQUIRE(back);
	CHECK_STR(back, "\xe5\x8d\xa1 \"quoted\" \\ /dev/x\n\t");
	free(back);
	free(capture.text);
}

static void wrong_utf8_is_replaced(void)
{
	static const char *const wrong[] = {
		"\xc0\x80",		/* NUL in two bytes */
		"\xe0\x80\xaf",		/* too long */
		"\xed\xa0\x80",		/* a surrogate */
		"\xf4\x90\x80\x80",	/* beyond the last character */
		"\xe5\x8d",		/* cut */
		"\xff",
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *text = text_utf8(wrong[i], strlen(wrong[i]));
		size_t at;

		for (at = 0; text[at]; at += 3)
			CHECK(!strncmp(text + at, "\xef\xbf\xbd", 3));
		free(text);
	}
}

static void text_cannot_drive_a_terminal(void)
{
	struct capture capture;
	struct output *output = start(&capture, false, false);

	output_fact(output, "vsd", "VSD", "flash", "%s", "\x1b[2Jgone\r\nFirmware:  9.9.9 \xc2\x9b" "31m\x7f");
	finish(&capture, output);
	CHECK(!strchr(capture.text, '\x1b'));
	CHECK(!strchr(capture.text, '\r'));
	CHECK(!strstr(capture.text, "\xc2\x9b"));
	CHECK(strstr(capture.text, "\\x1b[2Jgone\\x0d\\x0a"));
	CHECK(strchr(capture.text, '\n') == capture.text + capture.length - 1);
	free(capture.text);
}

/* U+202E and its like show MT_0000000013 where other bytes stand. */
static void text_cannot_turn_its_direction(void)
{
	char *text = text_printable("\xe2\x80\xae" "310\xe2\x81\xa6\xe2\x80\xa8\xe5\x8d\xa1\xe2\x82\xac", 18);

	CHECK_STR(text, "\\xe2\\x80\\xae" "310\\xe2\\x81\\xa6\\xe2\\x80\\xa8\xe5\x8d\xa1\xe2\x82\xac");
	free(text);
}

static void sources_stand_beside_the_facts(void)
{
	struct capture capture;
	struct output *output = start(&capture, true, false);

	output_array(output, "cards");
	output_object(output, NULL);
	output_fact(output, "psid", "PSID", "register MGIR", "%s", "MT_0000000013");
	output_number(output, "size", 16777216);
	output_end(output);
	output_end(output);
	finish(&capture, output);
	CHECK_STR(capture.text, "{\"cards\":[{\"sources\":{\"psid\":\"register MGIR\"},\"psid\":\"MT_0000000013\","
		  "\"size\":16777216}]}\n");
	free(capture.text);
}

static void verbose_text_tells_the_source(void)
{
	struct capture capture;
	struct output *output = start(&capture, false, true);

	output_fact(output, "psid", "PSID", "register MGIR", "%s", "MT_0000000013");
	finish(&capture, output);
	CHECK(strstr(capture.text, "PSID:"));
	CHECK(strstr(capture.text, "[register MGIR]"));
	free(capture.text);
}

static void a_table_is_aligned(void)
{
	static const char *const headers[] = { "PCI", "MODEL", "PSID" };
	static const char *const row[] = { "0000:03:00.0", NULL, "X" };
	struct capture capture;
	struct output *output = start(&capture, false, false);

	output_table(output, headers, 3);
	output_row(output, row);
	output_table_end(output);
	finish(&capture, output);
	CHECK_STR(capture.text, "PCI           MODEL  PSID\n0000:03:00.0  -      X\n");
	free(capture.text);
}

static void an_error_is_json(void)
{
	struct capture capture;
	struct output *output = start(&capture, true, false);
	struct cxctl_error error;

	CHECK_EQ(error_set(&error, CXCTL_NO_CARD, "no-such-card", "there is no card %s", "x"), -1);
	error_next(&error, "look");
	output_error(output, &error);
	finish(&capture, output);
	CHECK_STR(capture.text, "{\"error\":{\"id\":\"no-such-card\",\"text\":\"there is no card x\",\"next\":\"look\","
		  "\"exit\":3}}\n");
	free(capture.text);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(json_of_any_bytes),
		KTAP_TEST(json_keeps_utf8),
		KTAP_TEST(wrong_utf8_is_replaced),
		KTAP_TEST(text_cannot_drive_a_terminal),
		KTAP_TEST(text_cannot_turn_its_direction),
		KTAP_TEST(sources_stand_beside_the_facts),
		KTAP_TEST(verbose_text_tells_the_source),
		KTAP_TEST(a_table_is_aligned),
		KTAP_TEST(an_error_is_json),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
