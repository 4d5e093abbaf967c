/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is this host ready for cxfw, for the cards' drivers and for RDMA? Facts of the host are read
 * once into struct host; checks look at them and add findings, each with the command that mends it
 * on this very system. Everything is read below a root directory, so that any system can be a
 * fixture, and a rescue system can look at an installed one.
 */
#ifndef CXCTL_DOCTOR_H
#define CXCTL_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/error.h"
#include "host.h"

enum severity {
	SEVERITY_OK,		/* looked at, and in order */
	SEVERITY_NOTE,		/* worth knowing; nothing needs doing */
	SEVERITY_WARNING,	/* works now, and may not tomorrow */
	SEVERITY_ERROR,		/* something does not work until this is mended */
};

/* What --fix may do by itself: harmless, and undone by one command. */
enum fix_kind {
	FIX_NONE,
	FIX_LINK,		/* make link a symbolic link to target */
	FIX_DEPMOD,		/* depmod target (a kernel's release) */
	FIX_MODPROBE,		/* modprobe target */
};

struct fix {
	enum fix_kind kind;
	char link[256];
	char target[256];
};

struct finding {
	const char *id;			/* "headers-missing": stable, English, a string constant, documented in cxctl(8) */
	const char *topic;		/* "system", "build", "security", "drivers", "firmware", "log": stable, English */
	enum severity severity;
	char what[512];			/* translated: what was found */
	char why[512];			/* translated: what it means; may be empty */
	char command[1024];		/* for the shell of this system; may be empty */
	struct fix fix;
};

#define FINDINGS_MOST 128

struct doctor {
	const char *bundle;	/* directory of the vendor's driver stack, named by who asks; NULL */
	const struct host *host;
	size_t count;
	struct finding findings[FINDINGS_MOST];
};

/* Adds a finding; what is its text. Never NULL: when the table is full, the last one is overwritten. */
__attribute__((format(printf, 5, 6)))
struct finding *doctor_find(struct doctor *doctor, const char *topic, enum severity severity, const char *id,
			    const char *format, ...);
/* These add to a finding. */
__attribute__((format(printf, 2, 3)))
void finding_why(struct finding *finding, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void finding_command(struct finding *finding, const char *format, ...);
/* The command that installs packages here: "dnf install kernel-devel-6.6.0-…". */
void finding_install(struct finding *finding, const struct host *host, const char *packages);

const char *severity_name(enum severity severity);	/* "error": stable, English */

/* The checks, one topic a file. */
void check_system(struct doctor *doctor);	/* os, immutable root, container, KYSEC, room and noexec */
void check_build(struct doctor *doctor);	/* header tree, compiler, host tools, dkms */
void check_security(struct doctor *doctor);	/* Secure Boot, lockdown, sig_enforce, the key of cxfw */
void check_drivers(struct doctor *doctor);	/* cxfw, mlx4/mlx5: built in, in tree, OFED, mixed; chip against stack */
void check_firmware(struct doctor *doctor);	/* firmware older than the running driver wants */
void check_log(struct doctor *doctor);		/* the kernel's log: lines of known meaning */

#endif /* CXCTL_DOCTOR_H */
