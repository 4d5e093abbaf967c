// SPDX-License-Identifier: GPL-2.0-only
/* The compiler of this host against the one that the kernel was built with. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "run.h"
#include "tree.h"

struct compiler {
	char program[64];	/* "gcc", "gcc-12", "clang" */
	bool clang, named;	/* named: the tree wants this very program */
	int kernel_major;	/* of the kernel's compiler; 0: not known */
	bool found, broken;	/* broken: it is there and fails */
	int major;		/* of the one that is here; 0: not known */
	char complaint[128];
};

/* Debian's trees name theirs: "CC = … $(CROSS_COMPILE)gcc-12". */
static void read_wish_of_tree(const struct host *host, const struct tree *tree, struct compiler *compiler)
{
	char text[2048], *line, *name;

	if (host_file(host, text, sizeof(text), "%s/.kernelvariables", tree->path) <= 0)
		return;
	line = strstr(text, "\nCC =");
	if (!line)
		line = strstr(text, "\nCC :=");
	if (!line)
		return;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	name = strstr(line, "gcc-");
	if (!name)
		return;
	name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.")] = '\0';
	snprintf(compiler->program, sizeof(compiler->program), "%s", name);
	compiler->named = true;
}

static void read_wish(const struct host *host, const struct tree *tree, struct compiler *compiler)
{
	char value[32];

	memset(compiler, 0, sizeof(*compiler));
	compiler->clang = config_yes(tree->config, "CC_IS_CLANG");
	snprintf(compiler->program, sizeof(compiler->program), "%s", compiler->clang ? "clang" : "gcc");
	/* Both write 120200 for 12.2.0. */
	if (config_value(tree->config, compiler->clang ? "CLANG_VERSION" : "GCC_VERSION", value, sizeof(value)))
		compiler->kernel_major = strtol(value, NULL, 10) / 10000;
	if (!compiler->clang)
		read_wish_of_tree(host, tree, compiler);
}

/* Judged by its exit status: a wrapper may complain on each call and work all the same. */
static void ask(struct compiler *compiler)
{
	const char *const words[] = { compiler->program, "-dumpversion", NULL };
	static struct run run;

	compiler->found = run_program(words, &run);
	compiler->broken = run.status != 0;
	compiler->major = run.status ? 0 : strtol(run.out, NULL, 10);
	snprintf(compiler->complaint, sizeof(compiler->complaint), "%.*s", (int)strcspn(run.complaint, "\n"),
		 run.complaint);
}

/* Highest number of the directories of one compiler's parts: usr/lib/gcc/x86_64-redhat-linux/8. */
static int highest_in(const char *path)
{
	struct dirent *entry;
	int highest = 0;
	DIR *directory = opendir(path);

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) > highest)
			highest = atoi(entry->d_name);
	if (directory)
		closedir(directory);
	return highest;
}

static int highest_gcc(const struct host *host)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int highest = 0;
	DIR *directory;

	host_path(host, path, sizeof(path), "usr/lib/gcc");
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		host_path(host, path, sizeof(path), "usr/lib/gcc/%s", entry->d_name);
		if (highest_in(path) > highest)
			highest = highest_in(path);
	}
	if (directory)
		closedir(directory);
	return highest;
}

/* Nothing of a foreign root is run: its links and directories tell, "gcc" → "x86_64-linux-gnu-gcc-12". */
static void look_up(const struct host *host, struct compiler *compiler)
{
	char path[PATH_MAX], *end;

	compiler->found = host_has_program(host, compiler->program);
	if (!compiler->found)
		return;
	host_path(host, path, sizeof(path), "usr/bin/%s", compiler->program);
	end = strrchr(path, '-');
	if (end && isdigit((unsigned char)end[1]))
		compiler->major = atoi(end + 1);
	else if (!compiler->clang)
		compiler->major = highest_gcc(host);
}

