// SPDX-License-Identifier: GPL-2.0-only
/*
 * Staging, and the job: it runs in the driver and outlives this program. Events tell its progress; when
 * they get lost, or none come, the driver is asked.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"
#include "journal.h"

#define POLL_MS 500

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
	(void)number;
	interrupts++;
}

void burn_catch_interrupt(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_interrupt };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

unsigned int burn_interrupts(void)
{
	return interrupts;
}

bool burn_changed(const struct cxctl_job *job)
{
	return job->erased || job->programmed ||
	       (job->kind == CXFW_JOB_KIND_COMPONENT && job->phase >= CXFW_PHASE_COMMIT);
}

bool burn_committed(const struct cxctl_job *job)
{
	return job->state == CXFW_JOB_DONE ||
	       (job->phase >= CXFW_PHASE_INVALIDATE && job->phase <= CXFW_PHASE_END);
}

static uint32_t stage_format(enum image_format format)
{
	switch (format) {
	case IMAGE_FS2:
		return CXFW_FORMAT_FS2;
	case IMAGE_FS3:
		return CXFW_FORMAT_FS3;
	case IMAGE_FS4:
		return CXFW_FORMAT_FS4;
	case IMAGE_FS5:
		return CXFW_FORMAT_FS5;
	case IMAGE_NONE:
		break;
	}
	return 0;
}

static int stage(const struct burn_work_order *order, struct cxfw_stage *stage, struct cxctl_error *error)
{
	const struct image_plan *plan = order->plan;
	struct cxfw_segment segments[CXFW_SEGMENTS_MAX] = { 0 };
	uint32_t i;

	memset(stage, 0, sizeof(*stage));
	for (i = 0; i < plan->segment_count && i < CXFW_SEGMENTS_MAX; i++) {
		segments[i].offset = plan->segment_offset[i];
		segments[i].length = plan->segment_length[i];
	}
	stage->size = sizeof(*stage);
	stage->flags = plan->flags;
	stage->image = (uintptr_t)order->bytes;
	stage->segments = (uintptr_t)segments;
	stage->image_length = plan->image_length;
	stage->segment_count = plan->segment_count;
	stage->hw_id = order->info->hw_id;
	stage->hw_revision = order->info->hw_revision;
	stage->old_address = plan->old_address;
	memcpy(stage->segments_sha256, plan->segments_sha256, sizeof(stage->segments_sha256));
	if (plan->flags & CXFW_PLAN_COMPONENT) {
		stage->component = plan->component;
		return card_stage(order->card, stage, error);
	}
	stage->format = stage_format(plan->format);
	stage->flash_size = plan->flash_size;
	stage->window_length = plan->window_length;
	if (plan->flags & CXFW_PLAN_DEVICE_DATA) {
		stage->target_address = plan->target_address;
		stage->old_address = 0;
		return card_stage(order->card, stage, error);
	}
	stage->log2_chunk = plan->log2_chunk;
	stage->target_slot = plan->target_slot;
	memcpy(stage->old_sha256, plan->old_sha256, sizeof(stage->old_sha256));
	return card_stage(order->card, stage, error);
}

struct watch {
	const struct burn_work_order *order;
	struct cxctl_job *job;
	struct cxctl_events *events;	/* NULL: poll only */
	uint32_t phase_shown;
	unsigned int answered;		/* interrupts that were answered */
	unsigned int failures;		/* of job_get(), in a row */
	uint64_t done_seen;
	time_t moved;			/* when phase or done changed */
};

static bool over(const struct cxctl_job *job)
{
	return job->state != CXFW_JOB_RUNNING && job->state != CXFW_JOB_UNSPEC;
}

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static const char *phase_id(uint32_t phase)
{
	static const char *const ids[] = { "wait", "check", "prepare", "write", "verify", "commit", "invalidate", "end" };

	return phase < sizeof(ids) / sizeof(ids[0]) ? ids[phase] : "unknown";
}

static void show(struct watch *watch)
{
	const struct burn_work_order *order = watch->order;
	const struct cxctl_job *job = watch->job;

	if (job->phase != watch->phase_shown || job->done != watch->done_seen)
		watch->moved = now();
	watch->done_seen = job->done;
	if (job->phase != watch->phase_shown) {
		watch->phase_shown = job->phase;
		progress_table_step(order->progress, order->row, phase_id(job->phase), job_phase_name(job->phase),
				    job->total);
	}
	progress_table_show(order->progress, order->row, job->done);
}

/* The first Ctrl-C asks the driver to stop; the second leaves it alone. */
static bool answer_interrupt(struct watch *watch)
{
	const struct burn_work_order *order = watch->order;
	struct cxctl_error error;

	if (burn_interrupts() == watch->answered)
		return false;
	if (watch->answered)
		return true;
	watch->answered = burn_interrupts();
	if (!job_cancel(watch->job->id, &error))
		progress_table_say(order->progress,
				   _("%s: the driver was asked to stop at its next safe point; the card then boots what it booted before. Press Ctrl-C again to leave the job to the driver."),
				   card_address(order->card));
	else
		progress_table_say(order->progress,
				   _("%s: the job cannot be stopped any more: %s. It goes on in the driver whether this program runs or not."),
				   card_address(order->card), *error.found ? error.found : error.text);
	return false;
}

