// SPDX-License-Identifier: GPL-2.0-only
/* The grammar of plans, as far as it can be checked without the card. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "plan_private.h"
#include "sha256.h"

#define refuse(why, ...) cxfw_plan_refuse(why, __VA_ARGS__)

static int check_window(const struct cxfw_stage *head, const struct cxfw_format *format, char *why)
{
	/* FS3 and later: one chunk is the slot. */
	u32 slot = format->striped ? head->flash_size / 2 : 1U << head->log2_chunk;

	if (head->window_length > slot || head->window_length & 3)
		return refuse(why, "plan: window_length %#x is more than a slot, %#x", head->window_length, slot);
	if (head->image_length > head->window_length || head->image_length & 3 ||
	    head->image_length < CXFW_HEADER_BYTES)
		return refuse(why, "plan: image_length %#x does not fit the window, %#x", head->image_length,
			      head->window_length);
	return 0;
}

/* Slot sizes of FS3 and later may differ between the images, as long as the window ends before the kept one. */
static bool may_be_old(const struct cxfw_stage *head, u32 address)
{
	unsigned int i;

	if (head->target_slot)
		return !address;
	for (i = 1; i < CXFW_MAGIC_PLACES; i++)
		if (address == cxfw_magic_places[i])
			return address < head->flash_size && address >= head->window_length;
	return false;
}

static int check_old(const struct cxfw_stage *head, const struct cxfw_format *format, char *why)
{
	u32 other = head->target_slot ? 0 : 1U << head->log2_chunk;

	if (head->flags & CXFW_PLAN_RECOVERY)
		other = CXFW_NO_ADDRESS;
	else if (!format->striped && may_be_old(head, head->old_address))
		return 0;
	if (head->old_address != other)
		return refuse(why, "plan: old_address is %#x, expected %#x", head->old_address, other);
	return 0;
}

static int check_numbers(const struct cxfw_stage *head, char *why)
{
	const struct cxfw_format *format = cxfw_format_find(head->format);
	int error;

	if (!format)
		return refuse(why, "plan: format %u is not one that this driver burns", head->format);
	if (head->flags & ~(CXFW_PLAN_RECOVERY | CXFW_PLAN_CLEAR_PROTECTION))
		return refuse(why, "plan: unknown flags %#x",
			      head->flags & ~(CXFW_PLAN_RECOVERY | CXFW_PLAN_CLEAR_PROTECTION));
	if (head->log2_chunk < CXFW_LOG2_LEAST || head->log2_chunk > format->log2_most)
		return refuse(why, "plan: log2_chunk is %u, expected %u to %u", head->log2_chunk, CXFW_LOG2_LEAST,
			      format->log2_most);
	if (head->target_slot > 1)
		return refuse(why, "plan: target_slot is %u, expected 0 or 1", head->target_slot);
	if (head->flash_size & (head->flash_size - 1) || head->flash_size < 2U << head->log2_chunk)
		return refuse(why, "plan: flash_size %#x does not hold two chunks of %#x", head->flash_size,
			      1U << head->log2_chunk);
	if (head->target_address || head->component)
		return refuse(why, "plan: target_address %#x and component %u belong to other plans",
			      head->target_address, head->component);
	error = check_window(head, format, why);
	return error ? error : check_old(head, format, why);
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

int cxfw_plan_check_digest(const struct cxfw_plan *plan, char *why)
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

struct cxfw_image_source cxfw_plan_source(const struct cxfw_plan *plan)
{
	struct cxfw_image_source source = {
		.read = memory_read,
		.context = (void *)plan,
		.length = plan->head.image_length,
		/* A boot ROM may mind; with no image on the flash nothing is lost. */
		.may_be_blank = plan->head.flags & CXFW_PLAN_RECOVERY,
	};

	return source;
}

/* Boot code that looks there would find a magic with no image behind it. */
static int check_magics(const struct cxfw_plan *plan, char *why)
{
	struct cxfw_window window = { .log2_chunk = plan->head.log2_chunk, .slot = plan->head.target_slot };
	u32 i, logical;

	for (i = 0; i < CXFW_MAGIC_PLACES; i++) {
		if (!cxfw_window_logical(&window, cxfw_magic_places[i], &logical) || !logical ||
		    logical > plan->head.image_length - CXFW_MAGIC_BYTES)
			continue;
		if (cxfw_is_magic(plan->image + logical))
			return refuse(why, "plan: the image would put a second magic at %#x",
				      cxfw_magic_places[i]);
	}
	return 0;
}

static int check_layout(const struct cxfw_plan *plan, const struct cxfw_image_layout *layout, char *why)
{
	bool fits = layout->image_length == plan->head.image_length;

	/* What IMAGE_INFO says to burn of a FS5 image may go on behind its last section. */
	if (plan->head.format == CXFW_FORMAT_FS5)
		fits = layout->image_length <= plan->head.image_length;
	if (!layout->failsafe || layout->log2_chunk != plan->head.log2_chunk || !fits)
		return refuse(why, "plan: the image's own layout is not the plan's");
	return 0;
}

static int check_image(const struct cxfw_plan *plan, char *why)
{
	const struct cxfw_format *format = cxfw_format_find(plan->head.format);
	struct cxfw_image_source source = cxfw_plan_source(plan);
	struct cxfw_image_layout layout;
	char what[CXFW_WHY_LENGTH] = "";
	bool supported = true;
	int error;

	error = format->walk(&source, true, &layout, what);
	if (error == -EBADMSG)
		return refuse(why, "plan: the image would not boot: %.150s", what);
	if (!error)
		error = check_layout(plan, &layout, why);
	if (!error && layout.info)
		error = cxfw_image_supports(&source, layout.info, plan->head.hw_id, &supported);
	if (error)
		return error;
	if (!supported)
		return refuse(why, "plan: the image would not boot: it is not for hardware id %#x", plan->head.hw_id);
	return check_magics(plan, why);
}

int cxfw_plan_check(const struct cxfw_plan *plan, char *why)
{
	int error;

	if (plan->head.flags & CXFW_PLAN_DEVICE_DATA)
		return cxfw_device_data_check(plan, why);
	error = check_numbers(&plan->head, why);
	if (!error)
		error = check_segments(plan, why);
	if (!error)
		error = check_image(plan, why);
	if (!error)
		error = cxfw_plan_check_digest(plan, why);
	return error;
}
