// SPDX-License-Identifier: GPL-2.0-only
/* What several sources tell, shown alike whichever did. */
#include <stdio.h>
#include <string.h>

#include "../image/image.h"
#include "info.h"

void info_trouble(struct info_subject *subject, const struct cxctl_error *error)
{
	if (!subject->trouble.exit)
		subject->trouble = *error;
	say_verbose(subject->options, "%s%s%s", error->text, *error->found ? ": " : "", error->found);
}

void info_version_text(const uint32_t version[3], char *text, size_t size)
{
	snprintf(text, size, version[0] >= 10 ? "%u.%u.%04u" : "%u.%u.%u", version[0], version[1], version[2]);
}

/* 0xYYYYMMDD in packed BCD. */
void info_show_date(struct output *output, uint32_t date, const char *source)
{
	if (date)
		output_fact(output, "firmware_date", _("Firmware date"), source, "%04x-%02x-%02x", date >> 16,
			    date >> 8 & 0xff, date & 0xff);
}

void info_show_psid(struct info_subject *subject, const char *psid, const char *source)
{
	const char *vendor = image_psid_vendor(psid);

	subject->psid_told = true;
	snprintf(subject->psid, sizeof(subject->psid), "%.16s", psid);
	output_string(subject->output, "psid", psid);
	output_string(subject->output, "psid_vendor", vendor);
	output_source(subject->output, "psid", source);
	output_show(subject->output, _("PSID"), source, "%s (%s)", psid,
		    vendor ? vendor : _("a vendor that cxctl does not know"));
}

void info_show_running(struct info_subject *subject, const char *version, const char *source)
{
	subject->running_told = true;
	snprintf(subject->running, sizeof(subject->running), "%.31s", version);
	output_fact(subject->output, "firmware_running", _("Firmware running"), source, "%s", version);
}

void info_pending(struct info_subject *subject, const char *action)
{
	output_string(subject->output, "pending_action", action);
}

/* stored: NULL when unknown. */
void info_show_stored(struct info_subject *subject, const char *stored, const char *running, const char *source)
{
	output_fact(subject->output, "firmware_stored", _("Firmware stored"), source, "%s", stored);
	if (running && strcmp(stored, running)) {
		subject->stored_told = true;
		info_pending(subject, "activate");
		output_show(subject->output, NULL, NULL, _("does not run yet: cxctl activate %s starts it, or tells what does"),
			    subject->pci->address);
	}
}

void info_show_rom(struct info_subject *subject, bool *label, const char *type, const uint32_t version[3],
		   const char *cpu, const char *protocol, const char *source)
{
	struct output *output = subject->output;
	char text[32];

	*text = 0;
	if (version[0] || version[1] || version[2])
		snprintf(text, sizeof(text), "%u.%u.%u", version[0], version[1], version[2]);
	output_object(output, NULL);
	output_string(output, "type", type);
	output_string(output, "version", *text ? text : NULL);
	output_string(output, "cpu", cpu);
	output_string(output, "protocol", protocol);
	output_end(output);
	output_show(output, *label ? NULL : _("Expansion ROM"), source, "%s %s%s%s%s%s", type, text,
		    cpu ? " " : "", cpu ? cpu : "", protocol ? " " : "", protocol ? protocol : "");
	*label = true;
}

/* count 0: not told. */
void info_show_uid(struct info_subject *subject, const char *key, const char *label, uint64_t uid, int digits,
		   uint32_t count, const char *source)
{
	char text[32], count_key[32];

	snprintf(text, sizeof(text), "%0*llx", digits, (unsigned long long)uid);
	output_string(subject->output, key, text);
	output_source(subject->output, key, source);
	if (count) {
		snprintf(count_key, sizeof(count_key), "%s_count", key);
		output_number(subject->output, count_key, count);
		output_show(subject->output, label, source, _("%s (%u in a row)"), text, count);
	} else {
		output_show(subject->output, label, source, "%s", text);
	}
}
