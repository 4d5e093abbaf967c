// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order of a burn, and why: firmware-images.md 5.1, 5.4.
 *
 *   check       the card and the kept image are what the plan was built from
 *   prepare     stale magics in the target go by programming zeros (a torn program leaves
 *               either the old whole image or no magic; a torn erase could leave the magic
 *               above half-erased code), then the first sector is erased
 *   write       erase, program, read back; units that already are right are skipped
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

#include "bootable.h"
#include "device.h"
#include "plan.h"
#include "sha256.h"

#define PIECE		4096	/* bytes read at a time, and of a kept image that are hashed */
#define STEADY_READS	8	/* a half-programmed bit that reads either way passes with 2^-8 */
#define SKIP_READS	3	/* as long as nothing was written there by us, a torn cell may read right once */
#define WRITE_TRIES	2

struct run {
	struct cxfw_device *device;
	const struct cxfw_plan *plan;
	struct cxfw_plan_watch *watch;
	u8 *piece;		/* PIECE bytes */
	u32 start;		/* physical address of the window's first byte */
};

struct window {
	u32 log2_chunk;
	u32 slot;
};

static u32 window_physical(const struct window *window, u32 logical)
{
	u32 chunk = 1U << window->log2_chunk;

	return (logical & (chunk - 1)) + (window->slot << window->log2_chunk) +
	       ((logical >> window->log2_chunk) << (window->log2_chunk + 1));
}

/* The inverse; false when the address is in the other slot. */
static bool window_logical(const struct window *window, u32 physical, u32 *logical)
{
	u32 chunk = physical >> window->log2_chunk;

	*logical = (chunk >> 1 << window->log2_chunk) | (physical & ((1U << window->log2_chunk) - 1));
	return (chunk & 1) == window->slot;
}

static struct window plan_window(const struct cxfw_plan *plan, u32 slot)
{
	struct window window = { .log2_chunk = plan->head.log2_chunk, .slot = slot };

	return window;
}

/* Bytes from logical to the end of its chunk, at most length. */
static u32 window_run(const struct window *window, u32 logical, u32 length)
{
	return min_t(u32, length, (1U << window->log2_chunk) - (logical & ((1U << window->log2_chunk) - 1)));
}

static int window_read(struct cxfw_device *device, const struct window *window, u32 logical, u8 *buffer,
		       u32 length)
{
	u32 part;
	int error;

	for (; length; logical += part, buffer += part, length -= part) {
		part = window_run(window, logical, length);
		error = cxfw_flash_read(device, window_physical(window, logical), buffer, part);
		if (error)
			return error;
	}
	return 0;
}

/* ---- the grammar ---- */

#define refuse(why, ...) (snprintf(why, CXFW_WHY_LENGTH, __VA_ARGS__), -EINVAL)

static int check_numbers(const struct cxfw_stage *head, char *why)
{
	u32 other;

	if (head->format != CXFW_FORMAT_FS2)
		return refuse(why, "plan: format %u is not one that this driver burns", head->format);
	if (head->flags & ~CXFW_PLAN_RECOVERY)
		return refuse(why, "plan: unknown flags %#x", head->flags & ~CXFW_PLAN_RECOVERY);
	if (head->log2_chunk < 16 || head->log2_chunk > 23)
		return refuse(why, "plan: log2_chunk is %u, expected 16 to 23", head->log2_chunk);
	if (head->target_slot > 1)
		return refuse(why, "plan: target_slot is %u, expected 0 or 1", head->target_slot);
	if (head->flash_size & (head->flash_size - 1) || head->flash_size < 2U << head->log2_chunk)
		return refuse(why, "plan: flash_size %#x does not hold two chunks of %#x", head->flash_size,
			      1U << head->log2_chunk);
	if (head->window_length > head->flash_size / 2 || head->window_length & 3)
		return refuse(why, "plan: window_length %#x is more than a slot, %#x", head->window_length,
			      head->flash_size / 2);
	if (head->image_length > head->window_length || head->image_length & 3 ||
	    head->image_length < CXFW_FS2_HEADER_BYTES)
		return refuse(why, "plan: image_length %#x does not fit the window, %#x", head->image_length,
			      head->window_length);
	other = head->target_slot ? 0 : 1U << head->log2_chunk;
	if (head->flags & CXFW_PLAN_RECOVERY)
		other = CXFW_NO_ADDRESS;
	if (head->old_address != other)
		return refuse(why, "plan: old_address is %#x, expected %#x", head->old_address, other);
	return 0;
}

