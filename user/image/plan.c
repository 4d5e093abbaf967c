// SPDX-License-Identifier: GPL-2.0-only
/*
 * FS2: what stands on a flash, and the plan of a burn. firmware-images.md 2.8, 5.1, 5.4.
 * The driver enforces the plan's grammar on its own; here it is only built.
 */
#include <errno.h>

#include "../../kmod/uapi/cxfw.h"
#include "fs2.h"
#include "plan.h"
#include "sha256.h"

#define CONFIG_AREA_MOST 0x10000
#define HEADER_SECTOR 4096	/* bytes that old_sha256 covers */

static bool whole(const struct image_reader *flash, const struct image_place *place, int *code,
		  struct image_error *error)
{
	enum image_verdict verdict;

	*code = image_verify(flash, place, NULL, &verdict, error);
	return !*code && verdict != IMAGE_DAMAGED;
}

static bool same_version(const uint32_t a[3], const uint32_t b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Is this the image that runs? Only asked when two are whole. */
static bool is_running(const struct image_target *target, const struct image_place *place)
{
	struct image_facts facts;

	if (target->running_valid && !image_facts(target->flash, place, IMAGE_NO_ROM, &facts, NULL))
		return same_version(facts.version, target->running);
	return false;
}

/*
 * Of several candidates: the one whose version runs; when that does not decide, the one
 * that the boot register names; else the first, as the vendor's tool has it.
 */
static size_t choose(const struct image_target *target, const struct image_flash_state *state,
		     const size_t *candidates, size_t count)
{
	size_t i, running = 0, chosen = candidates[0];

	for (i = 0; i < count; i++) {
		if (!is_running(target, &state->places[candidates[i]]))
			continue;
		chosen = candidates[i];
		running++;
	}
	if (running == 1 || !target->boot_address_valid)
		return running == 1 ? chosen : candidates[0];
	for (i = 0; i < count; i++)
		if (state->places[candidates[i]].address == target->boot_address)
			return candidates[i];
	return candidates[0];
}

/* Live images of FS2 that stand where one may stand; the whole ones when there are any. */
static size_t candidates(const struct image_flash_state *state, size_t *found, bool only_whole)
{
	size_t i, count = 0;

	for (i = 0; i < state->place_count; i++)
		if (state->places[i].format == IMAGE_FS2 && !state->places[i].misplaced &&
		    (state->whole[i] || !only_whole))
			found[count++] = i;
	return count;
}

/* Facts of the first image that still tells them. */
static int damaged_facts(const struct image_target *target, struct image_flash_state *state, const size_t *found,
			 size_t count, struct image_error *error)
{
	size_t i;
	int code;

	for (i = 0; i < count && !state->has_facts; i++) {
		code = image_facts(target->flash, &state->places[found[i]], IMAGE_NO_ROM, &state->old_facts,
				   error);
		if (code && code != -EBADMSG)
			return code;
		state->has_facts = !code;
	}
	return 0;
}

/*
 * A card that runs has something bootable, whatever its checksums say: a single damaged
 * image is kept until the commit like a whole one.
 */
static int choose_old(const struct image_target *target, struct image_flash_state *state,
		      struct image_error *error)
{
	size_t found[IMAGE_PLACES], count;
	int code;

	count = candidates(state, found, true);
	if (!count) {
		count = candidates(state, found, false);
		state->has_old = count == 1 && !target->recovery;
		state->old = count ? found[0] : 0;
		return damaged_facts(target, state, found, count, error);
	}
	state->has_old = true;
	state->old = choose(target, state, found, count);
	code = image_facts(target->flash, &state->places[state->old], 0, &state->old_facts, error);
	state->has_facts = !code;
	return code;
}

int image_flash_state(const struct image_target *target, struct image_flash_state *state,
		    struct image_error *error)
{
	size_t i;
	int code;

	memset(state, 0, sizeof(*state));
	code = image_locate(target->flash, IMAGE_LAYOUT_FLASH, state->places, IMAGE_PLACES,
			    &state->place_count, error);
	if (code)
		return code;
	for (i = 0; i < state->place_count; i++) {
		if (state->places[i].format != IMAGE_FS2 || state->places[i].misplaced)
			continue;
		state->whole[i] = whole(target->flash, &state->places[i], &code, error);
		if (code)
			return code;
	}
	return choose_old(target, state, error);
}

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

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int check_sizes(const struct image_target *target, const struct image_facts *image, uint32_t length,
		       uint32_t limit, struct image_plan *plan, struct image_error *error)
{
	uint32_t chunk = 1U << image->place.log2_chunk;
	uint64_t flash_size = target->flash->size;

	if (flash_size > UINT32_MAX || flash_size < 2ULL * chunk)
		return image_fail(error, -EINVAL, 0,
				  _("two slots of chunks of 0x%x bytes do not fit in a flash of 0x%llx bytes"),
				  chunk, (unsigned long long)flash_size);
	if (!target->flash_sector || target->flash_sector > chunk)
		return image_fail(error, -EINVAL, 0,
				  _("the flash erases 0x%x bytes at a time, a chunk of the image has 0x%x"),
				  target->flash_sector, chunk);
	plan->window_length = limit / target->flash_sector * target->flash_sector;
	if (length > plan->window_length ||
	    round_up(length, target->flash_sector) > plan->window_length)
		return image_fail(error, -EINVAL, 0,
				  _("the image has 0x%x bytes, a slot of this flash has room for 0x%x"),
				  length, plan->window_length);
	return 0;
}

/*
 * Bytes that the driver erases at most: whole blocks where more than half of one is to be
 * written and the window leaves room, sectors elsewhere.
 */
static uint32_t erased_bytes(const struct image_target *target, uint32_t length, uint32_t window)
{
	uint32_t block = target->flash_block, at = 0;

	if (block <= target->flash_sector)
		return round_up(length, target->flash_sector);
	while (at < length && length - at > block / 2 && at + block <= window)
		at += block;
	return at < length ? at + round_up(length - at, target->flash_sector) : at;
}

static void choose_slot(const struct image_flash_state *state, uint32_t log2_chunk, struct image_plan *plan)
{
	const struct image_place *old = &state->places[state->old];

	if (!state->has_old) {
		plan->flags = CXFW_PLAN_RECOVERY;
		plan->old_address = CXFW_NO_ADDRESS;
		plan->target_slot = 0;
	} else {
		plan->old_address = old->address;
		plan->target_slot = !old->slot;
	}
	plan->target_address = plan->target_slot ? 1U << log2_chunk : 0;
}

static int hash_old(const struct image_target *target, struct image_plan *plan, struct image_error *error)
{
	uint8_t sector[HEADER_SECTOR];
	int code;

	if (plan->old_address == CXFW_NO_ADDRESS)
		return 0;
	code = reader_read(target->flash, plan->old_address, sector, sizeof(sector), error);
	if (!code)
		image_sha256(sector, sizeof(sector), plan->old_sha256);
	return code;
}

int image_plan_make(const struct image_target *target, const struct image_flash_state *state, const uint8_t *image,
	     size_t length, const struct image_facts *facts, struct image_plan *plan,
	     struct image_error *error)
{
	const struct image_place *old = state->has_old ? &state->places[state->old] : NULL;
	struct fs2_room room;
	int code;

	memset(plan, 0, sizeof(*plan));
	if (!old && !target->recovery)
		return image_fail(error, -EBADMSG, 0,
				  _("the card runs firmware, but its flash shows %zu live images and none is whole: nothing safe to keep"),
				  state->place_count);
	if (facts->place.format != IMAGE_FS2 || !facts->failsafe || !facts->place.log2_chunk)
		return image_fail(error, -EOPNOTSUPP, 0,
				  _("the image is not of the failsafe kind: it cannot be burned beside the one that runs"));
	if (old && !old->log2_chunk)
		return image_fail(error, -EOPNOTSUPP, old->address,
				  _("the card's image is not of the failsafe kind: another cannot be burned beside it"));
	if (old && old->log2_chunk != facts->place.log2_chunk)
		return image_fail(error, -EINVAL, old->address,
				  _("the card's chunks have 0x%x bytes, the image's 0x%x: they must be equal"),
				  1U << old->log2_chunk, 1U << facts->place.log2_chunk);
	if (length & 3 || length > UINT32_MAX || length != facts->length)
		return image_fail(error, -EINVAL, 0, _("the image has %zu bytes, its header says %u"), length,
				  facts->length);
	code = fs2_room(target->flash->size, state->has_facts ? &state->old_facts : NULL, facts, &room,
			error);
	if (!code)
		code = check_sizes(target, facts, length, room.limit, plan, error);
	if (code)
		return code;
	choose_slot(state, facts->place.log2_chunk, plan);
	plan->image_length = length;
	plan->flash_size = target->flash->size;
	plan->log2_chunk = facts->place.log2_chunk;
	plan->segment_count = 1;
	plan->segment_offset[0] = IMAGE_MAGIC_LENGTH;
	plan->segment_length[0] = length - IMAGE_MAGIC_LENGTH;
	plan->bytes_to_erase = erased_bytes(target, length, plan->window_length);
	plan->bytes_to_program = length;
	image_sha256(image + IMAGE_MAGIC_LENGTH, length - IMAGE_MAGIC_LENGTH, plan->segments_sha256);
	return hash_old(target, plan, error);
}

int image_burn_bytes(const struct image_reader *file, const struct image_facts *facts,
		     const struct image_target *target, const struct image_flash_state *state,
		     uint8_t **bytes, size_t *length, struct image_error *error)
{
	(void)target;
	(void)state;
	return image_load(file, facts, bytes, length, error);
}

int image_component_bytes(const struct image_reader *file, const struct image_facts *facts,
			  uint8_t **bytes, size_t *length, struct image_error *error)
{
	(void)file;
	(void)bytes;
	(void)length;
	return image_fail(error, -EOPNOTSUPP, 0, "%s", image_format_name(facts->place.format));
}

void image_plan_component(const uint8_t *bytes, size_t length, uint32_t component, struct image_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->flags = CXFW_PLAN_COMPONENT;
	plan->component = component;
	plan->image_length = length;
	plan->old_address = CXFW_NO_ADDRESS;
	plan->segment_count = 1;
	plan->segment_length[0] = length;
	image_sha256(bytes, length, plan->segments_sha256);
}

int image_device_areas(const struct image_target *target, const struct image_flash_state *state,
		       struct image_area areas[IMAGE_AREAS], size_t *count, struct image_error *error)
{
	(void)state;
	(void)areas;
	*count = 0;
	return image_fail(error, -EOPNOTSUPP, 0, "%s", image_format_name(target->format));
}

int image_plan_device_data(const struct image_target *target, const struct image_flash_state *state,
			   const struct image_reader *backup, uint8_t **bytes, struct image_plan *plan,
			   bool *failsafe, char window[160], struct image_error *error)
{
	(void)state;
	(void)backup;
	(void)bytes;
	(void)plan;
	(void)failsafe;
	(void)window;
	return image_fail(error, -EOPNOTSUPP, 0, "%s", image_format_name(target->format));
}
