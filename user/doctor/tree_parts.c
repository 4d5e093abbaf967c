// SPDX-License-Identifier: GPL-2.0-only
/* Is all in the header tree that a build of a module takes from it? */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "tree.h"

/* What brings a missing part: a source tree is prepared where it is, else the package comes anew. */
static void command_for(struct finding *finding, const struct host *host, const struct tree *tree)
{
	if (tree_is_source(tree, host))
		finding_command(finding, "make -C /%s olddefconfig modules_prepare", tree->path);
	else
		finding_reinstall(finding, host);
}

/* Debian's three packages: what includes and links lead to. False: one of the other two is missing. */
static bool check_debian_parts(struct doctor *doctor, const struct tree *tree)
{
	static const char include[] = "include /usr/src/";
	const struct host *host = doctor->host;
	char text[512], link[256], *path;
	struct finding *finding;
	bool whole = true;

	if (host_file(host, text, sizeof(text), "%s/Makefile", tree->path) > 0 && !strncmp(text, include, strlen(include))) {
		path = text + strlen("include /");
		path[strcspn(path, "\n")] = '\0';
		if (!host_has(host, "%s", path)) {
			finding = doctor_find(doctor, "build", build_severity(host), "headers-common-missing",
					      _("the headers need /%s, which is not there"), path);
			finding_why(finding, _("The headers are three packages, which must be of one version."));
			finding_reinstall(finding, host);
			whole = false;
		}
	}
	if (host_link(host, link, sizeof(link), "%s/scripts", tree->path) > 0 &&
	    !host_has(host, "%s/scripts", tree->path)) {
		finding = doctor_find(doctor, "build", build_severity(host), "headers-kbuild-missing",
				      _("the headers' scripts lead to nothing (%s): linux-kbuild is not installed"), link);
		finding_why(finding, _("The headers are three packages, which must be of one version."));
		finding_reinstall(finding, host);
		whole = false;
	}
	return whole;
}

/* What "make modules_prepare" brings forth. */
static bool check_prepared(struct doctor *doctor, const struct tree *tree)
{
	static const char *const files[] = { "Makefile", ".config", "include/generated/autoconf.h" };
	struct finding *finding;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (host_has(doctor->host, "%s/%s", tree->path, files[i]))
			continue;
		finding = doctor_find(doctor, "build", build_severity(doctor->host), "headers-unprepared",
				      _("the headers of kernel %s have no %s"), doctor->host->release, files[i]);
		finding_why(finding, _("These are not the headers that modules are built with, or a source tree that "
				       "was never prepared."));
		command_for(finding, doctor->host, tree);
		return false;
	}
	return true;
}

/* A file of the tree that a build stops without. */
static bool need(struct doctor *doctor, const struct tree *tree, const char *id, const char *file, const char *why)
{
	struct finding *finding;

	if (host_has(doctor->host, "%s/%s", tree->path, file))
		return true;
	finding = doctor_find(doctor, "build", build_severity(doctor->host), id,
			      _("the headers of kernel %s have no %s"), doctor->host->release, file);
	finding_why(finding, "%s", why);
	command_for(finding, doctor->host, tree);
	return false;
}