static int check_segments(const struct cxfw_plan *plan, char *why)
{
	u32 expected = CXFW_MAGIC_BYTES, i;

	for (i = 0; i < plan->head.segment_count; i++) {
		const struct cxfw_segment *segment = &plan->segments[i];

		if (segment->offset != expected || !segment->length || segment->length & 3 ||
		    segment->length > plan->head.image_length - expected)
			return refuse(why, "plan: segment %u is %#x + %#x; they must follow each other from %#x",
				      i, segment->offset, segment->length, expected);
		expected += segment->length;
	}
	if (expected != plan->head.image_length)
		return refuse(why, "plan: the segments end at %#x, the image at %#x", expected,
			      plan->head.image_length);
	return 0;
}

static int check_digest(const struct cxfw_plan *plan, char *why)
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	u8 digest[32];
	int error = 0, finish;
	u32 i;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	for (i = 0; i < plan->head.segment_count && !error; i++)
		error = cxfw_sha256_update(hash, plan->image + plan->segments[i].offset,
					   plan->segments[i].length);
	finish = cxfw_sha256_finish(hash, digest);
	if (error || finish)
		return error ? error : finish;
	if (memcmp(digest, plan->head.segments_sha256, sizeof(digest)))
		return refuse(why, "plan: segments_sha256 is not that of the image");
	return 0;
}

static int memory_read(void *context, u32 offset, void *buffer, size_t length)
{
	const struct cxfw_plan *plan = context;

	memcpy(buffer, plan->image + offset, length);
	return 0;
}

static int check_image(const struct cxfw_plan *plan, char *why)
{
	struct cxfw_image_source source = {
		.read = memory_read,
		.context = (void *)plan,
		.length = plan->head.image_length,
		/* A boot ROM may mind; with no image on the flash nothing is lost. */
		.may_be_blank = plan->head.flags & CXFW_PLAN_RECOVERY,
	};
	struct window window = plan_window(plan, plan->head.target_slot);
	struct cxfw_fs2_layout layout;
	char what[CXFW_WHY_LENGTH] = "";
	u32 i, logical;
	int error;

	error = cxfw_fs2_bootable(&source, what);
	if (error == -EBADMSG)
		return refuse(why, "plan: the image would not boot: %.150s", what);
	if (error)
		return error;
	cxfw_fs2_layout(plan->image, &layout);
	if (!layout.failsafe || layout.log2_chunk != plan->head.log2_chunk ||
	    layout.image_length != plan->head.image_length)
		return refuse(why, "plan: the image's own layout is not the plan's");
	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (!window_logical(&window, cxfw_magic_places[i], &logical) || !logical ||
		    logical > plan->head.image_length - CXFW_MAGIC_BYTES)
			continue;
		if (cxfw_is_magic(plan->image + logical))
			return refuse(why, "plan: the image would put a second magic at %#x",
				      cxfw_magic_places[i]);
	}
	return 0;
}

int cxfw_plan_check(const struct cxfw_plan *plan, char *why)
{
	int error;

	error = check_numbers(&plan->head, why);
	if (!error)
		error = check_segments(plan, why);
	if (!error)
		error = check_image(plan, why);
	if (!error)
		error = check_digest(plan, why);
	return error;
}

