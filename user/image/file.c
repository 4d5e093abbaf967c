// SPDX-License-Identifier: GPL-2.0-only
/* A file as a reader: mapped, not copied. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "private.h"

/* Maps are few (a command holds one or two); the guard knows them by a fixed table, without a lock. */
#define GUARDED_MOST 64

static struct {
	_Atomic(uintptr_t) start;
	_Atomic(size_t) length;
	char name[128];			/* printable: it goes to a terminal as it is */
} guarded[GUARDED_MOST];
static struct sigaction action_before;
static atomic_flag installed = ATOMIC_FLAG_INIT;

/* GUARDED_MOST: none. */
static unsigned int guarded_at(uintptr_t address)
{
	unsigned int i;

	for (i = 0; i < GUARDED_MOST; i++)
		if (guarded[i].start && address - guarded[i].start < guarded[i].length)
			break;
	return i;
}

/* A page of a map that the file no longer has. Only what may be called in a signal handler. */
static void bus_error(int number, siginfo_t *info, void *context)
{
	static const char before[] = "cxctl: ",
			  behind[] = ": the file became shorter while it was being read\n";
	unsigned int at = guarded_at((uintptr_t)info->si_addr);

	(void)number;
	(void)context;
	if (at < GUARDED_MOST) {
		if (write(STDERR_FILENO, before, sizeof(before) - 1) < 0 ||
		    write(STDERR_FILENO, guarded[at].name, strlen(guarded[at].name)) < 0 ||
		    write(STDERR_FILENO, behind, sizeof(behind) - 1) < 0)
			_exit(6);
		_exit(6);
	}
	/* Not ours: what would have happened without us happens when the instruction runs again. */
	sigaction(SIGBUS, &action_before, NULL);
}

static void keep_name(char kept[128], const char *name)
{
	size_t i;

	for (i = 0; i < 127 && name[i]; i++)
		kept[i] = name[i] < ' ' || name[i] > '~' ? '?' : name[i];
	kept[i] = 0;
}

static void guard(const void *map, size_t length, const char *name)
{
	struct sigaction action = { .sa_sigaction = bus_error, .sa_flags = SA_SIGINFO };
	uintptr_t none;
	unsigned int i;

	if (!atomic_flag_test_and_set(&installed)) {
		sigemptyset(&action.sa_mask);
		sigaction(SIGBUS, &action, &action_before);
	}
	for (i = 0; i < GUARDED_MOST; i++) {
		none = 0;
		if (!atomic_compare_exchange_strong(&guarded[i].start, &none, (uintptr_t)map))
			continue;
		keep_name(guarded[i].name, name);
		guarded[i].length = length;
		return;
	}
}

static void unguard(const void *map)
{
	unsigned int i;

	for (i = 0; i < GUARDED_MOST; i++) {
		if (guarded[i].start != (uintptr_t)map)
			continue;
		guarded[i].length = 0;
		guarded[i].start = 0;
		return;
	}
}

/* Few bytes here and there are read, not mapped: a page fault costs more. Who wants many has the map. */
static int file_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	int descriptor = (int)(intptr_t)context;
	uint8_t *to = buffer;
	ssize_t now;

	while (length) {
		now = pread(descriptor, to, length, (off_t)offset);
		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -EIO;	/* shorter than it was */
		to += now;
		offset += now;
		length -= now;
	}
	return 0;
}

static int check_kind(const struct stat *status, const char *name, struct image_error *error)
{
	const char *what = NULL;

	if (S_ISDIR(status->st_mode))
		return image_fail(error, -EISDIR, 0, _("%.200s is a directory, not an image file"), name);
	if (S_ISFIFO(status->st_mode))
		what = _("a pipe");
	else if (S_ISCHR(status->st_mode))
		what = _("a character device");
	else if (S_ISBLK(status->st_mode))
		what = _("a block device");
	if (what)
		return image_fail(error, -EINVAL, 0,
				  _("%.200s is %s, not a regular file: copy it to a file first"), name, what);
	if ((uint64_t)status->st_size > IMAGE_FILE_MOST)
		return image_fail(error, -EFBIG, IMAGE_FILE_MOST,
				  _("%.200s has %llu bytes, no firmware file has more than %llu"), name,
				  (unsigned long long)status->st_size, (unsigned long long)IMAGE_FILE_MOST);
	return 0;
}

int image_file_of(int descriptor, const char *name, struct image_file *file, struct image_error *error)
{
	struct stat status;
	int code;

	memset(file, 0, sizeof(*file));
	file->descriptor = descriptor;
	if (fstat(descriptor, &status))
		code = image_fail(error, -errno, 0, _("%.200s: %s"), name, strerror(errno));
	else
		code = check_kind(&status, name, error);
	if (!code && status.st_size) {
		file->mapped = status.st_size;
		file->map = mmap(NULL, file->mapped, PROT_READ, MAP_PRIVATE, descriptor, 0);
		if (file->map == MAP_FAILED) {
			code = image_fail(error, -errno, 0, _("%.200s cannot be mapped: %s"), name,
					  strerror(errno));
			file->map = NULL;
			file->mapped = 0;
		}
	}
	if (code) {
		image_file_close(file);
		return code;
	}
	if (file->map)
		guard(file->map, file->mapped, name);
	file->reader = (struct image_reader){ file_read, (void *)(intptr_t)descriptor, file->mapped,
					      file->map };
	return 0;
}

int image_file_open(const char *path, struct image_file *file, struct image_error *error)
{
	/* Without O_NONBLOCK the opening of a pipe that nobody writes would wait for ever. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	memset(file, 0, sizeof(*file));
	file->descriptor = -1;
	if (descriptor < 0 && errno == ENXIO)	/* so say these */
		return image_fail(error, -EINVAL, 0,
				  _("%.200s is a socket or a device without driver, not a regular file"),
				  path);
	if (descriptor < 0)
		return image_fail(error, -errno, 0, _("%.200s: %s"), path, strerror(errno));
	return image_file_of(descriptor, path, file, error);
}

void image_file_close(struct image_file *file)
{
	if (file->map) {
		unguard(file->map);
		munmap(file->map, file->mapped);
	}
	if (file->descriptor >= 0)
		close(file->descriptor);
	memset(file, 0, sizeof(*file));
	file->descriptor = -1;
}
