// SPDX-License-Identifier: GPL-2.0-only
#include "pci.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfs.h"

/* Documentation/reference/device-access.md 1.2 */
static const struct {
	uint16_t device;
	bool recovery;
	const char *name;
} models[] = {
	{ 0x6340, false, "ConnectX" }, { 0x634a, false, "ConnectX" }, { 0x6354, false, "ConnectX" },
	{ 0x6368, false, "ConnectX" }, { 0x6372, false, "ConnectX" },
	{ 0x6732, false, "ConnectX-2" }, { 0x673c, false, "ConnectX-2" }, { 0x6746, false, "ConnectX-2" },
	{ 0x6750, false, "ConnectX-2" }, { 0x675a, false, "ConnectX-2" }, { 0x6764, false, "ConnectX-2" },
	{ 0x676e, false, "ConnectX-2" }, { 0x0191, true, "ConnectX-2" },
	{ 0x1003, false, "ConnectX-3" }, { 0x01f6, true, "ConnectX-3" },
	{ 0x1007, false, "ConnectX-3 Pro" }, { 0x01f8, true, "ConnectX-3 Pro" },
	{ 0x1011, false, "Connect-IB" }, { 0x01ff, true, "Connect-IB" },
	{ 0x1013, false, "ConnectX-4" }, { 0x0209, true, "ConnectX-4" },
	{ 0x1015, false, "ConnectX-4 Lx" }, { 0x020b, true, "ConnectX-4 Lx" },
	{ 0x1017, false, "ConnectX-5" }, { 0x1019, false, "ConnectX-5 Ex" }, { 0x020d, true, "ConnectX-5" },
	{ 0x101b, false, "ConnectX-6" }, { 0x020f, true, "ConnectX-6" },
	{ 0x101d, false, "ConnectX-6 Dx" }, { 0x0212, true, "ConnectX-6 Dx" },
	{ 0x101f, false, "ConnectX-6 Lx" }, { 0x0216, true, "ConnectX-6 Lx" },
	{ 0x1021, false, "ConnectX-7" }, { 0x0218, true, "ConnectX-7" }, { 0x0219, true, "ConnectX-7" },
	{ 0x1023, false, "ConnectX-8" }, { 0x021e, true, "ConnectX-8" }, { 0x021f, true, "ConnectX-8" },
	{ 0x197d, false, "ConnectX-8 PCIe switch" }, { 0x0222, true, "ConnectX-8 PCIe switch" },
	{ 0x0223, true, "ConnectX-8 PCIe switch" },
	{ 0x1025, false, "ConnectX-9" }, { 0x0224, true, "ConnectX-9" }, { 0x0225, true, "ConnectX-9" },
	{ 0x197e, false, "ConnectX-9 PCIe switch" }, { 0x0228, true, "ConnectX-9 PCIe switch" },
	{ 0x0229, true, "ConnectX-9 PCIe switch" },
	{ 0xa2d0, false, "BlueField" }, { 0xa2d1, false, "BlueField" }, { 0xa2d2, false, "BlueField" },
	{ 0x0211, true, "BlueField" },
	{ 0xa2d4, false, "BlueField-2" }, { 0xa2d5, false, "BlueField-2" }, { 0xa2d6, false, "BlueField-2" },
	{ 0x0214, true, "BlueField-2" },
	{ 0xa2da, false, "BlueField-3" }, { 0xa2db, false, "BlueField-3" }, { 0xa2dc, false, "BlueField-3" },
	{ 0x021c, true, "BlueField-3" }, { 0x021d, true, "BlueField-3" },
	{ 0xa2dd, false, "BlueField-4" }, { 0xa2de, false, "BlueField-4" }, { 0xa2df, false, "BlueField-4" },
	{ 0xc2d6, false, "BlueField-4" }, { 0x0220, true, "BlueField-4" },
};

