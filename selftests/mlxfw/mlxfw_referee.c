// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has the kernel's own mlxfw flash a firmware file to a card that only remembers what it is given. What came
 * is then in debugfs, mlxfw_referee/component. The module does not load when mlxfw refuses the file.
 */
#include <linux/debugfs.h>
#include <linux/firmware.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/vmalloc.h>
#include <net/devlink.h>

/* The interface of mlxfw: its header is not among those that modules are built with. */
enum mlxfw_fsm_state {
	MLXFW_FSM_STATE_IDLE,
	MLXFW_FSM_STATE_LOCKED,
	MLXFW_FSM_STATE_INITIALIZE,
	MLXFW_FSM_STATE_DOWNLOAD,
};

enum mlxfw_fsm_state_err {
	MLXFW_FSM_STATE_ERR_OK,
};

struct mlxfw_dev;

struct mlxfw_dev_ops {
	int (*component_query)(struct mlxfw_dev *dev, u16 component, u32 *max_size, u8 *align_bits,
			       u16 *max_write_size);
	int (*fsm_lock)(struct mlxfw_dev *dev, u32 *handle);
	int (*fsm_component_update)(struct mlxfw_dev *dev, u32 handle, u16 component, u32 size);
	int (*fsm_block_download)(struct mlxfw_dev *dev, u32 handle, u8 *data, u16 size, u32 offset);
	int (*fsm_component_verify)(struct mlxfw_dev *dev, u32 handle, u16 component);
	int (*fsm_activate)(struct mlxfw_dev *dev, u32 handle);
	int (*fsm_reactivate)(struct mlxfw_dev *dev, u8 *status);
	int (*fsm_query_state)(struct mlxfw_dev *dev, u32 handle, enum mlxfw_fsm_state *state,
			       enum mlxfw_fsm_state_err *error);
	void (*fsm_cancel)(struct mlxfw_dev *dev, u32 handle);
	void (*fsm_release)(struct mlxfw_dev *dev, u32 handle);
};

struct mlxfw_dev {
	const struct mlxfw_dev_ops *ops;
	const char *psid;
	u16 psid_size;
	struct devlink *devlink;
};

int mlxfw_firmware_flash(struct mlxfw_dev *dev, const struct firmware *firmware,
			 struct netlink_ext_ack *extack);

static char *psid = "";
module_param(psid, charp, 0444);
MODULE_PARM_DESC(psid, "PSID of the card");
static char *file = "";
module_param(file, charp, 0444);
MODULE_PARM_DESC(file, "firmware file, below /lib/firmware");

#define COMPONENT_MOST (64U << 20)
#define WRITE_MOST 4096
#define HANDLE 0x5eed

static struct {
	struct platform_device *platform;
	struct devlink *devlink;
	struct dentry *directory;
	enum mlxfw_fsm_state state;
	struct debugfs_blob_wrapper component;
	u32 size, got;
	u32 verified, activated;
} card;

static int query_component(struct mlxfw_dev *dev, u16 component, u32 *max_size, u8 *align_bits,
			   u16 *max_write_size)
{
	*max_size = COMPONENT_MOST;
	*align_bits = 2;
	*max_write_size = WRITE_MOST;
	return 0;
}

static int lock(struct mlxfw_dev *dev, u32 *handle)
{
	*handle = HANDLE;
	card.state = MLXFW_FSM_STATE_LOCKED;
	return 0;
}

static int update_component(struct mlxfw_dev *dev, u32 handle, u16 component, u32 size)
{
	if (handle != HANDLE || card.state != MLXFW_FSM_STATE_LOCKED || card.component.data)
		return -EINVAL;
	card.component.data = vzalloc(size);
	if (!card.component.data)
		return -ENOMEM;
	card.component.size = size;
	card.size = size;
	card.state = MLXFW_FSM_STATE_DOWNLOAD;
	return 0;
}

static int download_block(struct mlxfw_dev *dev, u32 handle, u8 *data, u16 size, u32 offset)
{
	if (card.state != MLXFW_FSM_STATE_DOWNLOAD || offset != card.got || size > card.size - offset)
		return -EINVAL;
	memcpy(card.component.data + offset, data, size);
	card.got += size;
	return 0;
}

static int verify_component(struct mlxfw_dev *dev, u32 handle, u16 component)
{
	if (card.got != card.size)
		return -EINVAL;
	card.verified++;
	card.state = MLXFW_FSM_STATE_LOCKED;
	return 0;
}

static int activate(struct mlxfw_dev *dev, u32 handle)
{
	card.activated++;
	return 0;
}

static int reactivate(struct mlxfw_dev *dev, u8 *status)
{
	return -EOPNOTSUPP;
}

static int query_state(struct mlxfw_dev *dev, u32 handle, enum mlxfw_fsm_state *state,
		       enum mlxfw_fsm_state_err *error)
{
	*state = card.state;
	*error = MLXFW_FSM_STATE_ERR_OK;
	return 0;
}

static void cancel(struct mlxfw_dev *dev, u32 handle)
{
	card.state = MLXFW_FSM_STATE_LOCKED;
}

static void release(struct mlxfw_dev *dev, u32 handle)
{
	card.state = MLXFW_FSM_STATE_IDLE;
}

static const struct mlxfw_dev_ops ops = {
	.component_query = query_component,
	.fsm_lock = lock,
	.fsm_component_update = update_component,
	.fsm_block_download = download_block,
	.fsm_component_verify = verify_component,
	.fsm_activate = activate,
	.fsm_reactivate = reactivate,
	.fsm_query_state = query_state,
	.fsm_cancel = cancel,
	.fsm_release = release,
};

static const struct devlink_ops devlink_ops = { };

static int flash(void)
{
	struct mlxfw_dev dev = { .ops = &ops, .psid = psid, .psid_size = strlen(psid),
				.devlink = card.devlink };
	const struct firmware *firmware;
	int code;

	code = request_firmware_direct(&firmware, file, &card.platform->dev);
	if (code)
		return code;
	code = mlxfw_firmware_flash(&dev, firmware, NULL);
	release_firmware(firmware);
	return code;
}

static void forget(void)
{
	debugfs_remove_recursive(card.directory);
	vfree(card.component.data);
	if (card.devlink) {
		devlink_unregister(card.devlink);
		devlink_free(card.devlink);
	}
	platform_device_unregister(card.platform);
}

static int __init referee_init(void)
{
	int code;

	card.platform = platform_device_register_simple("mlxfw_referee", -1, NULL, 0);
	if (IS_ERR(card.platform))
		return PTR_ERR(card.platform);
	card.devlink = devlink_alloc(&devlink_ops, 0, &card.platform->dev);
	if (!card.devlink) {
		platform_device_unregister(card.platform);
		return -ENOMEM;
	}
	devlink_register(card.devlink);
	code = flash();
	if (code) {
		forget();
		return code;
	}
	card.directory = debugfs_create_dir("mlxfw_referee", NULL);
	debugfs_create_blob("component", 0400, card.directory, &card.component);
	debugfs_create_u32("verified", 0400, card.directory, &card.verified);
	debugfs_create_u32("activated", 0400, card.directory, &card.activated);
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
