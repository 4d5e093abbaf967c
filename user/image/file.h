/* SPDX-License-Identifier: GPL-2.0-only */
/* A file as a reader: mapped, not copied. */
#ifndef IMAGE_FILE_H
#define IMAGE_FILE_H

#include "image.h"

struct image_file {
	struct image_reader reader;
	int descriptor;
	void *map;			/* NULL: an empty file */
	size_t mapped;
};

/*
 * Maps a regular file for reading. Errors: negative errno, with a text that names the path and says
 * what is wrong: a directory, a pipe, not there, no permission, over IMAGE_FILE_MOST. An empty
 * file opens, with size 0. A file that shrinks while it is mapped ends the program with one
 * clear line and exit code 6 instead of a bus error.
 */
#define IMAGE_FILE_MOST (16ULL << 30)
int image_file_open(const char *path, struct image_file *file, struct image_error *error);
/* The same of a descriptor, which is taken over; name is for errors. */
int image_file_of(int descriptor, const char *name, struct image_file *file, struct image_error *error);
void image_file_close(struct image_file *file);

#endif /* IMAGE_FILE_H */
