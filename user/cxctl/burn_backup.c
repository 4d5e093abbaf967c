// SPDX-License-Identifier: GPL-2.0-only
/* The flash as it was, before a burn. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"
#include "journal.h"

#define BACKUP_PIECE 0x10000

static void backup_name(const struct burn *burn, char *name, size_t room)
{
	const char *psid = burn->card.state.has_facts ? burn->card.state.old_facts.psid : "unknown";
	time_t now = time(NULL);
	char date[32], *at;
	struct tm local;

	localtime_r(&now, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	snprintf(name, room, "%s-%s-%s.bin", card_address(burn->card.card), psid, date);
	for (at = name; *at; at++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:", *at))
			*at = '_';
}

static int cannot_save(struct cxctl_error *error, const char *path)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "backup",
		  _("cannot save the backup %s: %s"), path, strerror(number));
	error_rule(error, _("no burn without a backup"));
	error_next(error, number == EEXIST ? _("name another file: a backup is never written over") :
					     _("make room, or name another place with --backup"));
	return -1;
}

static int write_all(int fd, const uint8_t *bytes, size_t length)
{
	ssize_t now;

	while (length) {
		now = write(fd, bytes, length);
		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return -1;
		bytes += now;
		length -= now;
	}
	return 0;
}

static int copy_flash(struct burn *burn, int fd, struct cxctl_error *error)
{
	uint8_t piece[BACKUP_PIECE];
	const struct image_reader *flash = &burn->card.flash.reader;
	struct progress progress;
	uint64_t done = 0;
	size_t length;
	int result = 0;

	progress_start(&progress, burn->options, _("backup"), flash->size);
	for (; !result && done < flash->size; done += length) {
		length = flash->size - done < sizeof(piece) ? flash->size - done : sizeof(piece);
		if (burn_interrupts()) {
			result = error_set(error, CXCTL_FAILED, "interrupted", _("interrupted; the card was not changed"));
		} else if (flash->read(flash->context, done, piece, length)) {
			*error = burn->card.flash.error;
			result = -1;
		} else if (write_all(fd, piece, length)) {
			result = cannot_save(error, burn->backup);
		}
		progress_show(&progress, done + length);
	}
	progress_end(&progress);
	return result;
}

/* The name is on the disk when its directory is. */
static void sync_directory(const char *path)
{
	char directory[PATH_MAX];
	char *slash;
	int fd;

	snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = '\0';
	fd = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int burn_save_backup(struct burn *burn, struct cxctl_error *error)
{
	char name[128];
	int fd, result;

	if (burn->request->backup) {
		if (snprintf(burn->backup, sizeof(burn->backup), "%s", burn->request->backup) >=
		    (int)sizeof(burn->backup)) {
			errno = ENAMETOOLONG;
			return cannot_save(error, burn->backup);
		}
	} else {
		backup_name(burn, name, sizeof(name));
		if (state_path("backups", name, burn->backup, sizeof(burn->backup), error))
			return -1;
	}
	/* Flash may hold keys: nobody else's business. */
	fd = open(burn->backup, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot_save(error, burn->backup);
	result = copy_flash(burn, fd, error);
	if (!result && fsync(fd))
		result = cannot_save(error, burn->backup);
	if (close(fd) && !result)
		result = cannot_save(error, burn->backup);
	if (result) {
		unlink(burn->backup);
		return -1;
	}
	sync_directory(burn->backup);
	return 0;
}
