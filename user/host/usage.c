// SPDX-License-Identifier: GPL-2.0-only
/* What the parts share, the virtual functions, and the caller's own session. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/message.h"
#include "procfs.h"
#include "usage_parts.h"

#define ANCESTORS	32	/* more generations of processes are not asked */
#define ENVIRONMENT	131072	/* bytes of one that are looked at */

const char *usage_kind_name(enum usage_kind kind)
{
	static const char *const names[USAGE_KINDS] = {
		[USAGE_NETWORK] = "network",
		[USAGE_BOND] = "bond",
		[USAGE_RDMA] = "rdma",
		[USAGE_VIRTUAL] = "virtual-functions",
		[USAGE_STORAGE] = "storage",
		[USAGE_SESSION] = "session",
	};

	return kind < USAGE_KINDS ? names[kind] : "unknown";
}

struct usage_item *usage_add(struct card_usage *usage, enum usage_kind kind, bool harmless, const char *what,
			     const char *format, ...)
{
	static struct usage_item spare;
	struct usage_item *item = &spare;
	va_list arguments;

	if (!harmless)
		usage->hit |= 1U << kind;
	if (usage->count < USAGE_MOST)
		item = &usage->items[usage->count++];
	else
		usage->left_out++;
	memset(item, 0, sizeof(*item));
	item->kind = kind;
	item->harmless = harmless;
	snprintf(item->what, sizeof(item->what), "%.63s", what);
	va_start(arguments, format);
	vsnprintf(item->text, sizeof(item->text), format, arguments);
	va_end(arguments);
	return item;
}

bool usage_has(const struct card_usage *usage, enum usage_kind kind)
{
	return usage->hit >> kind & 1;
}

bool usage_goes_down(const struct card_usage *usage, const char *interface)
{
	size_t i;

	for (i = 0; i < usage->interface_count; i++)
		if (!strcmp(usage->interfaces[i], interface))
			return true;
	return false;
}

bool usage_leads_through(const struct usage_search *search, const char *address, char interface[32])
{
	return search->kernel->route(address, interface, 32) && usage_goes_down(search->usage, interface);
}

