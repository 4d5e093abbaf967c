/* SPDX-License-Identifier: GPL-2.0-only */
/* What of the machine decides which ways to a card are open. */
#ifndef CXCTL_MACHINE_H
#define CXCTL_MACHINE_H

#include <stdbool.h>

enum lockdown {
	LOCKDOWN_UNKNOWN,		/* securityfs is not mounted or the kernel has no lockdown */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

struct machine {
	enum lockdown lockdown;
	int secure_boot;		/* 1 on, 0 off, -1 unknown (no UEFI) */
	bool container;			/* of any kind */
	char container_kind[32];	/* "docker", "lxc" ... when known */
	bool root;			/* effective user id 0 */
	bool sys_admin;			/* CAP_SYS_ADMIN is effective */
	bool initial_user_namespace;
	bool kernel_release_known;
	char release[128];		/* of the running kernel */
};

void machine_query(struct machine *machine);
/* Text of /sys/kernel/security/lockdown: "none [integrity] confidentiality"; the one in brackets holds. */
enum lockdown lockdown_parse(const char *text);
const char *lockdown_name(enum lockdown lockdown);	/* "integrity"; English, as the kernel writes it */

#endif /* CXCTL_MACHINE_H */
