// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order of a burn, and why: firmware-images.md 5.1 - 5.4. It is one for all formats.
 *
 *   check       the card and the kept image are what the plan was built from, and the
 *               window reaches over no device data
 *   prepare     stale magics in the target go by programming zeros (a torn program leaves
 *               either the old whole image or no magic; a torn erase could leave the magic
 *               above half-erased code), then the first sector is erased
 *   write       erase, program, read back; what already is right is skipped
 *   verify      the whole window against the plan's SHA-256
 *   commit      16 bytes of magic, programmed without erase
 *   invalidate  the old magic's first dword goes to zero, programmed without erase
 *
 * At every instant either the kept image or the new one is whole under a steady magic.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "component.h"
#include "plan_private.h"
#include "sha256.h"

#define INVALIDATE_TRIES	3
#define INVALIDATE_PAUSE_US	100000

u64 cxfw_plan_capabilities(const struct cxfw_device *device)
{
	static const u64 burns[] = {
		[CXFW_FORMAT_FS2] = CXFW_CAP_BURN_FS2 | CXFW_CAP_DEVICE_DATA,
		[CXFW_FORMAT_FS3] = CXFW_CAP_BURN_FS3 | CXFW_CAP_DEVICE_DATA,
		[CXFW_FORMAT_FS4] = CXFW_CAP_BURN_FS4 | CXFW_CAP_DEVICE_DATA,
		[CXFW_FORMAT_FS5] = CXFW_CAP_BURN_FS5 | CXFW_CAP_DEVICE_DATA,
	};

	return device->chip ? burns[device->chip->format] : 0;
}

int cxfw_plan_tell(struct cxfw_run *run, enum cxfw_job_phase phase, u64 done, u64 total, bool may_stop)
{
	int error = run->watch->progress(run->watch, phase, done, total, may_stop);

	if (!error || !may_stop)
		return 0;
	return cxfw_fail(run->device, error, "stopped at a safe point; the card boots what it booted before");
}

static bool keeps_nothing(const struct cxfw_run *run)
{
	return run->plan->head.flags & CXFW_PLAN_RECOVERY;
}

static int phase_check(struct cxfw_run *run)
{
	int error = cxfw_plan_tell(run, CXFW_PHASE_CHECK, 0, 0, true);

	if (!error)
		error = cxfw_plan_check_card(run);
	return error ? error : cxfw_plan_check_kept(run);
}

/* What would not take the last write is found before the first. */
static int lift_protection(struct cxfw_run *run)
{
	const struct cxfw_stage *head = &run->plan->head;

	if (head->flags & CXFW_PLAN_CLEAR_PROTECTION)
		return cxfw_flash_unprotect(run->device);
	if (keeps_nothing(run) || !cxfw_flash_is_protected(run->device, head->old_address, CXFW_MAGIC_BYTES))
		return 0;
	return cxfw_fail(run->device, -EROFS,
			 "the old image at %#x could not be invalidated: it is write protected by the chip (status register %#x, block protect bits)",
			 head->old_address, run->device->flash.status[0]);
}

static int phase_prepare(struct cxfw_run *run)
{
	u8 erased[CXFW_MAGIC_BYTES];
	bool same;
	int error;

	error = cxfw_plan_tell(run, CXFW_PHASE_PREPARE, 0, 0, true);
	if (!error)
		error = lift_protection(run);
	if (!error)
		error = cxfw_plan_clear_strays(run);
	if (error)
		return error;
	memset(erased, 0xff, sizeof(erased));
	error = cxfw_plan_reads_as(run->device, run->start, erased, sizeof(erased), &same);
	if (error || same)
		return error;
	error = cxfw_flash_erase(run->device, run->start, run->device->flash.sector);
	if (!error)
		error = cxfw_plan_reads_as(run->device, run->start, erased, sizeof(erased), &same);
	run->blank = !error && same;
	if (!error && !same)
		error = cxfw_plan_not_taken(run, run->start);
	if (!error && !same)
		return cxfw_fail(run->device, -EIO,
				 "the sector at %#x does not erase: write protection, or a bad cell",
				 run->start);
	return error;
}

