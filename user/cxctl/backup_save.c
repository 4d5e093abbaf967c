// SPDX-License-Identifier: GPL-2.0-only
/*
 * Saves a card to a file. It is written under a temporary name beside it and renamed when it is
 * whole and on the disk: a file of that name is never a part of a backup.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/archive.h"
#include "../device/registers.h"
#include "../host/vpd.h"
#include "../image/sha256.h"
#include "backup.h"
#include "journal.h"

#define PIECE		(64 * 1024)
#define MEMBERS		16
#define COMPONENT_MOST	(64U << 20)

struct save {
	struct cxctl_card *card;
	const struct cxfw_card_info *info;
	struct flash_reader *flash;	/* NULL: closed */
	const struct options *options;
	const struct backup_request *request;
	struct backup_result *result;
	uint64_t time;
	uint8_t vpd[VPD_MOST];
	int vpd_length;
	uint8_t *component;
	uint8_t nv[2][MNVDA_BYTES];
	char *json;
	char sums[MEMBERS * (2 * IMAGE_SHA256_LENGTH + ARCHIVE_NAME + 4)];
	struct archive_member members[MEMBERS];
	size_t count;
};

/* ---- what goes wrong with a file ---- */

static int file_error(struct cxctl_error *error, const char *doing, const char *path)
{
	int number = errno;

	error_set(error, number == EACCES || number == EPERM ? CXCTL_NO_ACCESS : CXCTL_FAILED, "file",
		  "%s %s: %s", doing, path, strerror(number));
	if (number == ENOSPC || number == EDQUOT)
		error_next(error, _("make room, or name a file on another disk"));
	return -1;
}

static int not_a_file(const char *path, bool directory, struct cxctl_error *error)
{
	if (directory)
		error_set(error, CXCTL_USAGE, "is-directory", _("%s is a directory"), path);
	else
		error_set(error, CXCTL_USAGE, "not-a-file", _("%s is not a file of bytes"), path);
	error_expected(error, _("the name of a file"));
	return -1;
}

static int check_target(const struct save *save, struct cxctl_error *error)
{
	const char *path = save->result->path;
	struct stat status;

	if (lstat(path, &status))
		return errno == ENOENT ? 0 : file_error(error, _("cannot use"), path);
	/* A rename would put the backup in the place of a device or a pipe; also of one behind a link. */
	if (S_ISLNK(status.st_mode))
		stat(path, &status);
	if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
		return not_a_file(path, S_ISDIR(status.st_mode), error);
	if (save->request->force)
		return 0;
	error_set(error, CXCTL_REFUSED, "file-exists", _("%s exists already"), path);
	error_found(error, _("a file of %lld bytes"), (long long)status.st_size);
	error_rule(error, _("cxctl never writes over a file unasked: it may be the only backup"));
	error_next(error, _("name another file, or add --force"));
	return -1;
}

static bool interrupted(const struct save *save)
{
	return save->request->interrupted && save->request->interrupted();
}

static int was_interrupted(struct cxctl_error *error)
{
	return error_set(error, CXCTL_FAILED, "interrupted", _("interrupted; nothing was kept"));
}

/* ---- what the card gives ---- */

__attribute__((format(printf, 2, 3)))
static void missing(struct save *save, const char *format, ...)
{
	char *text = save->result->missing;
	size_t used = strlen(text), room = sizeof(save->result->missing);
	va_list arguments;

	if (used)
		used += snprintf(text + used, room - used, "; ");
	if (used >= room)
		return;
	va_start(arguments, format);
	vsnprintf(text + used, room - used, format, arguments);
	va_end(arguments);
}

static int read_flash(struct save *save, struct cxctl_error *error)
{
	const struct image_reader *reader = &save->flash->reader;
	uint8_t piece[PIECE];		/* cards are saved at the same time, in threads */
	struct progress progress;
	uint64_t done = 0;
	size_t length;
	int result = 0;

	progress_start(&progress, save->options, _("backup"), reader->size);
	for (; !result && done < reader->size; done += length) {
		length = reader->size - done < PIECE ? reader->size - done : PIECE;
		if (interrupted(save)) {
			result = was_interrupted(error);
		} else if (reader->read(reader->context, done, piece, length)) {
			*error = save->flash->error;
			result = -1;
		}
		progress_show(&progress, done + length);
	}
	progress_end(&progress);
	return result;
}