u64 cxfw_plan_capabilities(const struct cxfw_device *device)
{
	return device->chip && device->chip->family == CXFW_FAMILY_MLX4 ? CXFW_CAP_BURN_FS2 : 0;
}

static int tell(struct run *run, enum cxfw_job_phase phase, u64 done, u64 total, bool may_stop)
{
	int error = run->watch->progress(run->watch, phase, done, total, may_stop);

	if (!error || !may_stop)
		return 0;
	return cxfw_fail(run->device, error, "stopped at a safe point; the card boots what it booted before");
}

/* ---- what stands on the flash ---- */

enum magic {
	MAGIC_NONE,
	MAGIC_UNSTEADY,
	MAGIC_STEADY,
};

static int read_magic(struct cxfw_device *device, u32 address, enum magic *magic)
{
	u8 bytes[CXFW_MAGIC_BYTES];
	int i, seen = 0, error;

	for (i = 0; i < STEADY_READS; i++) {
		error = cxfw_flash_read(device, address, bytes, sizeof(bytes));
		if (error)
			return error;
		seen += cxfw_is_magic(bytes);
	}
	*magic = seen == STEADY_READS ? MAGIC_STEADY : seen ? MAGIC_UNSTEADY : MAGIC_NONE;
	return 0;
}

/* Every one of several reads shows the bytes. */
static int reads_as(struct cxfw_device *device, u32 address, const u8 *expected, u32 length, bool *same)
{
	u8 bytes[CXFW_MAGIC_BYTES];
	int i, error;

	*same = true;
	for (i = 0; i < STEADY_READS && *same; i++) {
		error = cxfw_flash_read(device, address, bytes, length);
		if (error)
			return error;
		*same = !memcmp(bytes, expected, length);
	}
	return 0;
}

struct slot_source {
	struct run *run;
	struct window window;
	u32 length;
};

static int slot_read(void *context, u32 offset, void *buffer, size_t length)
{
	const struct slot_source *slot = context;
	int error;

	/* A whole image takes long: others have their turn, and a reboot does not wait for it. */
	error = tell(slot->run, CXFW_PHASE_CHECK, offset, slot->length, true);
	return error ? error : window_read(slot->run->device, &slot->window, offset, buffer, length);
}

/* Is a slot's image whole? A chunk size of its own, as its header says. */
static int slot_bootable(struct run *run, u32 address, bool *bootable)
{
	struct slot_source slot = { .run = run };
	struct cxfw_image_source source = { .read = slot_read, .context = &slot, .may_be_blank = true };
	u8 header[CXFW_FS2_HEADER_BYTES];
	struct cxfw_fs2_layout layout;
	char why[CXFW_WHY_LENGTH];
	u32 flash = run->device->flash.size;
	int error;

	*bootable = false;
	error = cxfw_flash_read(run->device, address, header, sizeof(header));
	if (error)
		return error;
	if (!cxfw_fs2_layout(header, &layout))
		return 0;
	/* One that is not failsafe lies in one piece: as if a single chunk held it. */
	slot.window.log2_chunk = layout.failsafe ? layout.log2_chunk : 30;
	if (!layout.failsafe && address)
		return 0;
	if (layout.failsafe) {
		if (address && address != 1U << layout.log2_chunk)
			return 0;
		slot.window.slot = address ? 1 : 0;
		flash /= 2;
	}
	source.length = flash;
	slot.length = flash;
	error = cxfw_fs2_bootable(&source, why);
	if (error == -EBADMSG)
		return 0;
	*bootable = !error;
	return error;
}

static bool is_old(const struct run *run, u32 address)
{
	return address == run->plan->head.old_address;
}

/*
 * May a magic at a search offset that is neither the target's nor the kept image's start
 * be cleared? Only where no image lies: in the part of either slot that the plan may
 * write, behind the kept image.
 */
