// SPDX-License-Identifier: GPL-2.0-only
/*
 * A job holds the card's mutex while it calls into the plan and lets others in at every
 * progress report. It holds a reference on the module and on the card, and needs nothing
 * of the client that started it.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/pm_runtime.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "component.h"
#include "job.h"
#include "netlink.h"

#define FINISHED_MAX		64		/* finished jobs that stay readable */
#define PROGRESS_EVERY		(HZ / 10)	/* between two progress events of one phase */
#define REBOOT_WAIT		(2 * HZ)

struct cxfw_job {
	struct list_head node;
	struct work_struct work;
	struct cxfw_card *card;			/* referenced while it runs */
	struct cxfw_held_stage *stage;
	struct cxfw_plan_watch watch;
	char comm[TASK_COMM_LEN];
	u64 erased_before, programmed_before;	/* the card's counters when it started */
	unsigned long last_event;
	char given_away[CXFW_WHY_LENGTH];	/* who took the card from us; empty: nobody */
	struct cxfw_job_facts facts;
	bool cancelled;
};

/* Guards everything here, the facts of all jobs and cxfw_card.job. Nothing sleeps under it for long. */
static DEFINE_MUTEX(jobs_lock);
static LIST_HEAD(jobs);				/* by rising id */
static u64 last_id;
static unsigned int running, finished;
static bool suspending, rebooting;
static DECLARE_WAIT_QUEUE_HEAD(ended);		/* woken when a job ends */

static struct workqueue_struct *workers;

static const char *const phase_names[] = {
	[CXFW_PHASE_UNSPEC] = "starting",
	[CXFW_PHASE_CHECK] = "checking card and flash",
	[CXFW_PHASE_PREPARE] = "preparing the target",
	[CXFW_PHASE_WRITE] = "writing",
	[CXFW_PHASE_VERIFY] = "verifying",
	[CXFW_PHASE_COMMIT] = "committing",
	[CXFW_PHASE_INVALIDATE] = "invalidating the old image",
	[CXFW_PHASE_END] = "ending",
};

static const char *phase_name(u32 phase)
{
	return phase < ARRAY_SIZE(phase_names) ? phase_names[phase] : "working";
}

/* ---- progress, called by the plan with the card's mutex held ---- */

static void take_counters(struct cxfw_job *job)
{
	const struct cxfw_flash *flash = &job->card->device.flash;

	job->facts.erased = flash->erased - job->erased_before;
	job->facts.programmed = flash->programmed - job->programmed_before;
	job->facts.skipped = job->watch.skipped;
}

/* Why a job should stop now, or 0. From the commit on it does not stop any more. */
static int reason_to_stop(struct cxfw_job *job)
{
	if (READ_ONCE(job->card->device.gone))
		return -ENODEV;
	if (job->facts.phase > CXFW_PHASE_COMMIT)
		return 0;
	if (rebooting)
		return -ESHUTDOWN;
	return job->cancelled ? -ECANCELED : 0;
}

static int record(struct cxfw_job *job, enum cxfw_job_phase phase, u64 done, u64 total, bool may_stop)
{
	bool other_phase, event;
	struct cxfw_job_facts facts;
	int error;

	mutex_lock(&jobs_lock);
	/* Asked before the phase becomes COMMIT, so that whoever cancels is told the truth. */
	error = may_stop ? reason_to_stop(job) : 0;
	other_phase = job->facts.phase != phase;
	if (!error)
		job->facts.phase = phase;
	job->facts.done = done;
	job->facts.total = total;
	take_counters(job);
	event = other_phase || done == total || time_after(jiffies, job->last_event + PROGRESS_EVERY);
	if (event)
		job->last_event = jiffies;
	facts = job->facts;
	mutex_unlock(&jobs_lock);
	if (event)
		cxfw_event_job(CXFW_EVENT_JOB_PROGRESS, &facts);
	return error;
}

