// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backup, staging, and the job: it runs in the driver and outlives this program. Events
 * tell its progress; when they get lost, or none come, the driver is asked.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"
#include "journal.h"

#define BACKUP_PIECE 0x10000
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

/* ---- backup ---- */

static void backup_name(const struct burn *burn, char *name, size_t room)
{
	const char *psid = burn->card.state.has_facts ? burn->card.state.old_facts.psid : "unknown";
	time_t now = time(NULL);
	char date[32], *at;
	struct tm local;

	localtime_r(&now, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	snprintf(name, room, "%s-%s-%s.bin", card_address(burn->card.card), psid, date);
	for (at = name; *at; at++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:", *at))
			*at = '_';
}

static int cannot_save(struct cxctl_error *error, const char *path)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "backup",
		  _("cannot save the backup %s: %s"), path, strerror(number));
	error_rule(error, _("no burn without a backup"));
	error_next(error, number == EEXIST ? _("name another file: a backup is never written over") :
					     _("make room, or name another place with --backup"));
	return -1;
}

static int write_all(int fd, const uint8_t *bytes, size_t length)
{
	ssize_t now;

	while (length) {
		now = write(fd, bytes, length);
		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return -1;
		bytes += now;
		length -= now;
	}
	return 0;
}

static int copy_flash(struct burn *burn, int fd, struct cxctl_error *error)
{
	static uint8_t piece[BACKUP_PIECE];
	const struct image_reader *flash = &burn->card.flash.reader;
	struct progress progress;
	uint64_t done = 0;
	size_t length;
	int result = 0;

	progress_start(&progress, burn->options, _("backup"), flash->size);
	for (; !result && done < flash->size; done += length) {
		length = flash->size - done < sizeof(piece) ? flash->size - done : sizeof(piece);
		if (interrupts) {
			result = error_set(error, CXCTL_FAILED, "interrupted", _("interrupted; the card was not changed"));
		} else if (flash->read(flash->context, done, piece, length)) {
			*error = burn->card.flash.error;
			result = -1;
		} else if (write_all(fd, piece, length)) {
			result = cannot_save(error, burn->backup);
		}
		progress_show(&progress, done + length);
	}
	progress_end(&progress);
	return result;
}

