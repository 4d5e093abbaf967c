// SPDX-License-Identifier: GPL-2.0-only
/* The vendor's own driver stack: which one is there, what builds it for this kernel, why its build failed. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "drivers.h"

bool vendor_stack(const struct host *host, char *name, size_t size)
{
	static const char *const marks[] = { "MLNX_OFED_LINUX-", "OFED-internal-", "DOCA-OFED-" };
	char *text = host_text(host, "usr/bin/ofed_info");
	bool found = false;
	size_t i;

	for (i = 0; text && i < sizeof(marks) / sizeof(marks[0]) && !found; i++) {
		const char *at = strstr(text, marks[i]);
		size_t length = at ? strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") : 0;

		found = length > strlen(marks[i]);
		if (found)
			snprintf(name, size, "%.*s", (int)length, at);
	}
	free(text);
	return found;
}

void finding_vendor_build(struct finding *finding, const struct host *host, const char *bundle)
{
	finding_command(finding, "%s/mlnxofedinstall --add-kernel-support --skip-distro-check --kernel %s "
			"--kernel-sources /lib/modules/%s/build", bundle ? bundle : ".", host->release, host->release);
}

/* What a failed build says, and what it comes from. The first that matches is told. */
static const struct {
	const char *id, *pattern, *cause;	/* cause: N_()-marked */
	const char *deb, *rpm;			/* packages that mend it, or NULL */
} causes[] = {
	{ "vendor-no-headers", "kernel-devel", N_("the headers of the kernel (kernel-devel) are missing"), "linux-headers-%s", "kernel-devel-%s" },
	{ "vendor-no-headers", "No such file or directory.  Stop.", N_("the headers of the kernel are missing"), "linux-headers-%s", "kernel-devel-%s" },
	{ "vendor-no-rpmbuild", "rpmbuild: command not found", N_("rpm-build is missing"), NULL, "rpm-build" },
	{ "vendor-no-rpmbuild", "rpm-build is required", N_("rpm-build is missing"), NULL, "rpm-build" },
	{ "vendor-no-python", "python3: command not found", N_("Python is missing"), "python3", "python3" },
	{ "vendor-no-python", "python-devel", N_("the headers of Python are missing"), "python3-dev", "python3-devel" },
	{ "vendor-no-autotools", "autoconf: command not found", N_("autoconf, automake and libtool are missing"), "autoconf automake libtool", "autoconf automake libtool" },
	{ "vendor-no-libelf", "libelf-devel", N_("the headers of libelf are missing"), "libelf-dev", "elfutils-libelf-devel" },
	{ "vendor-no-compiler", "gcc: command not found", N_("gcc is missing"), "gcc", "gcc" },
	{ "vendor-other-compiler", "unrecognized command line option", N_("gcc is older, or another, than that of the kernel"), NULL, NULL },
	{ "vendor-other-compiler", "unrecognized command-line option", N_("gcc is older, or another, than that of the kernel"), NULL, NULL },
	{ "vendor-no-room", "No space left on device", N_("the disk is full: name another directory with --tmpdir"), NULL, NULL },
	{ "vendor-unsupported", "Current operation system is not supported", N_("the installer does not list this system: --skip-distro-check and --add-kernel-support go around that"), NULL, NULL },
	{ "vendor-unsupported", "Current operating system is not supported", N_("the installer does not list this system: --skip-distro-check and --add-kernel-support go around that"), NULL, NULL },
	{ "vendor-source-too-old", "error: implicit declaration of function", N_("this release of the stack is too old for the kernel: its source does not compile"), NULL, NULL },
	{ "vendor-source-too-old", "error: too few arguments to function", N_("this release of the stack is too old for the kernel: its source does not compile"), NULL, NULL },
};

#define CAUSES (sizeof(causes) / sizeof(causes[0]))

static void report_cause(struct doctor *doctor, size_t i, const char *log)
{
	const struct host *host = doctor->host;
	const char *package = host->packages == PACKAGES_RPM ? causes[i].rpm : causes[i].deb;
	char packages[320];
	struct finding *finding;

	finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, causes[i].id,
			      _("the build of the vendor's stack failed: %s"), _(causes[i].cause));
	finding_why(finding, "/%s", log);
	if (!package || !strcmp(causes[i].id, "vendor-unsupported")) {
		if (!strcmp(causes[i].id, "vendor-unsupported"))
			finding_vendor_build(finding, host, NULL);
		return;
	}
	if (strchr(package, '%')) {
		if (host->header_package[0])
			finding_install(finding, host, host->header_package);
		return;
	}
	snprintf(packages, sizeof(packages), "%s", package);
	finding_install(finding, host, packages);
}

