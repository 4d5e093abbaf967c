// SPDX-License-Identifier: GPL-2.0-only
#include "space.h"

#include <stdlib.h>

#include "../base/message.h"

#define MIB		(1024ULL * 1024)
#define TEMPORARY_LEAST	(256 * MIB)	/* a build of cxfw takes some 20 MiB; a vendor's stack fails below */

void judge_temporary(struct doctor *doctor, const char *directory, const struct statvfs *system)
{
	unsigned long long room = (unsigned long long)system->f_bavail * system->f_frsize;
	struct finding *finding;

	if (system->f_flag & ST_NOEXEC) {
		finding = doctor_find(doctor, "system", SEVERITY_WARNING, "temporary-noexec",
				      _("no program may run from %s (noexec)"), directory);
		finding_why(finding, _("Installers and DKMS run programs that they have just unpacked there."));
		finding_command(finding, "mkdir -p /var/tmp/build && export TMPDIR=/var/tmp/build");
	}
	if (system->f_blocks && room < TEMPORARY_LEAST) {
		finding = doctor_find(doctor, "system", SEVERITY_WARNING, "temporary-full", _("%s has %llu MiB left"),
				      directory, room / MIB);
		finding_why(finding, _("A build needs some 20 MiB there, the build of a vendor's stack more than 256."));
		finding_command(finding, "df -h %s", directory);
	}
}

static void check_modules(struct doctor *doctor)
{
	const struct host *host = doctor->host;
	struct statvfs system;
	struct finding *finding;

	if (host->immutable || statvfs("/lib/modules", &system) || !(system.f_flag & ST_RDONLY))
		return;
	finding = doctor_find(doctor, "system", SEVERITY_WARNING, "modules-read-only",
			      _("/lib/modules is read-only: no module can be installed"));
	finding_command(finding, "mount -o remount,rw \"$(findmnt -n -o TARGET -T /lib/modules)\"");
}

void check_space(struct doctor *doctor)
{
	const char *directory = getenv("TMPDIR");
	struct statvfs system;

	if (!doctor->host->live)
		return;
	if (!directory || directory[0] != '/')
		directory = "/tmp";
	if (!statvfs(directory, &system))
		judge_temporary(doctor, directory, &system);
	check_modules(doctor);
}
