// SPDX-License-Identifier: GPL-2.0-only
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/message.h"
#include "host_private.h"

static const char *const family_names[] = {
	[PACKAGES_UNKNOWN] = "unknown",
	[PACKAGES_DEB] = "deb",
	[PACKAGES_RPM] = "rpm",
};

static const char *const lineage_names[] = {
	[LINEAGE_UNKNOWN] = "unknown",
	[LINEAGE_DEBIAN] = "debian",
	[LINEAGE_UBUNTU] = "ubuntu",
	[LINEAGE_RHEL] = "rhel",
	[LINEAGE_OPENEULER] = "openeuler",
	[LINEAGE_ANOLIS] = "anolis",
	[LINEAGE_DEEPIN] = "deepin",
	[LINEAGE_KYLIN_DESKTOP] = "kylin-desktop",
};

const char *package_family_name(enum package_family packages)
{
	return family_names[packages];
}

const char *lineage_name(enum lineage lineage)
{
	return lineage_names[lineage];
}

/* The root without a slash at its end; / itself is this machine. */
static int set_root(struct host *host, const char *root, struct cxctl_error *error)
{
	size_t length = root ? strlen(root) : 0;
	struct stat status;

	while (length && root[length - 1] == '/')
		length--;
	if (length >= sizeof(host->root)) {
		error_set(error, CXCTL_USAGE, "bad-root", _("the name of the root directory is too long"));
		error_expected(error, _("at most %zu bytes"), sizeof(host->root) - 1);
		return -1;
	}
	memcpy(host->root, root ? root : "", length);
	host->live = !length;
	if (host->live)
		return 0;
	if (stat(host->root, &status))
		return error_set(error, CXCTL_USAGE, "bad-root", _("cannot look into %s: %s"), host->root,
				 strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return error_set(error, CXCTL_USAGE, "bad-root", _("%s is no directory"), host->root);
	return 0;
}

int host_read(struct host *host, const char *root, const char *release, struct cxctl_error *error)
{
	bool named;

	memset(host, 0, sizeof(*host));
	if (set_root(host, root, error))
		return -1;
	if (release && *release && !is_kernel_release(release))
		return error_set(error, CXCTL_USAGE, "bad-kernel",
				 _("'%s' is no kernel's release, which looks like 6.6.0-32.7.v2505.ky11.x86_64"),
				 release);
	named = host_read_names(host);
	host_read_packages(host);
	host_read_kernel(host, release);
	if (!named && !host->live && host->packages == PACKAGES_UNKNOWN && !host->release[0]) {
		error_set(error, CXCTL_USAGE, "no-system", _("%s holds no Linux system"), host->root);
		error_expected(error, _("etc/os-release, a package database or lib/modules in it"));
		return -1;
	}
	host_read_lineage(host);
	host_read_layers(host);
	return 0;
}
