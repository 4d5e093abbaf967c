// SPDX-License-Identifier: GPL-2.0-only
#include "module_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.gz" };

/* "updates/dkms/cxfw.ko.xz:": does the line's path end with the module's name? */
static bool is_line_of(const char *line, const char *name, size_t *length)
{
	size_t i, base;

	*length = strcspn(line, ":\n");
	if (line[*length] != ':')
		return false;
	for (base = *length; base && line[base - 1] != '/'; base--)
		;
	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strlen(name) + strlen(endings[i]) == *length - base &&
		    !strncmp(line + base, name, strlen(name)) &&
		    !strncmp(line + base + strlen(name), endings[i], strlen(endings[i])))
			return true;
	return false;
}

static bool find_in_index(const struct host *host, const char *name, char *path, size_t size)
{
	char *index = host_text(host, "lib/modules/%s/modules.dep", host->release);
	const char *line = index;
	bool found = false;
	size_t length;

	while (line && *line && !found) {
		found = is_line_of(line, name, &length);
		if (found)
			snprintf(path, size, "lib/modules/%s/%.*s", host->release, (int)length, line);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	free(index);
	return found && is_plain_word(path) && host_has(host, "%s", path);
}

bool module_file(const struct host *host, const char *name, char *path, size_t size)
{
	static const char *const directories[] = { "updates", "updates/dkms", "extra", "extra/cxctl", "extra/dkms",
						   "weak-updates", "weak-updates/cxctl", "kernel/extra" };
	size_t i, j;

	if (!host->release[0])
		return false;
	if (find_in_index(host, name, path, size))
		return true;
	for (i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		for (j = 0; j < sizeof(endings) / sizeof(endings[0]); j++) {
			snprintf(path, size, "lib/modules/%s/%s/%s%s", host->release, directories[i], name,
				 endings[j]);
			if (host_has(host, "%s", path))
				return true;
		}
	path[0] = '\0';
	return false;
}
