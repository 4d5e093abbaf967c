// SPDX-License-Identifier: GPL-2.0-only
#include "vpd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "sysfs.h"

#define TAG_END		0x78		/* its low three bits are a length */
#define TAG_READ_ONLY	0x90
#define TAG_READ_WRITE	0x91

/* The header of a resource and its bytes: how many there are; 0: the end; -1: no resource. */
static long resource(const uint8_t *bytes, size_t length, size_t *header)
{
	*header = 1;
	if (!length)
		return -1;
	if ((bytes[0] & 0xf8) == TAG_END)
		return 0;
	if (!(bytes[0] & 0x80))
		return bytes[0] ? (long)(1 + (bytes[0] & 7)) : -1;
	*header = 3;
	return length < 3 ? -1 : 3L + bytes[1] + 256L * bytes[2];
}

/* Reads on up to end. */
static int fill(int fd, uint8_t *bytes, size_t *have, size_t end)
{
	ssize_t got;

	while (*have < end) {
		got = pread(fd, bytes + *have, end - *have, *have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		*have += got;
	}
	return 0;
}

static int read_resources(int fd, uint8_t *bytes, size_t room)
{
	size_t at = 0, have = 0, header;
	long length;
	int code;

	for (;;) {
		/* The end tag may be the last byte that there is. */
		if (at + 1 > room)
			return -ENODATA;
		code = fill(fd, bytes, &have, at + 1);
		if (!code && bytes[at] & 0x80)
			code = at + 3 > room ? -ENODATA : fill(fd, bytes, &have, at + 3);
		if (code)
			return code;
		length = resource(bytes + at, have - at, &header);
		if (!length)
			return at + 1;
		if (length < 0 || (size_t)length > room - at)
			return -ENODATA;
		code = fill(fd, bytes, &have, at + length);
		if (code)
			return code;
		at += length;
	}
}

int vpd_read(const char *address, uint8_t *bytes, size_t room)
{
	char path[PATH_MAX];
	int fd, result;

	sysfs_path(path, sizeof(path), "bus/pci/devices/%s/vpd", address);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	result = read_resources(fd, bytes, room);
	close(fd);
	return result;
}

static bool find(const uint8_t *bytes, size_t length, const char *keyword, char *text, size_t room)
{
	size_t at = 0, size;

	while (at + 3 <= length) {
		size = bytes[at + 2];
		if (size > length - at - 3)
			return false;
		if (bytes[at] == (uint8_t)keyword[0] && bytes[at + 1] == (uint8_t)keyword[1]) {
			if (size > room - 1)
				size = room - 1;
			memcpy(text, bytes + at + 3, size);
			while (size && (text[size - 1] == ' ' || !text[size - 1]))
				size--;
			text[size] = '\0';
			return true;
		}
		at += 3 + size;
	}
	return false;
}

bool vpd_keyword(const uint8_t *bytes, size_t length, const char *keyword, char *text, size_t room)
{
	size_t at = 0, header;
	long size;

	while (at < length) {
		size = resource(bytes + at, length - at, &header);
		if (size <= 0 || (size_t)size > length - at)
			return false;
		if ((bytes[at] == TAG_READ_ONLY || bytes[at] == TAG_READ_WRITE) &&
		    find(bytes + at + header, size - header, keyword, text, room))
			return true;
		at += size;
	}
	return false;
}
