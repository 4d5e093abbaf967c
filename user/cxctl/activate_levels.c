// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which levels of restart a card offers: facts in, a list out, from the mildest on. Sources: device-access.md
 * 4.4 (MFRL), 7.1 (mlx4), 7.2 and 7.3 (mlx5).
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "activate.h"

/* Estimates from the time-outs of device-access.md 6.1 and 7; never measured on a real card. */
#define SECONDS_DEVLINK	10
#define SECONDS_LINK	8
#define SECONDS_CHIP	5

__attribute__((format(printf, 2, 3)))
static void not_offered(struct activate_way *way, const char *format, ...)
{
	va_list arguments;

	way->offered = false;
	va_start(arguments, format);
	vsnprintf(way->why, sizeof(way->why), format, arguments);
	va_end(arguments);
}

static void offered(struct activate_way *way, unsigned int downtime, const char *why)
{
	way->offered = true;
	way->downtime = downtime;
	snprintf(way->why, sizeof(way->why), "%s", why);
}

/* What every reset by the driver cxfw needs; false: why is set. */
static bool driver_can(const struct activate_facts *facts, struct activate_way *way)
{
	if (facts->absent)
		not_offered(way, _("the card does not answer"));
	else if (!facts->driver)
		not_offered(way, _("the driver cxfw does not reach the card"));
	else if (facts->recovery)
		not_offered(way, _("the card runs no firmware: only power lets it start one"));
	else if (!facts->can_reset)
		not_offered(way, _("the driver cxfw cannot reset this card"));
	else
		return true;
	return false;
}

static bool firmware_offers(const struct activate_facts *facts, uint32_t level, struct activate_way *way)
{
	if (!facts->mfrl)
		not_offered(way, _("the firmware does not tell which resets it knows (register MFRL)"));
	else if (!(facts->levels & level))
		not_offered(way, _("the firmware does not offer it (register MFRL: levels 0x%02x)"), facts->levels);
	else
		return true;
	return false;
}

/* Who has the functions; false: why is set. */
static bool may_take_off(const struct activate_facts *facts, struct activate_way *way)
{
	if (*facts->foreign)
		not_offered(way, _("function %s is bound to %s"), facts->foreign_function, facts->foreign);
	else if (facts->bound && facts->guests)
		not_offered(way, _("%u virtual functions are with virtual machines: the driver cannot be taken off before they end"),
			    facts->guests);
	else
		return true;
	return false;
}

/* The driver cxfw gives this order, too, only to a card that no driver has. */
static void live_patch(const struct activate_facts *facts, struct activate_way *way)
{
	if (!driver_can(facts, way) || !firmware_offers(facts, MFRL_LIVE_PATCH, way) ||
	    !may_take_off(facts, way))
		return;
	if (facts->bound)
		not_offered(way, _("a driver has the card: only one that none has is patched so"));
	else
		offered(way, 0, _("the running firmware is replaced; nothing goes down"));
}

static void devlink(const struct activate_facts *facts, struct activate_way *way)
{
	if (!facts->devlink)
		not_offered(way, _("mlx5_core has no function of this card"));
	else if (*facts->foreign)
		not_offered(way, _("function %s is bound to %s"), facts->foreign_function, facts->foreign);
	else if (facts->mfrl && !(facts->levels & MFRL_LINK))
		not_offered(way, _("the firmware does not offer it (register MFRL: levels 0x%02x)"), facts->levels);
	else
		offered(way, SECONDS_DEVLINK, _("mlx5_core and the firmware reset the card together (devlink reload, action fw_activate)"));
}

static void link_toggle(const struct activate_facts *facts, struct activate_way *way)
{
	if (!driver_can(facts, way) || !firmware_offers(facts, MFRL_LINK, way))
		return;
	if (facts->dpu)
		not_offered(way, _("this card has processors of its own (a DPU), which would be reset, too"));
	else if (facts->other_hosts)
		not_offered(way, _("the card serves more than one host or socket (register MPIR), and its reset would be theirs as well"));
	else if (*facts->no_link)
		not_offered(way, "%s", facts->no_link);
	else if (may_take_off(facts, way)) {
		way->rebind = facts->bound;
		offered(way, SECONDS_LINK, facts->bound ?
			_("the driver is taken off, the firmware told, the PCIe link switched off and on, the driver put back") :
			_("the firmware is told, and the PCIe link above the card switched off and on"));
	}
}

static void chip_reset(const struct activate_facts *facts, struct activate_way *way)
{
	if (!driver_can(facts, way) || !may_take_off(facts, way))
		return;
	way->rebind = facts->bound;
	offered(way, SECONDS_CHIP, facts->bound ?
		_("the driver is taken off, the chip reset by its own register, the driver put back") :
		_("the chip is reset by its own register"));
}

static void reboot(const struct activate_facts *facts, struct activate_way *way)
{
	if (facts->recovery)
		not_offered(way, _("the card runs no firmware: only power lets it start one"));
	else if (facts->mfrl && !(facts->levels & MFRL_WARM_REBOOT))
		not_offered(way, _("the firmware does not offer it (register MFRL: levels 0x%02x)"), facts->levels);
	else
		offered(way, 0, _("the machine is started again; yours to do"));
}

static void add(struct activate_ways *ways, const struct activate_facts *facts, enum activate_level wanted,
		enum activate_level level, void (*judge)(const struct activate_facts *facts, struct activate_way *way))
{
	struct activate_way *way = &ways->way[ways->count++];

	way->level = level;
	judge(facts, way);
	/* Who names it may have it again. */
	if (way->offered && level != wanted && facts->tried >> level & 1)
		not_offered(way, _("it was tried, and did not start the new firmware"));
}

static void power_cycle(const struct activate_facts *facts, struct activate_way *way)
{
	(void)facts;
	offered(way, 0, _("the machine is switched off, its power taken away for ten seconds, and switched on; yours to do"));
}

void activate_find_ways(const struct activate_facts *facts, enum activate_level wanted,
			struct activate_ways *ways)
{
	size_t i;

	memset(ways, 0, sizeof(*ways));
	if (facts->mlx4) {
		add(ways, facts, wanted, LEVEL_CHIP, chip_reset);
	} else {
		add(ways, facts, wanted, LEVEL_LIVE_PATCH, live_patch);
		add(ways, facts, wanted, LEVEL_DEVLINK, devlink);
		add(ways, facts, wanted, LEVEL_LINK, link_toggle);
	}
	add(ways, facts, wanted, LEVEL_REBOOT, reboot);
	add(ways, facts, wanted, LEVEL_POWER_CYCLE, power_cycle);
	for (i = 0; i < ways->count && !ways->chosen; i++)
		if (ways->way[i].offered && (!wanted || ways->way[i].level == wanted))
			ways->chosen = &ways->way[i];
}
