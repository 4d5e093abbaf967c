/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Archives that every tar reads: POSIX ustar, plain files only, names without a directory. Pure functions
 * from bytes to members, and back.
 */
#ifndef CXCTL_ARCHIVE_H
#define CXCTL_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_BLOCK	512
#define ARCHIVE_NAME	32		/* bytes of a member's name, NUL included */

struct archive_member {
	char name[ARCHIVE_NAME];
	const uint8_t *bytes;
	size_t length;
};

/* Bytes that a member takes with its header, and those of the end. */
size_t archive_room(size_t length);
#define ARCHIVE_END	(2 * ARCHIVE_BLOCK)

/* The header of a member of mode 0600; time: seconds since 1970. */
void archive_header(uint8_t block[ARCHIVE_BLOCK], const char *name, uint64_t length, uint64_t time);

/* Could these bytes begin an archive? */
bool archive_begins(const uint8_t *bytes, size_t length);

/*
 * The member at *offset, which moves to the next. 1 a member, 0 the end, -1 damaged: a wrong checksum, a
 * name or a kind that archive_header() does not make, or a member that is longer than the file.
 */
int archive_next(const uint8_t *bytes, size_t length, size_t *offset, struct archive_member *member);

#endif /* CXCTL_ARCHIVE_H */
