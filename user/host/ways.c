// SPDX-License-Identifier: GPL-2.0-only
#include "ways.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysfs.h"

#define CAPABILITY_POINTER	0x34
#define CAPABILITY_VENDOR	0x09
#define VSC_BYTES		0x18

/* Walks the list by its two-byte heads: 0x58 to 0x5f have side effects and are never read. */
static unsigned int find_vsc(int fd)
{
	bool seen[256] = { false };
	uint8_t head[3], next;

	if (pread(fd, &next, 1, CAPABILITY_POINTER) != 1)
		return 0;
	while (next >= 0x40 && next <= 0xfd && !seen[next] && !(next >= 0x56 && next <= 0x5f)) {
		seen[next] = true;
		if (pread(fd, head, 2, next) != 2)
			return 0;
		if (head[0] == CAPABILITY_VENDOR && pread(fd, head + 2, 1, next + 2) == 1 && head[2] == VSC_BYTES)
			return next;
		next = head[1];
	}
	return 0;
}

static void look_at_config(const struct pci_function *pci, struct ways *ways)
{
	char path[PATH_MAX];
	uint8_t byte;
	int fd;

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s/config", pci->address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		ways->config_error = errno;
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return;
	/* Without root the kernel shows 64 bytes only. */
	ways->config_full = pread(fd, &byte, 1, 0x40) == 1;
	if (ways->config_full)
		ways->vsc = find_vsc(fd);
	close(fd);
}

static void look_at_bar(const struct pci_function *pci, struct ways *ways)
{
	struct stat status;
	char path[PATH_MAX];

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s/resource0", pci->address);
	if (stat(path, &status))
		return;
	ways->bar0 = true;
	ways->bar0_bytes = status.st_size;
}

static void look_for_node(const struct pci_function *pci, struct ways *ways)
{
	static const char *const forms[] = { "/dev/%s_mstconf", "/dev/%s_mstcr" };
	char path[64];
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]) && !*ways->mst_node; i++) {
		snprintf(path, sizeof(path), forms[i], pci->address);
		if (!access(path, F_OK))
			snprintf(ways->mst_node, sizeof(ways->mst_node), "%s", path);
	}
}

/* The auxiliary device of mlx5_fwctl is a child of the PCI function. */
static void look_for_fwctl(const struct pci_function *pci, struct ways *ways)
{
	char pattern[PATH_MAX];
	glob_t found;

	sysfs_path(pattern, sizeof(pattern), "bus/pci/devices/%s/*/fwctl/fwctl*", pci->address);
	if (!glob(pattern, 0, NULL, &found) && found.gl_pathc) {
		const char *name = strrchr(found.gl_pathv[0], '/');

		snprintf(ways->fwctl_node, sizeof(ways->fwctl_node), "/dev/fwctl/%.32s", name ? name + 1 : "");
	}
	globfree(&found);
}

void ways_query(const struct pci_function *pci, struct ways *ways)
{
	memset(ways, 0, sizeof(*ways));
	look_at_config(pci, ways);
	look_at_bar(pci, ways);
	look_for_node(pci, ways);
	look_for_fwctl(pci, ways);
}
