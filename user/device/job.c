// SPDX-License-Identifier: GPL-2.0-only
/* The driver's jobs over generic netlink. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "private.h"

void cxfw_take_job(const struct nlattr **table, struct cxctl_job *job)
{
	memset(job, 0, sizeof(*job));
	job->id = genl_number(table[CXFW_A_JOB_ID]);
	job->state = genl_number(table[CXFW_A_JOB_STATE]);
	job->phase = genl_number(table[CXFW_A_JOB_PHASE]);
	job->done = genl_number(table[CXFW_A_JOB_DONE]);
	job->total = genl_number(table[CXFW_A_JOB_TOTAL]);
	job->error = genl_number(table[CXFW_A_JOB_ERROR]);
	genl_string(job->message, sizeof(job->message), table[CXFW_A_JOB_MESSAGE]);
	genl_string(job->address, sizeof(job->address), table[CXFW_A_ADDRESS]);
	job->owner = genl_number(table[CXFW_A_JOB_OWNER]);
	job->erased = genl_number(table[CXFW_A_JOB_ERASED]);
	job->programmed = genl_number(table[CXFW_A_JOB_PROGRAMMED]);
	job->skipped = genl_number(table[CXFW_A_JOB_SKIPPED]);
	job->kind = genl_number(table[CXFW_A_JOB_KIND]);
	job->card_error = genl_number(table[CXFW_A_JOB_CARD_ERROR]);
}

static int take_job(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[CXFW_A_MAX + 1];

	genl_attributes(message, table, CXFW_A_MAX);
	cxfw_take_job(table, data);
	return MNL_CB_OK;
}

static int job_command(uint8_t command, uint64_t id, mnl_cb_t callback, void *data, struct cxctl_error *error)
{
	struct nlmsghdr *request;
	struct genl genl;
	char what[64];
	int result;

	if (cxfw_open(&genl, NULL, error))
		return -1;
	request = genl_request(&genl, command, false);
	mnl_attr_put_u64(request, CXFW_A_JOB_ID, id);
	result = genl_run(&genl, request, callback, data);
	if (result) {
		snprintf(what, sizeof(what), _("job %llu"), (unsigned long long)id);
		cxfw_error(&genl, -result, what, error);
		if (result == -ENOENT || result == -ENODEV)
			error_set(error, CXCTL_FAILED, "no-such-job", _("the driver knows no job %llu"),
				  (unsigned long long)id);
	}
	genl_close(&genl);
	return result ? -1 : 0;
}

struct job_on {
	const char *address;
	uint64_t id;		/* 0: none */
};

static int look_for_job(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[CXFW_A_MAX + 1];
	struct job_on *on = data;
	struct cxctl_job job;

	genl_attributes(message, table, CXFW_A_MAX);
	cxfw_take_job(table, &job);
	if (job.state == CXFW_JOB_RUNNING && !strncmp(job.address, on->address, strcspn(on->address, ".")))
		on->id = job.id;
	return MNL_CB_OK;
}

bool cxfw_job_on(const char *address, uint64_t *id)
{
	struct job_on on = { .address = address };
	struct cxctl_error ignored;
	struct genl genl;

	if (cxfw_open(&genl, NULL, &ignored))
		return false;
	genl_run(&genl, genl_request(&genl, CXFW_CMD_JOB_GET, true), look_for_job, &on);
	genl_close(&genl);
	*id = on.id;
	return on.id != 0;
}

int job_get(uint64_t id, struct cxctl_job *job, struct cxctl_error *error)
{
	memset(job, 0, sizeof(*job));
	return job_command(CXFW_CMD_JOB_GET, id, take_job, job, error);
}

int job_cancel(uint64_t id, struct cxctl_error *error)
{
	return job_command(CXFW_CMD_JOB_CANCEL, id, NULL, NULL, error);
}

/* Gathered first, so that the callback may ask the driver itself. */
struct jobs {
	struct cxctl_job *jobs;
	size_t count;
};

static int gather_job(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table[CXFW_A_MAX + 1];
	struct jobs *jobs = data;
	struct cxctl_job *grown = realloc(jobs->jobs, (jobs->count + 1) * sizeof(*grown));

	if (!grown) {
		errno = ENOMEM;
		return MNL_CB_ERROR;
	}
	jobs->jobs = grown;
	genl_attributes(message, table, CXFW_A_MAX);
	cxfw_take_job(table, &grown[jobs->count++]);
	return MNL_CB_OK;
}

int jobs_each(int (*callback)(const struct cxctl_job *job, void *data), void *data, struct cxctl_error *error)
{
	struct jobs jobs = { NULL, 0 };
	struct genl genl;
	int result;
	size_t i;

	if (cxfw_open(&genl, NULL, error))
		return -1;
	result = genl_run(&genl, genl_request(&genl, CXFW_CMD_JOB_GET, true), gather_job, &jobs);
	if (result)
		cxfw_error(&genl, -result, _("the list of jobs"), error);
	genl_close(&genl);
	for (i = 0; !result && i < jobs.count; i++)
		if (callback(&jobs.jobs[i], data))
			break;
	free(jobs.jobs);
	return result ? -1 : 0;
}

const char *job_phase_name(uint32_t phase)
{
	static const char *const names[] = {
		[CXFW_PHASE_CHECK] = N_("checking"),
		[CXFW_PHASE_PREPARE] = N_("preparing"),
		[CXFW_PHASE_WRITE] = N_("writing"),
		[CXFW_PHASE_VERIFY] = N_("verifying"),
		[CXFW_PHASE_COMMIT] = N_("committing"),
		[CXFW_PHASE_INVALIDATE] = N_("retiring the old image"),
		[CXFW_PHASE_END] = N_("finished"),
	};

	if (phase >= sizeof(names) / sizeof(names[0]) || !names[phase])
		return _("waiting");
	return _(names[phase]);
}

const char *job_state_name(uint32_t state)
{
	switch (state) {
	case CXFW_JOB_RUNNING:
		return "running";
	case CXFW_JOB_DONE:
		return "done";
	case CXFW_JOB_FAILED:
		return "failed";
	case CXFW_JOB_CANCELLED:
		return "cancelled";
	}
	return "unknown";
}