static int check_stray(struct run *run, u32 address, u32 old_length)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct window target = plan_window(run->plan, head->target_slot);
	u32 logical;

	if (head->flags & CXFW_PLAN_RECOVERY)
		return 0;
	if (window_logical(&target, address, &logical) ? logical < head->window_length :
							 logical >= old_length && logical < head->window_length)
		return 0;
	return cxfw_fail(run->device, -EUCLEAN,
			 "a magic stands at %#x, where neither slot starts, and cannot be removed safely", address);
}

static int program_exactly(struct run *run, u32 address, const u8 *bytes, u32 length, const char *what)
{
	bool same = false;
	int i, error;

	for (i = 0; i < WRITE_TRIES && !same; i++) {
		error = cxfw_flash_program(run->device, address, bytes, length);
		if (!error)
			error = reads_as(run->device, address, bytes, length, &same);
		if (error)
			return error;
	}
	if (!same)
		return cxfw_fail(run->device, -EIO,
				 "%s at %#x does not read back: the flash does not take it (write protection, or a bad cell)",
				 what, address);
	return 0;
}

static int clear_magic(struct run *run, u32 address)
{
	static const u8 zero[4];

	return program_exactly(run, address, zero, sizeof(zero), "clearing the magic");
}

/* ---- phases ---- */

static int check_card(struct run *run)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct cxfw_device *device = run->device;
	const struct cxfw_flash *flash = &device->flash;

	if (!device->chip || device->chip->family != CXFW_FAMILY_MLX4)
		return cxfw_fail(device, -EINVAL, "a FS2 image is for ConnectX-2, 3 and 3 Pro; this is %s",
				 device->chip ? device->chip->name : "an unknown chip");
	if (device->hw_id != head->hw_id || device->hw_revision != head->hw_revision)
		return cxfw_fail(device, -ESTALE,
				 "the plan is for hardware id %#x revision %#x, the card is %#x %#x",
				 head->hw_id, head->hw_revision, device->hw_id, device->hw_revision);
	if (flash->size != head->flash_size)
		return cxfw_fail(device, -ESTALE, "the plan is for %#x bytes of flash, the card has %#x",
				 head->flash_size, flash->size);
	if (!flash->chip)
		return cxfw_fail(device, -EOPNOTSUPP,
				 "flash chip %06x is not in the table: read, never written",
				 flash->jedec);
	if (!flash->sector || flash->sector > 1U << head->log2_chunk || flash->sector < CXFW_PAGE)
		return cxfw_fail(device, -EOPNOTSUPP, "flash sectors of %u bytes do not fit chunks of %#x",
				 flash->sector, 1U << head->log2_chunk);
	if (ALIGN(head->image_length, flash->sector) > head->window_length)
		return cxfw_fail(device, -EINVAL,
				 "the image's last flash sector reaches over the window's end, %#x",
				 head->window_length);
	return 0;
}

/* The kept image is the one that the plan saw, where it says. */
static int check_old(struct run *run, u32 *length)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct cxfw_device *device = run->device;
	struct cxfw_sha256 *hash;
	struct cxfw_fs2_layout layout;
	u8 digest[32];
	int error;

	error = cxfw_flash_read(device, head->old_address, run->piece, PIECE);
	if (error)
		return error;
	if (!cxfw_fs2_layout(run->piece, &layout) || !layout.failsafe || layout.log2_chunk != head->log2_chunk ||
	    layout.image_length > head->flash_size / 2)
		return cxfw_fail(device, -ESTALE,
				 "the image at %#x is not one of chunks of %#x: it could overlap the target",
				 head->old_address, 1U << head->log2_chunk);
	*length = layout.image_length;
	hash = cxfw_sha256_start();
	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = cxfw_sha256_update(hash, run->piece, PIECE);
	if (error) {
		cxfw_sha256_finish(hash, NULL);
		return error;
	}
	error = cxfw_sha256_finish(hash, digest);
	if (!error && memcmp(digest, head->old_sha256, sizeof(digest)))
		return cxfw_fail(device, -ESTALE,
				 "the image at %#x changed since the plan was made",
				 head->old_address);
	return error;
}

