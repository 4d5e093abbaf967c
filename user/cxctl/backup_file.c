// SPDX-License-Identifier: GPL-2.0-only
/* A backup that is read back: nothing of it is believed before every checksum is right. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/archive.h"
#include "../image/sha256.h"
#include "backup.h"

#define MEMBERS		16
#define SUM_DIGITS	(2 * IMAGE_SHA256_LENGTH)

struct contents {
	struct archive_member members[MEMBERS];
	char sums[MEMBERS][SUM_DIGITS + 1];
	size_t count;
};

static int torn(const char *path, struct cxctl_error *error)
{
	error_set(error, CXCTL_BAD_IMAGE, "backup-torn", _("the backup %s is not whole: its end is missing"), path);
	error_next(error, _("get the whole file again, or take another backup"));
	return -1;
}

__attribute__((format(printf, 3, 4)))
static int damaged(const char *path, struct cxctl_error *error, const char *format, ...)
{
	va_list arguments;

	error_set(error, CXCTL_BAD_IMAGE, "backup-damaged", _("the backup %s is damaged"), path);
	va_start(arguments, format);
	vsnprintf(error->found, sizeof(error->found), format, arguments);
	va_end(arguments);
	error_expected(error, _("every member as SHA256SUMS in it says"));
	error_next(error, _("get the file again, or take another backup; tar xf and sha256sum -c SHA256SUMS show what is still good"));
	return -1;
}

/* Bytes, blanks, and a member's name: the sum of one member, or NULL. */
static const char *find_sum(const struct archive_member *sums, const char *name, size_t *lines)
{
	const char *at = (const char *)sums->bytes, *end = at + sums->length, *line, *found = NULL;
	size_t length = strlen(name);

	*lines = 0;
	while (at < end) {
		line = at;
		at = memchr(at, '\n', end - at);
		if (!at)
			return NULL;
		++*lines;
		if ((size_t)(at - line) == SUM_DIGITS + 2 + length && !memcmp(line + SUM_DIGITS, "  ", 2) &&
		    !memcmp(line + SUM_DIGITS + 2, name, length))
			found = line;
		at++;
	}
	return found;
}

static void sum_text(const struct archive_member *member, char text[SUM_DIGITS + 1])
{
	uint8_t digest[IMAGE_SHA256_LENGTH];
	unsigned int i;

	image_sha256(member->bytes, member->length, digest);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
}

static int check_sums(const char *path, struct contents *contents, struct cxctl_error *error)
{
	const struct archive_member *sums = &contents->members[contents->count - 1];
	size_t i, j, lines = 0;
	const char *sum;

	for (i = 0; i + 1 < contents->count; i++) {
		const struct archive_member *member = &contents->members[i];

		for (j = 0; j < i; j++)
			if (!strcmp(contents->members[j].name, member->name))
				return damaged(path, error, _("%s is there twice"), member->name);
		sum = find_sum(sums, member->name, &lines);
		if (!sum)
			return damaged(path, error, _("no checksum of %s"), member->name);
		sum_text(member, contents->sums[i]);
		if (memcmp(sum, contents->sums[i], SUM_DIGITS))
			return damaged(path, error, _("%s has SHA-256 %.16s..., not %.16s..."), member->name,
				       contents->sums[i], sum);
	}
	if (lines != contents->count - 1)
		return damaged(path, error, _("%zu checksums for %zu members"), lines, contents->count - 1);
	return 0;
}

static int read_members(const struct backup_file *backup, struct contents *contents,
			struct cxctl_error *error)
{
	const struct image_reader *reader = &backup->file.reader;
	size_t offset = 0;
	int more;

	for (;;) {
		if (contents->count == MEMBERS)
			return damaged(backup->path, error, _("more than %u members"), MEMBERS);
		more = archive_next(reader->bytes, reader->size, &offset,
				    &contents->members[contents->count]);
		if (more <= 0)
			break;
		contents->count++;
	}
	if (!contents->count || strcmp(contents->members[contents->count - 1].name, "SHA256SUMS"))
		return torn(backup->path, error);
	return check_sums(backup->path, contents, error);
}

static void take_member(struct backup_file *backup, const struct archive_member *member, const char *sum)
{
	struct image_memory memory = { member->bytes, member->length };

	if (!strcmp(member->name, "vpd.bin")) {
		backup->vpd = memory;
		return;
	}
	if (!strcmp(member->name, "flash.bin"))
		backup->flash = memory;
	else if (!strcmp(member->name, "boot-image.bin"))
		backup->component = memory;
	else
		return;
	snprintf(backup->sha256, sizeof(backup->sha256), "%s", sum);
}

static int open_archive(struct backup_file *backup, struct cxctl_error *error)
{
	struct contents contents = { 0 };
	size_t i;

	if (read_members(backup, &contents, error))
		return -1;
	if (strcmp(contents.members[0].name, "backup.json") ||
	    backup_describe_read(contents.members[0].bytes, contents.members[0].length, backup)) {
		error_set(error, CXCTL_BAD_IMAGE, "not-a-backup", _("%s is an archive, but no backup that this version knows"),
			  backup->path);
		error_expected(error, _("backup.json of format cxctl-backup, version 1"));
		return -1;
	}
	for (i = 1; i + 1 < contents.count; i++)
		take_member(backup, &contents.members[i], contents.sums[i]);
	if (backup->flash.length && backup->flash.length != backup->identity.flash_size)
		return damaged(backup->path, error, _("flash.bin has %zu bytes, the flash had %u"),
			       backup->flash.length, backup->identity.flash_size);
	return 0;
}

/* Without a description an image that starts where one may start on a flash tells who the card is. */
static int open_plain(struct backup_file *backup, struct cxctl_error *error)
{
	const struct image_reader *reader = &backup->file.reader;
	struct archive_member whole = { "", reader->bytes, reader->size };
	struct image_facts facts;
	struct image_error why;

	backup->plain = true;
	if (reader->size > UINT32_MAX ||
	    image_query(reader, IMAGE_LAYOUT_FLASH, IMAGE_NO_ROM, &facts, &why)) {
		error_set(error, CXCTL_BAD_IMAGE, "not-a-backup", _("%s is no backup of a card"), backup->path);
		error_found(error, "%s", reader->size > UINT32_MAX ? _("a file of over 4 GiB") : why.text);
		error_expected(error, _("a file of cxctl backup, or the bytes of a whole flash"));
		error_next(error, _("a firmware image is written with cxctl burn"));
		return -1;
	}
	backup->flash.bytes = reader->bytes;
	backup->flash.length = reader->size;
	backup->identity.flash_size = reader->size;
	backup_identify_image(reader, &backup->identity);
	sum_text(&whole, backup->sha256);
	return 0;
}

int backup_open(const char *path, struct backup_file *backup, struct cxctl_error *error)
{
	struct image_error why;
	int result;

	memset(backup, 0, sizeof(*backup));
	snprintf(backup->path, sizeof(backup->path), "%s", path);
	if (image_file_open(path, &backup->file, &why))
		return error_set(error, CXCTL_BAD_IMAGE, "backup-unreadable", "%s", why.text);
	if (!backup->file.reader.size)
		result = torn(path, error);
	else if (archive_begins(backup->file.reader.bytes, backup->file.reader.size))
		result = open_archive(backup, error);
	else
		result = open_plain(backup, error);
	if (result)
		backup_close(backup);
	return result;
}

void backup_close(struct backup_file *backup)
{
	image_file_close(&backup->file);
}
