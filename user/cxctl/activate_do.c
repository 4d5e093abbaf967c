// SPDX-License-Identifier: GPL-2.0-only
/* The reset itself: intent written down, driver off, reset, driver back, and a look at what runs now. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "../device/devlink_reload.h"
#include "activate.h"
#include "driver_off.h"
#include "journal.h"

#define ANSWER_SECONDS	60	/* until a card must have answered: its firmware's start, device-access.md 6.1 */
#define PAUSE_MS	200

/* ---- the journal ---- */

static void fill_entry(const struct activate *activate, struct journal_entry *entry)
{
	journal_string(entry, "id", activate->id);
	journal_string(entry, "card", activate->address);
	journal_string(entry, "psid", *activate->psid ? activate->psid : NULL);
	journal_string(entry, "from", *activate->running ? activate->running : NULL);
	journal_string(entry, "to", *activate->stored ? activate->stored : NULL);
	journal_string(entry, "level", activate_level_name(activate->ways.chosen->level));
}

/* Of the journal's entries that belong together. */
static void make_id(struct activate *activate)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid() << 32 | (uint32_t)time(NULL);
	snprintf(activate->id, sizeof(activate->id), "%016llx", (unsigned long long)number);
}

static int journal_intent(const struct activate *activate, struct cxctl_error *error)
{
	struct journal_entry *entry = journal_begin("activate-begin");

	fill_entry(activate, entry);
	journal_string(entry, "reason", activate->request->reason);
	return journal_write(entry, error);
}

static void journal_result(const struct activate *activate, const char *result, const char *message)
{
	struct journal_entry *entry = journal_begin("activate-end");
	struct cxctl_error error;

	fill_entry(activate, entry);
	journal_string(entry, "result", result);
	journal_string(entry, "message", message);
	if (journal_write(entry, &error))
		error_print(&error);
}

/* ---- the reset ---- */

static int reset(struct activate *activate, struct cxctl_error *error)
{
	switch (activate->ways.chosen->level) {
	case LEVEL_LIVE_PATCH:
		return card_activate(activate->card, CXFW_RESET_LIVE_PATCH, error);
	case LEVEL_DEVLINK:
		return devlink_reload(activate->address, error);
	case LEVEL_LINK:
		return card_activate(activate->card, CXFW_RESET_LINK, error);
	case LEVEL_CHIP:
		return card_activate(activate->card, CXFW_RESET_CHIP, error);
	default:
		return error_set(error, CXCTL_FAILED, "not-offered", "%s",
				 activate_level_name(activate->ways.chosen->level));
	}
}

static int reset_with_driver(struct activate *activate, struct cxctl_error *error)
{
	struct cxctl_error back;
	int result, lock, driver;

	if (!activate->ways.chosen->rebind)
		return reset(activate, error);
	lock = driver_off_begin(activate->address, activate->functions, activate->function_count, error);
	if (lock < 0)
		return -1;
	say(activate->options, _("taking the driver off ..."));
	result = activate_driver_off(activate, error);
	if (!result) {
		say(activate->options, _("resetting ..."));
		result = reset(activate, error);
		say(activate->options, _("putting the driver back ..."));
	}
	driver = activate_driver_back(activate, &back);
	driver_off_end(activate->address, lock, !driver);
	if (!driver)
		return result;
	/* The reset's own failure is the cause; this one is its consequence, and told as well. */
	if (result)
		error_print(&back);
	else
		*error = back;
	return -1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* False: nothing answered in time. */
static bool ask_again(const struct activate *activate, char *version, size_t room)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000L };
	double until = now() + ANSWER_SECONDS;

	for (;;) {
		struct cxctl_error ignored;
		struct cxctl_card *card = card_open(activate->address, &ignored);
		bool answers = card && activate_running(card, version, room);

		card_close(card);
		if (answers && *version)
			return true;
		if (now() > until)
			return false;
		nanosleep(&pause, NULL);
	}
}

/* ---- what came of it ---- */

static int done(struct activate *activate, const char *version)
{
	journal_result(activate, "done", NULL);
	pending_forget(activate->address);
	output_bool(activate->output, "changed", true);
	output_null(activate->output, "pending_action");
	output_string(activate->output, "firmware_running", version);
	output_line(activate->output, _("%s runs %s."), activate->address, version);
	return CXCTL_DONE;
}

/* The chosen level is of no use: the next one is chosen, and the record knows. */
static void go_on(struct activate *activate)
{
	struct cxctl_error ignored;

	activate->pending.tried |= 1U << activate->ways.chosen->level;
	activate->pending.waits = LEVEL_NONE;
	activate->facts.tried = activate->pending.tried;
	if (*activate->stored)
		pending_write(&activate->pending, &ignored);
	activate_find_ways(&activate->facts, LEVEL_NONE, &activate->ways);
}