static int check_kept(struct run *run, const enum magic *magic, u32 *old_length)
{
	const struct cxfw_stage *head = &run->plan->head;
	bool others = false, bootable;
	int i, error;

	if (head->flags & CXFW_PLAN_RECOVERY) {
		if (!run->device->recovery)
			return cxfw_fail(run->device, -EINVAL, "a recovery plan, but the card runs firmware");
		for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
			if (magic[i] == MAGIC_NONE)
				continue;
			error = slot_bootable(run, cxfw_magic_places[i], &bootable);
			if (error)
				return error;
			if (bootable)
				return cxfw_fail(run->device, -EINVAL,
						 "a recovery plan, but a whole image is at %#x",
						 cxfw_magic_places[i]);
		}
		return 0;
	}
	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (is_old(run, cxfw_magic_places[i]) && magic[i] != MAGIC_STEADY)
			return cxfw_fail(run->device, -ESTALE,
					 "no steady magic at %#x, where the image to keep should be",
					 head->old_address);
		others |= !is_old(run, cxfw_magic_places[i]) && magic[i] != MAGIC_NONE;
	}
	error = check_old(run, old_length);
	if (error || !others)
		return error;
	error = slot_bootable(run, head->old_address, &bootable);
	if (!error && !bootable)
		return cxfw_fail(run->device, -EINVAL,
				 "the image at %#x, which the plan would keep, is damaged and another magic exists",
				 head->old_address);
	return error;
}

/* Magics that would win over the new image or stand above half-written code go first. */
static int clear_strays(struct run *run, const enum magic *magic, u32 old_length)
{
	int i, error;

	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		u32 address = cxfw_magic_places[i];

		if (magic[i] == MAGIC_NONE || is_old(run, address) || address == run->start)
			continue;
		error = check_stray(run, address, old_length);
		if (error)
			return error;
	}
	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (magic[i] == MAGIC_NONE || is_old(run, cxfw_magic_places[i]))
			continue;
		error = clear_magic(run, cxfw_magic_places[i]);
		if (error)
			return error;
	}
	return 0;
}

static int phase_check(struct run *run, enum magic *magic, u32 *old_length)
{
	int i, error;

	error = tell(run, CXFW_PHASE_CHECK, 0, 0, true);
	if (!error)
		error = check_card(run);
	for (i = 0; i < CXFW_MAGIC_PLACES && !error; i++) {
		magic[i] = MAGIC_NONE;
		if (cxfw_magic_places[i] < run->device->flash.size)
			error = read_magic(run->device, cxfw_magic_places[i], &magic[i]);
	}
	return error ? error : check_kept(run, magic, old_length);
}

static int phase_prepare(struct run *run, const enum magic *magic, u32 old_length)
{
	u8 erased[CXFW_MAGIC_BYTES];
	bool same;
	int error;

	error = tell(run, CXFW_PHASE_PREPARE, 0, 0, true);
	if (!error)
		error = clear_strays(run, magic, old_length);
	if (error)
		return error;
	memset(erased, 0xff, sizeof(erased));
	error = reads_as(run->device, run->start, erased, sizeof(erased), &same);
	if (error || same)
		return error;
	error = cxfw_flash_erase(run->device, run->start, run->device->flash.sector);
	if (!error)
		error = reads_as(run->device, run->start, erased, sizeof(erased), &same);
	if (!error && !same)
		return cxfw_fail(run->device, -EIO,
				 "the sector at %#x does not erase: write protection, or a bad cell",
				 run->start);
	return error;
}

/* What the flash shall hold at a window offset before the commit: the magic still erased. */
static u8 wanted(const struct run *run, u32 logical)
{
	return logical < CXFW_MAGIC_BYTES ? 0xff : run->plan->image[logical];
}

/*
 * Compares [logical, end) of the image with the flash. *at is where they differ first, or
 * end; *found what the flash holds there.
 */
