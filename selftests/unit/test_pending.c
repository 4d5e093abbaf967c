// SPDX-License-Identifier: GPL-2.0-only
/* The record of a burn: of which card it is, and writers that never spoil each other's nor leave anything behind. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../user/cxctl/journal.c"
#include "../../user/cxctl/journal_log.c"
#include "../../user/cxctl/pending.c"
#include "../../user/cxctl/pending_card.c"
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
	struct pending pending = { .card = CARD, .psid = "MT_1080110023", .from = "2.9.1000", .hw_id = 0x1f5 };
	struct cxctl_error error;

	snprintf(pending.to, sizeof(pending.to), "%s", to);
	return pending_burned(&pending, &error);
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

/* ---- another card in the slot ---- */

/* The VPD of the card that stands there; NULL: it has none. */
static void insert(const char *serial)
{
	char path[sizeof(home) + 96], command[sizeof(home) + 96];
	size_t length = serial ? strlen(serial) : 0;
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p %s/sys/bus/pci/devices/" CARD, home);
	CHECK(!system(command));
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/" CARD "/vpd", home);
	unlink(path);
	file = serial ? fopen(path, "w") : NULL;
	if (file) {
		/* a read-only resource with one keyword, then the end */
		fprintf(file, "\x90%c%cSN%c%s\x78", (int)length + 3, 0, (int)length, serial);
		fclose(file);
	}
}

static int of_card(const char *psid, uint32_t hw_id)
{
	static const struct options quiet = { .quiet = true };
	struct cxctl_error error;
	struct pending pending;

	return pending_read_of(CARD, psid, hw_id, &quiet, &pending, &error);
}

static void another_card_inherits_nothing(void)
{
	insert("MT1234X00001");
	CHECK_EQ(burned("2.10.720"), 0);
	CHECK_EQ(of_card("MT_1080110023", 0x1f5), 1);
	CHECK_EQ(of_card(NULL, 0), 1);			/* what nobody tells is no difference */
	CHECK_EQ(of_card("MT_1080110023", 0x1f7), 0);
	CHECK_EQ(of_card("MT_1080120023", 0x1f5), 0);
	insert("MT1234X00002");				/* the same board, another specimen */
	CHECK_EQ(of_card("MT_1080110023", 0x1f5), 0);
	insert(NULL);
	CHECK_EQ(of_card("MT_1080110023", 0x1f5), 1);
	/* and its own burn takes the place */
	insert("MT1234X00002");
	CHECK_EQ(burned("2.11.500"), 0);
	CHECK_EQ(of_card("MT_1080110023", 0x1f5), 1);
	insert(NULL);
}

/* Until the new firmware starts the card has its old PSID, and then the new one. */
static void a_burn_that_changes_the_psid(void)
{
	struct pending pending = { .card = CARD, .psid = "MT_1080110023", .from_psid = "IBM1080111023",
				   .from = "2.9.1000", .to = "2.10.720", .hw_id = 0x1f5 };
	struct cxctl_error error;

	insert(NULL);
	CHECK_EQ(pending_burned(&pending, &error), 0);
	CHECK_EQ(of_card("IBM1080111023", 0x1f5), 1);
	CHECK_EQ(of_card("MT_1080110023", 0x1f5), 1);
	CHECK_EQ(of_card("MT_1080120023", 0x1f5), 0);
}

/* Of records that were written before there was anything but the PSID. */
static void an_old_record_is_believed(void)
{
	CHECK_EQ(burned("2.10.720"), 0);
	put(CARD ".json", "{\"card\":\"" CARD "\",\"psid\":\"MT_1080110023\",\"to\":\"2.10.720\",\"hw_id\":-1}");
	CHECK_EQ(of_card("MT_1080110023", 0x1f5), 1);
	CHECK_EQ(of_card("MT_1080120023", 0x1f5), 0);
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
TEST(another_card_inherits_nothing)
TEST(a_burn_that_changes_the_psid)
TEST(an_old_record_is_believed)

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		{ "what_is_written_is_read", run_what_is_written_is_read },
		{ "two_writers", run_two_writers },
		{ "drafts_of_others", run_drafts_of_others },
		{ "a_full_disk_leaves_the_old_record", run_a_full_disk_leaves_the_old_record },
		{ "another_card_inherits_nothing", run_another_card_inherits_nothing },
		{ "a_burn_that_changes_the_psid", run_a_burn_that_changes_the_psid },
		{ "an_old_record_is_believed", run_an_old_record_is_believed },
	};
	char command[sizeof(home) + 16];
	int result;

	if (!mkdtemp(home))
		return 1;
	setenv("XDG_STATE_HOME", home, 1);
	snprintf(directory, sizeof(directory), "%s/sys", home);
	setenv("CXCTL_SYSFS", directory, 1);
	snprintf(directory, sizeof(directory), "%s/cxctl/pending", home);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(command, sizeof(command), "rm -rf %s", home);
	return system(command) ? 1 : result;
}
