// SPDX-License-Identifier: GPL-2.0-only
#include "journal_read.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "../device/device.h"
#include "../host/procfs.h"
#include "journal.h"
#include "pending.h"

#define LONGEST_LINE	65536	/* no entry of ours is longer */

static const char *text_of(struct json_object *entry, const char *key)
{
	struct json_object *value;

	if (!entry || !json_object_object_get_ex(entry, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

const char *deed_text(const struct deed *deed, const char *key)
{
	const char *text = text_of(deed->begin, key);

	if (!text)
		text = text_of(deed->started, key);
	return text ? text : text_of(deed->end, key);
}

int64_t deed_number(const struct deed *deed, const char *key)
{
	struct json_object *entries[] = { deed->begin, deed->started, deed->end }, *value;
	size_t i;

	for (i = 0; i < 3; i++)
		if (entries[i] && json_object_object_get_ex(entries[i], key, &value) &&
		    json_object_is_type(value, json_type_int))
			return json_object_get_int64(value);
	return 0;
}

bool deed_is_of(const struct deed *deed, const char *card)
{
	const char *own = deed_text(deed, "card");
	size_t length = strcspn(card, ".");

	return own && strcspn(own, ".") == length && !strncmp(own, card, length);
}

static struct deed *add(struct deeds *deeds)
{
	struct deed *grown = realloc(deeds->list, (deeds->count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	deeds->list = grown;
	memset(&grown[deeds->count], 0, sizeof(*grown));
	return &grown[deeds->count++];
}

/* The deed that this entry goes on with: of the same id; older journals have none, then of the same card. */
static struct deed *open_deed(struct deeds *deeds, struct json_object *entry, const char *what,
			      const char *id)
{
	const char *card = text_of(entry, "card");
	size_t i = deeds->count;

	while (i--) {
		struct deed *deed = &deeds->list[i];

		if (strcmp(deed->what, what))
			continue;
		if (id ? !strcmp(deed->id, id) : !*deed->id && !deed->end && card && deed_is_of(deed, card))
			return deed;
	}
	return NULL;
}

/* Takes the entry over, or leaves it to be freed: false. */
static bool take_entry(struct deeds *deeds, struct json_object *entry)
{
	const char *event = text_of(entry, "event"), *id = text_of(entry, "id");
	const char *dash = event ? strrchr(event, '-') : NULL;
	struct json_object **place;
	struct deed *deed = NULL;
	char what[32];

	if (!dash || (size_t)(dash - event) >= sizeof(what))
		return false;
	snprintf(what, sizeof(what), "%.*s", (int)(dash - event), event);
	if (strcmp(dash, "-begin"))
		deed = open_deed(deeds, entry, what, id);
	if (!deed)
		deed = add(deeds);
	if (!deed)
		return false;
	if (!*deed->what) {
		memcpy(deed->what, what, sizeof(what));
		snprintf(deed->id, sizeof(deed->id), "%s", id ? id : "");
	}
	place = !strcmp(dash, "-begin") ? &deed->begin : !strcmp(dash, "-started") ? &deed->started : &deed->end;
	json_object_put(*place);
	*place = entry;
	return true;
}

static void take_line(struct deeds *deeds, const char *line)
{
	struct json_object *entry = json_tokener_parse(line);

	if (json_object_is_type(entry, json_type_object) && take_entry(deeds, entry))
		return;
	json_object_put(entry);
	deeds->damaged++;
}

int deeds_read(struct deeds *deeds, struct cxctl_error *error)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	ssize_t length;
	FILE *file;

	memset(deeds, 0, sizeof(*deeds));
	if (state_name(NULL, "journal.jsonl", path, sizeof(path)))
		return error_set(error, CXCTL_FAILED, "state", _("the name of the state directory is too long"));
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return 0;
	if (!file) {
		int number = errno;

		error_set(error, number == EACCES ? CXCTL_NO_ACCESS : CXCTL_FAILED, "state", _("cannot read %s: %s"),
			  path, strerror(number));
		if (number == EACCES)
			error_next(error, _("run cxctl as root"));
		return -1;
	}
	while ((length = getline(&line, &room, file)) > 0) {
		if (length <= LONGEST_LINE)
			take_line(deeds, line);
		else
			deeds->damaged++;
	}
	free(line);
	fclose(file);
	return 0;
}

void deeds_free(struct deeds *deeds)
{
	size_t i;

	for (i = 0; i < deeds->count; i++) {
		json_object_put(deeds->list[i].begin);
		json_object_put(deeds->list[i].started);
		json_object_put(deeds->list[i].end);
	}
	free(deeds->list);
	memset(deeds, 0, sizeof(*deeds));
}

/* What changed the PSID has the old one in "from_psid"; what does not tell is believed. */
static bool is_psid(const struct deed *deed, const char *psid)
{
	const char *new = deed_text(deed, "psid"), *old = deed_text(deed, "from_psid");

	return !psid || !new || !strcmp(new, psid) || (old && !strcmp(old, psid));
}

const struct deed *deeds_last(const struct deeds *deeds, const char *card, const char *psid)
{
	size_t i = deeds->count;

	while (i--)
		if (deed_is_of(&deeds->list[i], card))
			return is_psid(&deeds->list[i], psid) ? &deeds->list[i] : NULL;
	return NULL;
}

static bool of_this_boot(const struct deed *deed)
{
	const char *boot = deed_text(deed, "boot_id");
	char now[40];

	boot_id(now, sizeof(now));
	return boot && *now && !strcmp(boot, now);
}

/* The program that began it still runs: it will write the end itself. */
static bool program_lives(const struct deed *deed)
{
	int64_t pid = deed_number(deed, "pid");

	return pid > 1 && pid <= INT_MAX && of_this_boot(deed) && (!kill(pid, 0) || errno == EPERM);
}

const char *deed_result(const struct deed *deed)
{
	const char *result = text_of(deed->end, "result");

	if (deed->end)
		return result ? result : "unknown";
	return program_lives(deed) ? "running" : "open";
}

/* ---- what the driver still knows ---- */

struct job_search {
	const struct deeds *deeds;
	const struct deed *deed;
	struct cxctl_job job;		/* id 0: not found */
};

/*
 * Is the job that of another deed? One program may begin several; and a driver that was loaded anew counts
 * from 1 again, so that of two deeds with one number the later has it.
 */
static bool is_of_another(const struct job_search *search, const struct cxctl_job *job, bool numbered)
{
	const struct deed *deed = search->deeds->list, *end = deed + search->deeds->count;

	for (deed = numbered ? search->deed + 1 : deed; deed < end; deed++)
		if (deed != search->deed && (uint64_t)deed_number(deed, "job") == job->id &&
		    deed_is_of(deed, job->address) && of_this_boot(deed))
			return true;
	return false;
}

/* By its number; before that was written, by who began it. Both mean something within one boot only. */
static int look_at_job(const struct cxctl_job *job, void *data)
{
	struct job_search *search = data;
	int64_t id = deed_number(search->deed, "job");

	if (deed_is_of(search->deed, job->address) &&
	    (id ? job->id == (uint64_t)id : job->owner == (uint64_t)deed_number(search->deed, "pid")) &&
	    !is_of_another(search, job, id))
		search->job = *job;
	return 0;
}

static void take(const struct deed *deed, const char *key, char *text, size_t room)
{
	const char *value = deed_text(deed, key);

	snprintf(text, room, "%s", value ? value : "");
}

static void copy(struct journal_entry *entry, const struct deed *deed, const char *key)
{
	journal_string(entry, key, deed_text(deed, key));
}

/* The burn ended well, and nobody was there to say that its firmware waits. */
static void remember(const struct deed *deed)
{
	struct pending pending = { .waits = LEVEL_NONE };
	struct cxctl_error ignored;

	take(deed, "card", pending.card, sizeof(pending.card));
	take(deed, "psid", pending.psid, sizeof(pending.psid));
	take(deed, "from_psid", pending.from_psid, sizeof(pending.from_psid));
	take(deed, "from", pending.from, sizeof(pending.from));
	take(deed, "to", pending.to, sizeof(pending.to));
	pending_burned(&pending, &ignored);
}

static bool close_deed(const struct deed *deed, const struct cxctl_job *job)
{
	static const char *const keys[] = {
		"id", "card", "psid", "from_psid", "from", "to", "method", "image", "image_sha256", "backup",
	};
	struct cxctl_error ignored;
	struct journal_entry *entry;
	char event[48];
	size_t i;

	snprintf(event, sizeof(event), "%s-end", deed->what);
	entry = journal_begin(event);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		copy(entry, deed, keys[i]);
	journal_number(entry, "job", job->id);
	journal_string(entry, "result", job_state_name(job->state));
	journal_string(entry, "message", job->message);
	journal_string(entry, "told_by", "driver");
	if (journal_write(entry, &ignored))
		return false;
	if (job->state == CXFW_JOB_DONE && job->kind != CXFW_JOB_KIND_DEVICE_DATA && deed_text(deed, "to"))
		remember(deed);
	return true;
}

/* It began a job of the driver; activate does not. "unknown": who watched it gave up before its end. */
static bool has_open_job(const struct deed *deed)
{
	const char *result = text_of(deed->end, "result");

	return strcmp(deed->what, "activate") && deed->begin && of_this_boot(deed) && !program_lives(deed) &&
	       (!deed->end || (result && !strcmp(result, "unknown")));
}

unsigned int deeds_reconcile(const struct deeds *deeds)
{
	unsigned int closed = 0;
	size_t i;

	for (i = 0; i < deeds->count; i++) {
		struct job_search search = { .deeds = deeds, .deed = &deeds->list[i] };
		struct cxctl_error ignored;

		if (!has_open_job(search.deed))
			continue;
		if (jobs_each(look_at_job, &search, &ignored))
			break;
		if (search.job.id && search.job.state != CXFW_JOB_RUNNING && search.job.state != CXFW_JOB_UNSPEC &&
		    close_deed(search.deed, &search.job))
			closed++;
	}
	return closed;
}
