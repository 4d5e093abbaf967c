// SPDX-License-Identifier: GPL-2.0-only
/* The INI that an image carries, checked against the image: firmware-images.md 2.6, 3.5. */
#include <errno.h>
#include <stdlib.h>

#include "ini.h"
#include "ini_verify.h"

/* Vendor's INIs have 0.8 MB at most; a much longer one would cost too much memory to take apart. */
#define INI_USUAL_MOST (4U << 20)

static int compare_psid(struct image_check *check, const char *text, size_t length, const char *psid,
			struct image_error *error)
{
	struct ini_board board;
	struct ini ini;
	int code;

	code = ini_parse(text, length, &ini, error);
	if (code)
		return code;
	ini_board(&ini, &board);
	if (board.psid && strcmp(board.psid, psid))
		check_finding(check, IMAGE_UNUSUAL, "INI", 0, _("the INI is for PSID %.16s, the image for %s"),
			      board.psid, psid);
	ini_free(&ini);
	return 0;
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
		code = compare_psid(check, text, length, psid, &why);
	free(text);
	if (code == -EBADMSG) {
		check_finding(check, IMAGE_UNUSUAL, "INI", 0, "%s", why.text);
		return 0;
	}
	if (code && error)
		*error = why;
	return code;
}
