// SPDX-License-Identifier: GPL-2.0-only
/* FS3, FS4, FS5: the room of a slot, beside the card's data. firmware-images.md 1.6, 3.7, 4.4, 5.2-5.4. */
#include <errno.h>

#include "fs3.h"
#include "fs4.h"
#include "plan_private.h"

#define LOG2_LEAST 16
#define LOG2_SMALL 0x16		/* FS3, FS4: these two may follow each other on one card (5.5) */
#define LOG2_LARGE 0x17

uint32_t plan_dtoc_address(const struct image_target *target, const struct image_flash_state *state)
{
	if (state->has_facts && state->old_facts.dtoc_address)
		return state->old_facts.dtoc_address;
	return fs4_dtoc_address(target->flash->size, 0);
}

int plan_device_table(const struct image_target *target, const struct image_flash_state *state,
		      struct toc *toc, struct image_error *error)
{
	struct image_view view = { .reader = target->flash };
	uint32_t place_at;
	int code;

	memset(toc, 0, sizeof(*toc));
	view.place.format = target->format;
	view.place.layout = IMAGE_LAYOUT_FLASH;
	if (target->format == IMAGE_FS3) {
		if (!state->has_facts || state->old_facts.place.format != IMAGE_FS3)
			return 0;
		view.place = state->old_facts.place;
		code = fs3_itoc(&view, toc, &place_at, error);
	} else {
		code = toc_read(&view, plan_dtoc_address(target, state), "DTOC", toc, error);
	}
	if (code == -EBADMSG || (!code && toc->present && toc_check(toc, "TOC", NULL))) {
		toc->present = false;
		toc->count = 0;
		code = 0;
	}
	return code;
}

bool plan_is_device_entry(enum image_format format, const struct toc_section *entry, uint64_t flash_size)
{
	if (format == IMAGE_FS3 && !entry->device_data)
		return false;
	return entry->size && entry->address < flash_size && entry->size <= flash_size - entry->address;
}

/* What a slot may not reach: *end sinks to the lowest byte of device data behind start. */
struct neighbours {
	uint64_t start, end;
	bool inside;			/* device data lies over the slot's start */
};

static void keep_off(struct neighbours *n, uint64_t address, uint64_t length)
{
	if (address <= n->start && address + length > n->start)
		n->inside = true;
	else if (address > n->start && address < n->end)
		n->end = address;
}

static void keep_off_table(struct neighbours *n, enum image_format format, const struct toc *toc,
			   uint64_t flash_size)
{
	unsigned int i;

	for (i = 0; i < toc->count; i++)
		if (plan_is_device_entry(format, &toc->sections[i], flash_size))
			keep_off(n, toc->sections[i].address, toc->sections[i].size);
}

/* The image's own ITOC names device data, too: in recovery there may be no other to ask. */
static int keep_off_own(struct neighbours *n, const uint8_t *image, uint32_t length,
			const struct image_facts *facts, uint64_t flash_size, struct image_error *error)
{
	struct image_memory memory = { image, length };
	struct image_reader reader = image_memory_reader(&memory);
	struct image_view view = { &reader, facts->place };
	uint32_t place_at;
	struct toc toc;
	int code;

	view.place.address = 0;
	code = fs3_itoc(&view, &toc, &place_at, error);
	if (!code)
		keep_off_table(n, IMAGE_FS3, &toc, flash_size);
	return code;
}

static int find_neighbours(const struct image_target *target, const struct image_flash_state *state,
			   const uint8_t *image, uint32_t length, const struct image_facts *facts,
			   struct neighbours *n, struct image_error *error)
{
	uint64_t flash_size = target->flash->size;
	struct toc toc;
	int code;

	code = plan_device_table(target, state, &toc, error);
	if (code)
		return code;
	keep_off_table(n, target->format, &toc, flash_size);
	/* Device data that nobody lists stand in the upper half, somewhere. */
	if (!toc.present || (target->format == IMAGE_FS3 && !fs3_has_device_data(&toc)))
		n->end = n->end < flash_size / 2 ? n->end : flash_size / 2;
	if (target->format == IMAGE_FS3)
		return keep_off_own(n, image, length, facts, flash_size, error);
	keep_off(n, plan_dtoc_address(target, state), FS4_DTOC_BELOW_END);
	return 0;
}

