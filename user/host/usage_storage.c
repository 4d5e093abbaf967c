// SPDX-License-Identifier: GPL-2.0-only
/*
 * Storage that comes over the card: network file systems by the route to their server, NVMe over fabrics and
 * iSCSI (iSER) by the route to their target. What is mounted from such a disk is named, through partitions
 * and whatever the device mapper has built above.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/message.h"
#include "procfs.h"
#include "usage_parts.h"

#define MOUNTS		512
#define DEPTH		8	/* disk, partition, LUKS, LVM ... */

struct mount {
	unsigned int major, minor;
	char point[128], type[24], source[128], options[512];
};

struct mounts {
	struct mount *list;
	size_t count;
};

/* "\040" is a blank; no other escape matters here. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (!strncmp(text, "\\040", 4)) {
			*to++ = ' ';
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static bool parse_mount(const char *line, struct mount *mount)
{
	const char *end = strstr(line, " - ");

	memset(mount, 0, sizeof(*mount));
	if (!end ||
	    sscanf(line, "%*u %*u %u:%u %*s %127s", &mount->major, &mount->minor, mount->point) != 3 ||
	    sscanf(end + 3, "%23s %127s %511s", mount->type, mount->source, mount->options) < 2)
		return false;
	unescape(mount->point);
	return true;
}

static void read_mounts(struct mounts *mounts)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	FILE *file;

	mounts->count = 0;
	mounts->list = calloc(MOUNTS, sizeof(*mounts->list));
	proc_path(path, sizeof(path), "self/mountinfo");
	file = mounts->list ? fopen(path, "re") : NULL;
	if (!file)
		return;
	while (mounts->count < MOUNTS && getline(&line, &room, file) > 0)
		if (parse_mount(line, &mounts->list[mounts->count]))
			mounts->count++;
	free(line);
	fclose(file);
}

/* ---- network file systems ---- */

/* The address of the server, from the options or the source; false: this is no such file system. */
static bool server_of(const struct mount *mount, char *server, size_t room)
{
	static const char *const by_option[] = { "nfs", "nfs4", "cifs", "smb3" };
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(by_option) / sizeof(by_option[0]); i++) {
		if (strcmp(mount->type, by_option[i]))
			continue;
		at = strstr(mount->options, ",addr=");
		if (!at)
			return false;
		at += strlen(",addr=");
		snprintf(server, room, "%.*s", (int)strcspn(at, ","), at);
		return true;
	}
	if (strcmp(mount->type, "ceph"))
		return false;
	/* "10.0.0.1:6789,10.0.0.2:6789:/" */
	at = mount->source;
	if (*at == '[')
		snprintf(server, room, "%.*s", (int)strcspn(at + 1, "]"), at + 1);
	else
		snprintf(server, room, "%.*s", (int)strcspn(at, ":"), at);
	return *server != '\0';
}

static void judge_mount(struct usage_search *search, const struct mount *mount)
{
	char server[64], interface[32];

	if (!server_of(mount, server, sizeof(server)) || !usage_leads_through(search, server, interface))
		return;
	usage_add(search->usage, USAGE_STORAGE, false, mount->point, _("%s: %s file system of %s (%s), over %s"),
		  mount->point, mount->type, server, mount->source, interface);
}

/* ---- what is mounted from a disk ---- */

struct disk {
	const struct mounts *mounts;
	char block[64];			/* name below class/block */
	unsigned int depth;
	char *text;			/* mount points, a list */
	size_t room;
};

static void disk_use(struct disk *disk);

static void add_use(struct disk *disk, const char *use)
{
	size_t used = strlen(disk->text);

	if (!strstr(disk->text, use))
		snprintf(disk->text + used, disk->room - used, "%s%s", used ? ", " : "", use);
}

static void take_below(const char *name, void *data)
{
	struct disk *parent = data, disk = *parent;

	snprintf(disk.block, sizeof(disk.block), "%.63s", name);
	disk.depth++;
	disk_use(&disk);
}

static void take_partition(const char *name, void *data)
{
	struct disk *parent = data;
	char text[16];

	if (sysfs_read(text, sizeof(text), "class/block/%s/%s/partition", parent->block, name) > 0)
		take_below(name, data);
}

/* A file system of several disks has a device number of its own and names one of them as its source. */
static bool is_from(const struct mount *mount, const struct disk *disk, unsigned int major,
		    unsigned int minor)
{
	const char *name = strrchr(mount->source, '/');

	return (mount->major == major && mount->minor == minor) ||
	       (!strncmp(mount->source, "/dev/", 5) && name && !strcmp(name + 1, disk->block));
}

static void look_for_swap(struct disk *disk)
{
	char path[PATH_MAX], line[512], name[256];
	FILE *file;

	proc_path(path, sizeof(path), "swaps");
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "/dev/%255s", name) == 1 && !strcmp(name, disk->block))
			add_use(disk, _("swap"));
	if (file)
		fclose(file);
}

