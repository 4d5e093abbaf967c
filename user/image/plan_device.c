// SPDX-License-Identifier: GPL-2.0-only
/*
 * The plan that makes a card's own data be those of a backup, the other copy of DEV_INFO first:
 * firmware-images.md 3.7, 4.4.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fs4.h"
#include "plan_private.h"
#include "sha256.h"

#define COPIES 2

struct device_plan {
	const struct image_target *target;
	const struct image_flash_state *state;
	struct image_target source;		/* the backup, as a flash */
	struct image_flash_state source_state;
	struct image_area areas[IMAGE_AREAS];
	size_t area_count;
	struct toc toc;				/* of the backup */
	uint32_t start, end;			/* of all areas */
	uint8_t *now, *wanted;			/* of [start, end) */
	struct image_plan *plan;
	bool failsafe;
	char *window;				/* 160 bytes */
	struct image_error *error;
};

static bool is_log(uint32_t type)
{
	return type == SECTION_FW_NV_LOG;
}

/* ---- the two flashes ---- */

static int same_tables(const struct device_plan *d, const struct toc *card)
{
	unsigned int i;

	for (i = 0; i < d->toc.count && i < card->count; i++) {
		const struct toc_section *a = &d->toc.sections[i], *b = &card->sections[i];

		if (d->target->format == IMAGE_FS3 && !a->device_data && !b->device_data)
			continue;
		if (a->type != b->type || a->address != b->address || a->size != b->size)
			break;
	}
	if (i == d->toc.count && i == card->count)
		return 0;
	return image_fail(d->error, -EINVAL, d->toc.address,
			  _("the backup's device data are laid out otherwise than the card's"));
}

/* Both tables of FS3 with their device entries only: images of two versions have other sections. */
static void only_device_entries(struct toc *toc)
{
	unsigned int i, kept = 0;

	for (i = 0; i < toc->count; i++)
		if (toc->sections[i].device_data)
			toc->sections[kept++] = toc->sections[i];
	toc->count = kept;
}

static int read_tables(struct device_plan *d)
{
	struct toc card;
	int code;

	if (d->target->format == IMAGE_FS2)
		return 0;
	code = plan_device_table(&d->source, &d->source_state, &d->toc, d->error);
	if (!code)
		code = plan_device_table(d->target, d->state, &card, d->error);
	if (code)
		return code;
	if (!d->toc.present)
		return image_fail(d->error, -EINVAL, 0, _("the backup has no readable table of device data"));
	if (d->target->format == IMAGE_FS3) {
		only_device_entries(&d->toc);
		only_device_entries(&card);
	}
	return card.present && card.count ? same_tables(d, &card) : 0;
}

/* Numbers of a file: they may not name the image that the card boots. */
static int keep_off_image(const struct device_plan *d)
{
	const struct image_facts *facts = &d->state->old_facts;
	uint64_t start = facts->place.address, end = start + facts->length;
	size_t i;

	if (!d->state->has_facts || d->target->format == IMAGE_FS2)
		return 0;
	for (i = 0; i < d->area_count; i++)
		if (d->areas[i].address < end && d->areas[i].address + (uint64_t)d->areas[i].length > start)
			return image_fail(d->error, -EINVAL, d->areas[i].address,
					  _("%s of the backup, at 0x%x, lies in the image that the card boots"),
					  d->areas[i].name, d->areas[i].address);
	return 0;
}

static int allocate(struct device_plan *d)
{
	const struct image_area *first = &d->areas[0], *last = &d->areas[d->area_count - 1];

	d->start = first->address;
	d->end = last->address + last->length;
	d->now = malloc(d->end - d->start);
	d->wanted = malloc(d->end - d->start);
	if (!d->now || !d->wanted)
		return image_fail(d->error, -ENOMEM, 0, _("no memory for 0x%x bytes of device data"),
				  d->end - d->start);
	memset(d->now, 0xff, d->end - d->start);
	return 0;
}

static int read_areas(struct device_plan *d)
{
	size_t i;
	int code = 0;

	for (i = 0; i < d->area_count && !code; i++)
		code = reader_read(d->target->flash, d->areas[i].address,
				   d->now + d->areas[i].address - d->start, d->areas[i].length, d->error);
	if (!code)
		memcpy(d->wanted, d->now, d->end - d->start);
	return code;
}

static int take_from_backup(struct device_plan *d, uint32_t address, uint32_t length)
{
	return reader_read(d->source.flash, address, d->wanted + address - d->start, length, d->error);
}

