// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that hold RDMA resources: by netlink, which counts them, and by the open device files, which
 * older kernels show, too.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/message.h"
#include "procfs.h"
#include "usage_parts.h"

#define USERS	64
#define NODES	32

struct user {
	uint32_t pid;
	char name[64];
	unsigned int resources;		/* 0: only seen by an open file */
	char device[32];
};

struct users {
	struct user list[USERS];
	size_t count;
	const char *device;		/* that is asked about now */
	char node[NODES][32];		/* "uverbs0": device files of the card */
	char node_device[NODES][32];
	size_t nodes;
};

/* Every RDMA device has queues of these, used or not. */
static bool is_furniture(const char *name)
{
	static const char *const names[] = {
		"ib_core", "ib_mad", "ib_cm", "mlx5_ib", "mlx4_ib", "mlx5_core", "mlx4_core",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static struct user *user_of(struct users *users, uint32_t pid, const char *name, const char *device)
{
	struct user *user;
	size_t i;

	for (i = 0; i < users->count; i++) {
		user = &users->list[i];
		if (user->pid == pid && (pid || !strcmp(user->name, name)) && !strcmp(user->device, device))
			return user;
	}
	if (users->count == USERS)
		return NULL;
	user = &users->list[users->count++];
	memset(user, 0, sizeof(*user));
	user->pid = pid;
	snprintf(user->name, sizeof(user->name), "%.63s", name);
	snprintf(user->device, sizeof(user->device), "%.31s", device);
	return user;
}

static void process_name(uint32_t pid, char *name, size_t room)
{
	char path[PATH_MAX];

	proc_path(path, sizeof(path), "%u/comm", pid);
	if (file_read(name, room, path) < 0)
		snprintf(name, room, "?");
}

static void take_netlink(uint32_t pid, const char *name, unsigned int resources, void *data)
{
	struct users *users = data;
	struct user *user;
	char program[64];

	if (!pid && is_furniture(name))
		return;
	if (pid) {
		process_name(pid, program, sizeof(program));
		name = program;
	}
	user = user_of(users, pid, name, users->device);
	if (user)
		user->resources += resources;
}

/* ---- open device files ---- */

static void take_node(const char *class, const char *name, struct users *users,
		      const struct usage_search *search)
{
	char device[32];
	size_t i;
	unsigned int n;

	if (users->nodes == NODES || sysfs_read(device, sizeof(device), "class/%s/%s/ibdev", class, name) <= 0)
		return;
	for (i = 0; i < search->count; i++)
		for (n = 0; n < search->functions[i].rdma_count; n++)
			if (!strcmp(search->functions[i].rdma[n], device)) {
				snprintf(users->node[users->nodes], 32, "%.31s", name);
				memcpy(users->node_device[users->nodes++], device, sizeof(device));
				return;
			}
}

struct node_search {
	struct users *users;
	const struct usage_search *search;
	const char *class;
};

static void take_class_entry(const char *name, void *data)
{
	struct node_search *nodes = data;

	take_node(nodes->class, name, nodes->users, nodes->search);
}

static void find_nodes(struct users *users, const struct usage_search *search)
{
	struct node_search nodes = { users, search, "infiniband_verbs" };

	usage_each_entry(take_class_entry, &nodes, "class/infiniband_verbs");
	nodes.class = "infiniband_mad";
	usage_each_entry(take_class_entry, &nodes, "class/infiniband_mad");
}

static void look_at_file(struct users *users, const char *process, const char *file)
{
	char path[PATH_MAX], target[PATH_MAX], name[64];
	const char *node;
	ssize_t length;
	size_t i;

	proc_path(path, sizeof(path), "%s/fd/%s", process, file);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return;
	target[length] = '\0';
	if (strncmp(target, "/dev/infiniband/", 16))
		return;
	node = target + 16;
	for (i = 0; i < users->nodes; i++) {
		uint32_t pid = strtoul(process, NULL, 10);

		if (strcmp(users->node[i], node))
			continue;
		process_name(pid, name, sizeof(name));
		user_of(users, pid, name, users->node_device[i]);
	}
}

static void look_at_process(struct users *users, const char *process)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *directory;

	proc_path(path, sizeof(path), "%s/fd", process);
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at_file(users, process, entry->d_name);
	if (directory)
		closedir(directory);
}

static void look_at_processes(struct users *users)
{
	struct dirent *entry;
	DIR *directory = users->nodes ? opendir(proc_root()) : NULL;

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at_process(users, entry->d_name);
	if (directory)
		closedir(directory);
}

static int by_pid(const void *a, const void *b)
{
	const struct user *one = a, *other = b;

	return one->pid < other->pid ? -1 : one->pid > other->pid;
}

static void tell(struct card_usage *usage, const struct user *user)
{
	struct usage_item *item;

	if (!user->pid)
		item = usage_add(usage, USAGE_RDMA, false, user->name,
				 _("kernel module %s: %u RDMA objects on %s"), user->name, user->resources, user->device);
	else if (user->resources)
		item = usage_add(usage, USAGE_RDMA, false, user->name,
				 _("%s, process %u: %u RDMA objects on %s"), user->name, user->pid, user->resources,
				 user->device);
	else
		item = usage_add(usage, USAGE_RDMA, false, user->name, _("%s, process %u: has %s open"), user->name,
				 user->pid, user->device);
	item->pid = user->pid;
}

void usage_rdma(struct usage_search *search)
{
	struct users *users = calloc(1, sizeof(*users));
	size_t i;
	unsigned int n;

	if (!users)
		return;
	for (i = 0; i < search->count; i++) {
		for (n = 0; n < search->functions[i].rdma_count; n++) {
			users->device = search->functions[i].rdma[n];
			search->kernel->rdma(users->device, take_netlink, users);
		}
	}
	find_nodes(users, search);
	look_at_processes(users);
	qsort(users->list, users->count, sizeof(users->list[0]), by_pid);
	for (i = 0; i < users->count; i++)
		tell(search->usage, &users->list[i]);
	free(users);
}
