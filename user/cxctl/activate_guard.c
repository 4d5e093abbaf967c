// SPDX-License-Identifier: GPL-2.0-only
/* What forbids a reset, and which named option lifts it where one may. */
#include <stdio.h>
#include <string.h>

#include "activate.h"

static int refuse_level(const struct activate *activate, struct cxctl_error *error)
{
	enum activate_level wanted = activate->request->level;
	size_t i;

	if (!wanted) {
		error_set(error, CXCTL_REFUSED, "nothing-left",
			  _("%s: every restart that this card offers was done, and none brought %s"), activate->address,
			  *activate->stored ? activate->stored : _("the new firmware"));
		error_found(error, _("it runs %s"), *activate->running ? activate->running : _("no firmware"));
		error_rule(error, _("the same restart is not done twice without being named"));
		error_next(error, _("a reboot is no power cycle: was the power really gone? Then cxctl verify %s tells whether the flash holds a whole image; --level names a level to try again"),
			   activate->address);
		return -1;
	}
	error_set(error, CXCTL_REFUSED, "level-not-offered", _("%s: %s is not possible here"), activate->address,
		  activate_level_name(wanted));
	error_found(error, "%s", _("this card does not know it"));
	for (i = 0; i < activate->ways.count; i++)
		if (activate->ways.way[i].level == wanted)
			error_found(error, "%s", activate->ways.way[i].why);
	error_next(error, _("without --level the mildest that is offered is taken"));
	return -1;
}

/* A driver that is not the card's own has it: its user is somebody cxctl cannot ask. */
static int refuse_foreign(const struct activate *activate, struct cxctl_error *error)
{
	const struct activate_facts *facts = &activate->facts;

	if (!*facts->foreign)
		return 0;
	error_set(error, CXCTL_REFUSED, "bound", _("%s: a driver has function %s of this card"), activate->address,
		  facts->foreign_function);
	error_found(error, "%s", facts->foreign);
	error_expected(error, _("no driver, mlx4_core or mlx5_core"));
	error_rule(error, _("a card is not reset under a driver that does not know of it"));
	if (!strcmp(facts->foreign, "vfio-pci"))
		error_next(error, _("end the virtual machine or program that has it, and unbind it: echo %s > /sys/bus/pci/drivers/%s/unbind"),
			   facts->foreign_function, facts->foreign);
	else
		error_next(error, _("unbind it: echo %s > /sys/bus/pci/drivers/%s/unbind; or reboot the machine"),
			   facts->foreign_function, facts->foreign);
	return -1;
}

struct job_search {
	const struct activate *activate;
	uint64_t id;
	uint32_t owner;
};

static int look_at_job(const struct cxctl_job *job, void *data)
{
	struct job_search *search = data;
	size_t i;

	for (i = 0; job->state == CXFW_JOB_RUNNING && i < search->activate->function_count; i++) {
		if (strcmp(job->address, search->activate->functions[i].address))
			continue;
		search->id = job->id;
		search->owner = job->owner;
		return 1;
	}
	return 0;
}

static int refuse_job(const struct activate *activate, struct cxctl_error *error)
{
	struct job_search search = { .activate = activate };
	struct cxctl_error ignored;

	if (!activate->facts.driver || jobs_each(look_at_job, &search, &ignored) || !search.id)
		return 0;
	error_set(error, CXCTL_REFUSED, "job-running", _("%s: a job writes this card's flash"), activate->address);
	error_found(error, _("job %llu, started by process %u"), (unsigned long long)search.id, search.owner);
	error_rule(error, _("a card is not reset while its flash is written"));
	error_next(error, _("cxctl monitor shows the job; try again when it has ended"));
	return -1;
}

static int refuse_usage(const struct activate *activate, struct cxctl_error *error)
{
	char permits[256], found[sizeof(error->found)] = "";
	size_t i, used = 0;

	activate_permits(activate, permits, sizeof(permits));
	if (!*permits)
		return 0;
	for (i = 0; i < activate->usage.count && used < sizeof(found); i++) {
		const struct usage_item *item = &activate->usage.items[i];

		if (!item->harmless && !(activate->request->accepted >> item->kind & 1))
			used += snprintf(found + used, sizeof(found) - used, "%s%s", used ? "; " : "", item->text);
	}
	error_set(error, CXCTL_REFUSED, "in-use", _("%s: the card is in use"), activate->address);
	error_found(error, "%s", found);
	error_rule(error, _("who uses a card is cut off only by name"));
	error_next(error, _("end that use, or accept it: %s"), permits);
	return -1;
}

int activate_guards(const struct activate *activate, struct cxctl_error *error)
{
	const struct activate_way *chosen = activate->ways.chosen;

	if (!chosen)
		return *activate->facts.foreign && refuse_foreign(activate, error) ? -1 : refuse_level(activate, error);
	if (refuse_job(activate, error))
		return -1;
	/* A reboot or a power cycle is somebody else's decision. */
	if (chosen->level >= LEVEL_REBOOT)
		return activate->request->level ? 0 : refuse_foreign(activate, error);
	return chosen->level == LEVEL_LIVE_PATCH ? 0 : refuse_usage(activate, error);
}
