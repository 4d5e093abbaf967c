// SPDX-License-Identifier: GPL-2.0-only
/* Is cxfw there, for this kernel, and can it be loaded? */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "drivers.h"

/* DKMS builds it where its source lies; else the source tree of cxctl does. */
static void command_to_install(struct finding *finding, const struct host *host)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *directory;

	host_path(host, path, sizeof(path), "usr/src");
	directory = host_has_program(host, "dkms") ? opendir(path) : NULL;
	while (directory && (entry = readdir(directory)))
		if (!strncmp(entry->d_name, "cxfw-", 5) && is_plain_word(entry->d_name)) {
			finding_command(finding, "dkms install cxfw/%s -k %s", entry->d_name + 5, host->release);
			closedir(directory);
			return;
		}
	if (directory)
		closedir(directory);
	finding_command(finding, "make modules install KDIR=/lib/modules/%s/build", host->release);
}

/* Another kernel of this host that has the module: after a kernel's update. */
static bool find_elsewhere(const struct host *host, char *release, size_t size)
{
	char path[PATH_MAX];
	struct dirent *entry;
	struct host other = *host;
	struct driver driver;
	DIR *directory;
	bool found = false;

	host_path(host, path, sizeof(path), "lib/modules");
	directory = opendir(path);
	while (directory && !found && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, host->release) || !is_plain_word(entry->d_name) ||
		    strlen(entry->d_name) >= sizeof(other.release))
			continue;
		snprintf(other.release, sizeof(other.release), "%.127s", entry->d_name);
		driver_read(&other, "cxfw", &driver);
		found = driver.origin != DRIVER_ABSENT;
	}
	if (directory)
		closedir(directory);
	if (found)
		snprintf(release, size, "%s", other.release);
	return found;
}

static void report_absent(struct doctor *doctor, const struct pci_list *cards)
{
	const struct host *host = doctor->host;
	enum severity severity = cards->count ? SEVERITY_ERROR : SEVERITY_WARNING;
	struct finding *finding;
	char other[128];

	if (find_elsewhere(host, other, sizeof(other))) {
		finding = doctor_find(doctor, "drivers", severity, "cxfw-other-kernel",
				      _("cxfw is installed for kernel %s, not for %s"), other, host->release);
		finding_why(finding, _("A module fits one kernel only; after a kernel's update it is built anew."));
	} else {
		finding = doctor_find(doctor, "drivers", severity, "cxfw-missing", _("cxfw is not installed for kernel %s"),
				      host->release);
		finding_why(finding, _("Without it cxctl lists cards and explains images; most cards are not burned."));
	}
	command_to_install(finding, host);
}

/* Modules that it needs and that are neither built in nor there. */
static bool report_dependencies(struct doctor *doctor, const struct driver *cxfw)
{
	char names[sizeof(cxfw->depends)], *name, *rest;
	struct driver needed;
	struct finding *finding;

	snprintf(names, sizeof(names), "%s", cxfw->depends);
	for (name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		driver_read(doctor->host, name, &needed);
		if (needed.origin != DRIVER_ABSENT)
			continue;
		finding = doctor_find(doctor, "drivers", SEVERITY_ERROR, "cxfw-dependency",
				      _("cxfw needs the module %s, which kernel %s does not have"), name, doctor->host->release);
		finding_why(finding, _("It was built for a kernel with other parts: build it again."));
		command_to_install(finding, doctor->host);
		return true;
	}
	return false;
}

/* depmod knows each module by its file's name; without that modprobe does not find it. */
static bool is_indexed(const struct host *host, const struct driver *cxfw)
{
	char *index = host_text(host, "lib/modules/%s/modules.dep", host->release);
	const char *name = strrchr(cxfw->path, '/');
	bool found = index && name && strstr(index, name);

	free(index);
	return found;
}

static void report_installed(struct doctor *doctor, const struct driver *cxfw, const struct pci_list *cards)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (!host->live || !cards->count) {
		doctor_find(doctor, "drivers", SEVERITY_OK, "cxfw-installed", _("cxfw is installed for kernel %s"),
			    host->release);
		return;
	}
	finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, "cxfw-not-loaded", _("cxfw is installed, and not loaded"));
	finding_why(finding, "/%s", cxfw->path);
	finding_command(finding, "modprobe cxfw");
	finding->fix.kind = FIX_MODPROBE;
	snprintf(finding->fix.target, sizeof(finding->fix.target), "cxfw");
}

void check_cxfw(struct doctor *doctor, const struct pci_list *cards)
{
	const struct host *host = doctor->host;
	struct finding *finding;
	struct driver cxfw;

	if (host->live && host_has(host, "sys/module/cxfw/initstate")) {
		doctor_find(doctor, "drivers", SEVERITY_OK, "cxfw-loaded", _("cxfw is loaded"));
		return;
	}
	driver_read(host, "cxfw", &cxfw);
	if (cxfw.origin == DRIVER_ABSENT) {
		report_absent(doctor, cards);
		return;
	}
	if (cxfw.kernel[0] && strcmp(cxfw.kernel, host->release) && !strstr(cxfw.path, "/weak-updates/")) {
		finding = doctor_find(doctor, "drivers", SEVERITY_ERROR, "cxfw-wrong-kernel",
				      _("/%s was built for kernel %s: kernel %s refuses it"), cxfw.path, cxfw.kernel, host->release);
		command_to_install(finding, host);
		return;
	}
	if (report_dependencies(doctor, &cxfw))
		return;
	if (!is_indexed(host, &cxfw)) {
		finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, "cxfw-not-indexed",
				      _("/%s is there, but modprobe does not know it"), cxfw.path);
		finding_command(finding, "depmod %s", host->release);
		finding->fix.kind = FIX_DEPMOD;
		snprintf(finding->fix.target, sizeof(finding->fix.target), "%s", host->release);
		return;
	}
	report_installed(doctor, &cxfw, cards);
}