/* Sections, not sectors: what else lies in a sector stays. The firmware's own log is no one's identity. */
static int take_wanted(struct device_plan *d)
{
	unsigned int i;
	size_t area;
	int code = 0;

	if (d->target->format == IMAGE_FS2) {
		for (area = 0; area < d->area_count && !code; area++)
			code = take_from_backup(d, d->areas[area].address, d->areas[area].length);
		return code;
	}
	for (i = 0; i < d->toc.count && !code; i++)
		if (plan_is_device_entry(d->target->format, &d->toc.sections[i], d->source.flash->size) &&
		    !is_log(d->toc.sections[i].type))
			code = take_from_backup(d, d->toc.sections[i].address, d->toc.sections[i].size);
	if (!code && d->target->format != IMAGE_FS3)
		code = take_from_backup(d, d->toc.address, FS4_DTOC_BELOW_END);
	return code;
}

/* ---- DEV_INFO of FS4 and FS5: one of two copies counts ---- */

struct copies {
	uint32_t address[COPIES];
	unsigned int count;
	int now, wanted;		/* which is valid; -1: none, or both */
};

static int valid_one(const struct device_plan *d, const struct copies *copies, const uint8_t *bytes)
{
	int valid = -1;
	unsigned int i;

	for (i = 0; i < copies->count; i++) {
		if (!dev_info_valid(bytes + copies->address[i] - d->start))
			continue;
		if (valid >= 0)
			return -1;
		valid = i;
	}
	return valid;
}

static void find_copies(const struct device_plan *d, struct copies *copies)
{
	unsigned int i;

	memset(copies, 0, sizeof(*copies));
	for (i = 0; i < d->toc.count && copies->count < COPIES; i++)
		if (d->toc.sections[i].type == SECTION_DEV_INFO && d->toc.sections[i].size >= DEV_INFO_LENGTH &&
		    plan_is_device_entry(d->target->format, &d->toc.sections[i], d->source.flash->size))
			copies->address[copies->count++] = d->toc.sections[i].address;
	copies->now = valid_one(d, copies, d->now);
	copies->wanted = valid_one(d, copies, d->wanted);
}

/*
 * What is valid on the card goes last: the backup's copy is written over the one that does not count,
 * then the other loses its signature. Which of the two places holds it says nothing.
 */
static int settle_copies(struct device_plan *d, struct copies *copies)
{
	uint8_t *now, *other, wanted[DEV_INFO_LENGTH];

	if (copies->wanted < 0 || copies->count != COPIES)
		return image_fail(d->error, -EINVAL, d->toc.address,
				  _("the backup has not one valid DEV_INFO of two copies"));
	if (copies->now < 0)
		return 0;
	memcpy(wanted, d->wanted + copies->address[copies->wanted] - d->start, sizeof(wanted));
	now = d->wanted + copies->address[copies->now] - d->start;
	other = d->wanted + copies->address[!copies->now] - d->start;
	memcpy(now, d->now + copies->address[copies->now] - d->start, DEV_INFO_LENGTH);
	if (!memcmp(now, wanted, DEV_INFO_LENGTH)) {
		memcpy(other, d->now + copies->address[!copies->now] - d->start, DEV_INFO_LENGTH);
		return 0;
	}
	memcpy(other, wanted, DEV_INFO_LENGTH);
	put32(now, 0);
	return 0;
}

/* ---- segments ---- */

static bool sector_differs(const struct device_plan *d, uint32_t address)
{
	const uint8_t *now = d->now + address - d->start, *wanted = d->wanted + address - d->start;

	return memcmp(now, wanted, d->target->flash_sector) != 0;
}

static int add_segment(struct device_plan *d, uint32_t address, uint32_t length)
{
	struct image_plan *plan = d->plan;
	uint32_t offset = address - d->start;

	if (plan->segment_count && plan->segment_offset[plan->segment_count - 1] +
	    plan->segment_length[plan->segment_count - 1] == offset) {
		plan->segment_length[plan->segment_count - 1] += length;
	} else {
		if (plan->segment_count == CXFW_SEGMENTS_MAX)
			return image_fail(d->error, -EBADMSG, address,
					  _("device data differ in more than %d places"), CXFW_SEGMENTS_MAX);
		plan->segment_offset[plan->segment_count] = offset;
		plan->segment_length[plan->segment_count++] = length;
	}
	plan->bytes_to_erase += length;
	plan->bytes_to_program += length;
	return 0;
}

static void name_window(struct device_plan *d, const char *name)
{
	size_t used = strlen(d->window);

	d->failsafe = false;
	if (!strstr(d->window, name) && used + strlen(name) + 2 < 100)
		snprintf(d->window + used, 160 - used, "%s%s", used ? ", " : "", name);
}

