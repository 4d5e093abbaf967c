// SPDX-License-Identifier: GPL-2.0-only
#include "upstream.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/message.h"
#include "sysfs.h"

#define CAPABILITY_POINTER	0x34
#define CAPABILITY_PCIE		0x10
#define PCIE_FLAGS		0x02	/* bit 8: there is a slot below */
#define PCIE_SLOT		0x14	/* slot capabilities, bit 6: hot-plug capable */

/* The directory above the function's own, whatever link leads there. False: it is no PCI function. */
static bool parent_of(const char *address, char *parent, size_t room)
{
	char path[PATH_MAX], real[PATH_MAX], *name;
	unsigned int part[4];

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s/..", address);
	if (!realpath(path, real))
		return false;
	name = strrchr(real, '/');
	if (!name || sscanf(name + 1, "%8x:%2x:%2x.%1x", &part[0], &part[1], &part[2], &part[3]) != 4)
		return false;
	snprintf(parent, room, "%s", name + 1);
	return true;
}

static uint32_t read_le(int fd, off_t at, size_t bytes)
{
	uint8_t data[4] = { 0 };

	if (pread(fd, data, bytes, at) != (ssize_t)bytes)
		return 0;
	return data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;
}

/* As the kernel takes it: is_hotplug_bridge. */
static bool is_hotplug(const char *bridge)
{
	unsigned int at, steps = 0;
	char path[PATH_MAX];
	bool hotplug = false;
	int fd;

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s/config", bridge);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	at = read_le(fd, CAPABILITY_POINTER, 1);
	for (; at >= 0x40 && steps < 48; at = read_le(fd, at + 1, 1), steps++) {
		if (read_le(fd, at, 1) != CAPABILITY_PCIE)
			continue;
		hotplug = read_le(fd, at + PCIE_FLAGS, 2) >> 8 & 1 && read_le(fd, at + PCIE_SLOT, 4) >> 6 & 1;
		break;
	}
	close(fd);
	return hotplug;
}

static bool is_of_card(const char *name, const struct pci_function *functions, size_t count)
{
	char physical[32];
	size_t i;

	/* Virtual functions go with the driver that made them. */
	if (sysfs_link(physical, sizeof(physical), "bus/pci/devices/%s/physfn", name) > 0)
		return true;
	for (i = 0; i < count; i++)
		if (!strcmp(functions[i].address, name))
			return true;
	return false;
}

static bool find_stranger(const char *bridge, const struct pci_function *functions, size_t count,
			  char *stranger, size_t room)
{
	struct dirent *entry;
	unsigned int part[4];
	char path[PATH_MAX];
	DIR *directory;
	bool found = false;

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s", bridge);
	directory = opendir(path);
	while (directory && !found && (entry = readdir(directory))) {
		int used = 0;

		if (sscanf(entry->d_name, "%8x:%2x:%2x.%1x%n", &part[0], &part[1], &part[2], &part[3], &used) != 4 ||
		    entry->d_name[used] || is_of_card(entry->d_name, functions, count))
			continue;
		snprintf(stranger, room, "%.15s", entry->d_name);
		found = true;
	}
	if (directory)
		closedir(directory);
	return found;
}

void upstream_trouble(const char *address, const struct pci_function *functions, size_t count, char *why,
		      size_t room)
{
	char bridge[32], other[32], class[16];
	size_t i;

	*why = '\0';
	if (!parent_of(address, bridge, sizeof(bridge)) ||
	    sysfs_read(class, sizeof(class), "bus/pci/devices/%s/class", bridge) <= 0 ||
	    strncmp(class, "0x0604", 6)) {
		snprintf(why, room, _("no PCIe port is seen above the card (a virtual machine?)"));
		return;
	}
	for (i = 0; i < count; i++) {
		if (parent_of(functions[i].address, other, sizeof(other)) && !strcmp(other, bridge))
			continue;
		snprintf(why, room, _("%s and %s are one card in two places"), address, functions[i].address);
		return;
	}
	if (is_hotplug(bridge))
		snprintf(why, room, _("the port above, %s, is a hot-plug slot, which takes a link that goes down for a card that was pulled out"),
			 bridge);
	else if (find_stranger(bridge, functions, count, other, sizeof(other)))
		snprintf(why, room, _("%s hangs below the same port as the card, %s"), other, bridge);
}
