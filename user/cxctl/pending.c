// SPDX-License-Identifier: GPL-2.0-only
#include "pending.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <json-c/json.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/message.h"
#include "../host/procfs.h"
#include "journal.h"

#define LONGEST	4096	/* bytes of a record that is believed */

static const char *const level_names[LEVELS] = {
	[LEVEL_NONE] = "none",
	[LEVEL_LIVE_PATCH] = "live-patch",
	[LEVEL_DEVLINK] = "devlink-reload",
	[LEVEL_LINK] = "link-toggle",
	[LEVEL_CHIP] = "chip-reset",
	[LEVEL_REBOOT] = "reboot",
	[LEVEL_POWER_CYCLE] = "power-cycle",
};

const char *activate_level_name(enum activate_level level)
{
	return level < LEVELS ? level_names[level] : "unknown";
}

int activate_level_by_name(const char *name)
{
	int level;

	for (level = LEVEL_LIVE_PATCH; level < LEVELS; level++)
		if (!strcmp(level_names[level], name))
			return level;
	return -1;
}

static bool is_address(const char *text)
{
	unsigned int part[4];
	int used = 0;

	return strlen(text) < 16 &&
	       sscanf(text, "%8x:%2x:%2x.%1x%n", &part[0], &part[1], &part[2], &part[3], &used) == 4 && !text[used];
}

bool version_same(const char *a, const char *b)
{
	unsigned int one[3], other[3];

	if (sscanf(a, "%u.%u.%u", &one[0], &one[1], &one[2]) != 3 ||
	    sscanf(b, "%u.%u.%u", &other[0], &other[1], &other[2]) != 3)
		return !strcmp(a, b);
	return !memcmp(one, other, sizeof(one));
}

/* One record a card: the functions of a slot share it. */
static void record_name(const char *card, char *name, size_t room)
{
	snprintf(name, room, "%.*s.0.json", (int)strcspn(card, "."), card);
}

static int name_of(const char *card, char *path, size_t room)
{
	char name[32];

	if (!is_address(card))
		return -1;
	record_name(card, name, sizeof(name));
	return state_name("pending", name, path, room);
}

static void take_text(struct json_object *object, const char *key, char *text, size_t room)
{
	struct json_object *value;

	*text = '\0';
	if (json_object_object_get_ex(object, key, &value) && json_object_is_type(value, json_type_string))
		snprintf(text, room, "%s", json_object_get_string(value));
}

/* 0: none, or none that fits. */
static uint32_t take_number(struct json_object *object, const char *key)
{
	struct json_object *value;
	int64_t number;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_int))
		return 0;
	number = json_object_get_int64(value);
	return number > 0 && number <= UINT32_MAX ? number : 0;
}

static void take_tried(struct json_object *object, struct pending *pending)
{
	struct json_object *list;
	size_t i;

	if (!json_object_object_get_ex(object, "tried", &list) || !json_object_is_type(list, json_type_array))
		return;
	for (i = 0; i < json_object_array_length(list); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(list, i));
		int level = name ? activate_level_by_name(name) : -1;

		if (level > 0)
			pending->tried |= 1U << level;
	}
}

static int damaged(const char *path, struct cxctl_error *error)
{
	error_set(error, CXCTL_FAILED, "state", _("%s is no record of a burn"), path);
	error_next(error, _("remove it; cxctl verify CARD tells what the flash holds"));
	return -1;
}

static int read_path(const char *path, struct pending *pending, struct cxctl_error *error)
{
	char text[LONGEST], level[24];
	struct json_object *object;
	int length;

	memset(pending, 0, sizeof(*pending));
	length = file_read(text, sizeof(text), path);
	if (length < 0)
		return 0;
	object = json_tokener_parse(text);
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return damaged(path, error);
	}
	take_text(object, "card", pending->card, sizeof(pending->card));
	take_text(object, "psid", pending->psid, sizeof(pending->psid));
	take_text(object, "from_psid", pending->from_psid, sizeof(pending->from_psid));
	take_text(object, "serial", pending->serial, sizeof(pending->serial));
	pending->hw_id = take_number(object, "hw_id");
	take_text(object, "from", pending->from, sizeof(pending->from));
	take_text(object, "to", pending->to, sizeof(pending->to));
	take_text(object, "boot_id", pending->boot_id, sizeof(pending->boot_id));
	take_text(object, "time", pending->time, sizeof(pending->time));
	take_text(object, "waits_for", level, sizeof(level));
	if (activate_level_by_name(level) > 0)
		pending->waits = activate_level_by_name(level);
	take_tried(object, pending);
	json_object_put(object);
	if (!is_address(pending->card) || !*pending->to) {
		memset(pending, 0, sizeof(*pending));
		return damaged(path, error);
	}
	return 1;
}

int pending_read(const char *card, struct pending *pending, struct cxctl_error *error)
{
	char path[PATH_MAX];

	memset(pending, 0, sizeof(*pending));
	return name_of(card, path, sizeof(path)) ? 0 : read_path(path, pending, error);
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, *text ? json_object_new_string(text) : NULL);
}

static struct json_object *to_json(const struct pending *pending)
{
	struct json_object *object = json_object_new_object(), *tried = json_object_new_array();
	int level;

