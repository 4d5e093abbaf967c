// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order, as tools and drivers keep it (device-access.md 4.2):
 *
 *   check     the card is what the plan was built from, and its firmware takes the component
 *   prepare   lock the update handle, name the component and its size
 *   write     send it block by block
 *   verify    the firmware's own check
 *   commit    the firmware activates what it verified: no cancel from here on
 *   end       release the handle
 *
 * Whatever ends it before the commit ends in CANCEL and RELEASE.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "component.h"
#include "device.h"
#include "mcc.h"
#include "reg.h"
#include "sha256.h"

#define LOCK_TIMEOUT_MS		4000
#define RELEASE_TIMEOUT_MS	1000	/* a reboot waits no longer than 2 s for the whole job */
#define PREPARE_TIMEOUT_MS	60000	/* Linux waits 30 s; the flash may be erased meanwhile */
#define VERIFY_TIMEOUT_MS	240000	/* mstflint: 3000 tries of 80 ms */
#define COMMIT_TIMEOUT_MS	60000

#define BLOCK_COMMON		128

/* ---- what the firmware offers ---- */

#define MCAM_SEND	4
#define MCAM_BYTES	0xc
#define MCAM_WANTED	0xf	/* at 0x08 of group 0: MCQS, MCQI, MCC, MCDA */

static int ask_offer(struct cxfw_device *device)
{
	struct cxfw_reg_status status = { 0 };
	__be32 data[MCAM_BYTES / 4] = { 0 };
	int error;

	if (device->components != CXFW_OFFER_UNKNOWN)
		return 0;
	if (!device->gateway.vsc || device->recovery ||
	    (device->chip && device->chip->family == CXFW_FAMILY_MLX4)) {
		device->components = CXFW_OFFER_NO;
		return 0;
	}
	error = cxfw_reg(device, CXFW_REG_MCAM, CXFW_METHOD_GET, data, MCAM_SEND, MCAM_BYTES, &status);
	/* Refused, it is old firmware; without an answer nothing is known yet. */
	if (error && !(error == -EIO && status.reg))
		return error;
	device->components = !error && (be32_to_cpu(data[2]) & MCAM_WANTED) == MCAM_WANTED ? CXFW_OFFER_YES :
											      CXFW_OFFER_NO;
	return 0;
}

bool cxfw_has_components(struct cxfw_device *device)
{
	return !ask_offer(device) && device->components == CXFW_OFFER_YES;
}

/* ---- the update handle ---- */

static int held(struct cxfw_device *device, const struct cxfw_mcc *mcc)
{
	static const char *const owners[] = {
		"somebody", "the chassis controller", "somebody over the fabric (MAD)", "the machine's controller (BMC)",
		"a driver (devlink)", "another tool",
	};

	return cxfw_fail_semaphore(device, -EBUSY, CXFW_SEMAPHORE_UPDATE_HANDLE, mcc->handle,
			 "%s holds the firmware's update handle, %#x (state %u, host %u): an update goes on, or was left behind",
			 mcc->owner_type < ARRAY_SIZE(owners) ? owners[mcc->owner_type] : owners[0], mcc->handle,
			 mcc->state, mcc->owner_host);
}

/* A failed LOCK: who was faster? */
static int lock_failed(struct cxfw_device *device, int error)
{
	char why[CXFW_WHY_LENGTH];
	struct cxfw_mcc mcc;

	memcpy(why, device->why, sizeof(why));
	if (error != -ENODEV && error != -EINTR && !cxfw_mcc_query(device, 0, &mcc) &&
	    mcc.state != CXFW_MCC_IDLE)
		return held(device, &mcc);
	memcpy(device->why, why, sizeof(why));
	return error;
}

int cxfw_update_handle_take(struct cxfw_device *device, u32 *handle)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = LOCK_TIMEOUT_MS };
	struct cxfw_mcc_order order = { .instruction = CXFW_MCC_LOCK, .doing = "locking the update handle" };
	struct cxfw_mcc mcc;
	int error;

	*handle = 0;
	error = ask_offer(device);
	if (error || device->components != CXFW_OFFER_YES)
		return error;
	error = cxfw_mcc_query(device, 0, &mcc);
	if (error)
		return error;
	if (mcc.state != CXFW_MCC_IDLE)
		return held(device, &mcc);
	if (!mcc.handle)
		return cxfw_fail(device, -EIO, "the firmware offers no update handle");
	order.handle = mcc.handle;
	error = cxfw_mcc_order(device, &order, CXFW_MCC_LOCKED, &patience, &mcc);
	if (error == -ETIMEDOUT || error == -EINTR) {
		/* It may come late. */
		cxfw_update_handle_give(device, order.handle);
		return error;
	}
	if (error)
		return lock_failed(device, error);
	*handle = order.handle;
	return 0;
}

