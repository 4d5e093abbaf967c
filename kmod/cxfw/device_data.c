// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans of device data: identity, VPD, NV configuration. Sectors outside every image that
 * may boot, in the plan's order. What exists twice (DEV_INFO of FS4 and FS5) is never
 * without a valid copy; what exists once is not failsafe, and a plan that was cut is run
 * again. firmware-images.md 3.7, 4.4.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "bootable_walk.h"
#include "flash_chips.h"
#include "plan_private.h"
#include "sha256.h"

#define COPIES_MAX		8
#define SIGNATURE_BYTES		16

#define refuse(why, ...) cxfw_plan_refuse(why, __VA_ARGS__)

static const u8 dev_info_signature[SIGNATURE_BYTES] = {
	0x6d, 0x44, 0x65, 0x76, 0x49, 0x6e, 0x66, 0x6f, 0x23, 0x42, 0xca, 0xfa, 0xba, 0xca, 0xfe, 0x00,
};

/* ---- the grammar ---- */

static int check_numbers(const struct cxfw_stage *head, char *why)
{
	if (!cxfw_format_find(head->format))
		return refuse(why, "plan: format %u is not one that this driver knows", head->format);
	if (head->flags & ~(CXFW_PLAN_DEVICE_DATA | CXFW_PLAN_RECOVERY))
		return refuse(why, "plan: flags %#x do not go with device data",
			      head->flags & ~CXFW_PLAN_DEVICE_DATA);
	if (head->old_address || head->target_slot || head->log2_chunk || head->component ||
	    memchr_inv(head->old_sha256, 0, sizeof(head->old_sha256)))
		return refuse(why, "plan: device data has no slot and no image to keep");
	if (!head->flash_size || head->flash_size & (head->flash_size - 1))
		return refuse(why, "plan: flash_size is %#x", head->flash_size);
	if (!head->image_length || head->window_length != head->image_length ||
	    (head->image_length | head->target_address) % CXFW_SECTOR_4K)
		return refuse(why, "plan: device data at %#x + %#x is not whole sectors", head->target_address,
			      head->image_length);
	if (head->target_address > head->flash_size ||
	    head->image_length > head->flash_size - head->target_address)
		return refuse(why, "plan: device data at %#x + %#x leaves the flash", head->target_address,
			      head->image_length);
	return 0;
}

static bool overlap(const struct cxfw_segment *a, const struct cxfw_segment *b)
{
	return a->offset < b->offset + b->length && b->offset < a->offset + a->length;
}

static int check_segment(const struct cxfw_plan *plan, u32 number, char *why)
{
	const struct cxfw_segment *segment = &plan->segments[number];
	u32 address, i;

	if (!segment->length || (segment->offset | segment->length) % CXFW_SECTOR_4K ||
	    segment->offset > plan->head.image_length ||
	    segment->length > plan->head.image_length - segment->offset)
		return refuse(why, "plan: segment %u is %#x + %#x; it must be whole sectors of the data", number,
			      segment->offset, segment->length);
	for (i = 0; i < number; i++)
		if (overlap(&plan->segments[i], segment))
			return refuse(why, "plan: segments %u and %u overlap", i, number);
	address = plan->head.target_address + segment->offset;
	/* Boot code looks there for an image, and no device data ever lies there. */
	for (i = 0; i < CXFW_MAGIC_PLACES; i++)
		if (cxfw_magic_places[i] >= address && cxfw_magic_places[i] - address < segment->length)
			return refuse(why, "plan: device data at %#x, where a boot ROM looks for an image",
				      cxfw_magic_places[i]);
	return 0;
}

int cxfw_device_data_check(const struct cxfw_plan *plan, char *why)
{
	int error = check_numbers(&plan->head, why);
	u32 i;

	if (!error && !plan->head.segment_count)
		error = refuse(why, "plan: there is no segment");
	for (i = 0; i < plan->head.segment_count && !error; i++)
		error = check_segment(plan, i, why);
	return error ? error : cxfw_plan_check_digest(plan, why);
}

/* ---- outside of images ---- */

/* Of an image that does not tell how long it is: no further than where device data begins. */
static void bound_length(const struct cxfw_run *run, struct cxfw_found *image)
{
	const struct cxfw_device_map *map = run->map;
	unsigned int i;

	if (image->layout.length_known)
		return;
	for (i = 0; i < map->count; i++)
		if (map->entries[i].address > image->address &&
		    map->entries[i].address - image->address < image->layout.image_length)
			image->layout.image_length = map->entries[i].address - image->address;
}

