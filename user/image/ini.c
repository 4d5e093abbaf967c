// SPDX-License-Identifier: GPL-2.0-only
/* Board INI texts: firmware-images.md 8.2, 8.3. */
#include <errno.h>

#include "ini.h"
#include "private.h"

static int nothing(struct image_error *error)
{
	return image_fail(error, -EOPNOTSUPP, 0, "%s", _("INI texts are not supported by this version"));
}

int ini_parse(const char *text, size_t length, struct ini *ini, struct image_error *error)
{
	(void)text, (void)length;
	memset(ini, 0, sizeof(*ini));
	return nothing(error);
}

void ini_free(struct ini *ini)
{
	memset(ini, 0, sizeof(*ini));
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	(void)ini, (void)section, (void)key;
	return NULL;
}

void ini_board(const struct ini *ini, struct ini_board *board)
{
	(void)ini;
	memset(board, 0, sizeof(*board));
}

int ini_check(const char *text, size_t length, const struct image_listener *listener,
	      enum image_verdict *verdict, struct image_error *error)
{
	(void)text, (void)length, (void)listener;
	*verdict = IMAGE_GOOD;
	return nothing(error);
}

int ini_rename(const char *text, size_t length, const char *psid, const char *name, char **renamed,
	       size_t *renamed_length, struct image_error *error)
{
	(void)text, (void)length, (void)psid, (void)name;
	*renamed = NULL;
	*renamed_length = 0;
	return nothing(error);
}

int ini_mark_retagged(const char *text, size_t length, const char *from, const char *to, char **marked,
		      size_t *marked_length, struct image_error *error)
{
	(void)text, (void)length, (void)from, (void)to;
	*marked = NULL;
	*marked_length = 0;
	return nothing(error);
}