/* Documentation/reference/firmware-images.md 1.5 */
static const struct {
	uint32_t hw_id;
	const char *name, *format;
} chips[] = {
	{ 0x190, "ConnectX-2", "FS2" }, { 0x1f5, "ConnectX-3", "FS2" }, { 0x1f7, "ConnectX-3 Pro", "FS2" },
	{ 0x1ff, "Connect-IB", "FS3" }, { 0x209, "ConnectX-4", "FS3" }, { 0x20b, "ConnectX-4 Lx", "FS3" },
	{ 0x20d, "ConnectX-5", "FS4" }, { 0x20f, "ConnectX-6", "FS4" }, { 0x211, "BlueField", "FS4" },
	{ 0x212, "ConnectX-6 Dx", "FS4" }, { 0x214, "BlueField-2", "FS4" }, { 0x216, "ConnectX-6 Lx", "FS4" },
	{ 0x218, "ConnectX-7", "FS4" }, { 0x21c, "BlueField-3", "FS4" }, { 0x21e, "ConnectX-8", "FS5" },
	{ 0x222, "ConnectX-8 PCIe switch", "FS5" }, { 0x224, "ConnectX-9", "FS5" },
	{ 0x228, "ConnectX-9 PCIe switch", "FS5" },
};

static const uint16_t virtual_ids[] = {
	0x1002, 0x1004, 0x1012, 0x1014, 0x1016, 0x1018, 0x101a, 0x101c, 0x101e, 0xa2d3,
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const char *pci_model(uint16_t device, bool *recovery)
{
	size_t i;

	for (i = 0; i < COUNT(models); i++) {
		if (models[i].device == device) {
			if (recovery)
				*recovery = models[i].recovery;
			return models[i].name;
		}
	}
	if (recovery)
		*recovery = false;
	return NULL;
}

const char *pci_model_by_hw_id(uint32_t hw_id, uint32_t revision)
{
	size_t i;

	if (hw_id == 0x190 && revision < 0xb0)
		return "ConnectX";
	for (i = 0; i < COUNT(chips); i++)
		if (chips[i].hw_id == hw_id)
			return chips[i].name;
	return NULL;
}

const char *pci_format_by_hw_id(uint32_t hw_id)
{
	size_t i;

	for (i = 0; i < COUNT(chips); i++)
		if (chips[i].hw_id == hw_id)
			return chips[i].format;
	return NULL;
}

bool pci_is_virtual_id(uint16_t device)
{
	size_t i;

	for (i = 0; i < COUNT(virtual_ids); i++)
		if (virtual_ids[i] == device)
			return true;
	return false;
}

bool pci_is_mlx4(uint16_t device)
{
	return (device >= 0x6340 && device <= 0x676e) || device == 0x191 || device == 0x1003 ||
	       device == 0x1f6 || device == 0x1007 || device == 0x1f8;
}

static uint32_t read_hex(const char *address, const char *name)
{
	char text[32];

	if (sysfs_read(text, sizeof(text), "bus/pci/devices/%s/%s", address, name) < 0)
		return 0;
	return strtoul(text, NULL, 16);
}

static void read_text(char *text, size_t size, const char *address, const char *name)
{
	if (sysfs_read(text, size, "bus/pci/devices/%s/%s", address, name) < 0)
		text[0] = '\0';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static unsigned int read_names(char names[][32], const char *address, const char *directory)
{
	struct dirent **entries;
	char path[PATH_MAX];
	unsigned int count = 0;
	int found, i;

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s/%s", address, directory);
	found = scandir(path, &entries, no_dots, by_name);
	if (found < 0)
		return 0;
	for (i = 0; i < found; i++) {
		if (count < PCI_NAMES)
			snprintf(names[count++], 32, "%.31s", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return count;
}

static unsigned int count_virtual(const char *address)
{
	struct dirent *entry;
	char path[PATH_MAX];
	unsigned int count = 0;
	DIR *directory;

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s", address);
	directory = opendir(path);
	if (!directory)
		return 0;
	while ((entry = readdir(directory)))
		if (!strncmp(entry->d_name, "virtfn", 6))
			count++;
	closedir(directory);
	return count;
}

static void read_rdma(struct pci_function *function)
{
	if (!function->rdma_count)
		return;
	if (sysfs_read(function->board_id, sizeof(function->board_id),
		       "bus/pci/devices/%s/infiniband/%s/board_id", function->address, function->rdma[0]) < 0)
		function->board_id[0] = '\0';
	if (sysfs_read(function->fw_version, sizeof(function->fw_version),
		       "bus/pci/devices/%s/infiniband/%s/fw_ver", function->address, function->rdma[0]) < 0)
		function->fw_version[0] = '\0';
}

int pci_read(const char *address, struct pci_function *function)
{
	char text[32];

	memset(function, 0, sizeof(*function));
	if (sscanf(address, "%8x:%2x:%2x.%1x", &function->domain, &function->bus, &function->slot,
		   &function->function) != 4)
		return -ENOENT;
	snprintf(function->address, sizeof(function->address), "%.15s", address);
	if (sysfs_read(text, sizeof(text), "bus/pci/devices/%s/vendor", address) < 0)
		return -ENOENT;
	function->vendor = strtoul(text, NULL, 16);
	function->device = read_hex(address, "device");
	function->subsystem_vendor = read_hex(address, "subsystem_vendor");
	function->subsystem_device = read_hex(address, "subsystem_device");
	function->class_code = read_hex(address, "class");
	function->revision = read_hex(address, "revision");
	function->numa_node = -1;
	if (sysfs_read(text, sizeof(text), "bus/pci/devices/%s/numa_node", address) >= 0)
		function->numa_node = atoi(text);
	if (sysfs_link(function->driver, sizeof(function->driver), "bus/pci/devices/%s/driver", address) < 0)
		function->driver[0] = '\0';
	if (sysfs_link(function->physical, sizeof(function->physical), "bus/pci/devices/%s/physfn", address) < 0)
		function->physical[0] = '\0';
	function->is_virtual = function->physical[0] ||
			       (function->vendor == PCI_VENDOR_MELLANOX && pci_is_virtual_id(function->device));
	function->virtual_count = count_virtual(address);
	function->netdev_count = read_names(function->netdev, address, "net");
	function->rdma_count = read_names(function->rdma, address, "infiniband");
	read_rdma(function);
	read_text(function->link_speed, sizeof(function->link_speed), address, "current_link_speed");
	read_text(function->link_width, sizeof(function->link_width), address, "current_link_width");
	read_text(function->link_speed_max, sizeof(function->link_speed_max), address, "max_link_speed");
	read_text(function->link_width_max, sizeof(function->link_width_max), address, "max_link_width");
	read_text(function->power, sizeof(function->power), address, "power/runtime_status");
	return 0;
}

/* Network, InfiniBand, memory controller (recovery) and the DMA parts of a DPU are cards; bridges are not. */
static bool is_card(const struct pci_function *function)
{
	if (function->vendor != PCI_VENDOR_MELLANOX)
		return false;
	if (pci_model(function->device, NULL) || function->is_virtual)
		return true;
	return function->class_code >> 16 == 0x02 || function->class_code >> 8 == 0x0c06;
}

static int by_address(const void *a, const void *b)
{
	const struct pci_function *one = a, *other = b;

#define COMPARE(field) do { \
	if (one->field != other->field) \
		return one->field < other->field ? -1 : 1; \
} while (0)
	COMPARE(domain);
	COMPARE(bus);
	COMPARE(slot);
	COMPARE(function);
#undef COMPARE
	return 0;
}

int pci_scan(struct pci_list *list)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *directory;

	memset(list, 0, sizeof(*list));
	sysfs_path(path, sizeof(path), "bus/pci/devices");
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		struct pci_function *grown;
		char vendor[16];

		/* One small file a function is read of everybody else's devices, no more. */
		if (entry->d_name[0] == '.' ||
		    sysfs_read(vendor, sizeof(vendor), "bus/pci/devices/%s/vendor", entry->d_name) < 0 ||
		    strtoul(vendor, NULL, 16) != PCI_VENDOR_MELLANOX)
			continue;
		grown = realloc(list->functions, (list->count + 1) * sizeof(*grown));
		if (!grown) {
			closedir(directory);
			pci_list_free(list);
			return -ENOMEM;
		}
		list->functions = grown;
		if (!pci_read(entry->d_name, &grown[list->count]) && is_card(&grown[list->count]))
			list->count++;
	}
	closedir(directory);
	if (list->count)
		qsort(list->functions, list->count, sizeof(*list->functions), by_address);
	return 0;
}

void pci_list_free(struct pci_list *list)
{
	free(list->functions);
	memset(list, 0, sizeof(*list));
}
