// SPDX-License-Identifier: GPL-2.0-only
/* Reading of board INI texts: firmware-images.md 8.2, 8.3. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ini.h"
#include "ini_lines.h"
#include "private.h"

struct ini_span ini_trim(const char *start, const char *end)
{
	while (start < end && (*start == ' ' || *start == '\t' || *start == '\r'))
		start++;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (struct ini_span){ start, end - start };
}

static void parse_line(struct ini_line *line)
{
	const char *start = line->text.start, *end = start + line->text.length, *equals;
	struct ini_span all = ini_trim(start, end);

	line->kind = INI_LINE_WRONG;
	if (memchr(all.start, 0, all.length))
		return;
	line->kind = INI_LINE_NOTHING;
	if (!all.length || *start == ';')
		return;
	line->kind = INI_LINE_WRONG;
	if (*all.start == '[') {
		if (all.length < 3 || all.start[all.length - 1] != ']')
			return;
		line->section = ini_trim(all.start + 1, all.start + all.length - 1);
		line->kind = INI_LINE_SECTION;
		return;
	}
	equals = memchr(all.start, '=', all.length);
	if (!equals)
		return;
	line->key = ini_trim(all.start, equals);
	line->value = ini_trim(equals + 1, all.start + all.length);
	if (line->key.length)
		line->kind = INI_LINE_VALUE;
}

struct ini_lines ini_lines(const char *text, size_t length)
{
	while (length && !text[length - 1])
		length--;
	return (struct ini_lines){ .text = text, .length = length, .line.section = { "", 0 } };
}

bool ini_next_line(struct ini_lines *lines)
{
	const char *start = lines->text + lines->position, *end;

	if (lines->position >= lines->length)
		return false;
	end = memchr(start, '\n', lines->length - lines->position);
	lines->line.number++;
	lines->line.offset = lines->position;
	lines->line.text.start = start;
	lines->line.text.length = end ? (size_t)(end - start) : lines->length - lines->position;
	lines->position += lines->line.text.length + 1;
	parse_line(&lines->line);
	return true;
}

static int wrong_line(const struct ini_line *line, struct image_error *error)
{
	return image_fail(error, -EBADMSG, line->offset,
			  _("line %u is neither a section, a comment nor an assignment: %.*s"), line->number,
			  line->text.length > 60 ? 60 : (int)line->text.length, line->text.start);
}

/* Each text is stored once for itself: section names once a section. */
static const char *store(char **room, struct ini_span span)
{
	char *stored = *room;

	memcpy(stored, span.start, span.length);
	stored[span.length] = 0;
	*room += span.length + 1;
	return stored;
}

static int count_lines(struct ini_lines lines, size_t *values, size_t *bytes, struct image_error *error)
{
	*values = 0;
	*bytes = 1;
	while (ini_next_line(&lines)) {
		if (lines.line.kind == INI_LINE_WRONG)
			return wrong_line(&lines.line, error);
		if (lines.line.kind == INI_LINE_SECTION)
			*bytes += lines.line.section.length + 1;
		if (lines.line.kind != INI_LINE_VALUE)
			continue;
		*bytes += lines.line.key.length + lines.line.value.length + 2;
		++*values;
	}
	return 0;
}

int ini_parse(const char *text, size_t length, struct ini *ini, struct image_error *error)
{
	struct ini_lines lines = ini_lines(text, length);
	size_t values, bytes;
	const char *section;
	char *room;
	int code;

	memset(ini, 0, sizeof(*ini));
	code = count_lines(lines, &values, &bytes, error);
	if (code)
		return code;
	ini->values = calloc(values + 1, sizeof(*ini->values));
	ini->storage = malloc(bytes);
	if (!ini->values || !ini->storage) {
		ini_free(ini);
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	}
	room = ini->storage;
	section = store(&room, (struct ini_span){ "", 0 });
	while (ini_next_line(&lines)) {
		if (lines.line.kind == INI_LINE_SECTION)
			section = store(&room, lines.line.section);
		if (lines.line.kind != INI_LINE_VALUE)
			continue;
		ini->values[ini->count].section = section;
		ini->values[ini->count].key = store(&room, lines.line.key);
		ini->values[ini->count].value = store(&room, lines.line.value);
		ini->values[ini->count++].line = lines.line.number;
	}
	return 0;
}

void ini_free(struct ini *ini)
{
	free(ini->values);
	free(ini->storage);
	memset(ini, 0, sizeof(*ini));
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	size_t i;

	for (i = 0; i < ini->count; i++)
		if (!strcasecmp(ini->values[i].key, key) && !strcasecmp(ini->values[i].section, section))
			return ini->values[i].value;
	return NULL;
}

static const char *either(const struct ini *ini, const char *section, const char *key)
{
	const char *value = ini_get(ini, section, key);

	return value ? value : ini_get(ini, "image_info", key);
}

/* The last "_" of the name and a letter with a digit, or with x for all of them. */
static void take_revision(const char *name, char revision[8])
{
	const char *tail = name ? strrchr(name, '_') : NULL;

	if (tail && isupper((unsigned char)tail[1]) && (isdigit((unsigned char)tail[2]) || tail[2] == 'x') &&
	    !tail[3])
		memcpy(revision, tail + 1, 3);
}

void ini_board(const struct ini *ini, struct ini_board *board)
{
	memset(board, 0, sizeof(*board));
	board->psid = either(ini, "ADAPTER", "PSID");
	board->name = either(ini, "PS_INFO", "Name");
	board->description = either(ini, "PS_INFO", "Description");
	board->prs_name = either(ini, "PS_INFO", "PRS_name");
	take_revision(board->name, board->revision);
}
