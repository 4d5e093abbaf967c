// SPDX-License-Identifier: GPL-2.0-only
/* The record of what was done: whole lines whatever the disk does; and progress, a line a step or an event. */
#include <fcntl.h>
#include <json-c/json.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../user/base/progress.h"
#include "../../user/cxctl/journal.c"
#include "../../user/cxctl/journal_log.c"
#include "../lib/ktap.h"

static char home[] = "/tmp/cxctl-journal-XXXXXX";
static char file[sizeof(home) + 32];

static char *content(const char *path)
{
	FILE *stream = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	if (stream) {
		if (!fread(text, 1, (1 << 16) - 1, stream))
			text[0] = '\0';
		fclose(stream);
	}
	return text;
}

static void put(const char *text)
{
	FILE *stream = fopen(file, "w");

	fputs(text, stream);
	fclose(stream);
}

static unsigned int lines(const char *text)
{
	unsigned int count = 0;

	while ((text = strchr(text, '\n'))) {
		count++;
		text++;
	}
	return count;
}

static int write_one(const char *value)
{
	struct journal_entry *entry = journal_begin("burn-begin");
	struct cxctl_error error;

	journal_string(entry, "card", value);
	return journal_write(entry, &error);
}

static bool has_string(const char *line, const char *key)
{
	struct json_object *object = json_tokener_parse(line), *value;
	bool has = object && json_object_object_get_ex(object, key, &value) &&
		   *json_object_get_string(value);

	json_object_put(object);
	return has;
}

static void an_entry_says_who_and_when(void)
{
	char *text;

	unlink(file);
	CHECK_EQ(write_one("0000:03:00.0\n\"\x1b"), 0);
	text = content(file);
	CHECK_EQ(lines(text), 1);
	CHECK(has_string(text, "time"));
	CHECK(has_string(text, "by"));
	CHECK(has_string(text, "card"));
	CHECK(has_string(text, "boot_id"));
	free(text);
}

static void a_torn_line_swallows_no_other(void)
{
	char *text;

	put("{\"event\":\"whole\"}\n{\"event\":\"to");
	CHECK_EQ(write_one("card"), 0);
	text = content(file);
	CHECK_EQ(lines(text), 3);
	CHECK(has_string(strstr(text, "to\n") + 3, "card"));
	free(text);
}

/* A write that is cut short, as by a full disk. */
static void no_room_leaves_no_torn_line(void)
{
	struct rlimit before, small;
	char *text;

	put("{\"event\":\"whole\"}\n");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 40;
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK(write_one("card") != 0);
	setrlimit(RLIMIT_FSIZE, &before);
	text = content(file);
	CHECK(!strcmp(text, "{\"event\":\"whole\"}\n"));
	free(text);
	CHECK_EQ(write_one("card"), 0);
}

/* ---- progress ---- */

static char shown[sizeof(home) + 32];

static int stderr_to_file(void)
{
	int kept = dup(STDERR_FILENO), fd = open(shown, O_RDWR | O_CREAT | O_TRUNC, 0600);

	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return kept;
}

static void stderr_back(int kept)
{
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
}

static struct progress_table *table;

static void *work(void *row)
{
	uint64_t done;

	progress_table_step(table, (size_t)row, "write", "writing", 1000);
	for (done = 0; done <= 1000; done++)
		progress_table_show(table, (size_t)row, done);
	progress_table_over(table, (size_t)row, "done", "done");
	return NULL;
}

/* Four cards at once, and each line whole. */
static char *run_table(bool json, bool quiet)
{
	const char *const titles[] = { "0000:01:00.0", "0000:02:00.0", "0000:03:00.0", "0000:04:00.0" };
	struct options options = { .json = json, .quiet = quiet };
	pthread_t threads[4];
	int kept = stderr_to_file();
	size_t i;

	table = progress_table_open(&options, titles, 4);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	progress_table_close(table, true);
	stderr_back(kept);
	return content(shown);
}

static void a_line_a_step(void)
{
	char *text = run_table(false, false);

	CHECK_EQ(lines(text), 8);
	CHECK(strstr(text, "0000:03:00.0: writing\n") != NULL);
	free(text);
	text = run_table(false, true);
	CHECK_EQ(strlen(text), 0);
	free(text);
}

static void an_event_each_tenth(void)
{
	char *text = run_table(true, false), *line, *rest;
	unsigned int bad = 0;

	/* The begin, each tenth part, and the end. */
	CHECK_EQ(lines(text), 4 * (1 + 10 + 1));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		bad += !has_string(line, "event") || !has_string(line, "card") || !has_string(line, "step");
	CHECK_EQ(bad, 0);
	free(text);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(an_entry_says_who_and_when),
		KTAP_TEST(a_torn_line_swallows_no_other),
		KTAP_TEST(no_room_leaves_no_torn_line),
		KTAP_TEST(a_line_a_step),
		KTAP_TEST(an_event_each_tenth),
	};

	if (!mkdtemp(home))
		return 1;
	setenv("XDG_STATE_HOME", home, 1);
	snprintf(file, sizeof(file), "%s/cxctl/journal.jsonl", home);
	snprintf(shown, sizeof(shown), "%s/shown", home);
	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