static void name_next(const struct activate *activate, struct cxctl_error *error)
{
	if (activate->ways.chosen)
		error_next(error, _("cxctl activate %s goes on with the next level, %s"), activate->address,
			   activate_level_name(activate->ways.chosen->level));
	else
		error_next(error, _("cxctl verify %s tells whether the flash holds a whole image"), activate->address);
}

/* Firmware, driver or slot have the last word on what they offer. */
static bool refused_after_all(const struct cxctl_error *error)
{
	static const char *const ids[] = { "not-offered", "reset-not-offered", "card-shared" };
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (!strcmp(error->id, ids[i]))
			return true;
	return false;
}

static void failed(struct activate *activate, struct cxctl_error *error)
{
	journal_result(activate, "failed", error->text);
	if (refused_after_all(error)) {
		go_on(activate);
		name_next(activate, error);
	}
	if (activate->waits)
		output_string(activate->output, "pending_action", pending_action(&activate->pending));
}

static int unchanged(struct activate *activate, const char *version, struct cxctl_error *error)
{
	enum activate_level level = activate->ways.chosen->level;

	journal_result(activate, "unchanged", NULL);
	go_on(activate);
	output_bool(activate->output, "changed", true);
	output_string(activate->output, "pending_action", pending_action(&activate->pending));
	output_string(activate->output, "firmware_running", version);
	error_set(error, CXCTL_FAILED, "reset-changed-nothing", _("%s: the card was reset (%s) and runs what it ran"),
		  activate->address, activate_level_name(level));
	error_found(error, "%s", version);
	error_expected(error, "%s", activate->stored);
	name_next(activate, error);
	return -1;
}

static int silent(struct activate *activate, struct cxctl_error *error)
{
	journal_result(activate, "no-answer", NULL);
	output_bool(activate->output, "changed", true);
	output_string(activate->output, "pending_action", "power-cycle");
	error_set(error, CXCTL_CARD_ERROR, "no-answer", _("%s: the card was reset and does not answer since"),
		  activate->address);
	error_expected(error, _("an answer within %u seconds"), ANSWER_SECONDS);
	error_next(error, _("switch the machine off and on; if the card is silent then, cxctl access %s tells which ways to it are left"),
		   activate->address);
	return -1;
}

/* Ctrl-C, or the end of a session that came over this card, must not leave it without its driver. */
static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, before);
	signal(SIGPIPE, SIG_IGN);
}

int activate_do(struct activate *activate, struct cxctl_error *error)
{
	bool expects_new = activate->waits &&
			   (!*activate->running || !version_same(activate->running, activate->stored));
	char version[24] = "";
	sigset_t before;
	int result;

	make_id(activate);
	hold_signals(&before);
	result = journal_intent(activate, error);
	if (!result && *activate->stored)
		result = pending_write(&activate->pending, error);
	if (result)
		goto out;
	result = reset_with_driver(activate, error);
	if (result) {
		failed(activate, error);
	} else if (!ask_again(activate, version, sizeof(version))) {
		result = silent(activate, error);
	} else if (expects_new && !version_same(version, activate->stored)) {
		result = unchanged(activate, version, error);
	} else {
		result = done(activate, version);
	}
out:
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

/* ---- what only a person can do ---- */

static void why_no_milder(const struct activate *activate, char *text, size_t room)
{
	size_t used = 0, i;

	*text = '\0';
	for (i = 0; i < activate->ways.count && &activate->ways.way[i] != activate->ways.chosen && used < room; i++)
		if (!activate->ways.way[i].offered)
			used += snprintf(text + used, room - used, "%s%s: %s", used ? "; " : "",
					 activate_level_name(activate->ways.way[i].level), activate->ways.way[i].why);
}

int activate_ask_person(struct activate *activate, struct cxctl_error *error)
{
	enum activate_level level = activate->ways.chosen->level;
	char why[sizeof(error->found)];

	activate->pending.waits = level;
	if (!activate->request->dry_run && *activate->stored && pending_write(&activate->pending, error))
		return -1;
	output_string(activate->output, "pending_action", activate_level_name(level));
	why_no_milder(activate, why, sizeof(why));
	if (level == LEVEL_REBOOT) {
		error_set(error, CXCTL_REFUSED, "reboot-needed", _("%s: %s starts with a reboot of this machine"),
			  activate->address, *activate->stored ? activate->stored : _("the new firmware"));
		error_next(error, _("reboot; then cxctl activate --resume (the service cxctl-activate runs it) compares what was to run with what runs"));
	} else {
		error_set(error, CXCTL_REFUSED, "power-cycle-needed",
			  _("%s: %s starts with a cold power cycle"), activate->address,
			  *activate->stored ? activate->stored : _("the new firmware"));
		error_next(error, _("switch the machine off, take its power away for ten seconds, switch it on; a reboot is not enough. Then cxctl activate --resume compares"));
	}
	error_found(error, "%s", why);
	error_rule(error, _("cxctl reboots no machine by itself"));
	return -1;
}
