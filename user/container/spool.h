/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that are needed once more but not in memory: an unnamed temporary file, in $TMPDIR, /var/tmp or
 * /tmp. It is gone when the program ends, however it ends.
 */
#ifndef CONTAINER_SPOOL_H
#define CONTAINER_SPOOL_H

#include "../image/image.h"

struct spool {
	int descriptor;			/* -1: none; {-1} is an empty spool */
	uint64_t size;			/* bytes that count */
	bool taken;			/* by spool_take(): not to be written any more */
	char directory[64];		/* for errors */
};

int spool_open(struct spool *spool, struct image_error *error);
void spool_close(struct spool *spool);
/* Bytes at an offset. -ENOSPC: the disk is full; the error names the directory. */
int spool_write(struct spool *spool, uint64_t offset, const void *bytes, size_t length,
		struct image_error *error);
/* Lives as long as the spool does; read by pread(), not mapped. */
struct image_reader spool_reader(struct spool *spool);

/*
 * A descriptor of an unnamed file with all bytes of a reader, to be given to image_file_of() when
 * the container and its decoder are gone. Where the reader is that of a spool (container_pass()) the file
 * is taken, not copied; the reader stays good during the call of found(). *descriptor is the caller's.
 */
int spool_take(const struct image_reader *reader, int *descriptor, struct image_error *error);

#endif /* CONTAINER_SPOOL_H */
