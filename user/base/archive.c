// SPDX-License-Identifier: GPL-2.0-only
#include "archive.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Of a ustar header: where a field begins. */
#define AT_MODE		100
#define AT_UID		108
#define AT_GID		116
#define AT_SIZE		124
#define AT_TIME		136
#define AT_CHECKSUM	148
#define AT_TYPE		156
#define AT_MAGIC	257
#define CHECKSUM_BYTES	8
#define NUMBER_BYTES	12		/* of size and time: 11 octal digits and a NUL */

size_t archive_room(size_t length)
{
	return ARCHIVE_BLOCK + (length + ARCHIVE_BLOCK - 1) / ARCHIVE_BLOCK * ARCHIVE_BLOCK;
}

/* The sum of all bytes, those of the sum itself counted as blanks. */
static unsigned int checksum(const uint8_t block[ARCHIVE_BLOCK])
{
	unsigned int sum = 0, i;

	for (i = 0; i < ARCHIVE_BLOCK; i++)
		sum += i >= AT_CHECKSUM && i < AT_CHECKSUM + CHECKSUM_BYTES ? ' ' : block[i];
	return sum;
}

static void put_octal(uint8_t *field, size_t digits, uint64_t value)
{
	field[digits] = '\0';
	while (digits--) {
		field[digits] = '0' + (value & 7);
		value >>= 3;
	}
}

void archive_header(uint8_t block[ARCHIVE_BLOCK], const char *name, uint64_t length, uint64_t time)
{
	memset(block, 0, ARCHIVE_BLOCK);
	snprintf((char *)block, ARCHIVE_NAME, "%s", name);
	put_octal(block + AT_MODE, 7, 0600);
	put_octal(block + AT_UID, 7, 0);
	put_octal(block + AT_GID, 7, 0);
	put_octal(block + AT_SIZE, 11, length);
	put_octal(block + AT_TIME, 11, time);
	block[AT_TYPE] = '0';
	memcpy(block + AT_MAGIC, "ustar\00000", 8);
	put_octal(block + AT_CHECKSUM, 6, checksum(block));
	block[AT_CHECKSUM + 7] = ' ';
}

/* Blanks or a NUL may follow the digits, as other programs write them. */
static bool get_octal(const uint8_t *field, size_t room, uint64_t *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < room && field[i] >= '0' && field[i] <= '7'; i++)
		*value = *value << 3 | (field[i] - '0');
	return i && (i == room || !field[i] || field[i] == ' ');
}

static bool header_right(const uint8_t *block)
{
	uint64_t sum;

	return !memcmp(block + AT_MAGIC, "ustar", 5) &&
	       get_octal(block + AT_CHECKSUM, CHECKSUM_BYTES, &sum) && sum == checksum(block);
}

bool archive_begins(const uint8_t *bytes, size_t length)
{
	return length >= ARCHIVE_BLOCK && header_right(bytes);
}

static bool name_right(const uint8_t *name)
{
	size_t i;

	for (i = 0; i < ARCHIVE_NAME && name[i]; i++)
		if (!isalnum(name[i]) && !(i && strchr("._-", name[i])))
			return false;
	return i && i < ARCHIVE_NAME;
}

static bool all_zero(const uint8_t *bytes, size_t length)
{
	while (length && !bytes[length - 1])
		length--;
	return !length;
}

int archive_next(const uint8_t *bytes, size_t length, size_t *offset, struct archive_member *member)
{
	const uint8_t *block;
	uint64_t size;

	if (*offset > length || length - *offset < ARCHIVE_BLOCK)
		return -1;
	block = bytes + *offset;
	if (all_zero(block, ARCHIVE_BLOCK))
		return 0;
	if (!header_right(block) || (block[AT_TYPE] != '0' && block[AT_TYPE]) || !name_right(block) ||
	    !get_octal(block + AT_SIZE, NUMBER_BYTES, &size) || size > length - *offset - ARCHIVE_BLOCK)
		return -1;
	memcpy(member->name, block, ARCHIVE_NAME);
	member->bytes = block + ARCHIVE_BLOCK;
	member->length = size;
	*offset += archive_room(size);
	return 1;
}
