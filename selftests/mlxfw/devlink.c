// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver that binds to a simulated ConnectX-5 in place of mlx5_core, which needs registers in memory
 * that the simulation does not have, and offers of devlink what mlx5_core offers: versions, and flash
 * through the kernel's own mlxfw, on a card that only remembers.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "mlxfw.h"

static char *psid = "";
module_param(psid, charp, 0444);
MODULE_PARM_DESC(psid, "PSID of the card");
static char *version = "";
module_param(version, charp, 0444);
MODULE_PARM_DESC(version, "version of the running firmware");

static int flash_update(struct devlink *devlink, struct devlink_flash_update_params *params,
			struct netlink_ext_ack *extack)
{
	struct mlxfw_dev dev = { .ops = &remembering_ops, .psid = psid, .psid_size = strlen(psid),
				.devlink = devlink };

	return mlxfw_firmware_flash(&dev, params->fw, extack);
}

static int info_get(struct devlink *devlink, struct devlink_info_req *req, struct netlink_ext_ack *extack)
{
	int code = devlink_info_driver_name_put(req, "mlx5_core");

	if (!code)
		code = devlink_info_version_fixed_put(req, "fw.psid", psid);
	if (!code)
		code = devlink_info_version_running_put(req, "fw.version", version);
	if (!code)
		code = devlink_info_version_stored_put(req, "fw.version", version);
	return code;
}

static const struct devlink_ops devlink_ops = {
	.flash_update = flash_update,
	.info_get = info_get,
};

static int probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct devlink *devlink;

	if (PCI_FUNC(pdev->devfn))
		return -ENODEV;
	devlink = devlink_alloc(&devlink_ops, 0, &pdev->dev);
	if (!devlink)
		return -ENOMEM;
	pci_set_drvdata(pdev, devlink);
	remembering_show("devlink_referee");
	devlink_register(devlink);
	return 0;
}

static void remove(struct pci_dev *pdev)
{
	struct devlink *devlink = pci_get_drvdata(pdev);

	devlink_unregister(devlink);
	remembering_forget();
	devlink_free(devlink);
}

static const struct pci_device_id ids[] = {
	{ PCI_DEVICE(0x15b3, 0x1017) },
	{ }
};

static struct pci_driver referee_driver = {
	.name = "mlx5_core",
	.id_table = ids,
	.probe = probe,
	.remove = remove,
};

module_pci_driver(referee_driver);
MODULE_DESCRIPTION("devlink of a simulated card, as mlx5_core offers it");
MODULE_LICENSE("GPL");
