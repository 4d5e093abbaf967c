/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a running plan share. The flash is locked throughout. */
#ifndef CXFW_PLAN_PRIVATE_H
#define CXFW_PLAN_PRIVATE_H

#include <linux/types.h>

#include "bootable.h"
#include "device.h"
#include "plan.h"

struct cxfw_sha256;

#define CXFW_PLAN_PIECE		4096	/* bytes read at a time, and of a kept image that are hashed */
#define CXFW_DTOC_BELOW		0x1000	/* FS4, FS5: from the table of device data to where its area ends */
#define CXFW_DEVICE_ENTRIES	128
#define CXFW_TYPE_DEV_INFO	0xe1

/* Chunks of a slot: firmware-images.md 0.4. */
struct cxfw_window {
	u32 log2_chunk;
	u32 slot;
};

u32 cxfw_window_physical(const struct cxfw_window *window, u32 logical);
/* The inverse; false when the address is in the other slot. */
bool cxfw_window_logical(const struct cxfw_window *window, u32 physical, u32 *logical);

/* Where device data lies: firmware-images.md 3.7, 4.4. */
struct cxfw_device_map {
	bool known;			/* false: nothing tells it, or what tells it is damaged */
	unsigned int count;
	struct cxfw_device_entry entries[CXFW_DEVICE_ENTRIES];
	unsigned int tables;		/* FS4, FS5 */
	u32 table[3];			/* their addresses, one sector each */
};

enum cxfw_magic {
	CXFW_MAGIC_NONE,
	CXFW_MAGIC_UNSTEADY,
	CXFW_MAGIC_STEADY,
};

struct cxfw_run {
	struct cxfw_device *device;
	const struct cxfw_plan *plan;
	struct cxfw_plan_watch *watch;
	const struct cxfw_format *format;
	struct cxfw_window window;	/* the target's */
	u32 start;			/* physical address of its first byte */
	bool blank;			/* its first sector was erased by this run, and nothing written since */
	u8 *piece;			/* CXFW_PLAN_PIECE bytes */
	struct cxfw_device_map *map;
	enum cxfw_magic magic[CXFW_MAGIC_PLACES];
	u32 old_length;			/* of the kept image */
};

/* plan.c: 0, or why the plan ends here. */
int cxfw_plan_tell(struct cxfw_run *run, enum cxfw_job_phase phase, u64 done, u64 total, bool may_stop);

/* plan_check.c */
#define cxfw_plan_refuse(why, ...) (snprintf(why, CXFW_WHY_LENGTH, __VA_ARGS__), -EINVAL)
int cxfw_plan_check_digest(const struct cxfw_plan *plan, char *why);
/* The plan's image as a source, as long as the plan says. */
struct cxfw_image_source cxfw_plan_source(const struct cxfw_plan *plan);

/* device_data.c */
int cxfw_device_data_check(const struct cxfw_plan *plan, char *why);
int cxfw_device_data_run(struct cxfw_run *run);

/* device_map.c: fills run->map. old: the kept image, NULL when there is none. */
int cxfw_device_map_read(struct cxfw_run *run, const struct cxfw_image_source *old, u32 old_info);
/* Is [start, end) free of device data, as far as is known? *found: the lowest that is not. */
bool cxfw_device_map_free(const struct cxfw_run *run, u32 start, u32 end, u32 *found);
/* FS3: the image names its device data; what it says must be true of this flash. */
int cxfw_device_map_check_image(struct cxfw_run *run, const struct cxfw_image_source *old);

/* plan_kept.c: the card and what stands on the flash are what the plan was built from. */
int cxfw_plan_check_card(struct cxfw_run *run);
int cxfw_plan_read_magic(struct cxfw_device *device, u32 address, enum cxfw_magic *magic);
int cxfw_plan_read_magics(struct cxfw_run *run);
int cxfw_plan_check_kept(struct cxfw_run *run);
/* Removes magics that would win over the new image or stand above half-written code. */
int cxfw_plan_clear_strays(struct cxfw_run *run);

/* What lies behind a magic: an image of the chip's own format, by its header. */
struct cxfw_found {
	struct cxfw_image_layout layout;
	struct cxfw_window window;
	u32 address;
};
/* *found: false when the header cannot be believed. */
int cxfw_plan_look(struct cxfw_run *run, u32 address, struct cxfw_found *image, bool *found);
/* Is it whole? */
int cxfw_plan_is_whole(struct cxfw_run *run, u32 address, bool *whole);
/* Does it cover this physical address? */
bool cxfw_plan_covers(const struct cxfw_run *run, const struct cxfw_found *image, u32 address);

/* plan_write.c */
/* Every one of several reads shows the bytes (at most 16). */
int cxfw_plan_reads_as(struct cxfw_device *device, u32 address, const u8 *expected, u32 length, bool *same);
int cxfw_plan_program_exactly(struct cxfw_run *run, u32 address, const u8 *bytes, u32 length, const char *what);
/* Names write protection where it is told (-EROFS), else 0. */
int cxfw_plan_not_taken(struct cxfw_run *run, u32 address);
int cxfw_plan_clear_magic(struct cxfw_run *run, u32 address);
/*
 * What the flash shall hold from address on: bytes, the first erased of them as 0xff. What is
 * right already is neither erased nor programmed.
 */
struct cxfw_target {
	u32 address;
	const u8 *bytes;
	u32 length;
	u32 erased;
};
int cxfw_plan_is_right(struct cxfw_run *run, const struct cxfw_target *target, bool *right);
/* address begins an erase unit of unit bytes, and length is at most that. */
int cxfw_plan_write_unit(struct cxfw_run *run, const struct cxfw_target *target, u32 unit);
/* The same for a block, in sectors where few of them differ. */
int cxfw_plan_write_block(struct cxfw_run *run, const struct cxfw_target *target);

/*
 * Everything that was written, read again: add feeds it to the hash in the order of the segments; -EIO
 * with failure when it is not what the plan says.
 */
int cxfw_plan_verify(struct cxfw_run *run, int (*add)(struct cxfw_run *run, struct cxfw_sha256 *hash),
		     const char *failure);

/* plan_boot.c: which image the next reset shall take. A failure is only a note. */
void cxfw_plan_name_image(struct cxfw_run *run);

#endif /* CXFW_PLAN_PRIVATE_H */