static int progress(struct cxfw_plan_watch *watch, enum cxfw_job_phase phase, u64 done, u64 total,
		    bool may_stop)
{
	struct cxfw_job *job = container_of(watch, struct cxfw_job, watch);
	struct cxfw_card *card = job->card;

	/* Others ask their questions now. */
	mutex_unlock(&card->lock);
	cond_resched();
	mutex_lock(&card->lock);
	if (may_stop && phase <= CXFW_PHASE_COMMIT && cxfw_card_given_away(card, job->given_away))
		return -EBUSY;
	return record(job, phase, done, total, may_stop);
}

/* ---- running ---- */

/* What a job of each kind can say for itself: about its end, and about the card when it stopped early. */
static const struct {
	const char *done, *before_commit, *after_commit;
} ends[] = {
	[CXFW_JOB_KIND_UNSPEC] = { "done", "", "" },
	[CXFW_JOB_KIND_PLAN] = {
		"burned and verified; the new image boots at the next reset or power cycle",
		"the card boots what it booted before",
		"the new image may be committed or not, a whole one is there in either case",
	},
	[CXFW_JOB_KIND_DEVICE_DATA] = {
		"device data written and verified; the firmware reads it at the next reset or power cycle",
		"the card boots what it booted before; part of the device data is the new one",
		"the card boots what it booted before; part of the device data is the new one",
	},
	[CXFW_JOB_KIND_COMPONENT] = {
		"the firmware verified and activated the new image; it boots at the next reset or power cycle",
		"the firmware keeps the image that it runs",
		"the firmware may have activated the new image or not; the pending version tells",
	},
};

static void describe_end(struct cxfw_job *job, int error)
{
	struct cxfw_job_facts *facts = &job->facts;
	const char *where = phase_name(facts->phase);
	const char *state = facts->phase < CXFW_PHASE_COMMIT ? ends[facts->kind].before_commit :
							       ends[facts->kind].after_commit;
	char *message = facts->message;

	if (!error)
		snprintf(message, sizeof(facts->message), "%s", ends[facts->kind].done);
	else if (READ_ONCE(job->card->device.gone))
		snprintf(message, sizeof(facts->message), "the card was unplugged while %s; %s", where,
			 state);
	else if (error == -ECANCELED)
		snprintf(message, sizeof(facts->message), "cancelled while %s; %s", where, state);
	else if (error == -ESHUTDOWN)
		snprintf(message, sizeof(facts->message),
			 "stopped while %s because the machine goes down; %s",
			 where, state);
	else if (job->given_away[0])
		snprintf(message, sizeof(facts->message), "%.150s; %s", job->given_away, state);
	else if (job->card->device.why[0])
		snprintf(message, sizeof(facts->message), "%s", job->card->device.why);
	else
		snprintf(message, sizeof(facts->message), "failed while %s (error %d)", where, error);
}

static void forget_oldest(void)
{
	struct cxfw_job *job;

	list_for_each_entry(job, &jobs, node)
		if (job->facts.state != CXFW_JOB_RUNNING) {
			list_del(&job->node);
			kfree(job);
			finished--;
			return;
		}
}

/* After this the job may be freed by whoever ends the next one. */
static void end(struct cxfw_job *job, int error)
{
	struct cxfw_card *card = job->card;
	struct cxfw_job_facts facts;

	mutex_lock(&jobs_lock);
	take_counters(job);
	describe_end(job, error);
	if (!error)
		job->facts.phase = CXFW_PHASE_END;
	job->facts.error = -error;
	job->facts.state = error == -ECANCELED ? CXFW_JOB_CANCELLED : error ? CXFW_JOB_FAILED : CXFW_JOB_DONE;
	job->facts.card_error = error ? card->device.mcc_error : 0;
	facts = job->facts;
	job->card = NULL;
	job->stage = NULL;
	WRITE_ONCE(card->job, NULL);
	WRITE_ONCE(running, running - 1);
	if (++finished > FINISHED_MAX)
		forget_oldest();
	wake_up_all(&ended);
	mutex_unlock(&jobs_lock);

	if (error)
		pr_warn("cxfw: %s: job %llu: %s\n", facts.address, facts.id, facts.message);
	else
		pr_info("cxfw: %s: job %llu: %s\n", facts.address, facts.id, facts.message);
	cxfw_event_job(CXFW_EVENT_JOB_END, &facts);
}

