// SPDX-License-Identifier: GPL-2.0-only
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "../base/message.h"

const char *verdict_id(enum image_verdict verdict)
{
	static const char *const ids[] = { "good", "unusual", "damaged" };

	return ids[verdict];
}

static const char *verdict_text(enum image_verdict verdict)
{
	switch (verdict) {
	case IMAGE_GOOD:
		return _("OK");
	case IMAGE_UNUSUAL:
		return _("unusual");
	case IMAGE_DAMAGED:
		return _("DAMAGED");
	}
	return "";
}

static void on_part(void *context, const struct image_part *part)
{
	struct findings *findings = context;
	struct output *output = findings->output;

	output_object(output, NULL);
	output_string(output, "name", part->name);
	output_number(output, "start", part->start);
	output_number(output, "length", part->length);
	output_string(output, "verdict", part->crc_ignored ? "unguarded" : verdict_id(part->verdict));
	output_end(output);
	if (findings->quiet)
		return;
	output_line(output, "  0x%08llx-0x%08llx  %-20s %s", (unsigned long long)part->start,
		    (unsigned long long)(part->start + (part->length ? part->length - 1 : 0)), part->name,
		    part->crc_ignored ? _("not guarded by a CRC") : verdict_text(part->verdict));
}

static void show(struct output *output, const struct image_finding *finding)
{
	if (finding->compared)
		output_line(output, _("  ! %s at 0x%llx: %s: expected 0x%x, found 0x%x"), finding->part,
			    (unsigned long long)finding->where, finding->text, finding->expected,
			    finding->found);
	else
		output_line(output, _("  ! %s at 0x%llx: %s"), finding->part,
			    (unsigned long long)finding->where, finding->text);
}

/* Findings come between the parts: JSON wants them together, so they are kept. */
static void on_finding(void *context, const struct image_finding *finding)
{
	struct findings *findings = context;
	struct image_finding *grown;

	findings->count++;
	if (!findings->quiet)
		show(findings->output, finding);
	grown = realloc(findings->noted, (findings->noted_count + 1) * sizeof(*grown));
	if (!grown)
		return;
	findings->noted = grown;
	grown[findings->noted_count] = *finding;
	grown[findings->noted_count].part = strdup(finding->part);
	grown[findings->noted_count].text = strdup(finding->text);
	findings->noted_count++;
}

struct image_listener findings_listener(struct findings *findings)
{
	return (struct image_listener){ on_part, on_finding, findings };
}

static void write_one(struct output *output, const struct image_finding *finding)
{
	output_object(output, NULL);
	output_string(output, "verdict", verdict_id(finding->verdict));
	output_string(output, "part", finding->part);
	output_number(output, "where", finding->where);
	if (finding->compared) {
		output_number(output, "expected", finding->expected);
		output_number(output, "found", finding->found);
	}
	output_string(output, "text", finding->text);
	output_end(output);
}

void findings_write(struct findings *findings)
{
	size_t i;

	output_array(findings->output, "findings");
	for (i = 0; i < findings->noted_count; i++) {
		struct image_finding *finding = &findings->noted[i];

		write_one(findings->output, finding);
		if (findings->quiet)
			show(findings->output, finding);
		free((char *)finding->part);
		free((char *)finding->text);
	}
	output_end(findings->output);
	free(findings->noted);
	findings->noted = NULL;
	findings->noted_count = 0;
}
