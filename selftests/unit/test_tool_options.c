// SPDX-License-Identifier: GPL-2.0-only
/* Wrong options: the error names the right word, and is JSON wherever -j stands. */
#include <stdio.h>
#include <string.h>

#include "../../user/base/options.h"
#include "../lib/ktap.h"

static const struct option_extra extra[] = {
	{ "output", 'o', "FILE", "where" },
};

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	return 0;
}

static const struct usage usage = {
	.name = "backup", .extra = extra, .extra_count = 1, .take = take,
};

/* The command line is cut at blanks. */
static int parse(const char *line, struct options *options, struct cxctl_error *error)
{
	static char text[256];
	char *argv[16], *word;
	int argc = 0;

	memset(options, 0, sizeof(*options));
	error_clear(error);
	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok(text, " "); word && argc < 15; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return options_parse(options, &usage, argc, argv, NULL, error);
}

static void the_wrong_word_is_named(void)
{
	static const struct {
		const char *line, *word;
	} cases[] = {
		{ "backup --json -xj", "-x" },
		{ "backup --timeout=5 -xj", "-x" },
		{ "backup -jvx", "-x" },
		{ "backup --json=5 -jv", "--json=5" },
		{ "backup --bogus -j", "--bogus" },
		{ "backup -j --output", "--output" },
		{ "backup --json -vo", "-o" },
		{ "backup -j -d", "-d" },
		{ "backup card --device", "--device" },
	};
	struct options options;
	struct cxctl_error error;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char quoted[32];

		CHECK_EQ(parse(cases[i].line, &options, &error), -1);
		CHECK_EQ(error.exit, CXCTL_USAGE);
		snprintf(quoted, sizeof(quoted), "option %s", cases[i].word);
		CHECK(strstr(error.text, quoted));
	}
}

static void errors_are_json_wherever_the_option_stands(void)
{
	struct options options;
	struct cxctl_error error;

	CHECK_EQ(parse("backup --bogus -j", &options, &error), -1);
	CHECK(options.json && !options.pretty);
	CHECK_EQ(parse("backup --bogus -qp", &options, &error), -1);
	CHECK(options.json && options.pretty);
	CHECK_EQ(parse("backup --bogus --json", &options, &error), -1);
	CHECK(options.json);
	CHECK_EQ(parse("backup --bogus -- -j", &options, &error), -1);
	CHECK(!options.json);
	CHECK_EQ(parse("backup --bogus -x", &options, &error), -1);
	CHECK(!options.json);
}

static void a_second_card_is_not_dropped(void)
{
	struct options options;
	struct cxctl_error error;

	CHECK_EQ(parse("backup -d 03:00.0 --device 04:00.0", &options, &error), -1);
	CHECK(strstr(error.text, "03:00.0") && strstr(error.text, "04:00.0"));
	CHECK(parse("backup -d 03:00.0 -d 03:00.0", &options, &error) > 0);
	CHECK_STR(options.device, "03:00.0");
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(the_wrong_word_is_named),
		KTAP_TEST(errors_are_json_wherever_the_option_stands),
		KTAP_TEST(a_second_card_is_not_dropped),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