static int verify_flash(struct save *save, struct cxctl_error *error)
{
	uint64_t done = 0, size = save->flash->reader.size;
	static uint8_t piece[PIECE];
	struct progress progress;
	size_t length;
	int result = 0;

	progress_start(&progress, save->options, _("reading again"), size);
	for (; !result && done < size; done += length) {
		length = size - done < PIECE ? size - done : PIECE;
		if (interrupted(save)) {
			result = was_interrupted(error);
		} else if (card_read(save->card, done, piece, length, error)) {
			result = -1;
		} else if (memcmp(piece, save->flash->bytes + done, length)) {
			result = error_set(error, CXCTL_CARD_ERROR, "unstable-flash",
					   _("%s: two reads of the flash gave different bytes"),
					   card_address(save->card));
			error_expected(error, _("the same bytes twice"));
			error_next(error, _("a running driver may have written its configuration in between: try again with the driver unbound; if it stays so the flash chip is failing"));
		}
		progress_show(&progress, done + length);
	}
	progress_end(&progress);
	return result;
}

static uint8_t *grow(uint8_t *bytes, size_t length)
{
	uint8_t *grown = realloc(bytes, length);

	if (!grown)
		free(bytes);
	return grown;
}

/* The component's size is known with the first piece, and stays that. 1: the firmware does not give it out. */
static int read_component(struct save *save, struct cxctl_error *error)
{
	uint32_t total = PIECE, done = 0, got, size = 0;
	struct progress progress = { 0 };
	int result = 0;

	save->component = malloc(PIECE);
	while (!result && save->component && done < total) {
		uint32_t length = total - done < PIECE ? total - done : PIECE;

		if (interrupted(save))
			result = was_interrupted(error);
		else if (card_component_read(save->card, CXFW_COMPONENT_BOOT_IMG, false, done,
					     save->component + done, length, &got, &size, error))
			result = done ? -1 : 1;
		else if (!got || size > COMPONENT_MOST || size & 3)
			result = 1;
		if (result)
			break;
		if (!done) {
			total = size;
			progress_start(&progress, save->options, _("backup"), total);
			if (total > PIECE)
				save->component = grow(save->component, total);
		}
		done += got;
		progress_show(&progress, done);
	}
	progress_end(&progress);
	if (!save->component)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the firmware"));
	save->result->component_bytes = result ? 0 : done;
	return result;
}

static int read_closed(struct save *save, struct cxctl_error *error)
{
	struct cxctl_error why = { 0 };
	int result = 1;

	card_no_flash(save->card, save->info, &why);
	missing(save, _("the flash: %s"), *why.found ? why.found : why.text);
	if (save->info->capabilities & CXFW_CAP_COMPONENT_READ) {
		result = read_component(save, &why);
		if (result < 0)
			*error = why;
	}
	if (result == 1)
		missing(save, _("the firmware: %s"),
			save->info->capabilities & CXFW_CAP_COMPONENT_READ && why.exit ? why.text :
				_("the card does not give it out; keep its image file"));
	return result < 0 ? -1 : 0;
}

static void add(struct save *save, const char *name, const void *bytes, size_t length)
{
	struct archive_member *member = &save->members[save->count++];

	snprintf(member->name, sizeof(member->name), "%s", name);
	member->bytes = bytes;
	member->length = length;
}

/* Settings that firmware tells one by one: base addresses and how many there are. device-access.md 4.5. */
static void read_nv(struct save *save)
{
	static const uint32_t types[] = { 2, 3 };
	char name[ARCHIVE_NAME];
	struct cxctl_error error;
	uint32_t status, length;
	size_t i;

	if (save->info->family != CXFW_FAMILY_MLX5 || save->info->state != CXFW_STATE_RUNNING)
		return;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		mnvda_request(save->nv[i], types[i]);
		if (card_register(save->card, REGISTER_MNVDA, save->nv[i], MNVDA_BYTES, &status, &error) ||
		    status)
			continue;
		length = 12 + mnvda_length(save->nv[i]);
		if (length > MNVDA_BYTES)
			continue;
		snprintf(name, sizeof(name), "nv-%u.bin", types[i]);
		add(save, name, save->nv[i], length);
		save->result->nv_count++;
	}
}

