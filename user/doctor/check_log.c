// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's log: lines of known meaning, each told once, with the newest of its kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "log_lines.h"

#define SHOWN	200

static bool is_kind(const char *line, const struct log_line *kind)
{
	return strstr(line, kind->pattern) && (!kind->also || strstr(line, kind->also));
}

/* One place for each kind, though two patterns may be of one id. */
static struct finding *place_of(struct doctor *doctor, size_t before, const char *id)
{
	size_t i;

	for (i = before; i < doctor->count; i++)
		if (!strcmp(doctor->findings[i].id, id))
			return &doctor->findings[i];
	return NULL;
}

static void take_line(struct doctor *doctor, size_t before, const char *line)
{
	struct finding *finding;
	size_t i;

	for (i = 0; i < log_line_count; i++) {
		const struct log_line *kind = &log_lines[i];

		if (!is_kind(line, kind))
			continue;
		finding = place_of(doctor, before, kind->id);
		if (finding) {
			snprintf(finding->what, sizeof(finding->what), _("the kernel's log: %.*s"), SHOWN, line);
			return;
		}
		finding = doctor_find(doctor, "log", kind->severity, kind->id, _("the kernel's log: %.*s"), SHOWN, line);
		finding_why(finding, "%s", _(kind->meaning));
		if (kind->command)
			finding_command(finding, "%s", kind->command);
		return;
	}
}

void check_log(struct doctor *doctor)
{
	char *text = log_read(doctor->host), *line, *rest;
	size_t before = doctor->count;
	struct finding *finding;

	if (!text) {
		if (!doctor->host->live)
			return;
		finding = doctor_find(doctor, "log", SEVERITY_NOTE, "log-unreadable", _("the kernel's log cannot be read"));
		finding_why(finding, _("It tells why a driver refused a card; root may read it."));
		return;
	}
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		take_line(doctor, before, line);
	free(text);
	if (doctor->count == before)
		doctor_find(doctor, "log", SEVERITY_OK, "log-quiet", _("no line of known meaning in the kernel's log"));
}
