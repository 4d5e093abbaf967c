// SPDX-License-Identifier: GPL-2.0-only
/* Do the programs in the header tree run here? Vendors have shipped those of another architecture. */
#include <fcntl.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/message.h"
#include "run.h"
#include "tree.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH	258
#endif

static const struct {
	int machine;
	const char *name;
} machines[] = {
	{ EM_X86_64, "x86_64" },
	{ EM_AARCH64, "aarch64" },
	{ EM_LOONGARCH, "loongarch64" },
	{ EM_RISCV, "riscv64" },
	{ EM_386, "i686" },
	{ EM_ARM, "arm" },
};

/* Architecture of an ELF file; NULL when it is none, or one of another world. */
static const char *machine_of(const struct host *host, const char *file)
{
	unsigned char head[20];
	char path[PATH_MAX];
	size_t i;
	int machine, fd;
	ssize_t length;

	host_path(host, path, sizeof(path), "%s", file);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	length = read(fd, head, sizeof(head));
	close(fd);
	if (length != sizeof(head) || memcmp(head, ELFMAG, SELFMAG))
		return NULL;
	machine = head[EI_DATA] == ELFDATA2MSB ? head[18] << 8 | head[19] : head[19] << 8 | head[18];
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return NULL;
}

static void report(struct doctor *doctor, const char *id, const char *what, const char *why)
{
	struct finding *finding = doctor_find(doctor, "build", build_severity(doctor->host), id, "%s", what);

	finding_why(finding, "%s", why);
	finding_reinstall(finding, doctor->host);
}

void check_tree_programs(struct doctor *doctor, const struct tree *tree)
{
	const struct host *host = doctor->host;
	char file[320], path[PATH_MAX], what[256];
	const char *const words[] = { path, NULL };
	const char *machine;
	static struct run run;

	snprintf(file, sizeof(file), "%s/scripts/basic/fixdep", tree->path);
	machine = machine_of(host, file);
	if (machine && host->architecture[0] && strcmp(machine, host->architecture)) {
		snprintf(what, sizeof(what), _("the programs in the headers are for %s, this machine is %s"), machine,
			 host->architecture);
		report(doctor, "headers-foreign-programs", what, _("Every build against these headers stops at once."));
		return;
	}
	if (!host->live)
		return;
	host_path(host, path, sizeof(path), "%s", file);
	/* Without arguments fixdep explains itself and fails; what matters is that it starts. */
	if (run_program(words, &run) && run.status != 126 && !strstr(run.complaint, "GLIBC_"))
		return;
	snprintf(what, sizeof(what), _("scripts/basic/fixdep of the headers does not run on this machine: %.120s"),
		 run.complaint[0] ? run.complaint : _("cannot be executed"));
	what[strcspn(what, "\n")] = '\0';
	report(doctor, "headers-programs-do-not-run", what,
	       _("The headers are for a newer C library, lie on a file system without execution, or KYSEC blocks them."));
}
