// SPDX-License-Identifier: GPL-2.0-only
/* What a plan was built from: the card, the image that it keeps, and everything else that may boot. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "plan_private.h"
#include "sha256.h"

#define CONTIGUOUS	30	/* log2 of a chunk that holds any image */

u32 cxfw_window_physical(const struct cxfw_window *window, u32 logical)
{
	u32 chunk = 1U << window->log2_chunk;

	return (logical & (chunk - 1)) + (window->slot << window->log2_chunk) +
	       ((logical >> window->log2_chunk) << (window->log2_chunk + 1));
}

bool cxfw_window_logical(const struct cxfw_window *window, u32 physical, u32 *logical)
{
	u32 chunk = physical >> window->log2_chunk;

	*logical = (chunk >> 1 << window->log2_chunk) | (physical & ((1U << window->log2_chunk) - 1));
	return (chunk & 1) == window->slot;
}

/* ---- an image on the flash ---- */

struct flash_source {
	struct cxfw_run *run;
	const struct cxfw_found *image;
	u32 length;
};

static int flash_read(void *context, u32 offset, void *buffer, size_t length)
{
	const struct flash_source *source = context;
	const struct cxfw_window *window = &source->image->window;
	u8 *to = buffer;
	u32 part;
	int error;

	/* A whole image takes long: others have their turn, and a reboot does not wait for it. */
	error = cxfw_plan_tell(source->run, CXFW_PHASE_CHECK, offset, source->length, true);
	for (; length && !error; offset += part, to += part, length -= part) {
		part = min_t(u32, length, (1U << window->log2_chunk) - (offset & ((1U << window->log2_chunk) - 1)));
		error = cxfw_flash_read(source->run->device,
					source->image->address + cxfw_window_physical(window, offset), to, part);
	}
	return error;
}

/* Bytes that an image at an address may have at most. */
static u32 room(const struct cxfw_run *run, const struct cxfw_found *image)
{
	u32 size = run->device->flash.size;

	return image->window.log2_chunk == CONTIGUOUS ? size - image->address : size / 2;
}

static struct cxfw_image_source source_of(struct flash_source *flash)
{
	struct cxfw_image_source source = {
		.read = flash_read, .context = flash, .length = flash->length, .may_be_blank = true,
	};

	return source;
}

/* Can an image with such slots start there? */
static bool starts_there(const struct cxfw_format *format, const struct cxfw_image_layout *layout, u32 address)
{
	if (!address || address == 1U << layout->log2_chunk)
		return true;
	/* An exception of FS3: firmware-images.md 1.6. */
	return format->number == CXFW_FORMAT_FS3 && layout->log2_chunk == 0x16 && address == 0x800000;
}

static int walk_found(struct cxfw_run *run, const struct cxfw_found *image, bool whole,
		      struct cxfw_image_layout *layout)
{
	struct flash_source flash = { .run = run, .image = image, .length = room(run, image) };
	struct cxfw_image_source source = source_of(&flash);
	char why[CXFW_WHY_LENGTH];

	return run->format->walk(&source, whole, layout, why);
}

int cxfw_plan_look(struct cxfw_run *run, u32 address, struct cxfw_found *image, bool *found)
{
	struct cxfw_image_layout *layout = &image->layout;
	u8 header[CXFW_HEADER_BYTES];
	int error;

	memset(image, 0, sizeof(*image));
	*found = false;
	error = cxfw_flash_read(run->device, address, header, sizeof(header));
	if (error || cxfw_format_of(header) != run->format)
		return error;
	image->address = address;
	image->window.log2_chunk = CONTIGUOUS;
	error = walk_found(run, image, false, layout);
	if (error)
		return error == -EBADMSG ? 0 : error;
	if (!layout->failsafe ? address != 0 : !starts_there(run->format, layout, address))
		return 0;
	/* Where chunks alternate, its place is told by slot and chunk size. */
	if (run->format->striped && layout->failsafe) {
		image->window.log2_chunk = layout->log2_chunk;
		image->window.slot = address ? 1 : 0;
		image->address = 0;
	}
	*found = layout->image_length <= room(run, image);
	return 0;
}

static int whole(struct cxfw_run *run, const struct cxfw_found *image, bool *is_whole)
{
	struct cxfw_image_layout layout;
	int error = walk_found(run, image, true, &layout);

	*is_whole = !error;
	return error == -EBADMSG ? 0 : error;
}