/* The last words of a handle: neither a signal nor gone keeps us from them. */
static int last_order(struct cxfw_device *device, u32 handle, enum cxfw_mcc_instruction instruction)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = RELEASE_TIMEOUT_MS };
	const struct cxfw_mcc_order order = {
		.instruction = instruction, .handle = handle, .doing = "giving the update handle back",
	};
	u32 semaphore = device->semaphore, value = device->semaphore_value, code = device->mcc_error;
	char why[CXFW_WHY_LENGTH];
	struct cxfw_mcc mcc;
	int error;

	memcpy(why, device->why, sizeof(why));
	error = cxfw_device_present(device);
	if (!error) {
		device->finishing = true;
		error = cxfw_mcc_order(device, &order, CXFW_MCC_ANY, &patience, &mcc);
		device->finishing = false;
	}
	memcpy(device->why, why, sizeof(why));
	device->semaphore = semaphore;
	device->semaphore_value = value;
	device->mcc_error = code;
	return error;
}

void cxfw_update_handle_give(struct cxfw_device *device, u32 handle)
{
	int error;

	if (!handle)
		return;
	error = last_order(device, handle, CXFW_MCC_RELEASE);
	if (error && error != -ENODEV && error != -ESTALE)
		pci_warn(device->pdev, "cxfw: the firmware's update handle was not given back (error %d)\n",
			 error);
}

int cxfw_update_handle_clear(struct cxfw_device *device, u32 handle)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = LOCK_TIMEOUT_MS };
	const struct cxfw_mcc_order order = {
		.instruction = CXFW_MCC_FORCE_RELEASE, .handle = handle, .doing = "taking the update handle away",
	};
	struct cxfw_mcc mcc;
	int error = cxfw_mcc_query(device, 0, &mcc);

	if (error)
		return error;
	if (mcc.state == CXFW_MCC_IDLE || mcc.handle != handle)
		return cxfw_fail(device, -ESTALE, "the update handle is %#x in state %u, not held as %#x",
				 mcc.handle,
				 mcc.state, handle);
	error = cxfw_mcc_order(device, &order, CXFW_MCC_ANY, &patience, &mcc);
	if (!error)
		error = cxfw_mcc_query(device, 0, &mcc);
	if (!error && mcc.state != CXFW_MCC_IDLE)
		return held(device, &mcc);
	return error;
}

static void give_up(struct cxfw_device *device, u32 handle)
{
	last_order(device, handle, CXFW_MCC_CANCEL);
	cxfw_update_handle_give(device, handle);
}

/* ---- the grammar ---- */

#define refuse(why, ...) (snprintf(why, CXFW_WHY_LENGTH, __VA_ARGS__), -EINVAL)

static int check_digest(const struct cxfw_plan *plan, char *why)
{
	struct cxfw_sha256 *hash = cxfw_sha256_start();
	u8 digest[32];
	int error, finish;

	if (IS_ERR(hash))
		return PTR_ERR(hash);
	error = cxfw_sha256_update(hash, plan->image, plan->head.image_length);
	finish = cxfw_sha256_finish(hash, digest);
	if (error || finish)
		return error ? error : finish;
	if (memcmp(digest, plan->head.segments_sha256, sizeof(digest)))
		return refuse(why, "plan: segments_sha256 is not that of the image");
	return 0;
}

