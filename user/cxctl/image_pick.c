// SPDX-License-Identifier: GPL-2.0-only
#include "image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int image_failed(const char *path, const char *inside, const struct image_error *why, int code,
		 struct cxctl_error *error)
{
	(void)code;
	return error_set(error, CXCTL_BAD_IMAGE, "bad-image", "%s%s%s: %s", path, *inside ? ": " : "", inside, why->text);
}

int image_no_such_psid(const char *path, const char *psid, const char *const *psids, size_t count,
		       struct cxctl_error *error)
{
	(void)psids;
	return error_set(error, CXCTL_FAILED, "no-such-psid", _("%s has %zu PSIDs, none is %s"), path, count, psid);
}

int image_pick(const char *path, const char *psid, struct image_picked *picked, struct cxctl_error *error)
{
	(void)psid;
	memset(picked, 0, sizeof(*picked));
	return error_set(error, CXCTL_FAILED, "not-built", "%s: picking is not there yet", path);
}

void image_picked_free(struct image_picked *picked)
{
	(void)picked;
}
