// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

bool catalogue_is(const struct image_reader *reader)
{
	(void)reader;
	return false;
}

int catalogue_read(const char *path, struct catalogue *catalogue, struct image_error *error)
{
	memset(catalogue, 0, sizeof(*catalogue));
	error->where = 0;
	snprintf(error->text, sizeof(error->text), "%s: catalogues cannot be read yet", path);
	return -EOPNOTSUPP;
}

void catalogue_free(struct catalogue *catalogue)
{
	memset(catalogue, 0, sizeof(*catalogue));
}