int cxfw_component_check(const struct cxfw_plan *plan, char *why)
{
	const struct cxfw_stage *head = &plan->head;

	if (head->flags != CXFW_PLAN_COMPONENT)
		return refuse(why, "plan: flags %#x do not go together", head->flags);
	/* Tokens and configurations open doors: they are not firmware, and not burned. */
	if (head->component != CXFW_COMPONENT_BOOT_IMG)
		return refuse(why, "plan: component %u is not the boot image, %u", head->component,
			      CXFW_COMPONENT_BOOT_IMG);
	if (head->format || head->flash_size || head->log2_chunk || head->target_slot || head->window_length ||
	    head->target_address || head->old_address != CXFW_NO_ADDRESS ||
	    memchr_inv(head->old_sha256, 0, sizeof(head->old_sha256)))
		return refuse(why, "plan: a component update has no place on the flash");
	if (!head->image_length || head->image_length & 3)
		return refuse(why, "plan: image_length %#x is not a multiple of 4", head->image_length);
	if (head->segment_count != 1 || plan->segments[0].offset ||
	    plan->segments[0].length != head->image_length)
		return refuse(why, "plan: a component update has one segment, all of it");
	return check_digest(plan, why);
}

/* ---- the update ---- */

struct run {
	struct cxfw_device *device;
	const struct cxfw_plan *plan;
	struct cxfw_plan_watch *watch;
	struct cxfw_component_facts component;
	enum cxfw_job_phase phase;
	bool may_stop;
	u32 handle;
};

static int tell(struct run *run, u64 done)
{
	u64 total = run->plan->head.image_length;
	int error = run->watch->progress(run->watch, run->phase, done, total, run->may_stop);

	if (!error || !run->may_stop)
		return 0;
	return cxfw_fail(run->device, error,
			 "stopped at a safe point; the firmware keeps the image that it runs");
}

static int enter_phase(struct run *run, enum cxfw_job_phase phase)
{
	int error;

	run->phase = phase;
	error = tell(run, 0);
	/* What the firmware has begun to activate it cannot be asked to leave. */
	if (phase == CXFW_PHASE_COMMIT)
		run->may_stop = false;
	return error;
}

static int pause(void *context, const struct cxfw_mcc *mcc)
{
	struct run *run = context;

	return tell(run, (u64)run->plan->head.image_length * min_t(u32, mcc->progress, 99) / 100);
}

static int order(struct run *run, enum cxfw_mcc_instruction instruction, u32 wanted, unsigned int timeout_ms,
		 const char *doing)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = timeout_ms, .pause = pause, .context = run };
	const struct cxfw_mcc_order order = {
		.instruction = instruction,
		.handle = run->handle,
		.index = run->component.index,
		.size = instruction == CXFW_MCC_UPDATE ? run->plan->head.image_length : 0,
		.doing = doing,
	};
	struct cxfw_mcc mcc;

	return cxfw_mcc_order(run->device, &order, wanted, &patience, &mcc);
}

static int phase_check(struct run *run, bool signed_only)
{
	const struct cxfw_stage *head = &run->plan->head;
	struct cxfw_device *device = run->device;
	int error;

	error = enter_phase(run, CXFW_PHASE_CHECK);
	if (error)
		return error;
	if (device->hw_id != head->hw_id || device->hw_revision != head->hw_revision)
		return cxfw_fail(device, -ESTALE,
				 "the plan is for hardware id %#x revision %#x, the card is %#x %#x",
				 head->hw_id, head->hw_revision, device->hw_id, device->hw_revision);
	error = ask_offer(device);
	if (error)
		return error;
	if (device->components != CXFW_OFFER_YES)
		return cxfw_fail(device, -EOPNOTSUPP,
				 "this card's firmware offers no update of its components");
	error = cxfw_component_find(device, head->component, &run->component);
	if (error)
		return error;
	if (head->image_length > run->component.most)
		return cxfw_fail(device, -EFBIG, "the image has %u bytes, the firmware takes %u at most",
				 head->image_length, run->component.most);
	if (signed_only && !run->component.signed_only)
		return cxfw_fail(device, -EPERM,
				 "the module was loaded with burn=signed, and this card's firmware takes images without a signature as well");
	return 0;
}

static int phase_prepare(struct run *run)
{
	int error = enter_phase(run, CXFW_PHASE_PREPARE);

	if (!error)
		error = cxfw_update_handle_take(run->device, &run->handle);
	if (!error)
		error = order(run, CXFW_MCC_UPDATE, CXFW_MCC_DOWNLOAD, PREPARE_TIMEOUT_MS,
			      "naming the component");
	return error;
}