int cxfw_plan_is_whole(struct cxfw_run *run, u32 address, bool *is_whole)
{
	struct cxfw_found image;
	int error = cxfw_plan_look(run, address, &image, is_whole);

	return error || !*is_whole ? error : whole(run, &image, is_whole);
}

bool cxfw_plan_covers(const struct cxfw_run *run, const struct cxfw_found *image, u32 address)
{
	u32 logical;

	if (address < image->address)
		return false;
	return cxfw_window_logical(&image->window, address - image->address, &logical) &&
	       logical < image->layout.image_length;
}

/* ---- the card ---- */

int cxfw_plan_check_card(struct cxfw_run *run)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct cxfw_device *device = run->device;
	const struct cxfw_flash *flash = &device->flash;

	if (!device->chip || device->chip->format != head->format)
		return cxfw_fail(device, -EINVAL, "a %s image is not for this card, which is %s", run->format->name,
				 device->chip ? device->chip->name : "of an unknown chip");
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
	return 0;
}

static int check_sectors(struct cxfw_run *run)
{
	const struct cxfw_stage *head = &run->plan->head;
	const struct cxfw_flash *flash = &run->device->flash;

	if (!flash->sector || flash->sector > 1U << head->log2_chunk || flash->sector < CXFW_PAGE)
		return cxfw_fail(run->device, -EOPNOTSUPP, "flash sectors of %u bytes do not fit chunks of %#x",
				 flash->sector, 1U << head->log2_chunk);
	if (ALIGN(head->image_length, flash->sector) > head->window_length)
		return cxfw_fail(run->device, -EINVAL,
				 "the image's last flash sector reaches over the window's end, %#x",
				 head->window_length);
	return 0;
}

/* ---- the image that is kept ---- */

static int check_digest(struct cxfw_run *run)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct cxfw_sha256 *hash;
	u8 digest[32];
	int error, finish;

	error = cxfw_flash_read(run->device, head->old_address, run->piece, CXFW_PLAN_PIECE);
	if (error)
		return error;
	hash = cxfw_sha256_start();
	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = cxfw_sha256_update(hash, run->piece, CXFW_PLAN_PIECE);
	finish = cxfw_sha256_finish(hash, digest);
	if (error || finish)
		return error ? error : finish;
	if (memcmp(digest, head->old_sha256, sizeof(digest)))
		return cxfw_fail(run->device, -ESTALE, "the image at %#x changed since the plan was made",
				 head->old_address);
	return 0;
}

/* Neither may reach into the other. */
static bool apart(const struct cxfw_run *run, const struct cxfw_found *old)
{
	const struct cxfw_stage *head = &run->plan->head;

	if (run->format->striped)
		return old->layout.log2_chunk == head->log2_chunk &&
		       old->layout.image_length <= head->flash_size / 2;
	return run->start + head->window_length <= old->address ||
	       old->address + old->layout.image_length <= run->start;
}

static int check_old(struct cxfw_run *run, struct cxfw_found *old)
{
	const struct cxfw_stage *head = &run->plan->head;
	bool found;
	int error = cxfw_plan_look(run, head->old_address, old, &found);

	if (error)
		return error;
	if (!found || !old->layout.failsafe || !apart(run, old))
		return cxfw_fail(run->device, -ESTALE,
				 "the image at %#x is not one of chunks of %#x: it could overlap the target",
				 head->old_address, 1U << head->log2_chunk);
	run->old_length = old->layout.image_length;
	return check_digest(run);
}

static bool is_old(const struct cxfw_run *run, u32 address)
{
	return address == run->plan->head.old_address;
}

static int check_recovery(struct cxfw_run *run)
{
	bool is_whole;
	int i, error;

	if (!run->device->recovery)
		return cxfw_fail(run->device, -EINVAL, "a recovery plan, but the card runs firmware");
	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (run->magic[i] == CXFW_MAGIC_NONE)
			continue;
		error = cxfw_plan_is_whole(run, cxfw_magic_places[i], &is_whole);
		if (error)
			return error;
		if (is_whole)
			return cxfw_fail(run->device, -EINVAL, "a recovery plan, but a whole image is at %#x",
					 cxfw_magic_places[i]);
	}
	return 0;
}

