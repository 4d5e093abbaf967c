// SPDX-License-Identifier: GPL-2.0-only
/* Where device data lies, and what of it images rely on: firmware-images.md 3.7, 4.4. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "bootable_walk.h"
#include "plan_private.h"

static int flash_read(void *context, u32 offset, void *buffer, size_t length)
{
	struct cxfw_run *run = context;

	return cxfw_flash_read(run->device, offset, buffer, length);
}

static struct cxfw_image_source whole_flash(struct cxfw_run *run)
{
	struct cxfw_image_source source = {
		.read = flash_read, .context = run, .length = run->device->flash.size,
	};

	return source;
}

static int add_entry(void *context, const struct cxfw_device_entry *entry)
{
	struct cxfw_device_map *map = context;

	if (map->count == CXFW_DEVICE_ENTRIES)
		return -EBADMSG;
	map->entries[map->count++] = *entry;
	return 0;
}

/* One that is damaged hides where the rest is; one that is not there tells nothing. */
static int read_table(struct cxfw_run *run, u32 address, bool *damaged)
{
	struct cxfw_image_source flash = whole_flash(run);
	struct cxfw_device_map *map = run->map;
	char why[CXFW_WHY_LENGTH];
	unsigned int i;
	u8 name[4];
	int error;

	for (i = 0; i < map->tables; i++)
		if (map->table[i] == address)
			return 0;
	error = cxfw_flash_read(run->device, address, name, sizeof(name));
	if (error || memcmp(name, "DTOC", 4))
		return error;
	map->table[map->tables++] = address;
	error = cxfw_dtoc_entries(&flash, address, add_entry, map, why);
	*damaged |= error == -EBADMSG;
	return error == -EBADMSG ? 0 : error;
}

/* IMAGE_INFO may move the table down: size / (2 k). */
static int read_moved_table(struct cxfw_run *run, const struct cxfw_image_source *image, u32 info, bool *damaged)
{
	u32 divisor, size = run->device->flash.size;
	int error;

	if (!info)
		return 0;
	error = cxfw_image_dtoc_divisor(image, info, &divisor);
	if (error || !divisor || size / (2 * divisor) < CXFW_DTOC_BELOW)
		return error;
	return read_table(run, ALIGN_DOWN(size / (2 * divisor), CXFW_DTOC_BELOW) - CXFW_DTOC_BELOW, damaged);
}

static int read_tables(struct cxfw_run *run, const struct cxfw_image_source *old, u32 old_info)
{
	struct cxfw_image_source plan = cxfw_plan_source(run->plan);
	struct cxfw_image_layout layout = { .info = 0 };
	char why[CXFW_WHY_LENGTH];
	bool damaged = false;
	int error = read_table(run, run->device->flash.size - CXFW_DTOC_BELOW, &damaged);

	if (!error && old)
		error = read_moved_table(run, old, old_info, &damaged);
	if (!error && !(run->plan->head.flags & CXFW_PLAN_DEVICE_DATA)) {
		error = run->format->walk(&plan, false, &layout, why);
		if (!error)
			error = read_moved_table(run, &plan, layout.info, &damaged);
	}
	run->map->known = run->map->tables && !damaged;
	return error;
}

/* FS3 has no table of its own: the kept image tells, else the new one. */
static int read_entries(struct cxfw_run *run, const struct cxfw_image_source *old)
{
	struct cxfw_image_source plan = cxfw_plan_source(run->plan);
	char why[CXFW_WHY_LENGTH];
	int error;

	if (!old && run->plan->head.flags & CXFW_PLAN_DEVICE_DATA)
		return 0;
	error = cxfw_fs3_device_entries(old ? old : &plan, add_entry, run->map, why);
	run->map->known = !error && run->map->count;
	return error == -EBADMSG ? 0 : error;
}

int cxfw_device_map_read(struct cxfw_run *run, const struct cxfw_image_source *old, u32 old_info)
{
	memset(run->map, 0, sizeof(*run->map));
	if (run->format->number == CXFW_FORMAT_FS3)
		return read_entries(run, old);
	return read_tables(run, old, old_info);
}

static bool meets(u32 start, u32 end, u32 address, u32 length)
{
	/* An empty one still says where something may come to lie. */
	return address < end && (u64)address + (length ? length : 1) > start;
}

bool cxfw_device_map_free(const struct cxfw_run *run, u32 start, u32 end, u32 *found)
{
	const struct cxfw_device_map *map = run->map;
	u32 half = run->device->flash.size / 2;
	bool free = true;
	unsigned int i;

	/* It always lies in the upper half, and there below the flash's end. */
	if (!map->known && end > half) {
		*found = max_t(u32, start, half);
		return false;
	}
	*found = end;
	for (i = 0; i < map->tables; i++) {
		if (!meets(start, end, map->table[i], CXFW_DTOC_BELOW))
			continue;
		*found = min_t(u32, *found, map->table[i]);
		free = false;
	}
	for (i = 0; i < map->count; i++) {
		if (!meets(start, end, map->entries[i].address, map->entries[i].size))
			continue;
		*found = min_t(u32, *found, map->entries[i].address);
		free = false;
	}
	return free;
}

/* ---- FS3: what an image says of its device data ---- */

static int content_is_right(struct cxfw_run *run, const struct cxfw_device_entry *entry)
{
	struct cxfw_image_source flash = whole_flash(run);
	struct cxfw_toc_entry section = {
		.type = entry->type, .address = entry->address, .size = entry->size,
		.crc_mode = entry->crc_mode, .crc = entry->crc,
	};
	struct cxfw_walk walk;
	char why[CXFW_WHY_LENGTH];
	int error = cxfw_walk_start(&walk, &flash, why);

	if (!error)
		error = cxfw_toc_check_section(&walk, &section);
	cxfw_walk_end(&walk);
	return error;
}

static int check_entry(void *context, const struct cxfw_device_entry *entry)
{
	struct cxfw_run *run = context;
	const struct cxfw_stage *head = &run->plan->head;
	const struct cxfw_device_map *map = run->map;
	unsigned int i;
	int error;

	if (meets(run->start, run->start + head->window_length, entry->address, entry->size))
		return cxfw_fail(run->device, -EINVAL, "the image has its device data %#x at %#x, inside of its window",
				 entry->type, entry->address);
	for (i = 0; i < map->count; i++)
		if (!memcmp(map->entries[i].bytes, entry->bytes, sizeof(entry->bytes)))
			return 0;
	error = content_is_right(run, entry);
	if (error != -EBADMSG)
		return error;
	return cxfw_fail(run->device, -EINVAL,
			 "the image's entry of device data %#x at %#x is neither the card's nor true of what stands there",
			 entry->type, entry->address);
}

int cxfw_device_map_check_image(struct cxfw_run *run, const struct cxfw_image_source *old)
{
	struct cxfw_image_source plan = cxfw_plan_source(run->plan);
	char why[CXFW_WHY_LENGTH];
	int error;

	/* With nothing on the flash, device data comes after the image. */
	if (run->format->number != CXFW_FORMAT_FS3 || !old)
		return 0;
	error = cxfw_fs3_device_entries(&plan, check_entry, run, why);
	return error == -EBADMSG ? cxfw_fail(run->device, -EINVAL, "the image: %.150s", why) : error;
}
