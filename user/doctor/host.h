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
	char id[64], id_like[128], name[128], pretty_name[160], version_id[64], version[128], platform_id[64], codename[64];
	enum package_family packages;
	enum lineage lineage;
	bool domestic;			/* Kylin, UOS, deepin, openEuler, Anolis, HCE */
	char service_pack[32];		/* "SP3", "LTS-SP4", "1070e": what VERSION_ID leaves out */
	char package_manager[16];	/* "dnf", "yum", "zypper", "apt-get", or empty */
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
 * directory, nothing in it tells of a system, or release is no kernel's.
 */
int host_read(struct host *host, const char *root, const char *release, struct cxctl_error *error);

/*
 * Path of a file below the root, all links in it and at its end followed as if the root were /, so that none
 * leads out of it. What does not exist keeps its name.
 */
__attribute__((format(printf, 4, 5)))
void host_path(const struct host *host, char *path, size_t size, const char *format, ...);

/* Text of a small plain file below the root without the white space at its end. Gives its length, or -errno. */
__attribute__((format(printf, 4, 5)))
int host_file(const struct host *host, char *text, size_t size, const char *format, ...);
__attribute__((format(printf, 2, 3)))
bool host_has(const struct host *host, const char *format, ...);
bool host_has_any(const struct host *host, const char *const *paths);	/* the list ends with NULL */
/* What the symbolic link says, unchanged. Gives its length, or -errno: -EINVAL for a file that is no link. */
__attribute__((format(printf, 4, 5)))
int host_link(const struct host *host, char *target, size_t size, const char *format, ...);
/* The whole of a plain file below the root, at most HOST_TEXT_MOST bytes, to free(). NULL when it cannot be read. */
#define HOST_TEXT_MOST	(8u << 20)
__attribute__((format(printf, 2, 3)))
char *host_text(const struct host *host, const char *format, ...);
/* The same for bytes. */
__attribute__((format(printf, 3, 4)))
char *host_bytes(const struct host *host, size_t *length, const char *format, ...);
/* The first of programs that lies in a directory of programs, or NULL. The list ends with NULL. */
const char *host_program(const struct host *host, const char *const *programs);
bool host_has_program(const struct host *host, const char *program);

/* A word that a shell takes as it is: names in a foreign root may hold anything, and commands are there to be copied. */
bool is_plain_word(const char *word);

const char *package_family_name(enum package_family packages);	/* "deb" */
const char *lineage_name(enum lineage lineage);			/* "openeuler" */

#endif /* CXCTL_DOCTOR_HOST_H */
