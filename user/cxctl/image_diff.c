// SPDX-License-Identifier: GPL-2.0-only
#include "image.h"

int image_cmd_diff(struct options *options, int argc, char **argv)
{
	struct cxctl_error error;

	(void)argc;
	error_set(&error, CXCTL_FAILED, "not-built", "cxctl image %s is not there yet", argv[0]);
	return command_fail(options, &error);
}
