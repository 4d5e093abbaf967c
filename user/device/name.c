// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a name to a function. Every meaning of the name is tried, so that a name which
 * means two cards is noticed.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/message.h"
#include "../host/sysfs.h"
#include "private.h"

#define MATCHES	16

struct matches {
	const struct pci_function *functions[MATCHES];
	size_t count;
};

static void match(struct matches *matches, const struct pci_function *function)
{
	size_t i;

	for (i = 0; i < matches->count; i++)
		if (matches->functions[i] == function)
			return;
	if (matches->count < MATCHES)
		matches->functions[matches->count++] = function;
}

struct address {
	uint32_t domain, bus, slot, function;
	bool has_domain, has_function;
};

/* "0000:03:00.0", "03:00.0", "03:00", "0000:03:00" */
static bool parse_address(const char *name, struct address *address)
{
	unsigned int part[4];
	int used = 0;
	size_t i;

	memset(address, 0, sizeof(*address));
	for (i = 0; name[i]; i++)
		if (!isxdigit((unsigned char)name[i]) && name[i] != ':' && name[i] != '.')
			return false;
	if (sscanf(name, "%8x:%2x:%2x.%1x%n", &part[0], &part[1], &part[2], &part[3], &used) == 4 && !name[used]) {
		address->has_domain = address->has_function = true;
	} else if (sscanf(name, "%8x:%2x:%2x%n", &part[0], &part[1], &part[2], &used) == 3 && !name[used]) {
		address->has_domain = true;
		part[3] = 0;
	} else if (sscanf(name, "%2x:%2x.%1x%n", &part[1], &part[2], &part[3], &used) == 3 && !name[used]) {
		address->has_function = true;
		part[0] = 0;
	} else if (sscanf(name, "%2x:%2x%n", &part[1], &part[2], &used) == 2 && !name[used]) {
		part[0] = part[3] = 0;
	} else {
		return false;
	}
	if (part[2] > 0x1f || part[3] > 7)
		return false;
	address->domain = part[0];
	address->bus = part[1];
	address->slot = part[2];
	address->function = part[3];
	return true;
}

static void by_address(const struct pci_list *list, const struct address *address, struct matches *matches)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct pci_function *function = &list->functions[i];

		if (function->bus == address->bus && function->slot == address->slot &&
		    function->function == address->function &&
		    (!address->has_domain || function->domain == address->domain))
			match(matches, function);
	}
}

static void by_interface(const struct pci_list *list, const char *name, struct matches *matches)
{
	size_t i;
	unsigned int n;

	for (i = 0; i < list->count; i++) {
		const struct pci_function *function = &list->functions[i];

		for (n = 0; n < function->netdev_count; n++)
			if (!strcmp(function->netdev[n], name))
				match(matches, function);
		for (n = 0; n < function->rdma_count; n++)
			if (!strcmp(function->rdma[n], name))
				match(matches, function);
	}
}

/* Interfaces that are not listed below the function itself: representors, sub-functions, more than PCI_NAMES. */
static void by_class_link(const struct pci_list *list, const char *name, struct matches *matches)
{
	static const char *const classes[] = { "net", "infiniband" };
	char address[64];
	size_t i, c;

	if (strchr(name, '/'))
		return;
	for (c = 0; c < 2; c++) {
		if (sysfs_link(address, sizeof(address), "class/%s/%s/device", classes[c], name) < 0)
			continue;
		for (i = 0; i < list->count; i++)
			if (!strcmp(list->functions[i].address, address))
				match(matches, &list->functions[i]);
	}
}

/*
 * "mt4119_pciconf0", "mt4119_pciconf0.1", "mt4099_pci_cr0": the n-th card of that PCI id in
 * order of address, and the function behind the dot.
 */
static void by_mst_name(const struct pci_list *list, const char *name, struct matches *matches)
{
	unsigned int device, index, wanted = 0, seen = 0;
	int used = 0;
	size_t i;

	if (sscanf(name, "mt%9u_pciconf%9u%n", &device, &index, &used) != 2 &&
	    sscanf(name, "mt%9u_pci_cr%9u%n", &device, &index, &used) != 2)
		return;
	if (name[used] == '.') {
		int more = 0;

		if (sscanf(name + used, ".%1u%n", &wanted, &more) != 1 || name[used + more])
			return;
	} else if (name[used]) {
		return;
	}
	for (i = 0; i < list->count; i++) {
		const struct pci_function *function = &list->functions[i], *other;
		size_t j;

		if (function->device != device || function->is_virtual)
			continue;
		/* The first function of its slot counts; the others are the same card. */
		for (j = 0, other = NULL; j < i; j++)
			if (list->functions[j].domain == function->domain &&
			    list->functions[j].bus == function->bus &&
			    list->functions[j].slot == function->slot && !list->functions[j].is_virtual)
				other = &list->functions[j];
		if (!other)
			seen++;
		if (seen == index + 1 && function->function == wanted)
			match(matches, function);
	}
}

