// SPDX-License-Identifier: GPL-2.0-only
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *image_version_text(const struct image_facts *facts, char text[32])
{
	const uint32_t *version = facts->version;

	if (!(facts->has & IMAGE_HAS_VERSION))
		text[0] = '\0';
	else
		snprintf(text, 32, version[0] >= 10 ? "%u.%u.%04u" : "%u.%u.%u", version[0], version[1], version[2]);
	return text;
}

const char *image_date_text(const struct image_facts *facts, char text[32])
{
	if (!(facts->has & IMAGE_HAS_DATE) || !facts->date)
		text[0] = '\0';
	else
		snprintf(text, 32, "%04x-%02x-%02x", facts->date >> 16, facts->date >> 8 & 0xff, facts->date & 0xff);
	return text;
}

void image_show_facts(struct output *output, const struct image_facts *facts, const char *ini)
{
	(void)output;
	(void)facts;
	(void)ini;
}

void image_progress(const struct options *options, const char *what, uint64_t done, uint64_t total)
{
	static struct progress progress;

	if (!progress.title || progress.total != total) {
		progress_end(&progress);
		progress_start(&progress, options, what, total);
	}
	progress_show(&progress, done);
	if (done >= total) {
		progress_end(&progress);
		progress.title = NULL;
	}
}

/* ---- writing a file whole or not at all ---- */

static int cannot_write(const char *path, int code, struct cxctl_error *error)
{
	return error_set(error, CXCTL_FAILED, "write-failed", _("cannot write %s: %s"), path, strerror(code));
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
	/* link() never replaces: who made the file meanwhile keeps it. */
	if (!code && (force ? rename(beside, path) : link(beside, path)))
		code = errno;
	if (code || !force)
		unlink(beside);
	if (!code)
		sync_directory_of(path);
	return code;
}

int image_write_file(const char *path, const void *bytes, size_t length, bool force, struct cxctl_error *error)
{
	struct stat status;
	char *beside;
	int code;

	if (!strcmp(path, "-")) {
		code = write_all(STDOUT_FILENO, bytes, length);
		return code ? cannot_write(_("the standard output"), code, error) : 0;
	}
	if (!lstat(path, &status)) {
		if (S_ISDIR(status.st_mode))
			return cannot_write(path, EISDIR, error);
		if (!force)
			return file_exists(path, error);
	}
	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return cannot_write(path, ENOMEM, error);
	code = write_beside(path, beside, bytes, length, force);
	free(beside);
	if (code == EEXIST && !force)
		return file_exists(path, error);
	return code ? cannot_write(path, code, error) : 0;
}