static int add_area(struct device_plan *d, const struct image_area *area, bool safe)
{
	uint32_t sector = d->target->flash_sector, at;
	bool any = false;
	int code = 0;

	for (at = area->address; at < area->address + area->length && !code; at += sector) {
		if (!sector_differs(d, at))
			continue;
		any = true;
		code = add_segment(d, at, sector);
	}
	if (any && !safe)
		name_window(d, area->name);
	return code;
}

static const struct image_area *area_of(const struct device_plan *d, uint32_t address)
{
	size_t i;

	for (i = 0; i < d->area_count; i++)
		if (address >= d->areas[i].address && address - d->areas[i].address < d->areas[i].length)
			return &d->areas[i];
	return NULL;
}

/* DEV_INFO: the copy that does not count, then the other; the rest as it lies; the DTOC, which names all, last. */
static int add_segments(struct device_plan *d, const struct copies *copies)
{
	const struct image_area *first = NULL, *second = NULL;
	bool safe;
	size_t i;
	int code = 0;

	if (copies->count == COPIES) {
		first = area_of(d, copies->address[copies->now < 0 ? copies->wanted : !copies->now]);
		second = area_of(d, copies->address[copies->now < 0 ? !copies->wanted : copies->now]);
		/* Where nothing was valid nothing can be lost. */
		safe = (first->failsafe && first != second) || copies->now < 0;
		code = add_area(d, first, safe);
		if (!code && second != first)
			code = add_area(d, second, safe);
	}
	for (i = 0; i < d->area_count && !code; i++)
		if (&d->areas[i] != first && &d->areas[i] != second)
			code = add_area(d, &d->areas[i], false);
	return code;
}

static int hash_segments(struct device_plan *d)
{
	struct image_plan *plan = d->plan;
	uint8_t *all = malloc(plan->bytes_to_program), *at = all;
	uint32_t i;

	if (!all)
		return image_fail(d->error, -ENOMEM, 0, _("no memory for 0x%x bytes of device data"),
				  plan->bytes_to_program);
	for (i = 0; i < plan->segment_count; i++, at += plan->segment_length[i - 1])
		memcpy(at, d->wanted + plan->segment_offset[i], plan->segment_length[i]);
	image_sha256(all, plan->bytes_to_program, plan->segments_sha256);
	free(all);
	return 0;
}

static int make(struct device_plan *d)
{
	struct copies copies = { .now = -1, .wanted = -1 };
	int code;

	code = image_flash_state(&d->source, &d->source_state, d->error);
	if (!code)
		code = read_tables(d);
	if (!code)
		code = image_device_areas(&d->source, &d->source_state, d->areas, &d->area_count, d->error);
	if (!code && !d->area_count)
		code = image_fail(d->error, -EINVAL, 0, _("the backup names no device data"));
	if (!code)
		code = keep_off_image(d);
	if (!code)
		code = allocate(d);
	if (!code)
		code = read_areas(d);
	if (!code)
		code = take_wanted(d);
	if (!code && d->target->format >= IMAGE_FS4) {
		find_copies(d, &copies);
		code = settle_copies(d, &copies);
	}
	if (!code)
		code = add_segments(d, &copies);
	if (!code && !d->plan->segment_count)
		code = image_fail(d->error, -ENOENT, 0, _("the card's own data are those of the backup"));
	return code ? code : hash_segments(d);
}

int image_plan_device_data(const struct image_target *target, const struct image_flash_state *state,
			   const struct image_reader *backup, uint8_t **bytes, struct image_plan *plan,
			   bool *failsafe, char window[160], struct image_error *error)
{
	struct device_plan *d = calloc(1, sizeof(*d));
	int code;

	*bytes = NULL;
	window[0] = '\0';
	memset(plan, 0, sizeof(*plan));
	if (!d)
		return image_fail(error, -ENOMEM, 0, _("no memory"));
	*d = (struct device_plan){ .target = target, .state = state, .source = *target, .plan = plan,
				   .failsafe = true, .window = window, .error = error };
	d->source.flash = backup;
	d->source.recovery = true;	/* a backup runs nothing */
	if (backup->size != target->flash->size)
		code = image_fail(error, -EINVAL, 0, _("the backup has 0x%llx bytes, the flash 0x%llx"),
				  (unsigned long long)backup->size, (unsigned long long)target->flash->size);
	else
		code = make(d);
	if (!code) {
		plan->flags = CXFW_PLAN_DEVICE_DATA;
		plan->format = target->format;
		plan->flash_size = target->flash->size;
		plan->target_address = d->start;
		plan->image_length = d->end - d->start;
		plan->window_length = plan->image_length;
		*bytes = d->wanted;
		d->wanted = NULL;
		*failsafe = d->failsafe;
	}
	free(d->now);
	free(d->wanted);
	free(d);
	return code;
}
