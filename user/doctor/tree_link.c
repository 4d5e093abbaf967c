// SPDX-License-Identifier: GPL-2.0-only
/* Does /lib/modules/RELEASE/build lead to the headers of that very kernel? */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "tree.h"

struct candidates {
	char right[256];	/* below the root: headers of the wanted kernel */
	char others[256];	/* releases of kernels whose headers are here, for a person */
};

static void add_other(struct candidates *found, const char *release)
{
	size_t used = strlen(found->others);

	if (!strstr(found->others, release) && used + strlen(release) + 3 < sizeof(found->others))
		snprintf(found->others + used, sizeof(found->others) - used, "%s%s", used ? ", " : "", release);
}

static void look_at(const struct host *host, const char *path, struct candidates *found)
{
	char release[128];

	if (!tree_release(host, path, release, sizeof(release)))
		return;
	if (strcmp(release, host->release))
		add_other(found, release);
	else if (!found->right[0] && host_has(host, "%s/Makefile", path))
		snprintf(found->right, sizeof(found->right), "%s", path);
}

/* Headers lie in /usr/src/kernels/ (rpm) or /usr/src/linux-headers-…/ (deb). */
static void look_through(const struct host *host, const char *parent, struct candidates *found)
{
	char path[PATH_MAX], name[256];
	struct dirent *entry;
	DIR *directory;

	host_path(host, path, sizeof(path), "%s", parent);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] != '.' && is_plain_word(entry->d_name) &&
		    snprintf(name, sizeof(name), "%s/%s", parent, entry->d_name) < (int)sizeof(name))
			look_at(host, name, found);
	}
	if (directory)
		closedir(directory);
}

static void find_candidates(const struct host *host, struct candidates *found)
{
	memset(found, 0, sizeof(*found));
	look_through(host, "usr/src/kernels", found);
	look_through(host, "usr/src", found);
}

/* The headers are here; only the link does not say so. */
static void offer_link(struct doctor *doctor, const char *id, const struct candidates *found, const char *what)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	finding = doctor_find(doctor, "build", build_severity(host), id, "%s", what);
	finding_why(finding, _("The headers of this kernel are in /%s; a link makes builds find them."), found->right);
	finding_command(finding, "ln -sfn /%s /lib/modules/%s/build", found->right, host->release);
	if (!host_has(host, "lib/modules/%s", host->release))
		return;
	finding->fix.kind = FIX_LINK;
	snprintf(finding->fix.link, sizeof(finding->fix.link), "/lib/modules/%s/build", host->release);
	snprintf(finding->fix.target, sizeof(finding->fix.target), "/%.254s", found->right);
}

/* What keeps a person from getting the package differs by system. */
static void explain_package(struct finding *finding, const struct host *host)
{
	if (host->lineage == LINEAGE_OPENEULER && host->domestic)
		finding_why(finding, _("A module is built with the headers of the very kernel that shall load it. "
				       "Package sources of %s hold the first and the newest kernel only; without a network, "
				       "the first kernel's package is in Packages/ of the installation medium."),
			    host->name[0] ? host->name : host->id);
	else if (host->lineage == LINEAGE_DEEPIN && host->immutable)
		finding_why(finding, _("A module is built with the headers of the very kernel that shall load it. The "
				       "default package source of this system holds no kernel headers: take them from the vendor."));
	else
		finding_why(finding, _("A module is built with the headers of the very kernel that shall load it."));
}

static bool has_userspace_headers(const struct host *host)
{
	return host->packages == PACKAGES_RPM && host_has(host, "usr/include/linux/version.h");
}

static void report_missing(struct doctor *doctor, const struct tree *tree, const struct candidates *found)
{
	const struct host *host = doctor->host;
	enum severity severity = build_severity(host);
	struct finding *finding;

	if (found->others[0])
		finding = doctor_find(doctor, "build", severity, "headers-other-kernel",
				      _("no headers of kernel %s are here, only those of %s"), host->release,
				      found->others);
	else if (has_userspace_headers(host))
		finding = doctor_find(doctor, "build", severity, "kernel-headers-only",
				      _("kernel-headers is installed, but not %s: kernel-headers is for programs, "
					"kernel-devel for modules"), host->header_package);
	else if (tree->link[0])
		finding = doctor_find(doctor, "build", severity, "build-link-dangling",
				      _("/lib/modules/%s/build is a link to nothing (%s): the kernel's headers are not "
					"installed"), host->release, tree->link);
	else
		finding = doctor_find(doctor, "build", severity, "headers-missing",
				      _("the headers of kernel %s are not installed"), host->release);
	explain_package(finding, host);
	finding_install(finding, host, host->header_package);
}

static void report_other_kernel(struct doctor *doctor, const char *what)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	finding = doctor_find(doctor, "build", build_severity(host), "headers-other-kernel",
			      "%s", what);
	finding_why(finding, _("A module that is built with them is for that kernel; this one refuses it."));
	finding_install(finding, host, host->header_package);
}

bool check_tree_link(struct doctor *doctor, struct tree *tree)
{
	const struct host *host = doctor->host;
	struct candidates found;
	char what[512];

	if (tree->path[0] && (!tree->release[0] || !strcmp(tree->release, host->release)))
		return true;
	find_candidates(host, &found);
	if (tree->path[0])
		snprintf(what, sizeof(what), _("/lib/modules/%s/build leads to the headers of kernel %s"), host->release,
			 tree->release);
	else if (tree->link[0])
		snprintf(what, sizeof(what), _("/lib/modules/%s/build is a link to nothing (%s)"), host->release,
			 tree->link);
	else
		snprintf(what, sizeof(what), _("there is no /lib/modules/%s/build"), host->release);
	if (found.right[0])
		offer_link(doctor, tree->path[0] || tree->link[0] ? "build-link-wrong" : "build-link-missing", &found, what);
	else if (tree->path[0])
		report_other_kernel(doctor, what);
	else
		report_missing(doctor, tree, &found);
	return false;
}
