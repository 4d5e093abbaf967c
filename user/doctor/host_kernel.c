// SPDX-License-Identifier: GPL-2.0-only
/* The kernel that modules shall be for, and the package that brings its headers here. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "host_private.h"

/* Compares as package managers do: digits as numbers, letters as letters, all else only parts them. */
static int compare_releases(const char *a, const char *b)
{
	while (*a || *b) {
		size_t length_a, length_b;
		int order;

		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, "0");
			b += strspn(b, "0");
			length_a = strspn(a, "0123456789");
			length_b = strspn(b, "0123456789");
			if (length_a != length_b)
				return length_a < length_b ? -1 : 1;
			order = strncmp(a, b, length_a);
			a += length_a;
			b += length_b;
		} else {
			order = (unsigned char)*a - (unsigned char)*b;
			a += *a != '\0';
			b += *b != '\0';
		}
		if (order)
			return order;
	}
	return 0;
}

bool is_plain_word(const char *word)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+~-");

	return length && !word[length];
}

bool is_kernel_release(const char *release)
{
	return is_plain_word(release) && !strchr(release, '/') && isdigit((unsigned char)release[0]) &&
	       strlen(release) < sizeof(((struct host *)NULL)->release);
}

/* What a removed kernel left behind is a directory, too, but holds no modules of its own. */
static bool has_kernel(const struct host *host, const char *release)
{
	return host_has(host, "lib/modules/%s/kernel", release) ||
	       host_has(host, "lib/modules/%s/modules.builtin", release);
}

static void find_newest(const struct host *host, char *release, size_t size)
{
	char path[PATH_MAX];
	bool whole = false;
	struct dirent *entry;
	DIR *directory;

	host_path(host, path, sizeof(path), "lib/modules");
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		bool better;

		if (!is_kernel_release(entry->d_name))
			continue;
		better = has_kernel(host, entry->d_name);
		if (better < whole ||
		    (better == whole && release[0] && compare_releases(entry->d_name, release) <= 0))
			continue;
		whole = better;
		snprintf(release, size, "%.127s", entry->d_name);
	}
	if (directory)
		closedir(directory);
}

/* "4.19.90-17.ky10.aarch64" has it at its end, "6.1.0-57-amd64" in deb's words. */
static const char *architecture_of_release(const char *release)
{
	static const struct {
		const char *part, *architecture;
	} parts[] = {
		{ "x86_64", "x86_64" }, { "aarch64", "aarch64" }, { "loongarch64", "loongarch64" },
		{ "-amd64", "x86_64" }, { "-arm64", "aarch64" }, { "-loong64", "loongarch64" },
		{ "ppc64le", "ppc64le" }, { "s390x", "s390x" }, { "riscv64", "riscv64" },
		{ "sw_64", "sw_64" }, { "mips64el", "mips64" },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(release, parts[i].part))
			return parts[i].architecture;
	return NULL;
}

static const char *architecture_of_linker(const struct host *host)
{
	static const struct {
		const char *linker, *architecture;
	} linkers[] = {
		{ "lib64/ld-linux-x86-64.so.2", "x86_64" },
		{ "lib/ld-linux-aarch64.so.1", "aarch64" },
		{ "lib64/ld-linux-loongarch-lp64d.so.1", "loongarch64" },
		{ "lib/ld-linux-riscv64-lp64d.so.1", "riscv64" },
		{ "lib64/ld64.so.2", "ppc64le" },
	};
	size_t i;

	for (i = 0; i < sizeof(linkers) / sizeof(linkers[0]); i++)
		if (host_has(host, "%s", linkers[i].linker))
			return linkers[i].architecture;
	return "";
}

/*
 * Kernels of another flavour carry its name: 5.14.0-570.el9.aarch64+64k wants kernel-64k-devel, Oracle's
 * kernel-uek-devel.
 */
static void name_rpm_package(struct host *host)
{
	const char *plus = strchr(host->release, '+');
	int length = plus ? plus - host->release : (int)strlen(host->release);

	if (plus)
		snprintf(host->header_package, sizeof(host->header_package), "kernel-%.32s-devel-%.*s", plus + 1,
			 length, host->release);
	else
		snprintf(host->header_package, sizeof(host->header_package), "kernel-%sdevel-%s",
			 strstr(host->release, "uek") ? "uek-" : "", host->release);
}

void host_read_kernel(struct host *host, const char *release)
{
	const char *architecture;
	struct utsname kernel;
	bool known = host->live && !uname(&kernel);

	if (release && *release)
		snprintf(host->release, sizeof(host->release), "%s", release);
	else if (known)
		snprintf(host->release, sizeof(host->release), "%.127s", kernel.release);
	else
		find_newest(host, host->release, sizeof(host->release));
	architecture = known ? kernel.machine : architecture_of_release(host->release);
	if (!architecture)
		architecture = architecture_of_linker(host);
	snprintf(host->architecture, sizeof(host->architecture), "%.31s", architecture);
	if (!host->release[0])
		return;
	if (host->packages == PACKAGES_DEB)
		snprintf(host->header_package, sizeof(host->header_package), "linux-headers-%s", host->release);
	else if (host->packages == PACKAGES_RPM)
		name_rpm_package(host);
}