static void list_known(const struct pci_list *list, char *text, size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < list->count && used + 32 < size; i++) {
		if (list->functions[i].is_virtual)
			continue;
		used += snprintf(text + used, size - used, "%s%s", used ? ", " : "", list->functions[i].address);
	}
}

static bool is_interface(const char *name)
{
	char path[PATH_MAX];

	if (!*name || *name == '.' || strchr(name, '/'))
		return false;
	sysfs_path(path, sizeof(path), "class/net/%s", name);
	return !access(path, F_OK);
}

static int no_such_card(const char *name, const struct pci_list *list, const struct address *address,
			bool is_address, struct cxctl_error *error)
{
	struct pci_function other;
	char text[512], full[32];

	if (is_address) {
		snprintf(full, sizeof(full), "%04x:%02x:%02x.%x", address->domain, address->bus, address->slot,
			 address->function);
		if (!pci_read(full, &other)) {
			error_set(error, CXCTL_NO_CARD, "not-a-card", _("%s is not a ConnectX card"), full);
			error_found(error, _("PCI device %04x:%04x, class %06x"), other.vendor, other.device,
				    other.class_code);
			error_expected(error, _("vendor 15b3 and a network, InfiniBand or recovery function"));
			error_next(error, _("cxctl list shows the cards of this machine"));
			return -1;
		}
	} else if (is_interface(name)) {
		error_set(error, CXCTL_NO_CARD, "not-a-card", _("network interface %s is not a ConnectX card's"),
			  name);
		error_next(error, _("for a bond, bridge or VLAN name one of its ports; cxctl list shows the cards"));
		return -1;
	}
	error_set(error, CXCTL_NO_CARD, "no-such-card", _("there is no card %s"), *name ? name : "''");
	error_expected(error, _("a PCI address, a network interface, an RDMA device or a name like mt4119_pciconf0"));
	list_known(list, text, sizeof(text));
	if (*text)
		error_next(error, _("cards of this machine: %s; cxctl list tells more"), text);
	else
		error_next(error, _("this machine shows no ConnectX card on its PCI bus: check the slot, the power and 'lspci -d 15b3:'"));
	return -1;
}

static int ambiguous(const char *name, const struct matches *matches, struct cxctl_error *error)
{
	char text[256] = "";
	size_t used = 0, i;

	for (i = 0; i < matches->count && used + 20 < sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
				 matches->functions[i]->address);
	error_set(error, CXCTL_USAGE, "ambiguous-name", _("the name %s matches more than one card"), name);
	error_found(error, "%s", text);
	error_expected(error, _("a name of one card"));
	error_next(error, _("give the full PCI address, for example %s"), matches->functions[0]->address);
	return -1;
}

static int refuse_virtual(const struct pci_function *function, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "virtual-function",
		  _("%s: this is a virtual function; firmware operations belong to its physical function %s"),
		  function->address, function->physical[0] ? function->physical : _("on the host"));
	error_rule(error, _("a virtual function has no way to the firmware's flash"));
	if (function->physical[0])
		error_next(error, _("use %s"), function->physical);
	else
		error_next(error, _("run cxctl on the machine that has the physical function: this one was given the virtual function only"));
	return -1;
}

/* What comes before the name proper: "/dev/mst/", "/dev/cxfw/", "pciconf-". */
static const char *strip(const char *name)
{
	static const char *const prefixes[] = { "/dev/mst/", "/dev/cxfw/", "pciconf-", "pci/" };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return name;
}

int name_resolve(const char *name, struct pci_function *function, struct cxctl_error *error)
{
	struct matches matches = { .count = 0 };
	struct address address;
	struct pci_list list;
	const char *bare = strip(name);
	bool is_address = parse_address(bare, &address);
	int result;

	result = pci_scan(&list);
	if (result) {
		error_set(error, CXCTL_FAILED, "no-sysfs", _("cannot read the PCI devices below %s: %s"),
			  sysfs_root(), strerror(-result));
		return -1;
	}
	if (is_address)
		by_address(&list, &address, &matches);
	by_interface(&list, bare, &matches);
	by_class_link(&list, bare, &matches);
	by_mst_name(&list, bare, &matches);

	if (!matches.count)
		result = no_such_card(name, &list, &address, is_address, error);
	else if (matches.count > 1)
		result = ambiguous(name, &matches, error);
	else if (matches.functions[0]->is_virtual)
		result = refuse_virtual(matches.functions[0], error);
	else
		*function = *matches.functions[0];
	pci_list_free(&list);
	return result ? -1 : 0;
}
