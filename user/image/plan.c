// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands on a flash, and the plan of a burn of any format. firmware-images.md 5.
 * The driver enforces the plan's grammar on its own; here it is only built.
 */
#include <errno.h>

#include "plan_private.h"
#include "sha256.h"

#define HEADER_SECTOR 4096	/* bytes that old_sha256 covers */
#define FIRST_DEVICE_TYPE 0xe0	/* section types of device data: firmware-images.md 3.4 */
#define LAST_DEVICE_TYPE 0xf7

/* ---- what stands on the flash ---- */

/* What a verification finds beside device data, which an image boots without. */
struct soundness {
	const struct image_facts *facts;
	bool damaged;
};

static bool names_device_data(const char *part)
{
	uint32_t type;

	if (!strcmp(part, "DTOC") || !strcmp(part, section_type_name(0)))
		return true;
	for (type = FIRST_DEVICE_TYPE; type <= LAST_DEVICE_TYPE; type++)
		if (!strcmp(part, section_type_name(type)))
			return true;
	return false;
}

/*
 * What the ITOC of FS3 says of device data is the image's own, but for one word of each entry: the CRC
 * of what stands there.
 */
static bool is_beside(const struct image_facts *facts, uint64_t where)
{
	if (facts->place.format != IMAGE_FS3)
		return facts->place.format > IMAGE_FS3;
	return where >= facts->length || where % TOC_ENTRY == 0x18;
}

static void weigh(void *context, const struct image_finding *finding)
{
	struct soundness *soundness = context;

	if (finding->verdict != IMAGE_DAMAGED)
		return;
	if (names_device_data(finding->part) && is_beside(soundness->facts, finding->where))
		return;
	soundness->damaged = true;
}

int image_is_sound(const struct image_reader *reader, const struct image_place *place, bool *sound,
		   struct image_error *error)
{
	struct image_facts facts;
	struct soundness soundness = { .facts = &facts };
	struct image_listener listener = { .finding = weigh, .context = &soundness };
	enum image_verdict verdict;
	int code;

	*sound = false;
	code = image_facts(reader, place, IMAGE_NO_ROM, &facts, error);
	if (code == -EBADMSG || code == -EOPNOTSUPP)
		return 0;
	if (!code)
		code = image_verify(reader, place, &listener, &verdict, error);
	*sound = !code && !soundness.damaged;
	return code;
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

static bool may_stand(const struct image_target *target, const struct image_place *place)
{
	return place->format == target->format && !place->misplaced;
}

/* Live images of the chip's format that stand where one may stand; the whole ones when there are any. */
static size_t candidates(const struct image_target *target, const struct image_flash_state *state,
			 size_t *found, bool only_whole)
{
	size_t i, count = 0;

	for (i = 0; i < state->place_count; i++)
		if (may_stand(target, &state->places[i]) && (state->whole[i] || !only_whole))
			found[count++] = i;
	return count;
}

/* Facts of the first image that still tells them. */
static int damaged_facts(const struct image_target *target, struct image_flash_state *state,
			 const size_t *found, size_t count, struct image_error *error)
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

	count = candidates(target, state, found, true);
	state->whole_count = count;
	if (!count) {
		count = candidates(target, state, found, false);
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
	for (i = 0; i < state->place_count && !code; i++)
		if (may_stand(target, &state->places[i]))
			code = image_is_sound(target->flash, &state->places[i], &state->whole[i], error);
	return code ? code : choose_old(target, state, error);
}

/* ---- the plan ---- */

/*
 * Bytes that the driver erases at most: whole blocks where more than half of one is to be
 * written and the window leaves room, sectors elsewhere.
 */
static uint32_t erased_bytes(const struct image_target *target, uint32_t length, uint32_t window)
{
	uint32_t block = target->flash_block, at = 0;

	if (block <= target->flash_sector)
		return plan_round_up(length, target->flash_sector);
	while (at < length && length - at > block / 2 && at + block <= window)
		at += block;
	return at < length ? at + plan_round_up(length - at, target->flash_sector) : at;
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

static int check_image(const struct image_target *target, const struct image_flash_state *state,
		       size_t length, const struct image_facts *facts, struct image_error *error)
{
	const struct image_place *old = state->has_old ? &state->places[state->old] : NULL;

	if (!old && !target->recovery)
		return image_fail(error, -EBADMSG, 0,
				  _("the card runs firmware, but its flash shows %zu live images and none is whole: nothing safe to keep"),
				  state->place_count);
	if (facts->place.format != target->format)
		return image_fail(error, -EOPNOTSUPP, 0, _("an image of format %s for a chip that boots %s"),
				  image_format_name(facts->place.format), image_format_name(target->format));
	if (!facts->failsafe || !facts->place.log2_chunk || facts->place.log2_chunk > 30)
		return image_fail(error, -EOPNOTSUPP, 0,
				  _("the image is not of the failsafe kind: it cannot be burned beside the one that runs"));
	if (old && !old->log2_chunk)
		return image_fail(error, -EOPNOTSUPP, old->address,
				  _("the card's image is not of the failsafe kind: another cannot be burned beside it"));
	if (length & 3 || length <= IMAGE_MAGIC_LENGTH || length > INT32_MAX || length != facts->length)
		return image_fail(error, -EINVAL, 0, _("the image has %zu bytes, its header says %u"), length,
				  facts->length);
	if (!target->flash_sector || target->flash_sector > 1U << facts->place.log2_chunk)
		return image_fail(error, -EINVAL, 0,
				  _("the flash erases 0x%x bytes at a time, a chunk of the image has 0x%x"),
				  target->flash_sector, 1U << facts->place.log2_chunk);
	return 0;
}

int image_plan_make(const struct image_target *target, const struct image_flash_state *state,
		    const uint8_t *image, size_t length, const struct image_facts *facts,
		    struct image_plan *plan, struct image_error *error)
{
	int code = check_image(target, state, length, facts, error);

	memset(plan, 0, sizeof(*plan));
	if (code)
		return code;
	plan->format = target->format;
	plan->image_length = length;
	plan->flash_size = target->flash->size;
	plan->log2_chunk = facts->place.log2_chunk;
	choose_slot(state, plan->log2_chunk, plan);
	if (target->format == IMAGE_FS2)
		code = fs2_plan_window(target, state, facts, length, plan, error);
	else
		code = toc_plan_window(target, state, image, length, facts, plan, error);
	if (code)
		return code;
	plan->segment_count = 1;
	plan->segment_offset[0] = IMAGE_MAGIC_LENGTH;
	plan->segment_length[0] = length - IMAGE_MAGIC_LENGTH;
	plan->bytes_to_erase = erased_bytes(target, length, plan->window_length);
	plan->bytes_to_program = length;
	image_sha256(image + IMAGE_MAGIC_LENGTH, length - IMAGE_MAGIC_LENGTH, plan->segments_sha256);
	return hash_old(target, plan, error);
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