static int check_outside(struct cxfw_run *run, const struct cxfw_found *image, u32 magic)
{
	const struct cxfw_plan *plan = run->plan;
	u32 sector = run->device->flash.sector, i, at;

	for (i = 0; i < plan->head.segment_count; i++)
		for (at = 0; at < plan->segments[i].length; at += sector) {
			u32 address = plan->head.target_address + plan->segments[i].offset + at;

			if (cxfw_plan_covers(run, image, address))
				return cxfw_fail(run->device, -EINVAL,
						 "device data at %#x would lie in the image at %#x", address, magic);
		}
	return 0;
}

static int check_images(struct cxfw_run *run)
{
	bool found, any = false;
	struct cxfw_found image;
	int i, error;

	error = cxfw_plan_read_magics(run);
	for (i = 0; i < CXFW_MAGIC_PLACES && !error; i++) {
		if (run->magic[i] == CXFW_MAGIC_NONE)
			continue;
		error = cxfw_plan_look(run, cxfw_magic_places[i], &image, &found);
		if (error || !found)
			continue;
		any = true;
		bound_length(run, &image);
		error = check_outside(run, &image, cxfw_magic_places[i]);
	}
	if (!error && !any && !run->device->recovery)
		return cxfw_fail(run->device, -EUCLEAN,
				 "the card runs firmware, but no image on its flash tells where it lies");
	return error;
}

static int check_sectors(struct cxfw_run *run)
{
	const struct cxfw_plan *plan = run->plan;
	u32 sector = run->device->flash.sector, i;

	for (i = 0; i < plan->head.segment_count; i++)
		if ((plan->head.target_address + plan->segments[i].offset) % sector ||
		    plan->segments[i].length % sector)
			return cxfw_fail(run->device, -EINVAL, "segment %u is not whole flash sectors of %#x bytes", i,
					 sector);
	return 0;
}

/* ---- copies of DEV_INFO ---- */

struct copies {
	unsigned int count;
	const struct cxfw_device_entry *entry[COPIES_MAX];
	bool valid[COPIES_MAX];
};

/* The flash as it is, or as it is going to be where the plan writes. */
struct future {
	struct cxfw_run *run;
	bool written;
};

static int future_read(void *context, u32 offset, void *buffer, size_t length)
{
	const struct future *future = context;
	const struct cxfw_stage *head = &future->run->plan->head;

	if (!future->written)
		return cxfw_flash_read(future->run->device, offset, buffer, length);
	if (offset < head->target_address || offset - head->target_address > head->image_length ||
	    length > head->image_length - (offset - head->target_address))
		return -EBADMSG;
	memcpy(buffer, future->run->plan->image + (offset - head->target_address), length);
	return 0;
}

static int is_valid(struct cxfw_run *run, const struct cxfw_device_entry *entry, bool written, bool *valid)
{
	struct future future = { .run = run, .written = written };
	struct cxfw_image_source flash = {
		.read = future_read, .context = &future, .length = run->device->flash.size,
	};
	struct cxfw_toc_entry section = {
		.type = entry->type, .address = entry->address, .size = entry->size,
		.crc_mode = entry->crc_mode, .crc = entry->crc,
	};
	u8 signature[SIGNATURE_BYTES];
	char why[CXFW_WHY_LENGTH];
	struct cxfw_walk walk;
	int error = cxfw_walk_start(&walk, &flash, why);

	if (!error)
		error = cxfw_walk_read(&walk, entry->address, signature, sizeof(signature));
	if (!error && memcmp(signature, dev_info_signature, sizeof(signature)))
		error = -EBADMSG;
	if (!error)
		error = cxfw_toc_check_section(&walk, &section);
	cxfw_walk_end(&walk);
	*valid = !error;
	return error == -EBADMSG ? 0 : error;
}

static int find_copies(struct cxfw_run *run, struct copies *copies)
{
	const struct cxfw_device_map *map = run->map;
	unsigned int i;
	int error = 0;

	copies->count = 0;
	for (i = 0; i < map->count && copies->count < COPIES_MAX && !error; i++) {
		if (map->entries[i].type != CXFW_TYPE_DEV_INFO)
			continue;
		copies->entry[copies->count] = &map->entries[i];
		error = is_valid(run, &map->entries[i], false, &copies->valid[copies->count]);
		copies->count++;
	}
	return error;
}

