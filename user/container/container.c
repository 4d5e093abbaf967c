// SPDX-License-Identifier: GPL-2.0-only
/* What the kinds of container have in common: firmware-images.md 7. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "private.h"

static const struct kind {
	const char *name;
	size_t magic_length;
	const char *magic;
	int (*open)(struct container *container, struct image_error *error);
	int (*verify)(struct container *container, struct container_check *check, struct image_error *error);
} kinds[] = {
	[CONTAINER_MFA1] = { "MFA1", 4, "MFAR", mfa1_open, mfa1_verify },
	[CONTAINER_MFA2] = { "MFA2", 16, "MLNX.MFA2.XZ.00!", mfa2_open, mfa2_verify },
	[CONTAINER_PLDM] = { "PLDM", 16, "\xf0\x18\x87\x8c\xcb\x7d\x49\x43\x98\x00\xa0\x2f\x05\x9a\xca\x02",
			     pldm_open, pldm_verify },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

const char *container_kind_name(enum container_kind kind)
{
	return kind > CONTAINER_NONE && kind < KINDS ? kinds[kind].name : "none";
}

int container_no_memory(struct image_error *error)
{
	return image_fail(error, -ENOMEM, 0, _("there is not enough memory"));
}

/* ---- bytes ---- */

static int read_failed(struct image_error *error, int code, uint64_t offset)
{
	return image_fail(error, code, offset, _("reading at 0x%llx failed: %s"),
			  (unsigned long long)offset, strerror(-code));
}

int container_read(const struct image_reader *reader, uint64_t offset, void *buffer, size_t length,
		   struct image_error *error)
{
	uint64_t start, end;
	uint8_t piece[0x1000], *to = buffer;
	size_t now;
	int code;

	if (offset > reader->size || length > reader->size - offset)
		return image_fail(error, -EBADMSG, offset,
				  _("bytes 0x%llx to 0x%llx are wanted, but there are only 0x%llx: the file is truncated"),
				  (unsigned long long)offset, (unsigned long long)offset + length,
				  (unsigned long long)reader->size);
	if (reader->bytes) {
		memcpy(buffer, reader->bytes + offset, length);
		return 0;
	}
	while (length) {
		start = offset & ~3ULL;
		end = start + sizeof(piece);
		if (end > align4(offset + length))
			end = align4(offset + length);
		if (end > reader->size)
			end = reader->size;
		code = reader->read(reader->context, start, piece, end - start);
		if (code)
			return read_failed(error, code, start);
		now = end - offset < length ? end - offset : length;
		memcpy(to, piece + (offset - start), now);
		to += now;
		offset += now;
		length -= now;
	}
	return 0;
}

int container_pieces(const struct image_reader *reader, uint64_t offset, uint64_t length,
		     int (*piece)(void *context, const uint8_t *bytes, size_t length), void *context,
		     struct image_error *error)
{
	uint8_t buffer[0x4000];
	size_t now;
	int code = 0;

	if (reader->bytes && offset <= reader->size && length <= reader->size - offset)
		return piece(context, reader->bytes + offset, length);
	for (; length && !code; length -= now, offset += now) {
		now = length < sizeof(buffer) ? length : sizeof(buffer);
		code = container_read(reader, offset, buffer, now, error);
		if (!code)
			code = piece(context, buffer, now);
	}
	return code;
}

int container_load(const struct image_reader *reader, uint64_t offset, uint64_t length,
		   struct container_bytes *bytes, struct image_error *error)
{
	int code;

	memset(bytes, 0, sizeof(*bytes));
	if (length > CONTAINER_DIRECTORY_MOST)
		return image_fail(error, -EBADMSG, offset, _("a directory of 0x%llx bytes is too large"),
				  (unsigned long long)length);
	bytes->length = length;
	if (reader->bytes && offset <= reader->size && length <= reader->size - offset) {
		bytes->bytes = reader->bytes + offset;
		return 0;
	}
	bytes->owned = malloc(length ? length : 1);
	if (!bytes->owned)
		return container_no_memory(error);
	code = container_read(reader, offset, bytes->owned, length, error);
	if (code)
		container_unload(bytes);
	else
		bytes->bytes = bytes->owned;
	return code;
}

void container_unload(struct container_bytes *bytes)
{
	free(bytes->owned);
	memset(bytes, 0, sizeof(*bytes));
}

/* ---- the directory ---- */

