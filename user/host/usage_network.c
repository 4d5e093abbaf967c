// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which interfaces go down with a card: its own, those of its virtual functions, and above them every one
 * that has nothing else to stand on.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/message.h"
#include "procfs.h"
#include "usage_parts.h"

#define IFF_UP		1

static bool is_up(const char *interface)
{
	char text[32];

	return sysfs_read(text, sizeof(text), "class/net/%s/flags", interface) > 0 &&
	       strtoul(text, NULL, 16) & IFF_UP;
}

static bool exists(const char *interface, const char *name)
{
	char path[PATH_MAX];

	sysfs_path(path, sizeof(path), "class/net/%s/%s", interface, name);
	return !access(path, F_OK);
}

static void keep_interface(const char *name, void *data)
{
	struct card_usage *usage = data;

	if (usage->interface_count < USAGE_INTERFACES && !usage_goes_down(usage, name))
		snprintf(usage->interfaces[usage->interface_count++], 32, "%.31s", name);
}

struct virtual_search {
	struct card_usage *usage;
	const char *physical;
};

static void take_virtual(const char *name, void *data)
{
	struct virtual_search *search = data;
	char address[32];

	if (!strncmp(name, "virtfn", 6) &&
	    sysfs_link(address, sizeof(address), "bus/pci/devices/%s/%s", search->physical, name) > 0)
		usage_each_entry(keep_interface, search->usage, "bus/pci/devices/%s/net", address);
}

static void keep_own(struct usage_search *search)
{
	size_t i;

	for (i = 0; i < search->count; i++) {
		struct virtual_search virtuals = { search->usage, search->functions[i].address };

		usage_each_entry(keep_interface, search->usage, "bus/pci/devices/%s/net",
				 search->functions[i].address);
		usage_each_entry(take_virtual, &virtuals, "bus/pci/devices/%s", search->functions[i].address);
	}
}

/* ---- what lies above ---- */

static bool is_bond(const char *interface)
{
	return exists(interface, "bonding");
}

/* A leg that carries: the bond's own opinion, or the link's. */
static bool carries(const char *interface)
{
	char text[32];

	if (sysfs_read(text, sizeof(text), "class/net/%s/bonding_slave/mii_status", interface) > 0)
		return !strcmp(text, "up");
	if (sysfs_read(text, sizeof(text), "class/net/%s/operstate", interface) <= 0)
		return false;
	return !strcmp(text, "up") || (!strcmp(text, "unknown") && is_up(interface));
}

static void count_lower(const char *name, void *data)
{
	if (!strncmp(name, "lower_", 6))
		++*(unsigned int *)data;
}

/* Taps and veths of guests are no way out of the machine. */
static bool leads_out(const char *interface)
{
	unsigned int lowers = 0;

	if (exists(interface, "device"))
		return true;
	usage_each_entry(count_lower, &lowers, "class/net/%s", interface);
	return lowers > 0;
}

struct lowers {
	const struct card_usage *usage;
	char survivor[32];		/* another way that carries; empty: none */
};

static void take_lower(const char *name, void *data)
{
	struct lowers *lowers = data;

	if (!strncmp(name, "lower_", 6) && !usage_goes_down(lowers->usage, name + 6) && carries(name + 6) &&
	    leads_out(name + 6))
		snprintf(lowers->survivor, sizeof(lowers->survivor), "%.31s", name + 6);
}

static void look_below(const struct card_usage *usage, const char *interface, struct lowers *lowers)
{
	memset(lowers, 0, sizeof(*lowers));
	lowers->usage = usage;
	usage_each_entry(take_lower, lowers, "class/net/%s", interface);
}

static void take_upper(const char *name, void *data)
{
	struct usage_search *search = data;
	struct lowers lowers;

	if (strncmp(name, "upper_", 6) || usage_goes_down(search->usage, name + 6))
		return;
	look_below(search->usage, name + 6, &lowers);
	if (!*lowers.survivor)
		keep_interface(name + 6, search->usage);
}

