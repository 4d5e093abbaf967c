// SPDX-License-Identifier: GPL-2.0-only
/* A file written whole or not at all. */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path, int code, struct cxctl_error *error)
{
	bool denied = code == EACCES || code == EPERM || code == EROFS;

	error_set(error, denied ? CXCTL_NO_ACCESS : CXCTL_FAILED, "write-failed", _("cannot write %s: %s"),
		  path, strerror(code));
	if (code == ENOSPC || code == EDQUOT)
		error_next(error, _("make room, or name a file on another disk"));
	return -1;
}

static int write_all(int descriptor, const uint8_t *bytes, size_t length)
{
	while (length) {
		ssize_t written = write(descriptor, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : ENOSPC;
		bytes += written;
		length -= written;
	}
	return 0;
}

static int file_exists(const char *path, struct cxctl_error *error)
{
	error_set(error, CXCTL_REFUSED, "file-exists", _("%s exists already"), path);
	error_next(error, _("name another file, or add --force to replace it"));
	return -1;
}

/* The directory's own entry must be on the disk, too. */
static void sync_directory_of(const char *path)
{
	char *copy = strdup(path), *slash;
	int descriptor;

	if (!copy)
		return;
	slash = strrchr(copy, '/');
	if (slash)
		slash[slash == copy] = '\0';
	descriptor = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor >= 0) {
		fsync(descriptor);
		close(descriptor);
	}
	free(copy);
}

/* Gives the file its name. Without force never in the place of another, whoever made that meanwhile. */
static int give_name(const char *beside, const char *path, bool force)
{
	if (force)
		return rename(beside, path) ? errno : 0;
	if (!link(beside, path))
		return 0;
	/* No hard links here (FAT, some network disks). */
	if (errno != EEXIST && !renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	return errno;
}

static int write_beside(const char *path, char *beside, const void *bytes, size_t length, bool force)
{
	mode_t mask = umask(0);
	int descriptor, code;

	umask(mask);
	descriptor = mkostemp(beside, O_CLOEXEC);
	if (descriptor < 0)
		return errno;
	code = write_all(descriptor, bytes, length);
	if (!code && (fchmod(descriptor, 0666 & ~mask) || fsync(descriptor)))
		code = errno;
	if (close(descriptor) && !code)
		code = errno;
	if (!code)
		code = give_name(beside, path, force);
	unlink(beside);		/* its other name stays */
	if (!code)
		sync_directory_of(path);
	return code;
}

/* What stops a program would leave the temporary file: it waits until that is gone. */
static int write_undisturbed(const char *path, char *beside, const void *bytes, size_t length, bool force)
{
	sigset_t stopping, before;
	int code;

	sigemptyset(&stopping);
	sigaddset(&stopping, SIGINT);
	sigaddset(&stopping, SIGTERM);
	sigaddset(&stopping, SIGHUP);
	sigprocmask(SIG_BLOCK, &stopping, &before);
	code = write_beside(path, beside, bytes, length, force);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

int image_write_file(const char *path, const void *bytes, size_t length, bool force,
		     struct cxctl_error *error)
{
	struct stat status;
	char *beside;
	int code;

	if (!strcmp(path, "-")) {
		code = write_all(STDOUT_FILENO, bytes, length);
		return code ? cannot_write(_("the standard output"), code, error) : 0;
	}
	if (!lstat(path, &status)) {
		if (S_ISLNK(status.st_mode))
			stat(path, &status);
		if (S_ISDIR(status.st_mode))
			return cannot_write(path, EISDIR, error);
		/* A rename would put the file in the place of a device or a pipe. */
		if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
			return error_set(error, CXCTL_USAGE, "not-a-file", _("%s is not a file of bytes"),
					 path);
		if (!force)
			return file_exists(path, error);
	}
	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return cannot_write(path, ENOMEM, error);
	code = write_undisturbed(path, beside, bytes, length, force);
	free(beside);
	if (code == EEXIST && !force)
		return file_exists(path, error);
	return code ? cannot_write(path, code, error) : 0;
}