bool usage_driver_of(const char *address, char *driver, size_t room)
{
	return sysfs_link(driver, room, "bus/pci/devices/%s/driver", address) > 0;
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void usage_each_entry(void (*take)(const char *name, void *data), void *data, const char *format, ...)
{
	char path[PATH_MAX], below[PATH_MAX];
	struct dirent **entries;
	va_list arguments;
	int count, i;

	va_start(arguments, format);
	vsnprintf(below, sizeof(below), format, arguments);
	va_end(arguments);
	sysfs_path(path, sizeof(path), "%s", below);
	count = scandir(path, &entries, no_dots, versionsort);
	for (i = 0; i < count; i++) {
		take(entries[i]->d_name, data);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* ---- virtual functions ---- */

struct virtuals {
	const char *physical;
	unsigned int count, foreign;
	char driver[32];		/* of the last one that a stranger's driver has */
};

static void take_virtual(const char *name, void *data)
{
	struct virtuals *virtuals = data;
	char address[32], driver[32];

	if (strncmp(name, "virtfn", 6))
		return;
	virtuals->count++;
	if (sysfs_link(address, sizeof(address), "bus/pci/devices/%s/%s", virtuals->physical, name) < 0 ||
	    !usage_driver_of(address, driver, sizeof(driver)))
		return;
	if (!strncmp(driver, "mlx", 3))
		return;
	virtuals->foreign++;
	memcpy(virtuals->driver, driver, sizeof(driver));
}

void usage_virtual(struct usage_search *search)
{
	size_t i;

	for (i = 0; i < search->count; i++) {
		struct virtuals virtuals = { .physical = search->functions[i].address };

		usage_each_entry(take_virtual, &virtuals, "bus/pci/devices/%s", virtuals.physical);
		search->usage->guests += virtuals.foreign;
		if (virtuals.foreign)
			usage_add(search->usage, USAGE_VIRTUAL, false, virtuals.physical,
				  _("%s: %u virtual functions, %u of them with %s, as virtual machines have them"),
				  virtuals.physical, virtuals.count, virtuals.foreign, virtuals.driver);
		else if (virtuals.count)
			usage_add(search->usage, USAGE_VIRTUAL, false, virtuals.physical,
				  _("%s: %u virtual functions are switched on"), virtuals.physical, virtuals.count);
	}
}

/* ---- the caller's session ---- */

static bool take_connection(const char *text, char *connection, size_t room)
{
	return text && snprintf(connection, room, "%s", text) > 0;
}

/* sudo and su clean the environment; the shell before them still has it. */
static bool connection_of(const char *process, char *connection, size_t room)
{
	static const char name[] = "SSH_CONNECTION=";
	char path[PATH_MAX], *text = malloc(ENVIRONMENT + 1);
	ssize_t length, at;
	bool found = false;
	int fd;

	proc_path(path, sizeof(path), "%s/environ", process);
	fd = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	length = fd < 0 ? 0 : read(fd, text, ENVIRONMENT);
	if (fd >= 0)
		close(fd);
	for (at = 0; at < length && !found; at += strlen(text + at) + 1) {
		text[length] = '\0';
		if (!strncmp(text + at, name, sizeof(name) - 1))
			found = take_connection(text + at + sizeof(name) - 1, connection, room);
	}
	free(text);
	return found;
}

static bool parent_of(const char *process, char *parent, size_t room)
{
	char path[PATH_MAX], text[1024], *end;
	unsigned int number;

	proc_path(path, sizeof(path), "%s/stat", process);
	if (file_read(text, sizeof(text), path) < 0)
		return false;
	/* The name may hold blanks and brackets. */
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %*c %u", &number) != 1 || number < 2)
		return false;
	snprintf(parent, room, "%u", number);
	return true;
}

static bool find_connection(char *connection, size_t room)
{
	char process[16] = "self";
	unsigned int i;

	if (take_connection(getenv("SSH_CONNECTION"), connection, room))
		return true;
	for (i = 0; i < ANCESTORS; i++) {
		char parent[16];

		if (connection_of(process, connection, room))
			return true;
		if (!parent_of(process, parent, sizeof(parent)))
			return false;
		memcpy(process, parent, sizeof(process));
	}
	return false;
}

struct owner {
	const char *address;
	char interface[32];
};

static void take_owner(const char *interface, const char *address, void *data)
{
	struct owner *owner = data;
	size_t length = strcspn(address, "/");

	if (strlen(owner->address) == length && !strncmp(owner->address, address, length))
		snprintf(owner->interface, sizeof(owner->interface), "%.31s", interface);
}

void usage_session(struct usage_search *search)
{
	char connection[192], client[64], server[64], interface[32];
	struct owner owner = { .address = server };

	/* "client port server port" */
	if (!find_connection(connection, sizeof(connection)) ||
	    sscanf(connection, "%63s %*s %63s", client, server) != 2)
		return;
	search->kernel->addresses(take_owner, &owner);
	if (!usage_leads_through(search, client, interface)) {
		if (!usage_goes_down(search->usage, owner.interface))
			return;
		memcpy(interface, owner.interface, sizeof(interface));
	}
	usage_add(search->usage, USAGE_SESSION, false, interface,
		  _("your own session from %s comes over %s"), client, interface);
}

/* ---- all of it ---- */

void usage_query(const struct pci_function *functions, size_t count, const struct usage_kernel *kernel,
		 struct card_usage *usage)
{
	struct usage_search search = { functions, count, kernel, usage };

	memset(usage, 0, sizeof(*usage));
	usage_network(&search);
	usage_rdma(&search);
	usage_virtual(&search);
	usage_storage(&search);
	usage_session(&search);
}