/* Until nothing new is found: what carries depends on all that go down. */
static void keep_upper(struct usage_search *search)
{
	size_t before, i;

	do {
		before = search->usage->interface_count;
		for (i = 0; i < search->usage->interface_count; i++)
			usage_each_entry(take_upper, search, "class/net/%s", search->usage->interfaces[i]);
	} while (search->usage->interface_count != before);
}

/* ---- who is hit ---- */

struct addresses {
	const char *interface;
	char text[160];
	size_t used;
};

static void take_address(const char *interface, const char *address, void *data)
{
	struct addresses *addresses = data;

	/* Every interface that is up has one of these. */
	if (strcmp(interface, addresses->interface) || !strncasecmp(address, "fe80:", 5) ||
	    addresses->used + strlen(address) + 3 > sizeof(addresses->text))
		return;
	addresses->used += sprintf(addresses->text + addresses->used, "%s%s", addresses->used ? ", " : "", address);
}

/* Destination 0.0.0.0 with mask 0.0.0.0, and ::/0. */
static bool has_default_route(const char *interface)
{
	char path[PATH_MAX], line[512], name[32], destination[40];
	unsigned int mask, length, flags;
	bool found = false;
	FILE *file;

	proc_path(path, sizeof(path), "net/route");
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%31s %8s %*s %*s %*s %*s %*s %x", name, destination, &mask) == 3 &&
			!strcmp(name, interface) && !strcmp(destination, "00000000") && !mask;
	if (file)
		fclose(file);
	proc_path(path, sizeof(path), "net/ipv6_route");
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%32s %x %*s %*s %*s %*s %*s %*s %x %31s", destination, &length, &flags, name) == 4 &&
			!length && !strcmp(name, interface) && strspn(destination, "0") == 32;
	if (file)
		fclose(file);
	return found;
}

static void judge_bond(struct usage_search *search, const char *bond, bool goes)
{
	struct lowers lowers;

	if (goes) {
		usage_add(search->usage, USAGE_BOND, false, bond,
			  _("bond %s has no working leg left: this card has the only one"), bond);
		return;
	}
	look_below(search->usage, bond, &lowers);
	usage_add(search->usage, USAGE_BOND, true, bond, _("bond %s goes on over %s alone"), bond,
		  lowers.survivor);
}

static void judge(struct usage_search *search, const char *interface)
{
	struct addresses addresses = { .interface = interface };
	bool route, up = is_up(interface);
	char master[32] = "";

	if (is_bond(interface))
		judge_bond(search, interface, true);
	if (!up)
		return;
	search->kernel->addresses(take_address, &addresses);
	route = has_default_route(interface);
	if (addresses.used || route)
		usage_add(search->usage, USAGE_NETWORK, false, interface, "%s: %s%s%s", interface, addresses.text,
			  addresses.used && route ? ", " : "", route ? _("default route") : "");
	if (sysfs_link(master, sizeof(master), "class/net/%s/master", interface) < 0) {
		if (!addresses.used && !route && !exists(interface, "bonding"))
			usage_add(search->usage, USAGE_NETWORK, true, interface, _("%s: up, without addresses"),
				  interface);
		return;
	}
	if (is_bond(master)) {
		if (!usage_goes_down(search->usage, master))
			judge_bond(search, master, false);
		return;
	}
	usage_add(search->usage, USAGE_NETWORK, false, interface, _("%s: a port of %s"), interface, master);
}

/* An Ethernet function with its driver and no interface here. */
static void judge_hidden(struct usage_search *search)
{
	size_t i;

	for (i = 0; i < search->count; i++) {
		const struct pci_function *function = &search->functions[i];

		if (function->netdev_count || strncmp(function->driver, "mlx", 3) || function->class_code >> 8 != 0x0200)
			continue;
		usage_add(search->usage, USAGE_NETWORK, false, function->address,
			  _("%s: bound to %s, and no interface of it is seen here: another network namespace (a container) may have it"),
			  function->address, function->driver);
	}
}

void usage_network(struct usage_search *search)
{
	size_t i;

	keep_own(search);
	keep_upper(search);
	for (i = 0; i < search->usage->interface_count; i++)
		judge(search, search->usage->interfaces[i]);
	judge_hidden(search);
}
