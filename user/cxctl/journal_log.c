// SPDX-License-Identifier: GPL-2.0-only
#include "journal_log.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

static void write_words(FILE *file, struct json_object *object)
{
	json_object_object_foreach(object, key, value) {
		if (!strcmp(key, "event") || !strcmp(key, "time") || !strcmp(key, "boot_id") || !strcmp(key, "pid"))
			continue;
		fprintf(file, " %s=%s", key, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
									     JSON_C_TO_STRING_NOSLASHESCAPE));
	}
}

/* burn-begin card="0000:03:00.0" to="2.10.720": for people, and for a syslog that knows no fields. */
static char *as_line(struct json_object *object)
{
	struct json_object *event;
	char *line = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&line, &length);

	if (!file)
		return NULL;
	if (json_object_object_get_ex(object, "event", &event))
		fputs(json_object_get_string(event), file);
	write_words(file, object);
	if (fclose(file)) {
		free(line);
		return NULL;
	}
	return line;
}

static void write_fields(FILE *file, struct json_object *object)
{
	json_object_object_foreach(object, key, value) {
		const char *words = json_object_get_string(value), *at;

		/* A newline would begin another field. */
		if (strchr(words, '\n'))
			continue;
		fputs("CXCTL_", file);
		for (at = key; *at; at++)
			fputc(toupper((unsigned char)*at), file);
		fprintf(file, "=%s\n", words);
	}
}

/* journald's own protocol: one datagram, a line "FIELD=value" each. */
static int to_journald(struct json_object *object, const char *line)
{
	static const struct sockaddr_un address = { AF_UNIX, "/run/systemd/journal/socket" };
	char *text = NULL;
	size_t length = 0;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), result = -1;
	FILE *file;

	if (fd < 0)
		return -1;
	file = open_memstream(&text, &length);
	if (file) {
		fprintf(file, "PRIORITY=%d\nSYSLOG_FACILITY=%d\nSYSLOG_IDENTIFIER=cxctl\nMESSAGE=%s\n", LOG_NOTICE,
			LOG_DAEMON >> 3, line);
		write_fields(file, object);
		if (!fclose(file) && sendto(fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT,
					    (const struct sockaddr *)&address, sizeof(address)) == (ssize_t)length)
			result = 0;
	}
	free(text);
	close(fd);
	return result;
}

void journal_log(struct json_object *object)
{
	char *line = as_line(object);

	if (!line)
		return;
	if (to_journald(object, line))
		syslog(LOG_DAEMON | LOG_NOTICE, "%s", line);
	free(line);
}
