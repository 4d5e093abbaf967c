// SPDX-License-Identifier: GPL-2.0-only
/* The INI that an image carries, checked against the image: firmware-images.md 2.6, 3.5. */
#include <errno.h>
#include <stdlib.h>

#include "ini.h"
#include "ini_verify.h"

#define INI_HEAD 0x4000
/* Vendor's INIs have 0.8 MB at most; a much longer one would cost too much memory to take apart. */
#define INI_USUAL_MOST (4U << 20)

/* Bytes of whole lines at the start of the text. */
static size_t head_length(const char *text, size_t length)
{
	const char *end;

	if (length <= INI_HEAD)
		return length;
	end = memrchr(text, '\n', INI_HEAD);
	return end ? (size_t)(end + 1 - text) : length;
}

static int compare_psid(struct image_check *check, const char *text, size_t length, const char *psid,
			bool *found, struct image_error *error)
{
	struct ini_board board;
	struct ini ini;
	int code;

	code = ini_parse(text, length, &ini, error);
	if (code)
		return code;
	ini_board(&ini, &board);
	*found = board.psid;
	if (board.psid && strcmp(board.psid, psid))
		check_finding(check, IMAGE_UNUSUAL, "INI", 0,
			      _("the INI is for PSID %.16s, the image for %s"), board.psid, psid);
	ini_free(&ini);
	return 0;
}

/* Boards name themselves at the start: most of a long INI need not be taken apart. */
static int find_psid(struct image_check *check, const char *text, size_t length, const char *psid,
		     struct image_error *error)
{
	size_t head = head_length(text, length);
	bool found = false;
	int code;

	code = compare_psid(check, text, head, psid, &found, error);
	if (!code && !found && head < length)
		code = compare_psid(check, text, length, psid, &found, error);
	return code;
}

int ini_verify(struct image_check *check, const struct image_view *view, const char *psid,
	       struct image_error *error)
{
	struct image_error why = { 0 };
	char *text;
	size_t length;
	int code;

	code = image_ini(view->reader, &view->place, &text, &length, &why);
	if (code == -ENOENT)
		return 0;
	if (code == -EBADMSG) {
		check_finding(check, IMAGE_DAMAGED, "INI", why.where, "%s", why.text);
		return 0;
	}
	if (!code && length > INI_USUAL_MOST)
		check_compared(check, IMAGE_UNUSUAL, "INI", 0, INI_USUAL_MOST, length,
			       _("the INI is longer than that of any board"));
	else if (!code)
		code = find_psid(check, text, length, psid, &why);
	free(text);
	if (code == -EBADMSG) {
		check_finding(check, IMAGE_UNUSUAL, "INI", 0, "%s", why.text);
		return 0;
	}
	if (code && error)
		*error = why;
	return code;
}