static int compare(struct run *run, u32 logical, u32 end, u32 *at, u8 *found)
{
	struct window window = plan_window(run->plan, run->plan->head.target_slot);
	u32 part, i;
	int error;

	for (*at = end; logical < end; logical += part) {
		part = min_t(u32, PIECE, end - logical);
		error = window_read(run->device, &window, logical, run->piece, part);
		if (error)
			return error;
		for (i = 0; i < part; i++) {
			if (run->piece[i] == wanted(run, logical + i))
				continue;
			*at = logical + i;
			*found = run->piece[i];
			return 0;
		}
	}
	return 0;
}

/* The largest erase unit that starts here and lies in the window's own bytes. */
static u32 erase_unit(const struct run *run, u32 logical)
{
	const struct cxfw_flash *flash = &run->device->flash;
	const struct cxfw_stage *head = &run->plan->head;

	if (flash->block > flash->sector && flash->block <= 1U << head->log2_chunk &&
	    !(logical & (flash->block - 1)) && logical + flash->block <= head->window_length &&
	    head->image_length - logical > flash->block / 2)
		return flash->block;
	return flash->sector;
}

static int program_unit(struct run *run, u32 logical, u32 end)
{
	struct window window = plan_window(run->plan, run->plan->head.target_slot);

	logical = max_t(u32, logical, CXFW_MAGIC_BYTES);
	return cxfw_flash_program(run->device, window_physical(&window, logical), run->plan->image + logical,
				  end - logical);
}

static int write_unit(struct run *run, u32 logical, u32 unit)
{
	struct window window = plan_window(run->plan, run->plan->head.target_slot);
	u32 end = min_t(u32, logical + unit, run->plan->head.image_length), at;
	u8 found;
	int i, error;

	at = end;
	for (i = 0; i < SKIP_READS && at == end; i++) {
		error = compare(run, logical, end, &at, &found);
		if (error)
			return error;
	}
	if (at == end) {
		run->watch->skipped += end - logical;
		return 0;
	}
	for (i = 0; i < WRITE_TRIES && at != end; i++) {
		error = cxfw_flash_erase(run->device, window_physical(&window, logical), unit);
		if (!error)
			error = program_unit(run, logical, end);
		if (!error)
			error = compare(run, logical, end, &at, &found);
		if (error)
			return error;
	}
	if (at != end)
		return cxfw_fail(run->device, -EIO,
				 "flash at %#x holds %02x after writing, expected %02x: write protection, or a bad cell",
				 window_physical(&window, at), found, wanted(run, at));
	return 0;
}

static int phase_write(struct run *run)
{
	u32 length = run->plan->head.image_length, logical, unit;
	int error;

	for (logical = 0; logical < length; logical += unit) {
		error = tell(run, CXFW_PHASE_WRITE, logical, length, true);
		if (!error)
			error = cxfw_flash_check_lock(run->device);
		if (error)
			return error;
		unit = erase_unit(run, logical);
		error = write_unit(run, logical, unit);
		if (error)
			return error;
	}
	return tell(run, CXFW_PHASE_WRITE, length, length, true);
}

static int hash_window(struct run *run, struct cxfw_sha256 *hash)
{
	struct window window = plan_window(run->plan, run->plan->head.target_slot);
	u32 i, at, end, part;
	int error;

	for (i = 0; i < run->plan->head.segment_count; i++) {
		end = run->plan->segments[i].offset + run->plan->segments[i].length;
		for (at = run->plan->segments[i].offset; at < end; at += part) {
			part = min_t(u32, PIECE, end - at);
			error = tell(run, CXFW_PHASE_VERIFY, at, run->plan->head.image_length, true);
			if (!error)
				error = window_read(run->device, &window, at, run->piece, part);
			if (!error)
				error = cxfw_sha256_update(hash, run->piece, part);
			if (error)
				return error;
		}
	}
	return tell(run, CXFW_PHASE_VERIFY, run->plan->head.image_length, run->plan->head.image_length, true);
}