/* Room for one more. */
static int grow(void **array, size_t count, size_t *room, size_t size, struct image_error *error)
{
	size_t more = *room ? 2 * *room : 16;
	void *new;

	if (count < *room)
		return 0;
	new = realloc(*array, more * size);
	if (!new)
		return container_no_memory(error);
	*array = new;
	*room = more;
	return 0;
}

struct container_member *container_add_member(struct container *container, struct image_error *error)
{
	struct container_member *member;

	if (container->member_count >= CONTAINER_MEMBERS) {
		image_fail(error, -EBADMSG, 0, _("the directory speaks of more than %d images"),
			   CONTAINER_MEMBERS);
		return NULL;
	}
	if (grow((void **)&container->members, container->member_count, &container->member_room,
		 sizeof(*member), error))
		return NULL;
	member = &container->members[container->member_count];
	memset(member, 0, sizeof(*member));
	member->index = container->member_count++;
	return member;
}

int container_add_component(struct container *container, struct image_error *error)
{
	struct container_component *component;

	if (grow((void **)&container->components, container->component_count, &container->component_room,
		 sizeof(*component), error))
		return -ENOMEM;
	component = &container->components[container->component_count++];
	memset(component, 0, sizeof(*component));
	component->first_range = container->range_count;
	return 0;
}

int container_add_range(struct container *container, uint64_t start, uint64_t length,
			struct image_error *error)
{
	struct container_component *component = &container->components[container->component_count - 1];
	struct container_range *range;

	if (grow((void **)&container->ranges, container->range_count, &container->range_room,
		 sizeof(*range), error))
		return -ENOMEM;
	range = &container->ranges[container->range_count++];
	range->start = start;
	range->length = length;
	range->at = component->size;
	range->component = container->component_count - 1;
	component->range_count++;
	component->size += length;
	return 0;
}

enum container_kind container_kind_of(const struct image_reader *reader)
{
	struct image_error ignored;
	uint8_t magic[16];
	size_t kind;

	if (reader->size < sizeof(magic) || container_read(reader, 0, magic, sizeof(magic), &ignored))
		return CONTAINER_NONE;
	for (kind = CONTAINER_MFA1; kind < KINDS; kind++)
		if (!memcmp(magic, kinds[kind].magic, kinds[kind].magic_length))
			return kind;
	return CONTAINER_NONE;
}

/* No unpacker can make more of its input than this. */
#define UNPACK_RATIO 8192
/* Directories of real archives name each byte once; pieces that boards share make it some more. */
#define SHARED_MOST 8
#define SHARED_FREE (4ULL << 30)

static int check_sizes(const struct container *container, struct image_error *error)
{
	uint64_t sum = 0;
	size_t i;

	if (container->compressed && container->data_size / UNPACK_RATIO > container->data_stored)
		return image_fail(error, -EBADMSG, container->data_start,
				  _("the directory speaks of 0x%llx bytes, which cannot be packed into 0x%llx"),
				  (unsigned long long)container->data_size,
				  (unsigned long long)container->data_stored);
	for (i = 0; i < container->component_count; i++) {
		if (!container->components[i].size)
			return image_fail(error, -EBADMSG, 0, _("component %zu has no bytes"), i);
		sum += container->components[i].size;
	}
	if (sum / SHARED_MOST > container->data_size && sum > SHARED_FREE)
		return image_fail(error, -EBADMSG, 0,
				  _("the images would have 0x%llx bytes together, but there are only 0x%llx"),
				  (unsigned long long)sum, (unsigned long long)container->data_size);
	return 0;
}

int container_open(const struct image_reader *reader, struct container **container, struct image_error *error)
{
	enum container_kind kind = container_kind_of(reader);
	struct container *new;
	int code;

	*container = NULL;
	if (kind == CONTAINER_NONE)
		return image_fail(error, -ENOENT, 0, _("this is no MFA1, MFA2 or PLDM container"));
	new = calloc(1, sizeof(*new));
	if (!new)
		return container_no_memory(error);
	new->kind = kind;
	new->reader = reader;
	code = kinds[kind].open(new, error);
	if (!code)
		code = check_sizes(new, error);
	if (code)
		container_close(new);
	else
		*container = new;
	return code;
}

void container_close(struct container *container)
{
	if (!container)
		return;
	free(container->members);
	free(container->components);
	free(container->ranges);
	free(container);
}

