// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which packages a host takes. The name of a system does not tell: "kylin" and "uos" each name a system of
 * rpm packages and one of deb packages. Its package database does.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host_private.h"

static const char *const dpkg_databases[] = { "var/lib/dpkg/status", "usr/lib/dpkg/var/status",
					      "usr/lib/dpkg/var/lib/dpkg/status", NULL };
static const char *const rpm_databases[] = { "var/lib/rpm", "usr/lib/sysimage/rpm", "usr/share/rpm", NULL };

/* dpkg's database is text, rpm's only rpm reads: the shell is of one that dpkg knows, or of the other. */
static bool dpkg_owns_shell(const struct host *host)
{
	static const char *const lists[] = { "var/lib/dpkg/info", "usr/lib/dpkg/var/info",
					     "usr/lib/dpkg/var/lib/dpkg/info" };
	char shell[PATH_MAX];
	const char *name;
	size_t i;

	if (host_link(host, shell, sizeof(shell), "bin/sh") < 0)
		snprintf(shell, sizeof(shell), "sh");
	name = strrchr(shell, '/') ? strrchr(shell, '/') + 1 : shell;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (host_has(host, "%s/%s.list", lists[i], name) || host_has(host, "%s/base-files.list", lists[i]))
			return true;
	return false;
}

/* A system that shows no package database is what it always is; kylin and uos are not in here. */
static enum package_family family_of_name(const struct host *host)
{
	static const char *const debs[] = { "debian", "ubuntu", "deepin", NULL };
	static const char *const rpms[] = { "openeuler", "hce", "anolis", "rhel", "rocky", "almalinux", "centos",
					    "fedora", "ol", "kylinsec", NULL };

	if (one_of(host->id, debs) || strstr(host->id_like, "debian"))
		return PACKAGES_DEB;
	if (one_of(host->id, rpms) || strstr(host->id_like, "rhel") || strstr(host->id_like, "fedora"))
		return PACKAGES_RPM;
	return PACKAGES_UNKNOWN;
}

static enum package_family find_family(const struct host *host)
{
	bool deb = host_has_any(host, dpkg_databases), rpm = host_has_any(host, rpm_databases);

	if (!deb && !rpm) {
		deb = host_has_program(host, "dpkg");
		rpm = host_has_program(host, "rpm");
	}
	if (deb && rpm)
		return dpkg_owns_shell(host) ? PACKAGES_DEB : PACKAGES_RPM;
	if (deb || rpm)
		return deb ? PACKAGES_DEB : PACKAGES_RPM;
	return family_of_name(host);
}

void host_read_packages(struct host *host)
{
	static const char *const rpm_managers[] = { "dnf", "yum", "zypper", NULL };
	const char *manager = NULL;

	host->packages = find_family(host);
	if (host->packages == PACKAGES_DEB)
		manager = "apt-get";
	else if (host->packages == PACKAGES_RPM)
		manager = host_program(host, rpm_managers);
	/* A root of few files, or one without its programs: what such a system has always. */
	if (host->packages == PACKAGES_RPM && !manager)
		manager = "dnf";
	snprintf(host->package_manager, sizeof(host->package_manager), "%s", manager ? manager : "");
}