static bool in_sector(const struct cxfw_device_entry *entry, u32 address, u32 sector)
{
	return entry->address >= address && entry->address - address < sector;
}

static bool stands_elsewhere(const struct copies *copies, u32 address, u32 sector)
{
	unsigned int i;

	for (i = 0; i < copies->count; i++)
		if (copies->valid[i] && !in_sector(copies->entry[i], address, sector))
			return true;
	return false;
}

/* One sector of the plan, as if it had been written. */
static int pretend(struct cxfw_run *run, struct copies *copies, const struct cxfw_target *target)
{
	u32 sector = run->device->flash.sector;
	bool right, valid = false, holds = false;
	unsigned int i;
	int error;

	for (i = 0; i < copies->count; i++) {
		if (!in_sector(copies->entry[i], target->address, sector))
			continue;
		holds = true;
		valid |= copies->valid[i];
	}
	if (!holds)
		return 0;
	error = cxfw_plan_is_right(run, target, &right);
	if (error || right)
		return error;
	if (valid && copies->count > 1 && !stands_elsewhere(copies, target->address, sector))
		return cxfw_fail(run->device, -EINVAL,
				 "the sector at %#x holds the only valid DEV_INFO: the other copy must be written before it",
				 target->address);
	for (i = 0; i < copies->count && !error; i++)
		if (in_sector(copies->entry[i], target->address, sector))
			error = is_valid(run, copies->entry[i], true, &copies->valid[i]);
	return error;
}

/* Calls for every sector of the plan, in its order. */
static int each_sector(struct cxfw_run *run, struct copies *copies,
		       int (*call)(struct cxfw_run *run, struct copies *copies, const struct cxfw_target *target))
{
	const struct cxfw_plan *plan = run->plan;
	u32 sector = run->device->flash.sector, i, at;
	int error;

	for (i = 0; i < plan->head.segment_count; i++)
		for (at = plan->segments[i].offset; at < plan->segments[i].offset + plan->segments[i].length;
		     at += sector) {
			struct cxfw_target target = {
				.address = plan->head.target_address + at,
				.bytes = plan->image + at,
				.length = sector,
			};

			error = call(run, copies, &target);
			if (error)
				return error;
		}
	return 0;
}

/* ---- phases ---- */

static int phase_check(struct cxfw_run *run)
{
	struct copies copies;
	int error = cxfw_plan_tell(run, CXFW_PHASE_CHECK, 0, 0, true);

	if (!error)
		error = cxfw_plan_check_card(run);
	if (!error)
		error = check_sectors(run);
	if (!error && run->format->number >= CXFW_FORMAT_FS4)
		error = cxfw_device_map_read(run, NULL, 0);
	if (!error)
		error = check_images(run);
	if (!error)
		error = find_copies(run, &copies);
	return error ? error : each_sector(run, &copies, pretend);
}

static int write_sector(struct cxfw_run *run, struct copies *copies, const struct cxfw_target *target)
{
	int error = cxfw_plan_tell(run, CXFW_PHASE_WRITE, target->bytes - run->plan->image,
				   run->plan->head.image_length, true);

	if (!error)
		error = cxfw_flash_check_lock(run->device);
	return error ? error : cxfw_plan_write_unit(run, target, target->length);
}

static int hash_data(struct cxfw_run *run, struct cxfw_sha256 *hash)
{
	const struct cxfw_plan *plan = run->plan;
	u32 i, at, part;
	int error = 0;

	for (i = 0; i < plan->head.segment_count; i++)
		for (at = 0; at < plan->segments[i].length && !error; at += part) {
			u32 offset = plan->segments[i].offset + at;

			part = min_t(u32, CXFW_PLAN_PIECE, plan->segments[i].length - at);
			error = cxfw_plan_tell(run, CXFW_PHASE_VERIFY, offset, plan->head.image_length, true);
			if (!error)
				error = cxfw_flash_read(run->device, plan->head.target_address + offset, run->piece,
							part);
			if (!error)
				error = cxfw_sha256_update(hash, run->piece, part);
		}
	return error;
}

static int phase_verify(struct cxfw_run *run)
{
	return cxfw_plan_verify(run, hash_data, "the device data does not read back as written");
}

int cxfw_device_data_run(struct cxfw_run *run)
{
	int error = phase_check(run);

	if (!error)
		error = each_sector(run, NULL, write_sector);
	return error ? error : phase_verify(run);
}
