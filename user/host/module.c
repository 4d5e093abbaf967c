// SPDX-License-Identifier: GPL-2.0-only
#include "module.h"

#include <dirent.h>
#include <ftw.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sysfs.h"

/* The directory above the kernels' module directories; the environment's is for tests. */
static const char *modules_root(void)
{
	const char *root = getenv("CXCTL_MODULES");

	return root && *root ? root : "/lib/modules";
}

static int is_loaded(const char *name)
{
	char text[16];
	char path[512];
	struct stat status;

	if (sysfs_read(text, sizeof(text), "module/%s/initstate", name) >= 0)
		return !strcmp(text, "live");
	/* A driver that is built in has its directory, at least when it has parameters, but no state. */
	sysfs_path(path, sizeof(path), "module/%s", name);
	return !stat(path, &status);
}

/* The first word of vermagic is the kernel's release. */
static void read_vermagic(struct kmod_module *module, char *kernel, size_t size)
{
	struct kmod_list *list = NULL, *entry;

	kernel[0] = '\0';
	if (kmod_module_get_info(module, &list) < 0)
		return;
	kmod_list_foreach(entry, list) {
		if (strcmp(kmod_module_info_get_key(entry), "vermagic"))
			continue;
		snprintf(kernel, size, "%s", kmod_module_info_get_value(entry));
		kernel[strcspn(kernel, " ")] = '\0';
	}
	kmod_module_info_free_list(list);
}

/* What find_file() looks for; nftw() has no argument of ours. */
static const char *wanted_file;
static char found_file[512];

static int is_wanted(const char *path, const struct stat *status, int type, struct FTW *place)
{
	size_t length = strlen(wanted_file);
	const char *name = path + place->base;

	(void)status;
	if (type != FTW_F || strncmp(name, wanted_file, length) || strncmp(name + length, ".ko", 3))
		return 0;
	snprintf(found_file, sizeof(found_file), "%.511s", path);
	return 1;
}

/* A module that was copied there without depmod: looked for by its file's name. */
static int find_file(const char *directory, const char *name, struct module_status *status)
{
	struct kmod_ctx *context;
	struct kmod_module *module;

	wanted_file = name;
	if (nftw(directory, is_wanted, 16, FTW_PHYS) != 1)
		return 0;
	snprintf(status->path, sizeof(status->path), "%s", found_file);
	context = kmod_new(directory, NULL);
	if (!context)
		return 1;
	kmod_set_log_priority(context, 0);
	if (kmod_module_new_from_path(context, found_file, &module) >= 0) {
		read_vermagic(module, status->kernel, sizeof(status->kernel));
		kmod_module_unref(module);
	}
	kmod_unref(context);
	return 1;
}

/* Looks below one kernel's directory. Gives 1 when the module is there. */
static int look_up(const char *directory, const char *name, struct module_status *status)
{
	struct kmod_ctx *context = kmod_new(directory, NULL);
	struct kmod_module *module = NULL;
	int found = 0;

	if (!context)
		return 0;
	/* Only modules.dep is asked; a missing index is not worth a message. */
	kmod_set_log_priority(context, 0);
	if (kmod_module_new_from_name(context, name, &module) >= 0) {
		const char *path = kmod_module_get_path(module);
		struct kmod_list *list = NULL;

		if (!path && kmod_module_new_from_lookup(context, name, &list) >= 0 && list) {
			kmod_module_unref(module);
			module = kmod_module_get_module(list);
			path = kmod_module_get_path(module);
		}
		if (path && !access(path, R_OK)) {
			found = 1;
			snprintf(status->path, sizeof(status->path), "%s", path);
			read_vermagic(module, status->kernel, sizeof(status->kernel));
		}
		kmod_module_unref_list(list);
		kmod_module_unref(module);
	}
	kmod_unref(context);
	return found || find_file(directory, name, status);
}

static int look_everywhere_else(const char *running, const char *name, struct module_status *status)
{
	struct dirent *entry;
	DIR *directory = opendir(modules_root());
	char path[512];
	int found = 0;

	if (!directory)
		return 0;
	while (!found && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, running))
			continue;
		snprintf(path, sizeof(path), "%.255s/%.200s", modules_root(), entry->d_name);
		found = look_up(path, name, status);
		if (found && !status->kernel[0])
			snprintf(status->kernel, sizeof(status->kernel), "%.127s", entry->d_name);
	}
	closedir(directory);
	return found;
}

void module_query(const char *name, struct module_status *status)
{
	struct utsname kernel;
	char path[512];

	memset(status, 0, sizeof(*status));
	if (uname(&kernel))
		kernel.release[0] = '\0';
	if (is_loaded(name)) {
		status->state = MODULE_LOADED;
		return;
	}
	snprintf(path, sizeof(path), "%.255s/%.200s", modules_root(), kernel.release);
	if (look_up(path, name, status)) {
		status->state = status->kernel[0] && strcmp(status->kernel, kernel.release) ?
				MODULE_OTHER_KERNEL : MODULE_NOT_LOADED;
		return;
	}
	status->state = look_everywhere_else(kernel.release, name, status) ? MODULE_OTHER_KERNEL :
									      MODULE_NOT_INSTALLED;
}