static void run(struct work_struct *work)
{
	struct cxfw_job *job = container_of(work, struct cxfw_job, work);
	struct cxfw_held_stage *stage = job->stage;
	struct cxfw_card *card = job->card;
	struct cxfw_device *device = &card->device;
	int error;

	mutex_lock(&card->lock);
	pm_runtime_get_sync(&device->pdev->dev);
	device->why[0] = '\0';
	device->mcc_error = 0;
	if (READ_ONCE(device->gone))
		error = -ENODEV;
	else if (job->facts.kind == CXFW_JOB_KIND_COMPONENT)
		error = cxfw_component_run(device, &stage->plan, &job->watch, cxfw_burn_signed_only());
	else
		error = cxfw_plan_run(device, &stage->plan, &job->watch);
	end(job, error);
	pm_runtime_put(&device->pdev->dev);
	mutex_unlock(&card->lock);

	cxfw_stage_free(stage);
	cxfw_card_put(card);
	/* The module cannot go before the workqueue is destroyed, and that waits for this function. */
	module_put(THIS_MODULE);
}

/* ---- starting and asking ---- */

static int refuse_start(struct cxfw_card *card, char *why)
{
	const struct cxfw_job *job = card->job;

	if (job) {
		snprintf(why, CXFW_WHY_LENGTH,
			 "job %llu of process %u (%s) burns this card: %s, %llu of %llu bytes",
			 job->facts.id, job->facts.owner, job->comm, phase_name(job->facts.phase),
			 job->facts.done, job->facts.total);
		return -EBUSY;
	}
	if (suspending || rebooting) {
		snprintf(why, CXFW_WHY_LENGTH, "the machine is about to %s", rebooting ? "go down" : "sleep");
		return -EBUSY;
	}
	return 0;
}

static u32 kind_of(const struct cxfw_stage *head)
{
	if (head->flags & CXFW_PLAN_COMPONENT)
		return CXFW_JOB_KIND_COMPONENT;
	return head->flags & CXFW_PLAN_DEVICE_DATA ? CXFW_JOB_KIND_DEVICE_DATA : CXFW_JOB_KIND_PLAN;
}

static struct cxfw_job *new_job(struct cxfw_card *card, struct cxfw_held_stage *stage)
{
	struct cxfw_job *job = kzalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;
	INIT_WORK(&job->work, run);
	job->stage = stage;
	job->watch.progress = progress;
	job->erased_before = card->device.flash.erased;
	job->programmed_before = card->device.flash.programmed;
	get_task_comm(job->comm, current);
	job->facts.owner = task_tgid_nr(current);
	job->facts.card_index = card->index;
	job->facts.kind = kind_of(&stage->plan.head);
	job->facts.state = CXFW_JOB_RUNNING;
	strscpy(job->facts.address, card->address, sizeof(job->facts.address));
	return job;
}

int cxfw_job_start(struct cxfw_card *card, struct cxfw_held_stage *stage, u64 *id, char *why)
{
	struct cxfw_job *job = new_job(card, stage);
	int error;

	if (!job)
		return -ENOMEM;
	mutex_lock(&jobs_lock);
	error = refuse_start(card, why);
	if (!error && !try_module_get(THIS_MODULE)) {
		strscpy(why, "the driver is being unloaded", CXFW_WHY_LENGTH);
		error = -EBUSY;
	}
	if (!error) {
		*id = ++last_id;
		job->facts.id = *id;
		job->card = cxfw_card_get(card);
		WRITE_ONCE(card->job, job);
		list_add_tail(&job->node, &jobs);
		running++;
		queue_work(workers, &job->work);
	}
	mutex_unlock(&jobs_lock);
	if (error)
		kfree(job);
	return error;
}

static struct cxfw_job *find(u64 id, bool exactly)
{
	struct cxfw_job *job;

	list_for_each_entry(job, &jobs, node)
		if (job->facts.id >= id)
			return !exactly || job->facts.id == id ? job : NULL;
	return NULL;
}