/* The largest erase unit that starts here and lies in the window's own bytes. */
static u32 erase_unit(const struct cxfw_run *run, u32 logical)
{
	const struct cxfw_flash *flash = &run->device->flash;
	const struct cxfw_stage *head = &run->plan->head;

	if (flash->block > flash->sector && flash->block <= 1U << head->log2_chunk &&
	    !(logical & (flash->block - 1)) && logical + flash->block <= head->window_length &&
	    head->image_length - logical > flash->block / 2)
		return flash->block;
	return flash->sector;
}

static int write_unit(struct cxfw_run *run, u32 logical, u32 unit)
{
	struct cxfw_target target = {
		.address = cxfw_window_physical(&run->window, logical),
		.bytes = run->plan->image + logical,
		.length = min_t(u32, unit, run->plan->head.image_length - logical),
		.erased = logical ? 0 : CXFW_MAGIC_BYTES,
	};

	if (unit > run->device->flash.sector)
		return cxfw_plan_write_block(run, &target);
	return cxfw_plan_write_unit(run, &target, unit);
}

static int phase_write(struct cxfw_run *run)
{
	u32 length = run->plan->head.image_length, logical, unit;
	int error;

	for (logical = 0; logical < length; logical += unit) {
		error = cxfw_plan_tell(run, CXFW_PHASE_WRITE, logical, length, true);
		if (!error)
			error = cxfw_flash_check_lock(run->device);
		if (error)
			return error;
		unit = erase_unit(run, logical);
		error = write_unit(run, logical, unit);
		if (error)
			return error;
	}
	return cxfw_plan_tell(run, CXFW_PHASE_WRITE, length, length, true);
}

/* The window from behind the magic to the image's end, once more from the flash. */
static int hash_window(struct cxfw_run *run, struct cxfw_sha256 *hash)
{
	u32 length = run->plan->head.image_length, at = CXFW_MAGIC_BYTES, part;
	int error = 0;

	for (; at < length && !error; at += part) {
		/* Ends where a piece of the flash does, which never crosses a chunk. */
		part = min_t(u32, CXFW_PLAN_PIECE - at % CXFW_PLAN_PIECE, length - at);
		error = cxfw_plan_tell(run, CXFW_PHASE_VERIFY, at, length, true);
		if (!error)
			error = cxfw_flash_read(run->device, cxfw_window_physical(&run->window, at), run->piece,
						part);
		if (!error)
			error = cxfw_sha256_update(hash, run->piece, part);
	}
	return error ? error : cxfw_plan_tell(run, CXFW_PHASE_VERIFY, length, length, true);
}

static int phase_verify(struct cxfw_run *run)
{
	return cxfw_plan_verify(run, hash_window, "the window does not read back as written; the old image stays");
}

/* Nothing between verify and here may have touched the kept image. */
static int still_kept(struct cxfw_run *run)
{
	enum cxfw_magic magic;
	int error;

	if (keeps_nothing(run))
		return 0;
	error = cxfw_plan_read_magic(run->device, run->plan->head.old_address, &magic);
	if (!error && magic != CXFW_MAGIC_STEADY)
		return cxfw_fail(run->device, -ESTALE, "somebody else removed the magic at %#x meanwhile",
				 run->plan->head.old_address);
	return error;
}

static int phase_commit(struct cxfw_run *run)
{
	int error = cxfw_plan_tell(run, CXFW_PHASE_COMMIT, 0, CXFW_MAGIC_BYTES, true);

	/* Without the lock somebody else may have written over what was verified. */
	if (!error)
		error = cxfw_flash_check_lock(run->device);
	if (!error)
		error = still_kept(run);
	if (!error)
		error = cxfw_plan_program_exactly(run, run->start, run->plan->image, CXFW_MAGIC_BYTES, "the magic");
	if (error)
		return error;
	cxfw_plan_name_image(run);
	cxfw_plan_tell(run, CXFW_PHASE_COMMIT, CXFW_MAGIC_BYTES, CXFW_MAGIC_BYTES, false);
	return 0;
}

