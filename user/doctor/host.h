/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host as doctor sees it. What is not known is empty, zero or UNKNOWN, never guessed.
 * Documentation/reference/kernels.md 1 and 2.
 */
#ifndef CXCTL_DOCTOR_HOST_H
#define CXCTL_DOCTOR_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"

enum package_family {
	PACKAGES_UNKNOWN,
	PACKAGES_DEB,
	PACKAGES_RPM,
};

/* Whose advice fits: kernels.md 1.4 no. 3. */
enum lineage {
	LINEAGE_UNKNOWN,
	LINEAGE_DEBIAN,
	LINEAGE_UBUNTU,
	LINEAGE_RHEL,
	LINEAGE_OPENEULER,	/* openEuler, HCE, Kylin server, UOS server E */
	LINEAGE_ANOLIS,		/* Anolis, UOS server A */
	LINEAGE_DEEPIN,		/* deepin, UOS desktop */
	LINEAGE_KYLIN_DESKTOP,
};

struct host {
	char root[256];			/* "" for this machine, else the directory without a slash at its end */
	bool live;			/* root is empty: /proc, /sys and uname are those of what runs */

	/* os-release */
	char id[64], id_like[128], name[128], pretty_name[160], version_id[64], version[128], platform_id[64];
	enum package_family packages;
	enum lineage lineage;
	bool domestic;			/* Kylin, UOS, deepin, openEuler, Anolis, HCE */
	char package_manager[16];	/* "dnf", "yum", "apt-get", or empty */
	bool immutable;			/* OSTree or the like: packages are not installed the usual way */
	bool kysec;			/* execution control of Kylin is there */
	bool container;

	/* The kernel that the modules shall be for: --kernel, else the running one, else the newest installed. */
	char release[128];
	char architecture[32];		/* as uname -m writes it */
	char header_package[192];	/* "kernel-devel-4.19.90-52.22.v2207.ky10.aarch64"; empty: not known here */
};

/*
 * Reads it. root: NULL or "" for this machine. release: NULL: found out. -1 with *error when root is no
 * directory, or nothing in it tells of a system.
 */
int host_read(struct host *host, const char *root, const char *release, struct cxctl_error *error);

/* Path of a file below the root; links in it are taken as relative to the root: host_open() follows them so. */
__attribute__((format(printf, 4, 5)))
void host_path(const struct host *host, char *path, size_t size, const char *format, ...);

/* Text of a small file below the root without the line feed at its end. Gives its length, or -errno. */
__attribute__((format(printf, 4, 5)))
int host_file(const struct host *host, char *text, size_t size, const char *format, ...);
__attribute__((format(printf, 2, 3)))
bool host_has(const struct host *host, const char *format, ...);

const char *package_family_name(enum package_family packages);	/* "deb" */
const char *lineage_name(enum lineage lineage);			/* "openeuler" */

#endif /* CXCTL_DOCTOR_HOST_H */