static int phase_write(struct run *run)
{
	const struct cxfw_stage *head = &run->plan->head;
	u32 offset = 0, block = run->component.block;
	int error = enter_phase(run, CXFW_PHASE_WRITE);

	while (!error && offset < head->image_length) {
		error = cxfw_mcda_write(run->device, run->handle, run->plan->image, head->image_length, block,
					&offset);
		/* Firmware may name a size that is not meant for this way of access. */
		if (error == -EIO && !offset && block > BLOCK_COMMON && !run->device->mcc_error) {
			block = BLOCK_COMMON;
			error = 0;
			continue;
		}
		if (!error)
			error = tell(run, offset);
	}
	return error;
}

static int phase_verify(struct run *run)
{
	int error = enter_phase(run, CXFW_PHASE_VERIFY);

	if (!error)
		error = order(run, CXFW_MCC_VERIFY, CXFW_MCC_LOCKED, VERIFY_TIMEOUT_MS,
			      "verifying the image");
	return error;
}

static int phase_commit(struct run *run)
{
	int error = enter_phase(run, CXFW_PHASE_COMMIT);

	if (!error)
		error = order(run, CXFW_MCC_ACTIVATE, CXFW_MCC_LOCKED, COMMIT_TIMEOUT_MS,
			      "activating the image");
	return error;
}

static int run_locked(struct run *run)
{
	int error = phase_prepare(run);

	if (!error)
		error = phase_write(run);
	if (!error)
		error = phase_verify(run);
	if (!error)
		error = phase_commit(run);
	if (!run->handle)
		return error;
	if (error)
		give_up(run->device, run->handle);
	else
		cxfw_update_handle_give(run->device, run->handle);
	return error;
}

/* The flash lock is what other tools look for before they write the flash themselves. */
int cxfw_component_run(struct cxfw_device *device, const struct cxfw_plan *plan,
		       struct cxfw_plan_watch *watch,
		       bool signed_only)
{
	struct run run = { .device = device, .plan = plan, .watch = watch, .may_stop = true };
	int error;

	device->why[0] = '\0';
	device->mcc_error = 0;
	error = phase_check(&run, signed_only);
	if (!error)
		error = cxfw_flash_lock(device);
	if (error)
		return error;
	error = run_locked(&run);
	cxfw_flash_unlock(device);
	return error;
}

/* ---- reading ---- */

static int read_locked(struct cxfw_device *device, const struct cxfw_mcc_order *order, u32 offset, u8 *buffer,
		       u32 *length, u32 *total)
{
	const struct cxfw_mcc_patience patience = { .timeout_ms = PREPARE_TIMEOUT_MS };
	struct cxfw_mcc mcc;
	u32 done = 0;
	int part;

	part = cxfw_mcc_order(device, order, CXFW_MCC_UPLOAD, &patience, &mcc);
	if (part)
		return part;
	if (mcc.size)
		*total = mcc.size;
	*length = offset < *total ? min_t(u32, *length, *total - offset) & ~3U : 0;
	while (done < *length) {
		part = cxfw_mcda_read(device, order->handle, offset + done, buffer + done, *length - done);
		if (part < 0)
			return part;
		done += part;
	}
	return 0;
}

int cxfw_component_read(struct cxfw_device *device, u32 component, bool pending, u32 offset, u8 *buffer,
			u32 *length, u32 *total)
{
	struct cxfw_mcc_order order = {
		.instruction = pending ? CXFW_MCC_READ_PENDING : CXFW_MCC_READ,
		.doing = "asking to read a component",
	};
	struct cxfw_component_facts facts;
	int error;

	device->mcc_error = 0;
	error = ask_offer(device);
	if (error)
		return error;
	if (device->components != CXFW_OFFER_YES)
		return cxfw_fail(device, -EOPNOTSUPP, "this card's firmware offers no components");
	error = cxfw_component_find(device, component, &facts);
	if (error)
		return error;
	if (!facts.may_read)
		return cxfw_fail(device, -EOPNOTSUPP, "the firmware does not let component %u be read",
				 component);
	order.index = facts.index;
	*total = facts.size;
	error = cxfw_flash_lock(device);
	if (error)
		return error;
	error = cxfw_update_handle_take(device, &order.handle);
	if (!error) {
		error = read_locked(device, &order, offset, buffer, length, total);
		if (error)
			give_up(device, order.handle);
		else
			cxfw_update_handle_give(device, order.handle);
	}
	cxfw_flash_unlock(device);
	return error;
}