/* ---- the file ---- */

static void sha256_text(const void *bytes, size_t length, char text[65])
{
	uint8_t digest[IMAGE_SHA256_LENGTH];
	unsigned int i;

	image_sha256(bytes, length, digest);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
}

static void add_sums(struct save *save)
{
	size_t i, used = 0;
	char sum[65];

	for (i = 0; i < save->count; i++) {
		sha256_text(save->members[i].bytes, save->members[i].length, sum);
		used += sprintf(save->sums + used, "%s  %s\n", sum, save->members[i].name);
	}
	add(save, "SHA256SUMS", save->sums, used);
}

static int write_all(int fd, const void *bytes, size_t length, SHA256_CTX *sum)
{
	const uint8_t *at = bytes;
	ssize_t done;

	SHA256_Update(sum, bytes, length);
	while (length) {
		done = write(fd, at, length);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		at += done;
		length -= done;
	}
	return 0;
}

static int write_members(struct save *save, int fd, SHA256_CTX *sum)
{
	static const uint8_t zeros[ARCHIVE_END];
	uint8_t header[ARCHIVE_BLOCK];
	size_t i;

	for (i = 0; i < save->count; i++) {
		const struct archive_member *member = &save->members[i];

		archive_header(header, member->name, member->length, save->time);
		if (write_all(fd, header, sizeof(header), sum) ||
		    write_all(fd, member->bytes, member->length, sum) ||
		    write_all(fd, zeros, archive_room(member->length) - sizeof(header) - member->length, sum))
			return -1;
	}
	return write_all(fd, zeros, sizeof(zeros), sum);
}

static int write_file(struct save *save, int fd)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA256_CTX sum;
	unsigned int i;

	SHA256_Init(&sum);
	if (save->request->raw ? write_all(fd, save->flash->bytes, save->flash->reader.size, &sum) :
				 write_members(save, fd, &sum))
		return -1;
	SHA256_Final(digest, &sum);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(save->result->sha256 + 2 * i, "%02x", digest[i]);
	return 0;
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
static int give_name(struct save *save, const char *part, struct cxctl_error *error)
{
	const char *path = save->result->path;

	if (!save->request->force) {
		if (!link(part, path)) {
			unlink(part);
			return 0;
		}
		if (errno == EEXIST)
			return check_target(save, error);
		/* No hard links here (FAT, some network disks). */
	}
	if (rename(part, path))
		return file_error(error, _("cannot rename to"), path);
	return 0;
}

/* Everything that the card gives is in memory and in the list of members afterwards. */
static int collect(struct save *save, struct cxctl_error *error)
{
	struct backup_result *result = save->result;

	if (save->flash ? read_flash(save, error) : read_closed(save, error))
		return -1;
	if (save->flash && save->request->verify && verify_flash(save, error))
		return -1;
	if (save->flash) {
		result->flash_bytes = save->flash->reader.size;
		sha256_text(save->flash->bytes, result->flash_bytes, result->flash_sha256);
	}
	if (save->request->raw)
		return 0;
	backup_identify(save->card, save->info, save->flash, &result->identity, save->vpd, &save->vpd_length);
	if (save->vpd_length < 0 && save->info->state == CXFW_STATE_RUNNING)
		missing(save, _("VPD: %s"), strerror(-save->vpd_length));
	else if (save->vpd_length < 0)
		missing(save, "%s", _("VPD: firmware answers for it, and none runs"));
	save->json = backup_describe(card_address(save->card), result, save->time);
	if (!save->json)
		return error_set(error, CXCTL_FAILED, "memory", _("no memory"));
	add(save, "backup.json", save->json, strlen(save->json));
	if (save->flash)
		add(save, "flash.bin", save->flash->bytes, result->flash_bytes);
	if (result->component_bytes)
		add(save, "boot-image.bin", save->component, result->component_bytes);
	if (save->vpd_length > 0)
		add(save, "vpd.bin", save->vpd, save->vpd_length);
	read_nv(save);
	add_sums(save);
	return 0;
}

