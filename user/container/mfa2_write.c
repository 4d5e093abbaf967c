// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "private.h"

int mfa2_write(const struct mfa2_source *sources, size_t count,
	       int (*write)(void *context, const void *bytes, size_t length), void *context,
	       struct image_error *error)
{
	(void)sources;
	(void)count;
	(void)write;
	(void)context;
	return container_fail(error, -EOPNOTSUPP, 0, _("packing is not supported"));
}