static int check_slots(const struct image_target *target, const struct image_place *old, uint32_t log2,
		       struct image_error *error)
{
	uint32_t most = target->format == IMAGE_FS5 ? 25 : 24, was;
	bool mixed;

	if (log2 < LOG2_LEAST || log2 > most)
		return image_fail(error, -EINVAL, 0, _("slots of 2^%u bytes; %u to %u are possible"), log2,
				  LOG2_LEAST, most);
	was = old ? old->log2_chunk : log2;
	mixed = target->format != IMAGE_FS5 && (log2 == LOG2_SMALL || log2 == LOG2_LARGE) &&
		(was == LOG2_SMALL || was == LOG2_LARGE);
	if (was == log2 || mixed)
		return 0;
	return image_fail(error, -EINVAL, old->address,
			  _("the card's slots have 0x%x bytes, the image's 0x%x: they must be equal"),
			  1U << was, 1U << log2);
}

/* Slots of two sizes may overlap; the image that is kept must not be touched. */
static int keep_old(const struct image_flash_state *state, const struct image_plan *plan,
		    struct image_error *error)
{
	uint64_t start = plan->target_address, end = start + plan->window_length, old, old_end;

	if (!state->has_old)
		return 0;
	old = state->places[state->old].address;
	old_end = old +
		  (state->has_facts ? state->old_facts.length : 1U << state->places[state->old].log2_chunk);
	if (old >= end || old_end <= start)
		return 0;
	return image_fail(error, -EINVAL, old,
			  _("the card's image, 0x%llx to 0x%llx, lies in the slot of the new one, 0x%llx to 0x%llx"),
			  (unsigned long long)old, (unsigned long long)old_end, (unsigned long long)start,
			  (unsigned long long)end);
}

int toc_plan_window(const struct image_target *target, const struct image_flash_state *state,
		    const uint8_t *image, uint32_t length, const struct image_facts *facts,
		    struct image_plan *plan, struct image_error *error)
{
	const struct image_place *old = state->has_old ? &state->places[state->old] : NULL;
	uint64_t flash_size = target->flash->size;
	struct neighbours n = { .start = plan->target_address };
	int code;

	if (facts->encrypted)
		return image_fail(error, -EOPNOTSUPP, 0,
				  _("an encrypted image is written by the card's firmware only: nobody else can tell that it is whole"));
	code = check_slots(target, old, plan->log2_chunk, error);
	if (code)
		return code;
	n.end = n.start + (1ULL << plan->log2_chunk);
	if (n.end > flash_size)
		n.end = flash_size;
	if (flash_size > UINT32_MAX || n.start >= n.end)
		return image_fail(error, -EINVAL, 0,
				  _("a slot at 0x%llx does not fit in a flash of 0x%llx bytes"),
				  (unsigned long long)n.start, (unsigned long long)flash_size);
	code = find_neighbours(target, state, image, length, facts, &n, error);
	if (code)
		return code;
	if (n.inside)
		return image_fail(error, -EINVAL, n.start, _("the card's own data lie where the slot begins, at 0x%llx"),
				  (unsigned long long)n.start);
	if (n.end <= n.start)
		return image_fail(error, -EINVAL, n.start,
				  _("no table lists the card's own data: they may lie anywhere in the slot at 0x%llx"),
				  (unsigned long long)n.start);
	plan->window_length = (n.end - n.start) / target->flash_sector * target->flash_sector;
	if (length > plan->window_length || plan_round_up(length, target->flash_sector) > plan->window_length)
		return image_fail(error, -EINVAL, 0,
				  _("the image has 0x%x bytes, a slot of this flash has room for 0x%x"),
				  length, plan->window_length);
	return keep_old(state, plan, error);
}