static void report_missing(struct doctor *doctor, const struct compiler *compiler)
{
	const struct host *host = doctor->host;
	struct finding *finding;

	finding = doctor_find(doctor, "build", build_severity(host),
			      compiler->clang ? "clang-missing" : "compiler-missing",
			      compiler->clang ? _("kernel %s was built with clang, and %s is not installed") :
						_("modules of kernel %s are built with %s, which is not installed"),
			      host->release, compiler->program);
	if (compiler->clang)
		finding_install(finding, host, "clang lld llvm");
	else
		finding_install(finding, host, compiler->named ? compiler->program : "gcc");
	if (compiler->named)
		finding_why(finding, _("The headers name it. Another one is taken with: make modules CC=gcc"));
}

static void report_broken(struct doctor *doctor, const struct compiler *compiler)
{
	struct finding *finding;

	finding = doctor_find(doctor, "build", build_severity(doctor->host), "compiler-does-not-run",
			      _("%s is installed, but fails: %s"), compiler->program,
			      compiler->complaint[0] ? compiler->complaint : _("it says nothing"));
	if (doctor->host->kysec)
		finding_command(finding, "kysec_set -n exectl -v verified \"$(command -v %s)\"", compiler->program);
	else if (doctor->host->packages == PACKAGES_DEB)
		finding_command(finding, "apt-get install --reinstall %s", compiler->program);
	else if (doctor->host->packages == PACKAGES_RPM)
		finding_command(finding, "%s reinstall %s", doctor->host->package_manager, compiler->program);
}

/* An older one stops at an option that it does not know; a newer one works as a rule. */
static void report_other(struct doctor *doctor, const struct compiler *compiler, bool plugins)
{
	const struct host *host = doctor->host;
	bool older = compiler->major < compiler->kernel_major;
	struct finding *finding;
	char package[64];

	finding = doctor_find(doctor, "build", older || plugins ? build_severity(host) : SEVERITY_WARNING,
			      older ? "compiler-older" : "compiler-newer",
			      _("%s is version %d, kernel %s was built with version %d"), compiler->program,
			      compiler->major, host->release, compiler->kernel_major);
	if (plugins)
		finding_why(finding, _("The kernel uses plugins of gcc, which work with the same version only."));
	else
		finding_why(finding, older ?
			    _("An older compiler stops at the first option that it does not know.") :
			    _("It works as a rule; when a build stops at an option or a warning, take the kernel's version."));
	if (host_has(host, "usr/local/bin/%s", compiler->program)) {
		finding_command(finding, "make modules CC=/usr/bin/%s", compiler->program);
		return;
	}
	if (compiler->clang)
		snprintf(package, sizeof(package), "clang-%d lld-%d llvm-%d", compiler->kernel_major,
			 compiler->kernel_major, compiler->kernel_major);
	else
		snprintf(package, sizeof(package), host->packages == PACKAGES_DEB ? "gcc-%d" : "gcc-toolset-%d",
			 compiler->kernel_major);
	if (host->packages == PACKAGES_DEB || (host->lineage == LINEAGE_RHEL && !compiler->clang))
		finding_install(finding, host, package);
}

bool check_compiler(struct doctor *doctor, const struct tree *tree)
{
	bool plugins = config_yes(tree->config, "GCC_PLUGINS");
	struct compiler compiler;

	read_wish(doctor->host, tree, &compiler);
	if (doctor->host->live)
		ask(&compiler);
	else
		look_up(doctor->host, &compiler);
	if (!compiler.found) {
		report_missing(doctor, &compiler);
		return false;
	}
	if (compiler.broken) {
		report_broken(doctor, &compiler);
		return false;
	}
	if (compiler.complaint[0])
		finding_why(doctor_find(doctor, "build", SEVERITY_NOTE, "compiler-complains",
					_("%s writes a complaint on every call: %s"), compiler.program,
					compiler.complaint),
			    _("It works all the same: what counts is its exit status."));
	if (compiler.clang && !host_has_program(doctor->host, "ld.lld")) {
		report_missing(doctor, &(struct compiler){ .program = "ld.lld", .clang = true });
		return false;
	}
	if (compiler.major && compiler.kernel_major && compiler.major != compiler.kernel_major) {
		report_other(doctor, &compiler, plugins && !compiler.clang);
		return compiler.major > compiler.kernel_major;
	}
	return true;
}
