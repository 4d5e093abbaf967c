// SPDX-License-Identifier: GPL-2.0-only
/* Can cxfw be built for this kernel here? From the headers to the last program, the first reason first. */
#include "../base/message.h"
#include "tree.h"

void check_build(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	size_t before = doctor->count, i;
	bool ready;
	struct tree tree;

	if (!host->release[0])
		return;
	tree_read(&tree, host);
	ready = check_tree_link(doctor, &tree);
	if (ready) {
		ready = check_tree_parts(doctor, &tree);
		if (ready)
			check_tree_programs(doctor, &tree);
	} else {
		/* Headers of another kernel say nothing of this one's compiler. */
		tree_free(&tree);
		tree.path[0] = '\0';
	}
	check_compiler(doctor, &tree);
	check_tools(doctor, &tree);
	tree_free(&tree);
	for (i = before; i < doctor->count; i++)
		if (doctor->findings[i].severity == SEVERITY_ERROR)
			return;
	if (ready)
		doctor_find(doctor, "build", SEVERITY_OK, "build-ready", _("modules can be built for kernel %s"),
			    host->release);
}
