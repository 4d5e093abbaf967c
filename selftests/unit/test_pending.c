// SPDX-License-Identifier: GPL-2.0-only
/* The record of a burn: two writers never spoil each other's, and none leaves anything else behind. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../user/cxctl/journal.c"
#include "../../user/cxctl/journal_log.c"
#include "../../user/cxctl/pending.c"
#include "../lib/ktap.h"

#define CARD	"0000:03:00.0"
#define ROUNDS	200

static char home[] = "/tmp/cxctl-pending-XXXXXX";
static char directory[sizeof(home) + 32];

static int any(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int files(void)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, any, NULL), i;

	for (i = 0; i < count; i++)
		free(entries[i]);
	if (count >= 0)
		free(entries);
	return count;
}

static void put(const char *name, const char *text)
{
	char path[sizeof(directory) + 64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (CHECK(file)) {
		fputs(text, file);
		fclose(file);
	}
}

static bool there(const char *name)
{
	char path[sizeof(directory) + 64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return !access(path, F_OK);
}

static int burned(const char *to)
{
	struct cxctl_error error;

	return pending_burned(CARD, "MT_1080110023", "2.9.1000", to, &error);
}

static void what_is_written_is_read(void)
{
	struct cxctl_error error;
	struct pending pending;

	CHECK_EQ(burned("2.10.720"), 0);
	CHECK_EQ(pending_read("0000:03:00.1", &pending, &error), 1);	/* any function of the card */
	CHECK_STR(pending.to, "2.10.720");
	CHECK_EQ(files(), 1);
	pending_forget(CARD);
	CHECK_EQ(pending_read(CARD, &pending, &error), 0);
	CHECK_EQ(files(), 0);
}

/* Two programs that write at once: neither fails, and what is left is one of the two. */
static void two_writers(void)
{
	struct cxctl_error error;
	struct pending pending;
	int failed = 0, status, i;
	pid_t other = fork();

	for (i = 0; i < ROUNDS; i++)
		failed += burned(other ? "2.10.720" : "2.11.500") != 0;
	if (!other)
		_exit(failed > 0);
	CHECK_EQ(waitpid(other, &status, 0), other);
	CHECK_EQ(status, 0);
	CHECK_EQ(failed, 0);
	CHECK_EQ(pending_read(CARD, &pending, &error), 1);
	CHECK_EQ(files(), 1);
}

/* Another's draft stays while that program lives, and is cleared away when it died. */
static void drafts_of_others(void)
{
	pid_t dead = fork();
	char name[64];

	if (!dead)
		_exit(0);
	CHECK_EQ(waitpid(dead, NULL, 0), dead);
	CHECK_EQ(burned("2.9.1000"), 0);	/* makes the directory */
	snprintf(name, sizeof(name), CARD ".json.%ld.new", (long)dead);
	put(name, "{ \"to\": \"2.");
	put(CARD ".json.1.new", "{ \"to\": \"2.");
	CHECK_EQ(burned("2.10.720"), 0);
	CHECK(!there(name));
	CHECK(there(CARD ".json.1.new"));
}

static void a_full_disk_leaves_the_old_record(void)
{
	struct rlimit before, small;
	struct cxctl_error error;
	struct pending pending;

	CHECK_EQ(burned("2.10.720"), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 40;
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK(burned("2.11.500") != 0);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK_EQ(pending_read(CARD, &pending, &error), 1);
	CHECK_STR(pending.to, "2.10.720");
	CHECK_EQ(files(), 1);
}

static void clear(void)
{
	char command[sizeof(home) + 16];

	snprintf(command, sizeof(command), "rm -rf %s/cxctl", home);
	CHECK(!system(command));
	snprintf(command, sizeof(command), "mkdir -p %s", home);
	CHECK(!system(command));
}

#define TEST(name) static void run_##name(void) { clear(); name(); }
TEST(what_is_written_is_read)
TEST(two_writers)
TEST(drafts_of_others)
TEST(a_full_disk_leaves_the_old_record)

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		{ "what_is_written_is_read", run_what_is_written_is_read },
		{ "two_writers", run_two_writers },
		{ "drafts_of_others", run_drafts_of_others },
		{ "a_full_disk_leaves_the_old_record", run_a_full_disk_leaves_the_old_record },
	};
	char command[sizeof(home) + 16];
	int result;

	if (!mkdtemp(home))
		return 1;
	setenv("XDG_STATE_HOME", home, 1);
	snprintf(directory, sizeof(directory), "%s/cxctl/pending", home);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(command, sizeof(command), "rm -rf %s", home);
	return system(command) ? 1 : result;
}