static int save_under(struct save *save, const char *part, struct cxctl_error *error)
{
	struct stat status;
	int fd, result;

	/* O_EXCL, so that no link that somebody left there is followed. Flash may hold keys: 0600. */
	unlink(part);			/* of a dead process of the same number */
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_error(error, _("cannot create"), part);
	/* A disk that is too small is better known before minutes of reading. */
	result = save->flash ? posix_fallocate(fd, 0, save->flash->reader.size) : 0;
	errno = result;
	if (result == ENOSPC || result == EDQUOT || result == EFBIG)
		result = file_error(error, _("cannot write"), part);
	else
		result = ftruncate(fd, 0) ? file_error(error, _("cannot write"), part) : collect(save, error);
	if (!result && (write_file(save, fd) || fsync(fd)))
		result = file_error(error, _("cannot write"), part);
	if (!result && !fstat(fd, &status))
		save->result->size = status.st_size;
	if (close(fd) && !result)
		result = file_error(error, _("cannot write"), part);
	if (!result)
		result = give_name(save, part, error);
	if (result)
		unlink(part);
	else
		sync_directory(save->result->path);
	return result;
}

/* No colon: tar would take what stands before it for another machine's name. */
static int own_name(struct save *save, struct cxctl_error *error)
{
	const char *psid = card_facts(save->card)->psid;
	struct backup_identity identity = { 0 };
	char name[128], date[32], *at;
	time_t when = save->time;
	struct tm local;

	if (save->flash)
		backup_identify_image(&save->flash->reader, &identity);
	if (*identity.psid)
		psid = identity.psid;
	localtime_r(&when, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	snprintf(name, sizeof(name), "%s-%s-%s.%s", card_address(save->card), *psid ? psid : "unknown", date,
		 save->request->raw ? "bin" : "tar");
	for (at = name; *at; at++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *at))
			*at = *at == ':' ? '-' : '_';
	return state_path("backups", name, save->result->path, sizeof(save->result->path), error);
}

static int name_file(struct save *save, struct cxctl_error *error)
{
	struct backup_result *result = save->result;

	if (!save->request->file)
		return own_name(save, error);
	if (snprintf(result->path, sizeof(result->path), "%s", save->request->file) >=
	    (int)sizeof(result->path) - 8)
		return error_set(error, CXCTL_USAGE, "long-name", _("the file's name is too long"));
	return 0;
}

static int save_card(struct save *save, struct cxctl_error *error)
{
	char part[PATH_MAX + 24];

	if (name_file(save, error) || check_target(save, error))
		return -1;
	/* Another cxctl may be saving to the same name: its half file must never get that name. */
	snprintf(part, sizeof(part), "%s.%ld.part", save->result->path, (long)getpid());
	return save_under(save, part, error);
}

static int no_raw(struct cxctl_card *card, const struct cxfw_card_info *info, struct cxctl_error *error)
{
	if (!(info->capabilities & CXFW_CAP_COMPONENT))
		return card_no_flash(card, info, error);
	error_set(error, CXCTL_REFUSED, "flash-closed", _("%s keeps its flash closed"), card_address(card));
	error_next(error, _("without --raw what the card gives out is saved"));
	return -1;
}

int backup_save(struct cxctl_card *card, const struct cxfw_card_info *info, struct flash_reader *flash,
		const struct options *options, const struct backup_request *request,
		struct backup_result *result, struct cxctl_error *error)
{
	struct save *save = calloc(1, sizeof(*save));
	struct flash_reader own = { 0 };
	int code;

	memset(result, 0, sizeof(*result));
	if (!save || (info->flash_size && !flash && flash_reader_open(&own, card, info->flash_size))) {
		free(save);
		return error_set(error, CXCTL_FAILED, "memory", _("no memory for the flash's content"));
	}
	save->card = card;
	save->info = info;
	save->flash = !info->flash_size ? NULL : flash ? flash : &own;
	save->options = options;
	save->request = request;
	save->result = result;
	save->time = time(NULL);
	code = request->raw && !save->flash ? no_raw(card, info, error) : save_card(save, error);
	flash_reader_close(&own);
	free(save->component);
	free(save->json);
	free(save);
	return code;
}
