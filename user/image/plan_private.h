/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of plans only. */
#ifndef IMAGE_PLAN_PRIVATE_H
#define IMAGE_PLAN_PRIVATE_H

#include "../../kmod/uapi/cxfw.h"
#include "plan.h"
#include "toc.h"

static inline uint32_t plan_round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/*
 * The window for an image of that length, whose slot and log2_chunk stand in *plan: sets
 * plan->window_length. -EINVAL, -EOPNOTSUPP or -EBADMSG says why there is no room.
 */
int fs2_plan_window(const struct image_target *target, const struct image_flash_state *state,
		    const struct image_facts *facts, uint32_t length, struct image_plan *plan,
		    struct image_error *error);
/* FS3 and later; image as for image_plan_make(). */
int toc_plan_window(const struct image_target *target, const struct image_flash_state *state,
		    const uint8_t *image, uint32_t length, const struct image_facts *facts,
		    struct image_plan *plan, struct image_error *error);

/* Where device data of FS4 and FS5 is listed. */
uint32_t plan_dtoc_address(const struct image_target *target, const struct image_flash_state *state);

/*
 * The table that lists a flash's device data: FS3: the ITOC of the image that state keeps, of which only
 * entries with device_data count; FS4, FS5: the DTOC. toc->present is false when there is none, or a damaged one.
 */
int plan_device_table(const struct image_target *target, const struct image_flash_state *state,
		      struct toc *toc, struct image_error *error);
/* Whether an entry of such a table is device data with bytes inside the flash. */
bool plan_is_device_entry(enum image_format format, const struct toc_section *entry, uint64_t flash_size);

#endif /* IMAGE_PLAN_PRIVATE_H */
