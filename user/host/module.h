/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel modules: loaded, installed, and for which kernel. */
#ifndef CXCTL_MODULE_H
#define CXCTL_MODULE_H

enum module_state {
	MODULE_LOADED,		/* or built in */
	MODULE_NOT_LOADED,	/* installed for this kernel, not loaded */
	MODULE_OTHER_KERNEL,	/* installed, but built for another kernel: "kernel" names it */
	MODULE_NOT_INSTALLED,
};

struct module_status {
	enum module_state state;
	char kernel[128];	/* the kernel that the module was built for, when known */
	char path[512];		/* the module's file, when known */
};

/* name: with underscores, "cxfw". Loads nothing. */
void module_query(const char *name, struct module_status *status);

#endif /* CXCTL_MODULE_H */
