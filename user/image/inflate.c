// SPDX-License-Identifier: GPL-2.0-only
/* The board's INI that an image carries, zlib-packed: firmware-images.md 2.6, 8.2, 8.3. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "fs2.h"
#include "ini.h"
#include "toc.h"

#define FIRST_ROOM 0x10000
#define PADDING_MOST 3			/* zeros that fill the last dword */

struct unpacking {
	z_stream stream;
	uint64_t where;			/* logical, of the section */
	uint8_t *text;
	size_t room;			/* without the NUL */
	unsigned int padding;
	bool ended;
	struct image_error *error;
};

struct search {
	uint32_t type;
	bool found;
	struct image_section section;
};

static int find_section(void *context, const struct image_section *section)
{
	struct search *search = context;

	if (section->type != search->type || section->device_data)
		return 0;
	search->section = *section;
	search->found = true;
	return 1;
}

static int damaged(const struct unpacking *unpacking, const char *why)
{
	return image_fail(unpacking->error, -EBADMSG, unpacking->where, "%s", why);
}

static int more_room(struct unpacking *unpacking)
{
	size_t room = unpacking->room ? 2 * unpacking->room : FIRST_ROOM;
	uint8_t *text;

	if (unpacking->room == IMAGE_INI_MOST)
		return image_fail(unpacking->error, -EBADMSG, unpacking->where,
				  _("the packed INI unpacks to more than %u bytes"), IMAGE_INI_MOST);
	text = realloc(unpacking->text, room + 1);
	if (!text)
		return image_fail(unpacking->error, -ENOMEM, unpacking->where,
				  _("no memory for an INI of %zu bytes"), room);
	unpacking->text = text;
	unpacking->stream.next_out = text + unpacking->room;
	unpacking->stream.avail_out = room - unpacking->room;
	unpacking->room = room;
	return 0;
}

/* What follows the stream only fills its last dword. */
static int padding(struct unpacking *unpacking, const uint8_t *bytes, size_t length)
{
	for (; length; bytes++, length--)
		if (*bytes || ++unpacking->padding > PADDING_MOST)
			return damaged(unpacking, _("something stands behind the end of the packed INI"));
	return 0;
}

