// SPDX-License-Identifier: GPL-2.0-only
/* What all formats share: reading, finding, dispatch. firmware-images.md 0.3, 0.4, 1. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fs2.h"
#include "private.h"

const uint32_t image_places[IMAGE_PLACES] = {
	0, 0x10000, 0x20000, 0x40000, 0x80000, 0x100000, 0x200000, 0x400000, 0x800000, 0x1000000, 0x2000000,
};

const uint8_t fs2_magic[IMAGE_MAGIC_LENGTH] = {
	0x4d, 0x54, 0x46, 0x57, 0x8c, 0xdf, 0xd0, 0x00, 0xde, 0xad, 0x92, 0x70, 0x41, 0x54, 0xbe, 0xef,
};

static const uint8_t fs4_magic[IMAGE_MAGIC_LENGTH] = {
	0x4d, 0x54, 0x46, 0x57, 0xab, 0xcd, 0xef, 0x00, 0xfa, 0xde, 0x12, 0x34, 0x56, 0x78, 0xde, 0xad,
};

int image_fail(struct image_error *error, int code, uint64_t where, const char *format, ...)
{
	va_list arguments;

	if (error) {
		error->where = where;
		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
	}
	return code;
}

void image_text(char *text, size_t room, const uint8_t *bytes, size_t length)
{
	size_t i;

	for (i = 0; i < length && i + 1 < room && bytes[i]; i++)
		text[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	text[i] = 0;
}

const char *image_format_name(enum image_format format)
{
	static const char *const names[] = { "none", "FS2", "FS3", "FS4", "FS5" };

	return format < sizeof(names) / sizeof(names[0]) ? names[format] : "none";
}

/* log2 of the chunk of a failsafe FS2 image; 0: not failsafe, or the word is damaged. */
static uint32_t fs2_log2_chunk(uint32_t failsafe_word)
{
	if (byte_sum(failsafe_word) || !(failsafe_word & 8))
		return 0;
	return 16 + (failsafe_word & 7);
}

/* log2 of a FS3 slot: firmware-images.md 1.6. 0: impossible. */
static uint32_t fs3_log2_slot(uint8_t byte, uint32_t address)
{
	if (!byte)
		return 21;
	if (byte == 0x16 && address == 0x800000)
		return 0x17;
	return byte >= 16 && byte <= 24 ? byte : 0;
}

static int describe_fs2(const struct image_reader *reader, struct image_place *place,
			struct image_error *error)
{
	uint8_t words[8];
	int code;

	code = reader_read(reader, place->address + 0x24, words, sizeof(words), error);
	if (code)
		return code;
	if (words[0] == 3) {
		place->format = IMAGE_FS3;
		place->log2_chunk = fs3_log2_slot(words[1], place->address);
	} else {
		place->format = IMAGE_FS2;
		place->log2_chunk = fs2_log2_chunk(get32(words + 4));
	}
	return 0;
}

static int describe_fs4(const struct image_reader *reader, struct image_place *place,
			struct image_error *error)
{
	uint8_t word[4], pointer[8], tools[4];
	uint32_t address;
	int code;

	code = reader_read(reader, place->address + 0x10, word, sizeof(word), error);
	if (code)
		return code;
	place->format = word[0] == 2 ? IMAGE_FS5 : IMAGE_FS4;
	place->generation = word[0];
	if (reader->size < place->address + 0x38ULL)
		return 0;
	code = reader_read(reader, place->address + 0x30, pointer, sizeof(pointer), error);
	if (code)
		return code;
	address = get32(pointer);
	if (get32(pointer + 4) != image_pointer_crc(address) || address & 3 ||
	    (uint64_t)place->address + address + 8 > reader->size)
		return 0;
	code = reader_read(reader, (uint64_t)place->address + address + 4, tools, sizeof(tools), error);
	if (code)
		return code;
	place->log2_chunk = tools[0] << 8 | tools[1];
	if (place->log2_chunk > 31)
		place->log2_chunk = 0;
	return 0;
}

/* Fills place when a magic stands at address; format IMAGE_NONE when none does. */
static int look_at(const struct image_reader *reader, uint32_t address, enum image_layout layout,
		   struct image_place *place, struct image_error *error)
{
	uint8_t magic[IMAGE_MAGIC_LENGTH];
	int code;