enum container_kind container_kind(const struct container *container)
{
	return container->kind;
}

uint64_t container_length(const struct container *container)
{
	return container->length;
}

size_t container_members(const struct container *container)
{
	return container->member_count;
}

const struct container_member *container_member(const struct container *container, size_t index)
{
	return index < container->member_count ? &container->members[index] : NULL;
}

/* ---- masked images, bytes in place ---- */

const uint8_t *container_masked_magic(const uint8_t head[0x28])
{
	static const uint8_t fs3[] = { 0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00,
				       0xde, 0xad, 0x92, 0x70, 0x41, 0x54, 0xbe, 0xef };
	static const uint8_t fs4[] = { 0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00,
				       0xfa, 0xde, 0x12, 0x34, 0x56, 0x78, 0xde, 0xad };
	size_t i;

	for (i = 0; i < 16; i++)
		if (head[i] != 0xff)
			return NULL;
	if (head[0x10] == 1 && be32(head + 0x14) == 0xffffffff)
		return fs4;
	return head[0x24] == 3 ? fs3 : NULL;
}

static int window_bytes(const struct window *window, uint64_t offset, uint8_t *to, size_t length)
{
	const struct container *container = window->container;
	const struct container_range *range = &container->ranges[window->component->first_range];
	struct image_error ignored;
	size_t i, now;
	int code;

	for (i = 0; i < window->component->range_count && length; i++, range++) {
		if (offset - range->at >= range->length)
			continue;
		now = range->length - (offset - range->at);
		if (now > length)
			now = length;
		code = container_read(container->reader,
				      container->data_start + range->start + (offset - range->at),
				      to, now, &ignored);
		if (code)
			return code;
		offset += now;
		to += now;
		length -= now;
	}
	return length ? -EINVAL : 0;
}

static int window_read(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct window *window = context;
	uint8_t *to = buffer;
	int code = window_bytes(window, offset, to, length);

	if (window->magic && offset < 16 && !code)
		memcpy(to, window->magic + offset, length < 16 - offset ? length : 16 - offset);
	return code;
}

int window_open(const struct container *container, const struct container_component *component,
		struct window *window, struct image_reader *reader, struct image_error *error)
{
	const struct container_range *range = &container->ranges[component->first_range];
	uint8_t head[0x28];
	int code;

	*window = (struct window){ container, component, NULL };
	*reader = (struct image_reader){ window_read, window, component->size, NULL };
	if (component->size >= sizeof(head)) {
		code = window_bytes(window, 0, head, sizeof(head));
		if (code)
			return read_failed(error, code, container->data_start + range->start);
		window->magic = container_masked_magic(head);
	}
	if (container->reader->bytes && component->range_count == 1 && !window->magic)
		reader->bytes = container->reader->bytes + container->data_start + range->start;
	return 0;
}

/* ---- verification ---- */

void container_part(struct container_check *check, const struct image_part *part)
{
	if (check->listener && check->listener->part)
		check->listener->part(check->listener->context, part);
}

static void tell(struct container_check *check, const struct image_finding *finding)
{
	if (finding->verdict > check->worst)
		check->worst = finding->verdict;
	if (check->listener && check->listener->finding)
		check->listener->finding(check->listener->context, finding);
}

void container_finding(struct container_check *check, enum image_verdict verdict, const char *part,
		       uint64_t where, const char *format, ...)
{
	struct image_finding finding = { .verdict = verdict, .part = part, .where = where };
	char text[320];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	finding.text = text;
	tell(check, &finding);
}

void container_crc(struct container_check *check, const char *name, uint64_t start, uint64_t length,
		   uint64_t where, uint32_t expected, uint32_t found)
{
	struct image_part part = { .name = name, .start = start, .length = length };
	struct image_finding finding = {
		.verdict = IMAGE_DAMAGED, .part = name, .where = where, .compared = true,
		.expected = expected, .found = found, .text = _("its CRC32 is wrong"),
	};

	part.verdict = expected == found ? IMAGE_GOOD : IMAGE_DAMAGED;
	container_part(check, &part);
	if (expected != found)
		tell(check, &finding);
}

int container_verify(struct container *container, const struct image_listener *listener,
		     enum image_verdict *verdict, struct image_error *error)
{
	struct container_check check = { .listener = listener };
	int code = kinds[container->kind].verify(container, &check, error);

	*verdict = check.worst;
	return code;
}
