// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole flash to a file. It is written under a temporary name beside it and renamed when
 * it is whole and on the disk: a file of that name is never a part of a backup.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

#define CHUNK		(64 * 1024)

enum { OPTION_OUTPUT, OPTION_FORCE, OPTION_VERIFY };

struct backup {
	const char *file;
	bool force, verify;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static int take(void *data, size_t index, const char *argument, struct cxctl_error *error)
{
	struct backup *backup = data;

	(void)error;
	if (index == OPTION_OUTPUT)
		backup->file = argument;
	else if (index == OPTION_FORCE)
		backup->force = true;
	else
		backup->verify = true;
	return 0;
}

static int file_error(struct cxctl_error *error, const char *doing, const char *path)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "file",
		  "%s %s: %s", doing, path, strerror(number));
	if (number == ENOSPC || number == EDQUOT)
		error_next(error, _("make room, or name a file on another disk"));
	return -1;
}

static int check_target(const struct backup *backup, struct cxctl_error *error)
{
	struct stat status;

	if (lstat(backup->file, &status))
		return errno == ENOENT ? 0 : file_error(error, _("cannot use"), backup->file);
	/* A rename would put the backup in the place of a device or a pipe; also of one behind a link. */
	if (S_ISLNK(status.st_mode))
		stat(backup->file, &status);
	if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
		error_set(error, CXCTL_USAGE, "not-a-file", _("%s is not a file of bytes"), backup->file);
		error_expected(error, _("the name of a file"));
		return -1;
	}
	if (S_ISDIR(status.st_mode)) {
		error_set(error, CXCTL_USAGE, "is-directory", _("%s is a directory"), backup->file);
		error_expected(error, _("the name of a file"));
		return -1;
	}
	if (backup->force)
		return 0;
	error_set(error, CXCTL_REFUSED, "file-exists", _("%s exists already"), backup->file);
	error_found(error, _("a file of %lld bytes"), (long long)status.st_size);
	error_rule(error, _("cxctl never writes over a file unasked: it may be the only backup"));
	error_next(error, _("name another file, or add --force"));
	return -1;
}

static int write_all(int fd, const uint8_t *bytes, size_t length)
{
	while (length) {
		ssize_t done = write(fd, bytes, length);

		if (done < 0 && errno == EINTR && !interrupted)
			continue;
		if (done <= 0)
			return -1;
		bytes += done;
		length -= done;
	}
	return 0;
}

static int was_interrupted(struct cxctl_error *error)
{
	error_set(error, CXCTL_FAILED, "interrupted", _("interrupted by signal %d; nothing was kept"),
		  (int)interrupted);
	return -1;
}

/* Reads the flash once: into the file when fd is not negative, and into the digest. */
static int pass(struct cxctl_card *card, const struct options *options, const char *title, uint64_t size,
		int fd, const char *path, uint8_t digest[32], struct cxctl_error *error)
{
	static uint8_t buffer[CHUNK];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	struct progress progress;
	uint64_t done = 0;
	int result = 0;

	if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
		EVP_MD_CTX_free(context);
		return error_set(error, CXCTL_FAILED, "sha256", _("cannot compute SHA-256"));
	}
	progress_start(&progress, options, title, size);
	while (!result && done < size) {
		size_t length = size - done < CHUNK ? size - done : CHUNK;

		if (interrupted)
			result = was_interrupted(error);
		else if (card_read(card, done, buffer, length, error))
			result = -1;
		else if (fd >= 0 && write_all(fd, buffer, length))
			result = interrupted ? was_interrupted(error) : file_error(error, _("cannot write"), path);
		else if (!EVP_DigestUpdate(context, buffer, length))
			result = error_set(error, CXCTL_FAILED, "sha256", _("cannot compute SHA-256"));
		done += length;
		if (!result)
			progress_show(&progress, done);
	}
	progress_end(&progress);
	if (!result && !EVP_DigestFinal_ex(context, digest, NULL))
		result = error_set(error, CXCTL_FAILED, "sha256", _("cannot compute SHA-256"));
	EVP_MD_CTX_free(context);
	return result;
}

/* The rename is on the disk when its directory is. */
static void sync_directory(const char *path)
{
	char directory[PATH_MAX];
	char *slash;
	int fd;

	snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory ? 1 : 0] = '\0';
	fd = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Without --force the name must still be free when the file gets it. */
