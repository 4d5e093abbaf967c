// SPDX-License-Identifier: GPL-2.0-only
/* A driver's module below a host's root: whose it is, and for which kernel. */
#include "drivers.h"

#include <libkmod.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/driver_release.h"
#include "module_file.h"

static void take(struct driver *driver, const char *key, const char *value)
{
	if (!strcmp(key, "vermagic"))
		snprintf(driver->kernel, sizeof(driver->kernel), "%.*s", (int)strcspn(value, " "), value);
	else if (!strcmp(key, "version"))
		snprintf(driver->version, sizeof(driver->version), "%s", value);
	else if (!strcmp(key, "depends"))
		snprintf(driver->depends, sizeof(driver->depends), "%s", value);
}

static void read_file(const struct host *host, struct driver *driver)
{
	const char *no_config = NULL;
	struct kmod_ctx *context = kmod_new("/", &no_config);
	struct kmod_module *module = NULL;
	struct kmod_list *list = NULL, *entry;
	char path[PATH_MAX];

	if (!context)
		return;
	kmod_set_log_priority(context, 0);
	host_path(host, path, sizeof(path), "%s", driver->path);
	if (kmod_module_new_from_path(context, path, &module) >= 0 && kmod_module_get_info(module, &list) >= 0)
		kmod_list_foreach(entry, list)
			take(driver, kmod_module_info_get_key(entry), kmod_module_info_get_value(entry));
	kmod_module_info_free_list(list);
	if (module)
		kmod_module_unref(module);
	kmod_unref(context);
}

static bool is_built_in(const struct host *host, const char *name)
{
	char *list = host_text(host, "lib/modules/%s/modules.builtin", host->release);
	char line[80];
	bool found;

	snprintf(line, sizeof(line), "/%s.ko", name);
	found = list && strstr(list, line);
	free(list);
	return found;
}

void driver_read(const struct host *host, const char *name, struct driver *driver)
{
	unsigned int year, month;

	memset(driver, 0, sizeof(*driver));
	if (module_file(host, name, driver->path, sizeof(driver->path))) {
		read_file(host, driver);
		driver->origin = !strstr(driver->path, "/kernel/") || driver_release_read(driver->version, &year, &month) ?
				 DRIVER_OF_VENDOR : DRIVER_OF_KERNEL;
	}
	/* The kernel never loads a module whose code it has in itself. */
	if (is_built_in(host, name))
		driver->origin = DRIVER_BUILT_IN;
}

void host_cards(const struct host *host, struct pci_list *list)
{
	char path[PATH_MAX], *before = NULL;

	memset(list, 0, sizeof(*list));
	if (host->live) {
		pci_scan(list);
		return;
	}
	if (!host_has(host, "sys/bus/pci/devices"))
		return;
	if (getenv("CXCTL_SYSFS"))
		before = strdup(getenv("CXCTL_SYSFS"));
	host_path(host, path, sizeof(path), "sys");
	setenv("CXCTL_SYSFS", path, 1);
	pci_scan(list);
	if (before)
		setenv("CXCTL_SYSFS", before, 1);
	else
		unsetenv("CXCTL_SYSFS");
	free(before);
}
