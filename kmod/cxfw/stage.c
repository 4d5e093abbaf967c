// SPDX-License-Identifier: GPL-2.0-only
/* Staging: an image and its plan come in from user space, are checked and sealed. */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "component.h"
#include "netlink.h"
#include "sha256.h"

/*
 * Memory accounting to the caller may be switched off (openEuler's default), so the
 * driver has a limit of its own for everything that is staged at one time.
 */
#define STAGED_MAX	(256ULL << 20)

static atomic64_t staged = ATOMIC64_INIT(0);

static int reserve(u64 bytes, char *why)
{
	if (atomic64_add_return(bytes, &staged) <= (s64)STAGED_MAX)
		return 0;
	atomic64_sub(bytes, &staged);
	snprintf(why, CXFW_WHY_LENGTH, "%llu MiB are staged on all cards together at most", STAGED_MAX >> 20);
	return -EDQUOT;
}

void cxfw_stage_free(struct cxfw_held_stage *stage)
{
	if (!stage)
		return;
	kvfree(stage->plan.image);
	kfree(stage->plan.segments);
	put_pid(stage->owner);
	atomic64_sub(stage->bytes, &staged);
	kfree(stage);
}

static int check_sizes(const struct cxfw_stage *head, u32 room, char *why)
{
	if (!head->image_length || head->image_length > room) {
		snprintf(why, CXFW_WHY_LENGTH, "the image has %u bytes, %s %u", head->image_length,
			 head->flags & CXFW_PLAN_COMPONENT ? "a component at most" : "the flash has", room);
		return -EINVAL;
	}
	if (!head->segment_count || head->segment_count > CXFW_SEGMENTS_MAX) {
		snprintf(why, CXFW_WHY_LENGTH, "%u segments, expected 1 to %u", head->segment_count,
			 CXFW_SEGMENTS_MAX);
		return -EINVAL;
	}
	return 0;
}

/* Over the limit of the caller's group this fails; without RETRY_MAYFAIL it would be killed instead. */
static int copy_in(struct cxfw_held_stage *stage, const struct cxfw_stage *head, char *why)
{
	size_t segments = head->segment_count * sizeof(struct cxfw_segment);

	stage->plan.segments = memdup_user(u64_to_user_ptr(head->segments), segments);
	if (IS_ERR(stage->plan.segments)) {
		int error = PTR_ERR(stage->plan.segments);

		stage->plan.segments = NULL;
		return error;
	}
	stage->plan.image = kvmalloc(head->image_length, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!stage->plan.image) {
		snprintf(why, CXFW_WHY_LENGTH, "no memory for an image of %u bytes", head->image_length);
		return -ENOMEM;
	}
	return copy_from_user(stage->plan.image, u64_to_user_ptr(head->image), head->image_length) ? -EFAULT : 0;
}

/* Seals the plan without its pointers, the segments and the image. */
static int seal(struct cxfw_plan *plan)
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	u8 digest[32];
	int error, finish;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = cxfw_sha256_update(hash, &plan->head, sizeof(plan->head));
	if (!error)
		error = cxfw_sha256_update(hash, plan->segments,
					   plan->head.segment_count * sizeof(struct cxfw_segment));
	if (!error)
		error = cxfw_sha256_update(hash, plan->image, plan->head.image_length);
	finish = cxfw_sha256_finish(hash, digest);
	if (error || finish)
		return error ? error : finish;
	memcpy(plan->head.stage_sha256, digest, sizeof(digest));
	return 0;
}

static int check_plan(const struct cxfw_plan *plan, char *why)
{
	return plan->head.flags & CXFW_PLAN_COMPONENT ? cxfw_component_check(plan, why) : cxfw_plan_check(plan, why);
}

struct cxfw_held_stage *cxfw_stage_make(const struct cxfw_stage *head, u32 room, char *why)
{
	struct cxfw_held_stage *stage;
	int error;

	error = check_sizes(head, room, why);
	if (!error)
		error = reserve(head->image_length, why);
	if (error)
		return ERR_PTR(error);
	stage = kzalloc(sizeof(*stage), GFP_KERNEL);
	if (!stage) {
		atomic64_sub(head->image_length, &staged);
		return ERR_PTR(-ENOMEM);
	}
	stage->bytes = head->image_length;
	stage->owner = get_pid(task_tgid(current));
	stage->plan.head = *head;
	stage->plan.head.size = sizeof(*head);
	stage->plan.head.image = 0;
	stage->plan.head.segments = 0;
	memset(stage->plan.head.stage_sha256, 0, sizeof(stage->plan.head.stage_sha256));
	error = copy_in(stage, head, why);
	if (!error)
		error = check_plan(&stage->plan, why);
	if (!error)
		error = seal(&stage->plan);
	if (!error)
		return stage;
	cxfw_stage_free(stage);
	return ERR_PTR(error);
}