/* The name is on the disk when its directory is. */
static void sync_directory(const char *path)
{
	char directory[PATH_MAX];
	char *slash;
	int fd;

	snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = '\0';
	fd = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int burn_save_backup(struct burn *burn, struct cxctl_error *error)
{
	char name[128];
	int fd, result;

	if (burn->request->backup) {
		if (snprintf(burn->backup, sizeof(burn->backup), "%s", burn->request->backup) >=
		    (int)sizeof(burn->backup)) {
			errno = ENAMETOOLONG;
			return cannot_save(error, burn->backup);
		}
	} else {
		backup_name(burn, name, sizeof(name));
		if (state_path("backups", name, burn->backup, sizeof(burn->backup), error))
			return -1;
	}
	/* Flash may hold keys: nobody else's business. */
	fd = open(burn->backup, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot_save(error, burn->backup);
	result = copy_flash(burn, fd, error);
	if (!result && fsync(fd))
		result = cannot_save(error, burn->backup);
	if (close(fd) && !result)
		result = cannot_save(error, burn->backup);
	if (result) {
		unlink(burn->backup);
		return -1;
	}
	sync_directory(burn->backup);
	return 0;
}

/* ---- the job ---- */

static int stage(struct burn *burn, struct cxfw_stage *stage, struct cxctl_error *error)
{
	const struct image_plan *plan = &burn->plan;
	struct cxfw_segment segment = { plan->segment_offset[0], plan->segment_length[0] };

	memset(stage, 0, sizeof(*stage));
	stage->size = sizeof(*stage);
	stage->flags = plan->flags;
	stage->image = (uintptr_t)burn->bytes;
	stage->segments = (uintptr_t)&segment;
	stage->image_length = plan->image_length;
	stage->segment_count = plan->segment_count;
	stage->format = CXFW_FORMAT_FS2;
	stage->hw_id = burn->card.info.hw_id;
	stage->hw_revision = burn->card.info.hw_revision;
	stage->flash_size = plan->flash_size;
	stage->log2_chunk = plan->log2_chunk;
	stage->target_slot = plan->target_slot;
	stage->window_length = plan->window_length;
	stage->old_address = plan->old_address;
	memcpy(stage->segments_sha256, plan->segments_sha256, sizeof(stage->segments_sha256));
	memcpy(stage->old_sha256, plan->old_sha256, sizeof(stage->old_sha256));
	return card_stage(burn->card.card, stage, error);
}

struct watch {
	struct burn *burn;
	struct cxctl_events *events;	/* NULL: poll only */
	struct cxctl_job job;
	struct progress progress;
	uint32_t phase_shown;
	unsigned int answered;		/* interrupts that were answered */
	unsigned int failures;		/* of job_get(), in a row */
};

static bool over(const struct cxctl_job *job)
{
	return job->state != CXFW_JOB_RUNNING && job->state != CXFW_JOB_UNSPEC;
}

static void show(struct watch *watch)
{
	struct cxctl_job *job = &watch->job;

	if (job->phase != watch->phase_shown) {
		progress_end(&watch->progress);
		watch->phase_shown = job->phase;
		say_verbose(watch->burn->options, "%s", job_phase_name(job->phase));
		progress_start(&watch->progress, watch->burn->options, job_phase_name(job->phase),
			       job->total);
	}
	progress_show(&watch->progress, job->done);
}

/* The first Ctrl-C asks the driver to stop; the second leaves it alone. */
static bool answer_interrupt(struct watch *watch)
{
	struct cxctl_error error;

	if (burn_interrupts() == watch->answered)
		return false;
	progress_end(&watch->progress);
	watch->phase_shown = CXFW_PHASE_UNSPEC;
	if (watch->answered)
		return true;
	watch->answered = burn_interrupts();
	if (!job_cancel(watch->burn->job, &error))
		say(watch->burn->options,
		    _("The driver was asked to stop at its next safe point; the card then boots what it booted before. Press Ctrl-C again to leave the job to the driver."));
	else
		say(watch->burn->options,
		    _("The job cannot be stopped any more: %s. It goes on in the driver whether this program runs or not."),
		    error.text);
	return false;
}

static int ask(struct watch *watch, struct cxctl_error *error)
{
	struct cxctl_job job;

	if (job_get(watch->burn->job, &job, error)) {
		/* A moment of memory pressure or signals is no reason to give up. */
		return ++watch->failures < 5 ? 0 : -1;
	}
	watch->failures = 0;
	watch->job = job;
	return 0;
}

/* One event or one question; both leave watch->job up to date. */
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
	if (result > 0 && !event.lost && event.job.id == watch->burn->job &&
	    event.kind == CXFW_EVENT_JOB_PROGRESS) {
		watch->job = event.job;
		return 0;
	}
	if (result > 0 && !event.lost && event.job.id != watch->burn->job)
		return 0;
	/* Silence, lost events, or the end: the driver knows. */
	return ask(watch, error);
}

static int left_behind(const struct watch *watch, struct cxctl_error *error)
{
	error_set(error, CXCTL_FAILED, "left", _("the burn goes on in the driver without this program"));
	error_found(error, _("job %llu"), (unsigned long long)watch->burn->job);
	error_next(error, _("cxctl monitor shows its end; do not switch the machine off before. cxctl verify checks the result"));
	return -1;
}

static int watch_job(struct watch *watch, struct cxctl_error *error)
{
	while (!over(&watch->job)) {
		if (answer_interrupt(watch))
			return left_behind(watch, error);
		if (next(watch, error)) {
			progress_end(&watch->progress);
			error_next(error, _("the job may go on in the driver: cxctl verify checks the result"));
			return -1;
		}
		if (!over(&watch->job))
			show(watch);
	}
	progress_end(&watch->progress);
	return 0;
}

static void journal_numbers(struct journal_entry *entry, const struct burn *burn)
{
	char version[48];

	journal_string(entry, "card", card_address(burn->card.card));
	journal_string(entry, "psid", burn->facts.psid);
	if (burn->card.state.has_facts) {
		snprintf(version, sizeof(version), "%u.%u.%u", burn->card.state.old_facts.version[0],
			 burn->card.state.old_facts.version[1], burn->card.state.old_facts.version[2]);
		journal_string(entry, "from", version);
	}
	snprintf(version, sizeof(version), "%u.%u.%u", burn->facts.version[0], burn->facts.version[1],
		 burn->facts.version[2]);
	journal_string(entry, "to", version);
	journal_string(entry, "image", burn->image.path);
	journal_string(entry, "image_sha256", burn->image.sha256);
	journal_string(entry, "backup", burn->backup);
}

static int journal_intent(const struct burn *burn, struct cxctl_error *error)
{
	struct journal_entry *entry = journal_begin("burn-begin");

	journal_numbers(entry, burn);
	journal_number(entry, "slot", burn->plan.target_slot);
	return journal_write(entry, error);
}

static void journal_result(const struct burn *burn, const char *result, const char *message)
{
	struct journal_entry *entry = journal_begin("burn-end");
	struct cxctl_error error;

	journal_numbers(entry, burn);
	journal_number(entry, "job", burn->job);
	journal_string(entry, "result", result);
	journal_string(entry, "message", message);
	if (journal_write(entry, &error))
		error_print(&error);
}

static void show_job(const struct burn *burn, const struct cxctl_job *job)
{
	struct output *output = burn->output;

	output_object(output, "job");
	output_number(output, "id", job->id);
	output_string(output, "state", job_state_name(job->state));
	output_number(output, "erased", job->erased);
	output_number(output, "programmed", job->programmed);
	output_number(output, "skipped", job->skipped);
	output_string(output, "message", job->message);
	output_end(output);
}

/* From the commit on the new image boots, whatever became of the rest. */
static bool committed(const struct cxctl_job *job)
{
	return job->state == CXFW_JOB_DONE ||
	       (job->phase >= CXFW_PHASE_INVALIDATE && job->phase <= CXFW_PHASE_END);
}

static int failed(const struct burn *burn, const struct cxctl_job *job, struct cxctl_error *error)
{
	if (job->state == CXFW_JOB_CANCELLED)
		error_set(error, CXCTL_FAILED, "cancelled", _("the burn was stopped before its commit"));
	else
		error_set(error, CXCTL_CARD_ERROR, "burn-failed", _("the burn failed while %s"),
			  job_phase_name(job->phase));
	error_found(error, "%s%s%s", job->message, *job->message && job->error ? ": " : "",
		    job->error ? strerror(job->error) : "");
	if (committed(job))
		error_next(error, _("the new image is in place; run cxctl verify before you restart the machine"));
	else if (burn->plan.flags & CXFW_PLAN_RECOVERY)
		error_next(error, _("the card still has nothing to boot: burn again. The backup is %s"), burn->backup);
	else
		error_next(error, _("the card boots what it booted before; burn again when the cause is gone. The backup is %s"),
			   burn->backup);
	return -1;
}

static int finish(struct watch *watch, struct cxctl_error *error)
{
	const struct cxctl_job *job = &watch->job;
	struct burn *burn = watch->burn;
	struct output *output = burn->output;

	journal_result(burn, job_state_name(job->state), job->message);
	output_bool(output, "changed", job->erased || job->programmed);
	if (committed(job))
		output_string(output, "pending_action", "power-cycle");
	show_job(burn, job);
	if (job->state != CXFW_JOB_DONE)
		return failed(burn, job, error);
	output_line(output, _("Burned %u.%u.%u to slot %u of %s: %llu KiB erased, %llu KiB programmed, %llu KiB were right already."),
		    burn->facts.version[0], burn->facts.version[1], burn->facts.version[2],
		    burn->plan.target_slot,
		    card_address(burn->card.card), (unsigned long long)job->erased >> 10,
		    (unsigned long long)job->programmed >> 10, (unsigned long long)job->skipped >> 10);
	output_line(output, _("The backup is %s."), burn->backup);
	output_line(output, "%s", _("What to do next: switch the machine off and on. A reboot that keeps the slot powered may not be enough. Until then the old firmware runs."));
	return CXCTL_DONE;
}

int burn_run(struct burn *burn, struct cxctl_error *error)
{
	struct watch watch = { .burn = burn };
	struct cxctl_error none;
	struct cxfw_stage staged;
	int result;

	output_string(burn->output, "backup", burn->backup);
	if (stage(burn, &staged, error) || journal_intent(burn, error))
		return -1;
	/* Listening begins before the job does, so that no event is missed. */
	watch.events = events_open(&none);
	if (card_burn(burn->card.card, staged.stage_sha256, &burn->job, error)) {
		if (watch.events)
			events_close(watch.events);
		journal_result(burn, "not-started", error->text);
		return -1;
	}
	result = watch_job(&watch, error);
	if (watch.events)
		events_close(watch.events);
	if (result) {
		output_bool(burn->output, "changed", true);
		journal_result(burn, "unknown", error->text);
		return -1;
	}
	return finish(&watch, error);
}
