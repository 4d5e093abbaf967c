// SPDX-License-Identifier: GPL-2.0-only
/* Programs beside the compiler: make, DKMS, and those that an unprepared tree is prepared with. */
#include <stdio.h>
#include <string.h>

#include "../base/message.h"
#include "run.h"
#include "tree.h"

static const struct {
	const char *program, *header;	/* either: a program, or a file below usr/include */
	const char *deb, *rpm;		/* packages */
} preparation[] = {
	{ "flex", NULL, "flex", "flex" },
	{ "bison", NULL, "bison", "bison" },
	{ "bc", NULL, "bc", "bc" },
	{ NULL, "libelf.h", "libelf-dev", "elfutils-libelf-devel" },
	{ NULL, "openssl/ssl.h", "libssl-dev", "openssl-devel" },
};

static bool is_there(const struct host *host, size_t i)
{
	if (preparation[i].program)
		return host_has_program(host, preparation[i].program);
	return host_has(host, "usr/include/%s", preparation[i].header);
}

static bool is_prepared(const struct host *host, const struct tree *tree)
{
	return host_has(host, "%s/include/generated/autoconf.h", tree->path) &&
	       host_has(host, "%s/scripts/basic/fixdep", tree->path) &&
	       host_has(host, "%s/scripts/mod/modpost", tree->path);
}

/* Only who prepares a source tree builds the kernel's host programs. */
static void check_preparation(struct doctor *doctor, const struct tree *tree)
{
	const struct host *host = doctor->host;
	struct finding *finding;
	char packages[128] = "";
	size_t i;

	if (is_prepared(host, tree) || !tree_is_source(tree, host))
		return;
	for (i = 0; i < sizeof(preparation) / sizeof(preparation[0]); i++) {
		size_t used = strlen(packages);

		if (!is_there(host, i))
			snprintf(packages + used, sizeof(packages) - used, "%s%s", used ? " " : "",
				 host->packages == PACKAGES_RPM ? preparation[i].rpm : preparation[i].deb);
	}
	if (!packages[0])
		return;
	finding = doctor_find(doctor, "build", build_severity(host), "host-tools-missing",
			      _("the kernel's source tree is not prepared, and what prepares it is missing: %s"), packages);
	finding_install(finding, host, packages);
}

static void check_make(struct doctor *doctor)
{
	struct finding *finding;

	if (host_has_program(doctor->host, "make"))
		return;
	finding = doctor_find(doctor, "build", build_severity(doctor->host), "make-missing", _("make is not installed"));
	finding_install(finding, doctor->host, "make");
}

/* Not in the package sources of every system. */
static void check_dkms(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (host_has_program(host, "dkms"))
		return;
	finding = doctor_find(doctor, "build", SEVERITY_NOTE, "dkms-missing", _("dkms is not installed"));
	finding_why(finding, _("With it, modules are built anew for each new kernel. Without it: make modules && make "
			       "install after each kernel update, or a prebuilt package."));
	if (!host->immutable)
		finding_install(finding, host, "dkms");
}

void check_tools(struct doctor *doctor, const struct tree *tree)
{
	check_make(doctor);
	check_preparation(doctor, tree);
	check_dkms(doctor);
}
