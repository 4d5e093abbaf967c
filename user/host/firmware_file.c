// SPDX-License-Identifier: GPL-2.0-only
#include "firmware_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/message.h"
#include "sysfs.h"

#define PREFIX "cxctl-"
#define SUFFIX ".mfa2"

/* cxctl-PID-NUMBER.mfa2 of a process that is no more. */
static bool is_left_over(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return false;
	errno = 0;
	pid = strtol(name + strlen(PREFIX), &end, 10);
	if (*end == '-')
		end += 1 + strspn(end + 1, "0123456789");
	return !errno && pid > 0 && !strcmp(end, SUFFIX) && kill(pid, 0) && errno == ESRCH;
}

static void remove_left_overs(const char *directory)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (is_left_over(entry->d_name))
			unlinkat(dirfd(entries), entry->d_name, 0);
	closedir(entries);
}

static int make_in(struct firmware_file *file, const char *directory)
{
	if (snprintf(file->path, sizeof(file->path), "%s/%s", directory, file->name) >= (int)sizeof(file->path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	remove_left_overs(directory);
	/* Ours by its number: what stands there was left by an earlier process of the same. */
	unlink(file->path);
	/* Readable by nobody else: an image may be licensed to its owner only. */
	file->fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return file->fd < 0 ? -1 : 0;
}

static int cannot(const char *what, const char *path, struct cxctl_error *error)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM || number == EROFS ? CXCTL_NO_ACCESS : CXCTL_FAILED,
		  "firmware-directory", "%s %s: %s", what, path, strerror(number));
	error_rule(error, _("devlink takes an image only from where the kernel looks for firmware"));
	if (number == ENOSPC || number == EDQUOT)
		error_next(error, _("make room there"));
	else
		error_next(error, _("name a directory that can be written: echo -n DIRECTORY > /sys/module/firmware_class/parameters/path"));
	return -1;
}

int firmware_file_make(struct firmware_file *file, struct cxctl_error *error)
{
	static atomic_uint made;
	char custom[PATH_MAX - 128];

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	/* Cards that are burned together have a file each. */
	snprintf(file->name, sizeof(file->name), PREFIX "%ld-%u" SUFFIX, (long)getpid(),
		 atomic_fetch_add(&made, 1) + 1);
	if (sysfs_read(custom, sizeof(custom), "module/firmware_class/parameters/path") > 0 && *custom == '/' &&
	    !make_in(file, custom))
		return 0;
	mkdir("/lib/firmware", 0755);
	return make_in(file, "/lib/firmware") ? cannot(_("cannot make"), file->path, error) : 0;
}

int firmware_file_ready(struct firmware_file *file, struct cxctl_error *error)
{
	int failed = fsync(file->fd), number = errno;

	if (close(file->fd) && !failed) {
		failed = -1;
		number = errno;
	}
	file->fd = -1;
	errno = number;
	return failed ? cannot(_("cannot write"), file->path, error) : 0;
}

void firmware_file_remove(struct firmware_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	if (*file->path)
		unlink(file->path);
	*file->path = '\0';
}
