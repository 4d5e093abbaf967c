// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_lines.h"

#define LOG_MOST	(4u << 20)

/* A record of /dev/kmsg is "6,1234,5678,-;text", then lines of properties that begin with a blank. */
static size_t take_record(const char *record, char *text, size_t room)
{
	const char *line = strchr(record, ';');
	size_t length = line ? strcspn(line + 1, "\n") : 0;

	if (!line || length + 2 > room)
		return 0;
	memcpy(text, line + 1, length);
	text[length] = '\n';
	return length + 1;
}

static char *read_running(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192], *text = fd >= 0 ? malloc(LOG_MOST) : NULL;
	size_t used = 0;
	ssize_t got;

	while (text) {
		got = read(fd, record, sizeof(record) - 1);
		/* EPIPE: records were overwritten while this read; it goes on with the next one. */
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			break;
		record[got] = '\0';
		used += take_record(record, text + used, LOG_MOST - 1 - used);
	}
	if (text)
		text[used] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

char *log_read(const struct host *host)
{
	static const char *const files[] = { "var/log/kern.log", "var/log/messages", "var/log/dmesg", "var/log/syslog" };
	char *text = host->live ? read_running() : NULL;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]) && !text && !host->live; i++)
		text = host_text(host, "%s", files[i]);
	return text;
}