	put_text(object, "card", pending->card);
	put_text(object, "psid", pending->psid);
	put_text(object, "from_psid", pending->from_psid);
	put_text(object, "serial", pending->serial);
	json_object_object_add(object, "hw_id", json_object_new_int64(pending->hw_id));
	put_text(object, "from", pending->from);
	put_text(object, "to", pending->to);
	put_text(object, "time", pending->time);
	put_text(object, "boot_id", pending->boot_id);
	put_text(object, "waits_for", pending->waits ? activate_level_name(pending->waits) : "");
	for (level = LEVEL_LIVE_PATCH; level < LEVELS; level++)
		if (pending->tried >> level & 1)
			json_object_array_add(tried, json_object_new_string(level_names[level]));
	json_object_object_add(object, "tried", tried);
	return object;
}

static int cannot_write(const char *path, struct cxctl_error *error)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "state",
		  _("cannot write %s: %s"), path, strerror(number));
	error_next(error, _("make the directory writable, or name another with XDG_STATE_HOME"));
	return -1;
}

/* "PATH.PID.new": of the same card's writers that died, not of those that live. */
static void remove_stale(const char *path)
{
	size_t length = strlen(path);
	char pattern[PATH_MAX + 8];
	glob_t drafts;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s.*.new", path);
	if (glob(pattern, 0, NULL, &drafts))
		return;
	for (i = 0; i < drafts.gl_pathc; i++) {
		const char *draft = drafts.gl_pathv[i];
		/* A directory's name may hold a pattern, too. */
		long writer = strncmp(draft, path, length) ? 0 : strtol(draft + length + 1, NULL, 10);

		if (writer > 0 && kill(writer, 0) && errno == ESRCH)
			unlink(draft);
	}
	globfree(&drafts);
}

/* Whole, or not at all: a new file takes the place of the old one. Two writers have a new file each. */
static int replace(const char *path, const char *text, struct cxctl_error *error)
{
	char draft[PATH_MAX + 32];
	size_t length = strlen(text);
	int fd, result = 0;

	remove_stale(path);
	snprintf(draft, sizeof(draft), "%s.%ld.new", path, (long)getpid());
	unlink(draft);			/* of a dead process of the same number */
	fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return cannot_write(draft, error);
	errno = EIO;
	if (write(fd, text, length) != (ssize_t)length || fsync(fd))
		result = cannot_write(draft, error);
	close(fd);
	if (!result && rename(draft, path))
		result = cannot_write(path, error);
	if (result)
		unlink(draft);
	return result;
}

int pending_write(struct pending *pending, struct cxctl_error *error)
{
	struct json_object *object;
	char path[PATH_MAX], name[32];
	time_t now = time(NULL);
	struct tm utc;
	int result;

	if (!is_address(pending->card))
		return error_set(error, CXCTL_FAILED, "state", _("%s is no PCI address"), pending->card);
	gmtime_r(&now, &utc);
	strftime(pending->time, sizeof(pending->time), "%Y-%m-%dT%H:%M:%SZ", &utc);
	boot_id(pending->boot_id, sizeof(pending->boot_id));
	record_name(pending->card, name, sizeof(name));
	if (state_path("pending", name, path, sizeof(path), error))
		return -1;
	object = to_json(pending);
	result = replace(path, json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY), error);
	json_object_put(object);
	return result;
}

int pending_burned(const struct pending *burned, struct cxctl_error *error)
{
	struct pending pending = *burned;

	pending.tried = 0;
	pending.waits = LEVEL_NONE;
	pending_serial(pending.card, pending.serial, sizeof(pending.serial));
	return pending_write(&pending, error);
}

void pending_forget(const char *card)
{
	char path[PATH_MAX];

	if (!name_of(card, path, sizeof(path)))
		unlink(path);
}

static int is_record(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && !strcmp(entry->d_name + length - 5, ".json");
}

void pending_each(int (*callback)(const struct pending *pending, void *data), void *data)
{
	char path[PATH_MAX], file[2 * PATH_MAX];
	struct dirent **entries;
	int count, i, go_on = 1;

	if (state_name("pending", NULL, path, sizeof(path)))
		return;
	count = scandir(path, &entries, is_record, versionsort);
	if (count < 0)
		return;
	for (i = 0; i < count; i++) {
		struct cxctl_error ignored;
		struct pending pending;

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (go_on && read_path(file, &pending, &ignored) > 0)
			go_on = !callback(&pending, data);
		free(entries[i]);
	}
	free(entries);
}

bool pending_rebooted(const struct pending *pending)
{
	char now[40];

	boot_id(now, sizeof(now));
	return *now && *pending->boot_id && strcmp(now, pending->boot_id);
}

bool pending_waits(const struct pending *pending, const char *running)
{
	if (!*pending->from || !version_same(pending->from, pending->to))
		return !running || !version_same(running, pending->to);
	return !pending_rebooted(pending);
}

const char *pending_action(const struct pending *pending)
{
	if (pending->tried >> LEVEL_REBOOT & 1 || pending->waits == LEVEL_POWER_CYCLE)
		return "power-cycle";
	return pending->waits == LEVEL_REBOOT ? "reboot" : "activate";
}
