// SPDX-License-Identifier: GPL-2.0-only
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/message.h"
#include "../base/output.h"
#include "../host/procfs.h"
#include "journal_log.h"

#define STATE_DIRECTORY "/var/lib/cxctl"

static int cannot(struct cxctl_error *error, const char *doing, const char *path)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "state",
		  "%s %s: %s", doing, path, strerror(number));
	error_rule(error, _("nothing is done to a card that cannot be written down first"));
	error_next(error, _("make the directory writable, or name another with XDG_STATE_HOME"));
	return -1;
}

/* mkdir -p; what exists may be a link to a directory. */
static int make_directories(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

/* The state directory, or one below it. */
static int directory_of(const char *below, char *path, size_t room)
{
	const char *home = getenv("XDG_STATE_HOME");
	const char *slash = below ? "/" : "";
	int length;

	if (!below)
		below = "";
	if (home && *home == '/')
		length = snprintf(path, room, "%s/cxctl%s%s", home, slash, below);
	else
		length = snprintf(path, room, "%s%s%s", STATE_DIRECTORY, slash, below);
	return length >= (int)room ? -1 : 0;
}

int state_name(const char *below, const char *name, char *path, size_t room)
{
	char directory[PATH_MAX];

	if (directory_of(below, directory, sizeof(directory)))
		return -1;
	return snprintf(path, room, "%s%s%s", directory, name ? "/" : "", name ? name : "") >= (int)room ? -1 : 0;
}

int state_path(const char *below, const char *name, char *path, size_t room, struct cxctl_error *error)
{
	char directory[PATH_MAX];

	if (directory_of(below, directory, sizeof(directory)) || state_name(below, name, path, room))
		return error_set(error, CXCTL_FAILED, "state", _("the name of the state directory is too long"));
	if (make_directories(directory))
		return cannot(error, _("cannot make the directory"), directory);
	return 0;
}

static void add(struct json_object *entry, const char *key, const char *value)
{
	if (value && *value)
		json_object_object_add(entry, key, json_object_new_string(value));
}

/* The first line of a small file of /proc; "" when it cannot be read. */
static const char *first_line(const char *name, char *text, size_t room)
{
	char path[PATH_MAX];
	FILE *file;

	proc_path(path, sizeof(path), "%s", name);
	file = fopen(path, "re");
	*text = '\0';
	if (!file)
		return text;
	if (fgets(text, room, file))
		text[strcspn(text, "\n")] = '\0';
	fclose(file);
	return text;
}

static void add_user(struct json_object *entry, const char *key, unsigned long id)
{
	struct passwd *user, stored;
	char room[1024], number[24];

	if (getpwuid_r(id, &stored, room, sizeof(room), &user) || !user) {
		snprintf(number, sizeof(number), "%lu", id);
		add(entry, key, number);
		return;
	}
	add(entry, key, stored.pw_name);
}

/* By whom: who this process runs as, and who logged in to become it (sudo and su do not change that). */
static void add_actor(struct json_object *entry)
{
	char text[64], *end;
	unsigned long id;

	id = strtoul(first_line("self/loginuid", text, sizeof(text)), &end, 10);
	if (end == text || *end || id == (uint32_t)-1)
		id = getuid();
	add_user(entry, "by", id);
	if (id != getuid())
		add_user(entry, "as", getuid());
	json_object_object_add(entry, "pid", json_object_new_int64(getpid()));
	/* Ids of jobs mean something within one boot only. */
	boot_id(text, sizeof(text));
	add(entry, "boot_id", text);
}

struct journal_entry *journal_begin(const char *event)
{
	struct json_object *entry = json_object_new_object();
	time_t now = time(NULL);
	char text[32];
	struct tm utc;

	if (!entry)
		return NULL;
	gmtime_r(&now, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	json_object_object_add(entry, "time", json_object_new_string(text));
	json_object_object_add(entry, "event", json_object_new_string(event));
	add_actor(entry);
	return (struct journal_entry *)entry;
}

void journal_string(struct journal_entry *entry, const char *key, const char *value)
{
	char *clean;

	if (!entry || !value)
		return;
	/* The name of a file may hold any byte, JSON not. */
	clean = text_utf8(value, strlen(value));
	json_object_object_add((struct json_object *)entry, key, json_object_new_string(clean));
	free(clean);
}

void journal_number(struct journal_entry *entry, const char *key, int64_t value)
{
	if (entry)
		json_object_object_add((struct json_object *)entry, key, json_object_new_int64(value));
}

/*
 * The line is there whole or not at all: what a full disk took of it is given back, and what a power cut
 * left of the line before is ended, so that it does not swallow this one.
 */
static int append_locked(int fd, const char *line)
{
	size_t length = strlen(line);
	struct stat status;
	ssize_t written;
	char last = '\n';
	int number;

	/* Ctrl-C while another one writes is no reason to lose the line. */
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return -1;
	if (fstat(fd, &status))
		return -1;
	if (status.st_size && pread(fd, &last, 1, status.st_size - 1) != 1)
		return -1;
	if (last != '\n' && write(fd, "\n", 1) != 1)
		return -1;
	errno = ENOSPC;
	written = write(fd, line, length);
	if (written == (ssize_t)length && !fsync(fd))
		return 0;
	number = errno;
	if (ftruncate(fd, status.st_size))
		errno = number;
	errno = number;
	return -1;
}

static int append(const char *path, const char *line)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600), number;

	if (fd < 0)
		return -1;
	if (append_locked(fd, line)) {
		number = errno;
		close(fd);
		errno = number;
		return -1;
	}
	return close(fd);
}

static bool is_intent(struct json_object *object)
{
	struct json_object *event;
	const char *name;
	size_t length;

	if (!json_object_object_get_ex(object, "event", &event))
		return false;
	name = json_object_get_string(event);
	length = strlen(name);
	return length > 6 && !strcmp(name + length - 6, "-begin");
}

int journal_write(struct journal_entry *entry, struct cxctl_error *error)
{
	struct json_object *object = (struct json_object *)entry;
	const char *text = object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : NULL;
	char path[PATH_MAX], *line = NULL;
	int result = -1;

	if (!text || asprintf(&line, "%s\n", text) < 0)
		error_set(error, CXCTL_FAILED, "memory", _("no memory for the journal"));
	else if (!state_path(NULL, "journal.jsonl", path, sizeof(path), error))
		result = append(path, line) ? cannot(error, _("cannot write the journal"), path) : 0;
	/* A deed that could not be written down is not done; the end of one that was done is told anyway. */
	if (object && (!result || !is_intent(object)))
		journal_log(object);
	free(line);
	json_object_put(object);
	return result;
}