/* Firmware that was busy with something else may take it later: old ones are known to time out here. */
static bool may_pass(int error)
{
	return error == -EIO || error == -ETIMEDOUT || error == -EBUSY;
}

static int clear_old(struct cxfw_run *run)
{
	u32 old = run->plan->head.old_address;
	enum cxfw_magic magic;
	int i, error = 0;

	for (i = 0; i < INVALIDATE_TRIES; i++) {
		if (i && cxfw_sleep(run->device, INVALIDATE_PAUSE_US))
			break;
		error = cxfw_flash_check_lock(run->device);
		if (error)
			break;
		error = cxfw_plan_clear_magic(run, old);
		if (!error || !may_pass(error))
			break;
		/* It may have been done, and only the answer was lost. */
		if (error != -EIO && !cxfw_plan_read_magic(run->device, old, &magic) && magic == CXFW_MAGIC_NONE)
			return 0;
	}
	return error;
}

static int phase_invalidate(struct cxfw_run *run)
{
	char cause[CXFW_WHY_LENGTH] = "";
	int error = 0;

	cxfw_plan_tell(run, CXFW_PHASE_INVALIDATE, 0, 4, false);
	if (!keeps_nothing(run))
		error = clear_old(run);
	/* Telling lets others in, whose failures overwrite this one. */
	if (error)
		memcpy(cause, run->device->why, sizeof(cause));
	cxfw_plan_tell(run, CXFW_PHASE_INVALIDATE, 4, 4, false);
	if (!error)
		return 0;
	return cxfw_fail(run->device, error,
			 "the new image is whole and committed; the old one at %#x is not cleared, so either may boot: power-cycle, then burn again (%.70s)",
			 run->plan->head.old_address, cause);
}

static int run_locked(struct cxfw_run *run)
{
	int error;

	if (run->plan->head.flags & CXFW_PLAN_DEVICE_DATA)
		return cxfw_device_data_run(run);
	error = phase_check(run);
	if (!error)
		error = phase_prepare(run);
	if (!error)
		error = phase_write(run);
	if (!error)
		error = phase_verify(run);
	if (!error)
		error = phase_commit(run);
	if (!error)
		error = phase_invalidate(run);
	return error;
}

/* Other tools take the flash lock; devlink and a BMC ask the update handle only. */
static int run_alone(struct cxfw_run *run)
{
	u32 handle = 0;
	int error = cxfw_flash_lock(run->device);

	if (error)
		return error;
	error = cxfw_update_handle_take(run->device, &handle);
	if (!error) {
		error = run_locked(run);
		cxfw_update_handle_give(run->device, handle);
	}
	cxfw_flash_unlock(run->device);
	return error;
}

int cxfw_plan_run(struct cxfw_device *device, const struct cxfw_plan *plan, struct cxfw_plan_watch *watch)
{
	struct cxfw_run run = {
		.device = device,
		.plan = plan,
		.watch = watch,
		.format = cxfw_format_find(plan->head.format),
		.window = { .log2_chunk = plan->head.log2_chunk, .slot = plan->head.target_slot },
	};
	int error;

	device->why[0] = '\0';
	if (!run.format)
		return cxfw_fail(device, -EINVAL, "a plan of format %u", plan->head.format);
	run.start = cxfw_window_physical(&run.window, 0);
	run.piece = kmalloc(CXFW_PLAN_PIECE, GFP_KERNEL);
	run.map = kzalloc(sizeof(*run.map), GFP_KERNEL);
	if (run.piece && run.map)
		error = cxfw_flash_probe(device);
	else
		error = cxfw_fail(device, -ENOMEM, "no memory for buffers");
	if (!error)
		error = run_alone(&run);
	kfree(run.map);
	kfree(run.piece);
	return error;
}