int cxfw_job_cancel(u64 id, char *why)
{
	struct cxfw_job *job;
	int error = 0;

	mutex_lock(&jobs_lock);
	job = find(id, true);
	if (!job) {
		snprintf(why, CXFW_WHY_LENGTH, "there is no job %llu", id);
		error = -ENOENT;
	} else if (job->facts.state != CXFW_JOB_RUNNING) {
		snprintf(why, CXFW_WHY_LENGTH, "job %llu has ended: %.120s", id, job->facts.message);
		error = -EALREADY;
	} else if (job->facts.phase >= CXFW_PHASE_COMMIT) {
		snprintf(why, CXFW_WHY_LENGTH,
			 "job %llu has begun to commit the new image and ends in a moment", id);
		error = -EBUSY;
	} else {
		job->cancelled = true;
	}
	mutex_unlock(&jobs_lock);
	return error;
}

static bool copy_facts(u64 id, bool exactly, struct cxfw_job_facts *facts)
{
	struct cxfw_job *job;

	mutex_lock(&jobs_lock);
	job = find(id, exactly);
	if (job)
		*facts = job->facts;
	mutex_unlock(&jobs_lock);
	return job;
}

bool cxfw_job_find(u64 id, struct cxfw_job_facts *facts)
{
	return copy_facts(id, true, facts);
}

bool cxfw_job_from(u64 id, struct cxfw_job_facts *facts)
{
	return copy_facts(id, false, facts);
}

bool cxfw_job_runs(struct cxfw_card *card, char *why)
{
	bool runs;

	mutex_lock(&jobs_lock);
	runs = card->job;
	if (runs && why)
		refuse_start(card, why);
	mutex_unlock(&jobs_lock);
	return runs;
}

void cxfw_job_wait(struct cxfw_card *card)
{
	wait_event(ended, !READ_ONCE(card->job));
}

/* ---- sleep and reboot ---- */

static int sleep_notify(struct notifier_block *block, unsigned long action, void *data)
{
	bool busy = false;

	mutex_lock(&jobs_lock);
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		busy = running;
		suspending = !busy;
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		suspending = false;
		break;
	}
	mutex_unlock(&jobs_lock);
	if (!busy)
		return NOTIFY_DONE;
	pr_warn("cxfw: no sleep now: a card's firmware is being burned\n");
	return notifier_from_errno(-EBUSY);
}

static int reboot_notify(struct notifier_block *block, unsigned long action, void *data)
{
	unsigned int left;

	mutex_lock(&jobs_lock);
	rebooting = true;
	left = running;
	mutex_unlock(&jobs_lock);
	if (left && !wait_event_timeout(ended, !READ_ONCE(running), REBOOT_WAIT))
		pr_warn("cxfw: a burn did not reach a safe boundary within 2 s\n");
	return NOTIFY_DONE;
}

static struct notifier_block sleep_block = { .notifier_call = sleep_notify };
static struct notifier_block reboot_block = { .notifier_call = reboot_notify };

/* ---- start and stop ---- */

int cxfw_jobs_start(void)
{
	int error;

	workers = alloc_workqueue("cxfw_job", WQ_UNBOUND, 0);
	if (!workers)
		return -ENOMEM;
	error = register_pm_notifier(&sleep_block);
	if (error)
		goto no_sleep;
	error = register_reboot_notifier(&reboot_block);
	if (error)
		goto no_reboot;
	return 0;

no_reboot:
	unregister_pm_notifier(&sleep_block);
no_sleep:
	destroy_workqueue(workers);
	return error;
}

/* No job runs any more (each held a reference on the module), but its last one may be returning. */
void cxfw_jobs_stop(void)
{
	struct cxfw_job *job, *next;

	unregister_reboot_notifier(&reboot_block);
	unregister_pm_notifier(&sleep_block);
	destroy_workqueue(workers);
	list_for_each_entry_safe(job, next, &jobs, node) {
		list_del(&job->node);
		kfree(job);
	}
}
