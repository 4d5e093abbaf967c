// SPDX-License-Identifier: GPL-2.0-only
/* Events as they come, one line each; with -j one JSON object a line. */
#include <ctype.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"

enum { OPTION_COUNT, OPTION_SECONDS };

struct monitor {
	unsigned long count;		/* 0: no end */
	unsigned long seconds;		/* 0: no end */
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	stopped = number;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct monitor *monitor = data;
	char *end;
	unsigned long value = strtoul(argument, &end, 10);

	if (*end || !isdigit((unsigned char)*argument) || !value || value > INT_MAX)
		return error_set(error, CXCTL_USAGE, "bad-option", _("%s is not a number from 1 to %d"),
				 argument, INT_MAX);
	if (index == OPTION_COUNT)
		monitor->count = value;
	else
		monitor->seconds = value;
	return 0;
}

static const char *kind_name(uint32_t kind)
{
	switch (kind) {
	case CXFW_EVENT_CARD_ADDED:
		return "card-added";
	case CXFW_EVENT_CARD_REMOVED:
		return "card-removed";
	case CXFW_EVENT_JOB_PROGRESS:
		return "job-progress";
	case CXFW_EVENT_JOB_END:
		return "job-end";
	}
	return "unknown";
}

static void put_time(struct output *output, char *text, size_t size)
{
	struct timespec now;
	struct tm parts;
	char zone[8];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &parts);
	strftime(text, size, "%H:%M:%S", &parts);
	if (output_is_json(output)) {
		char stamp[64];

		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &parts);
		strftime(zone, sizeof(zone), "%z", &parts);
		strcat(stamp, zone);
		output_string(output, "time", stamp);
	}
}

static const char *phase_id(uint32_t phase)
{
	static const char *const ids[] = {
		[CXFW_PHASE_CHECK] = "check", [CXFW_PHASE_PREPARE] = "prepare", [CXFW_PHASE_WRITE] = "write",
		[CXFW_PHASE_VERIFY] = "verify", [CXFW_PHASE_COMMIT] = "commit",
		[CXFW_PHASE_INVALIDATE] = "invalidate", [CXFW_PHASE_END] = "end",
	};

	return phase < sizeof(ids) / sizeof(ids[0]) ? ids[phase] : NULL;
}

static void put_job(struct output *output, const struct cxctl_job *job)
{
	output_object(output, "job");
	output_number(output, "id", job->id);
	output_string(output, "state", job_state_name(job->state));
	output_string(output, "phase", phase_id(job->phase));
	output_number(output, "done", job->done);
	output_number(output, "total", job->total);
	output_number(output, "error", job->error);
	output_string(output, "message", job->message);
	output_number(output, "erased", job->erased);
	output_number(output, "programmed", job->programmed);
	output_number(output, "skipped", job->skipped);
	output_number(output, "owner", job->owner);
	output_end(output);
}

static void show_job(struct output *output, const char *time, const struct cxctl_event *event)
{
	const struct cxctl_job *job = &event->job;

	put_job(output, job);
	if (event->kind == CXFW_EVENT_JOB_PROGRESS && job->total)
		output_line(output, _("%s  %s  job %llu: %s %llu%%"), time, event->address,
			    (unsigned long long)job->id, job_phase_name(job->phase),
			    (unsigned long long)(job->done * 100 / job->total));
	else if (event->kind == CXFW_EVENT_JOB_PROGRESS)
		output_line(output, _("%s  %s  job %llu: %s"), time, event->address, (unsigned long long)job->id,
			    job_phase_name(job->phase));
	else
		output_line(output, _("%s  %s  job %llu: ended, %s%s%s"), time, event->address,
			    (unsigned long long)job->id, job_state_name(job->state), *job->message ? ": " : "",
			    job->message);
}

