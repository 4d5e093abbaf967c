// SPDX-License-Identifier: GPL-2.0-only
/* What the system calls itself: os-release(5), and older release files where there is none. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host_private.h"

bool one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

void lower_case(char *text)
{
	for (; *text; text++)
		*text = tolower((unsigned char)*text);
}

/* One value up to its line's end. Inside '...' a backslash is itself. */
static size_t unquote(const char *from, char *value, size_t size)
{
	char quote = *from == '"' || *from == '\'' ? *from++ : '\0';
	size_t used = 0;

	while (*from && *from != '\n' && (quote ? *from != quote : !isspace((unsigned char)*from))) {
		if (*from == '\\' && quote != '\'' && from[1] && from[1] != '\n')
			from++;
		if (used + 1 < size)
			value[used++] = *from;
		from++;
	}
	value[used] = '\0';
	return used;
}

int os_release_value(const char *text, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);
	const char *line = text;

	value[0] = '\0';
	while (line) {
		line += strspn(line, " \t\n");
		if (!strncmp(line, key, length) && line[length] == '=')
			return unquote(line + length + 1, value, size);
		line = strchr(line, '\n');
	}
	return -1;
}

static bool read_os_release(struct host *host)
{
	char text[8192];

	if (host_file(host, text, sizeof(text), "etc/os-release") <= 0 &&
	    host_file(host, text, sizeof(text), "usr/lib/os-release") <= 0)
		return false;
	os_release_value(text, "ID", host->id, sizeof(host->id));
	os_release_value(text, "ID_LIKE", host->id_like, sizeof(host->id_like));
	os_release_value(text, "NAME", host->name, sizeof(host->name));
	os_release_value(text, "PRETTY_NAME", host->pretty_name, sizeof(host->pretty_name));
	os_release_value(text, "VERSION_ID", host->version_id, sizeof(host->version_id));
	os_release_value(text, "VERSION", host->version, sizeof(host->version));
	os_release_value(text, "PLATFORM_ID", host->platform_id, sizeof(host->platform_id));
	os_release_value(text, "VERSION_CODENAME", host->codename, sizeof(host->codename));
	lower_case(host->id);
	lower_case(host->id_like);
	return host->id[0] || host->name[0];
}

/* Release files that are older than os-release: "Kylin Linux Advanced Server release V10 (Lance)". */
static const struct {
	const char *file;
	const char *id;		/* NULL: the file's name says no more than its text */
} release_files[] = {
	{ "etc/kylin-release", "kylin" },
	{ "etc/UnionTech-release", "uos" },
	{ "etc/uos-release", "uos" },
	{ "etc/openEuler-release", "openeuler" },
	{ "etc/anolis-release", "anolis" },
	{ "etc/kylinsec-release", "kylinsec" },
	{ "etc/rocky-release", "rocky" },
	{ "etc/almalinux-release", "almalinux" },
	{ "etc/centos-release", "centos" },
	{ "etc/redhat-release", NULL },
	{ "etc/system-release", NULL },
};

static bool read_release_file(struct host *host, const char *file, const char *id)
{
	char text[128], *release;

	if (host_file(host, text, sizeof(text), "%s", file) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	snprintf(host->pretty_name, sizeof(host->pretty_name), "%s", text);
	if (id)
		snprintf(host->id, sizeof(host->id), "%s", id);
	else if (!strncmp(text, "Red Hat", 7))
		snprintf(host->id, sizeof(host->id), "rhel");
	release = strstr(text, " release ");
	if (release) {
		snprintf(host->version, sizeof(host->version), "%s", release + strlen(" release "));
		snprintf(host->version_id, sizeof(host->version_id), "%.*s", (int)strcspn(host->version, " "),
			 host->version);
		*release = '\0';
	}
	snprintf(host->name, sizeof(host->name), "%.127s", text);
	return true;
}

bool host_read_names(struct host *host)
{
	size_t i;

	if (read_os_release(host))
		return true;
	for (i = 0; i < sizeof(release_files) / sizeof(release_files[0]); i++)
		if (read_release_file(host, release_files[i].file, release_files[i].id))
			return true;
	return false;
}
