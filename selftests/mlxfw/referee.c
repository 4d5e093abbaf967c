// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has the kernel's own mlxfw flash a firmware file to a card that only remembers what it is given.
 * The module does not load when mlxfw refuses the file.
 */
#include <linux/module.h>
#include <linux/platform_device.h>

#include "mlxfw.h"

static char *psid = "";
module_param(psid, charp, 0444);
MODULE_PARM_DESC(psid, "PSID of the card");
static char *file = "";
module_param(file, charp, 0444);
MODULE_PARM_DESC(file, "firmware file, below /lib/firmware");

static struct platform_device *platform;
static struct devlink *devlink;

static const struct devlink_ops devlink_ops = { };

static int flash(void)
{
	struct mlxfw_dev dev = { .ops = &remembering_ops, .psid = psid, .psid_size = strlen(psid),
				.devlink = devlink };
	const struct firmware *firmware;
	int code;

	code = request_firmware_direct(&firmware, file, &platform->dev);
	if (code)
		return code;
	code = mlxfw_firmware_flash(&dev, firmware, NULL);
	release_firmware(firmware);
	return code;
}

static void forget(void)
{
	remembering_forget();
	devlink_unregister(devlink);
	devlink_free(devlink);
	platform_device_unregister(platform);
}

static int __init referee_init(void)
{
	int code;

	platform = platform_device_register_simple("mlxfw_referee", -1, NULL, 0);
	if (IS_ERR(platform))
		return PTR_ERR(platform);
	devlink = devlink_alloc(&devlink_ops, 0, &platform->dev);
	if (!devlink) {
		platform_device_unregister(platform);
		return -ENOMEM;
	}
	devlink_register(devlink);
	code = flash();
	if (code) {
		forget();
		return code;
	}
	remembering_show("mlxfw_referee");
	return 0;
}

static void __exit referee_exit(void)
{
	forget();
}

module_init(referee_init);
module_exit(referee_exit);
MODULE_DESCRIPTION("Judge of MFA2 files: what mlxfw makes of them");
MODULE_LICENSE("GPL");