static void show_event(struct output *output, const struct cxctl_event *event)
{
	char time[32];

	output_string(output, "event", kind_name(event->kind));
	put_time(output, time, sizeof(time));
	output_number(output, "seq", event->seq);
	output_string(output, "address", *event->address ? event->address : NULL);
	switch (event->kind) {
	case CXFW_EVENT_CARD_ADDED:
		output_line(output, _("%s  %s  card added"), time, event->address);
		break;
	case CXFW_EVENT_CARD_REMOVED:
		output_line(output, _("%s  %s  card removed"), time, event->address);
		break;
	case CXFW_EVENT_JOB_PROGRESS:
	case CXFW_EVENT_JOB_END:
		show_job(output, time, event);
		break;
	default:
		output_line(output, _("%s  %s  event of a kind that this cxctl does not know (%u)"), time,
			    event->address, event->kind);
		break;
	}
	output_flush_line(output);
}

static int show_card(const struct cxctl_card_facts *facts, void *data)
{
	struct output *output = data;

	output_string(output, "event", "card");
	output_string(output, "address", facts->address);
	output_number(output, "pci_device", facts->pci_device);
	output_line(output, _("          %s  is there"), facts->address);
	output_flush_line(output);
	return 0;
}

/* After a loss the state is told anew: what is there now. Job results are kept by the driver. */
static int resync(struct output *output, bool lost, struct cxctl_error *error)
{
	if (lost) {
		output_string(output, "event", "lost");
		output_line(output, "%s", _("          events were lost; this is what is there now:"));
		output_flush_line(output);
	}
	return cards_each(show_card, output, error);
}

static int run(struct output *output, const struct options *options, const struct monitor *monitor,
	       struct cxctl_error *error)
{
	struct cxctl_events *events = events_open(error);
	struct cxctl_event event;
	unsigned long shown = 0;
	time_t end = time(NULL) + monitor->seconds;
	int result = 0;

	if (!events)
		return -1;
	say(options, "%s", _("waiting for events; Ctrl-C ends"));
	/* Listening comes first, so that nothing falls between the list and the first event. */
	result = resync(output, false, error);
	while (!result && !stopped && !(monitor->count && shown >= monitor->count)) {
		int wait = -1, got;

		if (monitor->seconds) {
			time_t left = end - time(NULL);

			if (left <= 0)
				break;
			wait = left > 3600 ? 3600000 : (int)left * 1000;
		}
		got = events_next(events, wait, &event, error);
		if (got < 0)
			result = -1;
		else if (got && event.lost)
			result = resync(output, true, error);
		if (got > 0 && event.kind != CXFW_EVENT_UNSPEC) {
			show_event(output, &event);
			shown++;
		}
		if (ferror(stdout))
			break;
	}
	events_close(events);
	return result;
}

int cmd_monitor(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_COUNT] = { "count", 'n', N_("NUMBER"), N_("end after so many events") },
		[OPTION_SECONDS] = { "seconds", 's', N_("NUMBER"), N_("end after so many seconds") },
	};
	static const struct usage usage = {
		.name = "monitor",
		.synopsis = "[options]",
		.summary = N_("Shows what the driver reports, as it comes: cards added and removed, jobs and their end."),
		.details = N_("First the cards that are there, then events. With -j each line is one JSON object."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct sigaction action = { .sa_handler = on_signal };
	struct monitor monitor = { 0 };
	struct options lines;
	struct output *output;
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &monitor, &first, &code))
		return code;
	if (first < argc || options->device) {
		error_set(&error, CXCTL_USAGE, "too-many-operands", _("cxctl monitor takes no operand: %s"),
			  first < argc ? argv[first] : options->device);
		return command_fail(options, &error);
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	lines = *options;
	lines.pretty = false;
	output = output_open(stdout, &lines);
	if (run(output, options, &monitor, &error)) {
		output_error(output, &error);
		output_flush_line(output);
		error_print(&error);
		code = error.exit;
	} else {
		code = command_flush();
	}
	output_discard(output);
	return code;
}