static int give_name(const struct backup *backup, const char *part, struct cxctl_error *error)
{
	if (!backup->force) {
		if (!link(part, backup->file)) {
			unlink(part);
			return 0;
		}
		if (errno == EEXIST)
			return check_target(backup, error);
		/* No hard links here (FAT, some network disks). */
	}
	if (rename(part, backup->file))
		return file_error(error, _("cannot rename to"), backup->file);
	return 0;
}

static int verify_again(struct cxctl_card *card, const struct options *options, uint64_t size,
			const uint8_t first[32], struct cxctl_error *error)
{
	uint8_t digest[32];

	if (pass(card, options, _("reading again"), size, -1, NULL, digest, error))
		return -1;
	if (!memcmp(first, digest, sizeof(digest)))
		return 0;
	error_set(error, CXCTL_CARD_ERROR, "unstable-flash", _("%s: two reads of the flash gave different bytes"),
		  card_address(card));
	error_expected(error, _("the same bytes twice"));
	error_next(error, _("a running driver may have written its configuration in between: try again with the driver unbound; if it stays so the flash chip is failing"));
	return -1;
}

static int save(struct cxctl_card *card, const struct options *options, const struct backup *backup,
		uint64_t size, uint8_t digest[32], struct cxctl_error *error)
{
	char part[PATH_MAX];
	int fd, result;

	if (snprintf(part, sizeof(part), "%s.part", backup->file) >= (int)sizeof(part))
		return error_set(error, CXCTL_USAGE, "long-name", _("the file's name is too long"));
	/* O_EXCL, so that no link that somebody left there is followed. */
	unlink(part);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_error(error, _("cannot create"), part);
	result = pass(card, options, _("reading"), size, fd, part, digest, error);
	if (!result && fsync(fd))
		result = file_error(error, _("cannot write"), part);
	if (close(fd) && !result)
		result = file_error(error, _("cannot write"), part);
	if (!result && backup->verify)
		result = verify_again(card, options, size, digest, error);
	if (!result)
		result = give_name(backup, part, error);
	if (result)
		unlink(part);
	else
		sync_directory(backup->file);
	return result;
}

static void watch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	/* No SA_RESTART: a read or write that waits is to end. */
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int backup_one(struct cxctl_card *card, struct output *output, const struct options *options, void *data,
		      struct cxctl_error *error)
{
	const struct backup *backup = data;
	struct cxfw_card_info info;
	uint8_t digest[32];
	char hex[65];
	int i;

	if (check_target(backup, error) || card_info(card, &info, error))
		return -1;
	if (!info.flash_size)
		return card_no_flash(card, &info, error);
	watch_signals();
	say_verbose(options, _("%s: %s, %u KiB"), card_address(card), info.flash_name, info.flash_size >> 10);
	if (save(card, options, backup, info.flash_size, digest, error))
		return -1;
	for (i = 0; i < 32; i++)
		sprintf(hex + 2 * i, "%02x", digest[i]);
	output_string(output, "file", backup->file);
	output_number(output, "size", info.flash_size);
	output_string(output, "sha256", hex);
	output_bool(output, "verified", backup->verify);
	output_line(output, _("%s: %u bytes saved to %s"), card_address(card), info.flash_size, backup->file);
	output_line(output, "SHA-256 %s", hex);
	say(options, "%s",
	    _("The file is the whole flash: firmware, identity (GUIDs, MACs), settings and perhaps keys. Keep it private; it fits this one card only."));
	return CXCTL_DONE;
}

int cmd_backup(struct options *options, int argc, char **argv)
{
	static const struct option_extra extra[] = {
		[OPTION_OUTPUT] = { "output", 'o', N_("FILE"), N_("where to save it") },
		[OPTION_FORCE] = { "force", 0, NULL, N_("write over a file that exists") },
		[OPTION_VERIFY] = { "verify", 0, NULL, N_("read the flash a second time and compare") },
	};
	static const struct usage usage = {
		.name = "backup",
		.synopsis = "CARD -o FILE [options]",
		.summary = N_("Saves a card's whole flash to a file. Changes nothing on the card."),
		.extra = extra,
		.extra_count = sizeof(extra) / sizeof(extra[0]),
		.take = take,
	};
	struct backup backup = { 0 };
	struct cxctl_error error;
	int first, code;

	if (command_options(options, &usage, argc, argv, &backup, &first, &code))
		return code;
	if (!backup.file || !*backup.file) {
		error_set(&error, CXCTL_USAGE, "no-file", _("no file named"));
		error_next(&error, _("cxctl backup CARD -o FILE"));
		return command_fail(options, &error);
	}
	return command_cards(options, argc, argv, first, 1, backup_one, &backup);
}
