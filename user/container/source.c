// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "source.h"

int source_walk(const char *path, unsigned int flags, const struct source_walk *walk, struct image_error *error)
{
	(void)flags;
	(void)walk;
	error->where = 0;
	snprintf(error->text, sizeof(error->text), "%s cannot be searched yet", path);
	return -EOPNOTSUPP;
}