static int ask(struct watch *watch, struct cxctl_error *error)
{
	struct cxctl_job job;

	if (job_get(watch->job->id, &job, error)) {
		/* A moment of memory pressure or signals is no reason to give up. */
		return ++watch->failures < 5 ? 0 : -1;
	}
	watch->failures = 0;
	*watch->job = job;
	return 0;
}

/* One event or one question; both leave *watch->job up to date. */
static int next(struct watch *watch, struct cxctl_error *error)
{
	struct cxctl_event event;
	struct timespec pause = { 0, POLL_MS * 1000000L };
	int result = 0;

	if (watch->events)
		result = events_next(watch->events, POLL_MS, &event, error);
	else
		nanosleep(&pause, NULL);
	if (result < 0) {
		events_close(watch->events);
		watch->events = NULL;
	}
	if (result > 0 && !event.lost && event.job.id == watch->job->id &&
	    event.kind == CXFW_EVENT_JOB_PROGRESS) {
		*watch->job = event.job;
		return 0;
	}
	if (result > 0 && !event.lost && event.job.id != watch->job->id)
		return 0;
	/* Silence, lost events, or the end: the driver knows. */
	return ask(watch, error);
}

static int left_behind(const struct watch *watch, struct cxctl_error *error)
{
	error_set(error, CXCTL_FAILED, "left", _("the burn goes on in the driver without this program"));
	error_found(error, _("job %llu"), (unsigned long long)watch->job->id);
	error_next(error, _("cxctl monitor shows its end; do not switch the machine off before. cxctl verify checks the result"));
	return -1;
}

/* --timeout: the job is the driver's, so nothing is cut off; only the waiting ends. */
static int silent(const struct watch *watch, struct cxctl_error *error)
{
	unsigned int most = watch->order->options->timeout;

	if (!most || now() - watch->moved <= (time_t)most)
		return 0;
	left_behind(watch, error);
	error->id = "no-progress";
	error_found(error, _("job %llu: no progress for %u seconds, while %s"), (unsigned long long)watch->job->id,
		    most, job_phase_name(watch->job->phase));
	return -1;
}

static int watch_job(struct watch *watch, struct cxctl_error *error)
{
	watch->moved = now();
	while (!over(watch->job)) {
		if (answer_interrupt(watch))
			return left_behind(watch, error);
		if (next(watch, error)) {
			error_next(error, _("the job may go on in the driver: cxctl verify checks the result"));
			return -1;
		}
		if (over(watch->job))
			break;
		show(watch);
		if (silent(watch, error))
			return -1;
	}
	return 0;
}

static void describe(struct journal_entry *entry, const struct burn_work_order *order)
{
	const struct burn_record *record = order->record;

	journal_string(entry, "psid", record->psid);
	journal_string(entry, "from_psid", record->from_psid);
	journal_string(entry, "from", record->from);
	journal_string(entry, "to", record->to);
	journal_string(entry, "method", record->method);
	journal_string(entry, "image", record->image);
	journal_string(entry, "image_sha256", record->image_sha256);
	journal_string(entry, "identity", record->identity);
	journal_string(entry, "backup", record->backup);
	journal_string(entry, "reason", record->reason);
}

static struct journal_entry *begin(const struct burn_work_order *order, const char *suffix)
{
	struct journal_entry *entry;
	char event[64];

	snprintf(event, sizeof(event), "%s-%s", order->record->what, suffix);
	entry = journal_begin(event);
	journal_string(entry, "id", *order->id ? order->id : NULL);
	journal_string(entry, "card", card_address(order->card));
	return entry;
}

void burn_work_id(struct burn_work_order *order)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid() << 32 | (uint32_t)now();
	snprintf(order->id, sizeof(order->id), "%016llx", (unsigned long long)number);
}

int burn_journal_intent(const struct burn_work_order *order, struct cxctl_error *error)
{
	struct journal_entry *entry = begin(order, "begin");

	describe(entry, order);
	if (order->plan && !(order->plan->flags & (CXFW_PLAN_COMPONENT | CXFW_PLAN_DEVICE_DATA)))
		journal_number(entry, "slot", order->plan->target_slot);
	return journal_write(entry, error);
}

/* The driver's number of it: whoever reads the journal after a kill asks the driver how it ended. */
static void journal_started(const struct burn_work_order *order, uint64_t job)
{
	struct journal_entry *entry = begin(order, "started");
	struct cxctl_error none;

	journal_number(entry, "job", job);
	journal_write(entry, &none);
}

