// SPDX-License-Identifier: GPL-2.0-only
/* What the driver tells of jobs whose program died is written down with the deed that began them, and no other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../user/cxctl/journal.c"
#include "../../user/cxctl/journal_log.c"
#include "../../user/cxctl/pending.c"
#include "../../user/cxctl/pending_card.c"
#define add add_deed
#include "../../user/cxctl/journal_read.c"
#undef add
#include "../lib/ktap.h"

static char home[] = "/tmp/cxctl-deeds-XXXXXX";
static char file[sizeof(home) + 32];
static long dead;			/* the number of a process that is no more */
static struct cxctl_job jobs[4];
static size_t job_count;

int jobs_each(int (*callback)(const struct cxctl_job *job, void *data), void *data, struct cxctl_error *error)
{
	size_t i;

	for (i = 0; i < job_count; i++)
		callback(&jobs[i], data);
	return 0;
}

const char *job_state_name(uint32_t state)
{
	return state == CXFW_JOB_DONE ? "done" : state == CXFW_JOB_FAILED ? "failed" : "running";
}

static void job(uint64_t id, uint32_t kind, uint32_t state)
{
	struct cxctl_job *new = &jobs[job_count++];

	memset(new, 0, sizeof(*new));
	new->id = id;
	new->kind = kind;
	new->state = state;
	new->owner = dead;
	snprintf(new->address, sizeof(new->address), "0000:03:00.0");
}

/* An entry of the dead program. number 0: without a job's. */
static void entry(const char *event, const char *id, uint64_t number, const char *result)
{
	FILE *stream = fopen(file, "a");
	char boot[40], more[64] = "";

	boot_id(boot, sizeof(boot));
	if (number)
		snprintf(more, sizeof(more), ",\"job\":%llu", (unsigned long long)number);
	fprintf(stream, "{\"event\":\"%s\",\"id\":\"%s\",\"card\":\"0000:03:00.0\",\"pid\":%ld,\"boot_id\":\"%s\"%s%s%s%s}\n",
		event, id, dead, boot, more, result ? ",\"result\":\"" : "", result ? result : "", result ? "\"" : "");
	fclose(stream);
}

static void begin(void)
{
	unlink(file);
	job_count = 0;
}

/* How many ends the driver told, and then the result of the deed with this id. */
static unsigned int closed(const char *id, char result[32])
{
	struct cxctl_error error;
	struct deeds deeds;
	unsigned int count;
	size_t i;

	deeds_read(&deeds, &error);
	count = deeds_reconcile(&deeds);
	deeds_free(&deeds);
	deeds_read(&deeds, &error);
	snprintf(result, 32, "missing");
	for (i = 0; i < deeds.count; i++)
		if (!strcmp(deeds.list[i].id, id))
			snprintf(result, 32, "%s", deed_result(&deeds.list[i]));
	deeds_free(&deeds);
	return count;
}

static void a_job_closes_its_deed(void)
{
	char result[32];

	begin();
	entry("burn-begin", "a", 0, NULL);
	entry("burn-started", "a", 7, NULL);
	job(7, CXFW_JOB_KIND_PLAN, CXFW_JOB_DONE);
	CHECK_EQ(closed("a", result), 1);
	CHECK_STR(result, "done");
	/* Killed before the number was written. */
	begin();
	entry("burn-begin", "b", 0, NULL);
	job(8, CXFW_JOB_KIND_PLAN, CXFW_JOB_FAILED);
	CHECK_EQ(closed("b", result), 1);
	CHECK_STR(result, "failed");
}

/* Killed between the second intent and its job: the first one's end is not that of the second. */
static void a_deed_that_started_nothing_stays_open(void)
{
	char result[32];

	begin();
	entry("restore-begin", "a", 0, NULL);
	entry("restore-started", "a", 1, NULL);
	entry("restore-end", "a", 1, "done");
	entry("restore-device-data-begin", "b", 0, NULL);
	job(1, CXFW_JOB_KIND_PLAN, CXFW_JOB_DONE);
	CHECK_EQ(closed("b", result), 0);
	CHECK_STR(result, "open");
	job(2, CXFW_JOB_KIND_DEVICE_DATA, CXFW_JOB_DONE);
	CHECK_EQ(closed("b", result), 1);
	CHECK_STR(result, "done");
}

/* A driver that was loaded anew counts from 1 again. */
static void a_number_is_of_the_last_deed_that_has_it(void)
{
	char result[32];

	begin();
	entry("burn-begin", "a", 0, NULL);
	entry("burn-started", "a", 1, NULL);
	entry("burn-begin", "b", 0, NULL);
	entry("burn-started", "b", 1, NULL);
	entry("burn-end", "b", 1, "done");
	job(1, CXFW_JOB_KIND_PLAN, CXFW_JOB_DONE);
	CHECK_EQ(closed("a", result), 0);
	CHECK_STR(result, "open");
	/* The later one still learns its end. */
	begin();
	entry("burn-begin", "a", 0, NULL);
	entry("burn-started", "a", 1, NULL);
	entry("burn-begin", "b", 0, NULL);
	entry("burn-started", "b", 1, NULL);
	job(1, CXFW_JOB_KIND_PLAN, CXFW_JOB_DONE);
	CHECK_EQ(closed("b", result), 1);
	CHECK_STR(result, "done");
	CHECK_EQ(closed("a", result), 0);
	CHECK_STR(result, "open");
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(a_job_closes_its_deed),
		KTAP_TEST(a_deed_that_started_nothing_stays_open),
		KTAP_TEST(a_number_is_of_the_last_deed_that_has_it),
	};
	char path[96];
	int result;

	if (!mkdtemp(home))
		return 1;
	setenv("XDG_STATE_HOME", home, 1);
	snprintf(path, sizeof(path), "%s/cxctl", home);
	mkdir(path, 0700);
	snprintf(file, sizeof(file), "%s/cxctl/journal.jsonl", home);
	dead = fork();
	if (!dead)
		_exit(0);
	waitpid(dead, NULL, 0);
	result = ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(path, sizeof(path), "rm -rf %s", home);
	return system(path) ? 1 : result;
}
