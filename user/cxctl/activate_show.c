// SPDX-License-Identifier: GPL-2.0-only
/* The plan: what would be done, what goes down, who is hit, and what forbids it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "activate.h"

static const struct {
	const char *permit;		/* name of the option */
	const char *label;		/* N_()-marked */
} kinds[USAGE_KINDS] = {
	[USAGE_NETWORK] = { "accept-downtime", N_("Network") },
	[USAGE_BOND] = { "accept-bond", N_("Bond") },
	[USAGE_RDMA] = { "accept-rdma", N_("RDMA") },
	[USAGE_VIRTUAL] = { "accept-virtual-functions", N_("Virtual functions") },
	[USAGE_STORAGE] = { "accept-storage", N_("Storage") },
	[USAGE_SESSION] = { "accept-session", N_("Your session") },
};

const char *activate_permit(enum usage_kind kind)
{
	return kinds[kind].permit;
}

void activate_permits(const struct activate *activate, char *text, size_t room)
{
	size_t used = 0;
	unsigned int kind;

	*text = '\0';
	for (kind = 0; kind < USAGE_KINDS; kind++)
		if (usage_has(&activate->usage, kind) && !(activate->request->accepted >> kind & 1) && used < room)
			used += snprintf(text + used, room - used, "%s--%s", used ? " " : "", kinds[kind].permit);
}

static void show_firmware(const struct activate *activate)
{
	struct output *output = activate->output;

	output_string(output, "psid", *activate->psid ? activate->psid : NULL);
	output_string(output, "firmware_running", *activate->running ? activate->running : NULL);
	output_string(output, "firmware_stored", *activate->stored ? activate->stored : NULL);
	output_show(output, _("Firmware running"), NULL, "%s", *activate->running ? activate->running :
		    activate->facts.recovery ? _("none") : _("unknown"));
	output_show(output, _("Firmware stored"), NULL, "%s%s", *activate->stored ? activate->stored : _("unknown"),
		    activate->waits ? _(", waits to be started") : "");
}

static void show_ways(const struct activate *activate)
{
	const struct activate_way *chosen = activate->ways.chosen;
	const char *label = _("Other levels");
	struct output *output = activate->output;
	size_t i;

	output_string(output, "level", chosen ? activate_level_name(chosen->level) : NULL);
	output_bool(output, "driver_reload", chosen && chosen->rebind);
	if (chosen)
		output_show(output, _("Restart by"), NULL, "%s: %s", activate_level_name(chosen->level), chosen->why);
	else
		output_show(output, _("Restart by"), NULL, "%s", _("nothing that is offered"));
	if (chosen && chosen->level < LEVEL_REBOOT) {
		output_number(output, "downtime_seconds", chosen->downtime);
		output_show(output, _("Downtime"), NULL, chosen->downtime ?
			    _("about %u s (estimate; never measured on a real card)") : _("none"), chosen->downtime);
	} else {
		output_null(output, "downtime_seconds");
	}
	output_array(output, "levels");
	for (i = 0; i < activate->ways.count; i++) {
		const struct activate_way *way = &activate->ways.way[i];

		output_object(output, NULL);
		output_string(output, "level", activate_level_name(way->level));
		output_bool(output, "offered", way->offered);
		output_string(output, "text", way->why);
		output_end(output);
		if (way == chosen)
			continue;
		output_show(output, label, NULL, "%s%s: %s", activate_level_name(way->level),
			    way->offered ? "" : _(", not offered"), way->why);
		label = NULL;
	}
	output_end(output);
}

static void show_functions(const struct activate *activate)
{
	struct output *output = activate->output;
	size_t i;

	output_array(output, "functions");
	for (i = 0; i < activate->function_count; i++) {
		const struct pci_function *function = &activate->functions[i];

		output_object(output, NULL);
		output_string(output, "address", function->address);
		output_string(output, "driver", *function->driver ? function->driver : NULL);
		output_end(output);
		output_show(output, i ? NULL : _("Goes down"), NULL, "%s%s%s", function->address,
			    *function->driver ? ", " : "", function->driver);
	}
	output_end(output);
	output_array(output, "interfaces");
	for (i = 0; i < activate->usage.interface_count; i++)
		output_string(output, NULL, activate->usage.interfaces[i]);
	output_end(output);
}

static void show_usage(const struct activate *activate)
{
	const struct card_usage *usage = &activate->usage;
	struct output *output = activate->output;
	size_t i;

	output_array(output, "usage");
	for (i = 0; i < usage->count; i++) {
		const struct usage_item *item = &usage->items[i];
		bool first = !i || usage->items[i - 1].kind != item->kind;

		output_object(output, NULL);
		output_string(output, "kind", usage_kind_name(item->kind));
		output_string(output, "name", item->what);
		if (item->pid)
			output_number(output, "pid", item->pid);
		output_bool(output, "cut_off", !item->harmless);
		output_string(output, "text", item->text);
		output_end(output);
		output_show(output, first ? _(kinds[item->kind].label) : NULL, NULL, "%s", item->text);
	}
	output_end(output);
	output_number(output, "usage_left_out", usage->left_out);
	if (usage->left_out)
		output_show(output, NULL, NULL, _("and %u more"), usage->left_out);
	if (!usage->count)
		output_show(output, _("In use"), NULL, "%s", _("by nobody that can be seen from here"));
}

void activate_show_plan(const struct activate *activate)
{
	const struct activate_way *chosen = activate->ways.chosen;
	char permits[256];
	unsigned int kind;

	output_line(activate->output, _("Plan for %s:"), activate->address);
	output_object(activate->output, "plan");
	show_firmware(activate);
	show_ways(activate);
	show_functions(activate);
	show_usage(activate);
	output_array(activate->output, "needs");
	activate_permits(activate, permits, sizeof(permits));
	for (kind = 0; kind < USAGE_KINDS; kind++)
		if (usage_has(&activate->usage, kind) && !(activate->request->accepted >> kind & 1))
			output_string(activate->output, NULL, kinds[kind].permit);
	output_end(activate->output);
	output_end(activate->output);
	if (chosen && chosen->level < LEVEL_REBOOT && chosen->level != LEVEL_LIVE_PATCH && activate->usage.hit)
		output_show(activate->output, _("Note"), NULL, "%s",
			    _("addresses that were set by hand do not come back by themselves"));
}
