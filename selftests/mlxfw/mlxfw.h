/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MLXFW_H
#define MLXFW_H

#include <linux/debugfs.h>
#include <linux/firmware.h>
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

/* A card that only remembers what mlxfw gives it. What came is then in debugfs, DIRECTORY/component. */
extern const struct mlxfw_dev_ops remembering_ops;
void remembering_show(const char *directory);
void remembering_forget(void);

#endif /* MLXFW_H */