static const char *kernel_directory(const struct host *host)
{
	static const struct {
		const char *machine, *directory;
	} names[] = {
		{ "x86_64", "x86" }, { "aarch64", "arm64" }, { "loongarch64", "loongarch" }, { "riscv64", "riscv" },
		{ "ppc64le", "powerpc" }, { "s390x", "s390" }, { "mips64", "mips" }, { "sw_64", "sw_64" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(host->architecture, names[i].machine))
			return names[i].directory;
	return "x86";
}

/* Since 5.10 modules are linked with it; headers whose scripts do not name it need none. */
static bool check_module_lds(struct doctor *doctor, const struct tree *tree)
{
	const struct host *host = doctor->host;
	char *script = host_text(host, "%s/scripts/Makefile.modfinal", tree->path);
	bool wanted = script && strstr(script, "scripts/module.lds");

	free(script);
	if (!wanted || host_has(host, "%s/arch/%s/module.lds", tree->path, kernel_directory(host)))
		return true;
	return need(doctor, tree, "headers-no-module-lds", "scripts/module.lds",
		    _("Without it no module of this kernel is linked."));
}

static bool wants_objtool(const struct tree *tree)
{
	return config_yes(tree->config, "OBJTOOL") || config_yes(tree->config, "STACK_VALIDATION") ||
	       config_yes(tree->config, "UNWINDER_ORC");
}

/* With symbol versions a module without them is refused; else undefined symbols show when it is loaded. */
static bool check_symvers(struct doctor *doctor, const struct tree *tree)
{
	const struct host *host = doctor->host;
	bool versions = config_yes(tree->config, "MODVERSIONS");
	struct finding *finding;

	if (host_has(host, "%s/Module.symvers", tree->path))
		return true;
	finding = doctor_find(doctor, "build", versions ? build_severity(host) : SEVERITY_WARNING, "headers-no-symvers",
			      _("the headers of kernel %s have no Module.symvers"), host->release);
	finding_why(finding, versions ?
		    _("This kernel compares symbol versions: it refuses a module that was built without them.") :
		    _("A build cannot tell whether the kernel has all symbols; loading the module may."));
	finding_reinstall(finding, host);
	return !versions;
}

/* BTF for a module is made from the vmlinux beside .config; without pahole the build deletes the module. */
static bool check_pahole(struct doctor *doctor, const struct tree *tree)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	if (!config_yes(tree->config, "DEBUG_INFO_BTF_MODULES") || !host_has(host, "%s/vmlinux", tree->path) ||
	    host_has_program(host, "pahole"))
		return true;
	finding = doctor_find(doctor, "build", build_severity(host), "pahole-missing",
			      _("pahole is not installed, and kernel %s has type information (BTF) for modules"),
			      host->release);
	finding_why(finding, _("The build ends with error 127 and deletes the module that it has just made. Without pahole: "
			       "make modules CONFIG_DEBUG_INFO_BTF_MODULES="));
	finding_install(finding, host, host->packages == PACKAGES_DEB && host->lineage != LINEAGE_DEEPIN &&
			host->lineage != LINEAGE_KYLIN_DESKTOP ? "pahole" : "dwarves");
	return false;
}

/* "#5317" of "#5317 SMP …": which build of a kernel of one name. */
static bool find_build(const char *text, const char *before, char *build, size_t size)
{
	const char *number = text ? strstr(text, before) : NULL;

	if (!number)
		return false;
	number += strlen(before) - 1;
	snprintf(build, size, "%.*s", (int)strcspn(number, " \""), number);
	return build[1];
}

/* UOS has updated its kernel for years without a new name: headers of another build have other symbols. */
static void check_build_number(struct doctor *doctor, const struct tree *tree)
{
	const struct host *host = doctor->host;
	char running[128], version[512], text[2048], ours[32], theirs[32];
	struct finding *finding;

	if (host_file(host, running, sizeof(running), "proc/sys/kernel/osrelease") <= 0 || strcmp(running, host->release) ||
	    host_file(host, version, sizeof(version), "proc/version") <= 0 || !find_build(version, ") #", ours, sizeof(ours)))
		return;
	if ((host_file(host, text, sizeof(text), "%s/include/generated/utsversion.h", tree->path) <= 0 ||
	     !find_build(text, "UTS_VERSION \"#", theirs, sizeof(theirs))) &&
	    (host_file(host, text, sizeof(text), "%s/include/generated/compile.h", tree->path) <= 0 ||
	     !find_build(text, "UTS_VERSION \"#", theirs, sizeof(theirs))))
		return;
	if (!strcmp(ours, theirs))
		return;
	finding = doctor_find(doctor, "build", SEVERITY_WARNING, "headers-other-build",
			      _("kernel %s runs in build %s, its headers are of build %s"), host->release, ours, theirs);
	finding_why(finding, _("The name is one, the kernel is not: bring both to the newest, start that kernel, and build "
			       "modules anew."));
	if (host->packages == PACKAGES_DEB && !host->immutable)
		finding_command(finding, "apt-get install --only-upgrade linux-image-%s %s && reboot", host->release,
				host->header_package);
}

bool check_tree_parts(struct doctor *doctor, const struct tree *tree)
{
	const char *why = _("Every build against these headers stops at once.");
	bool whole;

	if (!check_debian_parts(doctor, tree) || !check_prepared(doctor, tree))
		return false;
	whole = need(doctor, tree, "headers-no-fixdep", "scripts/basic/fixdep", why);
	whole &= need(doctor, tree, "headers-no-modpost", "scripts/mod/modpost", why);
	whole &= check_module_lds(doctor, tree);
	if (wants_objtool(tree))
		whole &= need(doctor, tree, "headers-no-objtool", "tools/objtool/objtool", why);
	whole &= check_symvers(doctor, tree);
	whole &= check_pahole(doctor, tree);
	check_build_number(doctor, tree);
	return whole;
}
