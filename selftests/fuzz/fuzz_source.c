// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search of a file for whatever it may hold: images and containers at any offset, archives, and
 * catalogues. The bytes become a file of a directory of their own.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../../user/container/catalogue.h"
#include "fuzz.h"

#define READ_MOST (4U << 20)

static char directory[64], path[128];

static void clean_up(void)
{
	unlink(path);
	rmdir(directory);
}

static void set_up(void)
{
	const char *where = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%.40s/fuzz.XXXXXX", where ? where : "/tmp");
	if (!mkdtemp(directory))
		abort();
	snprintf(path, sizeof(path), "%s/input", directory);
	atexit(clean_up);
}

static bool wanted(void *context, const struct source_item *item)
{
	uint64_t *read = context;

	PROMISE(item->path && item->inside);
	*read += item->member ? item->member->size : 0;
	return *read < READ_MOST;
}

static int see_item(void *context, const struct source_item *item, const struct image_reader *reader)
{
	struct image_error error = { 0 };
	struct image_facts facts;

	(void)context;
	PROMISE(item->kind != SOURCE_MEMBER || item->member);
	if (reader)
		image_query(reader, IMAGE_LAYOUT_AUTO, IMAGE_NO_ROM, &facts, &error);
	return 0;
}

static void see_trouble(void *context, const char *where, const char *inside, const struct image_error *error)
{
	(void)context;
	PROMISE(where && inside && error->text[0]);
}

static void walk(void)
{
	uint64_t read = 0;
	struct source_walk walk = {
		.wanted = wanted, .item = see_item, .trouble = see_trouble, .context = &read,
	};
	struct image_error error = { 0 };

	if (source_walk(path, 0, &walk, &error))
		PROMISE(error.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct catalogue catalogue = { 0 };
	struct image_error error = { 0 };
	struct fuzz_bytes bytes;
	int file;

	if (!path[0])
		set_up();
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || write(file, data, size) != (ssize_t)size || close(file))
		abort();
	fuzz_bytes(&bytes, data, size);
	source_guess(&bytes.mapped);
	catalogue_is(&bytes.mapped);
	if (!catalogue_read(path, &catalogue, &error))
		catalogue_free(&catalogue);
	walk();
	return 0;
}
