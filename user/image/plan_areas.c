// SPDX-License-Identifier: GPL-2.0-only
/* Where a card keeps what is its own on its flash: firmware-images.md 2.8, 3.7, 4.4. */
#include <errno.h>
#include <stdlib.h>

#include "fs4.h"
#include "plan_private.h"

struct area_list {
	struct image_area *areas;
	size_t count;
	uint32_t sector;
};

static int add_area(struct area_list *list, uint64_t address, uint64_t length, const char *name,
		    bool failsafe, struct image_error *error)
{
	uint64_t end = address + length;

	if (list->count == IMAGE_AREAS)
		return image_fail(error, -EBADMSG, address, _("there are more than %d areas of device data"),
				  IMAGE_AREAS);
	address -= address % list->sector;
	end = plan_round_up(end, list->sector);
	list->areas[list->count++] = (struct image_area){ address, end - address, name, failsafe };
	return 0;
}

static int by_address(const void *one, const void *other)
{
	const struct image_area *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

/* Sections of one sector are one area, with the name of the first. */
static void merge(struct area_list *list)
{
	struct image_area *last = list->areas, *area;
	size_t i;

	if (!list->count)
		return;
	qsort(list->areas, list->count, sizeof(list->areas[0]), by_address);
	for (i = 1; i < list->count; i++) {
		area = &list->areas[i];
		if (area->address >= last->address + last->length) {
			*++last = *area;
			continue;
		}
		if (area->address + area->length > last->address + last->length)
			last->length = area->address + area->length - last->address;
		last->failsafe = last->failsafe && area->failsafe;
	}
	list->count = last + 1 - list->areas;
}

/* One area of NV configuration in each slot, behind all that an image may use. */
static int fs2_areas(const struct image_target *target, const struct image_flash_state *state,
		     struct area_list *list, struct image_error *error)
{
	struct image_place place = state->old_facts.place;
	struct fs2_room room;
	uint64_t at;
	int code;

	if (!state->has_facts)
		return image_fail(error, -EINVAL, 0, _("the flash holds no image that tells where NV configuration stands"));
	code = fs2_room(target->flash->size, &state->old_facts, &state->old_facts, &room, error);
	for (place.slot = 0; place.slot < 2 && !code; place.slot++)
		for (at = room.limit; at < (uint64_t)room.limit + room.config_area && !code;
		     at += list->sector)
			code = add_area(list, image_physical(&place, at), list->sector, "NV_CONFIG", false,
					error);
	return code;
}

static int toc_areas(const struct image_target *target, const struct image_flash_state *state,
		     struct area_list *list, struct image_error *error)
{
	const struct toc_section *entry;
	struct toc toc;
	unsigned int i;
	int code;

	code = plan_device_table(target, state, &toc, error);
	if (code)
		return code;
	if (!toc.present)
		return image_fail(error, -EINVAL, 0, _("the flash has no readable table of device data"));
	for (i = 0; i < toc.count && !code; i++) {
		entry = &toc.sections[i];
		if (plan_is_device_entry(target->format, entry, target->flash->size))
			code = add_area(list, entry->address, entry->size, section_type_name(entry->type),
					target->format != IMAGE_FS3 && entry->type == SECTION_DEV_INFO,
					error);
	}
	if (!code && target->format != IMAGE_FS3)
		code = add_area(list, toc.address, FS4_DTOC_BELOW_END, "DTOC", false, error);
	return code;
}

int image_device_areas(const struct image_target *target, const struct image_flash_state *state,
		       struct image_area areas[IMAGE_AREAS], size_t *count, struct image_error *error)
{
	struct area_list list = { .areas = areas, .sector = target->flash_sector };
	int code;

	*count = 0;
	if (!list.sector || target->flash->size > UINT32_MAX)
		return image_fail(error, -EINVAL, 0, _("the flash's erase unit is not known"));
	if (target->format == IMAGE_FS2)
		code = fs2_areas(target, state, &list, error);
	else
		code = toc_areas(target, state, &list, error);
	if (code)
		return code;
	merge(&list);
	*count = list.count;
	return 0;
}