/* The best cause of one log: the table's order is that of how sure they are. False: none is known. */
static bool read_log(const struct host *host, const char *log, size_t *cause)
{
	char *text = host_text(host, "%s", log);
	size_t i;

	for (i = text ? 0 : CAUSES; i < CAUSES; i++)
		if (strstr(text, causes[i].pattern))
			break;
	free(text);
	*cause = i;
	return i < CAUSES;
}

static bool ends_in_log(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".log");
}

/* general.log names the step; the log of that step, beside it, names the cause. */
static void check_logs(struct doctor *doctor, const char *directory)
{
	char path[PATH_MAX], log[640], best_log[640] = "";
	size_t cause, best = CAUSES;
	struct dirent *entry;
	DIR *open;

	host_path(doctor->host, path, sizeof(path), "%s", directory);
	open = opendir(path);
	while (open && (entry = readdir(open))) {
		if (!ends_in_log(entry->d_name) ||
		    snprintf(log, sizeof(log), "%s/%s", directory, entry->d_name) >= (int)sizeof(log))
			continue;
		if (read_log(doctor->host, log, &cause) && cause < best) {
			best = cause;
			snprintf(best_log, sizeof(best_log), "%s", log);
		}
	}
	if (open)
		closedir(open);
	if (best < CAUSES)
		report_cause(doctor, best, best_log);
}

static void find_logs(struct doctor *doctor)
{
	char path[PATH_MAX], directory[300];
	struct dirent *entry;
	DIR *open;

	host_path(doctor->host, path, sizeof(path), "tmp");
	open = opendir(path);
	while (open && (entry = readdir(open))) {
		size_t length = strlen(entry->d_name);

		if (strncmp(entry->d_name, "MLNX_OFED_LINUX", 15) || length < 5 || strcmp(entry->d_name + length - 5, ".logs"))
			continue;
		snprintf(directory, sizeof(directory), "tmp/%s", entry->d_name);
		check_logs(doctor, directory);
	}
	if (open)
		closedir(open);
}

/* A bundle lists the kernels that it has modules for. */
static bool is_prebuilt(const char *bundle, const char *release)
{
	char path[PATH_MAX], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/.supported_kernels", bundle);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \r\n")] = '\0';
		found |= !strcmp(line, release);
	}
	if (file)
		fclose(file);
	return found;
}

static bool has_file(const char *directory, const char *name)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (file)
		fclose(file);
	return file != NULL;
}

static void check_bundle(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	const char *bundle = doctor->bundle;
	struct finding *finding;

	if (is_prebuilt(bundle, host->release)) {
		finding = doctor_find(doctor, "drivers", SEVERITY_NOTE, "vendor-prebuilt",
				      _("%s has modules for kernel %s"), bundle, host->release);
		finding_command(finding, "%s/mlnxofedinstall --skip-distro-check", bundle);
		return;
	}
	finding = doctor_find(doctor, "drivers", SEVERITY_NOTE, "vendor-build",
			      _("%s has no modules for kernel %s: they are built"), bundle, host->release);
	finding_why(finding, _("That takes the headers of this kernel, a compiler and, on rpm systems, rpm-build."));
	if (has_file(bundle, "mlnxofedinstall"))
		finding_vendor_build(finding, host, bundle);
	else
		finding_command(finding, "%s/mlnx_add_kernel_support.sh -m %s --make-tgz -t /var/tmp", bundle, bundle);
}

void check_vendor_stack(struct doctor *doctor, bool in_use)
{
	const struct host *host = doctor->host;
	struct finding *finding;
	char name[128];

	if (vendor_stack(host, name, sizeof(name)) && !in_use) {
		finding = doctor_find(doctor, "drivers", SEVERITY_WARNING, "vendor-other-kernel",
				      _("%s is installed, but kernel %s has none of its drivers"), name, host->release);
		finding_why(finding, _("After a kernel's update the vendor's drivers are built anew; until then the kernel's own are used."));
		finding_vendor_build(finding, host, NULL);
	}
	if (doctor->bundle) {
		check_bundle(doctor);
	} else if (host->domestic && !in_use) {
		finding = doctor_find(doctor, "drivers", SEVERITY_NOTE, "vendor-build",
				      _("who wants the vendor's driver stack: its installer may not list this system"));
		finding_why(finding, _("cxctl does not need it. Run the command in the directory of the unpacked MLNX_OFED."));
		finding_vendor_build(finding, host, NULL);
	}
	find_logs(doctor);
}