	memset(place, 0, sizeof(*place));
	place->address = address;
	place->layout = layout;
	code = reader_read(reader, address, magic, sizeof(magic), error);
	if (code)
		return code;
	if (!memcmp(magic, fs2_magic, sizeof(magic)))
		code = describe_fs2(reader, place, error);
	else if (!memcmp(magic, fs4_magic, sizeof(magic)))
		code = describe_fs4(reader, place, error);
	if (code)
		return code;
	if (address) {
		place->slot = 1;
		place->misplaced = layout == IMAGE_LAYOUT_FILE || !place->log2_chunk ||
				   address != 1U << place->log2_chunk;
	}
	return 0;
}

static bool power_of_two(uint64_t number)
{
	return number && !(number & (number - 1));
}

/* Whether the chain of sections, in this layout, ends where the header says. */
static bool chain_fits(const struct image_view *view, uint32_t length)
{
	uint32_t end;

	return !fs2_chain_end(view, &end, NULL) && end == length;
}

/*
 * A file or a flash? A file ends where its header says. What is as long as a flash may
 * still be a padded file: the chain of sections tells.
 */
static int guess_layout(const struct image_reader *reader, enum image_layout *layout,
			struct image_error *error)
{
	struct image_view view = { .reader = reader };
	uint8_t size[4];
	int code;

	*layout = power_of_two(reader->size) ? IMAGE_LAYOUT_FLASH : IMAGE_LAYOUT_FILE;
	if (reader->size < 0x40)
		return 0;
	code = look_at(reader, 0, IMAGE_LAYOUT_FLASH, &view.place, error);
	if (code || view.place.format != IMAGE_FS2)
		return code;
	code = reader_read(reader, 0x30, size, sizeof(size), error);
	if (code)
		return code;
	if (get32(size) == reader->size)
		*layout = IMAGE_LAYOUT_FILE;
	if (*layout == IMAGE_LAYOUT_FILE || !view.place.log2_chunk)
		return 0;
	if (!chain_fits(&view, get32(size))) {
		view.place.layout = IMAGE_LAYOUT_FILE;
		if (chain_fits(&view, get32(size)))
			*layout = IMAGE_LAYOUT_FILE;
	}
	return 0;
}

int image_locate(const struct image_reader *reader, enum image_layout layout, struct image_place *places,
		 size_t room, size_t *count, struct image_error *error)
{
	struct image_place place;
	size_t i;
	int code;

	*count = 0;
	if (layout == IMAGE_LAYOUT_AUTO) {
		code = guess_layout(reader, &layout, error);
		if (code)
			return code;
	}
	for (i = 0; i < IMAGE_PLACES && image_places[i] + 0x38ULL <= reader->size; i++) {
		code = look_at(reader, image_places[i], layout, &place, error);
		if (code)
			return code;
		if (place.format == IMAGE_NONE)
			continue;
		if (*count < room)
			places[*count] = place;
		++*count;
	}
	return 0;
}

int image_facts(const struct image_reader *reader, const struct image_place *place, unsigned int flags,
		struct image_facts *facts, struct image_error *error)
{
	memset(facts, 0, sizeof(*facts));
	facts->place = *place;
	switch (place->format) {
	case IMAGE_FS2:
		return fs2_facts(reader, place, flags, facts, error);
	case IMAGE_FS3:
		return fs3_facts(reader, place, flags, facts, error);
	case IMAGE_FS4:
		return fs4_facts(reader, place, flags, facts, error);
	case IMAGE_FS5:
		return fs5_facts(reader, place, flags, facts, error);
	default:
		return image_fail(error, -EOPNOTSUPP, place->address,
				  _("an image of format %s is recognised but cannot be read by this version"),
				  image_format_name(place->format));
	}
}

int image_query(const struct image_reader *reader, enum image_layout layout, unsigned int flags,
		struct image_facts *facts, struct image_error *error)
{
	struct image_place places[IMAGE_PLACES];
	size_t count, i;
	int code;

