// SPDX-License-Identifier: GPL-2.0-only
/* The jobs of a restore: one that ends between two of them is never told as a card that was not changed. */
#include "../../user/cxctl/restore.c"
#include "../lib/ktap.h"

static const char *ends[2];	/* how each job ends: an error's id, or NULL */
static size_t done_jobs;

/* ---- the other floors ---- */

int burn_work(struct cxctl_card *card, const struct cxfw_card_info *info, const struct image_plan *plan,
	      const uint8_t *bytes, const struct burn_record *record, struct output *output,
	      const struct options *options, struct cxctl_job *job, struct cxctl_error *error)
{
	const char *end = ends[done_jobs];

	memset(job, 0, sizeof(*job));
	if (end) {
		error_set(error, CXCTL_FAILED, end, "interrupted; the card was not changed");
		error_next(error, "the card boots what it booted before");
		return -1;
	}
	done_jobs++;
	job->id = done_jobs;
	job->erased = 4096;
	return 0;
}

int restore_plan(struct restore *restore, struct cxctl_error *error)
{
	restore->step_count = 2 - done_jobs;
	return 0;
}

bool burn_changed(const struct cxctl_job *job)
{
	return job->erased;
}

int command_options(struct options *options, const struct usage *usage, int argc, char **argv, void *data,
		    int *first, int *code) { *first = 0; *code = CXCTL_USAGE; return -1; }
int command_cards(const struct options *options, int argc, char **argv, int first, unsigned int most,
		  int (*run)(struct cxctl_card *, struct output *, const struct options *, void *,
			     struct cxctl_error *), void *data) { return 1; }
int command_fail(const struct options *options, const struct cxctl_error *error) { return 1; }
const char *card_address(const struct cxctl_card *card) { return "0000:03:00.0"; }
int card_access(const struct cxctl_card *card, struct cxctl_error *error) { return -1; }
int card_info(struct cxctl_card *card, struct cxfw_card_info *info, struct cxctl_error *error) { return -1; }
int card_no_flash(struct cxctl_card *card, const struct cxfw_card_info *info, struct cxctl_error *error) { return -1; }
void burn_functions_of(const struct cxctl_card *card, struct burn_function functions[BURN_FUNCTIONS],
		       size_t *count) { }
int restore_read_card(struct restore *restore, struct cxctl_error *error) { return 0; }
void restore_plan_free(struct restore *restore) { }
unsigned int restore_candidates(const struct restore *restore) { return 0; }
void restore_identity_text(const struct restore *restore, char text[300]) { }
const char *restore_kind_id(enum restore_kind kind) { return "kind"; }
bool restore_wants_identity(const struct restore_request *request) { return false; }
int restore_identity_open(struct restore *restore, struct cxctl_error *error) { return -1; }
int restore_source_open(struct restore *restore, struct cxctl_error *error) { return -1; }
void restore_source_close(struct restore_source *source) { }
int restore_prove(struct restore *restore, struct cxctl_error *error) { return -1; }
void restore_show(const struct restore *restore) { }
void backup_identify(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		     struct backup_identity *identity, uint8_t *vpd, int *vpd_length) { }
int backup_save(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		const struct options *options, const struct backup_request *request,
		struct backup_result *result, struct cxctl_error *error) { return -1; }
void flash_reader_close(struct flash_reader *flash) { }
void burn_catch_interrupt(void) { }
unsigned int burn_interrupts(void) { return 0; }
int pending_burned(const struct pending *burned, struct cxctl_error *error) { return 0; }

/* ---- */

static int run_two(const char *first, const char *second, bool *changed, struct cxctl_error *error)
{
	static const struct restore_request request = { .file = "card.tar" };
	static const struct options options = { .quiet = true, .json = true };
	static struct restore restore;
	FILE *nowhere = fopen("/dev/null", "w");
	int result;

	memset(&restore, 0, sizeof(restore));
	restore.request = &request;
	restore.options = &options;
	restore.output = output_open(nowhere, &options);
	restore.step_count = 2;
	strcpy(restore.backup, "/before.tar");
	ends[0] = first;
	ends[1] = second;
	done_jobs = 0;
	*changed = false;
	memset(error, 0, sizeof(*error));
	output_array(restore.output, "jobs");
	result = run(&restore, changed, error);
	output_end(restore.output);
	output_close(restore.output);
	fclose(nowhere);
	return result;
}

static void an_end_between_two_jobs_is_half_done(void)
{
	struct cxctl_error error;
	bool changed;

	CHECK_EQ(run_two(NULL, NULL, &changed, &error), 0);
	CHECK(run_two(NULL, "interrupted", &changed, &error) != 0);
	CHECK(changed);
	CHECK(!strstr(error.text, "not changed"));
	CHECK(strstr(error.next, "again") && strstr(error.next, "/before.tar"));
	CHECK(run_two(NULL, "burn-failed", &changed, &error) != 0);
	CHECK(strstr(error.next, "again"));
	/* Of one that goes on in the driver nobody knows yet. */
	CHECK(run_two(NULL, "left", &changed, &error) != 0);
	CHECK_STR(error.next, "the card boots what it booted before");
}

static void before_the_first_nothing_was_changed(void)
{
	struct cxctl_error error;
	bool changed;

	CHECK(run_two("interrupted", NULL, &changed, &error) != 0);
	CHECK(!changed);
	CHECK(strstr(error.text, "not changed"));
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(an_end_between_two_jobs_is_half_done),
		KTAP_TEST(before_the_first_nothing_was_changed),
	};

	return ktap_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
