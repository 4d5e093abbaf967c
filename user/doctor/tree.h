/* SPDX-License-Identifier: GPL-2.0-only */
/* The headers that a module is built with: where /lib/modules/RELEASE/build leads, and what is in there. */
#ifndef CXCTL_DOCTOR_TREE_H
#define CXCTL_DOCTOR_TREE_H

#include "doctor.h"

struct tree {
	char path[256];		/* below the root, "lib/modules/…/build"; empty: no usable tree */
	char link[256];		/* what the build link says; empty: it is no link */
	char release[128];	/* of the kernel that the tree is for; empty: it does not tell */
	char *config;		/* text of .config, or NULL */
};

/* Looks for the tree of host->release and reads it; tree_free() in any case. */
void tree_read(struct tree *tree, const struct host *host);
void tree_free(struct tree *tree);

/* The release that a module built with this tree carries. False when the tree does not tell. */
bool tree_release(const struct host *host, const char *path, char *release, size_t size);
/* Value of CONFIG_name, without quotes. False when it is not set. */
bool config_value(const char *config, const char *name, char *value, size_t size);
bool config_yes(const char *config, const char *name);

/* A source tree, which can be prepared in place; a package of headers cannot. */
bool tree_is_source(const struct tree *tree, const struct host *host);

/* How bad it is that nothing can be built: no more than a note while cxfw is installed for this kernel. */
enum severity build_severity(const struct host *host);

/* The command that brings the header package again. */
void finding_reinstall(struct finding *finding, const struct host *host);

/* Parts of check_build(). */
bool check_tree_link(struct doctor *doctor, struct tree *tree);		/* false: there is no tree to look at */
bool check_tree_parts(struct doctor *doctor, const struct tree *tree);	/* false: something is missing */
void check_tree_programs(struct doctor *doctor, const struct tree *tree);
bool check_compiler(struct doctor *doctor, const struct tree *tree);	/* false: nothing compiles */
void check_tools(struct doctor *doctor, const struct tree *tree);

#endif /* CXCTL_DOCTOR_TREE_H */