	memset(facts, 0, sizeof(*facts));
	code = image_locate(reader, layout, places, IMAGE_PLACES, &count, error);
	if (code)
		return code;
	for (i = 0; i < count; i++)
		if (!places[i].misplaced)
			return image_facts(reader, &places[i], flags, facts, error);
	if (count)
		return image_fail(error, -ENOENT, places[0].address,
				  _("a firmware magic stands at 0x%x, but no image of format %s can start there"),
				  places[0].address, image_format_name(places[0].format));
	return image_fail(error, -ENOENT, 0,
			  _("no firmware magic at any of the %d places where one can stand"), IMAGE_PLACES);
}

int image_sections(const struct image_reader *reader, const struct image_place *place,
		   int (*visit)(void *context, const struct image_section *section), void *context,
		   struct image_error *error)
{
	struct image_view view = { reader, *place };

	switch (place->format) {
	case IMAGE_FS2:
		return fs2_sections(&view, visit, context, error);
	case IMAGE_FS3:
		return fs3_sections(&view, visit, context, error);
	case IMAGE_FS4:
		return fs4_sections(&view, visit, context, error);
	case IMAGE_FS5:
		return fs5_sections(&view, visit, context, error);
	default:
		return image_fail(error, -EOPNOTSUPP, place->address,
				  _("the sections of format %s are not known to this version"),
				  image_format_name(place->format));
	}
}

const char *image_security_text(const struct image_facts *facts)
{
	/* IMAGE_INFO dword 0: firmware-images.md 3.5, 4.7 */
	const uint32_t secure = 1U << 15, is_signed = 1U << 14, debug = 1U << 13, mcc = 1U << 8;
	uint32_t flags = facts->security_flags;

	if (facts->place.format < IMAGE_FS3)
		return NULL;
	if (!(flags & mcc) || !facts->security_keys || !(flags & (secure | is_signed)))
		return "N/A";
	if (!(flags & secure))
		return "signed-fw";
	return flags & debug ? "secure-fw, debug" : "secure-fw";
}

/* Vendor images carry 0002C9000100D050 ... 53 and 0002C9000001, 2: firmware-images.md 2.4. */
bool image_guid_is_dummy(uint64_t guid)
{
	return !guid || guid == UINT64_MAX || (guid >= 0x0002c9000100d050 && guid <= 0x0002c9000100d053);
}

bool image_mac_is_dummy(uint64_t mac)
{
	return !mac || mac >> 48 || mac == 0xffffffffffff || mac == 0x0002c9000001 || mac == 0x0002c9000002;
}

void check_part(struct image_check *check, const struct image_part *part)
{
	if (check->listener && check->listener->part)
		check->listener->part(check->listener->context, part);
}

static void report(struct image_check *check, struct image_finding *finding)
{
	if (finding->verdict > check->worst)
		check->worst = finding->verdict;
	if (check->listener && check->listener->finding)
		check->listener->finding(check->listener->context, finding);
}

void check_finding(struct image_check *check, enum image_verdict verdict, const char *part, uint64_t where,
		   const char *format, ...)
{
	char text[256];
	struct image_finding finding = { .verdict = verdict, .part = part, .where = where, .text = text };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	report(check, &finding);
}

void check_compared(struct image_check *check, enum image_verdict verdict, const char *part, uint64_t where,
		    uint32_t expected, uint32_t found, const char *format, ...)
{
	char text[256];
	struct image_finding finding = { verdict, part, where, true, expected, found, text };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	report(check, &finding);
}

int image_verify(const struct image_reader *reader, const struct image_place *place,
		 const struct image_listener *listener, enum image_verdict *verdict,
		 struct image_error *error)
{
	struct image_check check = { listener, IMAGE_GOOD };
	int code;

	switch (place->format) {
	case IMAGE_FS2:
		code = fs2_verify(reader, place, &check, error);
		break;
	case IMAGE_FS3:
		code = fs3_verify(reader, place, &check, error);
		break;
	case IMAGE_FS4:
		code = fs4_verify(reader, place, &check, error);
		break;
	case IMAGE_FS5:
		code = fs5_verify(reader, place, &check, error);
		break;
	default:
		code = image_fail(error, -EOPNOTSUPP, place->address,
				  _("an image of format %s cannot be verified by this version"),
				  image_format_name(place->format));
	}
	*verdict = check.worst;
	return code;
}