static void disk_use(struct disk *disk)
{
	unsigned int major, minor;
	char text[32];
	size_t i;

	if (disk->depth > DEPTH)
		return;
	if (sysfs_read(text, sizeof(text), "class/block/%s/dev", disk->block) > 0 &&
	    sscanf(text, "%u:%u", &major, &minor) == 2) {
		for (i = 0; i < disk->mounts->count; i++)
			if (is_from(&disk->mounts->list[i], disk, major, minor))
				add_use(disk, disk->mounts->list[i].point);
		look_for_swap(disk);
	}
	usage_each_entry(take_partition, disk, "class/block/%s", disk->block);
	usage_each_entry(take_below, disk, "class/block/%s/holders", disk->block);
}

/* ---- NVMe over fabrics, iSCSI ---- */

struct fabrics {
	struct usage_search *search;
	const struct mounts *mounts;
	const char *controller;		/* whose disks are gathered */
	char text[192];			/* and what is mounted from them */
};

static void gather_disk(struct fabrics *fabrics, const char *block)
{
	struct disk disk = { .mounts = fabrics->mounts, .text = fabrics->text, .room = sizeof(fabrics->text) };

	snprintf(disk.block, sizeof(disk.block), "%.63s", block);
	disk_use(&disk);
}

/* "nvme0n1"; with several paths "nvme0c1n1", whose head is "nvme0n1". */
static void take_namespace(const char *name, void *data)
{
	unsigned int controller, path, number;
	char head[64];

	if (sscanf(name, "nvme%uc%un%u", &controller, &path, &number) == 3)
		snprintf(head, sizeof(head), "nvme%un%u", controller, number);
	else if (sscanf(name, "nvme%un%u", &controller, &number) == 2)
		snprintf(head, sizeof(head), "%.63s", name);
	else
		return;
	gather_disk(data, head);
}

static void add_disk(struct fabrics *fabrics, const char *what, const char *kind, const char *target,
		     const char *interface)
{
	usage_add(fabrics->search->usage, USAGE_STORAGE, false, what, *fabrics->text ?
		  _("%s: %s, target %s, over %s: %s") : _("%s: %s, target %s, over %s: not mounted"), what, kind,
		  target, interface, fabrics->text);
}

static void take_nvme(const char *name, void *data)
{
	struct fabrics *fabrics = data;
	char transport[16], address[256], target[64], kind[32], interface[32];
	const char *at;

	if (sysfs_read(transport, sizeof(transport), "class/nvme/%s/transport", name) <= 0 ||
	    sysfs_read(address, sizeof(address), "class/nvme/%s/address", name) <= 0)
		return;
	at = strstr(address, "traddr=");
	if (!at || (strcmp(transport, "tcp") && strcmp(transport, "rdma")))
		return;
	snprintf(target, sizeof(target), "%.*s", (int)strcspn(at + 7, ", "), at + 7);
	if (!usage_leads_through(fabrics->search, target, interface))
		return;
	snprintf(kind, sizeof(kind), "NVMe/%s", strcmp(transport, "tcp") ? "RDMA" : "TCP");
	fabrics->text[0] = '\0';
	usage_each_entry(take_namespace, fabrics, "class/nvme/%s", name);
	add_disk(fabrics, name, kind, target, interface);
}

struct iscsi {
	struct fabrics *fabrics;
	const char *session;
	char target[32], unit[32];
};

static void take_iscsi_block(const char *name, void *data)
{
	struct iscsi *iscsi = data;

	gather_disk(iscsi->fabrics, name);
}

static void take_unit(const char *name, void *data)
{
	struct iscsi *iscsi = data;

	usage_each_entry(take_iscsi_block, iscsi, "class/iscsi_session/%s/device/%s/%s/block", iscsi->session,
			 iscsi->target, name);
}

static void take_target(const char *name, void *data)
{
	struct iscsi *iscsi = data;

	if (strncmp(name, "target", 6))
		return;
	snprintf(iscsi->target, sizeof(iscsi->target), "%.31s", name);
	usage_each_entry(take_unit, iscsi, "class/iscsi_session/%s/device/%s", iscsi->session, name);
}

static void take_session(const char *name, void *data)
{
	struct iscsi iscsi = { .fabrics = data, .session = name };
	char address[64], interface[32], connection[48];

	if (strncmp(name, "session", 7))
		return;
	snprintf(connection, sizeof(connection), "connection%.16s:0", name + 7);
	if (sysfs_read(address, sizeof(address), "class/iscsi_connection/%s/address", connection) <= 0 &&
	    sysfs_read(address, sizeof(address), "class/iscsi_connection/%s/persistent_address", connection) <= 0)
		return;
	if (!usage_leads_through(iscsi.fabrics->search, address, interface))
		return;
	iscsi.fabrics->text[0] = '\0';
	usage_each_entry(take_target, &iscsi, "class/iscsi_session/%s/device", name);
	add_disk(iscsi.fabrics, name, _("iSCSI or iSER"), address, interface);
}

void usage_storage(struct usage_search *search)
{
	struct fabrics fabrics = { .search = search };
	struct mounts mounts;
	size_t i;

	read_mounts(&mounts);
	fabrics.mounts = &mounts;
	for (i = 0; i < mounts.count; i++)
		judge_mount(search, &mounts.list[i]);
	usage_each_entry(take_nvme, &fabrics, "class/nvme");
	usage_each_entry(take_session, &fabrics, "class/iscsi_session");
	free(mounts.list);
}