static int phase_verify(struct run *run)
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	u8 digest[32];
	int error, finish;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = hash_window(run, hash);
	finish = cxfw_sha256_finish(hash, digest);
	if (error || finish)
		return error ? error : finish;
	if (memcmp(digest, run->plan->head.segments_sha256, sizeof(digest)))
		return cxfw_fail(run->device, -EIO, "the window does not read back as written; the old image stays");
	return 0;
}

/* Nothing between verify and here may have touched the kept image. */
static int still_kept(struct run *run)
{
	enum magic magic;
	int error;

	if (run->plan->head.flags & CXFW_PLAN_RECOVERY)
		return 0;
	error = read_magic(run->device, run->plan->head.old_address, &magic);
	if (!error && magic != MAGIC_STEADY)
		return cxfw_fail(run->device, -ESTALE, "somebody else removed the magic at %#x meanwhile",
				 run->plan->head.old_address);
	return error;
}

static int phase_commit(struct run *run)
{
	const struct cxfw_chip *chip = run->device->chip;
	int error;

	error = tell(run, CXFW_PHASE_COMMIT, 0, CXFW_MAGIC_BYTES, true);
	/* Without the lock somebody else may have written over what was verified. */
	if (!error)
		error = cxfw_flash_check_lock(run->device);
	if (!error)
		error = still_kept(run);
	if (error)
		return error;
	error = program_exactly(run, run->start, run->plan->image, CXFW_MAGIC_BYTES, "the magic");
	if (error)
		return error;
	/* For a reset that is no power cycle; without it the power cycle finds the image by itself. */
	if (chip->boot_address)
		cxfw_cr_write(run->device, chip->boot_address, run->start << chip->boot_shift);
	tell(run, CXFW_PHASE_COMMIT, CXFW_MAGIC_BYTES, CXFW_MAGIC_BYTES, false);
	return 0;
}

static int phase_invalidate(struct run *run)
{
	char cause[CXFW_WHY_LENGTH] = "";
	int error = 0;

	tell(run, CXFW_PHASE_INVALIDATE, 0, 4, false);
	if (!(run->plan->head.flags & CXFW_PLAN_RECOVERY))
		error = cxfw_flash_check_lock(run->device);
	if (!error && !(run->plan->head.flags & CXFW_PLAN_RECOVERY))
		error = clear_magic(run, run->plan->head.old_address);
	/* Telling lets others in, whose failures overwrite this one. */
	if (error)
		memcpy(cause, run->device->why, sizeof(cause));
	tell(run, CXFW_PHASE_INVALIDATE, 4, 4, false);
	if (!error)
		return 0;
	return cxfw_fail(run->device, error,
			 "the new image is whole and committed; the old one at %#x is not cleared, so either may boot: %.80s",
			 run->plan->head.old_address, cause);
}

static int run_locked(struct run *run)
{
	enum magic magic[CXFW_MAGIC_PLACES];
	u32 old_length = 0;
	int error;

	error = phase_check(run, magic, &old_length);
	if (!error)
		error = phase_prepare(run, magic, old_length);
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

int cxfw_plan_run(struct cxfw_device *device, const struct cxfw_plan *plan, struct cxfw_plan_watch *watch)
{
	struct window window = plan_window(plan, plan->head.target_slot);
	struct run run = {
		.device = device,
		.plan = plan,
		.watch = watch,
		.start = window_physical(&window, 0),
	};
	int error;

	device->why[0] = '\0';
	run.piece = kmalloc(PIECE, GFP_KERNEL);
	if (!run.piece)
		return cxfw_fail(device, -ENOMEM, "no memory for a buffer");
	error = cxfw_flash_probe(device);
	if (!error)
		error = cxfw_flash_lock(device);
	if (error)
		goto out;
	error = run_locked(&run);
	cxfw_flash_unlock(device);
out:
	kfree(run.piece);
	return error;
}
