// SPDX-License-Identifier: GPL-2.0-only
/* Which system this is, and what of it stands between a module and the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "space.h"
#include "tree.h"

static const char *advice_for(const struct host *host)
{
	switch (host->lineage) {
	case LINEAGE_DEBIAN:
	case LINEAGE_UBUNTU:
		return _("Kernel headers come with each kernel update once the package linux-headers-… of its flavour is "
			 "installed.");
	case LINEAGE_RHEL:
		return _("kernel-devel must be of the very release of the kernel; kernel-headers is something else.");
	case LINEAGE_OPENEULER:
		return _("Drivers and tools for openEuler of the same kernel line fit. kernel-devel must be of the very release "
			 "of the kernel; kernel-headers is something else.");
	case LINEAGE_ANOLIS:
		return _("This system may run one of several kernel lines (4.18, 4.19, 5.10): headers go by the kernel, not by "
			 "the system.");
	case LINEAGE_DEEPIN:
		return _("The kernel may be updated under the name of the old one: build modules anew after each update.");
	case LINEAGE_KYLIN_DESKTOP:
		return _("The desktop takes deb packages, unlike Kylin's server of the same name and version.");
	case LINEAGE_UNKNOWN:
		break;
	}
	return "";
}

static void check_name(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	const char *name = host->pretty_name[0] ? host->pretty_name : host->name[0] ? host->name : host->id;
	struct finding *finding;

	if (host->packages == PACKAGES_UNKNOWN) {
		finding = doctor_find(doctor, "system", SEVERITY_NOTE, "system-unknown",
				      _("this system is not known: %s"), name[0] ? name : _("no os-release, no package database"));
		finding_why(finding, _("Advice names packages of other systems, or none. All else works as everywhere."));
		return;
	}
	finding = doctor_find(doctor, "system", SEVERITY_OK, "system-known", _("%s%s%s, %s packages (%s)"), name,
			      host->service_pack[0] && !strstr(name, host->service_pack) ? " " : "",
			      strstr(name, host->service_pack) ? "" : host->service_pack,
			      package_family_name(host->packages), host->package_manager);
	finding_why(finding, "%s", advice_for(host));
}

static void check_kernel(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (host->release[0])
		return;
	finding = doctor_find(doctor, "system", SEVERITY_WARNING, "kernel-unknown",
			      _("there is no kernel in lib/modules of this root"));
	finding_why(finding, _("Nothing can be said about headers and modules."));
	finding_command(finding, "cxctl doctor --root %s --kernel RELEASE", host->root);
}

static void check_immutable(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (!host->immutable)
		return;
	finding = doctor_find(doctor, "system", SEVERITY_WARNING, "immutable-root",
			      _("the root file system is immutable: packages and modules are not installed the usual way"));
	finding_why(finding, _("What needs no module works: cxctl list, info, image, and burning through the card's driver "
			       "(devlink)."));
	if (host_has_program(host, "deepin-immutable-writable"))
		finding_command(finding, "deepin-immutable-writable enable -d /usr -y && reboot");
}

static void check_container(struct doctor *doctor)
{
	struct finding *finding;

	if (!doctor->host->container)
		return;
	finding = doctor_find(doctor, "system", SEVERITY_WARNING, "container", _("this is a container"));
	finding_why(finding, _("Its kernel and modules are the host's: build, install and load them there, and run cxctl there."));
}

/* It stops programs and modules that did not come in a package, and says so in its own log only. */
static void check_kysec(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (!host->kysec)
		return;
	finding = doctor_find(doctor, "system", SEVERITY_NOTE, "kysec",
			      _("KYSEC is here: it may stop programs and modules that did not come in a package"));
	finding_why(finding, _("\"Permission denied\" for a program or a module that is in order means execution control. Files "
			       "from packages are verified; others are marked so. getstatus shows its mode."));
	finding_command(finding, "kysec_set -n exectl -v verified FILE");
}

/* Programs for one of LoongArch's two worlds do not run in the other. */
static void check_world(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (strcmp(host->architecture, "loongarch64") || host_has(host, "lib64/ld-linux-loongarch-lp64d.so.1") ||
	    !host_has(host, "lib64/ld.so.1"))
		return;
	finding = doctor_find(doctor, "system", SEVERITY_NOTE, "loongarch-old-world",
			      _("this is LoongArch of the old world (kernel 4.19)"));
	finding_why(finding, _("Programs and packages for the new world (loong64) do not run here: build cxctl on such a system."));
}

static void check_pages(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct tree tree;
	bool large;

	if (!host->release[0])
		return;
	tree_read(&tree, host);
	large = config_yes(tree.config, "ARM64_64K_PAGES");
	tree_free(&tree);
	if (!large) {
		char *config = host_text(host, "boot/config-%s", host->release);

		large = config_yes(config, "ARM64_64K_PAGES");
		free(config);
	}
	if (!large)
		return;
	finding_why(doctor_find(doctor, "system", SEVERITY_NOTE, "pages-64k", _("kernel %s has pages of 64 KiB"),
				host->release),
		    _("cxctl and cxfw work with any; programs that were built for 4 KiB may not start."));
}

void check_system(struct doctor *doctor)
{
	check_name(doctor);
	check_kernel(doctor);
	check_immutable(doctor);
	check_container(doctor);
	check_kysec(doctor);
	check_world(doctor);
	check_pages(doctor);
	check_space(doctor);
}
