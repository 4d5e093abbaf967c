// SPDX-License-Identifier: GPL-2.0-only
#include <linux/vmalloc.h>

#include "mlxfw.h"

#define COMPONENT_MOST (64U << 20)
#define WRITE_MOST 4096
#define HANDLE 0x5eed

static struct {
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
	vfree(card.component.data);
	card.component.data = NULL;
	card.got = 0;
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

const struct mlxfw_dev_ops remembering_ops = {
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

void remembering_show(const char *directory)
{
	card.directory = debugfs_create_dir(directory, NULL);
	debugfs_create_blob("component", 0400, card.directory, &card.component);
	debugfs_create_u32("verified", 0400, card.directory, &card.verified);
	debugfs_create_u32("activated", 0400, card.directory, &card.activated);
}

void remembering_forget(void)
{
	debugfs_remove_recursive(card.directory);
	vfree(card.component.data);
	card.component.data = NULL;
}