/* The deed is done: a full disk is told, and changes nothing any more. */
void burn_journal_result(const struct burn_work_order *order, const struct cxctl_job *job, const char *result,
			 const char *message)
{
	struct journal_entry *entry = begin(order, "end");
	struct cxctl_error error;

	describe(entry, order);
	if (job && job->id)
		journal_number(entry, "job", job->id);
	if (job && job->card_error)
		journal_number(entry, "card_error", job->card_error);
	journal_string(entry, "result", result);
	journal_string(entry, "message", message);
	if (journal_write(entry, &error))
		progress_table_say(order->progress, _("%s: the result is not in the journal: %s"),
				   card_address(order->card), error.text);
}

/* Where a job ended, in words. */
static void what_now(const struct burn_work_order *order, const struct cxctl_job *job, struct cxctl_error *error)
{
	const char *backup = order->record->backup ? order->record->backup : _("(none)");

	if (job->kind == CXFW_JOB_KIND_COMPONENT)
		error_next(error, _("the card runs what it ran before, unless its firmware says otherwise (cxctl info): it judges and commits an update itself"));
	else if (order->plan->flags & CXFW_PLAN_DEVICE_DATA)
		error_next(error, _("device data may be half written: run the same command again. The backup is %s"), backup);
	else if (burn_committed(job))
		error_next(error, _("the new image is in place; run cxctl verify before you restart the machine"));
	else if (order->plan->flags & CXFW_PLAN_RECOVERY)
		error_next(error, _("the card still has nothing to boot: burn again. The backup is %s"), backup);
	else
		error_next(error, _("the card boots what it booted before; burn again when the cause is gone. The backup is %s"),
			   backup);
}

static int failed(const struct burn_work_order *order, const struct cxctl_job *job, struct cxctl_error *error)
{
	const char *words = job->card_error ? mcc_error_text(job->card_error) : NULL;

	if (job->state == CXFW_JOB_CANCELLED)
		error_set(error, CXCTL_FAILED, "cancelled", _("the burn was stopped before its commit"));
	else if (job->card_error)
		error_set(error, CXCTL_CARD_ERROR, "rejected-by-firmware",
			  _("the card's firmware refused the update: %s"), words ? words : _("unknown reason"));
	else
		error_set(error, CXCTL_CARD_ERROR, "burn-failed", _("the burn failed while %s"),
			  job_phase_name(job->phase));
	error_found(error, "%s%s%s", job->message, *job->message && job->error ? ": " : "",
		    job->error ? strerror(job->error) : "");
	what_now(order, job, error);
	return -1;
}

int burn_do(const struct burn_work_order *order, struct cxctl_job *job, struct cxctl_error *error)
{
	struct watch watch = { .order = order, .job = job };
	struct cxctl_error none;
	struct cxfw_stage staged;
	int result;

	memset(job, 0, sizeof(*job));
	if (burn_interrupts())
		return error_set(error, CXCTL_FAILED, "interrupted", _("interrupted; the card was not changed"));
	if (stage(order, &staged, error) || burn_journal_intent(order, error))
		return -1;
	/* Listening begins before the job does, so that no event is missed. */
	watch.events = events_open(&none);
	result = card_burn(order->card, staged.stage_sha256, &job->id, error);
	if (result) {
		burn_journal_result(order, job, "not-started", error->text);
	} else {
		journal_started(order, job->id);
		result = watch_job(&watch, error);
	}
	if (watch.events)
		events_close(watch.events);
	if (result) {
		if (job->id)
			burn_journal_result(order, job, "unknown", error->text);
		return -1;
	}
	burn_journal_result(order, job, job_state_name(job->state), job->message);
	return job->state == CXFW_JOB_DONE ? 0 : failed(order, job, error);
}

void burn_show_job(struct output *output, const struct cxctl_job *job)
{
	if (!job->id)
		return;
	/* Of a job that goes on without us nobody knows. */
	output_bool(output, "changed", !over(job) || burn_changed(job));
	if (burn_committed(job))
		output_string(output, "pending_action", "activate");
	output_object(output, "job");
	output_number(output, "id", job->id);
	output_string(output, "state", job_state_name(job->state));
	output_number(output, "erased", job->erased);
	output_number(output, "programmed", job->programmed);
	output_number(output, "skipped", job->skipped);
	if (job->card_error)
		output_number(output, "card_error", job->card_error);
	output_string(output, "message", job->message);
	output_end(output);
}

int burn_work(struct cxctl_card *card, const struct cxfw_card_info *info, const struct image_plan *plan,
	      const uint8_t *bytes, const struct burn_record *record, struct output *output,
	      const struct options *options, struct cxctl_job *job, struct cxctl_error *error)
{
	const char *title = card_address(card);
	struct burn_work_order order = {
		.card = card, .info = info, .plan = plan, .bytes = bytes, .record = record, .options = options,
		.progress = progress_table_open(options, &title, 1),
	};
	int result;

	burn_work_id(&order);
	result = burn_do(&order, job, error);
	progress_table_close(order.progress, true);
	burn_show_job(output, job);
	return result;
}
