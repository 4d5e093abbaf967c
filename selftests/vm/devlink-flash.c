// SPDX-License-Identifier: GPL-2.0-only
/* devlink-flash-test BUS DEVICE FILE: the tool's own devlink flash on any device of devlink. */
#include <stdio.h>

#include "../../user/device/device.h"
#include "../../user/device/devlink_flash.h"

unsigned int device_timeout(void)
{
	return 30;
}

static void show(void *context, const struct devlink_flash_status *status)
{
	(void)context;
	printf("%s %llu/%llu\n", status->message, (unsigned long long)status->done,
	       (unsigned long long)status->total);
}

int main(int argc, char **argv)
{
	struct cxctl_error error;

	if (argc != 4)
		return 2;
	if (!devlink_flash(argv[1], argv[2], argv[3], show, NULL, &error))
		return 0;
	fprintf(stderr, "%s: %s: %s\n", error.id, error.text, error.found);
	return error.exit;
}
