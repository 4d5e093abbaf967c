// SPDX-License-Identifier: GPL-2.0-only
#include "machine.h"

#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sysfs.h"

#define EFI_GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"

static const char *const lockdown_names[] = {
	[LOCKDOWN_UNKNOWN] = "unknown",
	[LOCKDOWN_NONE] = "none",
	[LOCKDOWN_INTEGRITY] = "integrity",
	[LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
};

const char *lockdown_name(enum lockdown lockdown)
{
	return lockdown_names[lockdown];
}

enum lockdown lockdown_parse(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	size_t length;
	int i;

	if (!close)
		return LOCKDOWN_UNKNOWN;
	length = close - open - 1;
	for (i = LOCKDOWN_NONE; i <= LOCKDOWN_CONFIDENTIALITY; i++)
		if (!strncmp(open + 1, lockdown_names[i], length) && !lockdown_names[i][length])
			return i;
	return LOCKDOWN_UNKNOWN;
}

static enum lockdown read_lockdown(void)
{
	char text[128];

	return sysfs_read(text, sizeof(text), "kernel/security/lockdown") < 0 ? LOCKDOWN_UNKNOWN :
										lockdown_parse(text);
}

/* Four bytes of attributes, then the value. */
static int read_secure_boot(void)
{
	char path[256], bytes[8];
	FILE *file;
	size_t length;

	sysfs_path(path, sizeof(path), "firmware/efi/efivars/SecureBoot-" EFI_GLOBAL);
	file = fopen(path, "re");
	if (!file)
		return -1;
	length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return length >= 5 ? bytes[4] == 1 : -1;
}

static void read_container(struct machine *machine)
{
	const char *kind = getenv("container");
	char text[64];

	if (!kind && file_read(text, sizeof(text), "/run/systemd/container") > 0)
		kind = text;
	if (!kind && !access("/.dockerenv", F_OK))
		kind = "docker";
	if (!kind && !access("/run/.containerenv", F_OK))
		kind = "podman";
	machine->container = kind != NULL;
	if (kind)
		snprintf(machine->container_kind, sizeof(machine->container_kind), "%.31s", kind);
}

static bool has_sys_admin(void)
{
	unsigned long long effective = 0;
	char line[256];
	FILE *file = fopen("/proc/self/status", "re");

	if (!file)
		return geteuid() == 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	fclose(file);
	return effective >> CAP_SYS_ADMIN & 1;
}

/* The initial user namespace maps everything onto itself. */
static bool in_initial_user_namespace(void)
{
	unsigned long inside, outside, count;
	FILE *file = fopen("/proc/self/uid_map", "re");
	int fields;

	if (!file)
		return true;
	fields = fscanf(file, "%lu %lu %lu", &inside, &outside, &count);
	fclose(file);
	return fields != 3 || (inside == 0 && outside == 0 && count == 4294967295UL);
}

void machine_query(struct machine *machine)
{
	struct utsname kernel;

	memset(machine, 0, sizeof(*machine));
	machine->lockdown = read_lockdown();
	machine->secure_boot = read_secure_boot();
	read_container(machine);
	machine->root = geteuid() == 0;
	machine->sys_admin = has_sys_admin();
	machine->initial_user_namespace = in_initial_user_namespace();
	if (!uname(&kernel)) {
		machine->kernel_release_known = true;
		snprintf(machine->release, sizeof(machine->release), "%.127s", kernel.release);
	}
}