static int unpack_piece(void *context, const uint8_t *bytes, size_t length)
{
	struct unpacking *unpacking = context;
	z_stream *stream = &unpacking->stream;
	int code, result;

	stream->next_in = (uint8_t *)bytes;
	stream->avail_in = length;
	while (!unpacking->ended) {
		if (!stream->avail_out) {
			code = more_room(unpacking);
			if (code)
				return code;
		}
		result = inflate(stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return image_fail(unpacking->error, -ENOMEM, unpacking->where,
					  _("no memory to unpack the INI"));
		unpacking->ended = result == Z_STREAM_END;
		/* Without progress zlib wants more input: the next piece has it. */
		if (result == Z_BUF_ERROR || (result == Z_OK && !stream->avail_in && stream->avail_out))
			return 0;
		if (result != Z_OK && result != Z_STREAM_END)
			return damaged(unpacking, _("the packed INI is not a zlib stream, or it is damaged"));
	}
	return padding(unpacking, stream->next_in, stream->avail_in);
}

static int unpack(const struct image_view *view, const struct image_section *section,
		  struct unpacking *unpacking)
{
	int code;

	if (inflateInit(&unpacking->stream) != Z_OK)
		return image_fail(unpacking->error, -ENOMEM, section->start,
				  _("no memory to unpack the INI"));
	code = view_pieces(view, section->start, section->length, unpack_piece, unpacking, unpacking->error);
	if (!code && !unpacking->ended)
		code = damaged(unpacking, _("the packed INI has no end"));
	if (!code && memchr(unpacking->text, 0, unpacking->stream.total_out))
		code = damaged(unpacking, _("the INI is not a text"));
	inflateEnd(&unpacking->stream);
	return code;
}

int image_ini(const struct image_reader *reader, const struct image_place *place, char **text, size_t *length,
	      struct image_error *error)
{
	struct search search = { .type = place->format == IMAGE_FS2 ? FS2_INI : SECTION_DBG_FW_INI };
	struct unpacking unpacking = { .error = error };
	struct image_view view = { reader, *place };
	int code;

	*text = NULL;
	*length = 0;
	code = image_sections(reader, place, find_section, &search, error);
	if (code < 0)
		return code;
	if (!search.found || !search.section.length)
		return image_fail(error, -ENOENT, place->address, _("the image carries no INI"));
	if (search.section.encrypted)
		return image_fail(error, -ENOENT, search.section.start, _("the image's INI is encrypted"));
	unpacking.where = search.section.start;
	code = unpack(&view, &search.section, &unpacking);
	if (code) {
		free(unpacking.text);
		return code;
	}
	*text = (char *)unpacking.text;
	*length = unpacking.stream.total_out;
	(*text)[*length] = 0;
	return 0;
}

/* ---- the mark of a changed PSID ---- */

/* The start of the line that follows; NULL: there is none. */
static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

#define WINDOW		0x4000
#define LINE_MOST	0x400		/* a line with a mark is shorter */

/* A long INI is looked at in windows of whole lines; the rest of one is kept for the next. */
struct looking {
	z_stream stream;
	uint8_t window[WINDOW + 1];
	char *from;
	bool within_line;		/* the window begins within a line that is too long for a mark */
	bool found;
};

static const char *last_line_end(const char *text, size_t length)
{
	const char *end = memrchr(text, '\n', length);

	return end ? end + 1 : NULL;
}

/* Gives how many bytes at the window's start are to be kept. */
static size_t look_at_window(struct looking *looking, size_t length, bool last)
{
	char *text = (char *)looking->window, saved;
	const char *end = last ? text + length : last_line_end(text, length), *line = text;
	size_t rest;

	if (!end) {
		looking->within_line = true;
		return 0;
	}
	saved = text[end - text];
	text[end - text] = 0;
	if (looking->within_line)
		line = next_line(text);
	looking->found = line && image_ini_retagged(line, looking->from);
	text[end - text] = saved;
	rest = text + length - end;
	looking->within_line = rest > LINE_MOST;
	if (looking->within_line)
		return 0;
	memmove(text, end, rest);
	return rest;
}

static int look_at_piece(void *context, const uint8_t *bytes, size_t length)
{
	struct looking *looking = context;
	z_stream *stream = &looking->stream;
	size_t kept;
	int result;

	stream->next_in = (uint8_t *)bytes;
	stream->avail_in = length;
	do {
		if (!stream->avail_out) {
			kept = look_at_window(looking, WINDOW, false);
			stream->next_out = looking->window + kept;
			stream->avail_out = WINDOW - kept;
		}
		if (looking->found)
			return 1;
		result = inflate(stream, Z_NO_FLUSH);
	} while (result == Z_OK && (stream->avail_in || !stream->avail_out));
	return result == Z_OK || result == Z_BUF_ERROR ? 0 : 1;
}

bool image_retagged(const struct image_reader *reader, const struct image_place *place, char from[17])
{
	struct search search = { .type = place->format == IMAGE_FS2 ? FS2_INI : SECTION_DBG_FW_INI };
	struct image_view view = { reader, *place };
	struct looking looking;
	struct image_error ignored;

	from[0] = 0;
	if (image_sections(reader, place, find_section, &search, &ignored) < 0 || !search.found ||
	    search.section.encrypted)
		return false;
	memset(&looking.stream, 0, sizeof(looking.stream));
	looking.stream.next_out = looking.window;
	looking.stream.avail_out = WINDOW;
	looking.from = from;
	looking.within_line = looking.found = false;
	if (inflateInit(&looking.stream) != Z_OK)
		return false;
	view_pieces(&view, search.section.start, search.section.length, look_at_piece, &looking, &ignored);
	if (!looking.found)
		look_at_window(&looking, WINDOW - looking.stream.avail_out, true);
	inflateEnd(&looking.stream);
	return looking.found;
}

bool image_ini_retagged(const char *ini, char from[17])
{
	static const size_t mark = sizeof(INI_RETAGGED) - 1;
	const char *line;
	size_t length;

	from[0] = 0;
	for (line = ini; line; line = next_line(line)) {
		if (strncmp(line, INI_RETAGGED, mark))
			continue;
		length = strcspn(line + mark, "\r\n");
		image_text(from, 17, (const uint8_t *)line + mark, length);
		return true;
	}
	return false;
}