/* Steady, as the plan saw it, and whole when another magic could win over it. */
static int check_steady(struct cxfw_run *run, struct cxfw_found *old)
{
	bool others = false, is_whole = true;
	int i, error;

	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (is_old(run, cxfw_magic_places[i]) && run->magic[i] != CXFW_MAGIC_STEADY)
			return cxfw_fail(run->device, -ESTALE,
					 "no steady magic at %#x, where the image to keep should be",
					 run->plan->head.old_address);
		others |= !is_old(run, cxfw_magic_places[i]) && run->magic[i] != CXFW_MAGIC_NONE;
	}
	error = check_old(run, old);
	if (!error && others)
		error = whole(run, old, &is_whole);
	if (!error && !is_whole)
		return cxfw_fail(run->device, -EINVAL,
				 "the image at %#x, which the plan would keep, is damaged and another magic exists",
				 run->plan->head.old_address);
	return error;
}

/* ---- device data ---- */

static int check_device_data(struct cxfw_run *run, const struct cxfw_found *old)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct flash_source flash = { .run = run, .image = old };
	struct cxfw_image_source source;
	u32 found;
	int error;

	if (run->format->striped)
		return 0;
	if (old)
		flash.length = room(run, old);
	source = source_of(&flash);
	error = cxfw_device_map_read(run, old ? &source : NULL, old ? old->layout.info : 0);
	if (error)
		return error;
	if (!cxfw_device_map_free(run, run->start, run->start + head->window_length, &found))
		return cxfw_fail(run->device, -EINVAL,
				 run->map->known ? "the window, %#x + %#x, reaches over device data at %#x" :
				 "the window, %#x + %#x, reaches over %#x, where device data may lie: what should tell it is missing or damaged",
				 run->start, head->window_length, found);
	return cxfw_device_map_check_image(run, old ? &source : NULL);
}

int cxfw_plan_read_magics(struct cxfw_run *run)
{
	int i, error = 0;

	for (i = 0; i < CXFW_MAGIC_PLACES && !error; i++) {
		run->magic[i] = CXFW_MAGIC_NONE;
		if (cxfw_magic_places[i] < run->device->flash.size)
			error = cxfw_plan_read_magic(run->device, cxfw_magic_places[i], &run->magic[i]);
	}
	return error;
}

int cxfw_plan_check_kept(struct cxfw_run *run)
{
	bool recovery = run->plan->head.flags & CXFW_PLAN_RECOVERY;
	struct cxfw_found old;
	int error = check_sectors(run);

	if (!error)
		error = cxfw_plan_read_magics(run);
	if (!error)
		error = recovery ? check_recovery(run) : check_steady(run, &old);
	return error ? error : check_device_data(run, recovery ? NULL : &old);
}

/* ---- stray magics ---- */

/*
 * May a magic at a search offset that is neither the target's nor the kept image's start
 * be cleared? Only where no image and no device data lies: in the part of either slot that
 * the plan may write, behind the kept image.
 */
static bool may_clear(const struct cxfw_run *run, u32 address)
{
	const struct cxfw_stage *head = &run->plan->head;
	u32 logical, found;
	bool target = cxfw_window_logical(&run->window, address, &logical);

	if (!run->format->striped && !cxfw_device_map_free(run, address, address + CXFW_MAGIC_BYTES, &found))
		return false;
	if (head->flags & CXFW_PLAN_RECOVERY)
		return true;
	if (run->format->striped)
		return logical < head->window_length && (target || logical >= run->old_length);
	return address < head->old_address || address >= head->old_address + run->old_length;
}

int cxfw_plan_clear_strays(struct cxfw_run *run)
{
	int i, error;

	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		u32 address = cxfw_magic_places[i];

		if (run->magic[i] == CXFW_MAGIC_NONE || is_old(run, address) || address == run->start ||
		    may_clear(run, address))
			continue;
		return cxfw_fail(run->device, -EUCLEAN,
				 "a magic stands at %#x, where neither slot starts, and cannot be removed safely",
				 address);
	}
	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (run->magic[i] == CXFW_MAGIC_NONE || is_old(run, cxfw_magic_places[i]))
			continue;
		error = cxfw_plan_clear_magic(run, cxfw_magic_places[i]);
		if (error)
			return error;
	}
	return 0;
}
