// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

static const char *const severity_names[] = {
	[SEVERITY_OK] = "ok",
	[SEVERITY_NOTE] = "note",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_ERROR] = "error",
};

const char *severity_name(enum severity severity)
{
	return severity_names[severity];
}

#define FILL(field) do { \
	va_list arguments; \
	va_start(arguments, format); \
	vsnprintf(finding->field, sizeof(finding->field), format, arguments); \
	va_end(arguments); \
} while (0)

struct finding *doctor_find(struct doctor *doctor, const char *topic, enum severity severity, const char *id,
			    const char *format, ...)
{
	struct finding *finding;

	if (doctor->count < FINDINGS_MOST)
		doctor->count++;
	finding = &doctor->findings[doctor->count - 1];
	memset(finding, 0, sizeof(*finding));
	finding->topic = topic;
	finding->severity = severity;
	finding->id = id;
	FILL(what);
	return finding;
}

void finding_why(struct finding *finding, const char *format, ...)
{
	FILL(why);
}

void finding_command(struct finding *finding, const char *format, ...)
{
	FILL(command);
}

/* An immutable root takes packages in its own way only, if at all; deepin's is first made writable. */
static void install_on_immutable(struct finding *finding, const struct host *host, const char *packages)
{
	if (host_has_program(host, "rpm-ostree"))
		finding_command(finding, "rpm-ostree install %s && systemctl reboot", packages);
	else if (host_has_program(host, "deepin-immutable-writable"))
		finding_command(finding, "deepin-immutable-writable enable -d /usr -y && reboot");
}

void finding_install(struct finding *finding, const struct host *host, const char *packages)
{
	if (!host->package_manager[0])
		return;
	if (host->immutable)
		install_on_immutable(finding, host, packages);
	else
		finding_command(finding, "%s install %s", host->package_manager, packages);
}
