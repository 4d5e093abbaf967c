// SPDX-License-Identifier: GPL-2.0-only
/* Changes of a board INI text: other values, and the mark of a changed PSID. Every other byte stays. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "edit_parts.h"
#include "ini.h"
#include "ini_lines.h"
#include "private.h"

struct growing {
	char *text;
	size_t length;
};

static void add(struct growing *to, const char *text, size_t length)
{
	memcpy(to->text + to->length, text, length);
	to->length += length;
}

static bool is(struct ini_span span, const char *text)
{
	return span.length == strlen(text) && !strncasecmp(span.start, text, span.length);
}

static const char *new_value(const struct ini_line *line, const char *psid, const char *name)
{
	bool later = is(line->section, "image_info");

	if (line->kind != INI_LINE_VALUE)
		return NULL;
	if (is(line->key, "PSID") && (later || is(line->section, "ADAPTER")))
		return psid;
	if (is(line->key, "Name") && (later || is(line->section, "PS_INFO")))
		return name;
	return NULL;
}

int ini_rename(const char *text, size_t length, const char *psid, const char *name, char **renamed,
	       size_t *renamed_length, struct image_error *error)
{
	struct ini_lines lines = ini_lines(text, length);
	bool psid_missing = psid, name_missing = name;
	struct growing out = { 0 };
	size_t copied = 0, more = 0;
	const char *value;

	*renamed = NULL;
	*renamed_length = 0;
	while (ini_next_line(&lines)) {
		value = new_value(&lines.line, psid, name);
		psid_missing &= !value || value != psid;
		name_missing &= !value || value != name;
		more += value ? strlen(value) : 0;
	}
	if (psid_missing || name_missing)
		return image_fail(error, -ENOENT, 0, _("the INI has no %s that could be changed"),
				  psid_missing ? "PSID" : "Name");
	out.text = malloc(length + more + 1);
	if (!out.text)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	lines = ini_lines(text, length);
	while (ini_next_line(&lines)) {
		value = new_value(&lines.line, psid, name);
		if (!value)
			continue;
		add(&out, text + copied, lines.line.value.start - (text + copied));
		add(&out, value, strlen(value));
		copied = lines.line.value.start + lines.line.value.length - text;
	}
	add(&out, text + copied, length - copied);
	out.text[out.length] = 0;
	*renamed = out.text;
	*renamed_length = out.length;
	return 0;
}

/* The first PSID as an earlier mark says it; *at and *end are the mark's place. */
static bool find_mark(const char *text, size_t length, size_t *at, size_t *end, char first[17])
{
	struct ini_lines lines = ini_lines(text, length);
	size_t prefix = strlen(INI_RETAGGED);
	struct ini_span psid;

	while (ini_next_line(&lines)) {
		if (lines.line.text.length <= prefix || memcmp(lines.line.text.start, INI_RETAGGED, prefix))
			continue;
		psid = ini_trim(lines.line.text.start + prefix,
				lines.line.text.start + lines.line.text.length);
		if (!psid.length || psid.length > 16)
			continue;
		memcpy(first, psid.start, psid.length);
		first[psid.length] = 0;
		*at = lines.line.offset;
		*end = lines.position < length ? lines.position : length;
		return true;
	}
	return false;
}

bool ini_first_psid(const char *text, size_t length, char first[17])
{
	size_t at, end;

	return find_mark(text, length, &at, &end, first);
}

/* Without its mark the text is what it was: a last line without end gets none by way of a mark. */
static void without_mark(struct growing *out)
{
	size_t at, end;
	char first[17];

	while (find_mark(out->text, out->length, &at, &end, first)) {
		if (at && out->text[end - 1] != '\n')
			at--;
		memmove(out->text + at, out->text + end, out->length - end);
		out->length -= end - at;
	}
}

int ini_set_mark(const char *text, size_t length, const char *first, const char *psid, char **marked,
		 size_t *marked_length, struct image_error *error)
{
	struct growing out = { malloc(length + sizeof(INI_RETAGGED) + strlen(first) + 4), 0 };
	bool ended;

	*marked = NULL;
	*marked_length = 0;
	if (!out.text)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	add(&out, text, length);
	without_mark(&out);
	if (strcmp(first, psid)) {
		/* What pads the text to dwords would stand before the mark. */
		while (out.length && !out.text[out.length - 1])
			out.length--;
		ended = !out.length || out.text[out.length - 1] == '\n';
		if (!ended)
			add(&out, "\n", 1);
		add(&out, INI_RETAGGED, strlen(INI_RETAGGED));
		add(&out, first, strlen(first));
		if (ended)
			add(&out, "\n", 1);
	}
	out.text[out.length] = 0;
	*marked = out.text;
	*marked_length = out.length;
	return 0;
}

int ini_mark_retagged(const char *text, size_t length, const char *from, const char *to, char **marked,
		      size_t *marked_length, struct image_error *error)
{
	char first[17];

	if (!ini_first_psid(text, length, first))
		snprintf(first, sizeof(first), "%s", from);
	return ini_set_mark(text, length, first, to, marked, marked_length, error);
}
