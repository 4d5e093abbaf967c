// SPDX-License-Identifier: GPL-2.0-only
/* Unnamed temporary files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "private.h"
#include "spool.h"

#define COPY_PIECE 0x10000

/* A file system without O_TMPFILE gets a name that is gone at once. */
static int unnamed_file(const char *directory)
{
	char path[96];
	int descriptor;

	descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (descriptor >= 0)
		return descriptor;
	if (snprintf(path, sizeof(path), "%s/cxctl-XXXXXX", directory) >= (int)sizeof(path))
		return -1;
	descriptor = mkostemp(path, O_CLOEXEC);
	if (descriptor >= 0)
		unlink(path);
	return descriptor;
}

int spool_open(struct spool *spool, struct image_error *error)
{
	const char *places[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	int code = -ENOENT;
	size_t i;

	spool->size = 0;
	spool->taken = false;
	spool->descriptor = -1;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!places[i] || !places[i][0] || strlen(places[i]) >= sizeof(spool->directory))
			continue;
		spool->descriptor = unnamed_file(places[i]);
		if (spool->descriptor >= 0) {
			strcpy(spool->directory, places[i]);
			return 0;
		}
		code = -errno;
	}
	return image_fail(error, code, 0,
			  _("no temporary file can be made in $TMPDIR, /var/tmp or /tmp: %s"),
			  strerror(-code));
}

void spool_close(struct spool *spool)
{
	if (spool->descriptor >= 0)
		close(spool->descriptor);
	spool->descriptor = -1;
	spool->size = 0;
}

int spool_write(struct spool *spool, uint64_t offset, const void *bytes, size_t length,
		struct image_error *error)
{
	const uint8_t *from = bytes;
	ssize_t done;
	int code;

	if (spool->size < offset + length)
		spool->size = offset + length;
	while (length) {
		done = pwrite(spool->descriptor, from, length, offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			code = done ? -errno : -ENOSPC;
			return image_fail(error, code, offset,
					  _("a temporary file in %s cannot be written: %s (set TMPDIR to a directory with room)"),
					  spool->directory, strerror(-code));
		}
		from += done;
		offset += done;
		length -= done;
	}
	return 0;
}

static int spool_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct spool *spool = context;
	uint8_t *to = buffer;
	ssize_t done;

	if (offset > spool->size || length > spool->size - offset)
		return -EINVAL;
	while (length) {
		done = pread(spool->descriptor, to, length, offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		to += done;
		offset += done;
		length -= done;
	}
	return 0;
}

struct image_reader spool_reader(struct spool *spool)
{
	struct image_reader reader = { spool_read, spool, spool->size, NULL };

	return reader;
}

/* The spool itself is used again for the next bytes: it gets a file of its own. */
static int take_file(struct spool *spool, int *descriptor, struct image_error *error)
{
	if (ftruncate(spool->descriptor, spool->size))
		return image_fail(error, -errno, 0, _("a temporary file in %s cannot be cut: %s"),
				  spool->directory, strerror(errno));
	*descriptor = fcntl(spool->descriptor, F_DUPFD_CLOEXEC, 0);
	if (*descriptor < 0)
		return image_fail(error, -errno, 0, _("a temporary file cannot be kept: %s"),
				  strerror(errno));
	spool->taken = true;
	return 0;
}

struct copy {
	struct spool spool;
	struct image_error *error;
};

static int copy_piece(void *context, const uint8_t *bytes, size_t length)
{
	struct copy *copy = context;

	return spool_write(&copy->spool, copy->spool.size, bytes, length, copy->error);
}

int spool_take(const struct image_reader *reader, int *descriptor, struct image_error *error)
{
	struct copy copy = { .error = error };
	int code;

	if (reader->read == spool_read)
		return take_file(reader->context, descriptor, error);
	code = spool_open(&copy.spool, error);
	if (!code)
		code = container_pieces(reader, 0, reader->size, copy_piece, &copy, error);
	if (code) {
		spool_close(&copy.spool);
		return code;
	}
	*descriptor = copy.spool.descriptor;
	return 0;
}
