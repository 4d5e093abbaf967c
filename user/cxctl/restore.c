// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

int cmd_restore(struct options *options, int argc, char **argv)
{
	struct cxctl_error error;

	(void)argc;
	error_set(&error, CXCTL_FAILED, "not-there", "%s", argv[0]);
	return command_fail(options, &error);
}
