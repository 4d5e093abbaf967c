// SPDX-License-Identifier: GPL-2.0-only
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module_file.h"

/*
 * UTS_RELEASE is what goes into a module. include/config/kernel.release mostly says the same; Debian's up to
 * 6.1 has the upstream version there.
 */
bool tree_release(const struct host *host, const char *path, char *release, size_t size)
{
	char text[512], *open, *close;

	release[0] = '\0';
	if (host_file(host, text, sizeof(text), "%s/include/generated/utsrelease.h", path) > 0) {
		open = strstr(text, "UTS_RELEASE \"");
		open = open ? strchr(open, '"') + 1 : NULL;
		close = open ? strchr(open, '"') : NULL;
		if (close) {
			*close = '\0';
			snprintf(release, size, "%s", open);
			return true;
		}
	}
	return host_file(host, release, size, "%s/include/config/kernel.release", path) > 0;
}

bool config_value(const char *config, const char *name, char *value, size_t size)
{
	char key[80];
	const char *line = config;
	int length = snprintf(key, sizeof(key), "\nCONFIG_%s=", name);

	value[0] = '\0';
	if (!config)
		return false;
	/* The first line has no line feed before it, and is a comment. */
	line = strstr(config, key);
	if (!line)
		return false;
	line += length;
	line += *line == '"';
	snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
	length = strlen(value);
	if (length && value[length - 1] == '"')
		value[length - 1] = '\0';
	return true;
}

bool config_yes(const char *config, const char *name)
{
	char value[8];

	return config_value(config, name, value, sizeof(value)) && !strcmp(value, "y");
}

bool tree_is_source(const struct tree *tree, const struct host *host)
{
	return host_has(host, "%s/init/main.c", tree->path);
}

void tree_read(struct tree *tree, const struct host *host)
{
	memset(tree, 0, sizeof(*tree));
	host_link(host, tree->link, sizeof(tree->link), "lib/modules/%s/build", host->release);
	if (!host_has(host, "lib/modules/%s/build/", host->release))
		return;
	snprintf(tree->path, sizeof(tree->path), "lib/modules/%s/build", host->release);
	tree_release(host, tree->path, tree->release, sizeof(tree->release));
	tree->config = host_text(host, "%s/.config", tree->path);
}

void tree_free(struct tree *tree)
{
	free(tree->config);
	tree->config = NULL;
}

enum severity build_severity(const struct host *host)
{
	char path[256];

	return module_file(host, "cxfw", path, sizeof(path)) ? SEVERITY_NOTE : SEVERITY_ERROR;
}

void finding_reinstall(struct finding *finding, const struct host *host)
{
	if (host->immutable || !host->header_package[0])
		finding_install(finding, host, host->header_package);
	else if (host->packages == PACKAGES_DEB)
		finding_command(finding, "apt-get install --reinstall %s", host->header_package);
	else if (host->packages == PACKAGES_RPM)
		finding_command(finding, "%s reinstall %s", host->package_manager, host->header_package);
}
