// SPDX-License-Identifier: GPL-2.0-only
/* FS2: the room that an image may use on a flash. firmware-images.md 2.8, 5.1. */
#include <errno.h>

#include "fs2.h"
#include "plan_private.h"

#define CONFIG_AREA_MOST 0x10000

/* ConnectX-3 and 3 Pro: PCI ids 0x1003 to 0x1010. */
static uint32_t default_config_sector(const struct image_facts *image)
{
	return image->pci_device >= 0x1003 && image->pci_device <= 0x1010 ? 0x10000 : 0x1000;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

int fs2_room(uint64_t flash_size, const struct image_facts *device, const struct image_facts *image,
	     struct fs2_room *room, struct image_error *error)
{
	uint32_t sector = larger(image->config_sector, device ? device->config_sector : 0);
	uint32_t sectors = larger(image->config_sectors, device ? device->config_sectors : 0);
	uint64_t pad = device ? device->config_pad : image->config_pad;
	uint64_t half = flash_size / 2, area;

	if (!sector)
		sector = default_config_sector(image);
	area = (uint64_t)sectors * sector;
	if (area > CONFIG_AREA_MOST)
		area = CONFIG_AREA_MOST;
	pad *= sector;
	if (pad + area >= half)
		return image_fail(error, -EBADMSG, 0,
				  _("the areas for NV configuration, 0x%llx bytes, do not fit in half a flash of 0x%llx bytes"),
				  (unsigned long long)(pad + area), (unsigned long long)flash_size);
	room->config_area = area;
	room->config_pad = pad;
	room->limit = half - area - pad;
	return 0;
}

int fs2_plan_window(const struct image_target *target, const struct image_flash_state *state,
		    const struct image_facts *facts, uint32_t length, struct image_plan *plan,
		    struct image_error *error)
{
	const struct image_place *old = state->has_old ? &state->places[state->old] : NULL;
	uint64_t flash_size = target->flash->size;
	uint32_t chunk = 1U << plan->log2_chunk;
	struct fs2_room room;
	int code;

	if (old && old->log2_chunk != plan->log2_chunk)
		return image_fail(error, -EINVAL, old->address,
				  _("the card's chunks have 0x%x bytes, the image's 0x%x: they must be equal"),
				  1U << old->log2_chunk, chunk);
	code = fs2_room(flash_size, state->has_facts ? &state->old_facts : NULL, facts, &room, error);
	if (code)
		return code;
	if (flash_size > UINT32_MAX || flash_size < 2ULL * chunk)
		return image_fail(error, -EINVAL, 0,
				  _("two slots of chunks of 0x%x bytes do not fit in a flash of 0x%llx bytes"),
				  chunk, (unsigned long long)flash_size);
	plan->window_length = room.limit / target->flash_sector * target->flash_sector;
	if (length > plan->window_length || plan_round_up(length, target->flash_sector) > plan->window_length)
		return image_fail(error, -EINVAL, 0,
				  _("the image has 0x%x bytes, a slot of this flash has room for 0x%x"),
				  length, plan->window_length);
	return 0;
}
